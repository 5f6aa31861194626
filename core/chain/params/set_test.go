package params_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/params"
	"obverse/core/chain/wire"
)

// launched returns the published launch options of existing chains whose rules are all
// implemented here, by name.
func launched(t *testing.T) map[string]*params.Params {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "smartchains.json"))
	require.NoError(t, err)
	var lines map[string]string
	require.NoError(t, json.Unmarshal(content, &lines))
	require.Len(t, lines, 61)
	chains := map[string]*params.Params{}
	for name, line := range lines {
		if p, ok := launch(line); ok {
			chains[name] = p
		}
	}
	return chains
}

func launch(line string) (*params.Params, bool) {
	o := params.Defaults()
	for _, arg := range strings.Fields(line) {
		key, value, _ := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		if strings.HasPrefix(key, "ac_") && o.Set(key, value) != nil {
			return nil, false
		}
	}
	p, err := params.New(o)
	return p, err == nil
}

// TestLaunchedChains checks the number of existing chains that the options fully describe, and
// compares their eval codes and extra satoshis with those that komodod assigns to their names.
func TestLaunchedChains(t *testing.T) {
	chains := launched(t)
	require.Len(t, chains, 26)
	for name, want := range map[string]struct {
		magic uint32
		port  uint16
	}{"CCL": {0x66ff315c, 20848}, "ILN": {0x23cbb4fe, 12985}, "KOIN": {0xb6564c76, 10701}, "WSB": {0xca4ba0fa, 52042}, "SEC": {0x8f27938c, 11539}} {
		require.Equal(t, want.magic, chains[name].Magic, "%s: no rule of a name enters the magic", name)
		require.Equal(t, want.port, chains[name].P2PPort, name)
	}
	limited := map[string][]byte{"AXO": nil, "ILN": nil, "CCL": {0xea, 0xf2}, "SEC": {0xe3, 0xec, 0xf2}}
	extra := []string{"SUPERNET", "DEX"}
	for name, p := range chains {
		codes, isLimited := limited[name]
		for code := range 256 {
			want := !isLimited || slices.Contains(codes, byte(code))
			require.Equal(t, want, p.EvalEnabled(byte(code), 1_000_000), "%s %x", name, code)
		}
		require.Equal(t, slices.Contains(extra, name), p.ExtraCoinbase() == 1, name)
	}
}

func named(t *testing.T, name, args string) *params.Params {
	t.Helper()
	return chain(t, args+" -ac_name="+name)
}

func TestCodesOfNames(t *testing.T) {
	for name, codes := range map[string][]byte{
		"AXO": {}, "DION": {}, "EQL": {}, "ILN": {}, "OUR": {}, "ZEXO": {}, "CCL": {0xf2, 0xea}, "SEC": {0xe3, 0xf2, 0xec},
		"COQUI": {0xe6, 0xeb, 0xec, 0xe3, 0xf2}, "KMDICE": {0xe4, 0xe6, 0xec},
	} {
		for _, args := range []string{"", "-ac_cc=2", "-ac_cc=2 -ac_ccenable=242,241"} {
			p := named(t, name, args)
			for code := range 256 {
				require.Equal(t, slices.Contains(codes, byte(code)), p.EvalEnabled(byte(code), 5), "%s %s %x", name, args, code)
			}
		}
	}
	require.True(t, named(t, "ILN", "-ac_cc=2 -ac_ccactivateht=242,20").EvalEnabled(0xf2, 21), "a height enables a code again")
	for _, other := range []string{"COQUICASH", "CCLX", "iln"} {
		require.True(t, named(t, other, "-ac_cc=2").EvalEnabled(0xf2, 5), other)
	}
}

func TestSatoshiOfNames(t *testing.T) {
	for _, name := range []string{"SUPERNET", "DEX", "COQUI", "PIRATE", "KMDICE"} {
		require.EqualValues(t, 1, named(t, name, "").ExtraCoinbase(), name)
	}
	require.Zero(t, named(t, "X", "").ExtraCoinbase())
}

func TestRewardsOfNames(t *testing.T) {
	const halving = "-ac_supply=0 -ac_reward=25600000000 -ac_halving=77777"
	pirate, other := named(t, "PIRATE", halving), named(t, "X", halving)
	require.EqualValues(t, 25600000000, pirate.Subsidy(5*77777-1))
	require.EqualValues(t, 12800000000, pirate.Subsidy(5*77777))
	require.EqualValues(t, 12800000000, other.Subsidy(77777))
	require.Equal(t, other.MaxMoney, pirate.MaxMoney, "worked out before")
	require.Equal(t, []uint64{77777}, pirate.Options().Halving, "as pinned")
	require.Equal(t, []uint64{5 * 77777, 77777}, pirate.Schedule().Halving)
	require.EqualValues(t, 12800000000, named(t, "PIRATE", "-ac_reward=25600000000 -ac_halving=77776").Subsidy(77776))
	eras := named(t, "PIRATE", "-ac_eras=2 -ac_reward=100 -ac_end=400000,0 -ac_halving=77777")
	require.EqualValues(t, 50, eras.Subsidy(400000+77777), "later eras keep theirs")

	const paying = "-ac_supply=5 -ac_reward=1000 -ac_perc=50000000 -ac_pubkey=" + key
	require.Zero(t, named(t, "LABSX", paying).Subsidy(2))
	require.Zero(t, named(t, "LABSX", paying).Commission(2, []*wire.Tx{outputs(wire.TxOut{Value: 1e8})}))
	require.Equal(t, int64(5e8)+int64(named(t, "LABSX", paying).Magic&0xffffff), named(t, "LABSX", paying).Subsidy(1))
	require.EqualValues(t, 1000, named(t, "LABS", paying).Subsidy(2))
	require.NotZero(t, named(t, "LABS", paying).Commission(2, []*wire.Tx{outputs(wire.TxOut{Value: 1e8})}))
}

func TestMaturityOfNames(t *testing.T) {
	const eras = "-ac_eras=2 -ac_reward=1 -ac_end=5,0"
	for name, want := range map[string]int{"LABS": 1, "LABSX": 1, "CFEK": 1, "CFEKX": 1, "TEST": 1, "TESTX": 1, "TOKTEST": 100, "X": 100} {
		require.Equal(t, want, named(t, name, eras).Maturity, name)
	}
	require.Equal(t, 7, named(t, "TESTX", eras+" -ac_cbmaturity=7").Maturity)
}

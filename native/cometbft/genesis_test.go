package cometbft

import (
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cometbft/cometbft/types"
	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/engine"
	"obverse/core/chain/params"
)

// TestInvalidGenesis checks that mistakes of an operator are reported before the node starts.
func TestInvalidGenesis(t *testing.T) {
	home := t.TempDir()
	id, err := Prepare(home)
	require.NoError(t, err)
	payee := chaintest.Key(t, 3).Token()
	g := &Genesis{ChainID: "a-1", Time: time.Now(), Options: testOptions(t), Terms: engine.Terms{Payee: payee, From: 1}}
	g.Validators = append(g.Validators, id.Validator)
	require.NoError(t, g.Save(home))
	whole, err := os.ReadFile(GenesisFile(home))
	require.NoError(t, err)
	entry := string(whole[strings.Index(string(whole), `"validators": [`)+len(`"validators": [`) : strings.Index(string(whole), "]\x2c\n  \"app_hash\"")])
	for says, change := range map[string][2]string{
		"validators is empty":                                         {entry, ""},
		"validators[1] has the key of an earlier one":                 {entry, entry + "," + entry},
		"validators[0].power is -1: all together must have 1 to 1152": {`"power": "1"`, `"power": "-1"`},
		"validators[0].power is 1152921504606846976":                  {`"power": "1"`, `"power": "1152921504606846976"`},
		"is not a compressed public key":                              {`"payee": "0`, `"payee": "4`},
		"validators[1].pub_key must be {\"type\": \"tendermint/PubKeyEd25519\", \"value\": \"...\"} with 32 bytes in base64, got none": {entry, entry + `,{"power": "1"}`},
		"with 32 bytes in base64, got null":                         {entry, entry + `,{"pub_key": null, "power": "1"}`},
		`got {"type": "tendermint/PubKeyEd25519", "value": "AAAA"}`: {entry, `{"pub_key": {"type": "tendermint/PubKeyEd25519", "value": "AAAA"}, "power": "1"},` + entry},
		"validators[0].pub_key must be":                             {"PubKeyEd25519", "PubKeySecp256k1"},
		"validators[1].pub_key must be":                             {entry, entry + `,{"pub_key": "0011", "power": "1"}`},
		"validators[0].address must be empty or the address of its pub_key, " + id.Validator.Address.String() + `, got "00"`: {id.Validator.Address.String(), "00"},
	} {
		text := strings.Replace(string(whole), change[0], change[1], 1)
		require.NotEqual(t, string(whole), text, says)
		require.NoError(t, os.WriteFile(GenesisFile(home), []byte(text), 0o600))
		_, err := ReadGenesis(home)
		require.ErrorIs(t, err, ErrGenesis, says)
		require.ErrorContains(t, err, says)
	}
	require.NoError(t, os.WriteFile(GenesisFile(home), whole, 0o600))
	_, err = ReadGenesis(home)
	require.NoError(t, err)
}

// TestChainIDs checks that each handover has a distinct chain id within CometBFT's size limit.
func TestChainIDs(t *testing.T) {
	at := time.Unix(1_800_000_000, 0)
	require.Equal(t, "obverse-toktest-7-1800000000", ChainIDOf(params.Options{Name: "TOKTEST"}, 7, at))
	require.NotEqual(t, ChainIDOf(params.Options{Name: "A"}, 7, at), ChainIDOf(params.Options{Name: "A"}, 7, at.Add(time.Second)))
	require.LessOrEqual(t, len(ChainIDOf(params.Options{Name: strings.Repeat("A", 64)}, math.MaxInt32, time.Unix(99_999_999_999, 0))), types.MaxChainIDLen)
}

// TestChangedGenesis checks that a changed genesis of a started node is an error, since CometBFT
// would ignore the change. Another formatting of the same genesis is accepted.
func TestChangedGenesis(t *testing.T) {
	w := begun(t, 1)
	v, settings := w.nodes[0], w.settings[0]
	tx := v.payment(t, v.premine(t), 1_000)
	require.NoError(t, v.send(tx.Encode()))
	w.agree(t, 2)
	v.end(t)
	path := GenesisFile(v.home)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)

	another, err := Prepare(t.TempDir())
	require.NoError(t, err)
	for field, change := range map[string]func(*Genesis){
		"validators":   func(g *Genesis) { g.Validators = append(g.Validators, another.Validator) },
		"genesis_time": func(g *Genesis) { g.Time = g.Time.Add(time.Second) },
		"chain_id":     func(g *Genesis) { g.ChainID += "0" },
		"app_state":    func(g *Genesis) { g.Options.Supply++ },
	} {
		changed := *w.genesis
		change(&changed)
		require.NoError(t, changed.Save(v.home))
		err := v.engine.Open(t.Context(), settings, v.shared)
		require.ErrorIs(t, err, ErrGenesis)
		require.ErrorContains(t, err, path)
		require.ErrorContains(t, err, field+" differs from the genesis")
	}

	require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(whole), "\n", "\n\n  ")), 0o600))
	v.start(t, settings)
	tx = v.payment(t, tx, 1_000)
	require.NoError(t, v.send(tx.Encode()))
	w.agree(t, 3)
}

package params_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/params"
	"obverse/core/rpc/recording"
)

type chainVector struct {
	Name, Args   string
	P2PPort      uint16 `json:"p2p_port"`
	RPCPort      uint16 `json:"rpc_port"`
	Magic        int32  `json:"magic_int32"`
	MessageStart string `json:"message_start_bytes"`
	Extra        string `json:"extra_hash_input"`
}

func TestVectorsChainParams(t *testing.T) {
	for i, dir := range append([]string{"testdata"}, recording.Places("OBVERSE_VECTORS")...) {
		content, err := os.ReadFile(filepath.Join(dir, "chainparams.json"))
		if i > 0 && os.IsNotExist(err) {
			continue
		}
		require.NoError(t, err)
		var vectors []chainVector
		require.NoError(t, json.Unmarshal(content, &vectors))
		require.NotEmpty(t, vectors)
		for _, v := range vectors {
			t.Run(v.Name, func(t *testing.T) {
				o := optionsOf(t, strings.Fields(v.Args))
				require.Equal(t, v.Extra, hex.EncodeToString(params.ExtraHashInput(o)))
				require.Equal(t, v.Magic, int32(params.Magic(o)))
				p2p, rpc := params.Ports(o)
				require.Equal(t, v.P2PPort, p2p)
				require.Equal(t, v.RPCPort, rpc)

				reread := params.Defaults()
				form, err := json.Marshal(o)
				require.NoError(t, err)
				require.NoError(t, json.Unmarshal(form, &reread))
				require.Equal(t, params.Magic(o), params.Magic(reread), "the canonical form keeps every option")

				if p, err := params.New(o); err == nil {
					require.Equal(t, v.MessageStart, hex.EncodeToString(p.MessageStart[:]))
				} else {
					require.ErrorIs(t, err, params.ErrNotEnforced)
				}
			})
		}
	}
}

const (
	key    = "0227fac751b9a096aa38a029a9a11db2f8a650e6caf2a30c6c37c43a48ccbd00cd"
	noKey  = "000000000000000000000000000000000000000000000000000000000000000000"
	noEra  = "0000000000000000000000000000000000000000000000000000000000000000"
	noBits = "0000000000000000"
)

// TestExtraHashInput compares the position of each option in the hashed bytes with komodo_args.
func TestExtraHashInput(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-ac_supply=5", ""},
		{"-ac_cc=2 -ac_staked=50", ""},
		{"-ac_sapling=1 -ac_ccactivate=20 -ac_ccactivateht=242,20", ""},
		{"-ac_perc=5", ""}, // has no recipient
		{"-ac_reward=0,5", ""},
		{"-ac_blocktime=60", ""},
		{"-ac_timelockgte=7 -ac_timeunlockfrom=9 -ac_timeunlockto=8", ""},
		{"-ac_ccenable=242", ""}, // ignored without ac_cc
		{"-ac_public=1", noKey + noEra + "8000000000000000"},
		{"-ac_private=1 -ac_txpow=3", noKey + noEra + "4300000000000000"},
		{"-ac_public=1 -ac_cc=2 -ac_staked=50", noKey + noEra + "8000000032020000"},
		{"-ac_pubkey=" + key, key + noEra + noBits},
		{"-ac_perc=5 -ac_pubkey=" + key, key + noEra + "0500000000000000"},
		{"-ac_script=51", noKey + noEra + noBits + "51"},
		{"-ac_end=1 -ac_reward=2 -ac_halving=3 -ac_decay=4",
			noKey + "0100000000000000" + "0200000000000000" + "0300000000000000" + "0400000000000000" + noBits},
		{"-ac_reward=2 -ac_notarypay=6", noKey + noBits + "0200000000000000" + noBits + noBits + "0600000000000000" + noBits},
		{"-ac_eras=2 -ac_reward=0,2",
			noKey + noEra + noBits + "0200000000000000" + noBits + noBits + "0100000000000000" + noBits},
		{"-ac_founders=1 -ac_pubkey=" + key, key + noEra + "8aa0350300000000" + "01"},
		{"-ac_founders=5 -ac_founders_reward=7 -ac_pubkey=" + key,
			key + noEra + noBits + "01" + "05000000" + "0700000000000000"},
		{"-ac_timelockgte=7 -ac_timeunlockfrom=8 -ac_timeunlockto=9",
			noKey + noEra + "0700000000000000" + "0800000000000000" + "0900000000000000" + noBits},
		{"-ac_algo=verushash", noKey + noEra + "01000000" + noBits},
		{"-ac_import=BEAM -ac_beam=9", noKey + noEra + noBits + "4245414d" + "62"},
		{"-ac_coda=9", noKey + noEra + noBits + "63"},
		{"-ac_cc=1 -ac_ccenable=242", noKey + noEra + "0000000000010000" +
			"fe" + strings.Repeat("ff", 29) + "fb" + "ff"},
		{"-ac_cc=1 -ac_cclib=abc", noKey + noEra + "0000000000010000" + "616263"},
		{"-ac_cc=1 -ac_cclib=a", noKey + noEra + "0000000000010000"},
		{"-ac_blocktime=150 -ac_mineropret=aabb -ac_nk=48,5 -ac_snapshot=1 -ac_earlytxidcontract=2 -ac_cbmaturity=3 -ac_adaptivepow=4",
			noKey + noEra + noBits + "96000000" + "aabb" + "3000000000000000" + "0500000000000000" +
				"01000000" + "02000000" + "03000000" + "04"},
	} {
		t.Run(c.args, func(t *testing.T) {
			o := optionsOf(t, append(strings.Fields(c.args), "-ac_name=X"))
			require.Equal(t, c.want, hex.EncodeToString(params.ExtraHashInput(o)))
		})
	}
}

// TestMagicInThePremine compares recorded premines, whose value includes the low bits of the
// magic.
func TestMagicInThePremine(t *testing.T) {
	for args, want := range map[string]int64{
		"-ac_name=TOKTEST -ac_supply=100000 -ac_reward=100000000 -ac_cc=2":             10000011918314,
		"-ac_name=TOKTEST -ac_supply=100000 -ac_reward=100000000 -ac_cc=2 -ac_nk=48,5": 10000004069655,
	} {
		p, err := params.New(optionsOf(t, strings.Fields(args)))
		require.NoError(t, err)
		require.Equal(t, want, p.BlockOneValue())
	}
}

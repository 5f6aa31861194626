package params_test

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/params"
	"obverse/core/chain/wire"
)

// keyHash is RIPEMD160(SHA256(key)): the recorded address RXx5QDrPH1QrrTs8coDU4xmfpRErk37p5i.
const keyHash = "f8ad6a69b9f3d2e8fce82acb2bfa93dfd9750ce0"

func script(t testing.TB, s string) []byte {
	b, err := hex.DecodeString(s)
	require.NoError(t, err)
	return b
}

// outputs are the outputs of one transaction.
func outputs(outs ...wire.TxOut) *wire.Tx { return &wire.Tx{Outputs: outs} }

func TestCommission(t *testing.T) {
	const perc = "-ac_reward=100000000 -ac_perc=5000000 -ac_script=51"
	for _, c := range []struct {
		name, args string
		height     int
		txs        []*wire.Tx
		want       int64
	}{
		{"a share of output 0", perc, 2, []*wire.Tx{outputs(wire.TxOut{Value: 1e8})}, 5000000},
		{"output 1 of the coinbase is left out", perc, 2,
			[]*wire.Tx{outputs(wire.TxOut{Value: 1e8}, wire.TxOut{Value: 7e8}, wire.TxOut{Value: 1e8})}, 10000000},
		{"output 1 of others counts", perc, 2,
			[]*wire.Tx{outputs(wire.TxOut{Value: 1e8}), outputs(wire.TxOut{Value: 1e8}, wire.TxOut{Value: 1e8})}, 15000000},
		{"rounded twice", perc, 2, []*wire.Tx{outputs(wire.TxOut{Value: 123459999})}, 6172500},
		{"too little", perc, 2, []*wire.Tx{outputs(wire.TxOut{Value: 199999})}, 0},
		{"just enough", perc, 2, []*wire.Tx{outputs(wire.TxOut{Value: 200000})}, 10000},
		{"at most of a million coins", perc, 2, []*wire.Tx{
			outputs(wire.TxOut{Value: 1e14}), outputs(wire.TxOut{Value: 1e14}), outputs(wire.TxOut{Value: 1}),
		}, 5e12},
		{"none in block 1", perc, 1, []*wire.Tx{outputs(wire.TxOut{Value: 1e8})}, 0},
		{"none without a share", "-ac_script=51", 2, []*wire.Tx{outputs(wire.TxOut{Value: 1e8})}, 0},
		{"founders, 35 % of the whole", "-ac_reward=100000000 -ac_founders=1 -ac_script=51", 2, nil, 53846154},
		{"founders with a share", "-ac_reward=100000000 -ac_founders=1 -ac_perc=10000000 -ac_script=51", 2, nil, 10000000},
		{"founders, not in every block", "-ac_reward=100000000 -ac_founders=5 -ac_script=51", 14, nil, 0},
		{"founders, for five blocks", "-ac_reward=100000000 -ac_founders=5 -ac_script=51", 15, nil, 5 * 53846154},
		{"founders, a fixed reward", "-ac_reward=1 -ac_founders=5 -ac_founders_reward=20000 -ac_script=51", 15, nil, 20000},
		{"founders, a fixed reward between", "-ac_reward=1 -ac_founders=5 -ac_founders_reward=20000 -ac_script=51", 16, nil, 0},
		{"founders, too little", "-ac_reward=1 -ac_founders=5 -ac_founders_reward=9999 -ac_script=51", 15, nil, 0},
		{"founders in block 1", "-ac_reward=100000000 -ac_founders=1 -ac_script=51", 1, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, chain(t, c.args).Commission(c.height, c.txs))
		})
	}
}

func TestCommissionScript(t *testing.T) {
	require.Nil(t, chain(t, "").CommissionScript())
	require.Equal(t, script(t, "51"), chain(t, "-ac_script=51").CommissionScript())
	require.Equal(t, script(t, "51"), chain(t, "-ac_script=51 -ac_pubkey="+key).CommissionScript())
	require.Equal(t, script(t, "21"+key+"ac"), chain(t, "-ac_pubkey="+key).CommissionScript())
	require.False(t, chain(t, "-ac_pubkey="+key).PaysCommission())
	require.True(t, chain(t, "-ac_perc=1 -ac_pubkey="+key).PaysCommission())
	require.True(t, chain(t, "-ac_founders=2 -ac_founders_reward=1 -ac_pubkey="+key).PaysCommission())
}

func TestCheckCoinbase(t *testing.T) {
	const toKey = "-ac_sapling=1000 -ac_reward=100000000 -ac_perc=5000000 -ac_pubkey=" + key
	const toScript = "-ac_sapling=1000 -ac_reward=100000000 -ac_perc=5000000 -ac_script=51"
	const plain, legacy = "-ac_sapling=1 -ac_reward=100000000", "-ac_sapling=1000 -ac_reward=100000000"
	miner := func(value int64) wire.TxOut { return wire.TxOut{Value: value, Script: []byte{0x52}} }
	pays := func(value int64, hex string) wire.TxOut { return wire.TxOut{Value: value, Script: script(t, hex)} }
	data := wire.TxOut{Script: []byte{0x6a, 0x01, 0x05}}
	p2pk, p2pkh := "21"+key+"ac", "76a914"+keyHash+"88ac"
	for _, c := range []struct {
		name, args string
		height     int
		coinbase   []wire.TxOut
		want       error
	}{
		{"premine to the key", toKey, 1, []wire.TxOut{pays(1, p2pk)}, nil},
		{"premine to the key's hash", toKey, 1, []wire.TxOut{pays(1, p2pkh)}, params.ErrPremine},
		{"premine to the miner", toKey, 1, []wire.TxOut{miner(1)}, params.ErrPremine},
		{"premine to the script", toScript, 1, []wire.TxOut{pays(1, "51")}, nil},
		{"premine to another script", toScript, 1, []wire.TxOut{pays(1, "5151")}, params.ErrPremine},
		{"premine of a chain without a share", "-ac_pubkey=" + key, 1, []wire.TxOut{miner(1)}, nil},

		{"commission to the key", toKey, 2, []wire.TxOut{miner(1e8), pays(5e6, p2pk)}, nil},
		{"commission to the key's hash", toKey, 2, []wire.TxOut{miner(1e8), pays(5e6, p2pkh)}, nil},
		{"commission to the script", toScript, 2, []wire.TxOut{miner(1e8), pays(5e6, "51")}, nil},
		{"commission missing", toKey, 2, []wire.TxOut{miner(1e8)}, params.ErrCommission},
		{"commission to the miner", toKey, 2, []wire.TxOut{miner(1e8), miner(5e6)}, params.ErrCommission},
		{"commission to a hash instead of the script", toScript, 2, []wire.TxOut{miner(1e8), pays(5e6, p2pkh)}, params.ErrCommission},
		{"commission to the key instead of the script", toScript + " -ac_pubkey=" + key, 2,
			[]wire.TxOut{miner(1e8), pays(5e6, p2pkh)}, params.ErrCommission},
		{"commission too low", toKey, 2, []wire.TxOut{miner(1e8), pays(5e6-1, p2pk)}, params.ErrCommission},
		{"commission too high", toKey, 2, []wire.TxOut{miner(1e8), pays(5e6+1, p2pk)}, params.ErrCommission},
		{"commission and data", toKey, 2, []wire.TxOut{miner(1e8), pays(5e6, p2pk), data}, nil},
		{"commission and more", toKey, 2, []wire.TxOut{miner(1e8 - 5000), pays(5e6, p2pk), miner(5000)}, params.ErrCoinbaseMore},
		{"nothing due, a share of the subsidy", toKey, 2, []wire.TxOut{miner(1), miner(100)}, nil},

		{"one output", plain, 2, []wire.TxOut{miner(1e8)}, nil},
		{"one output with fees", plain, 2, []wire.TxOut{miner(1e8 + 7)}, nil},
		{"the subsidy in two", plain, 2, []wire.TxOut{miner(4e7), miner(6e7)}, nil},
		{"more than the subsidy in two", plain, 2, []wire.TxOut{miner(4e7), miner(6e7 + 1)}, params.ErrCoinbaseMore},
		{"output 0 above the subsidy lifts the bound", plain, 2, []wire.TxOut{miner(1e8 + 1), miner(5000)}, nil},
		{"output 1 may be dust", plain, 2, []wire.TxOut{miner(1), miner(4999)}, nil},
		{"output 2 is dust", plain, 2, []wire.TxOut{miner(1), miner(1), miner(4999)}, params.ErrCoinbaseDust},
		{"output 2 is enough", plain, 2, []wire.TxOut{miner(1), miner(1), miner(5000)}, nil},
		{"output 2 is empty", plain, 2, []wire.TxOut{miner(1), miner(1), {}}, params.ErrCoinbaseDust},
		{"output 2 is data", plain, 2, []wire.TxOut{miner(1), miner(1), data}, nil},
		{"a negative output", plain, 2, []wire.TxOut{miner(1), miner(-1)}, params.ErrCoinbaseMore},
		{"an output over MAX_MONEY", plain, 2, []wire.TxOut{miner(1e8 + 1), miner(1 << 62)}, params.ErrCoinbaseMore},
		{"an output of MAX_MONEY", plain, 2, []wire.TxOut{miner(1e8 + 1), miner(1000006004665246)}, params.ErrCoinbaseMore},
		{"a sum over MAX_MONEY", plain, 2, []wire.TxOut{miner(1e8 + 1), miner(9e14), miner(9e14)}, params.ErrCoinbaseMore},
		{"before Sapling nothing is bound", legacy, 2, []wire.TxOut{miner(1e8), miner(1e8), miner(1)}, nil},
		{"block 1 neither", plain, 1, []wire.TxOut{miner(1e8), miner(1e8), miner(1)}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := chain(t, c.args).CheckCoinbase(c.height, []*wire.Tx{outputs(c.coinbase...)})
			if c.want == nil {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, c.want)
			}
		})
	}
}

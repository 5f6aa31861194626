package params_test

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/params"
	"obverse/core/chain/wire"
)

func TestSubsidy(t *testing.T) {
	const falling = "-ac_reward=1000 -ac_end=100 -ac_halving=10 -ac_decay=100000000"
	const fallingTo400 = "-ac_eras=2 -ac_reward=1000,400 -ac_end=100,0 -ac_halving=10,0 -ac_decay=100000000,0"
	const rising = "-ac_eras=2 -ac_reward=0,384 -ac_end=1440,0 -ac_halving=1,0 -ac_decay=100000000,0"
	for _, c := range []struct {
		name, args string
		height     int
		want       int64
	}{
		{"neither reward nor end", "", 2, 10000},
		{"an end alone", "-ac_end=5", 2, 0},
		{"a reward", "-ac_reward=300", 1_000_000, 300},
		{"before the end", "-ac_reward=300 -ac_end=30", 29, 300},
		{"at the end", "-ac_reward=300 -ac_end=30", 30, 0},
		{"before a halving", "-ac_reward=301 -ac_halving=20", 19, 301},
		{"a halving", "-ac_reward=301 -ac_halving=20", 20, 150},
		{"64 halvings", "-ac_reward=301 -ac_halving=20", 64 * 20, 0},
		{"decay", "-ac_reward=1000 -ac_halving=20 -ac_decay=33333333", 20, 333},
		{"decay rounds at each step", "-ac_reward=1000 -ac_halving=20 -ac_decay=33333333", 40, 110},
		{"decay without halving", "-ac_reward=1000 -ac_decay=50000000", 1000, 1000},
		{"full decay without end", "-ac_reward=1000 -ac_halving=20 -ac_decay=100000000", 1 << 30, 1000},
		{"full decay without halving", "-ac_reward=1000 -ac_end=50 -ac_decay=100000000", 49, 1000},
		{"linear, first step", falling, 9, 1000},
		{"linear, second step", falling, 10, 900},
		{"linear, same step", falling, 19, 900},
		{"linear, last step", falling, 99, 100},
		{"linear, over", falling, 100, 0},
		{"linear to the next era", fallingTo400, 50, 700},
		{"the next era", fallingTo400, 100, 400},
		{"rising to the next era", rising, 720, 192},
		{"rising, rounded down", rising, 1439, 383},
		{"an era counts halvings from its start", "-ac_eras=2 -ac_reward=5,80 -ac_end=30,0 -ac_halving=0,10", 49, 40},
		{"all eras over", "-ac_eras=2 -ac_reward=5,80 -ac_end=30,40", 40, 0},
		{"an era without reward", "-ac_eras=2 -ac_reward=0,80 -ac_end=30,0", 29, 0},
		{"the last value of a list goes on", "-ac_eras=3 -ac_reward=5,80 -ac_end=30,40,50", 45, 80},
		{"two rewards in one era", "-ac_reward=5,80", 1000, 5},
		{"a first era without end lasts", "-ac_eras=2 -ac_reward=5,80 -ac_end=0,40", 39, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, chain(t, c.args).Subsidy(c.height))
		})
	}
}

func TestPremine(t *testing.T) {
	for _, c := range []struct {
		name, args string
		height     int
		coins      int64 // premine of the block
		reward     int64 // reward of the block without the premine
		marked     bool  // whether it includes the low bits of the magic
	}{
		{"the single era's reward is left out", "-ac_supply=5 -ac_reward=7", 1, 5, 0, true},
		{"with eras it is there", "-ac_supply=5 -ac_eras=2 -ac_reward=7,8 -ac_end=9,0", 1, 5, 7, true},
		{"no supply", "-ac_supply=0", 1, 0, 0, true},
		{"the most for one block", "-ac_supply=10000000000", 1, 10_000_000_000, 0, true},
		{"after it", "-ac_supply=10000000000", 2, 0, 10000, false},
		{"spread, first", "-ac_supply=25000000007", 1, 1_000_000_007, 10000, true},
		{"spread, second", "-ac_supply=25000000007", 2, 1_000_000_000, 10000, false},
		{"spread, last", "-ac_supply=25000000007", 25, 1_000_000_000, 10000, false},
		{"spread, over", "-ac_supply=25000000007", 26, 0, 10000, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := chain(t, c.args)
			want := c.coins*1e8 + c.reward
			if c.marked {
				want += int64(p.Magic & 0xffffff)
			}
			require.Equal(t, want, p.Subsidy(c.height))
			if c.height == 1 {
				require.Equal(t, want, p.BlockOneValue())
			}
		})
	}
}

// TestMaxMoney uses values from a separate program with komodod's integer types.
// TestKomododStartOutput compares seven more values with recordings.
func TestMaxMoney(t *testing.T) {
	for _, c := range []struct {
		args string
		want int64
	}{
		{"-ac_supply=1000", 106320417438},
		{"-ac_supply=1000 -ac_reward=100000000 -ac_end=1000 -ac_halving=10 -ac_decay=100000000", 155604665246},
		{"-ac_supply=1000 -ac_reward=100000000 -ac_halving=3000000 -ac_decay=100000000", 600105108665246},
		{"-ac_supply=1000 -ac_eras=3 -ac_reward=0,38400000000,2400000000 -ac_end=1440,260640,0 -ac_halving=1,1440,2103840 -ac_decay=100000000,97750000,0", 12298979386960126},
		{"-ac_supply=5 -ac_eras=2 -ac_reward=100,384000 -ac_end=1444,0 -ac_halving=7,0 -ac_decay=100000000,0", 3845880149024},
		{"-ac_supply=5 -ac_eras=2 -ac_reward=384000,100 -ac_end=1444,0 -ac_halving=7,0 -ac_decay=100000000,0", 6883011554},
		{"-ac_supply=5 -ac_eras=2 -ac_reward=5,7 -ac_end=5,0 -ac_halving=7,0 -ac_decay=100000000,0", 9223372036854775807},
		{"-ac_supply=5 -ac_eras=3 -ac_reward=100000000,200000000,0 -ac_end=100,0,0", 3000005304665246},
		{"-ac_supply=5 -ac_eras=2 -ac_reward=100000000,200000000 -ac_end=10000000,0", 1000005504665246},
		{"-ac_supply=5 -ac_reward=100000007 -ac_end=12345 -ac_halving=1000 -ac_decay=33333333", 155604593636},
		{"-ac_supply=90000000000", 9000000006320417438},
		{"-ac_supply=90000000000 -ac_reward=1000000000000", 553254931395113630},
		{"-ac_supply=10000000000 -ac_reward=100000000 -ac_perc=100000000 -ac_script=51", 2002000010004665246},
		{"-ac_supply=10000000000 -ac_reward=10000000000 -ac_perc=100000000 -ac_script=51", 2199999990204665246},
		{"-ac_supply=10000000000 -ac_reward=500000000000 -ac_perc=100000000 -ac_script=51", 9223372036854775807},
		{"-ac_supply=10000000000 -ac_reward=1000000000000 -ac_perc=100000000 -ac_script=51", 9223372036854775807},
		{"-ac_supply=1000 -ac_founders=1 -ac_script=51", 163558879140},
		{"-ac_supply=1000 -ac_cc=99", 106320417438},
		{"-ac_supply=1000 -ac_cc=100", 100000000000000},
	} {
		t.Run(c.args, func(t *testing.T) { require.Equal(t, c.want, chain(t, c.args).MaxMoney) })
	}
}

// keyHash is RIPEMD160(SHA256(key)). Its recorded address is
// RXx5QDrPH1QrrTs8coDU4xmfpRErk37p5i.
const keyHash = "f8ad6a69b9f3d2e8fce82acb2bfa93dfd9750ce0"

func script(t testing.TB, s string) []byte {
	b, err := hex.DecodeString(s)
	require.NoError(t, err)
	return b
}

// outputs returns a transaction with the given outputs.
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

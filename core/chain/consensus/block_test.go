package consensus

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

const medianTime = 1_800_000_000

// newBlock returns a valid block at height 20: a coinbase and two transactions.
func newBlock() *wire.Block {
	second := newTx()
	second.LockTime = 5
	b := &wire.Block{
		Header: wire.Header{Version: 4, Time: medianTime + 1, SaplingRoot: EmptySaplingRoot},
		Txs:    []*wire.Tx{newCoinbase(20), newTx(), second},
	}
	seal(b)
	return b
}

func seal(b *wire.Block) { b.MerkleRoot, _ = wire.MerkleRoot(idsOf(b)) }

func checkBlock(b *wire.Block, size int, height int, p *params.Params) error {
	var spans []wire.Span
	for _, tx := range b.Txs {
		spans = append(spans, wire.Span{Size: uint32(len(tx.Encode()))})
	}
	whole := &Block{Block: b, Raw: make([]byte, size), IDs: idsOf(b), Spans: spans}
	return CheckBlock(whole, Place{Height: height, MedianTime: medianTime}, p)
}

func TestCheckBlock(t *testing.T) {
	p := newParams(t)
	sealed := func(edit func(b *wire.Block)) func(*wire.Block) {
		return func(b *wire.Block) { edit(b); seal(b) }
	}
	checks := func(n int) []byte { return bytes.Repeat([]byte{script.OpCheckSig}, n) }
	for _, test := range []struct {
		name string
		edit func(b *wire.Block)
		want error
	}{
		{"valid", func(*wire.Block) {}, nil},
		{"later version", func(b *wire.Block) { b.Version = 5 }, nil},
		{"coinbase alone", sealed(func(b *wire.Block) { b.Txs = b.Txs[:1] }), nil},
		{"final at just this time", sealed(func(b *wire.Block) {
			b.Txs[1].LockTime, b.Txs[1].Inputs[0].Sequence = b.Time, 0xfffffffe
		}), nil},
		{"all signature operations", sealed(func(b *wire.Block) {
			for range 6 {
				b.Txs[1].Outputs = append(b.Txs[1].Outputs, wire.TxOut{Script: checks(10_000)})
			}
		}), nil},

		{"empty", func(b *wire.Block) { b.Txs = nil }, ErrBlockLength},
		{"version 3", func(b *wire.Block) { b.Version = 3 }, ErrBlockVersion},
		{"time of the median", func(b *wire.Block) { b.Time = medianTime }, ErrTimeTooOld},
		{"no coinbase", sealed(func(b *wire.Block) { b.Txs = b.Txs[1:] }), ErrNoCoinbase},
		{"coinbase not first", sealed(func(b *wire.Block) { b.Txs[0], b.Txs[1] = b.Txs[1], b.Txs[0] }), ErrNoCoinbase},
		{"two coinbases", sealed(func(b *wire.Block) { b.Txs[2] = newCoinbase(21) }), ErrManyCoinbases},
		{"other Sapling root", func(b *wire.Block) { b.SaplingRoot[0]++ }, ErrSaplingRoot},
		{"other merkle root", func(b *wire.Block) { b.MerkleRoot[0]++ }, ErrMerkleRoot},
		{"transaction left out", func(b *wire.Block) { b.Txs = b.Txs[:2] }, ErrMerkleRoot},
		{"transaction changed", func(b *wire.Block) { b.Txs[2].LockTime++ }, ErrMerkleRoot},
		{"last transaction repeated", func(b *wire.Block) { b.Txs = append(b.Txs, b.Txs[2]) }, ErrRepeatedTxs},
		{"height of another block", sealed(func(b *wire.Block) { b.Txs[0] = newCoinbase(21) }), ErrCoinbaseHeight},
		{"height in two bytes", sealed(func(b *wire.Block) {
			b.Txs[0].Inputs[0].ScriptSig = []byte{2, 20, 0}
		}), ErrCoinbaseHeight},
		{"bad coinbase", sealed(func(b *wire.Block) {
			b.Txs[0].Inputs[0].ScriptSig = append(HeightPush(20), make([]byte, 99)...)
		}), ErrCoinbaseLength},
		{"bad transaction", sealed(func(b *wire.Block) { b.Txs[2].Outputs[0].Value = -1 }), ErrValueNegative},
		{"transaction of another format", sealed(func(b *wire.Block) { b.Txs[1] = newLegacyTx() }), ErrOverwinterActive},
		{"coinbase of another format", sealed(func(b *wire.Block) {
			b.Txs[0].Overwintered, b.Txs[0].Version = false, 1
		}), ErrOverwinterActive},
		{"expired", sealed(func(b *wire.Block) { b.Txs[1].ExpiryHeight = 19 }), ErrExpired},
		{"not final by height", sealed(func(b *wire.Block) {
			b.Txs[1].LockTime, b.Txs[1].Inputs[1].Sequence = 21, 0
		}), ErrNonFinal},
		{"not final by time", sealed(func(b *wire.Block) {
			b.Txs[1].LockTime, b.Txs[1].Inputs[1].Sequence = b.Time+1, 0
		}), ErrNonFinal},
		{"a signature operation too many", sealed(func(b *wire.Block) {
			b.Txs[0].Inputs[0].ScriptSig = append(HeightPush(20), script.OpCheckSig)
			for range 6 {
				b.Txs[2].Outputs = append(b.Txs[2].Outputs, wire.TxOut{Script: checks(10_000)})
			}
		}), ErrBlockSigOps},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBlock()
			test.edit(b)
			require.ErrorIs(t, checkBlock(b, len(b.Encode()), 20, p), test.want)
		})
	}
}

func TestCheckBlockPlace(t *testing.T) {
	p, later := newParams(t), newParams(t, "-ac_sapling=21")
	require.ErrorIs(t, checkBlock(newBlock(), 1000, 21, p), ErrCoinbaseHeight)

	b := newBlock()
	for _, test := range []struct {
		name   string
		size   int
		params *params.Params
		want   error
	}{
		{"greatest with Sapling", 4 << 20, p, nil},
		{"over the greatest with Sapling", 4<<20 + 1, p, ErrBlockLength},
		{"greatest before Sapling", 2_000_000, later, ErrOverwinterNotActive},
		{"over the greatest before Sapling", 2_000_001, later, ErrBlockLength},
	} {
		require.ErrorIs(t, checkBlock(b, test.size, 20, test.params), test.want, test.name)
	}

	b.SaplingRoot = wire.Hash{} // ignored before Sapling
	b.Txs[0].Overwintered, b.Txs[0].Version = false, 1
	b.Txs = b.Txs[:1]
	seal(b)
	require.NoError(t, checkBlock(b, 1000, 20, later))
	require.ErrorIs(t, checkBlock(b, 1000, 20, p), ErrSaplingRoot)
}

func TestEmptySaplingRoot(t *testing.T) {
	require.Equal(t, "3e49b5f954aa9d3545bc6c37744661eea48d7c34e3000d82b7f0010c30f4c2fb", EmptySaplingRoot.String())
}

func TestHeightPush(t *testing.T) {
	for height, want := range map[int]string{
		1: "51", 16: "60", 17: "0111", 127: "017f", 128: "028000", 130: "028200", 32767: "02ff7f", 32768: "03008000",
	} {
		require.Equal(t, unhex(t, want), HeightPush(height), "height %d", height)
	}
}

func TestSigOps(t *testing.T) {
	tx := newTx()
	require.Zero(t, SigOps(tx))
	tx.Inputs[1].ScriptSig = []byte{script.OpCheckSig}
	tx.Outputs[0].Script = []byte{script.OpCheckSig, script.OpCheckSigVerify}
	tx.Outputs[1].Script = []byte{script.Op1, script.OpCheckMultiSig}
	require.Equal(t, 1+2+20, SigOps(tx))
}

func TestCheckCoinbase(t *testing.T) {
	const key = "0227fac751b9a096aa38a029a9a11db2f8a650e6caf2a30c6c37c43a48ccbd00cd"
	plain := newParams(t)
	commission := newParams(t, "-ac_perc=5000000", "-ac_pubkey="+key)
	extra := newParams(t, "-ac_name=DEX")
	toKey := script.PayToPubKey(unhex(t, key))
	type outputs []wire.TxOut
	pay := func(value int64, pkScript []byte) wire.TxOut { return wire.TxOut{Value: value, Script: pkScript} }
	// The commission is 5 % of the block's other payments: 100000000 satoshis and 900.
	const due = (100_000_000 + 900) / 10_000 * 5_000_000 / 10_000

	for _, test := range []struct {
		name    string
		params  *params.Params
		height  int
		fees    int64
		outputs outputs
		want    []error
	}{
		{"subsidy", plain, 2, 0, outputs{{Value: 100_000_000}}, nil},
		{"subsidy and fees", plain, 2, 77, outputs{{Value: 100_000_077}}, nil},
		{"less", plain, 2, 77, outputs{{Value: 1}}, nil},
		{"in two", plain, 2, 0, outputs{{Value: 90_000_000}, {Value: 10_000_000}}, nil},
		{"one satoshi more", plain, 2, 77, outputs{{Value: 100_000_078}}, []error{ErrCoinbaseAmount}},
		{"one satoshi more in two", plain, 2, 0, outputs{{Value: 99_999_999}, {Value: 2}}, []error{ErrCoinbaseAmount}},
		{"one satoshi more where the name allows it", extra, 2, 77, outputs{{Value: 100_000_078}}, nil},
		{"two satoshis more", extra, 2, 77, outputs{{Value: 100_000_079}}, []error{ErrCoinbaseAmount}},
		{"a satoshi more than that premine", extra, 1, 0, outputs{{Value: extra.BlockOneValue() + 1}}, []error{ErrCoinbaseAmount}},
		{"dust in the third output", plain, 2, 0, outputs{{Value: 1}, {Value: 1}, {Value: 4999}},
			[]error{ErrCoinbasePayments, params.ErrCoinbaseDust}},

		{"premine", plain, 1, 0, outputs{{Value: plain.BlockOneValue()}}, nil},
		{"less than the premine", plain, 1, 0, outputs{{Value: plain.BlockOneValue() - 1}}, []error{ErrCoinbaseAmount}},
		{"more than the premine", plain, 1, 0, outputs{{Value: plain.BlockOneValue() + 1}}, []error{ErrCoinbaseAmount}},
		{"premine to another", commission, 1, 0, outputs{{Value: commission.BlockOneValue()}},
			[]error{ErrCoinbasePayments, params.ErrPremine}},
		{"premine to the key", commission, 1, 0, outputs{pay(commission.BlockOneValue(), toKey)}, nil},

		{"commission", commission, 2, 0, outputs{{Value: 100_000_000}, pay(due, toKey)}, nil},
		{"no commission", commission, 2, 0, outputs{{Value: 100_000_000}}, []error{ErrCoinbasePayments, params.ErrCommission}},
		{"less commission", commission, 2, 0, outputs{{Value: 100_000_000}, pay(due-1, toKey)},
			[]error{ErrCoinbasePayments, params.ErrCommission}},
		{"more commission", commission, 2, 0, outputs{{Value: 100_000_000}, pay(due+1, toKey)}, []error{ErrCoinbaseAmount}},
		{"commission to another", commission, 2, 0, outputs{{Value: 100_000_000}, pay(due, []byte{script.Op1})},
			[]error{ErrCoinbasePayments, params.ErrCommission}},
		{"fees and commission", commission, 2, 1000, outputs{{Value: 100_001_000}, pay(due, toKey)}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBlock()
			b.Txs = b.Txs[:2]
			b.Txs[0].Outputs = test.outputs
			err := CheckCoinbase(b, test.height, test.fees, test.params)
			if test.want == nil {
				require.NoError(t, err)
			}
			for _, want := range test.want {
				require.ErrorIs(t, err, want)
			}
			if len(test.want) == 2 {
				require.True(t, strings.HasPrefix(err.Error(), "16: bad-cb-payments: "), err)
			}
		})
	}
}

func TestSpentSigOps(t *testing.T) {
	redeem := []byte{script.OpCheckSig, script.OpCheckSig, script.Op1 + 1, script.OpCheckMultiSig}
	scriptSig := script.PushData(redeem)
	tx := &wire.Tx{Inputs: []wire.TxIn{{ScriptSig: scriptSig}, {ScriptSig: scriptSig}}}
	hashed := script.PayToScriptHash(script.Hash160(redeem))
	plain := script.PayToPubKey(make([]byte, token.KeySize))
	coin := func(pkScript []byte) Coin { return Coin{Coin: token.Coin{Script: pkScript}} }
	require.Equal(t, 8, SpentSigOps(tx, []Coin{coin(hashed), coin(hashed)}))
	require.Equal(t, 4, SpentSigOps(tx, []Coin{coin(plain), coin(hashed)}), "only script hashes run a redeem script")
	require.Zero(t, SpentSigOps(tx, nil), "a coinbase spends nothing")
}

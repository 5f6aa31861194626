package consensus

import (
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/script"
	"obverse/core/chain/wire"
)

func outPoint(n byte) wire.OutPoint {
	return wire.OutPoint{Hash: wire.HashOf([]byte{n}), Index: uint32(n)}
}

// newTx is a Sapling transaction in order, for heights up to 300.
func newTx() *wire.Tx {
	return &wire.Tx{
		Overwintered: true, Version: wire.SaplingVersion, VersionGroupID: wire.SaplingGroupID, ExpiryHeight: 300,
		Inputs: []wire.TxIn{
			{PrevOut: outPoint(1), ScriptSig: []byte{script.Op1}, Sequence: 0xffffffff},
			{PrevOut: outPoint(2), ScriptSig: []byte{script.Op1}, Sequence: 0xffffffff},
		},
		Outputs: []wire.TxOut{{Value: 700, Script: []byte{script.Op1}}, {Value: 200, Script: []byte{script.Op1}}},
	}
}

// newLegacyTx is one of before Overwinter.
func newLegacyTx() *wire.Tx {
	tx := newTx()
	tx.Overwintered, tx.Version, tx.VersionGroupID, tx.ExpiryHeight = false, 1, 0, 0
	return tx
}

func newCoinbase(height int) *wire.Tx {
	tx := newTx()
	tx.ExpiryHeight = 0
	tx.Inputs = []wire.TxIn{{
		PrevOut: wire.OutPoint{Index: wire.NullIndex}, ScriptSig: append(HeightPush(height), script.Op1, script.Op1), Sequence: 0xffffffff,
	}}
	return tx
}

func TestCheckTx(t *testing.T) {
	p := newParams(t)
	const inTheTx = -1 // its own size
	for _, test := range []struct {
		name string
		tx   *wire.Tx
		size int
		edit func(tx *wire.Tx)
		want error
	}{
		{"valid", newTx(), inTheTx, func(*wire.Tx) {}, nil},
		{"legacy", newLegacyTx(), inTheTx, func(*wire.Tx) {}, nil},
		{"legacy of a high version", newLegacyTx(), inTheTx, func(tx *wire.Tx) { tx.Version = 1<<31 - 1 }, nil},
		{"coinbase", newCoinbase(20), inTheTx, func(*wire.Tx) {}, nil},
		{"no value", newTx(), inTheTx, func(tx *wire.Tx) { tx.Outputs[0].Value = 0 }, nil},
		{"all the money", newTx(), inTheTx, func(tx *wire.Tx) { tx.Outputs[0].Value = p.MaxMoney - 200 }, nil},
		{"greatest size", newTx(), 200_000, func(*wire.Tx) {}, nil},
		{"greatest script", newTx(), inTheTx, func(tx *wire.Tx) { tx.Outputs[1].Script = make([]byte, 10_001) }, nil},
		{"greatest expiry height", newTx(), inTheTx, func(tx *wire.Tx) { tx.ExpiryHeight = 499_999_999 }, nil},
		{"two outputs of one transaction", newTx(), inTheTx, func(tx *wire.Tx) {
			tx.Inputs[1].PrevOut.Hash = tx.Inputs[0].PrevOut.Hash
		}, nil},
		{"zero hash is not null by itself", newTx(), inTheTx, func(tx *wire.Tx) { tx.Inputs[1].PrevOut.Hash = wire.Hash{} }, nil},

		{"legacy version 0", newLegacyTx(), inTheTx, func(tx *wire.Tx) { tx.Version = 0 }, ErrVersionTooLow},
		{"expiry height too high", newTx(), inTheTx, func(tx *wire.Tx) { tx.ExpiryHeight = 500_000_000 }, ErrExpiryTooHigh},
		{"no inputs", newTx(), inTheTx, func(tx *wire.Tx) { tx.Inputs = nil }, ErrNoInputs},
		{"no outputs", newTx(), inTheTx, func(tx *wire.Tx) { tx.Outputs = nil }, ErrNoOutputs},
		{"over the greatest size", newTx(), 200_001, func(*wire.Tx) {}, ErrOversize},
		{"joinsplit", newLegacyTx(), inTheTx, func(tx *wire.Tx) {
			tx.Version, tx.JoinSplits = 2, make([]wire.JoinSplit, 1)
		}, ErrShielded},
		{"shielded output", newTx(), inTheTx, func(tx *wire.Tx) {
			tx.ShieldedOutputs = make([]wire.OutputDescription, 1)
		}, ErrShielded},
		{"shielded spend alone", newTx(), inTheTx, func(tx *wire.Tx) {
			tx.Inputs, tx.Spends = nil, make([]wire.SpendDescription, 1)
		}, ErrShielded},
		{"value balance alone", newTx(), inTheTx, func(tx *wire.Tx) { tx.ValueBalance = 1 }, ErrShielded},
		{"negative value", newTx(), inTheTx, func(tx *wire.Tx) { tx.Outputs[1].Value = -1 }, ErrValueNegative},
		{"value above all money", newTx(), inTheTx, func(tx *wire.Tx) { tx.Outputs[0].Value = p.MaxMoney + 1 }, ErrValueTooLarge},
		{"greatest value of all", newTx(), inTheTx, func(tx *wire.Tx) { tx.Outputs[0].Value = 1<<63 - 1 }, ErrValueTooLarge},
		{"total above all money", newTx(), inTheTx, func(tx *wire.Tx) { tx.Outputs[0].Value = p.MaxMoney - 199 }, ErrTotalTooLarge},
		{"script too big", newTx(), inTheTx, func(tx *wire.Tx) { tx.Outputs[1].Script = make([]byte, 10_002) }, ErrScriptTooBig},
		{"input twice", newTx(), inTheTx, func(tx *wire.Tx) { tx.Inputs[1].PrevOut = tx.Inputs[0].PrevOut }, ErrDuplicateInputs},
		{"null input among others", newTx(), inTheTx, func(tx *wire.Tx) {
			tx.Inputs[1].PrevOut = wire.OutPoint{Index: wire.NullIndex}
		}, ErrNullPrevout},
		{"coinbase with one byte", newCoinbase(20), inTheTx, func(tx *wire.Tx) {
			tx.Inputs[0].ScriptSig = make([]byte, 1)
		}, ErrCoinbaseLength},
		{"coinbase with 101 bytes", newCoinbase(20), inTheTx, func(tx *wire.Tx) {
			tx.Inputs[0].ScriptSig = make([]byte, 101)
		}, ErrCoinbaseLength},
		{"coin import", newTx(), inTheTx, func(tx *wire.Tx) {
			tx.Inputs = tx.Inputs[:1]
			tx.Inputs[0].PrevOut.Index = wire.CoinImportIdx
		}, ErrCoinImport},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.edit(test.tx)
			if test.size == inTheTx {
				test.size = len(test.tx.Encode())
			}
			require.ErrorIs(t, CheckTx(test.tx, test.size, p), test.want)
		})
	}
}

func TestCheckTxAt(t *testing.T) {
	p := newParams(t, "-ac_overwinter=20", "-ac_sapling=40")
	overwinter := func(tx *wire.Tx) {
		tx.Version, tx.VersionGroupID = wire.OverwinterVersion, wire.OverwinterGroupID
	}
	valid := func(*wire.Tx) {}
	legacy := func(version uint32) func(*wire.Tx) {
		return func(tx *wire.Tx) { *tx = *newLegacyTx(); tx.Version = version }
	}
	for _, test := range []struct {
		name   string
		height int
		edit   func(tx *wire.Tx)
		size   int
		want   error
	}{
		{"legacy", 19, legacy(1), 250, nil},
		{"legacy version 9", 19, legacy(9), 250, nil},
		{"v3 too early", 19, overwinter, 250, ErrOverwinterNotActive},
		{"v4 too early", 19, valid, 250, ErrOverwinterNotActive},
		{"legacy size", 19, legacy(1), 100_000, nil},
		{"legacy too large", 19, legacy(1), 100_001, ErrOversize},

		{"v3", 20, overwinter, 250, nil},
		{"v3, last height", 39, overwinter, 250, nil},
		{"legacy too late", 20, legacy(1), 250, ErrOverwinterActive},
		{"legacy version 2 too late", 39, legacy(2), 250, ErrOverwinterActive},
		{"legacy version 3 with Overwinter", 20, legacy(3), 250, ErrOverwinterFlagNotSet},
		{"v4 with Overwinter", 39, valid, 250, ErrOverwinterGroup},
		{"v3 too large", 39, overwinter, 100_001, ErrOversize},
		{"v3 expired", 39, func(tx *wire.Tx) { overwinter(tx); tx.ExpiryHeight = 38 }, 250, ErrExpired},

		{"v4", 40, valid, 250, nil},
		{"v4 much later", 300, valid, 250, nil},
		{"v4 size", 40, valid, 200_000, nil},
		{"v4 too large", 40, valid, 200_001, ErrOversize},
		{"v3 too late", 40, overwinter, 250, ErrSaplingGroup},
		{"legacy with Sapling", 40, legacy(1), 250, ErrOverwinterActive},
		{"legacy version 3 with Sapling", 40, legacy(3), 250, ErrOverwinterActive},
		{"legacy version 4 with Sapling", 40, legacy(4), 250, ErrSaplingFlagNotSet},
		{"expired", 301, valid, 250, ErrExpired},
		{"without expiry", 1 << 30, func(tx *wire.Tx) { tx.ExpiryHeight = 0 }, 250, nil},
		{"coinbases do not expire", 50, func(tx *wire.Tx) { *tx = *newCoinbase(50); tx.ExpiryHeight = 49 }, 250, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			tx := newTx()
			test.edit(tx)
			require.ErrorIs(t, CheckTxAt(tx, test.size, test.height, p), test.want)
		})
	}
}

func TestIsExpired(t *testing.T) {
	for _, test := range []struct {
		expiry uint32
		height int
		want   bool
	}{
		{0, 1 << 30, false}, {10, 9, false}, {10, 10, false}, {10, 11, true}, {499_999_999, 499_999_999, false},
	} {
		require.Equal(t, test.want, IsExpired(&wire.Tx{ExpiryHeight: test.expiry}, test.height), "%+v", test)
	}
}

func TestIsFinal(t *testing.T) {
	const height, time = 100, 1_800_000_000
	const final, almost, early = 0xffffffff, 0xfffffffe, 0xfffffffd
	for _, test := range []struct {
		name      string
		lockTime  uint32
		sequences []uint32
		want      bool
	}{
		{"no lock time", 0, []uint32{0}, true},
		{"height before", 99, []uint32{0}, true},
		{"this height", 100, []uint32{early}, false},
		{"this height, final", 100, []uint32{final}, true},
		{"this height, almost final", 100, []uint32{almost, final}, true},
		{"this height, one not", 100, []uint32{almost, early}, false},
		{"next height", 101, []uint32{almost}, false},
		{"next height, final", 101, []uint32{final, final}, true},
		{"next height, one not", 101, []uint32{final, almost}, false},
		{"greatest height", lockTimeThreshold - 1, []uint32{almost}, false},
		{"least time", lockTimeThreshold, []uint32{0}, true},
		{"time before", time - 1, []uint32{0}, true},
		{"this time", time, []uint32{early}, false},
		{"this time, almost final", time, []uint32{almost}, true},
		{"this time, final", time, []uint32{final}, true},
		{"time after", time + 1, []uint32{almost}, false},
		{"greatest time", 0xffffffff, []uint32{final}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			tx := &wire.Tx{LockTime: test.lockTime}
			for _, sequence := range test.sequences {
				tx.Inputs = append(tx.Inputs, wire.TxIn{Sequence: sequence})
			}
			require.Equal(t, test.want, IsFinal(tx, height, time))
		})
	}
}

func TestRejectionText(t *testing.T) {
	require.EqualError(t, ErrInBelowOut, "16: bad-txns-in-belowout")
}

package wire_test

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/wire"
)

// filled returns a hash whose bytes are all b, which makes fields that are read or written in
// the wrong place visible.
func filled(b byte) (h wire.Hash) {
	for i := range h {
		h[i] = b
	}
	return h
}

func transparent() wire.Tx {
	return wire.Tx{
		Version:  1,
		LockTime: 0x01020304,
		Inputs: []wire.TxIn{
			{PrevOut: wire.OutPoint{Hash: filled(0xaa), Index: 7}, ScriptSig: []byte{0x51, 0x52}, Sequence: 0xfffffffe},
			{PrevOut: wire.OutPoint{Hash: filled(0xbb), Index: 0}, ScriptSig: []byte{}, Sequence: 0xffffffff},
		},
		Outputs: []wire.TxOut{{Value: 1 << 40, Script: []byte{0x76, 0xa9}}, {Value: -1, Script: []byte{}}},
	}
}

func joinSplit(proofSize int) wire.JoinSplit {
	js := wire.JoinSplit{
		VPubOld: 5, VPubNew: -6, Anchor: filled(1),
		Nullifiers:   [2]wire.Hash{filled(2), filled(3)},
		Commitments:  [2]wire.Hash{filled(4), filled(5)},
		EphemeralKey: filled(6), RandomSeed: filled(7),
		MACs:  [2]wire.Hash{filled(8), filled(9)},
		Proof: bytes.Repeat([]byte{10}, proofSize),
	}
	js.Ciphertexts[0][0], js.Ciphertexts[1][600] = 11, 12
	return js
}

func withJoinSplits(tx wire.Tx, proofSize int) wire.Tx {
	tx.JoinSplits = []wire.JoinSplit{joinSplit(proofSize), joinSplit(proofSize)}
	tx.JoinSplitPubKey, tx.JoinSplitSig[63] = filled(20), 21
	return tx
}

func sapling() wire.Tx {
	tx := transparent()
	tx.Overwintered, tx.Version, tx.VersionGroupID, tx.ExpiryHeight = true, wire.SaplingVersion, wire.SaplingGroupID, 311
	return tx
}

func overwinter() wire.Tx {
	tx := transparent()
	tx.Overwintered, tx.Version, tx.VersionGroupID, tx.ExpiryHeight = true, wire.OverwinterVersion, wire.OverwinterGroupID, 99
	return tx
}

func legacy2() wire.Tx {
	tx := transparent()
	tx.Version = 2
	return tx
}

func fullyShielded() wire.Tx {
	tx := withJoinSplits(sapling(), 192)
	tx.ValueBalance = -123
	tx.Spends = []wire.SpendDescription{{CV: filled(30), Anchor: filled(31), Nullifier: filled(32), RK: filled(33)}}
	tx.Spends[0].Proof[0], tx.Spends[0].SpendAuthSig[63] = 34, 35
	tx.ShieldedOutputs = make([]wire.OutputDescription, 2)
	tx.ShieldedOutputs[1] = wire.OutputDescription{CV: filled(36), CMU: filled(37), EphemeralKey: filled(38)}
	tx.ShieldedOutputs[1].EncCiphertext[579], tx.ShieldedOutputs[1].OutCiphertext[79] = 39, 40
	tx.ShieldedOutputs[1].Proof[191] = 41
	tx.BindingSig[0] = 42
	return tx
}

func outputsOnly() wire.Tx {
	tx := sapling()
	tx.ShieldedOutputs = make([]wire.OutputDescription, 1)
	tx.BindingSig[1] = 1
	return tx
}

const transparentSize = 4 + 1 + (36 + 1 + 2 + 4) + (36 + 1 + 4) + 1 + (8 + 1 + 2) + (8 + 1) + 4

// formats returns one transaction of every format, with its expected size.
func formats() []struct {
	name string
	tx   wire.Tx
	size int
} {
	return []struct {
		name string
		tx   wire.Tx
		size int
	}{
		{"legacy v1", transparent(), transparentSize},
		{"legacy v2", legacy2(), transparentSize + 1},
		{"legacy v2, PHGR joinsplits", withJoinSplits(legacy2(), 296), transparentSize + 1 + 2*1802 + 96},
		{"overwinter v3", overwinter(), transparentSize + 8 + 1},
		{"overwinter v3, PHGR joinsplits", withJoinSplits(overwinter(), 296), transparentSize + 8 + 1 + 2*1802 + 96},
		{"sapling v4", sapling(), transparentSize + 8 + 8 + 3},
		{"sapling v4, an output", outputsOnly(), transparentSize + 8 + 8 + 3 + 948 + 64},
		{"sapling v4, everything", fullyShielded(), transparentSize + 8 + 8 + 3 + 384 + 2*948 + 2*1698 + 96 + 64},
	}
}

func TestTxRoundTrip(t *testing.T) {
	for _, format := range formats() {
		t.Run(format.name, func(t *testing.T) {
			raw := format.tx.Encode()
			require.Len(t, raw, format.size)
			decoded, err := wire.DecodeTx(raw)
			require.NoError(t, err)
			require.Equal(t, raw, decoded.Encode())
			require.Equal(t, format.tx.Outputs, decoded.Outputs)
			require.Equal(t, format.tx.Inputs, decoded.Inputs)
			require.Equal(t, format.tx.Header(), decoded.Header())
			require.Equal(t, format.tx.IsShielded(), decoded.IsShielded())
			require.Equal(t, len(format.tx.JoinSplits), len(decoded.JoinSplits))
			for i := range format.tx.JoinSplits {
				require.Equal(t, format.tx.JoinSplits[i], decoded.JoinSplits[i])
			}
			for i := range format.tx.Spends {
				require.Equal(t, format.tx.Spends[i], decoded.Spends[i])
			}
			for i := range format.tx.ShieldedOutputs {
				require.Equal(t, format.tx.ShieldedOutputs[i], decoded.ShieldedOutputs[i])
			}
			require.Equal(t, format.tx.BindingSig, decoded.BindingSig)
			require.Equal(t, format.tx.JoinSplitSig, decoded.JoinSplitSig)
		})
	}
}

func TestTxCutShortAtEveryByte(t *testing.T) {
	for _, format := range formats() {
		t.Run(format.name, func(t *testing.T) {
			raw := format.tx.Encode()
			for n := range raw {
				_, err := wire.DecodeTx(raw[:n])
				require.ErrorIs(t, err, wire.ErrShort, "%d of %d bytes", n, len(raw))
			}
			_, err := wire.DecodeTx(append(raw, 0))
			require.ErrorIs(t, err, wire.ErrTrailing)
		})
	}
}

// replaced returns a copy of b in which old bytes at offset are replaced by others.
func replaced(b []byte, offset, old int, by ...byte) []byte {
	out := append([]byte(nil), b[:offset]...)
	return append(append(out, by...), b[offset+old:]...)
}

func TestTxCorruptions(t *testing.T) {
	v1, v2, v3, v4 := transparent(), legacy2(), overwinter(), sapling()
	huge := []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}
	scriptAt := 4 + 1 + 36 // offset of the first scriptSig's size in a legacy transaction
	withoutJoinSplitByte := v2.Encode()[:transparentSize]
	cases := []struct {
		name string
		raw  []byte
		want error
	}{
		{"no bytes", nil, wire.ErrShort},
		{"v2 without the joinsplit byte", withoutJoinSplitByte, wire.ErrShort},
		{"v1 with a joinsplit byte", append(v1.Encode(), 0), wire.ErrTrailing},
		{"v3 with Sapling's group", replaced(v3.Encode(), 4, 4, 0x85, 0x20, 0x2f, 0x89), wire.ErrFormat},
		{"v4 with Overwinter's group", replaced(v4.Encode(), 4, 4, 0x70, 0x82, 0xc4, 0x03), wire.ErrFormat},
		{"v4 with no group", replaced(v4.Encode(), 4, 4, 0, 0, 0, 0), wire.ErrFormat},
		{"overwintered v5", replaced(v4.Encode(), 0, 4, 5, 0, 0, 0x80), wire.ErrFormat},
		{"overwintered v0", replaced(v3.Encode(), 0, 4, 0, 0, 0, 0x80), wire.ErrFormat},
		{"input count in three bytes", replaced(v1.Encode(), 4, 1, 0xfd, 2, 0), wire.ErrNotCanonical},
		{"input count in five bytes", replaced(v1.Encode(), 4, 1, 0xfe, 2, 0, 0, 0), wire.ErrNotCanonical},
		{"input count in nine bytes", replaced(v1.Encode(), 4, 1, 0xff, 2, 0, 0, 0, 0, 0, 0, 0), wire.ErrNotCanonical},
		{"script size in three bytes", replaced(v1.Encode(), scriptAt, 1, 0xfd, 2, 0), wire.ErrNotCanonical},
		{"huge input count", replaced(v1.Encode(), 4, 1, huge...), wire.ErrShort},
		{"negative input count", replaced(v1.Encode(), 4, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff), wire.ErrShort},
		{"huge script size", replaced(v1.Encode(), scriptAt, 1, huge...), wire.ErrTooLarge},
		{"script over the limit", replaced(v1.Encode(), scriptAt, 1, 0xfe, 1, 0, 0x40, 0), wire.ErrTooLarge},
		{"huge spend count", replaced(v4.Encode(), transparentSize+16, 1, huge...), wire.ErrShort},
		{"huge output count", replaced(v4.Encode(), transparentSize+17, 1, huge...), wire.ErrShort},
		{"huge joinsplit count", replaced(v4.Encode(), transparentSize+18, 1, huge...), wire.ErrShort},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			tx, err := wire.DecodeTx(c.raw)
			require.ErrorIs(t, err, c.want)
			require.Nil(t, tx)
		})
	}
}

// TestHugeCountsAllocateLittle checks that a count allocates memory only for as many elements
// as the remaining bytes can contain.
func TestHugeCountsAllocateLittle(t *testing.T) {
	for _, count := range [][]byte{
		{0xfe, 0xff, 0xff, 0xff, 0x7f},
		{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
	} {
		raw := append([]byte{1, 0, 0, 0}, count...)
		raw = append(raw, make([]byte, 1000)...)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := wire.DecodeTx(raw)
		runtime.ReadMemStats(&after)
		require.ErrorIs(t, err, wire.ErrShort)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<10))
	}
}

func TestTxKinds(t *testing.T) {
	coinbase, coinImport, two := transparent(), transparent(), transparent()
	coinbase.Inputs = []wire.TxIn{{PrevOut: wire.OutPoint{Index: wire.NullIndex}}}
	coinImport.Inputs = []wire.TxIn{{PrevOut: wire.OutPoint{Hash: filled(1), Index: wire.CoinImportIdx}}}
	two.Inputs = append(two.Inputs[:1:1], coinbase.Inputs[0])
	spendsIndexMax := transparent()
	spendsIndexMax.Inputs = []wire.TxIn{{PrevOut: wire.OutPoint{Hash: filled(1), Index: wire.NullIndex}}}

	spendsZeroHash := transparent()
	spendsZeroHash.Inputs = []wire.TxIn{{PrevOut: wire.OutPoint{Index: 0}}}

	for _, c := range []struct {
		name                 string
		tx                   wire.Tx
		coinbase, coinImport bool
	}{
		{"a null prevout", coinbase, true, false},
		{"prevout n of an import", coinImport, false, true},
		{"a null prevout among others", two, false, false},
		{"the highest index of a real transaction", spendsIndexMax, false, false},
		{"an index of the zero hash", spendsZeroHash, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.coinbase, c.tx.IsCoinbase())
			require.Equal(t, c.coinImport, c.tx.IsCoinImport())
		})
	}
}

func TestIsShielded(t *testing.T) {
	balanced := sapling()
	balanced.ValueBalance = 1
	for _, c := range []struct {
		name string
		tx   wire.Tx
		want bool
	}{
		{"transparent", sapling(), false},
		{"a value balance alone", balanced, true},
		{"an output", outputsOnly(), true},
		{"joinsplits", withJoinSplits(legacy2(), 296), true},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, c.tx.IsShielded()) })
	}
}

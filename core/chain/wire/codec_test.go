package wire_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/wire"
)

func TestCompactSize(t *testing.T) {
	for _, c := range []struct {
		n    uint64
		want []byte
	}{
		{0, []byte{0}},
		{0xfc, []byte{0xfc}},
		{0xfd, []byte{0xfd, 0xfd, 0}},
		{0xffff, []byte{0xfd, 0xff, 0xff}},
		{0x10000, []byte{0xfe, 0, 0, 1, 0}},
		{math.MaxUint32, []byte{0xfe, 0xff, 0xff, 0xff, 0xff}},
		{1 << 32, []byte{0xff, 0, 0, 0, 0, 1, 0, 0, 0}},
		{math.MaxUint64, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
	} {
		encoded := wire.AppendCompactSize(nil, c.n)
		require.Equal(t, c.want, encoded)
		r := wire.NewReader(encoded)
		require.Equal(t, c.n, r.CompactSize())
		require.NoError(t, r.End())
		for cut := range encoded {
			r := wire.NewReader(encoded[:cut])
			require.Zero(t, r.CompactSize())
			require.ErrorIs(t, r.End(), wire.ErrShort)
		}
	}
}

func TestCompactSizeMustBeShortest(t *testing.T) {
	for _, long := range [][]byte{
		{0xfd, 0xfc, 0},
		{0xfe, 0xff, 0xff, 0, 0},
		{0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0},
	} {
		r := wire.NewReader(long)
		require.Zero(t, r.CompactSize())
		require.ErrorIs(t, r.Err(), wire.ErrNotCanonical)
	}
}

func TestReaderKeepsItsFirstError(t *testing.T) {
	r := wire.NewReader([]byte{1, 2, 3, 4, 5})
	require.Equal(t, uint32(0x04030201), r.Uint32())
	require.Zero(t, r.Int64())
	first := r.Err()
	require.ErrorIs(t, first, wire.ErrShort)
	require.ErrorContains(t, first, "at byte 4")

	r.Fail(wire.ErrFormat)
	require.Zero(t, r.Byte())
	require.Nil(t, r.VarBytes(10))
	require.Zero(t, r.Count(1))
	require.Equal(t, first, r.End())
	require.Equal(t, 4, r.Pos())
	require.Equal(t, 1, r.Left())
}

func TestReaderRefusesANegativeLength(t *testing.T) {
	r := wire.NewReader([]byte{1})
	require.Nil(t, r.Bytes(-1))
	require.ErrorIs(t, r.Err(), wire.ErrShort)
}

// TestReaderPartsDoNotOverlap checks that appending to a slice returned by a Reader does not
// overwrite the following bytes.
func TestReaderPartsDoNotOverlap(t *testing.T) {
	r := wire.NewReader([]byte{1, 2, 3})
	part := r.Bytes(1)
	_ = append(part, 9)
	require.Equal(t, []byte{2, 3}, r.Bytes(2))
}

func TestHashText(t *testing.T) {
	const text = "00000000000000000000000000000000000000000000000000000000000000aB"
	h, err := wire.ParseHash(text)
	require.NoError(t, err)
	require.Equal(t, byte(0xab), h[0], "the display form is reversed")
	require.Equal(t, strings.ToLower(text), h.String())
	require.Equal(t, byte(0xab), h.Reversed()[31])
	require.False(t, h.IsZero())
	require.True(t, wire.Hash{}.IsZero())

	for _, bad := range []string{"", text[1:], text + "0", "0x" + text[2:], text[:63] + "g", text[:63] + " "} {
		_, err := wire.ParseHash(bad)
		require.ErrorIs(t, err, wire.ErrHashText, "%q", bad)
	}
}

func TestHashJSON(t *testing.T) {
	want := wire.HashOf([]byte("obverse"))
	encoded, err := json.Marshal(map[wire.Hash]wire.Hash{want: want})
	require.NoError(t, err)
	require.JSONEq(t, `{"`+want.String()+`":"`+want.String()+`"}`, string(encoded))

	var got map[wire.Hash]wire.Hash
	require.NoError(t, json.Unmarshal(encoded, &got))
	require.Equal(t, want, got[want])
	require.ErrorIs(t, new(wire.Hash).UnmarshalText([]byte("ab")), wire.ErrHashText)
}

// TestHashOf checks the double SHA-256 of the empty string.
func TestHashOf(t *testing.T) {
	require.Equal(t, "56944c5d3f98413ef45cf54545538103cc9f298e0575820ad3591376e2e0f65d", wire.HashOf(nil).String())
}

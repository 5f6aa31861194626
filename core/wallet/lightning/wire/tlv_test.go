package wire

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// unhex decodes hexadecimal digits with spaces between them.
func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	require.NoError(t, err)
	return b
}

// TestBigSize uses appendix A of BOLT 1.
func TestBigSize(t *testing.T) {
	for _, c := range []struct {
		name, bytes string
		value       uint64
		want        error
	}{
		{"zero", "00", 0, nil},
		{"one byte high", "fc", 252, nil},
		{"two byte low", "fd00fd", 253, nil},
		{"two byte high", "fdffff", 65535, nil},
		{"four byte low", "fe00010000", 65536, nil},
		{"four byte high", "feffffffff", 4294967295, nil},
		{"eight byte low", "ff0000000100000000", 4294967296, nil},
		{"eight byte high", "ffffffffffffffffff", 18446744073709551615, nil},
		{"two byte not canonical", "fd00fc", 0, ErrMinimal},
		{"four byte not canonical", "fe0000ffff", 0, ErrMinimal},
		{"eight byte not canonical", "ff00000000ffffffff", 0, ErrMinimal},
		{"two byte short read", "fd00", 0, ErrShort},
		{"four byte short read", "feffff", 0, ErrShort},
		{"eight byte short read", "ffffffffff", 0, ErrShort},
		{"one byte no read", "", 0, ErrShort},
		{"two byte no read", "fd", 0, ErrShort},
		{"four byte no read", "fe", 0, ErrShort},
		{"eight byte no read", "ff", 0, ErrShort},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, rest, err := readBigSize(unhex(t, c.bytes))
			require.ErrorIs(t, err, c.want)
			if c.want != nil {
				return
			}
			require.Equal(t, c.value, n)
			require.Empty(t, rest)
			require.Equal(t, c.bytes, hex.EncodeToString(appendBigSize(nil, n)))
		})
	}
}

// TestRecords uses appendix B of BOLT 1, except for cases that depend on the content of a
// record.
func TestRecords(t *testing.T) {
	even := func(n uint64) error { return EvenError(n) }
	for _, c := range []struct {
		name, stream string
		want         error
		known        int
	}{
		{"type truncated", "fd", ErrShort, 0},
		{"type of two bytes truncated", "fd01", ErrShort, 0},
		{"not minimally encoded type", "fd0001 00", ErrMinimal, 0},
		{"missing length", "fd0101", ErrShort, 0},
		{"length truncated", "0f fd", ErrShort, 0},
		{"length of two bytes truncated", "0f fd26", ErrShort, 0},
		{"missing value", "0f fd2602", ErrShort, 0},
		{"not minimally encoded length", "0f fd0001 00", ErrMinimal, 0},
		{"value truncated", "0f fd0201" + strings.Repeat("00", 512), ErrShort, 0},
		{"unknown even type", "12 00", even(0x12), 0},
		{"unknown even type of two bytes", "fd0102 00", even(0x102), 0},
		{"unknown even type of four bytes", "fe01000002 00", even(0x1000002), 0},
		{"unknown even type of eight bytes", "ff0100000000000002 00", even(0x100000000000002), 0},
		{"length beyond all memory", "01 ffffffffffffffffff", ErrShort, 0},
		{"empty", "", nil, 0},
		{"unknown odd types", "21 00 fd0201 00 fd00fd 00", ErrOrder, 0},
		{"unknown odd type", "21 00", nil, 0},
		{"unknown odd type of two bytes", "fd0201 00", nil, 0},
		{"another one", "fd00fd 00", nil, 0},
		{"one above", "fd00ff 00", nil, 0},
		{"unknown odd type of four bytes", "fe02000001 00", nil, 0},
		{"unknown odd type of eight bytes", "ff0200000000000001 00", nil, 0},
		{"known types", "01 01 2a 03 02 0001", nil, 2},
		{"known among unknown ones", "01 00 05 01 ff 0b 00", nil, 1},
		{"type zero twice", "00 00 00 00", even(0), 0},
		{"out of order", "03 00 01 00", ErrOrder, 0},
		{"twice", "01 00 01 00", ErrOrder, 0},
		{"out of order after an unknown one", "1f 00 0f 01 2a", ErrOrder, 0},
		{"unknown one twice", "1f 00 1f 01 2a", ErrOrder, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			records, err := DecodeRecords(unhex(t, c.stream), 1, 3)
			require.ErrorIs(t, err, c.want)
			require.Len(t, records, c.known)
		})
	}
	records, err := DecodeRecords(unhex(t, "01 01 2a 03 02 0001"), 1, 3)
	require.NoError(t, err)
	require.Equal(t, []Record{{1, []byte{0x2a}}, {3, []byte{0, 1}}}, records)
	require.EqualError(t, EvenError(18), "unsupported mandatory record 18")
}

// FuzzRecords checks that an accepted stream has exactly one encoding.
func FuzzRecords(f *testing.F) {
	f.Add([]byte{1, 1, 0x2a, 3, 2, 0, 1})
	f.Add([]byte{0xfd, 1, 1, 0})
	f.Add([]byte{0xff, 0, 0, 0, 1, 0, 0, 0, 1, 0})
	f.Fuzz(func(t *testing.T, stream []byte) {
		records, err := DecodeRecords(stream, 0, 1, 2, 3, 254, 257)
		if err != nil {
			return
		}
		var again []byte
		for _, r := range records {
			again = AppendRecord(again, r)
		}
		require.LessOrEqual(t, len(again), len(stream))
		twice, err := DecodeRecords(again, 0, 1, 2, 3, 254, 257)
		require.NoError(t, err)
		require.Len(t, twice, len(records))
		if len(again) == len(stream) { // no record was skipped
			require.True(t, bytes.Equal(again, stream))
		}
	})
}

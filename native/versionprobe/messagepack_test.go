package versionprobe

import (
	"bytes"
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	require.NoError(t, err)
	return b
}

// Messages of the network as rmp-serde 0.14 encodes them.
func TestMessagesAreUpstreamsBytes(t *testing.T) {
	require.Equal(t, unhex(t, "91 95 cc 81 01 cc 81 00 cc c0"), askVersion.encode())
	require.Equal(t, unhex(t, "91 95 cc 81 01 cc 81 01 cc c0"), askTime.encode())
	require.Equal(t, unhex(t, "81 00 91 94 cc a3 32 2e 35"), encodeAnswer(encodeString("2.5")))
	require.Equal(t, unhex(t, "81 02 91 a2 6e 6f"), encodeRefusal("no"))
	require.Equal(t, unhex(t, "81 00 91 95 cc ce 66 cc 90 20 05"), encodeAnswer(encodeUint(0x66902005)))

	var frame bytes.Buffer
	require.NoError(t, writeFrame(&frame, askVersion.encode()))
	require.Equal(t, unhex(t, "0a 91 95 cc 81 01 cc 81 00 cc c0"), frame.Bytes())
}

func TestQueriesReadBack(t *testing.T) {
	for _, q := range []query{askVersion, askTime} {
		got, err := parseQuery(q.encode())
		require.NoError(t, err)
		require.Equal(t, q, got)
	}
}

func TestForeignQueriesAreRefused(t *testing.T) {
	for _, c := range []struct {
		name, hex string
		err       error
	}{
		{"nothing", "", errShort},
		{"cut", "91 95 cc 81 01", errShort},
		{"more", "91 95 cc 81 01 cc 81 00 cc c0 00", errTrailing},
		{"more inside", "91 96 cc 81 01 cc 81 00 cc c0 00", errTrailing},
		{"an order", "91 95 cc 81 00 cc 81 00 cc c0", errForm},
		{"an unknown query", "91 95 cc 81 01 cc 81 02 cc c0", errForm},
		{"not nil", "91 94 cc 81 01 cc 81 00", errShort},
		{"a number instead of nil", "91 95 cc 81 01 cc 81 00 07", errForm},
		{"two fields", "92 90 90", errForm},
		{"a map", "81 00 c0", errForm},
		{"a large byte", "91 91 cd 01 00", errForm},
		{"a negative byte", "91 91 ff", errForm},
		{"a false length", "91 dd ff ff ff ff 00", errShort},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parseQuery(unhex(t, c.hex))
			require.ErrorIs(t, err, c.err)
		})
	}
}

func TestParseVersion(t *testing.T) {
	long := strings.Repeat("v", 300)
	for _, c := range []struct {
		name, hex string
		version   string
		err       error
	}{
		{"short", "81 00 91 94 cc a3 32 2e 35", "2.5", nil},
		{"array of 16 bits", "81 00 91 dc 00 04 cc a3 32 2e 35", "2.5", nil},
		{"array of 32 bits", "de 00 01 cc 00 91 dd 00 00 00 04 cc a3 32 2e 35", "2.5", nil},
		{"numbers of other forms", "81 d0 00 91 94 cd 00 a3 ce 00 00 00 32 cf 00 00 00 00 00 00 00 2e d1 00 35", "2.5", nil},
		{"string of 8 bits", "81 00 91 95 cc d9 03 32 2e 35", "2.5", nil},
		{"no version", "81 00 91 91 cc a0", "", nil},
		{"long", hex.EncodeToString(encodeAnswer(encodeString(long))), long, nil},
		{"no data", "81 01 c0", "", nil},
		{"error", "81 02 91 a2 6e 6f", "", PeerError("no")},
		{"nothing", "", "", errShort},
		{"unknown kind", "81 03 c0", "", errForm},
		{"two entries", "82 01 c0 01 c0", "", errForm},
		{"no data and more", "81 01 c0 c0", "", errTrailing},
		{"no bytes", "81 00 91 a3 32 2e 35", "", errForm},
		{"a time", "81 00 91 91 07", "", errForm},
		{"version and more", "81 00 91 95 cc a3 32 2e 35 00", "", errTrailing},
		{"version cut", "81 00 91 93 cc a3 32 2e", "", errShort},
		{"not UTF-8", "81 00 91 92 cc a1 cc ff", "", errForm},
		{"error is not text", "81 02 91 07", "", errForm},
		{"negative kind", "81 d0 80 c0", "", errForm},
		{"a false length of text", "81 00 91 95 cc db cc ff cc ff cc ff", "", errShort},
	} {
		t.Run(c.name, func(t *testing.T) {
			version, err := parseVersion(unhex(t, c.hex))
			require.ErrorIs(t, err, c.err)
			require.Equal(t, c.version, version)
		})
	}
}

func TestNumbersAndTextsReadBack(t *testing.T) {
	for _, n := range []uint64{0, 127, 128, 255, 256, 65535, 65536, math.MaxUint32, math.MaxUint32 + 1, math.MaxInt64} {
		s := scan(encodeUint(n))
		require.Equal(t, n, s.uint())
		require.NoError(t, s.end())
	}
	for _, size := range []int{0, 31, 32, 255, 256, 65535, 65536} {
		text := strings.Repeat("x", size)
		s := scan(encodeString(text))
		require.Equal(t, text, s.string())
		require.NoError(t, s.end())
		s = scan(encodeBytes([]byte(text)))
		require.Equal(t, []byte(text), s.bytes())
		require.NoError(t, s.end())
	}
}

func TestReadFrame(t *testing.T) {
	for _, c := range []struct {
		name, hex, want string
		refused         bool
	}{
		{"empty", "00", "", false},
		{"one", "01 c0", "c0", false},
		{"more is left alone", "01 c0 ff", "c0", false},
		{"nothing", "", "", true},
		{"cut", "02 c0", "", true},
		{"cut length", "80", "", true},
		{"length in a long form", "81 00", "", true},
		{"length without end", "ff ff ff ff ff ff ff ff ff ff 01", "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readFrame(bytes.NewReader(unhex(t, c.hex)))
			if c.refused {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, hex.EncodeToString(got))
		})
	}
	largest := make([]byte, maxFrame)
	var frame bytes.Buffer
	require.NoError(t, writeFrame(&frame, largest))
	got, err := readFrame(&frame)
	require.NoError(t, err)
	require.Len(t, got, maxFrame)
	frame.Reset()
	require.NoError(t, writeFrame(&frame, append(largest, 0)))
	_, err = readFrame(&frame)
	require.ErrorIs(t, err, errFrame)
}

func FuzzParseVersion(f *testing.F) {
	for _, text := range []string{"8100919 4cca3322e35", "8101c0", "810291a26e6f", "810091ddffffffff", "8100919 1a0"} {
		f.Add(unhex(f, text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		version, err := parseVersion(raw)
		if err != nil {
			require.Empty(t, version)
			return
		}
		again, err := parseVersion(encodeAnswer(encodeString(version)))
		require.NoError(t, err)
		require.Equal(t, version, again)
	})
}

func FuzzParseQuery(f *testing.F) {
	f.Add(askVersion.encode())
	f.Add(askTime.encode())
	f.Add([]byte{0x91, 0xdd, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, raw []byte) {
		q, err := parseQuery(raw)
		if err == nil {
			require.LessOrEqual(t, q, askTime)
		}
	})
}

func FuzzReadFrame(f *testing.F) {
	f.Add([]byte("\x01x"))
	f.Add([]byte("\xff\xff\x3f"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := readFrame(bytes.NewReader(raw))
		if err != nil {
			return
		}
		var frame bytes.Buffer
		require.NoError(t, writeFrame(&frame, got))
		require.True(t, bytes.HasPrefix(raw, frame.Bytes()))
	})
}

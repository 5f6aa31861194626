package bunt

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/buntdb"

	"obverse/core/store"
)

// sampleOps returns a batch that contains every kind of command twice.
func sampleOps() []store.Op {
	var b store.Batch
	b.Put("k", "")
	b.Put("\x00\r\n", "*2\r\n$3\r\ndel\r\n")
	b.Delete("k")
	b.Delete(strings.Repeat("long", 100))
	b.Put("last", "\x00")
	return b.Ops
}

// plainBatch appends a batch in format 1.
func plainBatch(buf []byte, ops []store.Op) []byte {
	for i := range ops {
		at := len(buf)
		buf = appendOp(buf, &ops[i])
		if i == len(ops)-1 {
			copy(buf[at:], strings.ToLower(string(buf[at:at+len(putMore)])))
		}
	}
	return buf
}

func TestPlainBatch(t *testing.T) {
	var b store.Batch
	b.Put("key", "data")
	b.Delete("other")
	require.Equal(t,
		"*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$4\r\ndata\r\n*2\r\n$3\r\ndel\r\n$5\r\nother\r\n",
		string(plainBatch(nil, b.Ops)))
	require.Equal(t, "*3\r\n$3\r\nset\r\n$3\r\nkey\r\n$4\r\ndata\r\n",
		string(plainBatch(nil, b.Ops[:1])))
}

// readerAt returns a reader of a slice, and its size.
func readerAt(data []byte) (io.ReaderAt, int64) { return bytes.NewReader(data), int64(len(data)) }

func TestUnsealedAtEveryCut(t *testing.T) {
	first := plainBatch(nil, sampleOps())
	both := plainBatch(first, sampleOps())
	for cut := range both {
		want := 0
		if cut >= len(first) {
			want = len(first)
		}
		got, err := unsealed(readerAt(both[:cut]))
		require.NoError(t, err, "cut at %d", cut)
		require.EqualValues(t, want, got, "cut at %d", cut)
	}
	got, err := unsealed(readerAt(both))
	require.NoError(t, err)
	require.EqualValues(t, len(both), got)
}

func TestUnsealedRefuses(t *testing.T) {
	good := "*3\r\n$3\r\nset\r\n$1\r\nk\r\n$2\r\nab\r\n"
	for name, change := range map[string]struct{ from, to string }{
		"other bytes":         {good, "{}"},
		"text":                {"*3", "x"},
		"NUL between":         {"*3", "\x00*3"},
		"wrong count":         {"*3", "*2"},
		"unknown count":       {"*3", "*1"},
		"count of two digits": {"*3", "*03"},
		"bare LF":             {"*3\r\n", "*3\n"},
		"length of the name":  {"$3", "$4"},
		"unknown name":        {"set", "get"},
		"mixed case":          {"set", "Set"},
		"mixed case inside":   {"set", "sEt"},
		"no word":             {"$1", "*1"},
		"no length":           {"$1", "$"},
		"negative length":     {"$1", "$-1"},
		"leading zero":        {"$1", "$01"},
		"leading plus":        {"$1", "$+1"},
		"overflow":            {"$1", "$99999999999999999999"},
		"word too long":       {"k\r", "kk\r"},
		"word too short":      {"ab", "a"},
		"no CR after a word":  {"ab\r\n", "ab\n\n"},
		"expiry, as buntdb":   {"*3", "*5"},
		"empty key":           {"$1\r\nk\r\n$2", "$0\r\n\r\n$2"},
		"trailing byte":       {"ab\r\n", "ab\r\nx"},
	} {
		t.Run(name, func(t *testing.T) {
			spoilt := strings.Replace(good, change.from, change.to, 1)
			require.NotEqual(t, good, spoilt)
			end, err := unsealed(readerAt([]byte(good + spoilt + good)))
			require.ErrorIs(t, err, ErrCorrupt)
			require.GreaterOrEqual(t, end, int64(len(good)))

			path := filepath.Join(t.TempDir(), "db")
			require.NoError(t, os.WriteFile(path, []byte(spoilt+good), 0o600))
			_, err = Open(path)
			require.ErrorIs(t, err, ErrCorrupt)
			saved, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, spoilt+good, string(saved), "a refused file stays as it is")
		})
	}
}

// FuzzUnsealed recovers a log from arbitrary bytes. If the log is accepted, buntdb must accept
// it too, since buntdb loads it without further checks, and recovering the truncated log must
// not truncate it again.
func FuzzUnsealed(f *testing.F) {
	ops := sampleOps()
	f.Add(plainBatch(nil, ops))
	f.Add(plainBatch(plainBatch(nil, ops[:1]), ops[2:3]))
	f.Add(plainBatch(nil, ops)[:100])
	f.Add([]byte("*3\r\n$3\r\nset\r\n$99999999999999999999\r\n"))
	f.Add([]byte("*5\r\n$3\r\nset\r\n$1\r\nk\r\n$1\r\nd\r\n$2\r\nex\r\n$1\r\n9\r\n"))
	f.Add([]byte("*3\r\n\x00\x00"))
	table, err := buntdb.Open(Memory)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, data []byte) {
		end, err := unsealed(readerAt(data))
		if err != nil {
			require.ErrorIs(t, err, ErrCorrupt)
		}
		require.LessOrEqual(t, end, int64(len(data)))
		require.NoError(t, table.Load(bytes.NewReader(data[:end])))
		again, err := unsealed(readerAt(data[:end]))
		require.NoError(t, err)
		require.Equal(t, end, again)
	})
}

package session

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/config"
	"obverse/core/store"
	"obverse/core/store/bunt"
	"obverse/wasm/jsval"
)

func TestLogger(t *testing.T) {
	var lines []string
	log := NewLogger(func(level, line string) { lines = append(lines, level+": "+line) }, "warn",
		config.NewSecret("s3cret"), config.NewSecret("with \"quotes\""), config.NewSecret("abc"))
	log.Error("broke", "error", "s3cret at the end", "n", 5, "empty", "")
	log.Warn("with \"quotes\" abc", "value", `with "quotes"`)
	log.Info("not logged")
	require.Equal(t, []string{`error: broke error="[secret] at the end" n=5 empty=""`, `warn: [secret] abc value="[secret]"`}, lines)
}

func TestEntropy(t *testing.T) {
	e := Entropy{Crypto: jsval.Global().Get("crypto")}
	large := make([]byte, 2*maxRandom)
	n, err := e.Read(large)
	require.NoError(t, err)
	require.Equal(t, maxRandom, n)
	require.Less(t, strings.Count(string(large[:n]), "\x00"), maxRandom/100)
	require.Equal(t, make([]byte, maxRandom), large[n:])
	_, err = Entropy{}.Read(large)
	require.ErrorContains(t, err, "draw random bytes")
}

// TestFull checks that a store above its limit can be read but not written.
func TestFull(t *testing.T) {
	db, err := bunt.Open(filepath.Join(t.TempDir(), "store"))
	require.NoError(t, err)
	defer db.Close()
	s := limited{db, db.Size() + 100}
	put := func(data string) error {
		var b store.Batch
		b.Put("key", data)
		return store.Apply(t.Context(), s, b)
	}
	require.NoError(t, put(strings.Repeat("x", 200)))
	require.ErrorIs(t, put("y"), store.ErrFailed)
	require.ErrorContains(t, put("y"), "the limit is")
	found, err := s.Get(t.Context(), "key")
	require.NoError(t, err)
	require.Len(t, found[0].Data, 200)
	require.NoError(t, store.Apply(t.Context(), s, store.Batch{}), "guards are looked at")
	require.NoError(t, store.Apply(t.Context(), limited{db, 0}, store.Batch{Ops: []store.Op{{Key: "key", Delete: true}}}))
}

// TestPutOnAFullDisk checks that an incomplete write uses no space.
func TestPutOnAFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store")
	require.NoError(t, os.Symlink("/dev/full", path+".import"))
	s := Settings{Path: path}
	_, err := s.Put([]byte("bytes"))
	require.ErrorIs(t, err, syscall.ENOSPC)
	_, err = os.Lstat(path + ".import")
	require.ErrorIs(t, err, os.ErrNotExist)
}

package airdrop

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func testHeader() Header {
	return Header{Format: format, Token: "id", SHA256: "sum", Keys: 5, Tokens: 9, Coins: "0.00000000", Batch: 2, Chain: "PAY", PubKey: key1, Blocks: []Block{{3, "c"}, {0, "a"}}}
}

// TestJournal reads what was appended, and nothing of an entry of which the write was interrupted at any
// byte.
func TestJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j, err := OpenJournal(path)
	require.NoError(t, err)
	require.True(t, j.IsNew())
	require.NoError(t, j.begin(testHeader()))
	entries := []entry{
		{Batch: 1, State: stateSending},
		{Batch: 1, State: stateSent, Transactions: []Tx{{"x", []int{0, 1}}}, Foreign: []int{1}},
		{Batch: 2, State: stateSending},
	}
	sizes := []int64{}
	for _, e := range entries {
		require.NoError(t, j.append(e))
		info, err := os.Stat(path)
		require.NoError(t, err)
		sizes = append(sizes, info.Size())
	}
	require.Equal(t, 2, j.Paid())
	require.False(t, j.IsComplete())
	require.NoError(t, j.Close())
	whole, err := os.ReadFile(path)
	require.NoError(t, err)

	for size := sizes[1]; size <= sizes[2]; size++ {
		require.NoError(t, os.WriteFile(path, whole[:size], 0o600))
		j, err = OpenJournal(path)
		require.NoError(t, err)
		require.Equal(t, testHeader(), j.Header)
		want := entries[:2]
		if size == sizes[2] {
			want = entries
		}
		require.Equal(t, want, j.entries)
		require.NoError(t, j.append(entries[2]))
		require.NoError(t, j.Close())
		j, err = OpenJournal(path)
		require.NoError(t, err)
		require.Equal(t, append(append([]entry{}, want...), entries[2]), j.entries)
		require.NoError(t, j.Close())
	}

	require.NoError(t, os.WriteFile(path, whole[:20], 0o600))
	j, err = OpenJournal(path)
	require.NoError(t, err)
	require.True(t, j.IsNew(), "nothing is sent before the header is complete")
	require.NoError(t, j.Close())
	require.NoFileExists(t, path)
}

func TestJournalOfOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	for text, says := range map[string]string{
		"pubkey,amount\n":                   "is not a journal of an airdrop: at byte 0",
		`{"airdrop":2,"token":"id"}` + "\n": "unknown format 2, want 1",
		`{"airdrop":1,"later":"id"}` + "\n": `unknown field "later"`,
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := OpenJournal(path)
		require.ErrorContains(t, err, says)
		left, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, text, string(left))
	}
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Symlink(filepath.Join(t.TempDir(), "other"), path))
	_, err := OpenJournal(path)
	require.Error(t, err)
}

// TestJournalLock lets one process continue an airdrop, and gives a retired journal another name.
func TestJournalLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j, err := OpenJournal(path)
	require.NoError(t, err)
	_, err = OpenJournal(path)
	require.ErrorIs(t, err, ErrLocked)
	require.NoError(t, j.begin(testHeader()))
	for range 2 {
		name, err := j.Retire()
		require.NoError(t, err)
		require.FileExists(t, name)
		require.NoError(t, j.Close())
		j, err = OpenJournal(path)
		require.NoError(t, err)
		require.True(t, j.IsNew())
		require.NoError(t, j.begin(testHeader()))
	}
	require.NoError(t, j.Close())
	require.FileExists(t, path+".1")
	require.FileExists(t, path+".2")
}

// TestPrevious returns the address with which a page of holders begins at a certain one.
func TestPrevious(t *testing.T) {
	a := HolderAddress([33]byte{2, 1})
	a.Hash[18], a.Hash[19] = 1, 0
	b := previous(a)
	require.Equal(t, []byte{0, 255}, b.Hash[18:])
	require.Equal(t, a.Hash[:18], b.Hash[:18])
}

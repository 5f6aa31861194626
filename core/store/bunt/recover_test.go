package bunt

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
)

// history returns a file of format 1 with overlapping keys, deletions and binary data. It also
// returns the end of each batch in the file and the state after it. The first state is empty.
func history(t *testing.T) (file []byte, ends []int64, states []map[string]string) {
	batches := []store.Batch{
		batch("a", "1", "b", "2", "c", "3", "\x00", "\x00\x00", "dup", "old"),
		batch("single", "x"),
		batch("a", "one", "nul", "a\x00b", "crlf", "\r\n*2\r\n$3\r\ndel\r\n", "empty", ""),
		batch("b", "two", "dup", "1", "long", strings.Repeat("\xff\x00", 50), "tail", "\x00\x00\x00"),
		batch("tail", "ends with\x00\x00"),
	}
	batches[2].Delete("b")
	batches[3].Delete("a")
	batches[3].Delete("was never there")
	batches[3].Put("dup", "2")
	batches[3].Delete("single")

	db := openPath(t, Memory)
	ends, states = []int64{0}, []map[string]string{{}}
	for _, b := range batches {
		require.NoError(t, store.Apply(t.Context(), db, b))
		file = plainBatch(file, b.Ops)
		ends, states = append(ends, int64(len(file))), append(states, dump(t, db))
	}
	return file, ends, states
}

// TestUpgradeAtEveryCut truncates a file of format 1 at every byte. The result must open with
// the state after the last complete batch, must have format 2 from then on, and must be usable.
// After a crash, zeros may replace the removed bytes.
func TestUpgradeAtEveryCut(t *testing.T) {
	file, ends, states := history(t)
	for cut := 0; cut <= len(file); cut += inShort(7, 1) {
		whole := 0
		for int64(cut) >= ends[whole] {
			if whole++; whole == len(ends) {
				break
			}
		}
		want := states[whole-1]
		for _, zeroes := range []int{0, len(file) - cut, 5000} {
			torn := append(file[:cut:cut], make([]byte, zeroes)...)
			if whole == 1 {
				_, _, err := look(t, torn)
				require.ErrorIs(t, err, ErrCorrupt, "it may have lost all")
				require.ErrorContains(t, err, "remove it")
				continue
			}
			requireRecovers(t, simDiskOf("db", torn), want, cut)
		}
	}
}

// requireRecovers opens the file, writes to it, and opens it again.
func requireRecovers(t *testing.T, d *simDisk, want map[string]string, cut int) {
	t.Helper()
	db, err := open("db", d)
	require.NoError(t, err, "cut at %d", cut)
	require.Equal(t, want, dump(t, db), "cut at %d", cut)
	require.True(t, db.Findings().Upgraded)
	require.NoError(t, store.Apply(t.Context(), db, batch("new", "1", "newer", "\x00")))
	require.NoError(t, db.Close())

	after := maps.Clone(want)
	after["new"], after["newer"] = "1", "\x00"
	db, err = open("db", d)
	require.NoError(t, err, "cut at %d, opened again", cut)
	require.Equal(t, after, dump(t, db), "cut at %d, opened again", cut)
	require.Equal(t, Findings{}, db.Findings())
	require.NoError(t, db.Close())
}

// TestUpgradeKeepsAllThatIsCut checks a damaged length in a file of format 1, which looks like
// an unfinished batch. The bytes after it may have been acknowledged, so all of them must be
// saved, or the file must be refused unchanged.
func TestUpgradeKeepsAllThatIsCut(t *testing.T) {
	file, ends, states := history(t)
	for len(file) < 2*maxSaved {
		file = plainBatch(file, batch("later", strings.Repeat("y", maxSaved/2)).Ops)
	}
	at := int(ends[2])
	damaged := bytes.Replace(file[at:], []byte("$1\r\na\r\n"), []byte("$9999999\r\na\r\n"), 1)
	damaged = append(file[:at:at], damaged...)

	d := simDiskOf("db", damaged)
	db, err := open("db", d)
	require.NoError(t, err)
	require.Equal(t, states[2], dump(t, db))
	require.Equal(t, Cut{At: ends[2], Bytes: int64(len(damaged) - at), SavedAs: "db.cut-1"}, db.Findings().Cut)
	require.True(t, bytes.Equal(damaged[at:], d.content("db.cut-1")))
	require.NoError(t, db.Close())

	d = simDiskOf("db", damaged)
	for n := range maxCuts {
		d.names[fmt.Sprintf("db.cut-%d", n+1)] = &simFile{}
	}
	_, err = open("db", d)
	require.ErrorIs(t, err, errCutsFull)
	require.ErrorContains(t, err, "db: keep the ")
	require.True(t, bytes.Equal(damaged, d.content("db")), "a refused file stays as it is")
}

// TestUpgradeMakesTheFilePrivate checks that the file is private after an upgrade, whatever its
// mode was.
func TestUpgradeMakesTheFilePrivate(t *testing.T) {
	file, _, states := history(t)
	path := filepath.Join(t.TempDir(), "db")
	require.NoError(t, os.WriteFile(path, file, 0o644))
	db := openPath(t, path)
	require.Equal(t, states[len(states)-1], dump(t, db))
	requirePrivate(t, path)
}

// TestUpgradeThatFails checks that a failed upgrade leaves the old file, which the next start
// upgrades.
func TestUpgradeThatFails(t *testing.T) {
	file, _, states := history(t)
	for left := range 20 {
		d := simDiskOf("db", file)
		d.left = left
		db, err := open("db", d)
		if err == nil {
			require.Greater(t, left, 3)
			require.NoError(t, db.table.Close())
			return
		}
		require.ErrorIs(t, err, errPower)
		db, err = open("db", d.killed())
		require.NoError(t, err)
		require.Equal(t, states[len(states)-1], dump(t, db))
		require.NoError(t, db.Close())
	}
	t.Fatal("it never succeeds")
}

// TestUpgradeKeepsTheCutInAPowerCut checks that a power cut at any time leaves the bytes
// removed from a file of format 1 in at least one of the two files.
func TestUpgradeKeepsTheCutInAPowerCut(t *testing.T) {
	file, ends, _ := history(t)
	from := int(ends[2])
	damaged := append(file[:from:from], bytes.Replace(file[from:], []byte("$1\r\na\r\n"), []byte("$9999999\r\na\r\n"), 1)...)
	at := 0
	for changes := 0; at != len(damaged); changes++ {
		d := simDiskOf("db", damaged)
		d.left = changes
		if db, err := open("db", d); err == nil {
			require.NoError(t, db.table.Close())
			at = len(damaged) // no more changes were necessary
		} else {
			require.ErrorIs(t, err, errPower)
		}
		for seed := range uint64(50) {
			left := d.afterPowerCut(rand.New(rand.NewPCG(seed, 1)))
			if !bytes.Equal(left.content("db"), damaged) {
				require.Contains(t, left.names, "db.cut-1", "after %d changes", changes)
				require.Equal(t, string(damaged[from:]), string(left.content("db.cut-1")), "after %d changes", changes)
			}
		}
	}
}

func TestCutIsReported(t *testing.T) {
	s := record(t, 1)
	end := s.ends[s.acked]
	for name, c := range map[string]struct {
		file  []byte
		want  Cut
		saved []byte
	}{
		"whole":           {s.file, Cut{}, nil},
		"one byte less":   {s.file[:len(s.file)-1], Cut{At: end, Bytes: int64(len(s.file)) - 1 - end, SavedAs: "db.cut-1"}, s.file[end : len(s.file)-1]},
		"between batches": {s.file[:end], Cut{}, nil},
		"zeroes":          {append(bytes.Clone(s.file[:end]), 0, 0, 0), Cut{At: end, Bytes: 3}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			d := simDiskOf("db", c.file)
			db, err := open("db", d)
			require.NoError(t, err)
			require.Equal(t, c.want, db.Findings().Cut)
			if c.saved != nil {
				require.Equal(t, c.saved, d.content("db.cut-1"))
			}
			require.NoError(t, db.Close())
		})
	}
	require.Zero(t, openPath(t, Memory).Findings())
}

// TestOpenSyncs checks that data that a killed process wrote without a sync is durable once the
// file has been opened, since it can be read from then on.
func TestOpenSyncs(t *testing.T) {
	s := record(t, 2)
	path := filepath.Join(t.TempDir(), "db")
	require.NoError(t, os.WriteFile(path, s.file, 0o600))
	var d testDisk
	db, err := open(path, &d)
	require.NoError(t, err)
	require.EqualValues(t, len(s.file), d.durable.Load())
	require.NoError(t, db.table.Close())
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.EqualValues(t, len(s.file), readHead(data[:headSize]).durable, "and counts")

	d.set(func(d *testDisk) { d.syncErr = os.ErrInvalid })
	_, err = open(path, &d)
	require.ErrorIs(t, err, os.ErrInvalid)
}

func TestRecoverAfterShortWrite(t *testing.T) {
	for _, short := range []int{0, 1, 40} {
		db, disk, path := openDisk(t)
		require.NoError(t, store.Apply(t.Context(), db, batch("a", "1", "b", "1")))
		before := dump(t, db)
		disk.set(func(d *testDisk) { d.writeErr, d.short = os.ErrDeadlineExceeded, short })
		_, err := db.Stage(t.Context(), batch("a", "2", "b", "2"))
		require.ErrorIs(t, err, store.ErrFailed)
		require.Equal(t, before, dump(t, db))
		require.ErrorIs(t, db.Close(), store.ErrFailed)
		require.Equal(t, before, dump(t, openPath(t, path)))
	}
}

package bunt

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
)

// story is the file of a small store as left by a killed process: acknowledged batches,
// followed by three that were not acknowledged.
type story struct {
	file   []byte
	ends   []int64             // ends of the batches; ends[0] is the end of the head
	states []map[string]string // states after the batches
	acked  int                 // number of acknowledged batches
}

func record(t testing.TB, unsynced int) story {
	t.Helper()
	batches := []store.Batch{
		batch("a", "1", "b", "2", "coin", "100011"),
		batch("nul", "a\x00b", "crlf", "\r\n*2\r\n$3\r\ndel\r\n", "empty", ""),
		batch("b", "two", "long", strings.Repeat("\xff\x00", 9), "tail", "\x00\x00"),
		batch("coin", "5"),
		batch("x", "1", "y", "2"),
		batch("y", "3"),
		batch("z", strings.Repeat("z", 30)),
	}
	batches[2].Delete("a")
	batches[4].Delete("coin")
	d := newSimDisk()
	db, err := open("db", d)
	require.NoError(t, err)
	s := story{ends: []int64{db.Size()}, states: []map[string]string{{}}, acked: len(batches) - unsynced}
	for i, b := range batches {
		durable, err := db.Stage(t.Context(), b)
		require.NoError(t, err)
		if i < s.acked {
			require.NoError(t, durable(t.Context()))
		}
		s.ends, s.states = append(s.ends, db.Size()), append(s.states, dump(t, db))
	}
	s.file = d.content("db")
	require.NoError(t, db.table.Close())
	return s
}

var lookups atomic.Int64

// look opens a file and returns its state, or the error.
func look(t testing.TB, data []byte) (state map[string]string, found Findings, err error) {
	t.Helper()
	// buntdb has a goroutine that notices at its next tick that the database was closed. In a
	// page, it only runs when the test sleeps.
	if lookups.Add(1)%100 == 0 {
		time.Sleep(time.Millisecond)
	}
	d := simDiskOf("db", data)
	db, err := open("db", d)
	if err != nil {
		require.True(t, bytes.Equal(data, d.content("db")), "a refused file stays as it is")
		return nil, found, err
	}
	defer db.table.Close()
	return dump(t, db), db.Findings(), nil
}

// requireHonest opens a damaged file. The result must be an earlier state with everything that
// was acknowledged, or an error with the offset.
func (s *story) requireHonest(t testing.TB, data []byte, what string, args ...any) (refused bool) {
	t.Helper()
	state, found, err := look(t, data)
	what = fmt.Sprintf(what, args...)
	if err != nil {
		require.ErrorIs(t, err, ErrCorrupt, what)
		require.ErrorContains(t, err, "at byte ", what)
		return true
	}
	for i := s.acked; i < len(s.states); i++ {
		if maps.Equal(s.states[i], state) {
			require.Equal(t, int64(len(data))-s.ends[i], found.Cut.Bytes, what)
			return false
		}
	}
	require.Fail(t, "the state was never that, or lacks what was acknowledged", "%s: %v", what, state)
	return false
}

func TestEveryBitFlipped(t *testing.T) {
	for _, unsynced := range []int{0, 3} {
		s := record(t, unsynced)
		same, refused := 0, 0
		for at := range s.file {
			bits := []int{0, 1, 2, 3, 4, 5, 6, 7}
			if s.filling(at) || testing.Short() {
				bits = bits[at%8:][:1]
			}
			if s.filling(at) && at%61 > 0 {
				continue
			}
			for _, bit := range bits {
				spoilt := bytes.Clone(s.file)
				spoilt[at] ^= 1 << bit
				if s.requireHonest(t, spoilt, "bit %d of byte %d", bit, at) {
					refused++
				} else {
					same++
				}
			}
		}
		require.Greater(t, refused, inShort(1, 8)*int(s.ends[s.acked]-headSize)-1, "every bit of what was acknowledged")
		require.Greater(t, same, headSize/100)
	}
}

// TestEveryByteChanged replaces every byte by bytes that are significant in the format: NUL,
// letters and digits of lengths.
func TestEveryByteChanged(t *testing.T) {
	s := record(t, 1)
	const harmful = "\x00\r\n$*0129Ss\xff"
	for at := headSize; at < len(s.file); at++ {
		for i, c := range []byte(harmful) {
			if s.file[at] == c || i%inShort(len(harmful), 1) != at%inShort(len(harmful), 1) {
				continue
			}
			spoilt := bytes.Clone(s.file)
			spoilt[at] = c
			require.Equal(t, int64(at) < s.ends[s.acked], s.requireHonest(t, spoilt, "byte %d is %q", at, c))
		}
	}
}

// inShort returns a number for a short or a full run.
func inShort(short, whole int) int {
	if testing.Short() {
		return short
	}
	return whole
}

// filling reports whether a byte of the head is unused.
func (s *story) filling(at int) bool {
	return at < headSize && at > 0 && s.file[at] == 0 && s.file[at-1] == 0
}

func TestEveryPrefix(t *testing.T) {
	for _, unsynced := range []int{0, 3} {
		s := record(t, unsynced)
		for cut := range s.file {
			if (s.filling(cut) && cut%61 > 0) || cut%inShort(7, 1) > 0 {
				continue
			}
			refused := s.requireHonest(t, s.file[:cut], "the first %d bytes", cut)
			require.Equal(t, int64(cut) < s.ends[s.acked], refused, "the first %d bytes", cut)
			refused = s.requireHonest(t, append(bytes.Clone(s.file[:cut]), make([]byte, len(s.file)-cut)...), "zeroes from byte %d", cut)
			require.Equal(t, int64(cut) < s.ends[s.acked], refused, "zeroes from byte %d", cut)
		}
	}
}

// TestEveryPageLost zeroes each sector and each page, like a disk that has lost one.
func TestEveryPageLost(t *testing.T) {
	s := record(t, 0)
	for _, size := range []int{sector, markPage} {
		for at := 0; at < len(s.file); at += size {
			spoilt := bytes.Clone(s.file)
			clear(spoilt[at:min(at+size, len(spoilt))])
			s.requireHonest(t, spoilt, "%d bytes from %d", size, at)
		}
	}
}

// TestUnsyncedWrites damages each of the last three writes, whose callers did not wait for
// durability, as a power cut may. The file must open with the batches before the first
// incomplete one.
func TestUnsyncedWrites(t *testing.T) {
	const writes = 3
	s := record(t, writes)
	first := len(s.states) - 1 - writes
	var try func(data []byte, n, whole int, what string)
	try = func(data []byte, n, whole int, what string) {
		if n == writes {
			state, _, err := look(t, data)
			require.NoError(t, err, what)
			require.Equal(t, s.states[first+whole], state, what)
			return
		}
		from, to := s.ends[first+n], s.ends[first+n+1]
		part := s.file[from:to]
		reached := whole
		if whole == n {
			reached++
		}
		try(written(bytes.Clone(data), from, part), n+1, reached, what+" whole")
		try(data, n+1, whole, what+" lost")
		try(written(bytes.Clone(data), from, make([]byte, len(part))), n+1, whole, what+" zero")
		for torn := 1; torn < len(part); torn += max(1, len(part)/inShort(2, 5)) {
			try(written(bytes.Clone(data), from, part[:torn]), n+1, whole, fmt.Sprint(what, " torn at ", torn))
			half := written(bytes.Clone(data), from+int64(torn), part[torn:])
			try(half, n+1, whole, fmt.Sprint(what, " begins at ", torn))
		}
	}
	try(s.file[:s.ends[first]], 0, 0, "writes:")
}

// TestLostBatchBeforeLaterOnes checks the effect of a power cut that reorders writes: zeros in
// place of an unacknowledged batch, followed by a later batch.
func TestLostBatchBeforeLaterOnes(t *testing.T) {
	s := record(t, 2)
	clear(s.file[s.ends[s.acked]:s.ends[s.acked+1]])
	state, found, err := look(t, s.file)
	require.NoError(t, err)
	require.Equal(t, s.states[s.acked], state)
	require.Equal(t, s.ends[s.acked], found.Cut.At)
	require.Equal(t, "db.cut-1", found.Cut.SavedAs)
}

// TestDamageBeforeAcknowledgedBatches removes both newest marks. The seals of later batches
// must be sufficient to refuse the file.
func TestDamageBeforeAcknowledgedBatches(t *testing.T) {
	s := record(t, 1)
	var h found
	copyOf := bytes.Clone(s.file)
	h = readHead(copyOf[:headSize])
	mark := h.salt.markTwice(headSize)
	copy(copyOf[markPage:], mark)
	copy(copyOf[2*markPage:], mark)
	copyOf[s.ends[2]+20] ^= 4
	_, _, err := look(t, copyOf)
	require.ErrorIs(t, err, ErrCorrupt)
	require.ErrorContains(t, err, fmt.Sprintf("at byte %d", s.ends[2]))
}

// TestForeignFrames checks that stored data which looks like a frame is not read as one.
func TestForeignFrames(t *testing.T) {
	other := record(t, 0)
	d := newSimDisk()
	db, err := open("db", d)
	require.NoError(t, err)
	require.NoError(t, store.Apply(t.Context(), db, batch("a", "1")))
	end := db.Size()
	_, err = db.Stage(t.Context(), batch("evil", string(other.file[headSize:])))
	require.NoError(t, err)
	require.NoError(t, db.table.Close())
	data := d.content("db")
	data[end+8] ^= 1
	state, found, err := look(t, data)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a": "1"}, state)
	require.Equal(t, end, found.Cut.At)
}

// TestStaleFrames checks that a frame of the same file at a wrong place is not read.
func TestStaleFrames(t *testing.T) {
	s := record(t, 0)
	frame := s.file[s.ends[1]:s.ends[2]]
	s.requireHonest(t, append(bytes.Clone(s.file), frame...), "a frame twice")
	state, found, err := look(t, append(bytes.Clone(s.file), frame...))
	require.NoError(t, err)
	require.Equal(t, s.states[len(s.states)-1], state)
	require.EqualValues(t, len(frame), found.Cut.Bytes)
}

// TestFrameAfterAnother checks that a complete frame at its place is not read if the bytes
// before it differ from those at the time of writing, as after a lost write.
func TestFrameAfterAnother(t *testing.T) {
	s := record(t, 0)
	salt := readHead(s.file[:headSize]).salt
	body := appendOps(nil, batch("b", "3.7", "long", strings.Repeat("\xff\x00", 9), "tail", "\x00\x00").Ops)
	old := frames{salt: salt, size: s.ends[2]}
	frame, _ := old.seal(append(body, delMore+"$1\r\na\r\n"...), headSize)
	frame = frame[:min(len(frame), int(s.ends[3]-s.ends[2]))]
	for _, marked := range []int64{s.ends[2], s.ends[7]} {
		data := bytes.Clone(s.file[:s.ends[4]])
		copy(data[s.ends[2]:], frame)
		copy(data[markPage:], salt.markTwice(marked))
		copy(data[2*markPage:], salt.markTwice(marked))
		_, _, err := look(t, data)
		require.ErrorIs(t, err, ErrCorrupt, "what follows was written when this was synced")
	}
}

// TestCutsAreBounded checks that repeated crashes do not fill the disk.
func TestCutsAreBounded(t *testing.T) {
	d := newSimDisk()
	db, err := open("db", d)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	whole := len(d.content("db"))
	for n := range maxCuts + 2 {
		d = d.killed()
		f := d.names["db"]
		f.now = append(f.now, bytes.Repeat([]byte("torn"), maxSaved/3)...)
		db, err := open("db", d)
		require.NoError(t, err)
		cut := db.Findings().Cut
		require.EqualValues(t, whole, cut.At)
		require.EqualValues(t, 4*(maxSaved/3), cut.Bytes)
		if n < maxCuts {
			require.Equal(t, fmt.Sprintf("db.cut-%d", n+1), cut.SavedAs)
			require.Len(t, d.content(cut.SavedAs), maxSaved)
			require.NoError(t, cut.Why)
		} else {
			require.Empty(t, cut.SavedAs)
			require.ErrorIs(t, cut.Why, errCutsFull)
		}
		require.NoError(t, db.Close())
	}
	require.Len(t, d.names, 1+maxCuts)
}

// TestTwoBitsFlipped flips one bit of the newest mark and one of the last batch, to which the
// mark refers, and pairs of bits anywhere.
func TestTwoBitsFlipped(t *testing.T) {
	s := record(t, 0)
	newest := readHead(s.file[:headSize]).slot * markPage
	for at := range markPage {
		if s.filling(newest + at) {
			continue
		}
		spoilt := bytes.Clone(s.file)
		spoilt[newest+at] ^= 1 << (at % 8)
		for last := s.ends[len(s.ends)-2]; last < int64(len(spoilt)); last += int64(inShort(70, 7)) {
			spoilt[last] ^= 4
			require.True(t, s.requireHonest(t, spoilt, "byte %d of the mark and byte %d", at, last))
			spoilt[last] ^= 4
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	interesting := func() int {
		for {
			if at := random.IntN(len(s.file)); !s.filling(at) {
				return at
			}
		}
	}
	for range inShort(200, 2000) {
		spoilt := bytes.Clone(s.file)
		one, two := interesting(), interesting()
		spoilt[one] ^= 1 << random.IntN(8)
		spoilt[two] ^= 1 << random.IntN(8)
		s.requireHonest(t, spoilt, "bits of bytes %d and %d", one, two)
	}
}

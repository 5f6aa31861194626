package bunt

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzOpen makes one or two changes to a store's file. Five bytes describe a change: the kind
// of change, the offset (two bytes), the number of bytes, and an argument. Acknowledged batches
// are present, or the file is refused; no other state appears; Check reports the same; and
// memory use is bounded by the file's size.
//
// More changes could destroy both copies of the newest mark, the last batch before it, and all
// later frames, which leaves a valid file without that batch.
func FuzzOpen(f *testing.F) {
	s := record(f, 2)
	f.Add([]byte{0, 0x30, 20, 1, 1})
	f.Add([]byte{0, 0, 5, 1, 9, 1, 0x30, 40, 40, 0})
	f.Add([]byte{2, 0x31, 0, 90, 7, 3, 0x30, 90, 60, 0})
	f.Add([]byte{4, 0x10, 0, 8, 0, 4, 0x20, 0, 8, 0})
	f.Add([]byte{5, 0x31, 0, 200, 0})
	f.Fuzz(func(t *testing.T, changes []byte) {
		data := bytes.Clone(s.file)
		for range 2 {
			if len(changes) < 5 || len(data) == 0 {
				break
			}
			data = changed(data, changes[:5])
			changes = changes[5:]
		}
		requireBounded(t, len(data), func() { requireKnownState(t, &s, data) })
	})
}

// changed makes a change as described at FuzzOpen.
func changed(data, change []byte) []byte {
	at := (int(change[1])<<8 | int(change[2])) % len(data)
	end := min(len(data), at+int(change[3]))
	switch part := bytes.Clone(data[at:end]); change[0] % 6 {
	case 0: // flips a bit
		data[at] ^= 1 << (change[4] % 8)
	case 1: // removes a part
		data = append(data[:at], data[end:]...)
	case 2: // repeats a part
		data = append(data[:end:end], append(part, data[end:]...)...)
	case 3: // moves a part to the place after the head
		if len(data) > headSize {
			copy(data[headSize+int(change[4])%(len(data)-headSize):], part)
		}
	case 4: // zeroes a part
		clear(data[at:end])
	case 5: // truncates the file
		data = data[:at]
	}
	return data
}

// requireKnownState opens a modified copy of a story's file.
func requireKnownState(t *testing.T, s *story, data []byte) {
	t.Helper()
	r, checkErr := Check(bytes.NewReader(data), sizeOf(data), nil)
	refused := s.requireHonest(t, data, "%d bytes", len(data))
	require.Equal(t, !refused, checkErr == nil && r.Err() == nil, "check says %v %v", checkErr, r.Err())
}

// sizeOf returns the size function of a file that does not change.
func sizeOf(data []byte) func() (int64, error) {
	return func() (int64, error) { return int64(len(data)), nil }
}

// requireBounded fails if do allocates more memory than several copies of the file and the
// fixed cost of opening it.
func requireBounded(t *testing.T, size int, do func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4<<20+200*size))
}

// TestCheckWhileItGrows checks that data acknowledged after the file was opened is not reported
// as lost.
func TestCheckWhileItGrows(t *testing.T) {
	s := record(t, 0)
	for n := range s.ends {
		data := bytes.Clone(s.file)
		now := bytes.NewReader(data[:s.ends[n]])
		size := func() (int64, error) { // the node writes before the size is determined
			now.Reset(data)
			return int64(len(data)), nil
		}
		r, err := Check(now, size, nil)
		require.NoError(t, err)
		require.NoError(t, r.Err())
		require.Equal(t, s.ends[len(s.ends)-1], r.End)
	}
}

package bunt

import (
	"bytes"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzOpen changes a store's file in any way: bytes that are set, parts that are cut out,
// doubled or appended. It never panics and never has data that was never there; what was
// acknowledged is there, or the file is refused. A check of the file says the same.
func FuzzOpen(f *testing.F) {
	s := tell(f, 2)
	f.Add(uint32(headSize+20), []byte{1}, uint32(0), uint32(0), uint8(0))
	f.Add(uint32(5), []byte("9"), uint32(markPage), uint32(40), uint8(1))
	f.Add(uint32(len(s.file)), s.file[s.ends[1]:s.ends[2]], uint32(0), uint32(0), uint8(2))
	f.Add(uint32(s.ends[3]), s.file[s.ends[1]:s.ends[2]], uint32(s.ends[2]), uint32(60), uint8(3))
	f.Fuzz(func(t *testing.T, at uint32, put []byte, from, length uint32, how uint8) {
		data := bytes.Clone(s.file)
		at %= uint32(len(data) + 1)
		from %= uint32(len(data))
		length %= uint32(len(data)) - from + 1
		part := bytes.Clone(data[from : from+length])
		switch how % 4 {
		case 0: // overwritten
			data = written(data, int64(at), put)
		case 1: // cut out
			data = append(data[:from], data[from+length:]...)
		case 2: // put between
			data = append(data[:at:at], append(bytes.Clone(put), data[at:]...)...)
		case 3: // moved over something else
			data = written(written(data, int64(at), part), int64(from), put)
		}
		requireKnownState(t, &s, data)
	})
}

// requireKnownState opens a file that is a changed copy of a story's. Its marks may be
// changed too, and then say less than was acknowledged; but no state is invented.
func requireKnownState(t *testing.T, s *story, data []byte) {
	t.Helper()
	r, checkErr := Check(bytes.NewReader(data), int64(len(data)), nil)
	state, found, err := look(t, data)
	require.Equal(t, err == nil, checkErr == nil && r.Err() == nil, "check says %v %v, open %v", checkErr, r.Err(), err)
	if err != nil || found.Upgraded {
		return // one without a head at all is of format 1, which had no checksums
	}
	for _, known := range s.states {
		if maps.Equal(known, state) {
			return
		}
	}
	require.Fail(t, "the state was never that", "%v", state)
}

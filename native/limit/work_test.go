package limit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type silent struct{ ended int }

func (s *silent) End() { s.ended++ }

// After Close, no streams can be opened, and open streams end.
func TestNoEventStreamsWhileClosing(t *testing.T) {
	w, s := NewWork(1, time.Second, 1), &silent{}
	require.NoError(t, w.Admit(s))
	require.ErrorIs(t, w.Admit(&silent{}), ErrStreams)
	w.Close()
	require.Equal(t, 1, s.ended)
	w.Dismiss(s)
	require.ErrorIs(t, w.Admit(&silent{}), ErrClosing)
}

// A waiting request holds no slot, and gets one again afterwards. A batch of a client without a
// password needs a second slot until the client sends its password.
func TestRequestWaitsWithoutItsSlot(t *testing.T) {
	w, m := NewWork(1, time.Millisecond, 1), NewMemory(1000, 100)
	var waiting, other Request
	waiting.Begin(m, nil, "a", 0, false)
	other.Begin(m, nil, "b", 0, false)
	require.NoError(t, waiting.Start(w, true))
	require.ErrorIs(t, other.Start(w, false), ErrBusy)
	require.NoError(t, waiting.Wait(func() error {
		require.NoError(t, other.Start(w, true))
		other.Done()
		return nil
	}))
	require.ErrorIs(t, other.Start(w, false), ErrBusy)
	waiting.Prove()
	require.Empty(t, w.batches)
	waiting.Done()
	require.NoError(t, other.Start(w, false))
	other.Done()
	w.Close()
	require.ErrorIs(t, other.Start(w, false), ErrClosing)
	require.Empty(t, w.slots)
}

package event

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParseClient(t *testing.T) {
	for text, want := range map[string]uint64{"": 0, "0": 0, "7": 7, "18446744073709551615": math.MaxUint64} {
		id, err := ParseClient(text)
		require.NoError(t, err, text)
		require.Equal(t, want, id, text)
	}
	for _, text := range []string{"x", "-1", "+1", "1.0", " 1", "0x1", "1_0", "18446744073709551616"} {
		_, err := ParseClient(text)
		require.ErrorIs(t, err, ErrClient, text)
		require.ErrorContains(t, err, fmt.Sprintf("got %q", text))
	}
}

func TestParsePosition(t *testing.T) {
	require.Nil(t, ParsePosition("", ""))
	for _, c := range []struct {
		header, parameter string
		want              uint64
	}{
		{"5", "", 5}, {"", "6", 6}, {"5", "6", 5}, {"0", "6", 0},
		{"x", "6", math.MaxUint64}, {"", "-1", math.MaxUint64},
	} {
		require.Equal(t, c.want, *ParsePosition(c.header, c.parameter), c)
	}
}

// TestBlocks compares the bytes of a stream.
func TestBlocks(t *testing.T) {
	c := &Connection{start: 4}
	require.Equal(t, "begun retry: 2000\nid: 4\n\n", string(c.AppendStart([]byte("begun "))))
	require.Equal(t, "begun id: 5\ndata: "+beat+"\n\n", string(Event{5, beat}.Append([]byte("begun "))))

	const comment = ": keep-alive\n\n"
	over := fmt.Errorf("wrapped: %w", context.DeadlineExceeded)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithDeadline(t.Context(), time.Time{})
	defer cancel()
	for _, c := range []struct {
		ctx  context.Context
		err  error
		text string
		ends bool
	}{
		{t.Context(), ErrProbed, comment, false},
		{t.Context(), over, comment, false},
		{ended, over, "", true},
		{late, over, "", true},
		{ended, context.Canceled, "", true},
		{t.Context(), ErrTakenOver, "retry: 30000\ndata: {\"_type\":\"ERROR:TAKEN_OVER\",\"message\":{}}\n\n", true},
		{t.Context(), ErrClosed, "", true},
		{t.Context(), ErrStopped, "", true},
	} {
		text, end := After(c.ctx, c.err)
		require.Equal(t, c.text, string(text), c.err)
		if c.ends {
			require.ErrorIs(t, end, c.err)
		} else {
			require.NoError(t, end)
		}
	}
}

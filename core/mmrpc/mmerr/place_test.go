package mmerr

import (
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHandshakeEviction checks that each error with a kind adds its place, and that other
// errors add none.
func TestHandshakeEviction(t *testing.T) {
	inner := NotRunning.From(io.EOF, None{}, "x")
	err := EnableError.From(fmt.Errorf("wrapped: %w", inner), "", "y")
	places := Places(err)
	require.Len(t, places, 2)
	require.Equal(t, "place_test", places[0].File)
	require.Equal(t, places[1].Line+1, places[0].Line)
	require.Empty(t, Places(io.EOF))
}

func TestRenderings(t *testing.T) {
	for _, c := range []struct {
		places      []Place
		path, trace string
	}{
		{nil, "", ""},
		{[]Place{{"heartbeat", 35}}, "heartbeat", "heartbeat:35]"},
		{[]Place{{"mm_error", 10}, {"mm_error", 5}}, "mm_error", "mm_error:10] mm_error:5]"},
		{[]Place{{"a", 1}, {"b", 2}, {"b", 3}, {"a", 4}}, "a.b.a", "a:1] b:2] b:3] a:4]"},
	} {
		require.Equal(t, c.path, Path(c.places))
		require.Equal(t, c.trace, Trace(c.places))
	}
}

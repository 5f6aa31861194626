package trace

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHereKeepsTheError(t *testing.T) {
	err := Here(fmt.Errorf("read: %w", Here(io.EOF)))
	require.EqualError(t, err, "read: EOF")
	require.ErrorIs(t, err, io.EOF)
	require.NoError(t, Here(nil))

	places := Places(err)
	require.Len(t, places, 2)
	for _, p := range places {
		require.Equal(t, "trace_test", p.File)
		require.Equal(t, 13, p.Line)
	}
	require.Empty(t, Places(errors.New("nobody noted where")))
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

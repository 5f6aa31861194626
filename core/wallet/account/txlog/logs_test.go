package txlog

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLogs checks that each history is loaded once it is requested, before or after the start.
func TestLogs(t *testing.T) {
	loaded := make(chan string, 10)
	s := NewLogs(func(address string) *Log {
		return New(Config{Address: address, Load: func(ctx context.Context) (bool, error) {
			select {
			case loaded <- address:
				return true, nil // prevents that it is loaded again soon
			case <-ctx.Done():
				return false, ctx.Err()
			}
		}})
	})
	first, err := s.Log("a")
	require.NoError(t, err)
	require.Empty(t, loaded, "nothing runs yet")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	require.Equal(t, "a", <-loaded)
	again, err := s.Log("a")
	require.NoError(t, err)
	require.Same(t, first, again)
	_, err = s.Log("b")
	require.NoError(t, err)
	require.Equal(t, "b", <-loaded)
	s.Wake()
	require.ElementsMatch(t, []string{"a", "b"}, []string{<-loaded, <-loaded})
	for n := range MaxLogs - 2 {
		_, err = s.Log(fmt.Sprint(n))
		require.NoError(t, err)
		<-loaded
	}
	_, err = s.Log("c")
	require.ErrorIs(t, err, ErrTooManyLogs)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
}

package rpc

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTransportWait checks that a call in the same process waits with its own context, while a
// transport may choose another one.
func TestTransportWait(t *testing.T) {
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, "own")
	errWait := errors.New("waited")
	seen := func(want any) func(context.Context) error {
		return func(ctx context.Context) error {
			require.Equal(t, want, ctx.Value(key{}))
			return errWait
		}
	}
	require.ErrorIs(t, TransportOf(ctx).Wait(ctx, seen("own")), errWait)

	other := context.WithValue(t.Context(), key{}, "the transport's")
	ctx = WithTransport(ctx, Transport{Waiter: func(wait func(context.Context) error) error { return wait(other) }})
	require.ErrorIs(t, TransportOf(ctx).Wait(ctx, seen("the transport's")), errWait)
	require.False(t, TransportOf(ctx).HasLeft())
	require.True(t, TransportOf(ctx).WhenUnread(func() { t.Error("it is read") })())
}

// TestReadingContextForMany checks that all goroutines that wait for the context of a call are
// released when its client disconnects and when the call ends.
func TestReadingContextForMany(t *testing.T) {
	for _, hangUp := range []bool{true, false} {
		var mu sync.Mutex
		var leave []func()
		ctx := WithTransport(t.Context(), Transport{Unread: func(do func()) func() bool {
			mu.Lock()
			defer mu.Unlock()
			leave = append(leave, do)
			return func() bool { return true }
		}})
		var waiting sync.WaitGroup
		read := Handle("read", Doc{Reads: true}, func(ctx context.Context, _ struct{}) (bool, error) {
			begun := make(chan struct{}, 50)
			for range cap(begun) {
				waiting.Go(func() {
					begun <- struct{}{}
					<-ctx.Done()
					require.ErrorIs(t, ctx.Err(), context.Canceled)
				})
			}
			for range cap(begun) {
				<-begun
			}
			if hangUp {
				done := ctx.Done() // the transport has been registered by now at the latest
				mu.Lock()
				hangsUp := leave[0]
				mu.Unlock()
				hangsUp()
				<-done
			}
			return true, nil
		})
		_, err := read.Named(ctx, nil, Rules{})
		require.NoError(t, err)
		waiting.Wait()
		require.LessOrEqual(t, len(leave), 1, "the transport is asked once")
		require.NoError(t, ctx.Err())
	}
}

package rpc

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTransportWait: a call inside the process waits by its own context; a transport chooses
// another one.
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

// TestReadingContextForMany has many goroutines wait for the context of one call, while its
// client hangs up and while it ends: all of them are released.
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
				done := ctx.Done() // the transport is asked now at the latest
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

package cosmos

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/guard"
	"obverse/core/net/fetch"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/nodetest"
)

func mad(context.Context, fetch.Request) (fetch.Response, error) { panic("s3cret") }

// counted counts panics.
func counted(t *testing.T) (ctx context.Context, panics *atomic.Int64) {
	panics = new(atomic.Int64)
	return guard.With(t.Context(), func(*guard.Panic) { panics.Add(1) }), panics
}

// A response that makes its decoder panic fails only the activation or the query. Once the node
// recovers, so does the coin.
func TestNodesWhoseAnswersPanic(t *testing.T) {
	kv := bunttest.Memory(t) // opened outside the bubble because buntdb has a goroutine
	synctest.Test(t, func(t *testing.T) {
		ctx, panics := counted(t)
		b := openBench(t, kv)
		b.net.Set(atomURL, mad)
		_, err := b.Activate(ctx, atom())
		require.ErrorIs(t, err, coin.ErrTransport)
		require.Empty(t, b.active())
		require.Positive(t, panics.Load())

		b.net.Set(atomURL, nodetest.Well(b.gaiad))
		p := atom("HUGE-IBC_ATOM")
		p.History = true
		_, err = b.Activate(ctx, p)
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		ended := make(chan error, 1)
		go func() { ended <- b.Active.Run(ctx) }()
		b.net.Set(atomURL, mad)
		panics.Store(0)
		time.Sleep(10 * time.Minute)
		require.Positive(t, panics.Load(), "the nodes are looked after")
		platform := get[*Platform](t, b, "ATOM")
		_, err = platform.Balance(ctx)
		require.ErrorIs(t, err, coin.ErrTransport)
		require.NotContains(t, err.Error(), "s3cret")
		require.ErrorIs(t, platform.WatchBalances(ctx, nil), coin.ErrTransport)

		b.net.Set(atomURL, nodetest.Well(b.gaiad))
		time.Sleep(10 * time.Minute)
		_, err = platform.Balance(ctx)
		require.NoError(t, err)
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
	})
}

// cracking is a dialer of websockets that panic after some messages.
type cracking struct {
	fetch.Dialer
	whole *atomic.Int64 // number of messages before the panic
}

type cracked struct {
	fetch.Socket
	whole *atomic.Int64
}

func (c cracking) Dial(ctx context.Context, r fetch.Request) (fetch.Socket, error) {
	socket, err := c.Dialer.Dial(ctx, r)
	return cracked{socket, c.whole}, err
}

func (c cracked) Read(ctx context.Context) ([]byte, error) {
	message, err := c.Socket.Read(ctx)
	if c.whole.Add(-1) == -1 {
		panic("s3cret")
	}
	return message, err
}

// TestMessagesThatPanic checks that a message which makes its decoder panic ends the
// connection, and that the client connects again.
func TestMessagesThatPanic(t *testing.T) {
	kv := bunttest.Memory(t)
	synctest.Test(t, func(t *testing.T) {
		ctx, panics := counted(t)
		b := openBench(t, kv)
		b.listening()
		var whole atomic.Int64
		whole.Store(3) // the status and both subscriptions
		b.Dialer = cracking{b.sockets, &whole}
		_, err := b.Activate(ctx, atom())
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(ctx)
		ended := make(chan error, 2)
		go func() { ended <- b.Active.Run(ctx) }()
		updates := make(chan []coin.TickerBalance, 10)
		go func() {
			ended <- get[*Platform](t, b, "ATOM").WatchBalances(ctx, func(balances []coin.TickerBalance) error { updates <- balances; return nil })
		}()
		time.Sleep(time.Minute) // the next ping is due, whose answer panics
		require.EqualValues(t, 1, panics.Load())
		b.gaiad.Give(atomAddress, "uatom", "9")
		b.gaiad.Announce(atomAddress)
		time.Sleep(5 * time.Minute)
		require.Len(t, updates, 1)
		require.EqualValues(t, 2, b.gaiad.CallCount("websocket"), "it is listened to")
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
		require.ErrorIs(t, <-ended, context.Canceled)
	})
}

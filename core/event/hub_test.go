package event

import (
	"context"
	"crypto/rand"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestEventsComeInOrder(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, h *Hub) {
		c := connect(t, h, 7)
		require.Zero(t, c.Start())
		enable(t, h, 7, named("X"))
		publish(t, h, 1, 3)
		for n := 1; n <= 3; n++ {
			requireNext(t, c, uint64(n), x(n))
		}
		requireNone(t, c)
	})
}

// TestNextWaits checks that Next waits for an event and ends with its context.
func TestNextWaits(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, h *Hub) {
		c := connect(t, h, 7)
		enable(t, h, 7, named("X"))
		got := make(chan Event, 1)
		go func() {
			e, err := c.Next(t.Context())
			if err == nil {
				got <- e
			}
		}()
		synctest.Wait()
		require.Empty(t, got)
		publish(t, h, 1, 1)
		require.Equal(t, Event{1, x(1)}, <-got)

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.Next(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		publish(t, h, 2, 2)
		_, err = c.Next(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded, "an ended context takes no event")
		requireNext(t, c, 2, x(2))
	})
}

// TestResume checks that a client that was disconnected receives exactly the events that it has
// missed.
func TestResume(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, h *Hub) {
		c := connect(t, h, 7)
		enable(t, h, 7, named("X"))
		publish(t, h, 1, 5)
		requireNext(t, c, 1, x(1))
		requireNext(t, c, 2, x(2))
		c.Close()
		publish(t, h, 6, 7)
		time.Sleep(59 * time.Second)

		c = resume(t, h, 7, 2)
		require.Equal(t, uint64(2), c.Start())
		for n := 3; n <= 7; n++ {
			requireNext(t, c, uint64(n), x(n))
		}
		publish(t, h, 8, 8)
		requireNext(t, c, 8, x(8))
		requireNone(t, c)
		time.Sleep(time.Hour)
		requireNone(t, c) // a connected client is never forgotten
		publish(t, h, 9, 9)
		requireNext(t, c, 9, x(9))
	})
}

func TestConnectWithoutAPosition(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, h *Hub) {
		connect(t, h, 7)
		enable(t, h, 7, named("X"))
		publish(t, h, 1, 3)
		c := connect(t, h, 7)
		require.Equal(t, uint64(3), c.Start())
		requireNone(t, c)
		publish(t, h, 4, 4)
		requireNext(t, c, 4, x(4))
	})
}

// TestResumeFromNowhere checks that unknown positions are reported and live events continue.
func TestResumeFromNowhere(t *testing.T) {
	const forgotten = `{"_type":"ERROR:FORGOTTEN","message":{}}`
	for name, c := range map[string]struct {
		known bool
		last  uint64
		start uint64
	}{
		"a client of before":      {false, 57, 57},
		"a client without events": {false, 0, 0},
		"the highest position":    {false, math.MaxInt64, math.MaxInt64},
		"beyond it":               {false, math.MaxInt64 + 1, 0},
		"the last number":         {false, math.MaxUint64, 0},
		"a known client":          {true, 4, 3},
		"known, the last number":  {true, math.MaxUint64, 3},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, Config{}, func(t *testing.T, h *Hub) {
				if c.known {
					connect(t, h, 7)
					enable(t, h, 7, named("X"))
					publish(t, h, 1, 3)
				}
				conn := resume(t, h, 7, c.last)
				require.Equal(t, c.start, conn.Start())
				if c.last == c.start {
					conn = resume(t, h, 7, c.last) // the previous connection has not delivered any events
				}
				requireNext(t, conn, c.start+1, forgotten)
				if !c.known {
					enable(t, h, 7, named("X"))
				}
				publish(t, h, 9, 9)
				requireNext(t, conn, c.start+2, x(9))
				conn.Close()
				conn = resume(t, h, 7, c.start+1)
				requireNext(t, conn, c.start+2, x(9))
				requireNone(t, conn)
			})
		})
	}
}

// TestSlowClient checks that a client that reads too slowly loses the oldest events and
// receives their number.
func TestSlowClient(t *testing.T) {
	inBubble(t, Config{Buffer: 4}, func(t *testing.T, h *Hub) {
		slow, quick := connect(t, h, 1), connect(t, h, 2)
		enable(t, h, 1, named("X"))
		enable(t, h, 2, named("X"))
		for n := 1; n <= 10; n++ {
			publish(t, h, n, n)
			requireNext(t, quick, uint64(n), x(n))
		}
		requireNext(t, slow, 6, `{"_type":"ERROR:LAGGED","message":{"dropped":6}}`)
		for n := 7; n <= 10; n++ {
			requireNext(t, slow, uint64(n), x(n))
		}
		requireNone(t, slow)
		require.Equal(t, 6, gauge(t, h, "event_dropped_events_total"))

		publish(t, h, 11, 15)
		requireNext(t, slow, 11, `{"_type":"ERROR:LAGGED","message":{"dropped":1}}`)
		requireNext(t, slow, 12, x(12))
		require.Equal(t, 7, gauge(t, h, "event_dropped_events_total"))

		slow = resume(t, h, 1, 11) // like a client that disconnected after the report
		requireNext(t, slow, 12, x(12))
		slow = resume(t, h, 1, 9)
		requireNext(t, slow, 11, `{"_type":"ERROR:LAGGED","message":{"dropped":2}}`)
	})
}

func TestTakeOver(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, h *Hub) {
		first := connect(t, h, 7)
		enable(t, h, 7, named("X"))
		publish(t, h, 1, 2)
		requireNext(t, first, 1, x(1))
		waiting := make(chan error, 1)
		second := resume(t, h, 7, 1)
		requireEnded(t, first, ErrTakenOver)
		requireNext(t, second, 2, x(2))
		go func() {
			_, err := second.Next(t.Context())
			waiting <- err
		}()
		synctest.Wait()
		third := connect(t, h, 7)
		require.ErrorIs(t, <-waiting, ErrTakenOver)

		first.Close()
		second.Close()
		requireEnded(t, second, ErrTakenOver)
		time.Sleep(time.Hour)
		publish(t, h, 3, 3)
		requireNext(t, third, 3, x(3))
		require.Equal(t, 1, gauge(t, h, "event_streams_open"))
	})
}

// TestConnectWhileConnected checks that a client without a credential can only resume its
// stream while it is away.
func TestConnectWhileConnected(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, h *Hub) {
		first := connect(t, h, 7)
		enable(t, h, 7, named("X"))
		_, err := h.Connect(7, nil)
		require.ErrorIs(t, err, ErrConnected)
		publish(t, h, 1, 1)
		requireNext(t, first, 1, x(1))
		require.Equal(t, 1, gauge(t, h, "event_streams_open"))

		first.Close()
		publish(t, h, 2, 2)
		last := uint64(1)
		second, err := h.Connect(7, &last)
		require.NoError(t, err)
		requireNext(t, second, 2, x(2))
	})
}

// TestProbe checks that a probe wakes the connection without ending it, and not more often than
// allowed.
func TestProbe(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, h *Hub) {
		require.Nil(t, h.Probe(7))
		c := connect(t, h, 7)
		enable(t, h, 7, named("X"))
		left := h.Probe(7)
		for range 5 {
			require.NotNil(t, h.Probe(7))
		}
		_, err := c.Next(t.Context())
		require.ErrorIs(t, err, ErrProbed)
		require.NotNil(t, h.Probe(7))
		requireNone(t, c)
		time.Sleep(probePause)
		h.Probe(7)
		_, err = c.Next(t.Context())
		require.ErrorIs(t, err, ErrProbed)
		publish(t, h, 1, 1)
		requireNext(t, c, 1, x(1))

		select {
		case <-left:
			require.Fail(t, "the connection is open")
		default:
		}
		c.Close()
		<-left
		require.Nil(t, h.Probe(7))
		left = func() <-chan struct{} { connect(t, h, 7); return h.Probe(7) }()
		connect(t, h, 7)
		<-left
	})
}

func TestClose(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, h *Hub) {
		c := connect(t, h, 7)
		c.Close()
		requireEnded(t, c, ErrClosed)
		c.Close()
		require.Zero(t, gauge(t, h, "event_streams_open"))
	})
}

// TestDefaults checks that a slow reader keeps the newest events, and that a client that is
// away for a minute is forgotten.
func TestDefaults(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, h *Hub) {
		require.Equal(t, time.Minute, h.config.Keep)
		require.Equal(t, 4096, h.config.Clients)
		require.Equal(t, 4096, maxTickets)
		const stored, lost = 1024, 3
		slow := connect(t, h, 1)
		enable(t, h, 1, named("X"))
		publish(t, h, 1, stored+lost)
		requireNext(t, slow, lost, `{"_type":"ERROR:LAGGED","message":{"dropped":3}}`)
		for n := lost + 1; n <= stored+lost; n++ {
			requireNext(t, slow, uint64(n), x(n))
		}
		requireNone(t, slow)
	})
}

// TestForget checks that a client's subscriptions and events are kept for a minute each time it
// disconnects.
func TestForget(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, h *Hub) {
		c := connect(t, h, 7)
		enable(t, h, 7, named("X"))
		require.Equal(t, 1, gauge(t, h, "event_clients_subscribed"))
		for range 3 {
			c.Close()
			time.Sleep(50 * time.Second)
			c = connect(t, h, 7)
			publish(t, h, 1, 1)
			requireNext(t, c, c.Start()+1, x(1))
		}
		c.Close()
		time.Sleep(time.Minute - 1)
		require.Equal(t, 1, gauge(t, h, "event_clients_subscribed"))
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		require.Zero(t, gauge(t, h, "event_clients_subscribed"))
		require.Empty(t, h.clients)
		require.Empty(t, h.streams)
		require.Empty(t, h.schedule.tasks)

		c = connect(t, h, 7)
		enable(t, h, 7, named("X"))
		publish(t, h, 2, 2)
		requireNext(t, c, 1, x(2))
	})
}

func TestTooManyClients(t *testing.T) {
	inBubble(t, Config{Clients: 2}, func(t *testing.T, h *Hub) {
		first := connect(t, h, 1)
		connect(t, h, 2)
		_, err := h.Connect(3, nil)
		require.ErrorIs(t, err, ErrTooManyClients)
		second := connect(t, h, 2) // a known client

		enable(t, h, 1, named("X"))
		enable(t, h, 2, named("X"))
		first.Close()
		time.Sleep(time.Second)
		second.Close()
		connect(t, h, 3) // replaces the client that has been away longest
		require.NotContains(t, h.clients, uint64(1))
		require.Len(t, h.streams["X"].listeners, 1)
		publish(t, h, 1, 1)
		second = resume(t, h, 2, 0)
		requireNext(t, second, 1, x(1))
		_, err = h.Connect(1, nil)
		require.ErrorIs(t, err, ErrTooManyClients)
	})
}

// TestStop checks that all connections end with the hub.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(Config{Now: time.Now})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- h.Run(ctx) }()
		c := connect(t, h, 1)
		waiting := make(chan error, 1)
		go func() {
			_, err := c.Next(t.Context())
			waiting <- err
		}()
		synctest.Wait()
		stop()
		require.ErrorIs(t, <-ended, context.Canceled)
		require.ErrorIs(t, <-waiting, ErrStopped)
		_, err := h.Connect(2, nil)
		require.ErrorIs(t, err, ErrStopped)
		c.Close()
	})
}

// TestEventComesWithoutCalls checks that timers alone wake the program, as in a page with idle
// scripts. Other timers expire and are stopped before the first heartbeat is due; without it,
// Run would sleep for long.
func TestEventComesWithoutCalls(t *testing.T) {
	h := New(Config{Now: time.Now, Random: rand.Reader})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	time.Sleep(10 * time.Millisecond)
	c := connect(t, h, 1)
	var others []*time.Timer
	for range 4 {
		others = append(others, time.AfterFunc(time.Hour, func() {}))
	}
	time.AfterFunc(50*time.Millisecond, func() {
		for _, other := range others {
			other.Stop()
		}
	})
	enable(t, h, 1, Heartbeat{100 * time.Millisecond})
	for id := range uint64(2) {
		requireNext(t, c, id+1, beat)
	}
	stop()
	require.ErrorIs(t, <-ended, context.Canceled)
}

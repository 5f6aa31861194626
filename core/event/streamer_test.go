package event

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestHeartbeats checks that each client has its own interval, starting with its subscription.
func TestHeartbeats(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, h *Hub) {
		start := time.Now()
		quick, slow := connect(t, h, 1), connect(t, h, 2)
		enable(t, h, 1, Heartbeat{100 * time.Millisecond})
		time.Sleep(50 * time.Millisecond)
		enable(t, h, 2, Heartbeat{time.Hour})
		for n := 1; n <= 35; n++ {
			requireNext(t, quick, uint64(n), beat)
			require.Equal(t, time.Duration(n)*100*time.Millisecond, time.Since(start))
		}
		requireNext(t, slow, 1, beat)
		require.Equal(t, time.Hour+50*time.Millisecond, time.Since(start))

		first, second := h.clients[1].history, h.clients[2].history
		require.Same(t, first.get(first.end), second.get(1), "all clients share one text")
	})
}

// TestHeartbeatsSleptThrough checks that a hub that was asleep, together with its machine, does
// not send the missed heartbeats.
func TestHeartbeatsSleptThrough(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	h := New(Config{Now: func() time.Time { return now }})
	c := connect(t, h, 1)
	enable(t, h, 1, Heartbeat{time.Second})
	work := func(later time.Duration) time.Duration {
		now = now.Add(later)
		return h.work(t.Context(), nil)
	}
	require.Equal(t, time.Second, work(0))
	require.Equal(t, 900*time.Millisecond, work(1100*time.Millisecond))
	require.Equal(t, 900*time.Millisecond, work(time.Second), "a late one does not put off the next")
	require.Equal(t, time.Second, work(time.Hour))
	for id := range 3 {
		requireNext(t, c, uint64(id+1), beat)
	}
	requireNone(t, c)
}

func TestEnableAndDisable(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, h *Hub) {
		_, err := h.Enable(1, Heartbeat{time.Second})
		require.ErrorIs(t, err, ErrUnknownClient)
		require.ErrorIs(t, h.Disable(1, HeartbeatID), ErrUnknownClient)

		c := connect(t, h, 1)
		_, err = h.Enable(1, Heartbeat{})
		require.ErrorIs(t, err, ErrInterval)
		require.ErrorIs(t, h.Disable(1, HeartbeatID), ErrStreamerNotFound)
		enable(t, h, 1, Heartbeat{time.Second})
		_, err = h.Enable(1, Heartbeat{time.Minute})
		require.ErrorIs(t, err, ErrAlreadyListening)
		requireNext(t, c, 1, beat)

		connect(t, h, 2)
		require.ErrorIs(t, h.Disable(2, HeartbeatID), ErrStreamerNotFound, "another client listens")
		enable(t, h, 2, Heartbeat{time.Second})
		require.NoError(t, h.Disable(1, HeartbeatID))
		time.Sleep(time.Minute)
		requireNone(t, c)
		require.ErrorIs(t, h.Disable(1, HeartbeatID), ErrStreamerNotFound)
		enable(t, h, 1, Heartbeat{time.Hour})
		requireNext(t, c, 2, beat)

		c.Close()
		_, err = h.Enable(1, Heartbeat{time.Second})
		require.ErrorIs(t, err, ErrUnknownClient)
		require.NoError(t, h.Disable(1, HeartbeatID), "it is away, and remembered")
		require.ErrorIs(t, h.Disable(1, HeartbeatID), ErrStreamerNotFound)
		time.Sleep(time.Minute)
		synctest.Wait()
		require.ErrorIs(t, h.Disable(1, HeartbeatID), ErrUnknownClient, "it is forgotten")
	})
}

// TestDisableWhileAway checks that a client that ended a stream while it was away receives none
// of its events, and may subscribe again.
func TestDisableWhileAway(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, h *Hub) {
		u := newUpstream("BALANCE:IRIS")
		c := connect(t, h, 1)
		enable(t, h, 1, Heartbeat{time.Second})
		enable(t, h, 1, u)
		source := <-u.runs
		requireNext(t, c, 1, beat)
		c.Close()
		time.Sleep(1500 * time.Millisecond)
		require.NoError(t, h.Disable(1, HeartbeatID))
		require.NoError(t, h.Disable(1, "BALANCE:IRIS"))
		require.Error(t, source.Err(), "no other listener")
		require.Empty(t, h.streams)
		time.Sleep(10 * time.Second)
		c = resume(t, h, 1, 1)
		requireNext(t, c, 2, beat)
		requireNone(t, c)
		enable(t, h, 1, Heartbeat{time.Second})
		requireNext(t, c, 3, beat)
	})
}

// TestHeartbeatsWhileAway checks that heartbeats continue for a client that is away briefly.
func TestHeartbeatsWhileAway(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, h *Hub) {
		c := connect(t, h, 1)
		enable(t, h, 1, Heartbeat{time.Second})
		requireNext(t, c, 1, beat)
		c.Close()
		time.Sleep(3500 * time.Millisecond)
		c = resume(t, h, 1, 1)
		for id := uint64(2); id <= 4; id++ {
			requireNext(t, c, id, beat)
		}
		requireNone(t, c)
		_, err := h.Enable(1, Heartbeat{time.Second})
		require.ErrorIs(t, err, ErrAlreadyListening)
	})
}

func TestPublish(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, h *Hub) {
		a, b, c := connect(t, h, 1), connect(t, h, 2), connect(t, h, 3)
		enable(t, h, 1, named("BALANCE:IRIS"))
		enable(t, h, 2, named("BALANCE:IRIS"))
		enable(t, h, 2, named("BALANCE:ATOM"))
		require.NoError(t, h.Publish("BALANCE:IRIS", map[string]string{"ticker": "IRIS\n"}))
		require.NoError(t, h.Publish("BALANCE:ATOM", []int{}))
		require.NoError(t, h.Publish("BALANCE:NONE", func() {}), "without listeners, nothing is encoded")
		require.ErrorContains(t, h.Publish("BALANCE:ATOM", func() {}), "BALANCE:ATOM")
		requireNext(t, a, 1, `{"_type":"BALANCE:IRIS","message":{"ticker":"IRIS\n"}}`)
		requireNone(t, a)
		requireNext(t, b, 1, `{"_type":"BALANCE:IRIS","message":{"ticker":"IRIS\n"}}`)
		requireNext(t, b, 2, `{"_type":"BALANCE:ATOM","message":[]}`)
		requireNone(t, b)
		requireNone(t, c)
	})
}

// badBeat is a streamer whose message cannot be encoded.
type badBeat struct{ Heartbeat }

func (badBeat) Message() any { return func() {} }

func TestNoPeriodicMessage(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, h *Hub) {
		connect(t, h, 1)
		_, err := h.Enable(1, badBeat{Heartbeat{time.Second}})
		require.ErrorContains(t, err, "HEARTBEAT")
		require.Empty(t, h.streams)
		enable(t, h, 1, Heartbeat{time.Second})
	})
}

func TestCheckID(t *testing.T) {
	for id, ok := range map[string]bool{
		"HEARTBEAT": true, "NETWORK": true, "SHUTDOWN_SIGNAL": true, "SHUTDOWN_SIGNAL:x": false, "SWAP_STATUS": true, "ORDER_STATUS": true, "TASK:0": true, "TASK:18446744073709551615": true,
		"BALANCE:IRIS": true, "TX_HISTORY:ATOM": true, "FEE_ESTIMATION:ETH": true, "DATA_NEEDED:x": true, "ORDERBOOK_UPDATE:orbk/A:B": true,
		"": false, "heartbeat": false, "HEARTBEAT:": false, "HEARTBEAT:1": false, "NETWORK:x": false, "TASK": false, "TASK:": false, "TASK:-1": false,
		"TASK:18446744073709551616": false, "BALANCE": false, "BALANCE:": false, ":": false, " HEARTBEAT": false, "X:Y": false,
		"BALANCE:" + strings.Repeat("x", maxID-8): true, "BALANCE:" + strings.Repeat("x", maxID-7): false,
	} {
		t.Run(id, func(t *testing.T) {
			if ok {
				require.NoError(t, CheckID(id))
			} else {
				require.ErrorIs(t, CheckID(id), ErrStreamerID)
			}
		})
	}
}

// upstream is a source controlled by a test.
type upstream struct {
	named
	runs    chan context.Context
	publish chan func(any) error
	fail    chan error
}

func newUpstream(id string) *upstream {
	return &upstream{named: named(id), runs: make(chan context.Context, 9), publish: make(chan func(any) error, 9), fail: make(chan error)}
}

func (u *upstream) Run(ctx context.Context, publish func(any) error) error {
	u.runs <- ctx
	u.publish <- publish
	select {
	case <-ctx.Done():
		return ctx.Err()
	case err := <-u.fail:
		return err
	}
}

// TestSource checks that a source runs once for all its listeners, from the first to the last.
func TestSource(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, h *Hub) {
		u := newUpstream("BALANCE:IRIS")
		a, b := connect(t, h, 1), connect(t, h, 2)
		enable(t, h, 1, u)
		enable(t, h, 2, u)
		ctx, publish := <-u.runs, <-u.publish
		require.NoError(t, publish(1))
		requireNext(t, a, 1, `{"_type":"BALANCE:IRIS","message":1}`)
		requireNext(t, b, 1, `{"_type":"BALANCE:IRIS","message":1}`)
		require.Error(t, publish(func() {}))

		require.NoError(t, h.Disable(1, "BALANCE:IRIS"))
		require.NoError(t, ctx.Err())
		b.Close()
		require.NoError(t, ctx.Err(), "it is kept for the client that may come back")
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Error(t, ctx.Err())
		require.NoError(t, publish(2), "too late, without listeners")
		requireNone(t, a)
		require.Empty(t, u.runs)

		enable(t, h, 1, u)
		ctx = <-u.runs
		require.NoError(t, ctx.Err())
		require.NoError(t, (<-u.publish)(3))
		require.NoError(t, publish(4), "of the run before")
		requireNext(t, a, 2, `{"_type":"BALANCE:IRIS","message":3}`)
		requireNone(t, a)
	})
}

// TestSourceThatPanics checks that a panic of a source is reported as a failure.
func TestSourceThatPanics(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, h *Hub) {
		c := connect(t, h, 1)
		enable(t, h, 1, mad{"BALANCE:IRIS"})
		requireNext(t, c, 1, `{"_type":"ERROR:BALANCE:IRIS","message":{"error":"the source of a stream panicked: string"}}`)
		time.Sleep(firstPause)
		requireNext(t, c, 2, `{"_type":"ERROR:BALANCE:IRIS","message":{"error":"the source of a stream panicked: string"}}`)
	})
}

// mad is a source that panics.
type mad struct{ named }

func (mad) Run(context.Context, func(any) error) error { panic("s3cret") }

// TestSourceThatFails checks that a failing source is reported and restarted after growing
// delays.
func TestSourceThatFails(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, h *Hub) {
		u := newUpstream("BALANCE:IRIS")
		c := connect(t, h, 1)
		enable(t, h, 1, u)
		id := uint64(0)
		fail := func(err error, text string, pause time.Duration) {
			t.Helper()
			<-u.runs
			u.fail <- err
			id++
			requireNext(t, c, id, `{"_type":"ERROR:BALANCE:IRIS","message":{"error":"`+text+`"}}`)
			before := time.Now()
			u.runs <- <-u.runs
			require.Equal(t, pause, time.Since(before))
		}
		fail(errSource, "the upstream is gone", time.Second)
		fail(nil, "the source has ended", 2*time.Second)
		for _, pause := range []time.Duration{4, 8, 16, 32, 60, 60} {
			fail(errSource, "the upstream is gone", pause*time.Second)
		}
		for len(u.publish) > 1 {
			<-u.publish
		}
		require.NoError(t, (<-u.publish)(1))
		id++
		requireNext(t, c, id, `{"_type":"BALANCE:IRIS","message":1}`)
		fail(errSource, "the upstream is gone", time.Second)

		<-u.runs
		u.fail <- errSource
		synctest.Wait()
		require.NoError(t, h.Disable(1, "BALANCE:IRIS"))
		time.Sleep(time.Hour)
		require.Empty(t, u.runs, "the pause ends with the last listener too")
	})
}

// TestSourceOfAMoment checks that a source is never started if its only listener has
// unsubscribed before Run could start it.
func TestSourceOfAMoment(t *testing.T) {
	h := New(Config{Now: time.Now})
	connect(t, h, 1)
	u := newUpstream("BALANCE:IRIS")
	enable(t, h, 1, u)
	require.NoError(t, h.Disable(1, "BALANCE:IRIS"))
	h.work(t.Context(), nil)
	require.Empty(t, u.runs)
	require.Empty(t, h.begun)
}

// TestSourcesEndWithTheHub checks that the hub waits for its sources when it ends.
func TestSourcesEndWithTheHub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(Config{Now: time.Now})
		ctx, stop := context.WithCancel(t.Context())
		go func() { _ = h.Run(ctx) }()
		connect(t, h, 1)
		u := newUpstream("BALANCE:IRIS")
		enable(t, h, 1, u)
		synctest.Wait()
		stop()
		synctest.Wait()
		require.Error(t, (<-u.runs).Err())
	})
}

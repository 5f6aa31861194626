package event

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// inBubble runs a test with a fake clock and a hub that runs until the test ends.
func inBubble(t *testing.T, config Config, test func(t *testing.T, h *Hub)) {
	synctest.Test(t, func(t *testing.T) {
		config.Now, config.Random = time.Now, rand.Reader
		h := New(config)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- h.Run(ctx) }()
		defer func() {
			stop()
			require.ErrorIs(t, <-ended, context.Canceled)
		}()
		test(t, h)
	})
}

// named is a streamer whose events are published with Publish.
type named string

func (n named) ID() string { return string(n) }

func connect(t *testing.T, h *Hub, client uint64) *Connection {
	t.Helper()
	c, err := h.TakeOver(client, nil)
	require.NoError(t, err)
	return c
}

func resume(t *testing.T, h *Hub, client, last uint64) *Connection {
	t.Helper()
	c, err := h.TakeOver(client, &last)
	require.NoError(t, err)
	return c
}

func enable(t *testing.T, h *Hub, client uint64, s Streamer) {
	t.Helper()
	id, err := h.Enable(client, s)
	require.NoError(t, err)
	require.Equal(t, s.ID(), id)
}

// publish sends the numbers from from to to to the streamer X.
func publish(t *testing.T, h *Hub, from, to int) {
	t.Helper()
	for n := from; n <= to; n++ {
		require.NoError(t, h.Publish("X", n))
	}
}

func x(n int) string { return fmt.Sprintf(`{"_type":"X","message":%d}`, n) }

const beat = `{"_type":"HEARTBEAT","message":{}}`

func requireNext(t *testing.T, c *Connection, id uint64, text string) {
	t.Helper()
	e, err := c.Next(t.Context())
	require.NoError(t, err)
	require.Equal(t, Event{id, text}, e)
}

// requireNone requires that no event is available.
func requireNone(t *testing.T, c *Connection) {
	t.Helper()
	e, ok, err := c.poll()
	require.NoError(t, err)
	require.False(t, ok, "%v", e)
}

func requireEnded(t *testing.T, c *Connection, reason error) {
	t.Helper()
	_, err := c.Next(t.Context())
	require.ErrorIs(t, err, reason)
}

// gauge returns the value of one of the hub's gauges.
func gauge(t *testing.T, h *Hub, name string) int {
	t.Helper()
	for _, g := range h.Gauges() {
		if g.Name == name {
			require.NotEmpty(t, g.Help)
			return int(g.Read())
		}
	}
	require.Fail(t, "no gauge "+name)
	return 0
}

// errSource is the error that failing sources return.
var errSource = errors.New("the upstream is gone")

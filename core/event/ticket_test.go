package event

import (
	"crypto/rand"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTickets(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, h *Hub) {
		issue := func(client uint64) string {
			text, expires, err := h.Ticket(client)
			require.NoError(t, err)
			require.Equal(t, 30*time.Second, expires)
			require.Regexp(t, "^[0-9a-f]{32}$", text)
			return text
		}
		one := issue(1)
		require.NotEqual(t, one, issue(1))
		require.True(t, h.Redeem(one, 1))
		require.False(t, h.Redeem(one, 1), "used up")

		two := issue(2)
		require.False(t, h.Redeem(two, 1), "of another client")
		require.False(t, h.Redeem(two, 2), "and used up by that")

		late := issue(3)
		time.Sleep(TicketTime)
		require.False(t, h.Redeem(late, 3))
		inTime := issue(3)
		time.Sleep(TicketTime - 1)
		require.True(t, h.Redeem(inTime, 3))
		for _, text := range []string{"", strings.Repeat("0", 32), strings.ToUpper(issue(4))} {
			require.False(t, h.Redeem(text, 4), text)
		}
	})
}

func TestTicketsAreBounded(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	h := New(Config{Now: func() time.Time { return now }, Random: rand.Reader})
	issue := func() string {
		now = now.Add(time.Millisecond)
		text, _, err := h.Ticket(1)
		require.NoError(t, err)
		return text
	}
	first, second := issue(), issue()
	for range maxTickets - 1 {
		issue()
	}
	require.Len(t, h.tickets, maxTickets)
	require.False(t, h.Redeem(first, 1), "pushed out")
	require.True(t, h.Redeem(second, 1))
	issue()
	now = now.Add(time.Hour)
	last := issue()
	require.Len(t, h.tickets, 1, "what has expired goes first")
	require.True(t, h.Redeem(last, 1))
}

func TestTicketWithoutRandomness(t *testing.T) {
	h := New(Config{Now: time.Now, Random: iotest.ErrReader(io.ErrClosedPipe)})
	_, _, err := h.Ticket(1)
	require.ErrorIs(t, err, io.ErrClosedPipe)
	require.Empty(t, h.tickets)
}

package httpd

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/daemon"
	"obverse/core/event"
)

// heldClock sleeps until it is told to wake, or until the context ends.
type heldClock struct {
	patientClock
	sleeping chan context.Context
	wake     chan struct{}
}

func (c *heldClock) Sleep(ctx context.Context, _ time.Duration) error {
	c.sleeping <- ctx
	select {
	case <-c.wake:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A caller has one guess at a time, over both paths, and hanging up gives no other.
func TestGuessesOneAfterAnother(t *testing.T) {
	clock := &heldClock{sleeping: make(chan context.Context, 16), wake: make(chan struct{})}
	h := newHub(t, event.Config{})
	s, _ := start(t, Config{Node: Node{
		Credentials: daemon.NewPasswordAuthorizer("p", clock), Events: Events{Hub: func() *event.Hub { return h }},
	}})
	const wrong = "Authorization: Basic dTp3cm9uZw=="
	guess := dial(t, s.NodeAddress(), "GET /metrics HTTP/1.1\r\nHost: localhost\r\nVia: 1.1 x\r\n"+wrong+"\r\n\r\n")
	delay := <-clock.sleeping
	require.NoError(t, guess.Close())
	for _, path := range []string{"/metrics", eventPath} {
		for _, header := range []string{wrong, "Authorization: " + right} {
			response, body := ask(t, http.MethodGet, s.NodeAddress(), path, "", "Via: 1.1 x", header)
			require.Equal(t, http.StatusTooManyRequests, response.StatusCode)
			require.Equal(t, "1", response.Header.Get("Retry-After"))
			require.Equal(t, `{"error":"`+errTurn.Error()+`"}`+"\n", body)
		}
		response, _ := ask(t, http.MethodGet, s.NodeAddress(), path, "", "Via: 1.1 x")
		require.Equal(t, http.StatusUnauthorized, response.StatusCode, "no guess")
	}
	response, _ := ask(t, http.MethodGet, s.NodeAddress(), "/metrics", "")
	require.Equal(t, http.StatusOK, response.StatusCode, "local callers have none to give")
	require.Empty(t, clock.sleeping)
	require.NoError(t, delay.Err(), "the client that hung up has not ended its delay")

	close(clock.wake)
	require.Eventually(t, func() bool {
		response, _ := ask(t, http.MethodGet, s.NodeAddress(), "/metrics", "", "Via: 1.1 x", "Authorization: "+right)
		return response.StatusCode == http.StatusOK
	}, 10*time.Second, time.Millisecond)
}

// Addresses do not wait for each other, and what is refused is not looked at.
func TestTurnsOfAddresses(t *testing.T) {
	clock := &heldClock{sleeping: make(chan context.Context, 16), wake: make(chan struct{})}
	turns := newTurns(daemon.NewPasswordAuthorizer("p", clock))
	ended := make(chan error, 1)
	go func() { ended <- turns.Check(t.Context(), "a", []string{"Basic x"}) }()
	<-clock.sleeping
	require.ErrorIs(t, turns.Check(t.Context(), "a", []string{right}), errTurn)
	require.NoError(t, turns.Check(t.Context(), "b", []string{right}))
	close(clock.wake)
	require.ErrorIs(t, <-ended, daemon.ErrWrongCredential)
	require.NoError(t, turns.Check(t.Context(), "a", []string{right}))
	require.Empty(t, turns.busy)
	require.ErrorIs(t, newTurns(nil).Check(t.Context(), "a", []string{right}), daemon.ErrNoCredential)
}

package daemon

import (
	"context"
	"encoding/base64"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/rpc/auth"
)

// handClock is a clock that advances only while a goroutine sleeps on it.
type handClock struct {
	mu    sync.Mutex
	now   time.Time
	slept []time.Duration
}

func (c *handClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *handClock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.slept, c.now = append(c.slept, d), c.now.Add(d)
	return ctx.Err()
}

func newClock() *handClock { return &handClock{now: time.Unix(1_700_000_000, 0)} }

func basic(credential string) []string {
	return []string{"Basic " + base64.StdEncoding.EncodeToString([]byte(credential))}
}

func TestAuthorizerHeaders(t *testing.T) {
	for name, c := range map[string]struct {
		headers []string
		want    error
	}{
		"right":              {basic("u:p:q"), nil},
		"extra spaces":       {[]string{"Basic   dTpwOnE=  "}, nil},
		"none":               {nil, ErrNoCredential},
		"empty":              {[]string{""}, ErrWrongCredential},
		"wrong password":     {basic("u:p"), ErrWrongCredential},
		"longer password":    {basic("u:p:qq"), ErrWrongCredential},
		"wrong user":         {basic("v:p:q"), ErrWrongCredential},
		"lower-case scheme":  {[]string{"basic dTpwOnE="}, ErrWrongCredential},
		"another scheme":     {[]string{"Bearer dTpwOnE="}, ErrWrongCredential},
		"bad base64":         {[]string{"Basic !!!"}, ErrWrongCredential},
		"short":              {[]string{"Basi"}, ErrWrongCredential},
		"the second is late": {[]string{"Basic !!!", basic("u:p:q")[0]}, ErrWrongCredential},
	} {
		t.Run(name, func(t *testing.T) {
			clock := newClock()
			require.ErrorIs(t, NewAuthorizer("u", "p:q", clock).Check(t.Context(), "a", c.headers), c.want)
			if c.want == ErrWrongCredential {
				require.Equal(t, []time.Duration{250 * time.Millisecond}, clock.slept)
			} else {
				require.Empty(t, clock.slept)
			}
		})
	}
}

func TestAuthorizerAnyUser(t *testing.T) {
	a := NewPasswordAuthorizer("p:q", auth.New(false, newClock()))
	require.NoError(t, a.Check(t.Context(), "a", basic("any user:p:q")))
	require.NoError(t, a.Check(t.Context(), "a", basic(":p:q")))
	for _, scheme := range []string{"basic ", "BASIC ", "bAsIc  "} {
		require.NoError(t, a.Check(t.Context(), "a", []string{scheme + strings.TrimPrefix(basic("u:p:q")[0], "Basic ")}))
	}
	for _, header := range []string{"", "Basic", "Bearer dTpwOnE=", "basicdTpwOnE="} {
		require.ErrorIs(t, a.Check(t.Context(), "a", []string{header}), ErrWrongCredential, header)
	}
	require.ErrorIs(t, a.Check(t.Context(), "a", basic("p:q")), ErrWrongCredential)
}

func TestAuthorizerWithoutPasswordRefuses(t *testing.T) {
	require.ErrorIs(t, NewAuthorizer("", "", newClock()).Check(t.Context(), "a", basic(":")), ErrWrongCredential)
	require.ErrorIs(t, NewPasswordAuthorizer("", auth.New(false, newClock())).Check(t.Context(), "a", basic("u:")), ErrWrongCredential)
}

func TestAuthorizerSlowsDownAndForgives(t *testing.T) {
	clock := newClock()
	a := NewAuthorizer("u", "p", clock)
	for range 7 {
		require.ErrorIs(t, a.Check(t.Context(), "a", basic("u:x")), ErrWrongCredential)
	}
	ms := time.Millisecond
	require.Equal(t, []time.Duration{250 * ms, 500 * ms, 1000 * ms, 2000 * ms, 4000 * ms, 4000 * ms, 4000 * ms}, clock.slept)

	clock.slept = nil
	require.Error(t, a.Check(t.Context(), "another", basic("u:x")))
	require.NoError(t, a.Check(t.Context(), "a", basic("u:p")), "a right credential passes at once")
	require.Error(t, a.Check(t.Context(), "a", basic("u:x")))
	require.Error(t, a.Check(t.Context(), "a", basic("u:x")))
	clock.now = clock.now.Add(10 * time.Minute)
	require.Error(t, a.Check(t.Context(), "a", basic("u:x")))
	require.Equal(t, []time.Duration{250 * ms, 250 * ms, 500 * ms, 250 * ms}, clock.slept)
}

// leaving is a clock whose caller disconnects during a sleep.
type leaving struct {
	*handClock
	hangUp context.CancelFunc
}

func (c leaving) Sleep(ctx context.Context, d time.Duration) error {
	c.hangUp()
	return c.handClock.Sleep(ctx, d)
}

// TestAuthorizerEndsWithItsCaller checks that an attempt counts even if the client disconnects
// during the delay.
func TestAuthorizerEndsWithItsCaller(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	clock := newClock()
	a := NewAuthorizer("u", "p", leaving{clock, cancel})
	err := a.Check(ctx, "a", basic("u:x"))
	require.ErrorIs(t, err, ErrWrongCredential)
	require.ErrorIs(t, err, context.Canceled)
	require.Error(t, a.Check(t.Context(), "a", basic("u:x")))
	require.Equal(t, []time.Duration{250 * time.Millisecond, 500 * time.Millisecond}, clock.slept, "the first one counts")
}

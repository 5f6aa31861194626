package onetime

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLink(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	l := New("s3cret", func() time.Time { return now })
	redeem := func(token string, want error) {
		t.Helper()
		userpass, err := l.Redeem(token)
		require.ErrorIs(t, err, want)
		if want != nil {
			require.Empty(t, userpass)
		} else {
			require.Equal(t, "s3cret", userpass)
		}
	}
	redeem("", ErrWrong)
	first := l.Token()
	require.Len(t, first, 43)
	redeem(first+"x", ErrWrong)
	redeem(first, nil)
	redeem(first, ErrUsed)
	second := l.Token()
	require.NotEqual(t, first, second)
	redeem(first, ErrWrong)
	now = now.Add(Life)
	redeem(second, ErrExpired)
	third := l.Token()
	now = now.Add(Life - 1)
	redeem(third, nil)
}

// Attempts with wrong tokens are limited for a while. The right token is accepted meanwhile.
func TestWrongTokens(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	l := New("s3cret", func() time.Time { return now })
	token := l.Token()
	for range maxWrong {
		_, err := l.Redeem("guess")
		require.ErrorIs(t, err, ErrWrong)
	}
	_, err := l.Redeem("guess")
	require.ErrorIs(t, err, ErrLimit)
	_, err = l.Redeem(token)
	require.NoError(t, err)
	now = now.Add(Pause)
	_, err = l.Redeem("guess")
	require.ErrorIs(t, err, ErrWrong)
}

func TestRedeemAtOnce(t *testing.T) {
	l := New("s3cret", time.Now)
	token := l.Token()
	var given atomic.Int64
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := l.Redeem(token); err == nil {
				given.Add(1)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 1, given.Load())
}

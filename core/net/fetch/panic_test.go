package fetch

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/guard"
)

// TestQuestionThatPanics checks that all callers of a panicking request receive an error, and
// that the next call asks again.
func TestQuestionThatPanics(t *testing.T) {
	reports := make(chan *guard.Panic, 1)
	ctx := guard.With(t.Context(), func(p *guard.Panic) { reports <- p })
	cache := NewCache[int](time.Now)
	for range 2 {
		_, err := cache.Get(ctx, balance, time.Hour, func(context.Context) (int, error) { panic("s3cret") })
		require.ErrorIs(t, err, guard.ErrPanic)
		require.Equal(t, "asking for balance panicked: string", (<-reports).Error())
	}
	n, err := cache.Get(ctx, balance, time.Hour, func(context.Context) (int, error) { return 7, nil })
	require.NoError(t, err)
	require.Equal(t, 7, n)
}

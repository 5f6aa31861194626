package fetch

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/task/guard"
)

// A question that panics is answered with an error, to all who wait, and asked anew.
func TestQuestionThatPanics(t *testing.T) {
	told := make(chan *guard.Panic, 1)
	ctx := guard.With(t.Context(), func(p *guard.Panic) { told <- p })
	cache := NewCache[int](time.Now)
	for range 2 {
		_, err := cache.Get(ctx, balance, time.Hour, func(context.Context) (int, error) { panic("s3cret") })
		require.ErrorIs(t, err, guard.ErrPanic)
		require.Equal(t, "asking for balance panicked: string", (<-told).Error())
	}
	n, err := cache.Get(ctx, balance, time.Hour, func(context.Context) (int, error) { return 7, nil })
	require.NoError(t, err)
	require.Equal(t, 7, n)
}

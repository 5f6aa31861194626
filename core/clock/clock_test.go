package clock

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		w := Wall(time.Now)
		require.NoError(t, w.Sleep(t.Context(), time.Hour))
		require.Equal(t, began.Add(time.Hour), w.Now())

		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.ErrorIs(t, Sleep(ctx, time.Hour), context.DeadlineExceeded)
		require.Equal(t, began.Add(time.Hour+time.Minute), w.Now(), "it ends with ctx")
	})
}

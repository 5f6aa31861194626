// Package clock sleeps until a context ends. The current time comes through a port, which
// Wall adapts.
package clock

import (
	"context"
	"time"
)

// Sleep waits for d, or until ctx ends, and then fails with its error.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Wall is a clock over a function that returns the current time.
type Wall func() time.Time

// Now returns the current time.
func (w Wall) Now() time.Time { return w() }

// Sleep is the function of that name.
func (Wall) Sleep(ctx context.Context, d time.Duration) error { return Sleep(ctx, d) }

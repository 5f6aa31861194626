// Package clock provides a sleep that ends with a context. The current time comes from a
// function, which Wall adapts.
package clock

import (
	"context"
	"time"
)

// Sleep waits for d. If ctx ends earlier, it returns the error of ctx.
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

// Wall is a clock that uses a function for the current time.
type Wall func() time.Time

// Now returns the current time.
func (w Wall) Now() time.Time { return w() }

// Sleep calls the function Sleep.
func (Wall) Sleep(ctx context.Context, d time.Duration) error { return Sleep(ctx, d) }

package bunt

import (
	"cmp"
	"context"
	"time"
)

// Compaction says when a file is shrunk: when it has grown by Growth percent and by Step
// beyond what it is without that was overwritten, looked at every Interval. After one that
// failed the next look is twice as far away as the last one was, up to MaxRetry.
type Compaction struct {
	Interval, MaxRetry time.Duration
	Growth             int64 // 0: 100, it has doubled
	Step               int64 // bytes
	// Sleep waits, or fails with ctx's error when that ends.
	Sleep func(ctx context.Context, d time.Duration) error
	// Shrunk is called when the file was compacted, and Failed when that failed, with the time of
	// the next attempt. The store works on either way; see DB.Healthy.
	Shrunk func(before, after int64)
	Failed func(err error, retry time.Duration)
}

// shrinkable is the part of a DB that Compaction uses.
type shrinkable interface {
	Size() int64
	Live(ctx context.Context) (int64, error)
	Shrink(ctx context.Context) error
}

// Run shrinks the file of db from time to time until ctx ends.
func (c Compaction) Run(ctx context.Context, db shrinkable) {
	wait := c.Interval
	for last := int64(0); c.Sleep(ctx, wait) == nil; {
		if last == 0 { // the file may be of another run
			var err error
			if last, err = db.Live(ctx); err != nil {
				return // it is closed, or ctx has ended
			}
		}
		before := db.Size()
		if before < last+last*cmp.Or(c.Growth, 100)/100+c.Step {
			continue
		}
		err := db.Shrink(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			wait = min(2*wait, c.MaxRetry)
			c.Failed(err, wait)
		default:
			last, wait = db.Size(), c.Interval
			c.Shrunk(before, last)
		}
	}
}

package event

import (
	"context"
	"sync"
	"time"

	"obverse/core/clock"
	"obverse/core/guard"
)

// Pauses between two runs of a source that fails: each twice as long as the one
// before, until it has published something.
const (
	firstPause = time.Second
	lastPause  = time.Minute
)

// sourceFailed is the message of a source's error.
type sourceFailed struct {
	Error string `json:"error"`
}

// runSource starts the source of a stream, unless it has no listeners any more.
func (h *Hub) runSource(ctx context.Context, s *stream, sources *sync.WaitGroup) {
	if len(s.listeners) == 0 {
		return
	}
	ctx, s.cancel = context.WithCancel(ctx)
	sources.Go(func() { h.keepRunning(ctx, s) })
}

// keepRunning runs a source until its context ends.
func (h *Hub) keepRunning(ctx context.Context, s *stream) {
	pause := firstPause
	for ctx.Err() == nil {
		err := guard.Do(ctx, "the source of a stream", func() error {
			return s.source.Run(ctx, func(message any) error {
				pause = firstPause
				return h.publish(s, s.id, message)
			})
		})
		if ctx.Err() != nil {
			return
		}
		failed := sourceFailed{"the source has ended"}
		if err != nil {
			failed.Error = err.Error()
		}
		_ = h.publish(s, "ERROR:"+s.id, failed) // it can be encoded
		_ = clock.Sleep(ctx, pause)             // the loop looks at ctx
		pause = min(2*pause, lastPause)
	}
}

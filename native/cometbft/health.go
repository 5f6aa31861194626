package cometbft

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// ErrStalled says that the validators make no blocks.
var ErrStalled = errors.New("stalled")

// stallTime is for how long transactions may wait without a block before the chain is taken
// for stalled. A proposer that is gone costs less than 2 s, a second one 3 s.
const stallTime = 15 * time.Second

// Health reports whether the validators make blocks. The zero value is healthy. It is safe for
// concurrent use.
type Health struct {
	log    *slog.Logger
	now    func() time.Time
	detail func() string // what is known of the votes, or nothing

	mu     sync.Mutex
	err    error
	height int
	quiet  time.Time // since when transactions wait without a block; zero: none wait
}

func newHealth(log *slog.Logger) *Health {
	return &Health{log: log, now: time.Now, detail: func() string { return "" }}
}

// Stalled returns why no blocks are made, with ErrStalled; nil while they are.
func (h *Health) Stalled() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}

// Quiet is for how long transactions wait without a block.
func (h *Health) Quiet() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.quiet.IsZero() {
		return 0
	}
	return h.now().Sub(h.quiet)
}

// observe looks at the chain's height and at how many transactions wait for a block.
func (h *Health) observe(height, waiting int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now()
	switch {
	case waiting == 0:
		h.height, h.quiet = height, time.Time{}
	case height != h.height || h.quiet.IsZero():
		h.height, h.quiet = height, now
	}
	if h.quiet.IsZero() || now.Sub(h.quiet) < stallTime {
		if h.err != nil {
			h.log.Info("the validators make blocks again", "height", height)
		}
		h.err = nil
		return
	}
	first := h.err == nil
	h.err = fmt.Errorf("%w: no block after block %d for %d s, waiting transactions: %d%s",
		ErrStalled, height, int(now.Sub(h.quiet).Seconds()), waiting, h.detail())
	if first {
		h.log.Warn("the validators make no blocks", "error", h.err.Error())
	}
}

// during watches the chain and announces transactions, until ctx ends or there is a reason to
// end, which it returns.
func (h *Health) during(ctx context.Context, a *Announcer, ended <-chan error, look func() (height, waiting int)) error {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { defer close(done); h.watch(ctx, look) }()
	err := a.during(ctx, ended)
	cancel()
	<-done
	return err
}

// watch observes until ctx ends.
func (h *Health) watch(ctx context.Context, look func() (height, waiting int)) {
	again := time.NewTicker(time.Second)
	defer again.Stop()
	for {
		h.observe(look())
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
	}
}

// clockTime is the interval between checks of a clock that is behind, and logTime that between
// log lines about it.
const (
	clockTime = time.Second
	logTime   = time.Minute
)

// awaitGenesis waits until the clock has reached the genesis' time, before which CometBFT
// starts nothing. CometBFT itself sleeps for the difference without a word, whatever becomes of
// the clock meanwhile and of the process.
func (h *Health) awaitGenesis(ctx context.Context, genesis time.Time) error {
	var logged time.Time
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.err = nil
	}()
	for {
		now := h.now()
		ahead := genesis.Sub(now.Round(0)) // by the wall clock, which may be set meanwhile
		if ahead <= 0 {
			return nil
		}
		err := fmt.Errorf("%w: this machine's clock says %s, before the genesis of %s: set the clock",
			ErrStalled, now.UTC().Format(time.RFC3339), genesis.UTC().Format(time.RFC3339))
		h.mu.Lock()
		h.err = err
		h.mu.Unlock()
		if since := now.Sub(logged); since >= logTime || since < 0 {
			h.log.Warn("waiting for the genesis' time", "error", err.Error())
			logged = now
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(ahead, clockTime)):
		}
	}
}

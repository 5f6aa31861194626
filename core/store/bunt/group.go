package bunt

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"obverse/core/store"
)

// group lets callers that wait at the same time share one sync of the disk. Writing
// gives a ticket; a ticket is good once a sync that began after it was given has ended.
// A sync that is already under way may have missed the write, so a caller that arrives
// during one waits for the next.
type group struct {
	sync func() error // never called twice at once

	mu      sync.Mutex
	written uint64        // the last ticket given
	synced  uint64        // tickets up to this one are good
	running chan struct{} // closed when the running sync ends; nil when none runs
	err     error         // why nothing may be written any more
	lost    bool          // a sync failed: what was not synced by then never will be
	failed  chan struct{} // closed when err is set; may be nil
}

// ticket is given after a write, and by the goroutine that wrote.
func (g *group) ticket() uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.written++
	return g.written
}

// last is the ticket of the last write.
func (g *group) last() uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.written
}

// wait returns when the ticket is good, can no longer become good, or ctx ends.
func (g *group) wait(ctx context.Context, ticket uint64) error {
	for {
		done, err := g.startSync(ticket)
		if done == nil {
			return err
		}
		select {
		case <-done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// startSync returns the sync to wait for, which it starts if none runs, or nil when the
// ticket's result is known. The sync has its own goroutine, because the caller that
// starts it may stop waiting before the others do.
func (g *group) startSync(ticket uint64) (<-chan struct{}, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if ticket <= g.synced {
		return nil, nil
	}
	if g.lost {
		return nil, g.err
	}
	if g.running == nil {
		g.running = make(chan struct{})
		go g.runSync()
	}
	return g.running, nil
}

// runSync syncs the disk. It waits for no company: who writes during a sync shares the next
// one, which begins when this one ends. Writers that are ready to run come first.
//
// A failed sync is final: the kernel may have dropped the pages that it could not write,
// and would report success the next time.
func (g *group) runSync() {
	runtime.Gosched()
	target := g.last()
	err := g.sync()
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case err == nil:
		g.synced = max(g.synced, target)
	case target > g.synced: // otherwise markSynced made this sync needless
		g.failUnsyncedLocked(err)
	}
	close(g.running)
	g.running = nil
}

// markSynced completes all tickets: their writes are durable by other means.
func (g *group) markSynced() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.synced = g.written
}

// fail records that the disk refused a write. Earlier writes may still be synced.
func (g *group) fail(err error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.failLocked(err)
}

// failUnsynced records that writes not yet durable never will be.
func (g *group) failUnsynced(err error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.failUnsyncedLocked(err)
}

// failure is why nothing may be written any more, or nil.
func (g *group) failure() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}

func (g *group) failUnsyncedLocked(err error) error {
	g.lost = true
	return g.failLocked(err)
}

func (g *group) failLocked(err error) error {
	if g.err == nil {
		g.err = fmt.Errorf("%w: %w", store.ErrFailed, err)
		if g.failed != nil {
			close(g.failed)
		}
	}
	return g.err
}

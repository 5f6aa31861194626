package bunt

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"obverse/core/store"
)

// group lets concurrent callers share a sync of the disk. Each write gets a ticket. A ticket is
// complete once a sync that began after the ticket was issued has ended. A sync that is already
// running may have missed the write, so a caller that arrives during a sync waits for the next
// one.
type group struct {
	sync func() error // never called concurrently

	mu      sync.Mutex
	written uint64        // last issued ticket
	synced  uint64        // tickets up to this one are complete
	running chan struct{} // closed when the running sync ends; nil if no sync is running
	err     error         // reason why no further writes are accepted
	lost    bool          // whether a sync failed, so that unsynced writes will never be durable
	failed  chan struct{} // closed when err is set; may be nil
}

// ticket issues a ticket. The goroutine that made a write calls it after the write.
func (g *group) ticket() uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.written++
	return g.written
}

// last returns the ticket of the last write.
func (g *group) last() uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.written
}

// wait returns when the ticket is complete, can no longer complete, or ctx ends.
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

// startSync returns a channel that is closed when the sync ends, and starts a sync if none is
// running. If the result of the ticket is known, it returns a nil channel. The sync has its own
// goroutine, because the caller that starts it may stop waiting before the others do.
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

// runSync syncs the disk. It does not wait for further writers: those that write during a sync
// share the next one, which begins when this one ends. Writers that are ready to run are
// scheduled first.
//
// A failed sync is final: the kernel may have dropped the pages that it could not write, and
// would report success the next time.
func (g *group) runSync() {
	runtime.Gosched()
	target := g.last()
	err := g.sync()
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case err == nil:
		g.synced = max(g.synced, target)
	case target > g.synced: // otherwise markSynced made this sync unnecessary
		g.failUnsyncedLocked(err)
	}
	close(g.running)
	g.running = nil
}

// markSynced completes all tickets, because their writes became durable in another way.
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

// failUnsynced records that unsynced writes will never be durable.
func (g *group) failUnsynced(err error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.failUnsyncedLocked(err)
}

// failure returns the reason why no further writes are accepted, or nil.
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

package bunt

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

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
	flight  chan struct{} // closed when the sync under way ends; nil when there is none
	crowded bool          // the last sync served several writes
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
		flight, err := g.board(ticket)
		if flight == nil {
			return err
		}
		select {
		case <-flight:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// board returns the sync to wait for, which it starts if there is none, or nil when
// the ticket's fate is known. The sync has a goroutine of its own, because whoever
// starts it may stop waiting before the others do.
func (g *group) board(ticket uint64) (<-chan struct{}, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if ticket <= g.synced {
		return nil, nil
	}
	if g.lost {
		return nil, g.err
	}
	if g.flight == nil {
		g.flight = make(chan struct{})
		go g.fly(g.crowded)
	}
	return g.flight, nil
}

// gather is how long a sync waits for further writes when the last one served several:
// where many write, one sync for dozens is worth more than a short wait, since each takes
// a processor away (PostgreSQL's commit_delay and commit_siblings).
const gather = 500 * time.Microsecond

// fly syncs the disk. It lets those run first who are about to write; without a crowd
// and with a processor to spare, it begins at once.
//
// A failed sync is final: the kernel may have dropped the pages that it could not write,
// and would report success the next time.
func (g *group) fly(crowded bool) {
	if crowded {
		time.Sleep(gather)
	}
	runtime.Gosched()
	target := g.last()
	err := g.sync()
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case err == nil:
		g.crowded = target > g.synced+1
		g.synced = max(g.synced, target)
	case target > g.synced: // otherwise settle made this sync needless
		g.loseLocked(err)
	}
	close(g.flight)
	g.flight = nil
}

// settle makes every ticket given so far good: the writes are durable by other means.
func (g *group) settle() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.synced = g.written
}

// refuse records that the disk refused a write. Earlier writes may still be synced.
func (g *group) refuse(err error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.failLocked(err)
}

// lose records that what is not durable by now never will be.
func (g *group) lose(err error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.loseLocked(err)
}

// failure is why nothing may be written any more, or nil.
func (g *group) failure() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}

func (g *group) loseLocked(err error) error {
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

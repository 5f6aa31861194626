// Package watch notifies watchers that an account may have changed. While there are watchers,
// it listens to nodes, or polls them, once for all watchers.
package watch

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"obverse/core/guard"
)

// Hub holds the watchers of one account. It is safe for concurrent use.
type Hub struct {
	ended   chan struct{}
	changed chan struct{} // signals that the number of listeners changed

	mu        sync.Mutex
	listeners map[chan struct{}]bool
}

// New returns a Hub without watchers.
func New() *Hub {
	return &Hub{ended: make(chan struct{}), changed: make(chan struct{}, 1), listeners: make(map[chan struct{}]bool)}
}

// Join returns a channel that receives whenever the account may have changed.
func (h *Hub) Join() (listener <-chan struct{}, leave func()) {
	joined := make(chan struct{}, 1)
	h.set(joined, true)
	return joined, func() { h.set(joined, false) }
}

func (h *Hub) set(listener chan struct{}, joined bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.listeners, listener)
	if joined {
		h.listeners[listener] = true
	}
	signal(h.changed)
}

// Ended returns a channel that is closed when Run has returned.
func (h *Hub) Ended() <-chan struct{} { return h.ended }

// notify makes all watchers query again.
func (h *Hub) notify() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for listener := range h.listeners {
		signal(listener)
	}
}

func (h *Hub) watched() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.listeners) > 0
}

// signal sends to a channel with a buffer of one, unless it is full.
func signal(to chan<- struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// Source is the source of changes of an account.
type Source struct {
	// Listen calls changed for each change of the account until ctx ends, and up when nodes start or
	// stop to report changes. If it returns earlier, watchers query at an interval.
	Listen   func(ctx context.Context, up func(bool), changed func())
	Interval time.Duration // between two queries while no node reports changes
	Always   bool          // whether to listen without watchers too
}

// Limits of Source.Interval.
const (
	minInterval = 2 * time.Second
	maxInterval = 30 * time.Second
)

// Run listens to nodes, or makes watchers query at an interval, while there are watchers. It must be
// called once.
func (h *Hub) Run(ctx context.Context, s Source) error {
	defer close(h.ended)
	for ctx.Err() == nil {
		if s.Always || h.watched() {
			h.listen(ctx, s)
			continue
		}
		select {
		case <-ctx.Done():
		case <-h.changed:
		}
	}
	return ctx.Err()
}

// listen is like Run, until there are no more watchers.
func (h *Hub) listen(ctx context.Context, s Source) {
	ctx, cancel := context.WithCancel(ctx)
	var listening sync.WaitGroup
	defer listening.Wait()
	defer cancel()
	var heard atomic.Bool
	listening.Go(func() {
		_ = guard.Do(ctx, "listening to nodes", func() error { // guard reports a panic
			s.Listen(ctx, heard.Store, h.notify)
			return nil
		})
		heard.Store(false)
	})
	poll := time.NewTicker(min(max(s.Interval, minInterval), maxInterval))
	defer poll.Stop()
	for s.Always || h.watched() {
		select {
		case <-ctx.Done():
			return
		case <-h.changed:
		case <-poll.C:
			if !heard.Load() {
				h.notify()
			}
		}
	}
}

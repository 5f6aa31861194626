package cometbft

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cometbft/cometbft/mempool"
)

// Announcer gives CometBFT the transactions that the node's mempool has, so that others learn
// of them. What CometBFT does not take now it is given again: the client has been told that
// the transaction is kept.
type Announcer struct {
	waiting func() [][]byte // transactions of the node's mempool, parents first

	mu    sync.Mutex
	pool  mempool.Mempool // nil: not running
	again chan struct{}
}

// NewAnnouncer makes an announcer that has nowhere to announce yet.
func NewAnnouncer() *Announcer { return &Announcer{again: make(chan struct{}, 1)} }

// Waiting sets what lists the transactions of the node's mempool.
func (a *Announcer) Waiting(waiting func() [][]byte) { a.waiting = waiting }

func (a *Announcer) to(pool mempool.Mempool) {
	a.mu.Lock()
	a.pool = pool
	a.mu.Unlock()
	a.retry()
}

// Announce offers a transaction at once.
func (a *Announcer) Announce(raw []byte) {
	a.mu.Lock()
	pool := a.pool
	a.mu.Unlock()
	if pool == nil || !offer(pool, raw) {
		a.retry()
	}
}

// offer reports whether CometBFT has a transaction, or never will.
func offer(pool mempool.Mempool, raw []byte) bool {
	err := pool.CheckTx(raw, nil, mempool.TxInfo{SenderID: mempool.UnknownPeerID})
	var full mempool.ErrMempoolIsFull
	return !errors.As(err, &full)
}

func (a *Announcer) retry() {
	select {
	case a.again <- struct{}{}:
	default:
	}
}

// pause is how long the announcer waits before it offers everything again: the time of some
// blocks.
const pause = time.Second

func (a *Announcer) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.again:
		}
		if !a.all() {
			a.retry()
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// all offers everything that waits, and reports whether nothing was left.
func (a *Announcer) all() bool {
	a.mu.Lock()
	pool := a.pool
	a.mu.Unlock()
	if pool == nil || a.waiting == nil {
		return false
	}
	for _, raw := range a.waiting() {
		if !offer(pool, raw) {
			return false
		}
	}
	return true
}

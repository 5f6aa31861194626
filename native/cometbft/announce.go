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
	offer offer // nil: not running
	again chan struct{}
}

// offer gives CometBFT a transaction, and reports whether it has it now or never will.
type offer func(raw []byte) bool

// NewAnnouncer makes an announcer that has nowhere to announce yet.
func NewAnnouncer() *Announcer { return &Announcer{again: make(chan struct{}, 1)} }

// Waiting sets what lists the transactions of the node's mempool.
func (a *Announcer) Waiting(waiting func() [][]byte) { a.waiting = waiting }

func (a *Announcer) to(offer offer) {
	a.mu.Lock()
	a.offer = offer
	a.mu.Unlock()
	a.retry()
}

func (a *Announcer) present() offer {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.offer
}

// Announce offers a transaction at once.
func (a *Announcer) Announce(raw []byte) {
	if offer := a.present(); offer == nil || !offer(raw) {
		a.retry()
	}
}

// into offers to a mempool of CometBFT's.
func into(pool mempool.Mempool) offer {
	return func(raw []byte) bool {
		err := pool.CheckTx(raw, nil, mempool.TxInfo{SenderID: mempool.UnknownPeerID})
		var full mempool.ErrMempoolIsFull
		return !errors.As(err, &full)
	}
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
	offer := a.present()
	if offer == nil || a.waiting == nil {
		return false
	}
	for _, raw := range a.waiting() {
		if !offer(raw) {
			return false
		}
	}
	return true
}

// during announces until ctx ends or there is a reason to end, which it returns.
func (a *Announcer) during(ctx context.Context, ended <-chan error) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { defer close(done); a.run(ctx) }()
	select {
	case <-ctx.Done():
		err = ctx.Err()
	case err = <-ended:
	}
	cancel()
	<-done
	return err
}

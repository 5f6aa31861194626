package cometbft

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cometbft/cometbft/mempool"
)

// Announcer offers the transactions of the node's mempool to CometBFT, which passes them on to other nodes.
// It repeats the offer while a transaction is unconfirmed, because the node has promised its client that the
// transaction is kept, and CometBFT drops transactions while its own mempool is full.
type Announcer struct {
	waiting func() [][]byte // returns the transactions of the node's mempool, parents first

	mu    sync.Mutex
	offer offer // nil: not running
}

// offer offers a transaction to CometBFT, and reports whether CometBFT accepts further ones now.
type offer func(raw []byte) bool

// NewAnnouncer returns an announcer, which is not connected to CometBFT yet.
func NewAnnouncer() *Announcer { return &Announcer{} }

// Waiting sets the function that lists the transactions of the node's mempool.
func (a *Announcer) Waiting(waiting func() [][]byte) { a.waiting = waiting }

func (a *Announcer) to(offer offer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.offer = offer
}

func (a *Announcer) present() offer {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.offer
}

// Announce offers a transaction at once.
func (a *Announcer) Announce(raw []byte) {
	if offer := a.present(); offer != nil {
		offer(raw)
	}
}

// into returns a function that offers transactions to a mempool of CometBFT.
func into(pool mempool.Mempool) offer {
	return func(raw []byte) bool {
		err := pool.CheckTx(raw, nil, mempool.TxInfo{SenderID: mempool.UnknownPeerID})
		var full mempool.ErrMempoolIsFull
		return !errors.As(err, &full) && !errors.Is(err, mempool.ErrRecheckFull)
	}
}

// pause is the time, of a few blocks, after which the announcer offers all waiting transactions
// again.
const pause = time.Second

func (a *Announcer) run(ctx context.Context) {
	again := time.NewTicker(pause)
	defer again.Stop()
	for {
		a.all()
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
	}
}

// all offers all transactions of the node's mempool, until CometBFT accepts no more.
func (a *Announcer) all() {
	offer := a.present()
	if offer == nil || a.waiting == nil {
		return
	}
	for _, raw := range a.waiting() {
		if !offer(raw) {
			return
		}
	}
}

// during announces transactions until ctx ends, or until ended has a reason, which it returns.
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

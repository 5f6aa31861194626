// Package ondemand is the token chain of a platform that loads its program with the first call
// of the daemon API, such as a page: a tokenchain.Node that is opened then.
//
// Invariant: a store of another chain is refused before anything else uses it.
package ondemand

import (
	"context"
	"sync"
	"sync/atomic"

	"obverse/core/daemon"
	"obverse/core/daemon/tokenchain"
	"obverse/core/metrics"
	"obverse/core/rpc"
)

// Node is the token chain. Its methods may be called by several goroutines.
type Node struct {
	node   *tokenchain.Node
	log    daemon.Logger
	turn   sync.Mutex // held to open it
	isOpen atomic.Bool
	opened chan struct{} // closed once it is open
}

// Prepare checks whose chain the store has. It opens the chain only if transactions wait
// in it for a block.
func Prepare(ctx context.Context, c tokenchain.Config) (*Node, error) {
	n, err := tokenchain.Prepare(ctx, c)
	if err != nil {
		return nil, err
	}
	d := &Node{node: n, log: c.Log, opened: make(chan struct{})}
	waiting, err := n.Waiting(ctx)
	if err == nil && waiting {
		err = d.open(ctx)
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

// open opens the chain. What failed is tried by the next call.
func (d *Node) open(ctx context.Context) error {
	if d.isOpen.Load() {
		return nil
	}
	d.turn.Lock()
	defer d.turn.Unlock()
	if d.isOpen.Load() {
		return nil
	}
	if err := d.node.Open(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	d.isOpen.Store(true)
	close(d.opened)
	return nil
}

// Run makes blocks once the chain is open, if this node does, until ctx ends.
func (d *Node) Run(ctx context.Context) error {
	select {
	case <-d.opened:
		return d.node.Run(ctx)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Serve answers one request body of the daemon API; see daemon.Server.
func (d *Node) Serve(ctx context.Context, caller rpc.Caller, body []byte) (status int, reply []byte) {
	if err := d.open(ctx); err != nil {
		d.log.Error("opening the token chain failed, retrying at the next call", "error", err.Error())
		return statusInternal, daemon.Refusal(daemon.CodeInternal, "the token chain cannot be opened: "+err.Error())
	}
	return d.node.Serve(ctx, caller, body)
}

const statusInternal = 500

// Busy reports whether transactions wait that go into a block without a call.
func (d *Node) Busy() bool { return d.isOpen.Load() && d.node.Busy() }

// Gauges returns the gauges of the chain once it is open.
func (d *Node) Gauges() []metrics.Gauge {
	if d.isOpen.Load() {
		return d.node.Gauges()
	}
	return nil
}

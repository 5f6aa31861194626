package core

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"obverse/core/chain/engine"
	"obverse/core/config"
	"obverse/core/daemon"
	"obverse/core/event"
	"obverse/core/guard"
	"obverse/core/key"
	"obverse/core/metrics"
	"obverse/core/rpc"
	"obverse/core/store/owner"
	"obverse/core/wallet/dapp"
)

// Node is a running core: the token chain behind the daemon API, and the wallet behind the node
// API. Its methods are safe for concurrent use.
type Node struct {
	log    Logger
	keys   *key.Ring // nil without a passphrase
	chain  *tokenChain
	wallet *walletHalf
}

// New opens the chain in the platform's store, or creates one if the store is empty, and
// returns a node for it. The config must have passed Validate.
func New(ctx context.Context, c config.Config, p Platform) (_ *Node, err error) {
	n := &Node{log: p.Log}
	p.Stop = n.announceEnd(p.Stop)
	if p.Directory == nil {
		p.Directory = noDirectory{}
	}
	if c.Passphrase.IsSet() {
		if n.keys, err = key.Open(c.Passphrase.Reveal(), c.EnableHD); err != nil {
			return nil, fmt.Errorf("passphrase: %w", err)
		}
	}
	if n.chain, err = newTokenChain(ctx, &p, &c.Chain, n.keys.Node()); err != nil {
		return nil, err
	}
	if _, err = owner.Settle(ctx, p.Store, n.keys, p.Owner); err != nil {
		return nil, err
	}
	if n.wallet, err = openWallet(ctx, &p, &c, n.keys); err != nil {
		return nil, err
	}
	return n, nil
}

// Run does the node's background work, such as making blocks and sending events, until ctx ends
// or a part of the work fails.
func (n *Node) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(n.watched(ctx))
	group.Go(guard.Func(ctx, "the chain", func() error { return n.chain.run(ctx) }))
	n.wallet.run(ctx, group)
	return group.Wait()
}

// announceEnd returns a stop function that informs the subscribed clients before it calls stop.
func (n *Node) announceEnd(stop func()) func() {
	if stop == nil {
		return nil
	}
	return func() {
		n.Ending("stop")
		stop()
	}
}

// Ending informs the subscribed clients that the node is about to end. The reason is the name
// of a signal, or "stop".
func (n *Node) Ending(reason string) {
	_ = n.Events().Publish(event.ShutdownID, reason) // a string can always be encoded
}

// watched returns a context whose panics in work are logged, unless the context already has a
// handler for them.
func (n *Node) watched(ctx context.Context) context.Context {
	if guard.Watched(ctx) {
		return ctx
	}
	return guard.With(ctx, func(p *guard.Panic) {
		n.log.Error("recovered from a panic", "work", p.Work, "panic", p.Cause, "stack", p.Stack)
	})
}

// Shared returns the chain's interface for a consensus engine of several validators, or nil if
// this node is not a validator.
func (n *Node) Shared() *engine.Shared { return n.chain.shared }

// Daemon answers one request body of the daemon API; see daemon.Server.
func (n *Node) Daemon(ctx context.Context, caller rpc.Caller, body []byte) (status int, reply []byte) {
	ctx = n.watched(ctx)
	if err := n.chain.open(context.WithoutCancel(ctx)); err != nil {
		n.log.Error("opening the token chain failed, retrying at the next call", "error", err.Error())
		return daemon.StatusError, daemon.Refusal(daemon.CodeInternal, "the token chain cannot be opened: "+err.Error())
	}
	return n.chain.server.Serve(ctx, caller, body)
}

// RPC answers one request body of the node API; see mmrpc.Server.
func (n *Node) RPC(ctx context.Context, caller rpc.Caller, body []byte) (status int, reply []byte) {
	return n.wallet.server.Serve(n.watched(ctx), caller, body)
}

// DApps answers a request that the wallet page makes on behalf of a dapp; see dapp.Front.
// Neither the daemon API nor the node API can reach it.
func (n *Node) DApps(ctx context.Context, request []byte) []byte {
	return dapp.Front{Active: n.wallet.active}.Answer(n.watched(ctx), request)
}

// RetryAfter returns how long the node API will refuse requests from a caller; see
// mmrpc.Server.
func (n *Node) RetryAfter(caller rpc.Caller) time.Duration { return n.wallet.server.RetryAfter(caller) }

// Events returns the hub from which clients of the node API read the events that they subscribed to.
func (n *Node) Events() *event.Hub { return n.wallet.events }

// SetCoins replaces the user's coins list with a list in the format of CoinList in a config.
// Active coins keep the entries that they were activated with.
func (n *Node) SetCoins(list json.RawMessage) error { return n.wallet.setCoins(list) }

// Gauges returns the node's gauges for metrics.
func (n *Node) Gauges() []metrics.Gauge { return slices.Concat(n.chain.gauges(), n.wallet.gauges()) }

// Busy reports whether the node has work to do between calls, such as transactions to put into
// a block, subscribed clients or versions to collect.
func (n *Node) Busy() bool { return n.chain.busy() || n.wallet.busy() }

// Close wipes the keys. The node must not be used afterwards.
func (n *Node) Close() {
	n.wallet.identity.Wipe()
	if n.keys != nil {
		n.keys.Wipe()
	}
}

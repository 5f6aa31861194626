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
	"obverse/core/daemon/ondemand"
	"obverse/core/daemon/tokenchain"
	"obverse/core/event"
	"obverse/core/guard"
	"obverse/core/key"
	"obverse/core/metrics"
	"obverse/core/mmrpc/walletnode"
	"obverse/core/rpc"
	"obverse/core/store/owner"
)

// Node is a running core. Its methods may be called by several goroutines.
type Node struct {
	log    Logger
	keys   *key.Ring // nil: no passphrase
	chain  tokenChain
	shared *engine.Shared // nil: the chain has one producer
	wallet *walletnode.Node
}

// tokenChain is the chain of the daemon API, implemented by tokenchain and ondemand.
type tokenChain interface {
	Run(ctx context.Context) error
	Serve(ctx context.Context, caller rpc.Caller, body []byte) (status int, reply []byte)
	Busy() bool
	Gauges() []metrics.Gauge
}

// New opens the chain in the platform's store, or begins one if the store has none, and makes
// the node around it. c has passed Validate.
func New(ctx context.Context, c config.Config, p Platform) (_ *Node, err error) {
	n := &Node{log: p.Log}
	p.Stop = n.announceEnd(p.Stop)
	var private *key.Private
	if c.Passphrase.IsSet() {
		if n.keys, err = key.Open(c.Passphrase.Reveal(), c.EnableHD); err != nil {
			return nil, fmt.Errorf("passphrase: %w", err)
		}
		private = n.keys.Node()
	}
	if err = n.open(ctx, p.ChainOnDemand, tokenchain.Config{
		Chain: c.Chain, Key: private, Store: p.Store, Now: p.Now, Log: p.Log, Calls: p.Calls, Stop: p.Stop, Version: p.Version,
		ECDSA: p.ECDSA, Validators: p.Validators, Port: p.DaemonPort,
	}); err != nil {
		return nil, err
	}
	if _, err = owner.Settle(ctx, p.Store, n.keys, p.Owner); err != nil {
		return nil, err
	}
	n.wallet, err = walletnode.Open(ctx, walletnode.Config{
		Settings: &c, Keys: n.keys, Store: p.Store, Now: p.Now, Random: p.Random, Log: p.Log, Calls: p.Calls, Guesses: p.Guesses, Stop: p.Stop,
		Probe: p.Probe, Fetch: p.Fetch, Dial: p.Dial, Lightning: p.Lightning, Wallets: p.Wallets, NamedWallets: p.NamedWallets, Ledgers: p.Ledgers, Trezors: p.Trezors, Directory: p.Directory, Version: p.Version, Built: p.Built,
	})
	if err != nil {
		return nil, err
	}
	return n, nil
}

// open opens the token chain.
func (n *Node) open(ctx context.Context, onDemand bool, c tokenchain.Config) error {
	if onDemand {
		chain, err := ondemand.Prepare(ctx, c)
		n.chain = chain
		return err
	}
	chain, err := tokenchain.Open(ctx, c)
	if err != nil {
		return err
	}
	n.chain, n.shared = chain, chain.Shared()
	return nil
}

// Run does the node's own work, such as making blocks and sending events, until ctx
// ends or a part of it fails.
func (n *Node) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(n.watched(ctx))
	group.Go(guard.Func(ctx, "the chain", func() error { return n.chain.Run(ctx) }))
	n.wallet.Run(ctx, group)
	return group.Wait()
}

// announceEnd sends the end that a client has asked for to the clients that listen for it.
func (n *Node) announceEnd(stop func()) func() {
	if stop == nil {
		return nil
	}
	return func() {
		n.Ending("stop")
		stop()
	}
}

// Ending sends the node's coming end to the clients that listen for it, and why: the name of a
// signal, or stop.
func (n *Node) Ending(reason string) {
	_ = n.Events().Publish(event.ShutdownID, reason) // it can be encoded
}

// watched logs the panics in work with the context, unless something else reports them.
func (n *Node) watched(ctx context.Context) context.Context {
	if guard.Watched(ctx) {
		return ctx
	}
	return guard.With(ctx, func(p *guard.Panic) {
		n.log.Error("recovered from a panic", "work", p.Work, "panic", p.Cause, "stack", p.Stack)
	})
}

// Shared is the token chain as the engine of several validators drives it; nil if the
// platform has no part among them.
func (n *Node) Shared() *engine.Shared { return n.shared }

// Daemon answers one request body of the daemon API; see daemon.Server.
func (n *Node) Daemon(ctx context.Context, caller rpc.Caller, body []byte) (status int, reply []byte) {
	return n.chain.Serve(n.watched(ctx), caller, body)
}

// RPC answers one request body of the node API; see mmrpc.Server.
func (n *Node) RPC(ctx context.Context, caller rpc.Caller, body []byte) (status int, reply []byte) {
	return n.wallet.Serve(n.watched(ctx), caller, body)
}

// DApps answers one request that the wallet's own page makes for a program of others; see
// dapp.Front. Neither interface reaches it.
func (n *Node) DApps(ctx context.Context, request []byte) []byte {
	return n.wallet.DApps(n.watched(ctx), request)
}

// RetryAfter says for how long the node API refuses a caller; see mmrpc.Server.
func (n *Node) RetryAfter(caller rpc.Caller) time.Duration { return n.wallet.RetryAfter(caller) }

// Events returns the hub from which clients of the node API read the events that they subscribed to.
func (n *Node) Events() *event.Hub { return n.wallet.Events() }

// SetCoins replaces the user's coins list, as CoinList of a config has it. Coins that are
// active keep the entries that they were activated with.
func (n *Node) SetCoins(list json.RawMessage) error { return n.wallet.SetCoins(list) }

// Gauges returns the node's gauges for operators.
func (n *Node) Gauges() []metrics.Gauge { return slices.Concat(n.chain.Gauges(), n.wallet.Gauges()) }

// Busy reports whether the node has work to go on with between calls: transactions to put
// into a block, clients that listen, versions to collect.
func (n *Node) Busy() bool { return n.chain.Busy() || n.wallet.Busy() }

// Close wipes the keys. Nothing else may be called after it.
func (n *Node) Close() {
	n.wallet.Close()
	if n.keys != nil {
		n.keys.Wipe()
	}
}

package core

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/sync/errgroup"

	"obverse/core/daemon"
	"obverse/core/event"
	"obverse/core/key"
	"obverse/core/net/fetch"
	"obverse/core/rpc"
	"obverse/core/rpc/guess"
	"obverse/core/store"
	"obverse/core/task/guard"
	"obverse/core/task/metrics"
	"obverse/core/versionstat"
	"obverse/core/wallet/lightning/node"
)

// Platform is what a node needs of the machine it runs on.
type Platform struct {
	Store  store.KV
	Now    func() time.Time
	Random io.Reader // unpredictable
	Log    Logger
	Calls  metrics.Calls // nil: calls are not counted
	// Guesses at the RPC password, if it is asked for beside calls too; nil: it is not.
	Guesses *guess.Limiter
	Stop    func() // ends the process when a client asks; nil: it cannot
	// Probe makes what asks other nodes for their version, in the name of the identity;
	// nil where that is impossible.
	Probe func(*key.Identity) (versionstat.Probe, error)
	// Fetch sends requests to the nodes of coins; nil: this platform can send none. Dial
	// opens websockets to them; nil: they are asked from time to time instead.
	Fetch fetch.Fetcher
	Dial  fetch.Dialer
	// Lightning makes the peers of a Lightning node; nil: there are none here.
	Lightning node.Open
	// Wallets are the browser wallets of the pages that use the node; nil: it serves none.
	Wallets key.Wallets
	Version string
	Commit  string
	Built   string // when: RFC 3339; may be empty
}

// Logger is told of what an operator must know. Pairs are keys and values, never
// parameters or results. *slog.Logger is one; it is called from many goroutines.
type Logger interface {
	daemon.Logger
	Info(message string, pairs ...any)
	Warn(message string, pairs ...any)
}

// Node is a running core. Its methods may be called by several goroutines.
type Node struct {
	log    Logger
	keys   *key.Ring // nil: no passphrase
	chain  *tokenChain
	wallet *walletNode
}

// New opens the chain in the platform's store, begins it if there is none, and makes
// the node around it. c has passed Validate.
func New(ctx context.Context, c Config, p Platform) (_ *Node, err error) {
	n := &Node{log: p.Log}
	if n.keys, err = openKeys(&c); err != nil {
		return nil, err
	}
	if n.chain, err = openTokenChain(ctx, &c, p, n.keys); err != nil {
		return nil, err
	}
	if n.wallet, err = openWalletNode(ctx, &c, p, n.keys); err != nil {
		return nil, err
	}
	return n, nil
}

// ErrPublicKey says that daemon.pubkey is not the key of the passphrase.
var ErrPublicKey = errors.New("daemon.pubkey does not belong to the passphrase")

// openKeys gives nil without a passphrase.
func openKeys(c *Config) (*key.Ring, error) {
	if !c.Passphrase.IsSet() {
		return nil, nil
	}
	keys, err := key.Open(c.Passphrase.Reveal(), c.EnableHD)
	if err != nil {
		return nil, fmt.Errorf("passphrase: %w", err)
	}
	pub := keys.Node().PublicKey()
	if want := c.Daemon.PubKey; want != "" && want != fmt.Sprintf("%x", pub) {
		return nil, ErrPublicKey
	}
	return keys, nil
}

// Run does the node's own work, such as making blocks and sending events, until ctx
// ends or a part of it fails.
func (n *Node) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(n.watched(ctx))
	group.Go(guard.Func(ctx, "the chain", func() error { return n.chain.run(ctx) }))
	n.wallet.run(ctx, group)
	return group.Wait()
}

// watched lets the log be told of panics where nobody else is.
func (n *Node) watched(ctx context.Context) context.Context {
	if guard.Watched(ctx) {
		return ctx
	}
	return guard.With(ctx, func(p *guard.Panic) {
		n.log.Error("recovered from a panic", "work", p.Work, "panic", p.Cause, "stack", p.Stack)
	})
}

// Daemon answers one request body of interface A; see daemon.Server.
func (n *Node) Daemon(ctx context.Context, caller rpc.Caller, body []byte) (status int, reply []byte) {
	return n.chain.daemon.Serve(n.watched(ctx), caller, body)
}

// RPC answers one request body of interface B; see mmrpc.Server.
func (n *Node) RPC(ctx context.Context, caller rpc.Caller, body []byte) (status int, reply []byte) {
	return n.wallet.server.Serve(n.watched(ctx), caller, body)
}

// RetryAfter says for how long interface B refuses a caller; see mmrpc.Server.
func (n *Node) RetryAfter(caller rpc.Caller) time.Duration { return n.wallet.server.RetryAfter(caller) }

// Events is where clients of interface B read what they subscribed to.
func (n *Node) Events() *event.Hub { return n.wallet.events }

// Close wipes the keys. Nothing else may be called after it.
func (n *Node) Close() {
	n.wallet.identity.Wipe()
	if n.keys != nil {
		n.keys.Wipe()
	}
}

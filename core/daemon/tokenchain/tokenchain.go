// Package tokenchain is the part of a node behind the daemon API: the chain, the mempool, the
// block production, the wallet, and the server in front of them. It combines the packages of
// core/chain and adds no rules.
package tokenchain

import (
	"context"
	"errors"
	"fmt"
	"time"

	"obverse/core/chain"
	"obverse/core/chain/engine"
	"obverse/core/chain/mempool"
	"obverse/core/chain/params"
	"obverse/core/chain/pin"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wallet"
	"obverse/core/config"
	"obverse/core/daemon"
	"obverse/core/key"
	"obverse/core/metrics"
	"obverse/core/rpc"
	"obverse/core/store"
)

// Config holds the dependencies and settings of a Node.
type Config struct {
	Chain   config.Chain
	Key     *key.Private // signs, and makes blocks; nil: no passphrase
	Store   store.KV
	Now     func() time.Time
	Log     daemon.Logger
	Calls   metrics.Calls // nil: calls are not counted
	Stop    func()        // asks the process to end; nil: it cannot
	ECDSA   script.ECDSA  // nil: btcec
	Version string
	Port    func() int // of the daemon API; nil without a port
	// Validators are the other validators of the chain, or nil if it has one producer.
	Validators *Validators
}

// Validators holds the settings of a node that makes blocks together with others.
type Validators struct {
	Role   *engine.Role
	State  chain.StateTree
	Prover func(*chain.Manager) daemon.Prover // nil: nothing can be proven
	// Stalled returns why no blocks are made; nil while they are.
	Stalled func() error
	// Network is the node's place among the others.
	Network func(context.Context) (daemon.Network, error)
}

// Node is the chain at work. Its methods may be called by several goroutines.
type Node struct {
	c        Config
	params   *params.Params
	rules    chain.HeaderRules
	manager  *chain.Manager
	pool     *mempool.Pool
	producer *engine.Producer // nil: this node makes no blocks
	shared   *engine.Shared   // nil: the chain has one producer
	server   *daemon.Server
}

// signatures is how many verified signatures are remembered, 32 bytes each: those
// of a few full blocks.
const signatures = 1 << 17

// Open opens the chain in the store, or begins it if the store is empty.
func Open(ctx context.Context, c Config) (*Node, error) {
	n, err := Prepare(ctx, c)
	if err == nil {
		err = n.Open(ctx)
	}
	if err != nil {
		return nil, err
	}
	return n, nil
}

// Prepare ties the store to the chain, or refuses it. Nothing but Open and Waiting may be
// called of the node until it is open.
func Prepare(ctx context.Context, c Config) (*Node, error) {
	n := &Node{c: c}
	p, err := params.New(c.Chain.Options)
	if err != nil {
		return nil, fmt.Errorf("chain: %w", err)
	}
	n.params = p
	n.rules, err = n.headerRules(ctx, p)
	return n, err
}

// Waiting reports whether transactions in the store wait for a block.
func (n *Node) Waiting(ctx context.Context) (bool, error) {
	return mempool.Stored(ctx, n.c.Store)
}

// Open opens the chain of a prepared node, or creates a missing one. After an error it
// may be called again.
func (n *Node) Open(ctx context.Context) error {
	relay := mempool.Relay{Fee: n.c.Chain.RelayFee, Free: n.c.Chain.LimitFreeRelay, Shared: n.c.Validators != nil}
	var nodeWallet *wallet.Wallet
	if n.c.Key != nil {
		nodeWallet = wallet.New(wallet.Config{Key: n.c.Key, Params: n.params, DataCarrierSize: n.c.Chain.DataCarrierSize, AllowUnheld: n.c.Chain.AllowUnheldTokens})
		relay.IsMine = nodeWallet.Owns
	}
	if err := n.read(ctx, relay); err != nil {
		return err
	}
	backend := &daemon.Backend{Manager: n.manager, Pool: n.pool, Now: n.c.Now, Version: n.c.Version, Stop: n.c.Stop, Port: n.c.Port}
	if disk, may := n.c.Store.(interface{ Healthy() error }); may {
		backend.Healthy = disk.Healthy
	}
	switch v := n.c.Validators; {
	case v != nil:
		n.shared = engine.NewShared(n.manager, n.pool, n.c.Store, v.Role)
		backend.Announce, backend.Stalled, backend.Network = v.Role.Announce, v.Stalled, v.Network
		if v.Prover != nil {
			backend.Prover = v.Prover(n.manager)
		}
	case n.c.Key != nil:
		if err := n.produce(ctx); err != nil {
			return err
		}
		backend.Producer = n.producer
	}
	backend.Wallet, backend.RelayFee = nodeWallet, n.c.Chain.RelayFee
	n.server = daemon.New(daemon.Options{
		Info: rpc.Info{Title: "Obverse token daemon", Version: n.c.Version}, Log: n.c.Log, Calls: n.c.Calls,
	}, backend.Methods()...)
	return nil
}

// read reads the chain and its waiting transactions from the store.
func (n *Node) read(ctx context.Context, relay mempool.Relay) (err error) {
	c := chain.Config{
		Store: n.c.Store, Params: n.params, HeaderRules: n.rules, Now: n.c.Now,
		Cache: script.NewSigCache(signatures, n.c.ECDSA),
	}
	if n.c.Validators != nil {
		c.State = n.c.Validators.State
	}
	n.manager, err = chain.Open(ctx, c)
	if err != nil {
		return err
	}
	pool := mempool.Config{Manager: n.manager, Store: n.c.Store, Now: n.c.Now, DataCarrierSize: n.c.Chain.DataCarrierSize, Relay: &relay}
	if n.c.Validators != nil {
		pool.MaxCount = n.c.Validators.Role.MaxWaiting
	}
	n.pool, err = mempool.New(ctx, pool)
	if err != nil {
		return err
	}
	if err := n.manager.Resume(ctx); err != nil {
		return fmt.Errorf("choose the best branch: %w", err)
	}
	return nil
}

// headerRules decides who may make blocks: on regtest anyone, otherwise the one producer
// that the store is pinned to.
func (n *Node) headerRules(ctx context.Context, p *params.Params) (chain.HeaderRules, error) {
	var producer [33]byte
	var role *engine.Role
	if n.c.Validators != nil {
		role = n.c.Validators.Role
	}
	switch {
	case role != nil && !p.Regtest:
		producer = role.Terms.Payee
	case n.c.Key != nil && !p.Regtest:
		producer = n.c.Key.PublicKey()
	}
	stored, shared, err := engine.StoredTerms(ctx, n.c.Store)
	switch {
	case err != nil:
		return nil, err
	case shared && role == nil:
		return nil, errValidators
	case shared && stored != role.Terms:
		return nil, fmt.Errorf("%w: %s", engine.ErrTerms, stored.Difference(role.Terms))
	}
	pinned, err := pin.Store(ctx, n.c.Store, p.Options(), producer)
	if err != nil {
		return nil, err
	}
	if role != nil {
		return engine.Validators{From: role.Terms.From}, nil
	}
	if p.Regtest {
		return engine.AnyProducer{}, nil
	}
	return engine.Solo{Producer: pinned, Now: n.c.Now}, nil
}

// errValidators keeps a solo producer from making a branch on a chain with validators.
var errValidators = fmt.Errorf("%w: several validators make its blocks; start it with `obverse validator`, or hand it back with `obverse validator migrate --back`", pin.ErrOtherChain)

// produce prepares to make blocks alone.
func (n *Node) produce(ctx context.Context) error {
	n.producer = engine.New(engine.Config{
		Manager: n.manager, Pool: n.pool, Key: n.c.Key, Now: n.c.Now, Failed: n.blockFailed,
		Interval: time.Duration(n.c.Chain.BlockInterval * float64(time.Second)),
	})
	return n.begin(ctx)
}

// begin makes block 1. On regtest blocks come only when asked for (generate,
// submitblock), as with komodod.
func (n *Node) begin(ctx context.Context) error {
	if n.manager.Params().Regtest {
		return nil
	}
	return n.producer.Begin(ctx)
}

func (n *Node) blockFailed(err error) {
	n.c.Log.Error("making a block failed, retrying", "error", err.Error())
}

// makesBlocks reports whether blocks are made without a call.
func (n *Node) makesBlocks() bool { return n.producer != nil && !n.manager.Params().Regtest }

// Shared returns the chain as the engine of several validators drives it; nil on a solo chain.
func (n *Node) Shared() *engine.Shared { return n.shared }

// Run makes blocks, if this node does, until ctx ends.
func (n *Node) Run(ctx context.Context) error {
	if !n.makesBlocks() {
		<-ctx.Done()
		return ctx.Err()
	}
	return n.producer.Run(ctx)
}

// Serve answers one request body of the daemon API; see daemon.Server.
func (n *Node) Serve(ctx context.Context, caller rpc.Caller, body []byte) (status int, reply []byte) {
	return n.server.Serve(ctx, caller, body)
}

// Busy reports whether transactions wait that go into a block without a call.
func (n *Node) Busy() bool {
	waiting := 0
	// Read fails only when the look does, and this one does not.
	_ = n.manager.Read(context.Background(), func(*chain.View) error {
		waiting = n.pool.Size()
		return nil
	})
	return waiting > 0 && n.makesBlocks()
}

// Gauges returns the gauges of the chain and the mempool.
func (n *Node) Gauges() []metrics.Gauge {
	read := func(value func(*chain.View) int) func() float64 {
		return func() (f float64) {
			// Read fails only when the look does, and this one does not.
			_ = n.manager.Read(context.Background(), func(v *chain.View) error {
				f = float64(value(v))
				return nil
			})
			return f
		}
	}
	return []metrics.Gauge{
		{Name: "chain_height_blocks", Help: "Height of the last block.",
			Read: read(func(v *chain.View) int { return v.Tip().Height })},
		{Name: "chain_tip_time_seconds", Help: "Unix time of the last block.",
			Read: read(func(v *chain.View) int { return int(v.Tip().Time) })},
		{Name: "mempool_transactions", Help: "Transactions that wait for a block.",
			Read: read(func(*chain.View) int { return n.pool.Size() })},
		{Name: "mempool_bytes", Help: "Their size together.",
			Read: read(func(*chain.View) int { return n.pool.Bytes() })},
	}
}

// ErrNoProducer says that a chain has no blocks yet.
var ErrNoProducer = errors.New("the chain has no producer yet, so that there is nothing to hand over: `obverse testnet` begins a chain of validators")

// SoloTip returns the last block of the solo chain in a store, and the key of its producer.
func SoloTip(ctx context.Context, kv store.KV, o params.Options) (tip chain.Tip, producer token.Key, err error) {
	if _, found, err := engine.StoredTerms(ctx, kv); err != nil || found {
		return tip, producer, errors.Join(err, errValidators)
	}
	p, err := params.New(o)
	if err != nil {
		return tip, producer, fmt.Errorf("chain: %w", err)
	}
	if producer, err = pin.Store(ctx, kv, o, producer); err != nil {
		return tip, producer, err
	}
	if producer == (token.Key{}) {
		return tip, producer, ErrNoProducer
	}
	now := func() time.Time { return time.Unix(0, 0) } // no block is made
	m, err := chain.Open(ctx, chain.Config{Store: kv, Params: p, Now: now, Cache: script.NewSigCache(1, nil),
		HeaderRules: engine.Solo{Producer: producer, Now: now}})
	if err != nil {
		return tip, producer, err
	}
	if err := m.Resume(ctx); err != nil {
		return tip, producer, err
	}
	err = m.Read(ctx, func(v *chain.View) error {
		tip = v.Tip()
		return nil
	})
	return tip, producer, err
}

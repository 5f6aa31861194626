package core

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"obverse/core/chain"
	"obverse/core/chain/engine"
	"obverse/core/chain/keyring"
	"obverse/core/chain/mempool"
	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/wallet"
	"obverse/core/config"
	"obverse/core/daemon"
	"obverse/core/key"
	"obverse/core/metrics"
	"obverse/core/rpc"
)

// tokenChain is the half of a node that serves the daemon API: the chain, the mempool, block
// production and the daemon server. The chain may be opened later than the node, because a page
// loads its program with the first call of the daemon API.
//
// Invariant: a store that belongs to another chain is refused before anything else uses it.
type tokenChain struct {
	p      *Platform
	c      *config.Chain
	key    *key.Private // signs transactions and blocks; nil without a passphrase
	params *params.Params
	rules  chain.HeaderRules

	turn   sync.Mutex    // held while the chain is being opened
	opened chan struct{} // closed once the chain is open and the fields below are set
	isOpen atomic.Bool

	manager  *chain.Manager
	pool     *mempool.Pool
	producer *engine.Producer // nil if this node makes no blocks
	shared   *engine.Shared   // nil if the chain has a single producer
	server   *daemon.Server
}

// signatures is the number of verified signatures that the cache remembers, at 32 bytes each. A
// few full blocks contain as many.
const signatures = 1 << 17

// newTokenChain binds the store to the chain, or returns an error if the store belongs to
// another chain, and opens the chain. A chain on demand is opened only if the store contains
// unconfirmed transactions, because no later call would put them into a block.
func newTokenChain(ctx context.Context, p *Platform, c *config.Chain, signs *key.Private) (*tokenChain, error) {
	t := &tokenChain{p: p, c: c, key: signs, opened: make(chan struct{})}
	var err error
	if t.params, err = params.New(c.Options); err != nil {
		return nil, fmt.Errorf("chain: %w", err)
	}
	var producer [33]byte
	if signs != nil {
		producer = signs.PublicKey()
	}
	if t.rules, err = engine.Rules(ctx, p.Store, t.params, producer, t.role(), p.Now); err != nil {
		return nil, err
	}
	if p.ChainOnDemand {
		if waiting, err := mempool.Stored(ctx, p.Store); err != nil || !waiting {
			return t, err
		}
	}
	return t, t.open(ctx)
}

// role returns the node's role among the validators, or nil if the node makes the blocks alone.
func (t *tokenChain) role() *engine.Role {
	if t.p.Validators == nil {
		return nil
	}
	return t.p.Validators.Role
}

// open opens the chain, creating it if necessary. It does nothing if the chain is already open.
// After an error, the next call tries again.
func (t *tokenChain) open(ctx context.Context) error {
	if t.isOpen.Load() {
		return nil
	}
	t.turn.Lock()
	defer t.turn.Unlock()
	if t.isOpen.Load() {
		return nil
	}
	if err := t.assemble(ctx); err != nil {
		return err
	}
	t.isOpen.Store(true)
	close(t.opened)
	return nil
}

// assemble creates the parts of the chain and connects them.
func (t *tokenChain) assemble(ctx context.Context) error {
	relay := mempool.Relay{Fee: t.c.RelayFee, Free: t.c.LimitFreeRelay, Shared: t.p.Validators != nil}
	backend := &daemon.Backend{Now: t.p.Now, Version: t.p.Version, Stop: t.p.Stop, Port: t.p.DaemonPort, RelayFee: t.c.RelayFee}
	if t.key != nil {
		ring, err := keyring.Open(ctx, keyring.Config{Store: t.p.Store, Random: t.p.Random, Now: t.p.Now, Node: t.key})
		if err != nil {
			return err
		}
		backend.Ring = ring
		backend.Wallet = wallet.New(wallet.Config{Key: t.key, Ring: ring, Params: t.params, DataCarrierSize: t.c.DataCarrierSize, AllowUnheld: t.c.AllowUnheldTokens})
		relay.IsMine = func(pkScript []byte) bool { return ring.Relation(pkScript) == keyring.Mine }
	}
	if disk, may := t.p.Store.(interface{ Healthy() error }); may {
		backend.Healthy = disk.Healthy
	}
	if err := t.read(ctx, relay); err != nil {
		return err
	}
	backend.Manager, backend.Pool = t.manager, t.pool
	if backend.Ring != nil {
		if err := t.manager.Read(ctx, backend.Ring.Find); err != nil {
			return fmt.Errorf("find the keys of the wallet: %w", err)
		}
		t.manager.Follow(backend.Ring)
	}
	switch v := t.p.Validators; {
	case v != nil:
		t.shared = engine.NewShared(t.manager, t.pool, t.p.Store, v.Role)
		backend.Announce, backend.Stalled, backend.Network = v.Role.Announce, v.Stalled, v.Network
		if v.Prover != nil {
			backend.Prover = v.Prover(t.manager)
		}
	case t.key != nil:
		if err := t.produce(ctx); err != nil {
			return err
		}
		backend.Producer = t.producer
	}
	t.server = daemon.New(daemon.Options{Info: rpc.Info{Title: "Obverse token daemon", Version: t.p.Version}, Log: t.p.Log, Calls: t.p.Calls},
		backend.Methods()...)
	return nil
}

// read reads the chain and the unconfirmed transactions from the store.
func (t *tokenChain) read(ctx context.Context, relay mempool.Relay) (err error) {
	c := chain.Config{Store: t.p.Store, Params: t.params, HeaderRules: t.rules, Now: t.p.Now, Cache: script.NewSigCache(signatures, t.p.ECDSA)}
	c.Progress = t.reportIndexing()
	pool := mempool.Config{Store: t.p.Store, Now: t.p.Now, DataCarrierSize: t.c.DataCarrierSize, Relay: &relay}
	if v := t.p.Validators; v != nil {
		c.State, pool.MaxCount = v.State, v.Role.MaxWaiting
	}
	if t.manager, err = chain.Open(ctx, c); err != nil {
		return err
	}
	pool.Manager = t.manager
	if t.pool, err = mempool.New(ctx, pool); err != nil {
		return err
	}
	if err := t.manager.Resume(ctx); err != nil {
		return fmt.Errorf("choose the best branch: %w", err)
	}
	return nil
}

// reportIndexing returns a function that logs the progress of upgrading the store of an older
// version, at most once per tenth of the chain.
func (t *tokenChain) reportIndexing() func(block, last int) {
	reported := -1
	return func(block, last int) {
		if tenth := 10 * block / last; tenth > reported {
			reported = tenth
			t.p.Log.Info("upgrading the indexes of an older store", "block", block, "last", last)
		}
	}
}

// produce makes block 1 if it is missing, and prepares the production of further blocks by this
// node alone. On regtest, blocks are made only on request (generate, submitblock), as in
// komodod.
func (t *tokenChain) produce(ctx context.Context) error {
	t.producer = engine.New(engine.Config{
		Manager: t.manager, Pool: t.pool, Key: t.key, Now: t.p.Now, Interval: time.Duration(t.c.BlockInterval * float64(time.Second)),
		Failed: func(err error) { t.p.Log.Error("making a block failed, retrying", "error", err.Error()) },
	})
	if t.params.Regtest {
		return nil
	}
	return t.producer.Begin(ctx)
}

// makesBlocks reports whether this node makes blocks without being asked. The chain must be
// open.
func (t *tokenChain) makesBlocks() bool { return t.producer != nil && !t.params.Regtest }

// run waits until the chain is open and then makes blocks until ctx ends, if this node makes
// blocks.
func (t *tokenChain) run(ctx context.Context) error {
	select {
	case <-t.opened:
		if t.makesBlocks() {
			return t.producer.Run(ctx)
		}
		<-ctx.Done()
	case <-ctx.Done():
	}
	return ctx.Err()
}

// busy reports whether unconfirmed transactions are waiting for a block that this node makes
// without a call.
func (t *tokenChain) busy() bool {
	return t.isOpen.Load() && t.makesBlocks() && t.figure(func(*chain.View) int { return t.pool.Size() }) > 0
}

// figure calls read with a view of the chain and returns the result. The chain must be open.
func (t *tokenChain) figure(read func(*chain.View) int) (n int) {
	// Read returns only the error of the function it calls, which is nil here.
	_ = t.manager.Read(context.Background(), func(v *chain.View) error {
		n = read(v)
		return nil
	})
	return n
}

// gauges returns the gauges of the chain and the mempool once they are open.
func (t *tokenChain) gauges() []metrics.Gauge {
	if !t.isOpen.Load() {
		return nil
	}
	read := func(value func(*chain.View) int) func() float64 {
		return func() float64 { return float64(t.figure(value)) }
	}
	return []metrics.Gauge{
		{Name: "chain_height_blocks", Help: "Height of the last block.",
			Read: read(func(v *chain.View) int { return v.Tip().Height })},
		{Name: "chain_tip_time_seconds", Help: "Unix time of the last block.",
			Read: read(func(v *chain.View) int { return int(v.Tip().Time) })},
		{Name: "mempool_transactions", Help: "Transactions that wait for a block.",
			Read: read(func(*chain.View) int { return t.pool.Size() })},
		{Name: "mempool_bytes", Help: "Their size together.",
			Read: read(func(*chain.View) int { return t.pool.Bytes() })},
	}
}

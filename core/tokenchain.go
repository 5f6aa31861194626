package core

import (
	"context"
	"fmt"
	"time"

	"obverse/core/chain"
	"obverse/core/chain/engine"
	"obverse/core/chain/mempool"
	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/wallet"
	"obverse/core/daemon"
	"obverse/core/key"
	"obverse/core/rpc"
)

// tokenChain is the half of the node that interface A shows: the chain, what waits for
// it, who makes its blocks, and the wallet.
type tokenChain struct {
	log      Logger
	private  *key.Private // nil: no passphrase
	manager  *chain.Manager
	pool     *mempool.Pool
	producer *engine.Producer // nil: this node makes no blocks
	daemon   *daemon.Server
}

// signatures is how many verified signatures are remembered, 32 bytes each: those
// of a few full blocks.
const signatures = 1 << 17

func openTokenChain(ctx context.Context, c *Config, p Platform, keys *key.Ring) (*tokenChain, error) {
	t := &tokenChain{log: p.Log}
	if keys != nil {
		t.private = keys.Node()
	}
	if err := t.open(ctx, c, p); err != nil {
		return nil, err
	}
	backend := &daemon.Backend{Manager: t.manager, Pool: t.pool, Now: p.Now, Version: p.Version, Stop: p.Stop}
	if t.private != nil {
		t.producer = engine.New(engine.Config{
			Manager: t.manager, Pool: t.pool, Key: t.private, Now: p.Now, Failed: t.blockFailed,
			Interval: time.Duration(c.Chain.BlockInterval * float64(time.Second)),
		})
		if err := t.begin(ctx); err != nil {
			return nil, err
		}
		backend.Producer = t.producer
		backend.Wallet = wallet.New(wallet.Config{
			Key: t.private, Params: t.manager.Params(), DataCarrierSize: c.Chain.DataCarrierSize,
		})
	}
	t.daemon = daemon.New(daemon.Options{
		Info: rpc.Info{Title: "Obverse token daemon", Version: p.Version}, Log: p.Log, Calls: p.Calls,
	}, backend.Methods()...)
	return t, nil
}

// open reads the chain and its waiting transactions from the store.
func (t *tokenChain) open(ctx context.Context, c *Config, p Platform) error {
	chainParams, err := params.New(c.Chain.Options)
	if err != nil {
		return fmt.Errorf("chain: %w", err)
	}
	seal, err := t.seal(ctx, chainParams, p)
	if err != nil {
		return err
	}
	t.manager, err = chain.Open(ctx, chain.Config{
		Store: p.Store, Params: chainParams, Seal: seal, Now: p.Now, Cache: script.NewSigCache(signatures),
	})
	if err != nil {
		return err
	}
	t.pool, err = mempool.New(ctx, mempool.Config{
		Manager: t.manager, Store: p.Store, Now: p.Now, DataCarrierSize: c.Chain.DataCarrierSize,
	})
	if err != nil {
		return err
	}
	if err := t.manager.Resume(ctx); err != nil {
		return fmt.Errorf("choose the best branch: %w", err)
	}
	return nil
}

// seal decides who may make blocks: on regtest anyone, otherwise the one producer
// that the store is pinned to.
func (t *tokenChain) seal(ctx context.Context, p *params.Params, platform Platform) (chain.Seal, error) {
	var producer [33]byte
	if t.private != nil && !p.Regtest {
		producer = t.private.PublicKey()
	}
	pinned, err := pin(ctx, platform.Store, p.Options(), producer)
	if err != nil {
		return nil, err
	}
	if p.Regtest {
		return engine.AnyProducer{}, nil
	}
	return engine.Solo{Producer: pinned, Now: platform.Now}, nil
}

// begin makes block 1. On regtest blocks come only when asked for (generate,
// submitblock), as with komodod.
func (t *tokenChain) begin(ctx context.Context) error {
	if t.manager.Params().Regtest {
		return nil
	}
	return t.producer.Begin(ctx)
}

func (t *tokenChain) blockFailed(err error) {
	t.log.Error("no block could be made, trying again", "error", err.Error())
}

// makesBlocks reports whether blocks are made without a call.
func (t *tokenChain) makesBlocks() bool { return t.producer != nil && !t.manager.Params().Regtest }

// run makes blocks, if this node does, until ctx ends.
func (t *tokenChain) run(ctx context.Context) error {
	if !t.makesBlocks() {
		<-ctx.Done()
		return ctx.Err()
	}
	return t.producer.Run(ctx)
}

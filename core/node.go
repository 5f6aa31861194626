package core

import (
	"context"
	"errors"
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
	"obverse/core/metrics"
	"obverse/core/rpc"
	"obverse/core/store"
)

// Platform is what a node needs of the machine it runs on.
type Platform struct {
	Store   store.KV
	Now     func() time.Time
	Log     daemon.Logger
	Calls   metrics.Calls // nil: calls are not counted
	Stop    func()        // ends the process when a client asks; nil: it cannot
	Version string
	Commit  string
}

// Node is a running core. Its methods may be called by several goroutines.
type Node struct {
	manager  *chain.Manager
	pool     *mempool.Pool
	producer *engine.Producer // nil: this node makes no blocks
	daemon   *daemon.Server
	keys     *key.Ring    // nil: no passphrase
	private  *key.Private // the node's of them
	log      daemon.Logger
}

// signatures is how many verified signatures are remembered, 32 bytes each: those
// of a few full blocks.
const signatures = 1 << 17

// New opens the chain in the platform's store and begins it if there is none.
// c has passed Validate.
func New(ctx context.Context, c Config, p Platform) (*Node, error) {
	n := &Node{log: p.Log}
	if err := n.openKey(&c); err != nil {
		return nil, err
	}
	chainParams, err := params.New(c.Chain.Options)
	if err != nil {
		return nil, fmt.Errorf("chain: %w", err)
	}
	seal, err := n.seal(ctx, chainParams, p)
	if err != nil {
		return nil, err
	}
	n.manager, err = chain.Open(ctx, chain.Config{
		Store: p.Store, Params: chainParams, Seal: seal, Now: p.Now, Cache: script.NewSigCache(signatures),
	})
	if err != nil {
		return nil, err
	}
	n.pool, err = mempool.New(ctx, mempool.Config{
		Manager: n.manager, Store: p.Store, Now: p.Now, DataCarrierSize: c.Chain.DataCarrierSize,
	})
	if err != nil {
		return nil, err
	}
	if err := n.manager.Resume(ctx); err != nil {
		return nil, fmt.Errorf("choose the best branch: %w", err)
	}
	backend := &daemon.Backend{Manager: n.manager, Pool: n.pool, Now: p.Now, Version: p.Version, Stop: p.Stop}
	if n.private != nil {
		n.producer = engine.New(engine.Config{
			Manager: n.manager, Pool: n.pool, Key: n.private, Now: p.Now, Failed: n.blockFailed,
			Interval: time.Duration(c.Chain.BlockInterval * float64(time.Second)),
		})
		if err := n.begin(ctx); err != nil {
			return nil, err
		}
		backend.Producer = n.producer
		backend.Wallet = wallet.New(wallet.Config{
			Key: n.private, Params: chainParams, DataCarrierSize: c.Chain.DataCarrierSize,
		})
	}
	n.daemon = daemon.New(daemon.Options{
		Info: rpc.Info{Title: "Obverse token daemon", Version: p.Version}, Log: p.Log, Calls: p.Calls,
	}, backend.Methods()...)
	return n, nil
}

// ErrPublicKey says that daemon.pubkey is not the key of the passphrase.
var ErrPublicKey = errors.New("daemon.pubkey does not belong to the passphrase")

func (n *Node) openKey(c *Config) (err error) {
	if !c.Passphrase.IsSet() {
		return nil
	}
	if n.keys, err = key.Open(c.Passphrase.Reveal(), c.EnableHD); err != nil {
		return fmt.Errorf("passphrase: %w", err)
	}
	n.private = n.keys.Node()
	pub := n.private.PublicKey()
	if want := c.Daemon.PubKey; want != "" && want != fmt.Sprintf("%x", pub) {
		return ErrPublicKey
	}
	return nil
}

// seal decides who may make blocks: on regtest anyone, otherwise the one producer
// that the store is pinned to.
func (n *Node) seal(ctx context.Context, p *params.Params, platform Platform) (chain.Seal, error) {
	var producer [33]byte
	if n.private != nil && !p.Regtest {
		producer = n.private.PublicKey()
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
func (n *Node) begin(ctx context.Context) error {
	if n.manager.Params().Regtest {
		return nil
	}
	return n.producer.Begin(ctx)
}

func (n *Node) blockFailed(err error) {
	n.log.Error("no block could be made, trying again", "error", err.Error())
}

// Run makes blocks, if this node does, until ctx ends.
func (n *Node) Run(ctx context.Context) error {
	if n.producer == nil || n.manager.Params().Regtest {
		<-ctx.Done()
		return ctx.Err()
	}
	return n.producer.Run(ctx)
}

// Daemon answers one request body of interface A; see daemon.Server.
func (n *Node) Daemon(ctx context.Context, caller rpc.Caller, body []byte) (status int, reply []byte) {
	return n.daemon.Serve(ctx, caller, body)
}

// Close wipes the keys. Nothing else may be called after it.
func (n *Node) Close() {
	if n.keys != nil {
		n.keys.Wipe()
	}
}

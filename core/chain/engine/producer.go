package engine

import (
	"context"
	"fmt"
	"sync"
	"time"

	"obverse/core/chain"
	"obverse/core/chain/consensus"
	"obverse/core/chain/mempool"
	"obverse/core/chain/params"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
	"obverse/core/clock"
)

// Signer makes the producer's signatures: 64 bytes r‖s with the low s.
type Signer interface {
	PublicKey() [33]byte
	SignCompact(hash [32]byte) [64]byte
}

// Config holds the dependencies and settings of a Producer.
type Config struct {
	Manager  *chain.Manager
	Pool     *mempool.Pool
	Key      Signer
	Interval time.Duration // least time between blocks that Run makes
	Now      func() time.Time
	Failed   func(error) // called when Run could not make a block; Run retries
}

// Producer makes the blocks of a solo chain.
type Producer struct {
	manager  *chain.Manager
	pool     *mempool.Pool
	params   *params.Params
	key      Signer
	pub      token.Key
	interval time.Duration
	now      func() time.Time
	failed   func(error)

	making sync.Mutex
}

// New makes a producer, which makes nothing before Generate or Run.
func New(c Config) *Producer {
	return &Producer{manager: c.Manager, pool: c.Pool, params: c.Manager.Params(), key: c.Key,
		pub: c.Key.PublicKey(), interval: c.Interval, now: c.Now, failed: c.Failed}
}

// Begin makes block 1, which holds the premine, unless the chain has it.
func (p *Producer) Begin(ctx context.Context) error {
	height := 0
	err := p.manager.Read(ctx, func(v *chain.View) error {
		height = v.Tip().Height
		return nil
	})
	if err != nil || height > 0 {
		return err
	}
	_, err = p.Generate(ctx, 1)
	return err
}

// Generate makes n blocks at once and returns their hashes.
func (p *Producer) Generate(ctx context.Context, n int) (hashes []wire.Hash, err error) {
	p.making.Lock()
	defer p.making.Unlock()
	for range n {
		hash, err := p.make(ctx)
		if err != nil {
			return hashes, fmt.Errorf("make block: %w", err)
		}
		hashes = append(hashes, hash)
	}
	return hashes, nil
}

func (p *Producer) make(ctx context.Context) (wire.Hash, error) {
	var block *wire.Block
	err := p.manager.Read(ctx, func(v *chain.View) error {
		tip := v.Tip()
		seconds := uint32(p.now().Unix())
		at := consensus.Place{Height: tip.Height + 1, MedianTime: tip.MedianTime}
		block = p.template(at, tip.Hash, max(tip.MedianTime+1, seconds), p.pool.Entries())
		block.Bits = v.NextBits()
		return v.Err()
	})
	if err != nil {
		return wire.Hash{}, err
	}
	sig := p.key.SignCompact([32]byte(sealHash(&block.Header)))
	block.Solution = sig[:]
	return p.manager.Submit(ctx, block.Encode())
}

// retry is how long Run waits after a failure.
const retry = 10 * time.Second

// Run makes a block whenever transactions wait, at most one in each interval,
// until the context ends.
func (p *Producer) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-p.pool.Waiting():
		}
		wait := p.interval
		if _, err := p.Generate(ctx, 1); err != nil && ctx.Err() == nil {
			p.failed(err)
			wait = retry
		}
		if err := clock.Sleep(ctx, wait); err != nil {
			return err
		}
	}
}

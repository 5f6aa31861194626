package engine

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"obverse/core/chain"
	"obverse/core/chain/cc"
	"obverse/core/chain/consensus"
	"obverse/core/chain/mempool"
	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
	"obverse/core/clock"
)

// Signer signs headers with the producer's key. A signature has 64 bytes: r‖s, with the low s.
type Signer interface {
	PublicKey() [33]byte
	SignCompact(hash [32]byte) [64]byte
}

// Config holds the dependencies and settings of a Producer.
type Config struct {
	Manager  *chain.Manager
	Pool     *mempool.Pool
	Key      Signer
	Interval time.Duration // minimum time between blocks made by Run
	Now      func() time.Time
	Failed   func(error) // called when Run has failed to make a block, before it retries
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

// New returns a producer. It makes no block until Generate or Run is called.
func New(c Config) *Producer {
	return &Producer{manager: c.Manager, pool: c.Pool, params: c.Manager.Params(), key: c.Key,
		pub: c.Key.PublicKey(), interval: c.Interval, now: c.Now, failed: c.Failed}
}

// Begin makes block 1, which contains the premine, unless the chain already has it.
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

// Generate makes n blocks immediately and returns their hashes.
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

// retry is the time that Run waits after a failure.
const retry = 10 * time.Second

// Run makes a block when the mempool has transactions, but at most one in each interval, until
// the context ends.
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

// minerData follows the height in a coinbase, as in komodod's blocks.
const minerData = "\x01\x01"

// reserved is the space that a block reserves for its header and coinbase, in bytes.
const reserved = 10_000

// template returns a block on top of a tip, filled with transactions of the mempool, parents
// first. Its bits and seal are not set.
func (p *Producer) template(at consensus.Place, prev wire.Hash, time uint32, waiting []*mempool.Entry) *wire.Block {
	chosen := p.choose(at.Height, time, waiting)
	txs, ids, fees := make([]*wire.Tx, len(chosen)), make([]wire.Hash, len(chosen)), int64(0)
	for i, entry := range chosen {
		txs[i], ids[i] = entry.Tx, entry.ID
		fees += entry.Fee
	}
	return assemble(p.params, p.pub, at.Height, prev, time, txs, ids, fees)
}

// assemble returns a block with the given transactions and a coinbase that pays to a key. Its
// bits and seal are not set.
func assemble(p *params.Params, pay token.Key, height int, prev wire.Hash, time uint32, txs []*wire.Tx, ids []wire.Hash, fees int64) *wire.Block {
	block := &wire.Block{Header: wire.Header{
		Version: 4, Prev: prev, SaplingRoot: consensus.EmptySaplingRoot, Time: time,
	}}
	block.Txs = append(make([]*wire.Tx, 1, len(txs)+1), txs...)
	block.Txs[0] = coinbase(p, pay, height, time, fees)
	payCommission(p, height, block.Txs)
	block.MerkleRoot, _ = wire.MerkleRoot(append([]wire.Hash{block.Txs[0].ID()}, ids...))
	return block
}

// choose returns the waiting transactions that fit into a block together with its coinbase, in
// their order. Transactions that depend on one that does not fit are excluded too.
func (p *Producer) choose(height int, time uint32, waiting []*mempool.Entry) []*mempool.Entry {
	room := p.params.MaxBlockSize(height) - reserved
	sigOps := params.MaxBlockSigOps - consensus.CoinbaseSigOps
	outputs, fees := uint64(0), int64(0)
	left := map[wire.Hash]bool{}
	chosen := make([]*mempool.Entry, 0, len(waiting))
	for _, entry := range waiting {
		ops := entry.SigOps()
		together := params.AddOutputs(outputs, entry.Tx)
		fits := p.params.FitsCoinbase(height, together, fees+entry.Fee) && entry.Size <= room && ops <= sigOps && !dependsOn(entry.Tx, left) &&
			!consensus.IsExpired(entry.Tx, height) && consensus.IsFinal(entry.Tx, height, time)
		if !fits {
			left[entry.ID] = true
			continue
		}
		room -= entry.Size
		sigOps -= ops
		outputs, fees = together, fees+entry.Fee
		chosen = append(chosen, entry)
	}
	return chosen
}

func dependsOn(tx *wire.Tx, left map[wire.Hash]bool) bool {
	if len(left) == 0 {
		return false
	}
	for i := range tx.Inputs {
		if left[tx.Inputs[i].PrevOut.Hash] {
			return true
		}
	}
	return false
}

// coinbase returns a coinbase that pays subsidy and fees to a key. On a chain with a
// commission, block 1 pays the premine to the commission's receiver.
func coinbase(p *params.Params, to token.Key, height int, time uint32, fees int64) *wire.Tx {
	format := p.TxFormat(height)
	pay := script.PayToPubKey(to[:])
	if commission := p.CommissionScript(); height == 1 && commission != nil {
		pay = commission
	}
	return &wire.Tx{
		Overwintered: format.Overwintered, Version: format.Version, VersionGroupID: format.VersionGroupID,
		Inputs: []wire.TxIn{{
			PrevOut:   wire.OutPoint{Index: wire.NullIndex},
			ScriptSig: append(consensus.HeightPush(height), minerData...),
			Sequence:  0xffffffff,
		}},
		Outputs:  []wire.TxOut{{Value: p.Subsidy(height) + fees, Script: pay}},
		LockTime: time,
	}
}

func payCommission(p *params.Params, height int, txs []*wire.Tx) {
	if due := p.Commission(height, txs); due > 0 {
		txs[0].Outputs = append(txs[0].Outputs, wire.TxOut{Value: due, Script: p.CommissionScript()})
	}
}

// AnyProducer accepts every header, so that a block is subject only to the rules of package
// consensus. It is for replays and regtest.
type AnyProducer struct{}

// Check returns nil.
func (AnyProducer) Check(*wire.Header, int, []params.Stamp) error { return nil }

// NextBits returns the bits by komodod's rule, although Check does not require them.
func (AnyProducer) NextBits(before []params.Stamp, p *params.Params) uint32 {
	return p.NextBits(before)
}

// ErrSolution reports a header that the producer did not sign.
var ErrSolution = &consensus.Rejection{Code: consensus.RejectInvalid, Reason: "invalid-solution"}

// Solo accepts the blocks of one producer. They have constant bits, no nonce, and the
// producer's signature of the header in place of an Equihash solution.
type Solo struct {
	Producer token.Key // compressed public key
	Now      func() time.Time
}

// Check validates a header. Its time may be slightly ahead of the clock or of the chain,
// whichever is later. If it were compared with the clock alone, a clock that is set back would
// stop the chain until the clock had caught up.
func (s Solo) Check(h *wire.Header, _ int, before []params.Stamp) error {
	latest := s.Now().Unix()
	if len(before) > 0 {
		latest = max(latest, int64(params.MedianTime(before)))
	}
	switch {
	case h.Bits != params.WorkLimitBits:
		return consensus.ErrBits
	case int64(h.Time) > latest+params.MaxFutureSeconds:
		return consensus.ErrTimeTooNew
	case !h.Nonce.IsZero() || !cc.VerifySecp256k1(s.Producer[:], sealHash(h), h.Solution):
		return ErrSolution
	}
	return nil
}

// NextBits returns the constant bits of the chain.
func (Solo) NextBits([]params.Stamp, *params.Params) uint32 { return params.WorkLimitBits }

// Validators accepts the blocks that several validators agreed on. They have constant bits, no
// nonce and no seal. The agreement is not part of the block, so only a Shared may submit one.
// The validators also agree on the time of a block, so it is not compared with a clock.
type Validators struct {
	From int // height of the validators' first block
}

// Check validates a header.
func (v Validators) Check(h *wire.Header, height int, _ []params.Stamp) error {
	switch {
	case h.Bits != params.WorkLimitBits:
		return consensus.ErrBits
	case height < v.From || !h.Nonce.IsZero() || len(h.Solution) != 0:
		return ErrSolution
	}
	return nil
}

// NextBits returns the constant bits of the chain.
func (Validators) NextBits([]params.Stamp, *params.Params) uint32 { return params.WorkLimitBits }

// sealHash returns the hash that the producer signs: the header before the solution.
func sealHash(h *wire.Header) []byte {
	hash := wire.HashOf(h.AppendUnsolved(make([]byte, 0, wire.HeaderSize)))
	return hash[:]
}

// Limits of the orphans that a node stores.
const (
	maxOrphans     = 1000
	maxOrphanBytes = 8 << 20
	maxOrphanTries = 60 // after this many attempts, an orphan is dropped
)

// orphans stores transactions that arrived before their parents. A node that is a block behind
// may receive a transaction whose parents it does not know yet. The transaction is not sent a
// second time, so if all nodes dropped it, it would not be confirmed. New orphans replace the
// oldest ones.
type orphans struct {
	mu    sync.Mutex
	queue []*orphan
	bytes int
}

type orphan struct {
	id    wire.Hash
	raw   []byte
	tries int
}

func (o *orphans) add(id wire.Hash, raw []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if i := o.index(id); i >= 0 {
		if o.queue[i].tries++; o.queue[i].tries >= maxOrphanTries {
			o.drop(i)
		}
		return
	}
	o.queue = append(o.queue, &orphan{id: id, raw: slices.Clone(raw), tries: 1})
	o.bytes += len(raw)
	for len(o.queue) > maxOrphans || o.bytes > maxOrphanBytes {
		o.drop(0)
	}
}

func (o *orphans) remove(id wire.Hash) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if i := o.index(id); i >= 0 {
		o.drop(i)
	}
}

func (o *orphans) index(id wire.Hash) int {
	return slices.IndexFunc(o.queue, func(e *orphan) bool { return e.id == id })
}

func (o *orphans) drop(i int) {
	o.bytes -= len(o.queue[i].raw)
	o.queue = slices.Delete(o.queue, i, i+1)
}

func (o *orphans) list() [][]byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	raws := make([][]byte, len(o.queue))
	for i, e := range o.queue {
		raws[i] = e.raw
	}
	return raws
}

package engine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"obverse/core/chain"
	"obverse/core/chain/consensus"
	"obverse/core/chain/mempool"
	"obverse/core/chain/params"
	"obverse/core/chain/wire"
	"obverse/core/store"
)

// Shared is the chain as several validators run it. A consensus engine delivers the same
// transactions in the same order to all of them, and each makes the same block. A Shared does
// not depend on the clock, the mempool or the iteration order of maps, so that all validators
// compute the same hash. The engine calls Begin, Propose, Judge, Finalize and Commit, one at a
// time.
type Shared struct {
	manager *chain.Manager
	pool    *mempool.Pool
	kv      store.KV
	terms   Terms
	hash    AppHash
	orphans orphans

	mu      sync.Mutex
	known   *step // result of the last Judge; the engine nearly always finalizes it next
	pending *step // finalized but not yet committed
}

// AppHash returns the hash that validators agree on after a block. It covers the block's hash,
// its height and the root of the state (package statetree).
type AppHash func(tip wire.Hash, height int, root [32]byte) [32]byte

// NewShared returns the state machine of a chain. The store kv must be the manager's.
func NewShared(m *chain.Manager, p *mempool.Pool, kv store.KV, r *Role) *Shared {
	return &Shared{manager: m, pool: p, kv: kv, terms: r.Terms, hash: r.Hash}
}

// Round is one decision of the engine: a list of transactions at an engine height, which
// differs from the block's height.
type Round struct {
	Height int64
	Time   time.Time
	Txs    [][]byte
}

// key returns a key that identifies the block of a round.
func (r *Round) key() (key [32]byte) {
	h := sha256.New()
	b := binary.BigEndian.AppendUint64(nil, uint64(r.Time.Unix()))
	for _, tx := range r.Txs {
		sum := sha256.Sum256(tx)
		b = append(b, sum[:]...)
	}
	h.Write(b)
	h.Sum(key[:0])
	return key
}

// step is a round with the block that results from it.
type step struct {
	key      [32]byte
	tip      wire.Hash // block that the step continues
	height   int64
	verdicts []error
	plan     *chain.Plan // nil if the round has no valid transaction and makes no block
	free     int         // total size of the transactions that pay less than the default fee
}

// Begin begins the validators' chain at the genesis of the engine, according to the Terms: with
// the premine, or after the blocks of a solo chain. If the chain has already begun, Begin
// changes nothing.
func (s *Shared) Begin(ctx context.Context, at time.Time) (appHash []byte, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	tip, err := s.tip(ctx)
	if err != nil {
		return nil, err
	}
	_, begun, err := StoredTerms(ctx, s.kv)
	if err != nil {
		return nil, err
	}
	switch {
	case begun && tip.Height == max(s.terms.From-1, 1):
	case begun:
		return nil, fmt.Errorf("%w: the chain is at block %d, but the engine starts at height 0: its data is missing", ErrTerms, tip.Height)
	case tip.Height != s.terms.From-1 || s.terms.From > 1 && tip.Hash != s.terms.Tip:
		return nil, fmt.Errorf("%w: their chain continues block %d, %v; the last block here is %d, %v: restore a backup of the solo chain's store, or join by a snapshot",
			ErrTerms, s.terms.From-1, s.terms.Tip, tip.Height, tip.Hash)
	default:
		if err := s.first(ctx, tip, at); err != nil {
			return nil, err
		}
	}
	return s.appHash(ctx)
}

// first stores the terms and, on a new chain, makes the block with the premine.
func (s *Shared) first(ctx context.Context, tip chain.Tip, at time.Time) error {
	terms, err := json.Marshal(s.terms)
	if err != nil {
		return err
	}
	if tip.Height > 0 {
		var batch store.Batch
		batch.Put(keyTerms, string(terms))
		return store.Apply(ctx, s.kv, batch)
	}
	plan, err := s.plan(ctx, tip, &Round{Time: at}, nil, 0)
	if err != nil {
		return fmt.Errorf("make block 1: %w", err)
	}
	plan.Keep(keyTerms, string(terms))
	return s.manager.Execute(ctx, plan)
}

func (s *Shared) tip(ctx context.Context) (tip chain.Tip, err error) {
	err = s.manager.Read(ctx, func(v *chain.View) error {
		tip = v.Tip()
		return nil
	})
	return tip, err
}

// Standing returns the progress of the chain: the engine's height, and the app hash after it.
func (s *Shared) Standing(ctx context.Context) (height int64, appHash []byte, err error) {
	values, err := s.kv.Get(ctx, keyHeight)
	if err != nil {
		return 0, nil, err
	}
	if height, err = decodeHeight(values[0]); err != nil || height == 0 {
		return 0, nil, err
	}
	appHash, err = s.appHash(ctx)
	return height, appHash, err
}

func (s *Shared) appHash(ctx context.Context) (hash []byte, err error) {
	err = s.manager.Read(ctx, func(v *chain.View) error {
		tip := v.Tip()
		sum := s.hash(tip.Hash, tip.Height, v.StateRoot())
		hash = sum[:]
		return nil
	})
	return hash, err
}

// Check validates a transaction from a client or another node and adds it to the mempool. A
// refusal is a *mempool.Error. A transaction with missing inputs is remembered for a while (see
// Waiting), since its parents may arrive later.
func (s *Shared) Check(ctx context.Context, raw []byte) error {
	if s.Waits(raw) { // a client of this node sent it, and was promised that it is stored
		return nil
	}
	id, err := s.pool.Hear(ctx, raw)
	if errors.Is(err, mempool.ErrMissingInputs) {
		s.orphans.add(id, raw)
	} else {
		s.orphans.remove(id)
	}
	return err
}

// Waits reports whether a transaction is still in the mempool.
func (s *Shared) Waits(raw []byte) bool { return s.pool.Has(wire.HashOf(raw)) }

// Progress returns the chain's height and the number of transactions in the mempool.
func (s *Shared) Progress(ctx context.Context) (height, waiting int) {
	_ = s.manager.Read(ctx, func(v *chain.View) error { // the function returns nil
		height, waiting = v.Tip().Height, s.pool.Size()
		return nil
	})
	return height, waiting
}

// Waiting returns the transactions to offer to the engine: those of the mempool, parents first,
// followed by the orphans in the order of their arrival.
func (s *Shared) Waiting(ctx context.Context) (raws [][]byte) {
	_ = s.manager.Read(ctx, func(*chain.View) error { // the function returns nil
		for _, e := range s.pool.Entries() {
			raws = append(raws, e.Raw)
		}
		return nil
	})
	return append(raws, s.orphans.list()...)
}

// Propose returns the transactions of r that the next block can include, in their order.
func (s *Shared) Propose(ctx context.Context, r Round) ([][]byte, error) {
	if len(r.Txs) == 0 {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	tip, err := s.tip(ctx)
	if err != nil {
		return nil, err
	}
	candidates, sel, err := s.choose(ctx, tip, &r)
	if err != nil {
		return nil, err
	}
	var chosen [][]byte
	free, left := 0, map[wire.Hash]bool{}
	for i, verdict := range sel.Verdicts {
		if verdict != nil {
			continue
		}
		size := s.freeSize(&candidates[i], sel.Paid[i])
		if free+size > mempool.MaxFreeBlock || dependsOn(candidates[i].Tx, left) {
			left[candidates[i].ID] = true
			continue
		}
		free += size
		chosen = append(chosen, r.Txs[i])
	}
	return chosen, nil
}

// freeSize returns the size of a transaction that pays less than the default fee, and 0 for
// other transactions.
func (s *Shared) freeSize(c *consensus.Candidate, fee int64) int {
	if s.manager.Params().Regtest || mempool.Pays(c.Tx, c.Size, fee) {
		return 0
	}
	return c.Size
}

// ErrProposal reports a proposal that an honest proposer would not make.
var ErrProposal = errors.New("invalid proposal")

// Judge returns ErrProposal if a transaction of the proposal is invalid. Any other error does
// not mean that the proposal is invalid.
func (s *Shared) Judge(ctx context.Context, r Round) error {
	if len(r.Txs) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	st, err := s.step(ctx, &r)
	if err != nil {
		return err
	}
	s.known = st
	for _, verdict := range st.verdicts {
		if verdict != nil {
			return fmt.Errorf("%w: %w", ErrProposal, verdict)
		}
	}
	if st.free > mempool.MaxFreeBlock {
		return fmt.Errorf("%w: its free transactions have %d bytes, want at most %d", ErrProposal, st.free, mempool.MaxFreeBlock)
	}
	return nil
}

// Outcome is the result of a decided round.
type Outcome struct {
	Verdicts []error // one for each transaction; nil if the block includes it
	AppHash  []byte  // app hash after Commit
}

// Finalize computes the outcome of a decided round. Nothing is written before Commit.
func (s *Shared) Finalize(ctx context.Context, r Round) (*Outcome, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st, err := s.step(ctx, &r)
	if err != nil {
		return nil, err
	}
	st.height = r.Height
	s.known, s.pending = nil, st
	out := &Outcome{Verdicts: st.verdicts}
	if st.plan == nil {
		out.AppHash, err = s.appHash(ctx)
		return out, err
	}
	root, err := s.manager.PlannedRoot(ctx, st.plan)
	if err != nil {
		return nil, err
	}
	sum := s.hash(st.plan.Hash, st.plan.Height(), root)
	out.AppHash = sum[:]
	return out, s.remember(ctx, st, root)
}

// Commit writes the result of the last Finalize. The result is durable when Commit returns.
func (s *Shared) Commit(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.pending
	if st == nil {
		return errors.New("commit: nothing was finalized")
	}
	s.pending = nil
	if st.plan == nil {
		var batch store.Batch
		batch.Put(keyHeight, EncodeHeight(st.height))
		_, err := s.kv.Stage(ctx, batch) // after a crash, the engine repeats the empty round
		return err
	}
	st.plan.Keep(keyHeight, EncodeHeight(st.height))
	st.plan.Keep(atKey(st.plan.Height()), EncodeHeight(st.height))
	return s.manager.Execute(ctx, st.plan)
}

// step returns the step of a round. If Judge has already computed it, step reuses the result.
func (s *Shared) step(ctx context.Context, r *Round) (*step, error) {
	tip, err := s.tip(ctx)
	if err != nil {
		return nil, err
	}
	key := r.key()
	if k := s.known; k != nil && k.key == key && k.tip == tip.Hash {
		return k, nil
	}
	st := &step{key: key, tip: tip.Hash, verdicts: make([]error, len(r.Txs))}
	if len(r.Txs) == 0 {
		return st, nil
	}
	candidates, sel, err := s.choose(ctx, tip, r)
	if err != nil {
		return nil, err
	}
	st.verdicts = sel.Verdicts
	var valid []consensus.Candidate
	for i, verdict := range sel.Verdicts {
		if verdict == nil {
			valid = append(valid, candidates[i])
			st.free += s.freeSize(&candidates[i], sel.Paid[i])
		}
	}
	if len(valid) > 0 {
		st.plan, err = s.plan(ctx, tip, r, valid, sel.Fees)
	}
	return st, err
}

// timeOf returns the time of a round's block: the engine's time, but later than the median time
// of the preceding blocks.
func timeOf(tip chain.Tip, r *Round) uint32 {
	return uint32(min(max(r.Time.Unix(), int64(tip.MedianTime)+1), math.MaxUint32))
}

// choose validates a round's transactions. A transaction that cannot be decoded is a candidate
// too, and has its own error.
func (s *Shared) choose(ctx context.Context, tip chain.Tip, r *Round) ([]consensus.Candidate, *consensus.Selection, error) {
	candidates := make([]consensus.Candidate, len(r.Txs))
	decoded := make([]consensus.Candidate, 0, len(r.Txs))
	for i, raw := range r.Txs {
		tx, err := wire.DecodeTx(raw)
		if err != nil {
			continue
		}
		candidates[i] = consensus.Candidate{Tx: tx, ID: wire.HashOf(raw), Size: len(raw)}
		decoded = append(decoded, candidates[i])
	}
	var sel *consensus.Selection
	err := s.manager.Judge(ctx, func(l consensus.Ledger) (err error) {
		p := s.manager.Params()
		at := consensus.Place{Height: tip.Height + 1, MedianTime: tip.MedianTime}
		state := consensus.State{Params: p, Place: at, Ledger: l, Cache: s.manager.Cache()}
		sel, err = consensus.Select(ctx, state, timeOf(tip, r), p.MaxBlockSize(at.Height)-reserved, decoded)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	verdicts, paid := make([]error, len(candidates)), make([]int64, len(candidates))
	next := 0
	for i := range candidates {
		if verdicts[i] = mempool.ErrDecode; candidates[i].Tx != nil {
			verdicts[i], paid[i] = sel.Verdicts[next], sel.Paid[next]
			next++
		}
	}
	sel.Verdicts, sel.Paid = verdicts, paid
	return candidates, sel, nil
}

// plan assembles the block with the valid transactions and validates it.
func (s *Shared) plan(ctx context.Context, tip chain.Tip, r *Round, valid []consensus.Candidate, fees int64) (*chain.Plan, error) {
	txs, ids := make([]*wire.Tx, len(valid)), make([]wire.Hash, len(valid))
	for i, c := range valid {
		txs[i], ids[i] = c.Tx, c.ID
	}
	block := assemble(s.manager.Params(), s.terms.Payee, tip.Height+1, tip.Hash, timeOf(tip, r), txs, ids, fees)
	block.Bits = params.WorkLimitBits
	return s.manager.Plan(ctx, block.Encode())
}

package consensus

import (
	"context"
	"errors"
	"fmt"

	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/wire"
)

// Verdicts of Select, in addition to those of Apply.
var (
	ErrNoRoom   = invalid("bad-blk-length")
	ErrCoinbase = invalid("coinbase")
)

// Candidate is a transaction that may go into a block.
type Candidate struct {
	Tx   *wire.Tx
	ID   wire.Hash
	Size int // bytes
}

// Selection says which candidates a block can hold.
type Selection struct {
	Verdicts []error // one for each candidate; nil: it goes into the block
	Paid     []int64 // the fee of each candidate that does
	Fees     int64   // of all that do
}

// coinbaseSigOps is the number of signature operations that a block reserves for its coinbase.
const coinbaseSigOps = 100

// Select finds out which candidates a block at that place and time can hold behind its
// coinbase, in their order: each is judged as if those before it that are valid were in
// the block. room is the bytes that they may have together. It fails when the Ledger or the
// context does; a verdict on a candidate depends on nothing but the State and the arguments.
func Select(ctx context.Context, s State, time uint32, room int, candidates []Candidate) (*Selection, error) {
	fast := newSelector(s, time, room)
	sel, err := fast.run(ctx, candidates, nil)
	if err != nil {
		return nil, err
	}
	verify := func(spends []Spend) error {
		flags := Flags(script.BlockFlags, s.Params)
		return Verify(ctx, spends, func(s *Spend) error { return s.Verify(s.PkScript, flags) })
	}
	// All scripts at once first, on all cores: they nearly always pass, and then one by one
	// they would too.
	if verify(fast.spends) == nil {
		return sel, nil
	}
	return newSelector(s, time, room).run(ctx, candidates, verify)
}

// selector is an application that continues after an invalid transaction.
type selector struct {
	*application
	time uint32
	room int
}

func newSelector(s State, time uint32, room int) *selector {
	return &selector{&application{State: s, effects: &Effects{}, index: map[wire.Hash]int{},
		spent: map[wire.OutPoint]struct{}{}, sigOps: coinbaseSigOps}, time, room}
}

// run judges the candidates, their scripts by verify, if there is one, as each has its turn.
func (s *selector) run(ctx context.Context, candidates []Candidate, verify func([]Spend) error) (*Selection, error) {
	sel := &Selection{Verdicts: make([]error, len(candidates)), Paid: make([]int64, len(candidates))}
	for i, c := range candidates {
		before := s.effects.Fees
		err := s.offer(c, verify)
		sel.Paid[i] = s.effects.Fees - before
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if errors.Is(err, ErrLedger) {
			return nil, err
		}
		if err != nil {
			sel.Verdicts[i] = fmt.Errorf("transaction %v: %w", c.ID, err)
		}
	}
	sel.Fees = s.effects.Fees
	return sel, nil
}

// offer adds a candidate to the block, or leaves everything as it was.
func (s *selector) offer(c Candidate, verify func([]Spend) error) error {
	if err := s.checkAlone(c); err != nil {
		return err
	}
	before, sigOps, spends := *s.effects, s.sigOps, len(s.spends)
	err := s.tx(c.Tx, c.ID)
	if err == nil && verify != nil {
		err = verify(s.spends[spends:])
	}
	if err == nil {
		s.room -= c.Size
		return nil
	}
	if len(s.effects.Txs) > len(before.Txs) { // its scripts failed
		delete(s.index, c.ID)
		s.unspend(c.Tx, len(c.Tx.Inputs))
	}
	*s.effects, s.sigOps, s.spends = before, sigOps, s.spends[:spends]
	return err
}

// checkAlone judges what does not depend on other transactions, as checkBlockTxs does.
func (s *selector) checkAlone(c Candidate) error {
	height := s.Place.Height
	if c.Tx.IsCoinbase() {
		return ErrCoinbase
	}
	if c.Size > s.room {
		return ErrNoRoom
	}
	if err := CheckTx(c.Tx, c.Size, s.Params); err != nil {
		return err
	}
	if err := CheckTxAt(c.Tx, c.Size, height, s.Params); err != nil {
		return err
	}
	if !IsFinal(c.Tx, height, s.time) {
		return ErrNonFinal
	}
	if s.sigOps+SigOps(c.Tx) > params.MaxBlockSigOps {
		return ErrBlockSigOps
	}
	return nil
}

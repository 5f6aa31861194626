package consensus

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/wire"
)

// minBlockVersion is the version of every block since Komodo's fork of Zcash.
const minBlockVersion = 4

// EmptySaplingRoot is the root of the Sapling tree of a chain without shielded
// outputs, in wire order.
var EmptySaplingRoot = wire.Hash{
	0xfb, 0xc2, 0xf4, 0x30, 0x0c, 0x01, 0xf0, 0xb7, 0x82, 0x0d, 0x00, 0xe3, 0x34, 0x7c, 0x8d, 0xa4,
	0xee, 0x61, 0x46, 0x74, 0x37, 0x6c, 0xbc, 0x45, 0x35, 0x9d, 0xaa, 0x54, 0xf9, 0xb5, 0x49, 0x3e,
}

// Block is a decoded block with its bytes, its hash and the ids of its transactions.
type Block struct {
	*wire.Block
	Raw   []byte
	Hash  wire.Hash
	IDs   []wire.Hash // ids of the transactions
	Spans []wire.Span // positions of the transactions in Raw
}

// DecodeBlock decodes a block. The result shares memory with raw, which must not be changed.
func DecodeBlock(raw []byte) (*Block, error) {
	block, spans, err := wire.DecodeBlockSpans(raw)
	if err != nil {
		return nil, err
	}
	b := &Block{Block: block, Raw: raw, Hash: block.Hash(), Spans: spans, IDs: make([]wire.Hash, len(spans))}
	for i, s := range spans {
		b.IDs[i] = wire.HashOf(raw[s.Offset : s.Offset+s.Size])
	}
	return b, nil
}

// Place is the place of a block: it follows a chain of height Height-1.
type Place struct {
	Height     int
	MedianTime uint32 // median time of the last 11 blocks before it
}

// CheckBlock validates a block by itself and for its place, without the coins that its
// transactions spend. Apply includes this check. On its own it is used for blocks whose branch
// may never become the chain.
func CheckBlock(b *Block, at Place, p *params.Params) error {
	switch {
	case len(b.Txs) == 0 || len(b.Raw) > p.MaxBlockSize(at.Height):
		return ErrBlockLength
	case b.Version < minBlockVersion:
		return ErrBlockVersion
	case b.Time <= at.MedianTime:
		return ErrTimeTooOld
	case !b.Txs[0].IsCoinbase():
		return ErrNoCoinbase
	case p.SaplingActive(at.Height) && b.SaplingRoot != EmptySaplingRoot:
		return ErrSaplingRoot
	}
	root, repeated := wire.MerkleRoot(b.IDs)
	if root != b.MerkleRoot {
		return ErrMerkleRoot
	}
	if repeated {
		return ErrRepeatedTxs
	}
	if !bytes.HasPrefix(b.Txs[0].Inputs[0].ScriptSig, HeightPush(at.Height)) {
		return ErrCoinbaseHeight
	}
	return checkBlockTxs(b, at, p)
}

func checkBlockTxs(b *Block, at Place, p *params.Params) error {
	sigOps := 0
	for i, tx := range b.Txs {
		if i > 0 && tx.IsCoinbase() {
			return ErrManyCoinbases
		}
		size := int(b.Spans[i].Size)
		if err := CheckTx(tx, size, p); err != nil {
			return err
		}
		if err := CheckTxAt(tx, size, at.Height, p); err != nil {
			return err
		}
		if !IsFinal(tx, at.Height, b.Time) {
			return ErrNonFinal
		}
		if sigOps += SigOps(tx); sigOps > params.MaxBlockSigOps {
			return ErrBlockSigOps
		}
	}
	return nil
}

// SigOps counts the signature operations of a transaction's own scripts.
func SigOps(tx *wire.Tx) (n int) {
	for i := range tx.Inputs {
		n += script.SigOps(tx.Inputs[i].ScriptSig)
	}
	for i := range tx.Outputs {
		n += script.SigOps(tx.Outputs[i].Script)
	}
	return n
}

// SpentSigOps counts the signature operations of the redeem scripts in the inputs of tx.
func SpentSigOps(tx *wire.Tx, coins []Coin) (n int) {
	for i := range coins {
		n += script.P2SHSigOps(tx.Inputs[i].ScriptSig, coins[i].Script)
	}
	return n
}

// HeightPush returns the bytes that a coinbase's scriptSig must start with (BIP 34, with small
// numbers as opcodes).
func HeightPush(height int) []byte { return script.AppendNumber(nil, int64(height)) }

// CheckCoinbase validates the outputs of a block's coinbase, given the fees of the other
// transactions. Block 1 pays the whole premine. The coinbase of a later block pays at most the
// sum of the subsidy, the fees, the commission (which must be paid where it is due) and the
// additional amounts that depend on the chain's name (ConnectBlock, komodo_checkcommission).
func CheckCoinbase(b *wire.Block, height int, fees int64, p *params.Params) error {
	allowed := p.Subsidy(height) + fees + p.Commission(height, b.Txs)
	var total int64
	for i := range b.Txs[0].Outputs {
		total += b.Txs[0].Outputs[i].Value
	}
	if total > allowed+p.ExtraCoinbase() || height == 1 && total != allowed {
		return ErrCoinbaseAmount
	}
	if err := p.CheckCoinbase(height, b.Txs); err != nil {
		return fmt.Errorf("%w: %w", ErrCoinbasePayments, err)
	}
	return nil
}

// Reasons for which Select excludes a candidate, in addition to those of Apply.
var (
	ErrNoRoom   = invalid("bad-blk-length")
	ErrCoinbase = invalid("coinbase")
)

// Candidate is a transaction that may be included in a block.
type Candidate struct {
	Tx   *wire.Tx
	ID   wire.Hash
	Size int // in bytes
}

// Selection is the result of Select.
type Selection struct {
	Verdicts []error // one for each candidate; nil if the block includes it
	Paid     []int64 // fee of each included candidate
	Fees     int64   // total fee of the included candidates
}

// CoinbaseSigOps is the number of signature operations that a block reserves for its coinbase.
const CoinbaseSigOps = 100

// Select determines which candidates a block at a place and time can include after its
// coinbase. It considers the candidates in order; each is validated as if the valid ones before
// it were in the block. The included candidates have at most room bytes in total. Select
// returns an error only if the Ledger or the context fails. Its result depends on nothing but
// the State and the arguments.
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
	// Verify all scripts together first, on all cores. They nearly always pass, and if they do,
	// each would also pass in turn.
	if verify(fast.spends) == nil {
		return sel, nil
	}
	return newSelector(s, time, room).run(ctx, candidates, verify)
}

// selector is an application that continues after an invalid transaction.
type selector struct {
	*application
	time    uint32
	room    int
	outputs uint64 // total value of the candidates' outputs, for the commission
}

func newSelector(s State, time uint32, room int) *selector {
	return &selector{&application{State: s, effects: &Effects{}, index: map[wire.Hash]int{},
		spent: map[wire.OutPoint]struct{}{}, sigOps: CoinbaseSigOps}, time, room, 0}
}

// run validates the candidates in turn. If verify is not nil, it verifies the scripts of each.
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

// offer adds a candidate to the block. If the candidate is invalid, offer leaves everything
// unchanged.
func (s *selector) offer(c Candidate, verify func([]Spend) error) error {
	if err := s.checkAlone(c); err != nil {
		return err
	}
	before, sigOps, spends := *s.effects, s.sigOps, len(s.spends)
	err := s.tx(c.Tx, c.ID)
	outputs := params.AddOutputs(s.outputs, c.Tx)
	if err == nil && !s.Params.FitsCoinbase(s.Place.Height, outputs, s.effects.Fees) {
		err = ErrCommission
	}
	if err == nil && verify != nil {
		err = verify(s.spends[spends:])
	}
	if err == nil {
		s.room -= c.Size
		s.outputs = outputs
		return nil
	}
	if len(s.effects.Txs) > len(before.Txs) { // its scripts failed, or its share of the commission
		delete(s.index, c.ID)
		s.unspend(c.Tx, len(c.Tx.Inputs))
	}
	*s.effects, s.sigOps, s.spends = before, sigOps, s.spends[:spends]
	return err
}

// checkAlone makes the checks that do not depend on other transactions, like checkBlockTxs.
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

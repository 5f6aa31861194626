package consensus

import (
	"context"
	"errors"
	"fmt"

	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

// Ledger provides the state of the chain before a block. Apply does not call it concurrently.
type Ledger interface {
	// HasTx reports whether a block of the chain contains a transaction.
	HasTx(id wire.Hash) (bool, error)
	// Coin returns an unspent output.
	Coin(out wire.OutPoint) (c Coin, found bool, err error)
	// Creation returns the creation of a token.
	Creation(id wire.Hash) (c token.Creation, found bool, err error)
}

// ErrLedger reports that the Ledger failed. It does not mean that the block is invalid.
var ErrLedger = errors.New("read ledger")

// State holds the context in which a block is validated: parameters, place in the chain and
// ledger.
type State struct {
	Params *params.Params
	Place  Place // place of the block
	Ledger Ledger
	Cache  *script.SigCache // cache of verified signatures, which only saves time; may be nil
	Final  bool             // whether the block is known to be part of the chain, so that its scripts need not be run
}

// Apply validates a block by all rules except the header rules, and returns its effects. An
// error means that the block is invalid, unless it is ErrLedger or the error of the context.
// Apply changes nothing but the cache.
func Apply(ctx context.Context, s State, b *Block) (*Effects, error) {
	if err := CheckBlock(b, s.Place, s.Params); err != nil {
		return nil, err
	}
	a := &application{State: s, effects: &Effects{Txs: make([]TxEffects, 0, len(b.Txs))},
		index: make(map[wire.Hash]int, len(b.Txs)), spent: map[wire.OutPoint]struct{}{}}
	for i, tx := range b.Txs {
		if err := a.tx(tx, b.IDs[i]); err != nil {
			return nil, fmt.Errorf("transaction %v: %w", b.IDs[i], err)
		}
	}
	if err := CheckCoinbase(b.Block, s.Place.Height, a.effects.Fees, s.Params); err != nil {
		return nil, err
	}
	if s.Final {
		return a.effects, nil
	}
	flags := Flags(script.BlockFlags, s.Params)
	err := Verify(ctx, a.spends, func(s *Spend) error { return s.Verify(s.PkScript, flags) })
	if err != nil {
		return nil, err
	}
	return a.effects, nil
}

// application is the state of a block being applied: the State, with the changes of the block's
// transactions so far.
type application struct {
	State
	effects *Effects
	index   map[wire.Hash]int // indexes in effects.Txs
	spent   map[wire.OutPoint]struct{}
	spends  []Spend // verified after all other checks have passed
	sigOps  int
	failed  error // error of the ledger in a lookup
}

func (a *application) tx(tx *wire.Tx, id wire.Hash) error {
	if err := a.checkNew(id); err != nil {
		return err
	}
	var coins []Coin
	if !tx.IsCoinbase() {
		var err error
		if coins, err = a.coins(tx); err != nil {
			return err
		}
	}
	e := NewTxEffects(tx, id, a.Place.Height, coins, a.creation)
	if a.failed != nil {
		return a.failed
	}
	a.sigOps += SigOps(tx)
	if !tx.IsCoinbase() {
		if err := a.spend(&e); err != nil {
			a.unspend(tx, len(tx.Inputs))
			return err
		}
	}
	a.effects.count(&e)
	a.index[id] = len(a.effects.Txs)
	a.effects.Txs = append(a.effects.Txs, e)
	return nil
}

func (a *application) checkNew(id wire.Hash) error {
	_, exists := a.index[id]
	if !exists {
		var err error
		if exists, err = a.Ledger.HasTx(id); err != nil {
			return fmt.Errorf("%w: %w", ErrLedger, err)
		}
	}
	if exists {
		return ErrExistingTx
	}
	return nil
}

// coins returns the coins that tx spends and marks them as spent. If a coin is missing, none is
// marked.
func (a *application) coins(tx *wire.Tx) ([]Coin, error) {
	coins := make([]Coin, len(tx.Inputs))
	for i := range tx.Inputs {
		out := tx.Inputs[i].PrevOut
		coin, found, err := a.coin(out)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrLedger, err)
		}
		if !found {
			a.unspend(tx, i)
			return nil, ErrMissingOrSpent
		}
		coins[i] = coin
		a.spent[out] = struct{}{}
	}
	return coins, nil
}

// unspend removes the spent marks of a transaction's first n inputs.
func (a *application) unspend(tx *wire.Tx, n int) {
	for i := range n {
		delete(a.spent, tx.Inputs[i].PrevOut)
	}
}

func (a *application) coin(out wire.OutPoint) (c Coin, found bool, err error) {
	if _, spent := a.spent[out]; spent {
		return c, false, nil
	}
	i, here := a.index[out.Hash]
	if !here {
		return a.Ledger.Coin(out)
	}
	created := a.effects.Txs[i].Created
	if uint64(out.Index) >= uint64(len(created)) || script.IsUnspendable(created[out.Index].Script) {
		return c, false, nil
	}
	return created[out.Index], true, nil
}

// creation returns the creation of a token in the chain, or in an earlier transaction of the
// block.
func (a *application) creation(id wire.Hash) (token.Creation, bool) {
	if i, here := a.index[id]; here {
		moves := a.effects.Txs[i].Transfers
		if !moves.Creates() {
			return token.Creation{}, false
		}
		return moves.Payload.Creation(), true
	}
	c, found, err := a.Ledger.Creation(id)
	if err != nil && a.failed == nil {
		a.failed = fmt.Errorf("%w: %w", ErrLedger, err)
	}
	return c, found
}

// spend checks the amounts and collects the scripts for later verification.
func (a *application) spend(e *TxEffects) error {
	p, height := a.Params, a.Place.Height
	fee, err := CheckSpend(e.Tx, e.Spent, height, p)
	if err != nil {
		return err
	}
	a.effects.Fees += fee
	a.sigOps += SpentSigOps(e.Tx, e.Spent)
	if a.sigOps > params.MaxBlockSigOps {
		return ErrBlockSigOps
	}
	evals := Evals(e.Transfers, height, p)
	a.spends = append(a.spends, Spends(e.Tx, e.Spent, p.BranchID(height), a.Cache, evals)...)
	return nil
}

// Coin is an unspent output with its origin.
type Coin struct {
	token.Coin
	Height   int  // height of its block; for an output in the mempool, the height of the next block
	Coinbase bool // whether it is subject to maturity
	Listed   bool // whether it is the marker of a creation, which keeps the token listed
}

// NewCoin returns the coin that output i of a transaction creates in a block at height.
func NewCoin(tx *wire.Tx, moves *token.Transfers, i, height int) (c Coin) {
	out := &tx.Outputs[i]
	c.Value, c.Script, c.Height, c.Coinbase = out.Value, out.Script, height, tx.IsCoinbase()
	if i < len(moves.Claims) && moves.Claims[i] != token.None {
		c.Claim, c.TokenID = moves.Claims[i], moves.TokenID
	}
	c.Listed = moves.Creates() && token.IsMarker(out.Script)
	return c
}

// Effects lists the changes that a block makes. Package chain applies them in order, or reverts
// them in the opposite order.
type Effects struct {
	Txs    []TxEffects
	Fees   int64 // satoshis
	Delta  int64 // total value of all coins after the block minus the total before it
	Burned int64 // value of the block's unspendable outputs
}

// TxEffects holds the effects of a transaction in a block: the coins that it spends and creates, and
// its token transfers.
type TxEffects struct {
	Tx        *wire.Tx
	ID        wire.Hash
	Spent     []Coin // one for each input; empty for the coinbase
	Created   []Coin // one for each output; entries of unspendable outputs are not coins
	Transfers *token.Transfers
}

// NewTxEffects computes the effects of tx in a block at height. The argument spent has the
// coins of its inputs. The lookup function finds tokens created before tx.
func NewTxEffects(tx *wire.Tx, id wire.Hash, height int, spent []Coin, lookup token.Lookup) TxEffects {
	e := TxEffects{Tx: tx, ID: id, Spent: spent, Transfers: Tokens(tx, id, spent, lookup)}
	e.Created = make([]Coin, len(tx.Outputs))
	for i := range tx.Outputs {
		e.Created[i] = NewCoin(tx, e.Transfers, i, height)
	}
	return e
}

// count adds a transaction to the sums.
func (e *Effects) count(tx *TxEffects) {
	for i := range tx.Spent {
		e.Delta -= tx.Spent[i].Value
	}
	for i := range tx.Created {
		value := tx.Created[i].Value
		if script.IsUnspendable(tx.Created[i].Script) {
			e.Burned += value
		} else {
			e.Delta += value
		}
	}
}

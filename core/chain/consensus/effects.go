package consensus

import (
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

// Coin is an unspent output and where it came from.
type Coin struct {
	token.Coin
	Height   int  // of its block; the next block's for one in the mempool
	Coinbase bool // subject to maturity
	Listed   bool // it is the marker of a creation, so that its token is listed
}

// NewCoin returns the coin that output i of a transaction creates in a block of that height.
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
	Delta  int64 // value of all coins after the block less their value before it
	Burned int64 // value of the block's unspendable outputs
}

// TxEffects are a transaction of a block with what it spends and creates.
type TxEffects struct {
	Tx        *wire.Tx
	ID        wire.Hash
	Spent     []Coin // one for each input, none for the coinbase
	Created   []Coin // one for each output; those of unspendable ones are no coins
	Transfers *token.Transfers
}

// NewTxEffects works out the coins that tx creates in a block of that height, given
// those that it spends. lookup finds the tokens that were created before tx.
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

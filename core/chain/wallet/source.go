package wallet

import (
	"iter"

	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

// Coin is an output that may be spent.
type Coin struct {
	Out      wire.OutPoint
	Value    int64 // satoshis, and so tokens
	Script   []byte
	Height   int  // of its block; the next block's when it is in the mempool
	Coinbase bool // subject to maturity
}

// Source shows what a Wallet may spend. All its answers belong to one moment: it
// is used during one chain.Manager.Read and never by two goroutines. A listing
// ends after yielding an error.
type Source interface {
	// NextHeight is the height of the block that is built for, the tip's plus one.
	NextHeight() int
	// Coins lists the plain outputs of an address that neither the chain nor the
	// mempool spends: those of the chain by txid bytes and index, which is the
	// order of upstream's address index, then those of the mempool, parents before
	// children.
	Coins(address script.Address) iter.Seq2[Coin, error]
	// Tokens lists the good outputs of a token that the chain holds at a condition
	// address and the mempool does not spend, by txid bytes and index.
	Tokens(id wire.Hash, holder script.Address) iter.Seq2[Coin, error]
	// Creation finds a token's creation in the chain; ok reports whether there is one.
	Creation(id wire.Hash) (c token.Creation, ok bool, err error)
}

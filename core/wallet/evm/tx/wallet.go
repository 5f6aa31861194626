package tx

import (
	"context"
	"math/big"
	"strconv"
	"time"

	"obverse/core/key"
	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/node"
)

// Node is what is asked of the nodes of a network. Errors are coin.ErrTransport but where
// a method says more.
type Node interface {
	Balances(ctx context.Context, q node.BalanceQuery) (node.BalanceResult, error)
	Fees(ctx context.Context) (node.Fees, error)
	// EstimateGas fails with a *coin.RefusedError if the transaction would.
	EstimateGas(ctx context.Context, c node.Call) (uint64, error)
	Nonce(ctx context.Context, of address.Address, waiting bool) (uint64, error)
	// Send fails with a *coin.RefusedError if no node takes the transaction.
	Send(ctx context.Context, raw []byte, hash [32]byte) error
	// Receipt fails with node.NotFoundError while the transaction is in no block.
	Receipt(ctx context.Context, hash [32]byte) (node.Receipt, error)
	Knows(ctx context.Context, hash [32]byte) (bool, error)
	// Transaction fails with node.NotFoundError as long as no node has it.
	Transaction(ctx context.Context, hash [32]byte) (node.Found, error)
	Height(ctx context.Context) (uint64, error)
	NFTOwner(ctx context.Context, contract address.Address, id *big.Int) (address.Address, error)
	NFTBalance(ctx context.Context, contract, owner address.Address, id *big.Int) (*big.Int, error)
}

// Decimals are those of the coins of networks themselves.
const Decimals = 18

// Asset is a coin: a network's own, or a token.
type Asset struct {
	Ticker   string
	Decimals uint8
	Contract *address.Address // nil: the network's own coin
}

func (a Asset) coins(units *big.Int) number.Rational { return number.Scaled(units, a.Decimals) }

// Wallet sends from one account on a network. Its methods may be called by many
// goroutines.
type Wallet struct {
	ChainID uint64
	Native  Asset // the coin that pays fees
	Node    Node
	Queue   *coin.SendQueue // of who sends
	Account key.Account
	Address address.Address // of Account

	// Confirmations are how many a transaction needs that is waited for. 0: 1.
	Confirmations uint64
	// Poll is how often is looked for it. 0: every second.
	Poll time.Duration

	// Open opens the account at a path of an HD wallet; nil: there is none. Path is what
	// the paths of the network's accounts begin with.
	Open func(context.Context, key.Path) (key.Account, error)
	Path key.Path
}

// named is an account as the send queue knows it.
func (w *Wallet) named(of address.Address) string {
	return strconv.FormatUint(w.ChainID, 10) + " " + of.Plain()
}

// SignMessage implements coin.MessageSigner.
func (w *Wallet) SignMessage(ctx context.Context, message string) (coin.SignedMessage, error) {
	return SignMessage(ctx, w.Account, message)
}

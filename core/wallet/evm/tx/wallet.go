package tx

import (
	"context"
	"encoding/hex"
	"errors"
	"math/big"
	"strconv"
	"time"

	"obverse/core/key"
	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/node"
	"obverse/core/wallet/evm/wire"
)

// Node queries the nodes of a network. Errors are coin.ErrTransport, unless a method documents
// others.
type Node interface {
	// AgreedBalances returns the balances that most nodes report.
	AgreedBalances(ctx context.Context, q node.BalanceQuery) (node.BalanceResult, error)
	// Decimals returns the decimals that most nodes report.
	Decimals(ctx context.Context, contracts []address.Address) ([]uint8, error)
	Fees(ctx context.Context, c node.Call) (node.Fees, error)
	// Simulate fails with a *coin.RefusedError if the transaction would fail.
	Simulate(ctx context.Context, c node.Call) (node.Simulation, error)
	Allowance(ctx context.Context, contract, owner, spender address.Address) (*big.Int, error)
	// Nonce returns the number of transactions of an account in blocks, according to one node.
	Nonce(ctx context.Context, account address.Address) (uint64, error)
	// Nonces returns the counts of an account's transactions that most nodes report.
	Nonces(ctx context.Context, account address.Address) (coin.Counts, error)
	// Send fails with a *coin.RefusedError if no node accepts the transaction.
	Send(ctx context.Context, raw []byte, hash [32]byte) error
	// Receipt returns the result of a transaction, and of a payment in it, that most nodes
	// report. It fails with node.NotFoundError while the transaction is in no block.
	Receipt(ctx context.Context, hash [32]byte, pays *node.Payment) (node.Receipt, error)
	// Knows reports whether a node has a transaction. MajorityKnows reports whether more than
	// half of the nodes have it. It fails with node.ErrUnsure if too few of them say that they
	// do not.
	Knows(ctx context.Context, hash [32]byte) (bool, error)
	MajorityKnows(ctx context.Context, hash [32]byte) (bool, error)
	// Transaction fails with node.NotFoundError as long as no node has it.
	Transaction(ctx context.Context, hash [32]byte) (node.Found, error)
	// AgreedHeight returns the height that most nodes report.
	AgreedHeight(ctx context.Context) (uint64, error)
	NFTOwner(ctx context.Context, contract address.Address, id *big.Int) (address.Address, error)
	NFTBalance(ctx context.Context, contract, owner address.Address, id *big.Int) (*big.Int, error)
}

// Decimals is the number of decimals of native coins.
const Decimals = 18

// Asset is a coin: a native one or a token.
type Asset struct {
	Ticker   string
	Decimals uint8
	Contract *address.Address // nil means the native coin
}

func (a Asset) coins(units *big.Int) number.Rational { return number.Scaled(units, a.Decimals) }

func (a Asset) funds(units *big.Int) coin.Funds {
	return coin.Funds{Ticker: a.Ticker, Decimals: a.Decimals, Units: units}
}

// Wallet sends from one account on a network. It is safe for concurrent use.
type Wallet struct {
	ChainID uint64
	Native  Asset // the coin that pays fees
	// UsualPrice is the usual price of a unit of gas in the coin's entry. It is used if the
	// nodes do not agree on a price; nil means unknown.
	UsualPrice *big.Int
	Node       Node
	Queue      *coin.SendQueue // send state of the account
	Account    key.Account
	Address    address.Address // address of Account

	// Confirmations is the number of confirmations that Await waits for by default; 0 means 1.
	Confirmations uint64
	// Poll is the interval at which Await queries the transaction; 0 means one second.
	Poll time.Duration

	coin.Addresses // addresses of an HD wallet
}

// named returns the name of an account in the send queue.
func (w *Wallet) named(account address.Address) string {
	return strconv.FormatUint(w.ChainID, 10) + " " + account.Plain()
}

// nextNonce returns the nonce of an account's next transaction. A transaction that pays the account
// itself is harmless.
func (w *Wallet) nextNonce(ctx context.Context, from address.Address, harmless bool) (uint64, error) {
	counts, err := w.Node.Nonces(ctx, from)
	if err != nil {
		return 0, err
	}
	return w.Queue.Next(ctx, w.named(from), counts, coin.Choice{Harmless: harmless, Resend: func(ctx context.Context, raw []byte) error { return w.Node.Send(ctx, raw, wire.Hash(raw)) }, Known: func(ctx context.Context, name string) (bool, error) {
		var hash [32]byte
		if _, err := hex.Decode(hash[:], []byte(name)); err != nil {
			return false, err
		}
		known, err := w.Node.MajorityKnows(ctx, hash)
		if errors.Is(err, node.ErrUnsure) { // the nonce is used again, so that at most one of the two is executed
			err = nil
		}
		return known, err
	}})
}

// signNext signs the next transaction of an account, with the nonce of nextNonce.
func (w *Wallet) signNext(ctx context.Context, from sender, t wire.Transaction) ([]byte, error) {
	raw, err := sign(ctx, from.Account, from.address, t)
	if err == nil {
		w.Queue.Made(w.named(from.address), t.Nonce, nameOf(wire.Hash(raw)))
	}
	return raw, err
}

func nameOf(hash [32]byte) string { return hex.EncodeToString(hash[:]) }

// SignMessage implements coin.MessageSigner.
func (w *Wallet) SignMessage(ctx context.Context, message string) (coin.SignedMessage, error) {
	return SignMessage(ctx, w.Account, message)
}

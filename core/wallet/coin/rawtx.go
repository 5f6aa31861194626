package coin

import (
	"context"
	"errors"

	"obverse/core/number"
)

// RawReader is a coin whose nodes find transactions by their hashes.
type RawReader interface {
	// RawTransaction gives a transaction as it was signed, by any account. Its hash proves it.
	// Errors are ErrNoTransaction, ErrTransactionKind and ErrTransport.
	RawTransaction(ctx context.Context, hash [32]byte) ([]byte, error)
}

// Errors of RawReader.
var (
	ErrNoTransaction   = errors.New("the coin's nodes do not have the transaction")
	ErrTransactionKind = errors.New("the transaction is of a kind that cannot be read")
)

// RawSigner is a coin that signs transactions which others have put together. Errors are
// those of Withdrawer.
type RawSigner interface {
	// SignRaw returns the signed transaction and what it may cost.
	SignRaw(ctx context.Context, t UnsignedTransaction) (raw []byte, fee Fee, err error)
}

// UnsignedTransaction is a transaction of an EVM network but for its nonce.
type UnsignedTransaction struct {
	To    string          // address; "": it makes a contract
	Value number.Rational // of the network's coin, in whole coins
	Data  []byte
	Gas   uint64
	Fee   FeePolicy // EthGas or EthGasEIP1559, whose limits do not count; nil: the price is the nodes'
}

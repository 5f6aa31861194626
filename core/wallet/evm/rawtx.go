package evm

import (
	"context"
	"errors"

	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/node"
)

// RawTransaction implements coin.RawReader.
func (a *asset) RawTransaction(ctx context.Context, hash [32]byte) ([]byte, error) {
	found, err := a.nodes.Transaction(ctx, hash)
	if err == nil && len(found.Raw) == 0 {
		found.Raw, err = a.nodes.Raw(ctx, hash)
	}
	switch {
	case errors.Is(err, node.NotFoundError{}):
		return nil, coin.ErrNoTransaction
	case err == nil && len(found.Raw) == 0:
		return nil, coin.ErrTransactionKind
	}
	return found.Raw, err
}

// SignRaw implements coin.RawSigner.
func (a *asset) SignRaw(ctx context.Context, t coin.UnsignedTransaction) (raw []byte, fee coin.Fee, err error) {
	opened, err := a.account.Signer(ctx)
	if err != nil {
		return nil, fee, err
	}
	defer opened.Close()
	return a.wallet(opened).SignRaw(ctx, t)
}

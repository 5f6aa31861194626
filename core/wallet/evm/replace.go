package evm

import (
	"context"

	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
)

var (
	_ coin.Replacer       = (*asset)(nil)
	_ coin.ContractReader = (*asset)(nil)
)

// Replace implements coin.Replacer.
func (a *asset) Replace(ctx context.Context, raw []byte, cancel bool) (coin.Transaction, error) {
	opened, err := a.account.Signer(ctx)
	if err != nil {
		return coin.Transaction{}, err
	}
	defer opened.Close()
	return a.wallet(opened).Replace(ctx, *a.Of, raw, cancel)
}

// IsContract implements coin.ContractReader.
func (a *asset) IsContract(ctx context.Context, text string) (bool, error) {
	of, err := address.ParseOn(a.id, text)
	if err != nil {
		return false, &coin.InvalidError{Field: coin.FieldTo, Reason: err}
	}
	return a.nodes.IsContract(ctx, of)
}

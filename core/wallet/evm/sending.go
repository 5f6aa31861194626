package evm

import (
	"context"
	"errors"
	"math/big"

	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/node"
)

// gwei is the number of decimals of gas prices.
const gwei = 9

// rises are the numbers of blocks for which the price of a level is sufficient if the base fee
// rises by the maximum of an eighth per block (EIP-1559).
var rises = [3]int64{1, 3, 6}

// FeeLevels implements coin.FeeEstimator.
func (a *asset) FeeLevels(ctx context.Context) (all coin.FeeLevels, err error) {
	fees, err := a.nodes.Fees(ctx, node.Call{})
	switch {
	case err != nil:
		return all, err
	case fees.BaseFee == nil:
		return all, coin.ErrNoFeeLevels
	}
	all.BaseFee, all.Rising = number.Scaled(fees.BaseFee, gwei), fees.Rising
	for i, tip := range []*big.Int{fees.Low, fees.Tip, fees.High} {
		maxFee := new(big.Int).Add(risen(fees.BaseFee, rises[i]), tip)
		all.Levels[i] = coin.FeeLevel{Tip: number.Scaled(tip, gwei), Max: number.Scaled(maxFee, gwei)}
	}
	return all, nil
}

// risen returns the base fee after a number of full blocks, rounded up.
func risen(base *big.Int, blocks int64) *big.Int {
	times := new(big.Int).Exp(big.NewInt(9), big.NewInt(blocks), nil)
	parts := new(big.Int).Exp(big.NewInt(8), big.NewInt(blocks), nil)
	up := new(big.Int).Mul(base, times)
	up.Add(up, parts).Sub(up, big.NewInt(1))
	return up.Div(up, parts)
}

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
	return a.wallet(opened).Replace(ctx, *a.txAsset(), raw, cancel)
}

// IsContract implements coin.ContractReader.
func (a *asset) IsContract(ctx context.Context, text string) (bool, error) {
	account, err := address.ParseOn(a.id, text)
	if err != nil {
		return false, &coin.InvalidError{Field: coin.FieldTo, Reason: err}
	}
	return a.nodes.IsContract(ctx, account)
}

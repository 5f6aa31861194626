package evm

import (
	"context"
	"math/big"

	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/node"
)

// gwei is the digits behind the point of prices of gas.
const gwei = 9

// rises are for how many blocks a level's price does, if the base fee rises by as much as it
// may: an eighth a block (EIP-1559).
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
		most := new(big.Int).Add(risen(fees.BaseFee, rises[i]), tip)
		all.Levels[i] = coin.FeeLevel{Tip: number.Scaled(tip, gwei), Max: number.Scaled(most, gwei)}
	}
	return all, nil
}

// risen is a base fee after so many full blocks, rounded up.
func risen(base *big.Int, blocks int64) *big.Int {
	times := new(big.Int).Exp(big.NewInt(9), big.NewInt(blocks), nil)
	parts := new(big.Int).Exp(big.NewInt(8), big.NewInt(blocks), nil)
	up := new(big.Int).Mul(base, times)
	up.Add(up, parts).Sub(up, big.NewInt(1))
	return up.Div(up, parts)
}

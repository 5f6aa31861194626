package coin

import (
	"context"
	"errors"

	"obverse/core/number"
)

// FeeEstimator is a coin whose network has a base fee that rises and falls with demand.
type FeeEstimator interface {
	// FeeLevels asks the coin's nodes. Errors are ErrNoFeeLevels and ErrTransport.
	FeeLevels(ctx context.Context) (FeeLevels, error)
}

// FeeLevels are the prices of a unit of gas, in thousand-millionths of the coin.
type FeeLevels struct {
	BaseFee number.Rational // of the next block
	Rising  bool            // that fee is above the one of the block before
	// Levels are what transactions should offer that may wait, that should be in one of the
	// next blocks, and that are in a hurry.
	Levels [3]FeeLevel
}

// FeeLevel is what a transaction offers.
type FeeLevel struct {
	Tip number.Rational // beyond the base fee
	Max number.Rational // base fee and tip together
}

// ErrNoFeeLevels says that a network has no base fee, or its nodes no history of it.
var ErrNoFeeLevels = errors.New("the network has no base fee, or its nodes keep no history of it")

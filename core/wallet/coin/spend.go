package coin

import (
	"context"
	"errors"
	"math/big"

	"obverse/core/key"
	"obverse/core/number"
)

// Addresses opens the addresses of an HD wallet that a request can send from.
type Addresses struct {
	Open func(context.Context, key.Path) (key.Account, error) // nil means not an HD wallet
	Path key.Path                                             // common prefix of the paths of the coin's accounts
}

// ErrNoHD means that the wallet has a single key. The text is Komodo DeFi Framework's.
var ErrNoHD = errors.New("'from' is not supported if the coin is initialized with an Iguana private key")

// From opens an address. The caller must close it. Errors are an *InvalidError and the errors
// of Open.
func (a Addresses) From(ctx context.Context, from From) (key.Account, error) {
	if a.Open == nil {
		return nil, &InvalidError{FieldFrom, ErrNoHD}
	}
	path, err := from.In(a.Path)
	if err != nil {
		return nil, err
	}
	return a.Open(ctx, path)
}

// Funds are an account's balance of a coin, in its smallest units.
type Funds struct {
	Ticker   string
	Decimals uint8
	Units    *big.Int
}

// Short returns the error for insufficient funds.
func (f Funds) Short(required *big.Int, forFee bool) *ShortageError {
	return &ShortageError{Coin: f.Ticker, Available: number.Scaled(f.Units, f.Decimals), Required: number.Scaled(required, f.Decimals), ForFee: forFee}
}

// Spend returns the units to send before the fee is known: the requested units, or all for nil.
// Errors are ErrZeroBalance and a *ShortageError.
func (f Funds) Spend(units *big.Int) (*big.Int, error) {
	switch {
	case units == nil && f.Units.Sign() == 0:
		return nil, ErrZeroBalance
	case units == nil:
		return f.Units, nil
	case f.Units.Cmp(units) < 0:
		return nil, f.Short(units, false)
	}
	return units, nil
}

// SpendWithFee is like Spend, for a coin that also pays the fee. If units is nil, it returns
// the rest after the fee. Its error is a *ShortageError.
func (f Funds) SpendWithFee(units, fee *big.Int) (*big.Int, error) {
	required := new(big.Int)
	if units == nil {
		required.Add(fee, big.NewInt(1))
		units = new(big.Int).Sub(f.Units, fee)
	} else {
		required.Add(units, fee)
	}
	if f.Units.Cmp(required) < 0 {
		return nil, f.Short(required, false)
	}
	return units, nil
}

// PayFee returns a *ShortageError if the funds do not cover the required amount, which includes
// the fee.
func (f Funds) PayFee(required *big.Int) error {
	if f.Units.Cmp(required) < 0 {
		return f.Short(required, true)
	}
	return nil
}

// CheckAmount returns a *TooLowError for an amount below a coin's smallest unit.
func CheckAmount(amount number.Rational, decimals uint8) error {
	if minimum := number.Scaled(big.NewInt(1), decimals); amount.Cmp(minimum) < 0 {
		return &TooLowError{Amount: amount, Threshold: minimum}
	}
	return nil
}

package tx

import (
	"errors"
	"math/big"

	"obverse/core/number"
)

var (
	errNegative = errors.New("it is negative")
	errDecimals = errors.New("it has more decimals than the coin")
	errTooMuch  = errors.New("it is more than 256 bits of the smallest unit")
)

// Units are how many of the smallest units an amount is, which has at most 256 bits.
func Units(amount number.Rational, decimals uint8) (*big.Int, error) {
	if amount.Sign() < 0 {
		return nil, errNegative
	}
	return units(amount, decimals)
}

// units are a number, which is not negative, times 10^decimals, which has to be whole.
func units(amount number.Rational, decimals uint8) (*big.Int, error) {
	scaled, err := amount.Quo(number.Scaled(big.NewInt(1), decimals))
	switch {
	case err != nil:
		return nil, err
	case scaled.Denom().Cmp(big.NewInt(1)) != 0:
		return nil, errDecimals
	case scaled.Numer().BitLen() > 256:
		return nil, errTooMuch
	}
	return scaled.Numer(), nil
}

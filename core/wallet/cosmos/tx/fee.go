package tx

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"math/bits"

	"obverse/core/number"
)

// Gas that transactions may use when no node reports how much they need.
const (
	TransferGas = 125_000
	IBCGas      = 150_000
)

// The limit is what a simulation used, times marginNumer/marginDenom: what is stored
// meanwhile by others may cost more.
const (
	marginNumer = 13
	marginDenom = 10
)

// DefaultGasPrice is Komodo DeFi Framework's, for chains of which no entry has one.
const DefaultGasPrice = "0.25"

// ErrGasPrice says that a gas price is negative.
var ErrGasPrice = errors.New("a gas price cannot be negative")

// GasPrice is the price of a unit of gas in units of the chain's denom: what an entry of
// the coins file says, or the default.
func GasPrice(configured json.Number) (number.Rational, error) {
	text := configured.String()
	if text == "" {
		text = DefaultGasPrice
	}
	price, err := number.ParseRational(text)
	if err == nil && price.Sign() < 0 {
		err = ErrGasPrice
	}
	return price, err
}

// gasLimit adds the margin to what a simulation used, rounded up.
func gasLimit(used uint64) uint64 {
	high, low := bits.Mul64(used, marginNumer)
	if high >= marginDenom { // beyond what 64 bits hold
		return math.MaxUint64
	}
	limit, rest := bits.Div64(high, low, marginDenom)
	if rest > 0 && limit < math.MaxUint64 {
		limit++
	}
	return limit
}

// feeUnits is what so much gas costs, rounded up.
func feeUnits(limit uint64, price number.Rational) *big.Int {
	cost := price.Mul(rational(new(big.Int).SetUint64(limit)))
	units, rest := new(big.Int).DivMod(cost.Numer(), cost.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		units.Add(units, big.NewInt(1))
	}
	return units
}

// rational is a whole number.
func rational(n *big.Int) number.Rational {
	r, err := number.Ratio(n, big.NewInt(1))
	if err != nil { // which 1 is not
		return number.Int(0)
	}
	return r
}

func powerOfTen(decimals uint8) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)
}

// toUnits turns coins into units of a denom. Its error is number.ErrPrecision.
func toUnits(coins number.Rational, decimals uint8) (*big.Int, error) {
	units := coins.Mul(rational(powerOfTen(decimals)))
	if units.Denom().Cmp(big.NewInt(1)) != 0 {
		return nil, number.ErrPrecision
	}
	return units.Numer(), nil
}

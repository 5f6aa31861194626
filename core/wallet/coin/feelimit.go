package coin

import (
	"fmt"

	"obverse/core/number"
)

// usualFees is how many times its usual fee a transaction may cost without the user having
// seen the fee.
const usualFees = 10

// FeeLimit returns the highest fee, in whole coins, that a transaction may cost without the
// user having seen it: one coin, or ten times the usual fee of a transaction of its kind,
// whichever is less. The usual fee is what the kind of transaction uses at the price that a
// majority of the nodes, or the coin's entry, states; nil if that is unknown. A price that a
// single node of several could choose must not be part of it.
func FeeLimit(usual *number.Rational) number.Rational {
	limit := number.Int(1)
	if usual == nil {
		return limit
	}
	if most := usual.Mul(number.Int(usualFees)); most.Cmp(limit) < 0 {
		return most
	}
	return limit
}

// What a user can do whose fee is above the limit.
const (
	NameFee  = "set the fee explicitly to send anyway"
	AwaitFee = "try again when the network's fees are lower" // where a request has no fee
)

// CheckUnseenFee refuses a fee above the limit with an *InvalidError that ends with advice. It is for transactions
// that are sent, or can be sent, before the user has seen their fee. Fees that the request
// names are not checked.
func CheckUnseenFee(ticker string, fee, limit number.Rational, advice string) error {
	if fee.Cmp(limit) <= 0 {
		return nil
	}
	return &InvalidError{FieldFee, fmt.Errorf("estimated fee %s %s exceeds the limit of %s %s; %s", fee, ticker, limit, ticker, advice)}
}

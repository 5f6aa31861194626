package coin

import (
	"context"
	"errors"
	"fmt"

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

// Estimator is a coin that reports what it costs to send some of it.
type Estimator interface {
	// SpendingCost asks the coin's nodes. Errors are ErrTransport and those of Withdraw.
	SpendingCost(ctx context.Context) (SpendingCost, error)
}

// SpendingCost is what an ordinary transaction that sends a coin costs now.
type SpendingCost struct {
	Fee   Fee
	Funds number.Rational // what the account can spend of the coin that pays the fee
	Least number.Rational // less of the coin than this cannot be sent
}

// BalanceWatcher is a coin that reports when balances change.
type BalanceWatcher interface {
	// WatchBalances tells of the coin and of the tokens on it whose balances have
	// changed, together, as often as there are some. For an HD wallet it reports what each of the
	// known addresses holds of these, the coin's own address first. It leaves out what they are when it
	// begins, unless the watch before ended with a failure, and reports a token that is activated
	// later once at the next query. It ends with ctx, with
	// ErrNotActive when the coin was disabled or replaced by another activation, with the
	// error of changed, and with ErrTransport.
	WatchBalances(ctx context.Context, changed func([]TickerBalance) error) error
}

// TickerBalance is the balance of one coin.
type TickerBalance struct {
	Ticker  string
	Address string // in reports about an HD wallet's addresses; else ""
	Balance
}

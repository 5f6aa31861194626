package coin

import (
	"context"
	"errors"
	"fmt"

	"obverse/core/number"
)

// FeeEstimator is a coin whose network has a base fee that rises and falls with demand.
type FeeEstimator interface {
	// FeeLevels queries the coin's nodes. Errors are ErrNoFeeLevels and ErrTransport.
	FeeLevels(ctx context.Context) (FeeLevels, error)
}

// FeeLevels are the prices of a unit of gas, in thousand-millionths of the coin.
type FeeLevels struct {
	BaseFee number.Rational // base fee of the next block
	Rising  bool            // whether BaseFee is higher than the base fee of the latest block
	// Levels are the fees for slow, normal and fast confirmation.
	Levels [3]FeeLevel
}

// FeeLevel is the fee that a transaction offers for a unit of gas.
type FeeLevel struct {
	Tip number.Rational // fee per unit of gas in addition to the base fee
	Max number.Rational // base fee and tip together
}

// ErrNoFeeLevels means that a network has no base fee, or its nodes keep no history of it.
var ErrNoFeeLevels = errors.New("the network has no base fee, or its nodes keep no history of it")

// usualFees is the maximum ratio of the fee of a transaction to its usual fee if the user has
// not seen the fee.
const usualFees = 10

// FeeLimit returns the highest fee, in whole coins, that a transaction may cost without the
// user having seen it: one coin, or ten times the usual fee of a transaction of its kind, if
// that is less. The usual fee is the gas that this kind of transaction uses, times the price
// that a majority of the nodes or the coin's entry states. It is nil if unknown. It must not be
// based on a price that a single node of many could choose.
func FeeLimit(usual *number.Rational) number.Rational {
	limit := number.Int(1)
	if usual == nil {
		return limit
	}
	if highest := usual.Mul(number.Int(usualFees)); highest.Cmp(limit) < 0 {
		return highest
	}
	return limit
}

// Advice for errors about a fee above the limit.
const (
	NameFee  = "set the fee explicitly to send anyway"
	AwaitFee = "try again when the network's fees are lower" // for requests that have no fee
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

// Estimator is a coin that estimates the cost of a transaction.
type Estimator interface {
	// SpendingCost queries the coin's nodes. Errors are ErrTransport and those of Withdraw.
	SpendingCost(ctx context.Context) (SpendingCost, error)
}

// SpendingCost is the cost of an ordinary transaction that sends a coin now.
type SpendingCost struct {
	Fee       Fee
	Funds     number.Rational // spendable balance of the coin that pays the fee
	MinAmount number.Rational // smallest amount of the coin that can be sent
}

// BalanceWatcher is a coin that reports when balances change.
type BalanceWatcher interface {
	// WatchBalances calls changed with the new balances of the coin and of its tokens whenever some of
	// them have changed. For an HD wallet it reports the balance of each known address, the coin's own
	// address first. It does not report the initial balances, unless the previous watch failed, and
	// reports a token that is activated later once at the next query. It returns when ctx ends, with
	// ErrNotActive when the coin was disabled or replaced by another activation, with the error of
	// changed, and with ErrTransport.
	WatchBalances(ctx context.Context, changed func([]TickerBalance) error) error
}

// TickerBalance is the balance of one coin.
type TickerBalance struct {
	Ticker  string
	Address string // address of an HD wallet in reports about all its addresses; otherwise ""
	Balance
}

package coin

import (
	"context"

	"obverse/core/number"
)

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

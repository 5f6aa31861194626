package coin

import (
	"context"
	"errors"

	"obverse/core/number"
)

// Coin is a coin that has been activated. What it can do beyond this are further
// interfaces, for which callers ask by type assertion. All methods may be called from
// many goroutines at once.
type Coin interface {
	Ticker() string // as people are shown it: the name that activated it
	Entry() *Entry  // what it was made from
}

// Token is a coin that lives on another one, its platform.
type Token interface {
	Coin
	Platform() string // ticker
	// OnPlatform gives this token on another activation of its platform. It is called
	// when the platform gets new nodes or parameters while the token stays active; it
	// must not wait for anything.
	OnPlatform(platform Coin) Token
}

// Runner is a coin with work of its own, such as loading its history. Run is called
// once after the activation, and its context ends when the coin is disabled, replaced
// or the node stops; it should then return soon. Returning nil earlier is no error.
type Runner interface {
	Run(ctx context.Context) error
}

// Balance is how much a coin's own address holds, in whole coins.
type Balance struct {
	Spendable   number.Rational
	Unspendable number.Rational // held, but cannot be sent now
	// Unknown is why the balance could not be queried while others could: amounts are zero then.
	// Balancer has it as its error. nil: the balance is known.
	Unknown error
}

// Balancer is a coin that has a balance. An error that is the remote's wraps
// ErrTransport.
type Balancer interface {
	Balance(ctx context.Context) (Balance, error)
}

// Addresser is a coin that has one address of its own.
type Addresser interface {
	Address() string
}

// ErrTransport says that no node of a coin answered, or that what came back made no
// sense. Its wrapping reports which nodes and why, without credentials.
var ErrTransport = errors.New("the coin's nodes are unreachable")

// ErrContract says that the nodes answered, and that what is at a contract's address is not the
// contract that a call expects. Errors that are an ErrTransport too may be one.
var ErrContract = errors.New("not the expected contract")

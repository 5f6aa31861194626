package wire

import (
	"errors"
	"fmt"
	"math/big"
)

// Paths of queries about balances.
const (
	PathBalance     = "/cosmos.bank.v1beta1.Query/Balance"
	PathAllBalances = "/cosmos.bank.v1beta1.Query/AllBalances"
	// PathSpendableBalances leaves out what a vesting account does not own yet; it takes
	// and gives what PathAllBalances does. Older chains do not know it.
	PathSpendableBalances = "/cosmos.bank.v1beta1.Query/SpendableBalances"
)

// Coin is an amount of a denom.
type Coin struct {
	Denom  string `json:"denom"`
	Amount string `json:"amount"` // a whole number in decimal, in the smallest unit, see Units
}

// ErrAmount says that an amount is none.
var ErrAmount = errors.New("not an amount of a coin")

// Bounds of an amount, which Cosmos SDK has in 256 bits.
const (
	maxBits   = 256
	maxDigits = 78
)

// Units is the amount as a number, not negative, of up to 256 bits, or ErrAmount.
func (c Coin) Units() (*big.Int, error) {
	digits := len(c.Amount) > 0 && len(c.Amount) <= maxDigits
	for _, d := range []byte(c.Amount) {
		digits = digits && d >= '0' && d <= '9'
	}
	if !digits {
		return nil, fmt.Errorf("%w: %.100q", ErrAmount, c.Amount)
	}
	n, _ := new(big.Int).SetString(c.Amount, 10)
	if n.BitLen() > maxBits {
		return nil, fmt.Errorf("%w: %s has more than %d bits", ErrAmount, c.Amount, maxBits)
	}
	return n, nil
}

// BalanceRequest asks how much of a denom an address holds.
type BalanceRequest struct{ Address, Denom string }

// BalanceResponse answers it. An address that holds nothing has an amount of "0".
type BalanceResponse struct{ Balance Coin }

// AllBalancesRequest asks for all that an address holds.
type AllBalancesRequest struct {
	Address string
	Page    *PageRequest // nil: the first 100
}

// AllBalancesResponse answers it, in the order of the denoms.
type AllBalancesResponse struct {
	Balances []Coin
	Page     PageResponse
}

// PageRequest asks for a part of a list, by a key of the page before or by a number.
type PageRequest struct {
	Key        []byte // PageResponse.NextKey of the page before; empty: by Offset
	Offset     uint64
	Limit      uint64 // members; 0: as many as the node likes, 100
	CountTotal bool
	Reverse    bool
}

// PageResponse comes with a part of a list.
type PageResponse struct {
	NextKey []byte // of the next page; empty: this is the last
	Total   uint64 // members of the whole list, if it was asked for
}

// MsgSend moves coins from one address to another.
type MsgSend struct {
	From   string `json:"from_address"`
	To     string `json:"to_address"`
	Amount []Coin `json:"amount"` // in the order of the denoms
}

// TypeURL implements Named.
func (*MsgSend) TypeURL() string { return "/cosmos.bank.v1beta1.MsgSend" }

// MsgMultiSend moves coins from one or more addresses to many.
type MsgMultiSend struct {
	Inputs  []Share `json:"inputs"`
	Outputs []Share `json:"outputs"`
}

// TypeURL implements Named.
func (*MsgMultiSend) TypeURL() string { return "/cosmos.bank.v1beta1.MsgMultiSend" }

// Share is what an address gives or gets in a MsgMultiSend.
type Share struct {
	Address string `json:"address"`
	Coins   []Coin `json:"coins"`
}

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
	// PathSpendableBalances excludes unvested coins. It has the messages of PathAllBalances.
	// Older chains do not support it.
	PathSpendableBalances = "/cosmos.bank.v1beta1.Query/SpendableBalances"
)

// Coin is an amount of a denom.
type Coin struct {
	Denom  string `json:"denom"`
	Amount string `json:"amount"` // a whole number in decimal, in the smallest unit, see Units
}

// ErrAmount means that an amount is invalid.
var ErrAmount = errors.New("not an amount of a coin")

// Limits of an amount, which has 256 bits in the Cosmos SDK.
const (
	maxBits   = 256
	maxDigits = 78
)

// Units returns the amount as a non-negative number of up to 256 bits. It fails with ErrAmount.
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

// BalanceRequest requests the balance of an address in a denom.
type BalanceRequest struct{ Address, Denom string }

// BalanceResponse is the response. An address without coins has an amount of "0".
type BalanceResponse struct{ Balance Coin }

// AllBalancesRequest requests all balances of an address.
type AllBalancesRequest struct {
	Address string
	Page    *PageRequest // nil means the first 100
}

// AllBalancesResponse is the response, sorted by denom.
type AllBalancesResponse struct {
	Balances []Coin
	Page     PageResponse
}

// PageRequest selects a page of a list, by the key of the previous page or by an offset.
type PageRequest struct {
	Key        []byte // PageResponse.NextKey of the previous page; empty means by Offset
	Offset     uint64
	Limit      uint64 // number of members; 0 means the node's default, 100
	CountTotal bool
	Reverse    bool
}

// PageResponse describes a page of a list.
type PageResponse struct {
	NextKey []byte // key of the next page; empty if this is the last page
	Total   uint64 // number of members of the whole list, if requested
}

// MsgSend transfers coins from one address to another.
type MsgSend struct {
	From   string `json:"from_address"`
	To     string `json:"to_address"`
	Amount []Coin `json:"amount"` // sorted by denom
}

// TypeURL implements Named.
func (*MsgSend) TypeURL() string { return "/cosmos.bank.v1beta1.MsgSend" }

// MsgMultiSend transfers coins from one or more addresses to others.
type MsgMultiSend struct {
	Inputs  []Share `json:"inputs"`
	Outputs []Share `json:"outputs"`
}

// TypeURL implements Named.
func (*MsgMultiSend) TypeURL() string { return "/cosmos.bank.v1beta1.MsgMultiSend" }

// Share is an input or output of a MsgMultiSend.
type Share struct {
	Address string `json:"address"`
	Coins   []Coin `json:"coins"`
}

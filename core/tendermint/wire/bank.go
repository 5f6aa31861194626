package wire

import (
	"errors"
	"fmt"
	"math/big"

	"google.golang.org/protobuf/encoding/protowire"
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
	Denom  string
	Amount string // a whole number in decimal, in the smallest unit, see Units
}

func (c *Coin) slots() []slot { return []slot{{1, &c.Denom}, {2, &c.Amount}} }

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

func (r *BalanceRequest) slots() []slot { return []slot{{1, &r.Address}, {2, &r.Denom}} }

// BalanceResponse answers it. An address that holds nothing has an amount of "0".
type BalanceResponse struct{ Balance Coin }

func (r *BalanceResponse) slots() []slot { return []slot{{1, &r.Balance}} }

// AllBalancesRequest asks for all that an address holds.
type AllBalancesRequest struct {
	Address string
	Page    *PageRequest // nil: the first 100
}

func (r *AllBalancesRequest) slots() []slot {
	return []slot{{1, &r.Address}, {2, page{&r.Page}}}
}

// AllBalancesResponse answers it, in the order of the denoms.
type AllBalancesResponse struct {
	Balances []Coin
	Page     PageResponse
}

func (r *AllBalancesResponse) slots() []slot {
	return []slot{{1, many(&r.Balances)}, {2, &r.Page}}
}

// page is the slot of a PageRequest that may be absent.
type page struct{ at **PageRequest }

func (p page) read(f *field) {
	if *p.at == nil {
		*p.at = new(PageRequest)
	}
	f.message(*p.at)
}

func (p page) write(b []byte, number protowire.Number) []byte {
	if *p.at == nil {
		return b
	}
	return appendBytes(b, number, Encode(*p.at))
}

// PageRequest asks for a part of a list, by a key of the page before or by a number.
type PageRequest struct {
	Key        []byte // PageResponse.NextKey of the page before; empty: by Offset
	Offset     uint64
	Limit      uint64 // members; 0: as many as the node likes, 100
	CountTotal bool
	Reverse    bool
}

func (p *PageRequest) slots() []slot {
	return []slot{{1, &p.Key}, {2, &p.Offset}, {3, &p.Limit}, {4, &p.CountTotal}, {5, &p.Reverse}}
}

// PageResponse comes with a part of a list.
type PageResponse struct {
	NextKey []byte // of the next page; empty: this is the last
	Total   uint64 // members of the whole list, if it was asked for
}

func (p *PageResponse) slots() []slot { return []slot{{1, &p.NextKey}, {2, &p.Total}} }

// MsgSend moves coins from one address to another.
type MsgSend struct {
	From, To string
	Amount   []Coin // in the order of the denoms
}

// TypeURL implements Named.
func (*MsgSend) TypeURL() string { return "/cosmos.bank.v1beta1.MsgSend" }

func (m *MsgSend) slots() []slot { return []slot{{1, &m.From}, {2, &m.To}, {3, many(&m.Amount)}} }

// MsgMultiSend moves coins from one or more addresses to many.
type MsgMultiSend struct{ Inputs, Outputs []Share }

// TypeURL implements Named.
func (*MsgMultiSend) TypeURL() string { return "/cosmos.bank.v1beta1.MsgMultiSend" }

func (m *MsgMultiSend) slots() []slot { return []slot{{1, many(&m.Inputs)}, {2, many(&m.Outputs)}} }

// Share is what an address gives or gets in a MsgMultiSend.
type Share struct {
	Address string
	Coins   []Coin
}

func (s *Share) slots() []slot { return []slot{{1, &s.Address}, {2, many(&s.Coins)}} }

package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"sort"

	"obverse/core/net/nodepool"
)

// Fees are what gas costs now, in the smallest unit of the coin.
type Fees struct {
	GasPrice *big.Int // what a transaction with one price should offer
	BaseFee  *big.Int // of the next block; nil: the network has none
	Tip      *big.Int // what others gave beyond it lately; nil without a BaseFee
}

// History of fees that is asked for: so many blocks, and the middle of their tips.
const (
	feeBlocks  = "0x5"
	feeAverage = 50
	priceBits  = 128 // of the price of a unit of gas
)

var errNoFees = errors.New("no fee history")

// Fees asks what gas costs. The answer is at most five seconds old.
func (p *Pool) Fees(ctx context.Context) (Fees, error) {
	calls := []nodepool.Call{call("eth_gasPrice"), call("eth_feeHistory", feeBlocks, "latest", []int{feeAverage})}
	return get[Fees](ctx, p, batch(quantityFees, calls, func(o []nodepool.Outcome) (any, int64, error) {
		if o[0].Err != nil {
			return nil, 0, refusal(o[0].Err)
		}
		price, err := quantity(o[0].Result, priceBits)
		if err != nil {
			return nil, 0, err
		}
		f := Fees{GasPrice: price}
		if o[1].Err != nil { // older networks have no such method
			return f, 0, nil
		}
		err = f.history(o[1].Result)
		return f, 0, err
	}))
}

// Levels are what transactions of three urgencies should offer: tips that a quarter, half and
// three quarters of the latest transactions stayed below.
type Levels struct {
	BaseFee *big.Int    // of the next block
	Rising  bool        // that fee is above the one of the block before
	Tips    [3]*big.Int // the lowest first
}

// ErrNoLevels says that the network has no base fee, or the nodes no history of fees.
var ErrNoLevels = errors.New("the network's nodes have no history of base fees")

// Levels asks for the tips of the latest blocks. The answer is at most five seconds old.
func (p *Pool) Levels(ctx context.Context) (Levels, error) {
	calls := []nodepool.Call{call("eth_feeHistory", feeBlocks, "latest", []int{25, 50, 75})}
	return get[Levels](ctx, p, batch(quantityLevels, calls, func(o []nodepool.Outcome) (any, int64, error) {
		if o[0].Err != nil {
			return nil, 0, fmt.Errorf("%w: %w", ErrNoLevels, refusal(o[0].Err))
		}
		levels, err := readLevels(o[0].Result)
		return levels, 0, err
	}))
}

func readLevels(result json.RawMessage) (l Levels, err error) {
	h, err := readHistory(result)
	if err != nil {
		return l, err
	}
	if len(h.Base) < 2 {
		return l, ErrNoLevels
	}
	var before *big.Int
	if l.BaseFee, err = quantityText(h.Base[len(h.Base)-1], priceBits); err != nil {
		return l, err
	}
	if before, err = quantityText(h.Base[len(h.Base)-2], priceBits); err != nil {
		return l, err
	}
	if l.BaseFee.Sign() == 0 {
		return l, ErrNoLevels
	}
	l.Rising = l.BaseFee.Cmp(before) > 0
	for level := range l.Tips {
		if l.Tips[level], err = h.middle(level); err != nil {
			return l, err
		}
	}
	return l, nil
}

// middle is the median of the tips of one level, without blocks that have no transactions.
func (h feeHistory) middle(level int) (*big.Int, error) {
	tips, err := h.tips(level)
	if err != nil || len(tips) == 0 {
		return new(big.Int), err
	}
	return tips[len(tips)/2], nil
}

// feeHistory is what eth_feeHistory gives.
type feeHistory struct {
	Base    []string   `json:"baseFeePerGas"`
	Rewards [][]string `json:"reward"`
}

func readHistory(result json.RawMessage) (h feeHistory, err error) {
	if err := nodepool.Read(result, &h); err != nil {
		return h, err
	}
	const most = 64 // far fewer were asked for
	if len(h.Base) > most || len(h.Rewards) > most {
		return h, fmt.Errorf("%w: %w", nodepool.ErrAnswer, errNoFees)
	}
	return h, nil
}

// tips are those of one level in order.
func (h feeHistory) tips(level int) (tips []*big.Int, err error) {
	for _, rewards := range h.Rewards {
		if level >= len(rewards) {
			continue
		}
		tip, err := quantityText(rewards[level], priceBits)
		if err != nil {
			return nil, err
		}
		if tip.Sign() > 0 { // blocks without transactions have none
			tips = append(tips, tip)
		}
	}
	sort.Slice(tips, func(i, j int) bool { return tips[i].Cmp(tips[j]) < 0 }) // which a page has anyway
	return tips, nil
}

// history reads what eth_feeHistory gives.
func (f *Fees) history(result json.RawMessage) error {
	h, err := readHistory(result)
	if err != nil || len(h.Base) == 0 {
		return err
	}
	base, err := quantityText(h.Base[len(h.Base)-1], priceBits)
	if err != nil || base.Sign() == 0 {
		return err
	}
	tips, err := h.tips(0)
	if err != nil {
		return err
	}
	f.BaseFee, f.Tip = base, new(big.Int)
	if len(tips) > 0 {
		f.Tip = tips[len(tips)/2]
	} else if more := new(big.Int).Sub(f.GasPrice, base); more.Sign() > 0 {
		f.Tip = more
	}
	return nil
}

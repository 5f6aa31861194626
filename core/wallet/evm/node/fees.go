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

// history reads what eth_feeHistory gives.
func (f *Fees) history(result json.RawMessage) error {
	var h struct {
		Base    []string   `json:"baseFeePerGas"`
		Rewards [][]string `json:"reward"`
	}
	if err := nodepool.Read(result, &h); err != nil {
		return err
	}
	const most = 64 // far fewer were asked for
	if len(h.Base) > most || len(h.Rewards) > most {
		return fmt.Errorf("%w: %w", nodepool.ErrAnswer, errNoFees)
	}
	if len(h.Base) == 0 {
		return nil
	}
	base, err := quantityText(h.Base[len(h.Base)-1], priceBits)
	if err != nil || base.Sign() == 0 {
		return err
	}
	var tips []*big.Int
	for _, rewards := range h.Rewards {
		for _, reward := range rewards {
			tip, err := quantityText(reward, priceBits)
			if err != nil {
				return err
			}
			if tip.Sign() > 0 { // blocks without transactions have none
				tips = append(tips, tip)
			}
		}
	}
	f.BaseFee, f.Tip = base, new(big.Int)
	if len(tips) > 0 {
		sort.Slice(tips, func(i, j int) bool { return tips[i].Cmp(tips[j]) < 0 }) // which a page has anyway
		f.Tip = tips[len(tips)/2]
	} else if more := new(big.Int).Sub(f.GasPrice, base); more.Sign() > 0 {
		f.Tip = more
	}
	return nil
}

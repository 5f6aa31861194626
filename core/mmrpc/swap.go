package mmrpc

import (
	"context"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/rpc"
	"obverse/core/swap"
	"obverse/core/wallet/coin"
)

const categorySwaps = "Swaps"

// Swaps is the area of the methods about atomic swaps in progress and what they leave
// of a coin.
type Swaps struct {
	Active *coin.Active
	Ledger *swap.Ledger
}

// Methods implements Area.
func (s Swaps) Methods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("get_locked_amount", rpc.Doc{Reads: true,
			Summary: "Show how much of a coin the swaps in progress still need", Category: categorySwaps,
		}, s.lockedAmount).Raises(kinds(mmerr.NoSuchCoin)...),
	}
}

type lockedAmountParams struct {
	Coin string `json:"coin" doc:"ticker of an active coin"`
}

type lockedAmountResult struct {
	Coin   string         `json:"coin" doc:"ticker as in the request"`
	Locked numericFormats `json:"locked_amount" doc:"payments and fees that running swaps have yet to pay, in whole coins"`
}

func (s Swaps) lockedAmount(_ context.Context, p lockedAmountParams) (lockedAmountResult, error) {
	if _, err := s.Active.Get(p.Coin); err != nil {
		return lockedAmountResult{}, mmerr.NoSuchCoin.From(err, mmerr.Coin{Coin: p.Coin}, "No such coin: "+clip(p.Coin)+absence(err))
	}
	locked := s.Ledger.Locked(coin.Canonical(p.Coin))
	return lockedAmountResult{p.Coin, numericFormats(locked.Formats())}, nil
}

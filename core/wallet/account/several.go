package account

import (
	"context"

	"obverse/core/wallet/coin"
	"obverse/core/wallet/hd"
)

// HD implements hd.Coin. A platform sees its tokens too.
func (a *Asset[S]) HD() (hd.View, error) {
	switch {
	case a.chain.hd == nil:
		return hd.View{}, hd.ErrNotHD
	case a.platform != "":
		return a.chain.view([]*Asset[S]{a}), nil
	}
	return a.chain.view(append([]*Asset[S]{a}, a.chain.tokens()...)), nil
}

// view is what some coins of the chain see of its accounts.
func (c *chain[S]) view(list []*Asset[S]) hd.View {
	of := assets(list)
	return hd.View{
		Accounts: c.hd,
		Used:     func(ctx context.Context, addresses []string) ([]bool, error) { return c.Used(ctx, addresses, of) },
		Balances: func(ctx context.Context, addresses []string) ([][]coin.TickerBalance, error) {
			held, err := c.Owners(ctx, addresses, of)
			if err != nil {
				return nil, err
			}
			all := make([][]coin.TickerBalance, len(addresses))
			for n := range held {
				for i, balance := range held[n] {
					all[n] = append(all[n], coin.TickerBalance{Ticker: list[i].ticker, Balance: balance})
				}
			}
			return all, nil
		},
	}
}

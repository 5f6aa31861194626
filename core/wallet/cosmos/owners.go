package cosmos

import (
	"context"

	"golang.org/x/sync/errgroup"

	"obverse/core/guard"
	"obverse/core/number"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/tx"
)

// This file asks about several addresses of an HD wallet, side by side.

// maxParallel is how many addresses are asked about at a time.
const maxParallel = 8

// each does something for each number below n, side by side.
func each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxParallel)
	for i := range n {
		group.Go(guard.Func(ctx, "asking about an address", func() error { return do(ctx, i) }))
	}
	return group.Wait()
}

// owners is the Owners of an account.Setup.
func (c *chain) owners(ctx context.Context, addresses []string, assets []*tx.Asset) ([][]coin.Balance, error) {
	all := make([][]coin.Balance, len(addresses))
	return all, each(ctx, len(addresses), func(ctx context.Context, n int) (err error) {
		all[n] = make([]coin.Balance, len(assets))
		for i, of := range assets {
			if all[n][i], err = c.balance(ctx, addresses[n], of); err != nil {
				return err
			}
		}
		return nil
	})
}

// balance asks what an address has.
func (c *chain) balance(ctx context.Context, address string, of *tx.Asset) (coin.Balance, error) {
	h, err := c.nodes.holding(ctx, address, of.Denom)
	if err != nil {
		return coin.Balance{}, err
	}
	spendable := number.Scaled(h.spendable, of.Decimals)
	return coin.Balance{Spendable: spendable, Unspendable: number.Scaled(h.total, of.Decimals).Sub(spendable)}, nil
}

// used is the Used of an account.Setup: a chain makes an account for each address that gets
// coins or sends some, and never forgets it. More than half of the nodes have to say so, since
// used addresses are kept for good, and so are those before them.
func (c *chain) used(ctx context.Context, addresses []string, _ []*tx.Asset) ([]bool, error) {
	all := make([]bool, len(addresses))
	return all, each(ctx, len(addresses), func(ctx context.Context, n int) error {
		a, err := c.nodes.pool.Account(ctx, addresses[n])
		all[n] = a.Exists
		return account.Failed(err)
	})
}

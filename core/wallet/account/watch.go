package account

import (
	"context"
	"slices"

	"obverse/core/wallet/coin"
	"obverse/core/wallet/hd"
)

// known are the last balances that a watcher reported, by ticker and address.
type known map[string]coin.Balance

// WatchBalances implements coin.BalanceWatcher. A platform's tokens are watched with it.
func (a *Asset) WatchBalances(ctx context.Context, changed func([]coin.TickerBalance) error) error {
	stored, _ := a.chain.known.LoadAndDelete(a.ticker) // left by a watch whose nodes failed, so that the changes since then are reported
	last, _ := stored.(known)
	update := func() error {
		updates, now, err := a.updates(ctx, last)
		if err != nil && ctx.Err() == nil {
			if last == nil { // all balances are new to the next watch
				last = known{}
			}
			a.chain.known.Store(a.ticker, last)
		}
		if err != nil {
			return err
		}
		if last = now; len(updates) > 0 {
			return changed(updates)
		}
		return nil
	}
	return a.onChange(ctx, update, update)
}

// WatchChanges calls changed whenever the account may have new transactions. It returns when ctx
// ends, and with coin.ErrNotActive when the coin is no longer active.
func (a *Asset) WatchChanges(ctx context.Context, changed func()) error {
	return a.onChange(ctx, func() error { return nil }, func() error { changed(); return nil })
}

// onChange calls first, and then changed whenever the account may have changed, until one fails.
func (a *Asset) onChange(ctx context.Context, first, changed func() error) error {
	listener, leave := a.chain.watch.Join()
	defer leave()
	for err := first(); ; err = changed() {
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-a.chain.watch.Ended():
			return coin.ErrNotActive
		case <-listener:
		}
	}
}

// balances queries the balances of the watched coins of all addresses, the coin's own first.
func (a *Asset) balances(ctx context.Context, watched []*Asset) ([]hd.Address, error) {
	if a.chain.hd != nil {
		return a.chain.view(watched).Addresses(ctx)
	}
	r, err := a.chain.Chain.Query(ctx, Query{Assets: assets(watched)})
	if err != nil {
		return nil, err
	}
	var local hd.Address // an empty address, since clients know the coin's own one
	for i, asset := range watched {
		local.Holds = append(local.Holds, coin.TickerBalance{Ticker: asset.ticker, Balance: r.Balances[i]})
	}
	return []hd.Address{local}, nil
}

// updates queries the balances and returns those that differ from last, which is nil at the first
// query. It includes coins that were not known before, such as a token that was activated since,
// because the balance may have changed since the client queried it. Clients add up the balances of a
// coin in an event, so that it lists all addresses if one has changed.
func (a *Asset) updates(ctx context.Context, last known) (updates []coin.TickerBalance, now known, err error) {
	list, err := a.balances(ctx, a.withTokens())
	if err != nil {
		return nil, nil, err
	}
	now, changed, heard := known{}, make(map[string]bool), make(map[string]bool)
	for _, at := range list {
		for _, held := range at.Holds {
			held.Address = at.Address
			name := held.Ticker + " " + at.Address
			before, was := last[name]
			switch {
			case held.Unknown != nil && held.Ticker == a.ticker:
				return nil, nil, held.Unknown
			case held.Unknown != nil && !was:
				continue
			case held.Unknown != nil: // it counts as unchanged until it is known
				held.Balance = before
			}
			updates, now[name] = append(updates, held), held.Balance
			// The balance of a new address of a known coin is new. The coin's own address is the first one.
			isNew := !was && !heard[held.Ticker]
			differs := before.Spendable.Cmp(held.Spendable) != 0 || before.Unspendable.Cmp(held.Unspendable) != 0
			changed[held.Ticker] = changed[held.Ticker] || last != nil && (isNew || differs)
			heard[held.Ticker] = heard[held.Ticker] || was
		}
	}
	return slices.DeleteFunc(updates, func(held coin.TickerBalance) bool { return !changed[held.Ticker] }), now, nil
}

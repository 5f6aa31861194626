package evm

import (
	"context"

	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/history"
	"obverse/core/wallet/evm/wire"
)

// remember makes the history of the chain's account.
func (c *chain) remember(f family, indexer *history.Explorer) {
	of := c.account.Address
	settings := history.Config{Store: f.Store, Source: c.nodes.Pool, Chain: c.id, Address: of, Contracts: func() []address.Address { return c.contracts(f.Active) }, Now: f.Now}
	if indexer != nil {
		settings.Indexer = indexer.Lists(f.Fetcher, of, settings.Contracts)
	}
	c.history = history.New(settings)
	c.nodes.sent = func(ctx context.Context, raw []byte, hash [32]byte) {
		if s, err := wire.Decode(raw); err == nil && s.From == of {
			_ = c.history.Sent(context.WithoutCancel(ctx), hash, s.Nonce) // what cannot be stored now is not listed
		}
	}
}

// contracts are those of the active tokens on the chain.
func (c *chain) contracts(active *coin.Active) (list []address.Address) {
	for _, one := range active.List() {
		if token, is := one.(*Token); is && token.chain == c {
			list = append(list, token.Contract())
		}
	}
	return list
}

// History implements coin.Historian.
func (a *asset) History(ctx context.Context, ask coin.HistoryQuery) (coin.History, error) {
	if a.history == nil {
		return coin.History{}, coin.ErrNoHistory
	}
	return a.history.History(ctx, a.view(), ask)
}

// HasHistory implements coin.HistoryWatcher.
func (a *asset) HasHistory() bool { return a.history != nil }

// WatchHistory implements coin.HistoryWatcher.
func (a *asset) WatchHistory(ctx context.Context, tell func(coin.Transaction, uint64)) error {
	if a.history == nil {
		return coin.ErrNoHistory
	}
	defer a.history.Watch(a.view(), tell)()
	return a.WatchChanges(ctx, a.history.Wake)
}

// view is how the coin looks at the account's history.
func (a *asset) view() history.View {
	return history.View{
		Asset:    history.Asset{Ticker: a.Of.Ticker, Denom: history.Denom(a.Of.Contract), Decimals: a.Of.Decimals},
		Platform: history.Asset{Ticker: a.native.Ticker, Decimals: a.native.Decimals},
	}
}

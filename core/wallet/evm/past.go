package evm

import (
	"context"
	"encoding/json"

	"obverse/core/wallet/account/txlog"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/history"
	"obverse/core/wallet/evm/wire"
)

// remember makes the history of the chain's account. In a page it is in a part of the program, which is loaded for it.
func (c *chain) remember(f family, indexer *history.Explorer) {
	source := c.nodes.Pool // as it is without what follows
	open := func(of address.Address) *history.Log {
		settings := history.Config{Store: f.Store, Source: source, Chain: c.id, Address: of, Contracts: func() []address.Address { return c.contracts(f.Active) }, Now: f.Now}
		if indexer != nil {
			settings.Indexer = indexer.Lists(f.Fetcher, of, settings.Contracts)
		}
		return history.New(settings)
	}
	c.history = open(c.address)
	c.others = txlog.NewLogs(func(text string) *txlog.Log {
		of, _ := address.Parse(text) // which it is
		return open(of).Log
	})
	c.nodes.sent = func(ctx context.Context, raw []byte, hash [32]byte) {
		s, err := wire.Decode(raw)
		switch {
		case err != nil:
		case s.From == c.address:
			_ = c.history.Sent(context.WithoutCancel(ctx), hash, s.Nonce) // what cannot be stored now is not listed
		case f.HD: // another address of the wallet, whose history may be asked for later
			_ = open(s.From).Sent(context.WithoutCancel(ctx), hash, s.Nonce)
			c.others.Wake()
		}
	}
}

// HistoryOf implements coin.AddressHistorian.
func (a *asset) HistoryOf(ctx context.Context, of coin.From, ask coin.HistoryQuery) (coin.History, error) {
	if a.history == nil {
		return coin.History{}, coin.ErrNoHistory
	}
	wallet, err := a.HD()
	if err != nil {
		return coin.History{}, err
	}
	return a.others.History(ctx, wallet, of, a.view(), ask)
}

// indexerOf is the indexer of the activation, or else that of the coins file; nil: none.
func indexerOf(entry *coin.Entry, o *Options) (*history.Explorer, error) {
	if o.Indexer != nil || entry.HistoryIndexer == nil {
		return o.Indexer, nil
	}
	var of *history.Explorer // nil after null
	err := json.Unmarshal(entry.HistoryIndexer, &of)
	if err == nil && of != nil {
		err = of.Check()
	}
	if err != nil {
		return nil, &coin.ParseError{Ticker: entry.Ticker, Reason: "history_indexer: " + err.Error() +
			`, want {"type":"Blockscout","url":"https://…"} with type Blockscout, Etherscan or EtherscanProxy`}
	}
	return of, nil
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
		Asset:    history.Asset{Ticker: a.of().Ticker, Denom: history.Denom(a.of().Contract), Decimals: a.of().Decimals},
		Platform: history.Asset{Ticker: a.native.Ticker, Decimals: a.native.Decimals},
	}
}

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

// remember sets the history of the chain's account. In a page, its code is in a separate part
// of the program.
func (c *chain) remember(f family, indexer *history.Explorer) {
	source := c.nodes.Pool // without the callback that is set below
	open := func(account address.Address) *history.Log {
		settings := history.Config{Store: f.Store, Source: source, Chain: c.id, Address: account, Contracts: func() []address.Address { return c.contracts(f.Active) }, Now: f.Now}
		if indexer != nil {
			settings.Indexer = indexer.Lists(f.Fetcher, account, settings.Contracts)
		}
		return history.New(settings)
	}
	c.history = open(c.address)
	c.others = txlog.NewLogs(func(text string) *txlog.Log {
		account, _ := address.Parse(text) // cannot fail, since it is an address
		return open(account).Log
	})
	c.nodes.sent = func(ctx context.Context, raw []byte, hash [32]byte) {
		s, err := wire.Decode(raw)
		switch {
		case err != nil:
		case s.From == c.address:
			_ = c.history.Sent(context.WithoutCancel(ctx), hash, s.Nonce) // if the store fails, the transaction is not listed
		case f.HD: // another address of the wallet, with a history that may be requested later
			_ = open(s.From).Sent(context.WithoutCancel(ctx), hash, s.Nonce)
			c.others.Wake()
		}
	}
}

// HistoryOf implements coin.AddressHistorian.
func (a *asset) HistoryOf(ctx context.Context, from coin.From, ask coin.HistoryQuery) (coin.History, error) {
	if a.history == nil {
		return coin.History{}, coin.ErrNoHistory
	}
	wallet, err := a.HD()
	if err != nil {
		return coin.History{}, err
	}
	return a.others.History(ctx, wallet, from, a.view(), ask)
}

// indexerOf returns the indexer of the activation, or otherwise the indexer of the coins file,
// which may be nil.
func indexerOf(entry *coin.Entry, o *Options) (*history.Explorer, error) {
	if o.Indexer != nil || entry.HistoryIndexer == nil {
		return o.Indexer, nil
	}
	var indexer *history.Explorer // remains nil if the JSON is null
	err := json.Unmarshal(entry.HistoryIndexer, &indexer)
	if err == nil && indexer != nil {
		err = indexer.Check()
	}
	if err != nil {
		return nil, &coin.ParseError{Ticker: entry.Ticker, Reason: "history_indexer: " + err.Error() +
			`, want {"type":"Blockscout","url":"https://…"} with type Blockscout, Etherscan or EtherscanProxy`}
	}
	return indexer, nil
}

// contracts returns the contracts of the active tokens on the chain.
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
func (a *asset) WatchHistory(ctx context.Context, report func(coin.Transaction, uint64)) error {
	if a.history == nil {
		return coin.ErrNoHistory
	}
	defer a.history.Watch(a.view(), report)()
	return a.WatchChanges(ctx, a.history.Wake)
}

// view selects the coin's part of the account's history.
func (a *asset) view() history.View {
	return history.View{
		Asset:    history.Asset{Ticker: a.txAsset().Ticker, Denom: history.Denom(a.txAsset().Contract), Decimals: a.txAsset().Decimals},
		Platform: history.Asset{Ticker: a.native.Ticker, Decimals: a.native.Decimals},
	}
}

package evm

import (
	"context"
	"encoding/json"

	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/history"
)

// remember sets the history of the chain's account.
func (c *chain) remember(f family, indexer *history.Explorer) {
	c.history = history.NewWallet(history.WalletConfig{
		Config: history.Config{Store: f.Store, Source: history.Nodes{Pool: c.nodes.Pool, Now: f.Now}, Chain: c.id, Address: c.address,
			Contracts: func() []address.Address { return c.contracts(f.Active) }, Now: f.Now},
		Explorer: indexer, Fetcher: f.Fetcher, HD: f.HD})
	c.nodes.sent = c.history.Sent
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
	return a.history.Others.History(ctx, wallet, from, a.view(), ask)
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
	return a.history.Coin.History(ctx, a.view(), ask)
}

// HasHistory implements coin.HistoryWatcher.
func (a *asset) HasHistory() bool { return a.history != nil }

// WatchHistory implements coin.HistoryWatcher.
func (a *asset) WatchHistory(ctx context.Context, report func(coin.Transaction, uint64)) error {
	if a.history == nil {
		return coin.ErrNoHistory
	}
	defer a.history.Coin.Watch(a.view(), report)()
	return a.WatchChanges(ctx, a.history.Coin.Wake)
}

// view selects the coin's part of the account's history.
func (a *asset) view() history.View {
	return history.View{
		Asset:    history.Asset{Ticker: a.txAsset().Ticker, Denom: history.Denom(a.txAsset().Contract), Decimals: a.txAsset().Decimals},
		Platform: history.Asset{Ticker: a.native.Ticker, Decimals: a.native.Decimals},
	}
}

package cosmos

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"obverse/core/key"
	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/wallet/account"
	"obverse/core/wallet/account/txlog"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/address"
	"obverse/core/wallet/cosmos/history"
	"obverse/core/wallet/cosmos/node"
	"obverse/core/wallet/cosmos/tx"
)

// family makes the coins of an Activator.
type family struct{ *Activator }

var _ account.Family = family{}

// Options implements account.Family.
func (family) Options() any { return new(Options) }

// Read implements account.Family.
func (family) Read(entry *coin.Entry) (platform string, err error) {
	if token, err := coin.As[coin.CosmosToken](entry); err == nil {
		return token.Platform, nil
	}
	_, err = coin.As[coin.Cosmos](entry)
	return "", err
}

// Platform implements account.Family.
func (f family) Platform(ctx context.Context, entry *coin.Entry, r account.Request, options any) (account.Platform, account.Setup, error) {
	o := options.(*Options)
	var setup account.Setup
	entered, err := coin.As[coin.Cosmos](entry)
	if err != nil {
		return nil, setup, err
	}
	c, block, err := f.chain(ctx, entry, entered, r)
	if err != nil {
		return nil, setup, err
	}
	if o.History {
		open := func(account string) *history.Log {
			return history.New(history.Config{Store: f.Store, Source: c.nodes, Chain: c.params.ID, Address: account, Now: f.Now})
		}
		c.history = open(c.account.Address)
		c.others = txlog.NewLogs(func(account string) *txlog.Log { return open(account).Log })
	}
	setup = account.Setup{Account: c.account, Asset: &c.params.Native, Confirmations: o.Confirmations, Block: block,
		Pool: c.nodes.pool, Chain: c, ListenAlways: o.History}
	return &Platform{asset: asset{chain: c}, notarization: o.Notarization}, setup, nil
}

// Limits of entries.
const (
	maxDecimals  = 18
	maxBlocktime = 255 // seconds
)

// DecimalsError means that a coin has more decimals than amounts on a chain can have.
type DecimalsError struct{ Have, Max int }

func (e *DecimalsError) Error() string {
	return fmt.Sprintf("the coin has %d decimals, want at most %d", e.Have, e.Max)
}

// chain returns the part that a coin and its tokens share.
func (f family) chain(ctx context.Context, entry *coin.Entry, entered coin.Cosmos, r account.Request) (*chain, time.Duration, error) {
	if entered.Decimals > maxDecimals {
		return nil, 0, &DecimalsError{int(entered.Decimals), maxDecimals}
	}
	block, err := entry.Blocktime(maxBlocktime)
	if err != nil {
		return nil, 0, err
	}
	entered.GasPrice = cmp.Or(entered.GasPrice, coin.BuiltinGasPrice(entered.ChainID), tx.DefaultGasPrice)
	c := &chain{now: f.Now, queue: cmp.Or(f.Queue, coin.NewSendQueue(f.Now)), fees: fetch.NewCache[coin.Fee](f.Now), registry: f.Registry}
	if c.params, err = tx.ChainOf(r.Ticker, entered); err != nil {
		return nil, 0, fmt.Errorf("gas_price: %w", err)
	}
	if err := checkPath(entry); err != nil {
		return nil, 0, err
	}
	c.account, err = account.Open(ctx, f.Config, r, entry, codec(entered.AccountPrefix, func(base key.Path) tx.Network {
		return network(r, entry, entered, base)
	}))
	if err == nil {
		c.address, err = address.Check(c.account.Address, entered.AccountPrefix)
	}
	if err != nil {
		return nil, 0, err
	}
	pool, err := node.New(node.Config{Nodes: r.Nodes, ChainID: entered.ChainID, Fetcher: f.Fetcher, Dialer: f.Dialer, Identity: f.Identity, Now: f.Now, Block: block})
	c.nodes = &nodes{pool: pool, kinds: fetch.NewCache[kind](f.Now)}
	return c, block, err
}

// network describes the chain to an external wallet.
func network(r account.Request, entry *coin.Entry, entered coin.Cosmos, base key.Path) tx.Network {
	n := tx.Network{ID: entered.ChainID, Name: cmp.Or(entry.FullName, entry.Ticker), Prefix: entered.AccountPrefix, Ticker: entry.Ticker,
		Denom: entered.Denom, Decimals: entered.Decimals, GasPrice: entered.GasPrice.String()}
	if len(base) == 2 {
		n.CoinType = base[1] &^ key.Hardened
	}
	public := nodepool.FirstPublic(r.Nodes, true)
	n.RPC, n.REST = public.URL, public.APIURL
	return n
}

// Token implements account.Family.
func (family) Token(on account.Platform, entry *coin.Entry, r account.TokenRequest) (account.Token, error) {
	entered, err := coin.As[coin.CosmosToken](entry)
	token := &tx.Asset{Ticker: r.Ticker, Denom: entered.Denom, Decimals: entered.Decimals}
	return &Token{asset{account.Asset{ChainAsset: token}, on.(*Platform).chain}}, err
}

// Complete implements account.Family. Entries are complete.
func (family) Complete(context.Context, account.Platform, []account.Token) ([]error, error) {
	return nil, nil
}

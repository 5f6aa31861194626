package account

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"obverse/core/guard"
	"obverse/core/net/nodepool"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/hd"
	"obverse/core/wallet/watch"
)

// Pool holds the nodes of a chain, as *nodepool.Pool does.
type Pool interface {
	// Probe checks which nodes answer and are on the chain, and returns the nodes that fail a
	// check. It succeeds if one node passes.
	Probe(ctx context.Context) (excluded []nodepool.Attempt, err error)
	Nodes() []nodepool.State
	Run(ctx context.Context) error
}

// Query selects data to fetch from the nodes of a chain.
type Query struct {
	Height bool  // of the newest block
	Assets []any // assets to query the balance of: the ChainAsset of each
}

// Result is the result of a Query, with balances in the order of its assets. Some may be Unknown.
type Result struct {
	Height   uint64
	Balances []coin.Balance
}

// Chain queries the nodes of a family's chain about the account and its HD wallet. Errors are
// coin.ErrTransport, as returned by coin.Failed.
type Chain interface {
	hd.Chain
	// Query returns the account's balances.
	Query(ctx context.Context, q Query) (Result, error)
	// Verify checks that the account's address is one that the chain would derive. Its error
	// becomes a *CreationError.
	Verify(ctx context.Context) error
	// Listen calls changed for each change of the account until ctx ends, and up when nodes start
	// or stop to report changes. If it returns earlier, nodes are polled.
	Listen(ctx context.Context, up func(bool), changed func())
}

// Setup is the family-specific part of a platform.
type Setup struct {
	Account       *Account
	Asset         any // ChainAsset of the platform's own coin
	Confirmations uint64
	Block         time.Duration // average time between two blocks
	Pool          Pool
	Chain         Chain
	ListenAlways  bool // even while no client watches balances
}

// chain is shared by a platform and its tokens.
type chain struct {
	Setup
	active *coin.Active
	saved  json.RawMessage // restores the platform
	watch  *watch.Hub
	known  sync.Map     // by ticker: the balances of a watcher whose nodes failed
	hd     *hd.Accounts // nil means a single address
}

// Asset is a coin of a chain, the native one or a token. Families embed it in their coins. The
// engine sets all but ChainAsset and Saved.
type Asset struct {
	ChainAsset any // the asset on its chain, in a type of the family
	Saved      any // stored for a token in addition to its confirmations, as JSON; nil means nothing

	chain         *chain
	ticker        string
	platform      string // ticker; "" if this is the platform
	entry         *coin.Entry
	confirmations uint64
}

func (a *Asset) self() *Asset { return a }

// Ticker implements coin.Coin.
func (a *Asset) Ticker() string { return a.ticker }

// Entry implements coin.Coin.
func (a *Asset) Entry() *coin.Entry { return a.entry }

// PlatformTicker returns the ticker of a token's platform, and "" for a platform.
func (a *Asset) PlatformTicker() string { return a.platform }

// Address implements coin.Addresser.
func (a *Asset) Address() string { return a.Owner().Address }

// Owner returns the account of the coin.
func (a *Asset) Owner() Owner { return a.chain.Account.Owner() }

// Confirmations returns the number of confirmations after which a transaction is final.
func (a *Asset) Confirmations() uint64 { return a.confirmations }

// Nodes returns the chain's nodes with their health.
func (a *Asset) Nodes() []nodepool.State { return a.chain.Pool.Nodes() }

// Blocktime returns the average time between two blocks of the chain.
func (a *Asset) Blocktime() time.Duration { return a.chain.Block }

// Balance implements coin.Balancer.
func (a *Asset) Balance(ctx context.Context) (coin.Balance, error) {
	r, err := a.chain.Chain.Query(ctx, Query{Assets: []any{a.ChainAsset}})
	if err != nil {
		return coin.Balance{}, err
	}
	return r.Balances[0], r.Balances[0].Unknown
}

// Tokens lists the active tokens on the chain.
func (a *Asset) Tokens() []any { return assets(a.chain.tokens()) }

// On returns the token on another activation of its platform.
func (a *Asset) On(platform Asset) Asset {
	moved := *a
	moved.chain, moved.platform = platform.chain, platform.ticker
	return moved
}

// tokens lists the active tokens on the chain.
func (c *chain) tokens() (list []*Asset) {
	for _, active := range c.active.List() {
		token, is := active.(interface{ self() *Asset })
		if is && token.self().chain == c && token.self().platform != "" {
			list = append(list, token.self())
		}
	}
	return list
}

func assets(list []*Asset) []any {
	all := make([]any, len(list))
	for i, a := range list {
		all[i] = a.ChainAsset
	}
	return all
}

// RunPlatform runs a platform until ctx ends: it checks the nodes, serves watchers of balances, and
// runs the family's functions. It must be called once.
func (a *Asset) RunPlatform(ctx context.Context, also ...func(context.Context) error) error {
	group, ctx := errgroup.WithContext(ctx)
	c := a.chain
	listen := func(ctx context.Context) error {
		return c.watch.Run(ctx, watch.Source{Listen: c.Chain.Listen, Interval: c.Block, Always: c.ListenAlways})
	}
	for _, work := range append(also, c.Pool.Run, listen) {
		group.Go(guard.Func(ctx, "the work of "+a.ticker, func() error { return work(ctx) }))
	}
	err := group.Wait()
	if errors.Is(err, context.Canceled) {
		return ctx.Err()
	}
	return err
}

// HD implements hd.Coin. The view of a platform includes its tokens.
func (a *Asset) HD() (hd.View, error) {
	if a.chain.hd == nil {
		return hd.View{}, hd.ErrNotHD
	}
	return a.chain.view(a.withTokens()), nil
}

// withTokens returns the coin and, for a platform, its active tokens.
func (a *Asset) withTokens() []*Asset {
	if a.platform != "" {
		return []*Asset{a}
	}
	return append([]*Asset{a}, a.chain.tokens()...)
}

// view returns the accounts of the chain with the balances of the given coins.
func (c *chain) view(list []*Asset) hd.View {
	v := hd.View{Accounts: c.hd, Chain: c.Chain, Assets: assets(list)}
	for _, a := range list {
		v.Tickers = append(v.Tickers, a.ticker)
	}
	return v
}

package account

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"obverse/core/guard"
	"obverse/core/net/nodepool"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/hd"
)

// Pool is the nodes of a chain, as *nodepool.Pool is.
type Pool interface {
	// Probe finds out which nodes answer and are on the chain, and lists those that do
	// not. One is enough.
	Probe(ctx context.Context) (excluded []nodepool.Attempt, err error)
	Nodes() []nodepool.State
	Run(ctx context.Context) error
}

// Query is a question to the nodes of a chain.
type Query struct {
	Height bool  // of the newest block
	Assets []any // whose balances are wanted: the Of of each Asset
}

// Result answers a Query, with balances in the order of its assets, of which some may be Unknown.
type Result struct {
	Height   uint64
	Balances []coin.Balance
}

// Chain asks the nodes of a family's chain about the account and its HD wallet. Errors are
// coin.ErrTransport, by Failed.
type Chain interface {
	// Query asks for the account's balances.
	Query(ctx context.Context, q Query) (Result, error)
	// Verify asks whether the account's address is one that the chain would make. Its error
	// becomes a *CreationError.
	Verify(ctx context.Context) error
	// Owners asks for the balances of each of the addresses in each of the assets.
	Owners(ctx context.Context, addresses []string, assets []any) ([][]coin.Balance, error)
	// Used asks whether the addresses were ever used, or have some of the assets.
	Used(ctx context.Context, addresses []string, assets []any) ([]bool, error)
	// Listen calls changed for each change of the account until ctx ends, and up when it begins
	// or ceases to learn of them. If it returns before, nodes are polled.
	Listen(ctx context.Context, up func(bool), changed func())
}

// Setup is a family's part of a platform. The engine makes the rest.
type Setup struct {
	Account       *Account
	Asset         any // Of of the platform's own coin
	Confirmations uint64
	Block         time.Duration // average time between two blocks
	Pool          Pool
	Chain         Chain
	OneAddress    bool // an HD wallet has one address
	ListenAlways  bool // even while no client watches balances
}

// chain has what a platform and its tokens share.
type chain struct {
	Setup
	active *coin.Active
	saved  json.RawMessage // what restores the platform
	watch  watch
	hd     *hd.Accounts // nil: it has one address
}

// Asset is a coin of a chain, its own or a token. Families embed it in what they activate;
// the engine fills in all but Of and Kept.
type Asset struct {
	Of   any // the coin on its chain, of a type of the family
	Kept any // saved of a token in addition to its confirmations, as JSON; nil: nothing

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

// PlatformTicker is that of a token's platform, "" for a platform.
func (a *Asset) PlatformTicker() string { return a.platform }

// Address implements coin.Addresser.
func (a *Asset) Address() string { return a.Owner().Address }

// Owner is whose coin it is.
func (a *Asset) Owner() Owner { return a.chain.Account.Owner() }

// Confirmations are how many a transaction needs before others rely on it.
func (a *Asset) Confirmations() uint64 { return a.confirmations }

// Nodes lists the chain's nodes with their health.
func (a *Asset) Nodes() []nodepool.State { return a.chain.Pool.Nodes() }

// Blocktime is the average time between two blocks of the chain.
func (a *Asset) Blocktime() time.Duration { return a.chain.Block }

// Balance implements coin.Balancer.
func (a *Asset) Balance(ctx context.Context) (coin.Balance, error) {
	r, err := a.chain.Chain.Query(ctx, Query{Assets: []any{a.Of}})
	if err != nil {
		return coin.Balance{}, err
	}
	return r.Balances[0], r.Balances[0].Unknown
}

// Tokens lists the active tokens on the chain.
func (a *Asset) Tokens() []any { return assets(a.chain.tokens()) }

// On is a token on another activation of its platform.
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
		all[i] = a.Of
	}
	return all
}

// RunPlatform does the work of a platform until ctx ends: it checks the nodes, serves
// those who watch balances, and does what else the family does. It runs once.
func (a *Asset) RunPlatform(ctx context.Context, also ...func(context.Context) error) error {
	defer a.chain.watch.end()
	group, ctx := errgroup.WithContext(ctx)
	for _, work := range append(also, a.chain.Pool.Run, a.chain.notify) {
		group.Go(guard.Func(ctx, "the work of "+a.ticker, func() error { return work(ctx) }))
	}
	err := group.Wait()
	if errors.Is(err, context.Canceled) {
		return ctx.Err()
	}
	return err
}

// maxParallel is how many balances are asked for at a time.
const maxParallel = 8

// QueryEach answers a query for families that ask for the height and for each balance by
// itself, side by side. A balance that cannot be queried is Unknown, or the error if no balance can.
func QueryEach(ctx context.Context, q Query, height func(context.Context) (uint64, error),
	balance func(context.Context, any) (coin.Balance, error)) (Result, error) {
	r := Result{Balances: make([]coin.Balance, len(q.Assets))}
	var group errgroup.Group
	group.SetLimit(maxParallel)
	if q.Height {
		group.Go(guard.Func(ctx, "asking for the height", func() (err error) {
			r.Height, err = height(ctx)
			return err
		}))
	}
	for i, of := range q.Assets {
		group.Go(func() error {
			err := guard.Do(ctx, "asking for a balance", func() (err error) {
				r.Balances[i], err = balance(ctx, of)
				return err
			})
			if err != nil {
				r.Balances[i] = coin.Balance{Unknown: err}
			}
			return nil
		})
	}
	err := cmp.Or(group.Wait(), ctx.Err())
	if err == nil && len(r.Balances) > 0 && !slices.ContainsFunc(r.Balances, func(b coin.Balance) bool { return b.Unknown == nil }) {
		err = r.Balances[0].Unknown
	}
	return r, err
}

// HD implements hd.Coin. A platform sees its tokens too.
func (a *Asset) HD() (hd.View, error) {
	switch {
	case a.chain.hd == nil:
		return hd.View{}, hd.ErrNotHD
	case a.platform != "":
		return a.chain.view([]*Asset{a}), nil
	}
	return a.chain.view(append([]*Asset{a}, a.chain.tokens()...)), nil
}

// view is what some coins of the chain see of its accounts.
func (c *chain) view(list []*Asset) hd.View {
	of := assets(list)
	return hd.View{
		Accounts: c.hd,
		Used:     func(ctx context.Context, addresses []string) ([]bool, error) { return c.Chain.Used(ctx, addresses, of) },
		Balances: func(ctx context.Context, addresses []string) ([][]coin.TickerBalance, error) {
			held, err := c.Chain.Owners(ctx, addresses, of)
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

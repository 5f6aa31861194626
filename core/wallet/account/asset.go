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
	"obverse/core/key"
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

// Query is what nodes are asked at once. S is what a family's asset is on the chain.
type Query[S any] struct {
	Height bool // of the newest block
	Assets []S  // whose balances are wanted
}

// Result answers a Query, with balances in the order of its assets, of which some may be Unknown.
type Result struct {
	Height   uint64
	Balances []coin.Balance
}

// Setup is how a family sets up a platform. The engine makes the rest.
type Setup[S any] struct {
	Account       Holder
	Asset         S // the platform's own coin
	Confirmations uint64
	Pool          Pool
	// Verify asks nodes whether the account's address is one that the chain would make. Its
	// error becomes a *CreationError. nil: nodes are not asked.
	Verify func(ctx context.Context) error
	// Query asks the nodes. Its error is coin.ErrTransport, by Failed.
	Query func(ctx context.Context, q Query[S]) (Result, error)
	Block time.Duration // between two blocks, about
	// Owners asks what addresses of an HD wallet have of each of the assets, and Used whether
	// they were ever used, or have some of them. Both answer in the order of the addresses.
	// Their error is coin.ErrTransport. nil: the family's coins have one address.
	Owners func(ctx context.Context, addresses []string, assets []S) ([][]coin.Balance, error)
	Used   func(ctx context.Context, addresses []string, assets []S) ([]bool, error)

	// Listen hears of changes of the account until ctx ends: it calls changed for each,
	// and up when it begins or ceases to hear of them. nil: nodes are polled.
	Listen func(ctx context.Context, up func(bool), changed func())
	// ListenAlways keeps listening while nobody watches balances.
	ListenAlways bool
}

// Holder is an *Account of any family.
type Holder interface {
	Policy() key.Policy
	Owner() Owner

	check(ctx context.Context) error
	remember() known
	places() (base, own key.Path)
	derive(ctx context.Context, paths []key.Path) ([]string, error)
}

// chain is what a platform and its tokens share.
type chain[S any] struct {
	Setup[S]
	active *coin.Active
	saved  json.RawMessage // what restores the platform
	watch  watch
	hd     *hd.Accounts // nil: it has one address
}

// Asset is a coin of a chain, its own or a token. Families embed it in what they activate;
// the engine fills in all but Of and Kept.
type Asset[S any] struct {
	Of   S
	Kept any // what is saved of a token beside its confirmations, as JSON; nil: nothing

	chain         *chain[S]
	ticker        string
	platform      string // ticker; "" if this is the platform
	entry         *coin.Entry
	confirmations uint64
}

func (a *Asset[S]) self() *Asset[S] { return a }

// Ticker implements coin.Coin.
func (a *Asset[S]) Ticker() string { return a.ticker }

// Entry implements coin.Coin.
func (a *Asset[S]) Entry() *coin.Entry { return a.entry }

// PlatformTicker is that of a token's platform, "" for a platform.
func (a *Asset[S]) PlatformTicker() string { return a.platform }

// Address implements coin.Addresser.
func (a *Asset[S]) Address() string { return a.Owner().Address }

// Owner is whose coin it is.
func (a *Asset[S]) Owner() Owner { return a.chain.Account.Owner() }

// Confirmations are how many a transaction needs before others rely on it.
func (a *Asset[S]) Confirmations() uint64 { return a.confirmations }

// Nodes lists the chain's nodes with their health.
func (a *Asset[S]) Nodes() []nodepool.State { return a.chain.Pool.Nodes() }

// Blocktime is the average time between two blocks of the chain.
func (a *Asset[S]) Blocktime() time.Duration { return a.chain.Block }

// Balance implements coin.Balancer.
func (a *Asset[S]) Balance(ctx context.Context) (coin.Balance, error) {
	r, err := a.chain.Query(ctx, Query[S]{Assets: []S{a.Of}})
	if err != nil {
		return coin.Balance{}, err
	}
	return r.Balances[0], r.Balances[0].Unknown
}

// Tokens lists the active tokens on the chain.
func (a *Asset[S]) Tokens() []S { return assets(a.chain.tokens()) }

// On is a token on another activation of its platform.
func (a *Asset[S]) On(platform Asset[S]) Asset[S] {
	moved := *a
	moved.chain, moved.platform = platform.chain, platform.ticker
	return moved
}

// tokens lists the active tokens on the chain.
func (c *chain[S]) tokens() (list []*Asset[S]) {
	for _, active := range c.active.List() {
		token, is := active.(interface{ self() *Asset[S] })
		if is && token.self().chain == c && token.self().platform != "" {
			list = append(list, token.self())
		}
	}
	return list
}

func assets[S any](list []*Asset[S]) []S {
	all := make([]S, len(list))
	for i, a := range list {
		all[i] = a.Of
	}
	return all
}

// RunPlatform does the work of a platform until ctx ends: it checks the nodes, serves
// those who watch balances, and does what else the family does. It runs once.
func (a *Asset[S]) RunPlatform(ctx context.Context, also ...func(context.Context) error) error {
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
func QueryEach[S any](ctx context.Context, q Query[S], height func(context.Context) (uint64, error),
	balance func(context.Context, S) (coin.Balance, error)) (Result, error) {
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

package tendermint

import (
	"context"
	"errors"
	"sync"
	"time"

	"obverse/core/net/nodepool"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/tendermint/node"
)

// watch passes word of the chain on to those who want it. Only while there is somebody,
// a node is listened to: once, however many there are.
type watch struct {
	gone chan struct{} // closed when the coin was disabled or replaced

	mu        sync.Mutex
	listeners map[chan struct{}]bool
	joined    chan struct{}                      // the number of listeners has changed
	told      map[string]map[string]coin.Balance // by ticker of who watches: last known balances
}

func newWatch() *watch {
	return &watch{gone: make(chan struct{}), listeners: make(map[chan struct{}]bool), joined: make(chan struct{}, 1),
		told: make(map[string]map[string]coin.Balance)}
}

// end tells everybody that there will be no more. It is called once.
func (w *watch) end() { close(w.gone) }

// join gives a channel that gets a word whenever balances may have changed.
func (w *watch) join() (word <-chan struct{}, leave func()) {
	listener := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.listeners[listener] = true
	signal(w.joined)
	return listener, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.listeners, listener)
		signal(w.joined)
	}
}

// spread passes a word on.
func (w *watch) spread() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for listener := range w.listeners {
		signal(listener)
	}
}

func (w *watch) wanted() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.listeners) > 0
}

// signal leaves a word, unless there is one.
func signal(to chan<- struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// Times between two looks at the balances where no node tells of changes.
const (
	shortestLook = 2 * time.Second
	longestLook  = 30 * time.Second
)

// listen listens to the nodes while the history or somebody else wants to know.
func (c *chain) listen(ctx context.Context) error {
	for ctx.Err() == nil {
		if c.history == nil && !c.watch.wanted() {
			select {
			case <-ctx.Done():
			case <-c.watch.joined:
			}
			continue
		}
		c.listenWhileWanted(ctx)
	}
	return ctx.Err()
}

// listenWhileWanted listens until nobody wants to know any more.
func (c *chain) listenWhileWanted(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var listening sync.WaitGroup
	defer listening.Wait()
	defer cancel()
	up := make(chan bool, 1) // whether a node tells of changes
	events := node.Events{
		Pool: c.nodes.pool, Address: c.account.address.String(),
		Changed: func(t *node.Tx) {
			if t == nil {
				last(up, true)
			}
			c.changed()
		},
		Failed: func(nodepool.Attempt) { last(up, false) },
	}
	listening.Go(func() { _ = events.Run(ctx) }) // without websockets there are the looks
	look := time.NewTicker(min(max(c.block, shortestLook), longestLook))
	defer look.Stop()
	heard := false
	for c.history != nil || c.watch.wanted() {
		select {
		case <-ctx.Done():
			return
		case heard = <-up:
		case <-c.watch.joined:
		case <-look.C:
			if !heard {
				c.watch.spread()
			}
		}
	}
}

// last replaces what is in a channel of one.
func last(to chan bool, value bool) {
	select {
	case <-to:
	default:
	}
	to <- value
}

// changed passes on that something happened to the account.
func (c *chain) changed() {
	if c.history != nil {
		c.history.Wake()
	}
	c.fees.Invalidate()
	c.watch.spread()
}

// WatchBalances implements coin.BalanceWatcher.
func (a *asset) WatchBalances(ctx context.Context, changed func([]coin.TickerBalance) error) error {
	word, leave := a.watch.join()
	defer leave()
	for {
		news, err := a.news(ctx)
		if err == nil && len(news) > 0 {
			err = changed(news)
		}
		if err != nil {
			return a.unwatched(ctx, err)
		}
		select {
		case <-ctx.Done():
			return a.unwatched(ctx, ctx.Err())
		case <-a.watch.gone:
			return coin.ErrNotActive
		case <-word:
		}
	}
}

// unwatched forgets the balances that were known, unless there was a failure: whoever
// watches again then learns what it has missed.
func (a *asset) unwatched(ctx context.Context, err error) error {
	if ctx.Err() == nil && errors.Is(err, coin.ErrTransport) {
		return err
	}
	a.watch.mu.Lock()
	defer a.watch.mu.Unlock()
	delete(a.watch.told, a.of.Ticker)
	return err
}

// news asks for the balances and tells those that are not as they were.
func (a *asset) news(ctx context.Context) ([]coin.TickerBalance, error) {
	watched := []*asset{a}
	if a.of == a.facts.Native {
		for _, t := range a.tokens() {
			watched = append(watched, &t.asset)
		}
	}
	balances, err := balancesOf(ctx, watched)
	if err != nil {
		return nil, err
	}
	a.watch.mu.Lock()
	defer a.watch.mu.Unlock()
	known := a.watch.told[a.of.Ticker]
	now := make(map[string]coin.Balance)
	var news []coin.TickerBalance
	for i, of := range watched {
		ticker, balance := of.of.Ticker, balances[i]
		before, was := known[ticker]
		if was && (before.Spendable.Cmp(balance.Spendable) != 0 || before.Unspendable.Cmp(balance.Unspendable) != 0) {
			news = append(news, coin.TickerBalance{Ticker: ticker, Balance: balance})
		}
		now[ticker] = balance
	}
	a.watch.told[a.of.Ticker] = now
	return news, nil
}

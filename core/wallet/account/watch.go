package account

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"obverse/core/guard"
	"obverse/core/wallet/coin"
)

// watch notifies watchers of balances. While there are watchers, the nodes are listened to or
// polled once for all of them.
type watch struct {
	gone    chan struct{} // closed when the platform was disabled or replaced
	changed chan struct{} // the number of listeners changed

	mu        sync.Mutex
	listeners map[chan struct{}]bool
	// known holds the last balances of watchers whose nodes failed, by the watched ticker, so that
	// the next watch reports the changes since.
	known map[string]map[string]coin.Balance
}

func newWatch() watch {
	return watch{gone: make(chan struct{}), changed: make(chan struct{}, 1),
		listeners: make(map[chan struct{}]bool), known: make(map[string]map[string]coin.Balance)}
}

// end ends all watches. It must be called once.
func (w *watch) end() { close(w.gone) }

// join returns a channel that receives whenever balances may have changed.
func (w *watch) join() (listener chan struct{}, leave func()) {
	listener = make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.listeners[listener] = true
	signal(w.changed)
	return listener, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.listeners, listener)
		signal(w.changed)
	}
}

// notify makes all watchers query again.
func (w *watch) notify() {
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

// take removes and returns the known balances.
func (w *watch) take(ticker string) map[string]coin.Balance {
	w.mu.Lock()
	defer w.mu.Unlock()
	known := w.known[ticker]
	delete(w.known, ticker)
	return known
}

// keep stores the known balances when a query failed. If that was the first query, all balances are
// new to the next watch.
func (w *watch) keep(ticker string, known map[string]coin.Balance) {
	if known == nil {
		known = make(map[string]coin.Balance)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.known[ticker] = known
}

// signal sends to a channel with a buffer of one, unless it is full.
func signal(to chan<- struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// Times between two queries while no node reports changes.
const (
	minPoll = 2 * time.Second
	maxPoll = 30 * time.Second
)

func (c *chain) wanted() bool {
	return c.ListenAlways || c.watch.wanted()
}

// notify listens to nodes, or polls them, while there are watchers.
func (c *chain) notify(ctx context.Context) error {
	for ctx.Err() == nil {
		if c.wanted() {
			c.notifyWhileWanted(ctx)
			continue
		}
		select {
		case <-ctx.Done():
		case <-c.watch.changed:
		}
	}
	return ctx.Err()
}

func (c *chain) notifyWhileWanted(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	var listening sync.WaitGroup
	defer listening.Wait()
	defer cancel()
	var heard atomic.Bool
	listening.Go(func() { c.listen(ctx, heard.Store) })
	poll := time.NewTicker(min(max(c.Block, minPoll), maxPoll))
	defer poll.Stop()
	for c.wanted() {
		select {
		case <-ctx.Done():
			return
		case <-c.watch.changed:
		case <-poll.C:
			if !heard.Load() {
				c.watch.notify()
			}
		}
	}
}

// listen runs the family's listener. If that fails, nodes are polled.
func (c *chain) listen(ctx context.Context, up func(bool)) {
	_ = guard.Do(ctx, "listening to nodes", func() error { // a panic is reported by guard
		c.Chain.Listen(ctx, up, c.watch.notify)
		return nil
	})
	up(false)
}

// WatchBalances implements coin.BalanceWatcher. A platform's tokens are watched with it.
func (a *Asset) WatchBalances(ctx context.Context, changed func([]coin.TickerBalance) error) error {
	w := &a.chain.watch
	listener, leave := w.join()
	defer leave()
	known := w.take(a.ticker)
	for {
		updates, now, err := a.updates(ctx, known)
		if err != nil {
			if ctx.Err() == nil {
				w.keep(a.ticker, known)
			}
			return err
		}
		known = now
		if len(updates) > 0 {
			if err := changed(updates); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-w.gone:
			return coin.ErrNotActive
		case <-listener:
		}
	}
}

// WatchChanges calls changed whenever the account may have new transactions. It returns when ctx
// ends, and with coin.ErrNotActive when the coin is no longer active.
func (a *Asset) WatchChanges(ctx context.Context, changed func()) error {
	w := &a.chain.watch
	listener, leave := w.join()
	defer leave()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-w.gone:
			return coin.ErrNotActive
		case <-listener:
			changed()
		}
	}
}

// updates queries the balances and returns those that differ from known. It includes coins that
// were not known before, such as a token that was activated since, because the balance may have
// changed since the client queried it. known is nil at the first query.
func (a *Asset) updates(ctx context.Context, known map[string]coin.Balance) (updates []coin.TickerBalance, now map[string]coin.Balance, err error) {
	watched := []*Asset{a}
	if a.platform == "" {
		watched = append(watched, a.chain.tokens()...)
	}
	return a.updatesOf(ctx, watched, known)
}

func (a *Asset) updatesOf(ctx context.Context, watched []*Asset, known map[string]coin.Balance) (updates []coin.TickerBalance, now map[string]coin.Balance, err error) {
	if a.chain.hd != nil {
		return a.updatesOfAll(ctx, watched, known)
	}
	r, err := a.chain.Chain.Query(ctx, Query{Assets: assets(watched)})
	if err != nil {
		return nil, nil, err
	}
	now = make(map[string]coin.Balance)
	for i, asset := range watched {
		b := r.Balances[i]
		before, was := known[asset.ticker]
		if b.Unknown != nil && asset == a {
			return nil, nil, b.Unknown
		}
		if b.Unknown != nil { // it counts as unchanged until it is known
			if was {
				now[asset.ticker] = before
			}
			continue
		}
		now[asset.ticker] = b
		if known != nil && (!was || differ(before, b)) {
			updates = append(updates, coin.TickerBalance{Ticker: asset.ticker, Balance: b})
		}
	}
	return updates, now, nil
}

func differ(a, b coin.Balance) bool {
	return a.Spendable.Cmp(b.Spendable) != 0 || a.Unspendable.Cmp(b.Unspendable) != 0
}

// updatesOfAll is like updates for all addresses of an HD wallet. Clients add up the balances of a
// coin in an event, so that it lists all addresses if one has changed. known is by ticker and
// address.
func (a *Asset) updatesOfAll(ctx context.Context, watched []*Asset, known map[string]coin.Balance) (updates []coin.TickerBalance, now map[string]coin.Balance, err error) {
	list, err := a.chain.view(watched).Addresses(ctx)
	if err != nil {
		return nil, nil, err
	}
	now, changed, heard := make(map[string]coin.Balance), make(map[string]bool), make(map[string]bool)
	var all []coin.TickerBalance
	for _, at := range list {
		for _, held := range at.Holds {
			held.Address = at.Address
			before, was := known[held.Ticker+" "+at.Address]
			if held.Unknown != nil && held.Ticker == a.ticker {
				return nil, nil, held.Unknown
			}
			if held.Unknown != nil {
				if !was {
					continue
				}
				held.Balance = before
			}
			all, now[held.Ticker+" "+at.Address] = append(all, held), held.Balance
			// The balance of a new address of a known coin is new. The coin's own address is the first one.
			isNew := !was && !heard[held.Ticker]
			changed[held.Ticker] = changed[held.Ticker] || known != nil && (isNew || differ(before, held.Balance))
			heard[held.Ticker] = heard[held.Ticker] || was
		}
	}
	return slices.DeleteFunc(all, func(held coin.TickerBalance) bool { return !changed[held.Ticker] }), now, nil
}

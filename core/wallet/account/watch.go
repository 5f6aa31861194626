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

// watch notifies those who watch balances. Only while there is somebody, nodes are
// listened to or polled: once, however many there are.
type watch struct {
	gone    chan struct{} // closed when the platform was disabled or replaced
	changed chan struct{} // the number of listeners changed

	mu        sync.Mutex
	listeners map[chan struct{}]bool
	// known is the last balances of watchers whose nodes failed, by the watched ticker:
	// whoever watches again learns what changed since.
	known map[string]map[string]coin.Balance
}

func newWatch() watch {
	return watch{gone: make(chan struct{}), changed: make(chan struct{}, 1),
		listeners: make(map[chan struct{}]bool), known: make(map[string]map[string]coin.Balance)}
}

// end ends all watching. It is called once.
func (w *watch) end() { close(w.gone) }

// join gives a channel that receives whenever balances may have changed.
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

// notify makes all who watch query again.
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

// take gives the known balances away.
func (w *watch) take(ticker string) map[string]coin.Balance {
	w.mu.Lock()
	defer w.mu.Unlock()
	known := w.known[ticker]
	delete(w.known, ticker)
	return known
}

// keep keeps what was known when a query failed. If that was the first one, all balances are
// new to the next watch.
func (w *watch) keep(ticker string, known map[string]coin.Balance) {
	if known == nil {
		known = make(map[string]coin.Balance)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.known[ticker] = known
}

// signal sends to a channel of one, unless it is full.
func signal(to chan<- struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// Times between two queries while no node tells of changes.
const (
	minPoll = 2 * time.Second
	maxPoll = 30 * time.Second
)

func (c *chain) wanted() bool {
	return c.ListenAlways || c.watch.wanted()
}

// notify listens to nodes, or polls them, while somebody watches balances.
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

// listen hears of changes. If the family's listener fails, nodes are polled.
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

// WatchChanges calls changed whenever the account may have new transactions, until ctx ends or,
// with coin.ErrNotActive, the coin does.
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

// updates queries the balances and lists those that are not as they were known. A coin that
// was not known before, such as a token that was activated since, is listed too: its balance
// may have changed since the client queried it. known is nil at the first query.
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
	for i, of := range watched {
		b := r.Balances[i]
		before, was := known[of.ticker]
		if b.Unknown != nil && of == a {
			return nil, nil, b.Unknown
		}
		if b.Unknown != nil { // it is as it was until it is known
			if was {
				now[of.ticker] = before
			}
			continue
		}
		now[of.ticker] = b
		if known != nil && (!was || differ(before, b)) {
			updates = append(updates, coin.TickerBalance{Ticker: of.ticker, Balance: b})
		}
	}
	return updates, now, nil
}

func differ(a, b coin.Balance) bool {
	return a.Spendable.Cmp(b.Spendable) != 0 || a.Unspendable.Cmp(b.Unspendable) != 0
}

// updatesOfAll is updates of all addresses of an HD wallet: clients add up what an event lists of a
// coin, so that it lists all addresses if one has changed. known is by ticker and address.
func (a *Asset) updatesOfAll(ctx context.Context, watched []*Asset, known map[string]coin.Balance) (updates []coin.TickerBalance, now map[string]coin.Balance, err error) {
	list, err := a.chain.view(watched).Addresses(ctx)
	if err != nil {
		return nil, nil, err
	}
	now, changed, heard := make(map[string]coin.Balance), make(map[string]bool), make(map[string]bool)
	var all []coin.TickerBalance
	for _, at := range list {
		for _, of := range at.Holds {
			of.Address = at.Address
			before, was := known[of.Ticker+" "+at.Address]
			if of.Unknown != nil && of.Ticker == a.ticker {
				return nil, nil, of.Unknown
			}
			if of.Unknown != nil {
				if !was {
					continue
				}
				of.Balance = before
			}
			all, now[of.Ticker+" "+at.Address] = append(all, of), of.Balance
			// Of a new address of a coin that was heard of before, the coin's own being the first, what it has is new.
			isNew := !was && !heard[of.Ticker]
			changed[of.Ticker] = changed[of.Ticker] || known != nil && (isNew || differ(before, of.Balance))
			heard[of.Ticker] = heard[of.Ticker] || was
		}
	}
	return slices.DeleteFunc(all, func(of coin.TickerBalance) bool { return !changed[of.Ticker] }), now, nil
}

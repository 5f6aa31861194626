package evm

import (
	"context"
	"errors"
	"sync"
	"time"

	"obverse/core/wallet/coin"
)

// told is what watchers knew when their nodes failed, by the ticker that they watched:
// whoever watches again learns what has changed since.
type told struct {
	mu    sync.Mutex
	known map[string]map[string]coin.Balance
}

func (t *told) take(ticker string) map[string]coin.Balance {
	t.mu.Lock()
	defer t.mu.Unlock()
	known := t.known[ticker]
	delete(t.known, ticker)
	return known
}

func (t *told) keep(ticker string, known map[string]coin.Balance) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known == nil {
		t.known = make(map[string]map[string]coin.Balance)
	}
	t.known[ticker] = known
}

// Times between two looks at the balances.
const (
	shortestLook = 2 * time.Second
	longestLook  = 30 * time.Second
)

// WatchBalances implements coin.BalanceWatcher: it looks once a block. However many watch,
// the nodes are asked once.
func (a *asset) WatchBalances(ctx context.Context, changed func([]coin.TickerBalance) error) error {
	known := a.told.take(a.of.Ticker)
	look := time.NewTicker(min(max(a.block, shortestLook), longestLook))
	defer look.Stop()
	for {
		news, now, err := a.news(ctx, known)
		if err != nil {
			if ctx.Err() == nil && errors.Is(err, coin.ErrTransport) {
				a.told.keep(a.of.Ticker, known)
			}
			return err
		}
		known = now
		if len(news) > 0 {
			if err := changed(news); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-a.gone:
			return coin.ErrNotActive
		case <-look.C:
		}
	}
}

// news asks for the balances and tells those that are not as they were.
func (a *asset) news(ctx context.Context, known map[string]coin.Balance) (news []coin.TickerBalance, now map[string]coin.Balance, err error) {
	watched := []*asset{a}
	if a.of.Contract == nil {
		for _, t := range a.tokens() {
			watched = append(watched, &t.asset)
		}
	}
	list, err := a.balances(ctx, watched)
	if err != nil {
		return nil, nil, err
	}
	now = make(map[string]coin.Balance)
	for i, of := range watched {
		ticker := of.of.Ticker
		now[ticker] = list[i]
		if before, was := known[ticker]; was && before.Spendable.Cmp(list[i].Spendable) != 0 {
			news = append(news, coin.TickerBalance{Ticker: ticker, Balance: list[i]})
		}
	}
	return news, now, nil
}

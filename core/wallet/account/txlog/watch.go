package txlog

import (
	"context"

	"obverse/core/store/table"
	"obverse/core/wallet/coin"
)

// watcher receives new transactions of a coin.
type watcher struct {
	view   View
	report func(tx coin.Transaction, height uint64)
}

// Watch calls report with each transaction of a coin once it is stored, until stop is called.
// report must not block, since loading waits for it.
func (l *Log) Watch(v View, report func(tx coin.Transaction, height uint64)) (stop func()) {
	w := &watcher{v, report}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watchers[w] = struct{}{}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.watchers, w)
	}
}

func (l *Log) watching() (list []*watcher) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for w := range l.watchers {
		list = append(list, w)
	}
	return list
}

// Notify passes stored transactions to the watchers, the oldest first. It skips those that cannot
// be read now: they are in the list that clients query.
func (l *Log) Notify(ctx context.Context, txs []Record) {
	watchers := l.watching()
	if len(watchers) == 0 || len(txs) == 0 {
		return
	}
	height, err := l.c.Height(ctx)
	if err != nil {
		return
	}
	for _, tx := range txs {
		entries, err := l.Entries.List(ctx, l.c.Store, table.Prefixed(ByPlace, l.Account+place(tx.Height, tx.Index)))
		if err != nil {
			return
		}
		for _, e := range entries {
			for _, w := range watchers {
				if w.view.Denom != e.Denom {
					continue
				}
				if tx, err := l.show(ctx, l.c.Store, w.view, e); err == nil {
					w.report(tx, height)
				}
			}
		}
	}
}

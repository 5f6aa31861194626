package txlog

import (
	"context"

	"obverse/core/store/table"
	"obverse/core/wallet/coin"
)

// watcher gets what a coin lists newly.
type watcher struct {
	view View
	tell func(tx coin.Transaction, height uint64)
}

// Watch calls tell with each transaction of a coin once it is stored, until stop is called. tell
// must not wait for anything: loading does.
func (l *Log) Watch(v View, tell func(tx coin.Transaction, height uint64)) (stop func()) {
	w := &watcher{v, tell}
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

// Notify gives stored transactions to the watchers, the oldest first. What cannot be read now is
// in the list that clients ask for.
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
				if shown, err := l.show(ctx, l.c.Store, w.view, e); err == nil {
					w.tell(shown, height)
				}
			}
		}
	}
}

package history

import (
	"cmp"
	"context"
	"fmt"

	"obverse/core/wallet/account/txlog"
)

// maxPages bounds the pages of one list: an indexer may never come to an end.
const maxPages = 2_000

// index reads the indexer's lists: the first time to their ends, later as far as what is known.
func (l *Log) index(ctx context.Context, m *mark, _ uint64) (found bool, err error) {
	l.Progress(0)
	whole := !m.Indexed
	for _, list := range l.c.Indexer.Names() {
		next := ""
		for pages := 1; ; pages++ {
			part, err := l.c.Indexer.Page(ctx, list, next)
			if err != nil {
				return found, fmt.Errorf("indexer: %w", err)
			}
			next = part.Next
			m.Cut = m.Cut || part.Cut || next != "" && pages == maxPages
			m.Invalid = cmp.Or(part.Invalid, m.Invalid)
			fresh, err := l.fresh(ctx, part.Refs)
			if err != nil {
				return found, err
			}
			kept, err := l.keep(ctx, m, part.Refs)
			if err != nil {
				return found, err
			}
			found = found || len(kept) > 0
			if next == "" || pages == maxPages || !whole && len(fresh) < len(part.Refs) {
				break
			}
			txlog.Sleep(ctx, l.pause, nil)
		}
	}
	m.Indexed = true
	_, err = l.keep(ctx, m, nil)
	return found, err
}

package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/wallet/account/txlog"
	"obverse/core/wallet/evm/address"
)

// scan is the range of blocks that were searched for transfers of a token.
type scan struct {
	Low    uint64 `json:"low"`    // lowest block; 0 means that all were searched
	High   uint64 `json:"high"`   // highest block
	Bottom bool   `json:"bottom"` // whether nodes have no logs below
}

// scan searches the logs of the new blocks, and then of older and older blocks.
func (l *Log) scan(ctx context.Context, m *mark, newest uint64) (found bool, err error) {
	contracts := l.c.Contracts()
	if len(contracts) == 0 {
		return false, nil
	}
	from := newest + 1
	for _, c := range contracts {
		if s, known := m.Tokens[c.Plain()]; known {
			from = min(from, s.High+1)
		}
	}
	from -= min(depth, from) // these blocks may have been replaced
	for _, c := range contracts {
		if _, known := m.Tokens[c.Plain()]; !known {
			m.Tokens[c.Plain()] = scan{Low: from, High: from}
		}
	}
	l.Progress(0)
	for from <= newest {
		to, fresh, err := l.upwards(ctx, m, contracts, from, newest)
		if err != nil {
			return false, err
		}
		found, from = found || fresh, to+1
	}
	older, err := l.downwards(ctx, m, contracts)
	return found || older, err
}

// upwards searches a range upwards from a block at all nodes, and returns its last block.
func (l *Log) upwards(ctx context.Context, m *mark, contracts []address.Address, from, newest uint64) (to uint64, fresh bool, err error) {
	for {
		to = min(newest, from+l.span-1)
		fresh, err = l.search(ctx, m, l.c.Source.AllTransfers, contracts, from, to, func() {
			set(m, contracts, func(s *scan) { s.High = max(s.High, to) })
		})
		if err == nil {
			l.span = max(l.span, min(2*l.span, firstSpan, l.maxSpan))
			return to, fresh, nil
		}
		if !l.narrow(ctx, err) {
			return to, fresh, err
		}
	}
}

// downwards searches below the searched range, as far as nodes have blocks.
func (l *Log) downwards(ctx context.Context, m *mark, contracts []address.Address) (found bool, err error) {
	for {
		group, top, next := lowest(m, contracts)
		l.begin(m, contracts)
		if len(group) == 0 {
			return found, nil
		}
		l.Blocks(top)
		from := max(next, top-min(top, l.span))
		fresh, err := l.search(ctx, m, l.c.Source.Transfers, group, from, top-1, func() { set(m, group, func(s *scan) { s.Low = from }) })
		var refused *nodepool.RPCError
		switch {
		case err == nil:
			found = found || fresh
			l.span = min(2*l.span, l.maxSpan)
			txlog.Sleep(ctx, l.pause, nil)
		case l.narrow(ctx, err):
		case errors.As(err, &refused):
			set(m, group, func(s *scan) { s.Bottom = true })
		default:
			return found, err
		}
	}
}

// lowest returns the tokens with the highest lower end of the searched range, that end, and the
// next lower end of the others.
func lowest(m *mark, contracts []address.Address) (group []address.Address, top, next uint64) {
	for _, c := range contracts {
		s := m.Tokens[c.Plain()]
		if s.Bottom || s.Low == 0 {
			continue
		}
		switch {
		case s.Low > top:
			group, top, next = []address.Address{c}, s.Low, top
		case s.Low == top:
			group = append(group, c)
		default:
			next = max(next, s.Low)
		}
	}
	return group, top, next
}

func set(m *mark, group []address.Address, change func(*scan)) {
	for _, c := range group {
		s := m.Tokens[c.Plain()]
		change(&s)
		m.Tokens[c.Plain()] = s
	}
}

// begin reports where the list of tokens begins, if nodes lack older blocks.
func (l *Log) begin(m *mark, contracts []address.Address) {
	var begins uint64
	for _, c := range contracts {
		if s := m.Tokens[c.Plain()]; s.Bottom {
			begins = max(begins, s.Low)
		}
	}
	l.StartsAt(begins)
}

// transfers is the method Transfers or AllTransfers of Source.
type transfers func(ctx context.Context, contracts []address.Address, addr address.Address, from, to uint64) ([]Reference, error)

// search reads the logs of a range, and stores the new transactions and the range.
func (l *Log) search(ctx context.Context, m *mark, read transfers, contracts []address.Address, from, to uint64, done func()) (fresh bool, err error) {
	refs, err := read(ctx, contracts, l.c.Address, from, to)
	if from == to && errors.Is(err, fetch.ErrTooLarge) { // the other blocks can be read
		m.Cut, err = true, nil
	}
	if err != nil {
		return false, rangeError{err}
	}
	done()
	stored, err := l.keep(ctx, m, refs)
	return len(stored) > 0, err
}

// rangeError is the error of a query for logs, which may have had too many blocks.
type rangeError struct{ error }

// Unwrap returns the error.
func (e rangeError) Unwrap() error { return e.error }

// narrow reduces the number of blocks in a query after an error. It returns false if the number
// is small already.
func (l *Log) narrow(ctx context.Context, err error) bool {
	if !errors.As(err, new(rangeError)) || ctx.Err() != nil {
		return false
	}
	if errors.Is(err, fetch.ErrTooLarge) { // only these blocks have too many logs
		l.span = max(l.span/2, 1)
		return true
	}
	var unreachable *nodepool.UnreachableError
	if l.span <= minSpan || errors.As(err, &unreachable) && unreachable.Down() {
		return false
	}
	l.span = max(l.span/2, minSpan)
	l.maxSpan = l.span
	return true
}

// maxPages limits the pages of a list, since an indexer may never end it.
const maxPages = 2_000

// index reads the indexer's lists, the first time completely and later up to the first known
// transaction.
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
			stored, err := l.keep(ctx, m, part.Refs)
			if err != nil {
				return found, err
			}
			found = found || len(stored) > 0
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

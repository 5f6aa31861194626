package table

import (
	"context"
	"slices"

	"obverse/core/store"
)

// Range selects rows by their values in an index: From ≤ value < To. The least value
// after v is v + "\x00".
type Range struct {
	Index    string // the name of the key or another index
	From, To string // an empty To is no bound
	Offset   int    // rows to leave out
	Limit    int    // rows at most; 0: all
}

// Prefixed is the range of all values in an index that begin with prefix.
func Prefixed(index, prefix string) Range {
	return Range{Index: index, From: prefix, To: next(prefix)}
}

// next returns the smallest string above all strings with the prefix, or "" if there is none.
func next(prefix string) string {
	for b := []byte(prefix); len(b) > 0; b = b[:len(b)-1] {
		if last := len(b) - 1; b[last] < 0xff {
			b[last]++
			return string(b)
		}
	}
	return ""
}

const pageSize = 512

func (t *rows) list(ctx context.Context, kv store.KV, r Range) ([]any, error) {
	var found []store.Entry
	skip := r.Offset
	err := t.walk(ctx, kv, r, func(page []store.Entry) bool {
		cut := min(max(skip, 0), len(page))
		skip -= cut
		found = append(found, page[cut:]...)
		return r.Limit == 0 || len(found) < r.Limit
	})
	if err != nil {
		return nil, err
	}
	if r.Limit > 0 {
		found = found[:min(r.Limit, len(found))]
	}
	return t.load(ctx, kv, t.index(r.Index), found)
}

func (t *rows) count(ctx context.Context, kv store.KV, r Range) (n int, err error) {
	err = t.walk(ctx, kv, r, func(page []store.Entry) bool {
		n += len(page)
		return true
	})
	return n, err
}

// walk calls fn with the entries of the range, page by page, until it returns false.
func (t *rows) walk(ctx context.Context, kv store.KV, r Range, fn func([]store.Entry) bool) error {
	prefix := t.prefix + Text(t.index(r.Index).name)
	// No entry is equal to a bound: the end of its value follows.
	after, end := prefix+escape(r.From), prefix+escape(r.To)
	for {
		page, err := kv.Scan(ctx, prefix, after, pageSize)
		if err != nil {
			return err
		}
		whole := len(page)
		if r.To != "" {
			beyond := slices.IndexFunc(page, func(e store.Entry) bool { return e.Key >= end })
			if beyond >= 0 {
				page = page[:beyond]
			}
		}
		if len(page) == 0 || !fn(page) || len(page) < whole || whole < pageSize {
			return nil
		}
		after = page[whole-1].Key
	}
}

// load reads the rows that entries of an index lead to.
func (t *rows) load(ctx context.Context, kv store.KV, i index, entries []store.Entry) ([]any, error) {
	rows := make([]any, 0, len(entries))
	for page := range slices.Chunk(entries, pageSize) {
		keys := make([]string, len(page))
		for n, e := range page {
			keys[n] = e.Key
			if i.kind != primary {
				keys[n] = t.rowKey(e.Data)
			}
		}
		values, err := kv.Get(ctx, keys...)
		if err != nil {
			return nil, err
		}
		for n, value := range values {
			if !value.Present {
				continue // deleted since
			}
			row, err := t.decode(value.Data)
			if err != nil {
				return nil, err
			}
			if t.entryKey(i, i.of(row), t.indexes[0].of(row)) == page[n].Key { // or changed since
				rows = append(rows, row)
			}
		}
	}
	return rows, nil
}

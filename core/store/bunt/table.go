package bunt

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/buntdb"

	"obverse/core/store"
)

// table is the state in memory. It consists of rows in pages, which are items in buntdb. A
// separate item for each row would need 64 to 72 bytes in addition to its key and data, and
// most keys of one table have the same beginning.
//
// A page is stored under its separator and contains the rows from there up to the next
// separator. No row is below the first separator.
type table struct {
	pages *buntdb.DB
	spare rewriting // reusable space for the next change

	mu      sync.RWMutex // held while reading, and while pages are replaced
	reading *buntdb.Tx   // always open, since opening a transaction takes a fifth of the time of a Get; nil once closed
}

func newTable() (*table, error) {
	pages, err := buntdb.Open(Memory)
	if err != nil {
		return nil, err
	}
	t := &table{pages: pages}
	t.reading, err = pages.Begin(false)
	return t, err
}

func (t *table) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reading == nil {
		return store.ErrClosed
	}
	err := t.reading.Rollback()
	t.reading = nil
	return errors.Join(err, t.pages.Close())
}

// view calls fn with a consistent state.
func (t *table) view(fn func(tx *buntdb.Tx) error) error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.reading == nil {
		return store.ErrClosed
	}
	return fn(t.reading)
}

// update calls fn while no reader is active.
func (t *table) update(fn func(tx *buntdb.Tx) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reading == nil {
		return store.ErrClosed
	}
	if err := t.reading.Rollback(); err != nil { // an open transaction would block the change
		return err
	}
	err := t.pages.Update(fn)
	var begun error
	t.reading, begun = t.pages.Begin(false)
	return errors.Join(err, begun)
}

// pageOf returns the page to which a key belongs, or "" for a key below the first page.
func pageOf(tx *buntdb.Tx, key string) (separator, page string, err error) {
	err = tx.DescendLessOrEqual("", key, func(s, p string) bool {
		separator, page = s, p
		return false
	})
	return separator, page, err
}

func get(tx *buntdb.Tx, key string) (store.Value, error) {
	_, page, err := pageOf(tx, key)
	if err != nil {
		return store.Value{}, err
	}
	if where := seek(page, key, 0, 0, 0); where.found {
		return store.Value{Data: where.row.data(page), Present: true}, nil
	}
	return store.Value{}, nil
}

// scan implements store.KV.
func (t *table) scan(prefix, after string, limit int) (entries []store.Entry, err error) {
	if limit < 1 {
		return nil, nil
	}
	s := collector{prefix: prefix, after: after, limit: limit}
	err = t.view(func(tx *buntdb.Tx) error {
		separator, page, err := pageOf(tx, max(prefix, after))
		if err != nil || page != "" && !s.page(page) {
			return err
		}
		return tx.AscendGreaterOrEqual("", separator, func(next, page string) bool {
			return next == separator || s.page(page)
		})
	})
	return s.entries, err
}

// collector collects the rows of a scan.
type collector struct {
	prefix, after string
	limit         int
	entries       []store.Entry
}

// page adds the requested rows of a page, and reports whether more are needed.
func (c *collector) page(p string) bool {
	first := max(c.prefix, c.after)
	where := seek(p, first, 0, 0, 0)
	r, before := where.row, first // before begins with the bytes that the row shares
	if where.found && first == c.after {
		at := r.end()
		if at == len(p) {
			return true
		}
		r = rowAt(p, at)
		where.shared = r.shared
	} else if where.at == len(p) {
		return true
	} else {
		r = r.sharing(where.shared)
	}
	if where.shared < len(c.prefix) || !strings.HasPrefix(first, c.prefix) {
		return false
	}
	rows, size, more := c.count(p, r)
	c.entries = slices.Grow(c.entries, rows)
	var keys strings.Builder
	keys.Grow(size)
	for range rows {
		from := keys.Len()
		keys.WriteString(before[:r.shared])
		keys.WriteString(r.tail(p))
		before = keys.String()[from:]
		c.entries = append(c.entries, store.Entry{Key: before, Data: r.data(p)})
		if at := r.end(); at < len(p) {
			r = rowAt(p, at)
		}
	}
	return more
}

// count counts the requested rows starting at r, and the bytes of their keys, and reports
// whether rows after the page may be requested too.
func (c *collector) count(p string, r row) (rows, size int, more bool) {
	for {
		rows++
		size += r.shared + r.rest
		if rows == c.limit-len(c.entries) {
			return rows, size, false
		}
		at := r.end()
		if at == len(p) {
			return rows, size, true
		}
		if r = rowAt(p, at); r.shared < len(c.prefix) {
			return rows, size, false
		}
	}
}

// len returns the number of rows.
func (t *table) len() (n int, err error) {
	err = t.view(func(tx *buntdb.Tx) error {
		return tx.Ascend("", func(_, page string) bool {
			for at := 0; at < len(page); n++ {
				at = rowAt(page, at).end()
			}
			return true
		})
	})
	return n, err
}

// ordered returns changes in ascending order of their keys. Of several changes with the same
// key, it returns the last one.
func ordered(ops []store.Op) []store.Op {
	for i := 1; i < len(ops); i++ {
		if ops[i-1].Key >= ops[i].Key {
			return order(slices.Clone(ops), new([]store.Op))
		}
	}
	return ops
}

// order is like ordered, but sorts in place with spare space. It merges sorted parts, such as
// the batches of a file.
func order(ops []store.Op, spare *[]store.Op) []store.Op {
	var begins []int // starts of the sorted parts
	for end := 0; end < len(ops); {
		begins = append(begins, end)
		for end++; end < len(ops) && ops[end-1].Key <= ops[end].Key; end++ {
		}
		for n := len(begins); n > 1; n-- {
			from, middle := begins[n-2], begins[n-1]
			if end < len(ops) && middle-from > end-middle {
				break // it is merged once the following part is as large
			}
			mergeOps(ops[from:end], middle-from, spare)
			begins = begins[:n-1]
		}
	}
	rest := ops[:0]
	for i := range ops {
		if i+1 == len(ops) || ops[i].Key != ops[i+1].Key {
			rest = append(rest, ops[i])
		}
	}
	return rest
}

// mergeOps merges the changes before the index middle with those after it. For equal keys, the
// latter come last. The slice spare is space for the former.
func mergeOps(ops []store.Op, middle int, spare *[]store.Op) {
	*spare = append(slices.Grow((*spare)[:0], middle), ops[:middle]...)
	first, second := *spare, ops[middle:]
	for to := 0; len(first) > 0; to++ {
		if len(second) > 0 && second[0].Key < first[0].Key {
			ops[to], second = second[0], second[1:]
		} else {
			ops[to], first = first[0], first[1:]
		}
	}
}

// change applies changes as one step for every reader. It must not be called concurrently.
//
// The new pages are created while readers continue. Readers are only excluded while the pages
// are replaced.
func (t *table) change(ops []store.Op) error {
	ops = ordered(ops)
	w := &t.spare
	defer w.clear()
	err := t.view(func(tx *buntdb.Tx) error {
		for len(ops) > 0 {
			var err error
			if ops, err = w.pages(tx, ops); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return t.update(func(tx *buntdb.Tx) error {
		for _, c := range w.made {
			if c.page == "" {
				if _, err := tx.Delete(c.separator); err != nil && !errors.Is(err, buntdb.ErrNotFound) {
					return err
				}
				continue
			}
			if _, _, err := tx.Set(c.separator, c.page, nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// rewriting holds pages that are being created.
type rewriting struct {
	made    []sheet // later ones win
	sheet           // the page being changed
	changed bool
	buf     []byte // content of the page, if it was changed
}

// sheet is a page with its separator. An empty page means that the page is removed.
type sheet struct{ separator, page string }

const (
	pageLow     = pageSize / 4 // a changed page below this size is joined with the next one
	spareSheets = 1 << 12      // number of pages for which space is retained
	idle        = 4            // number of unchanged pages to pass before the next page is looked up by key
)

// clear removes the contents and retains the space.
func (w *rewriting) clear() {
	clear(w.made)
	w.made, w.sheet, w.changed = w.made[:0], sheet{}, false
	if cap(w.buf) > writeBuffer {
		w.buf = nil
	}
	if cap(w.made) > spareSheets {
		w.made = nil
	}
}

// pages creates the pages for the first changes, at least for one, and returns the remaining
// changes.
func (w *rewriting) pages(tx *buntdb.Tx, ops []store.Op) ([]store.Op, error) {
	separator, page, err := pageOf(tx, ops[0].Key)
	if err != nil {
		return nil, err
	}
	w.sheet, w.changed = sheet{separator, page}, false
	passed, stopped := 0, false
	err = tx.AscendGreaterOrEqual("", separator, func(separator, page string) bool {
		if separator == w.separator {
			return true
		}
		n := 0
		for n < len(ops) && ops[n].Key < separator {
			n++
		}
		if n > 0 {
			w.merge(ops[:n])
			ops, passed = ops[n:], 0
		}
		if _, wide := alone(page); w.changed && len(w.buf) > 0 && len(w.buf) < pageLow && !wide {
			w.merge(rowsOf(page))
			w.made = append(w.made, sheet{separator: separator})
			return true
		}
		w.finish()
		w.sheet = sheet{separator, page}
		passed++
		stopped = len(ops) == 0 || passed > idle
		return !stopped
	})
	if err != nil || stopped {
		return ops, err
	}
	if len(ops) > 0 {
		w.merge(ops)
	}
	w.finish()
	return nil, nil
}

// merge applies changes to the page. A wide row is not copied for changes after it.
func (w *rewriting) merge(ops []store.Op) {
	if w.changed {
		w.page = string(w.buf)
	}
	if r, ok := alone(w.page); ok {
		key := r.tail(w.page)
		if n := common(key, ops[0].Key); n < len(ops[0].Key) && ops[0].Key > key {
			w.finish()
			w.sheet = sheet{separator: strings.Clone(ops[0].Key[:n+1])}
		}
	}
	w.buf = merge(w.buf[:0], w.page, ops)
	w.changed = true
}

// finish adds the page, split into several if it is too large.
func (w *rewriting) finish() {
	if !w.changed {
		return
	}
	w.changed = false
	split(w.separator, w.buf, func(separator, page string) {
		w.made = append(w.made, sheet{separator, page})
	})
}

// rowsOf returns the rows of a page as changes.
func rowsOf(p string) (ops []store.Op) {
	var key []byte
	for at := 0; at < len(p); {
		r := rowAt(p, at)
		key = append(key[:r.shared], r.tail(p)...)
		ops = append(ops, store.Op{Key: string(key), Data: r.data(p)})
		at = r.end()
	}
	return ops
}

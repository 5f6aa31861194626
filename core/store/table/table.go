// Package table keeps typed rows in a store: a primary key, unique and sorted indexes, and
// changes of several rows, of one table or many, as one guarded batch. It has no query language
// and does not migrate; a codec reads the versions that it supports.
//
// A Table is a description and holds no state. Reads take the store or a Tx, changes
// take a Tx:
//
//	nodes := table.New(table.Spec[Node]{
//		Prefix: "N/stat/node/",
//		Key:    table.Index[Node]{Name: "name", Of: func(n Node) string { return n.Name }},
//		Unique: []table.Index[Node]{{Name: "peer_id", Of: func(n Node) string { return n.PeerID }}},
//	})
//	err := table.Change(ctx, kv, func(tx *table.Tx) error { return nodes.Insert(ctx, tx, node) })
//
// Invariant: every index always matches the rows, also after a crash.
package table

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"obverse/core/store"
)

// ErrDamaged says that a record cannot be read: its codec refuses it, its version is
// another one, or an index leads to a row that is not there.
var ErrDamaged = errors.New("stored record is damaged")

// ErrLossy refuses a row that its codec does not give back with the same values in the
// indexes. JSON does so to strings that are not UTF-8.
var ErrLossy = errors.New("the row cannot be stored as it is")

// DuplicateError refuses a row because others have its values. Nothing was changed.
type DuplicateError struct {
	Indexes []string // the names of all that are violated: the key first, then as in Spec.Unique
}

func (e *DuplicateError) Error() string {
	return "duplicate  " + strings.Join(e.Indexes, " and this ")
}

// Index gives a row's value in an index. Values are any bytes and sort bytewise; for
// numbers and values of several parts see Uint, Down and Text.
type Index[T any] struct {
	Name  string
	Value func(T) string
}

// Spec describes a table.
type Spec[T any] struct {
	Prefix string // of all its keys in the store; it ends with a slash, and no other table's begins with it
	Key    Index[T]
	Unique []Index[T] // no two rows have the same value
	Sorted []Index[T] // for listing; rows of the same value follow in the order of their keys
	Codec  Codec[T]   // the zero Codec is JSON, version 0
}

// Table is a set of rows of type T. It may be used from many goroutines at once.
//
// It is no more than a typed face: what it does is compiled once, in rows, and not
// again for every T, since a page loads all of it.
type Table[T any] struct{ rows rows }

// New makes a table. Indexes of one name, or none, are a mistake in the program, and it
// panics.
func New[T any](spec Spec[T]) *Table[T] {
	t := &Table[T]{rows{prefix: spec.Prefix, codec: spec.Codec.untyped()}}
	t.add(primary, spec.Key)
	t.add(unique, spec.Unique...)
	t.add(sorted, spec.Sorted...)
	return t
}

func (t *Table[T]) add(kind kind, indexes ...Index[T]) {
	for _, i := range indexes {
		t.rows.add(index{i.Name, kind, func(row any) string { return i.Value(row.(T)) }})
	}
}

// Reader is the source of rows: a store.KV, or a Tx.
type Reader interface {
	Get(ctx context.Context, keys ...string) ([]store.Value, error)
}

// Get returns the row with the key, and whether there is one.
func (t *Table[T]) Get(ctx context.Context, from Reader, key string) (row T, found bool, err error) {
	return typed[T](t.rows.get(ctx, from, key))
}

// Find returns the row with the value in one of the Unique indexes, and whether there is one.
func (t *Table[T]) Find(ctx context.Context, from Reader, name, value string) (row T, found bool, err error) {
	return typed[T](t.rows.find(ctx, from, name, value))
}

// typed returns the zero row for none.
func typed[T any](found any, err error) (T, bool, error) {
	row, ok := found.(T)
	return row, ok, err
}

// Insert adds a row. It fails with a DuplicateError when the key or a value in a unique
// index is taken.
func (t *Table[T]) Insert(ctx context.Context, tx *Tx, row T) error {
	return t.rows.replace(ctx, tx, nil, row)
}

// Put adds a row, or replaces the one with its key. It fails with a DuplicateError when
// another row has one of its unique values.
func (t *Table[T]) Put(ctx context.Context, tx *Tx, row T) error { return t.rows.put(ctx, tx, row) }

// Delete removes the row with the key, and reports whether there was one.
func (t *Table[T]) Delete(ctx context.Context, tx *Tx, key string) (found bool, err error) {
	return t.rows.remove(ctx, tx, key)
}

// NextID gives numbers 1, 2, 3 … for keys that grow: each once, unless the Tx that
// took it comes to nothing.
func (t *Table[T]) NextID(ctx context.Context, tx *Tx) (uint64, error) { return t.rows.nextID(ctx, tx) }

// List returns rows in the order of the index. It reads page by page: a row that is
// changed meanwhile may be missed.
func (t *Table[T]) List(ctx context.Context, kv store.KV, r Range) ([]T, error) {
	found, err := t.rows.list(ctx, kv, r)
	if err != nil {
		return nil, err
	}
	all := make([]T, len(found))
	for n, row := range found {
		all[n] = row.(T)
	}
	return all, nil
}

// Count returns the number of rows in the range, ignoring its Offset and Limit. It reads no
// rows but iterates over all entries of the index in the range.
func (t *Table[T]) Count(ctx context.Context, kv store.KV, r Range) (int, error) {
	return t.rows.count(ctx, kv, r)
}

// rows is a Table of rows whose type it does not know; nil is no row.
type rows struct {
	prefix  string
	indexes []index // the key's first
	codec   codec
}

// add takes one more index in.
func (t *rows) add(i index) {
	if i.name == "" || slices.ContainsFunc(t.indexes, func(other index) bool { return other.name == i.name }) {
		panic(fmt.Sprintf("table: index name %q of %s is empty or used twice", i.name, t.prefix))
	}
	t.indexes = append(t.indexes, i)
}

func (t *rows) get(ctx context.Context, from Reader, key string) (any, error) {
	values, err := from.Get(ctx, t.rowKey(key))
	if err != nil || !values[0].Present {
		return nil, err
	}
	return t.decode(values[0].Data)
}

func (t *rows) find(ctx context.Context, from Reader, name, value string) (any, error) {
	i := t.index(name)
	entry := t.entryKey(i, value, "")
	for last := (store.Value{}); ; {
		values, err := from.Get(ctx, entry)
		if err != nil || !values[0].Present {
			return nil, err
		}
		if values[0] == last {
			return nil, fmt.Errorf("%w: %s of %s leads to no row", ErrDamaged, name, t.prefix)
		}
		last = values[0]
		row, err := t.get(ctx, from, last.Data)
		if err != nil || row != nil && i.valueOf(row) == value {
			return row, err
		}
	}
}

func (t *rows) put(ctx context.Context, tx *Tx, row any) error {
	old, err := t.get(ctx, tx, t.indexes[0].valueOf(row))
	if err != nil {
		return err
	}
	return t.replace(ctx, tx, old, row)
}

func (t *rows) remove(ctx context.Context, tx *Tx, key string) (found bool, err error) {
	old, err := t.get(ctx, tx, key)
	if err != nil || old == nil {
		return false, err
	}
	return true, t.replace(ctx, tx, old, nil)
}

func (t *rows) nextID(ctx context.Context, tx *Tx) (uint64, error) {
	key := t.prefix + Text("")
	values, err := tx.Get(ctx, key)
	if err != nil {
		return 0, err
	}
	id, ok := ParseUint(values[0].Data)
	if values[0].Present && !ok {
		return 0, fmt.Errorf("%w: %q", ErrDamaged, key)
	}
	tx.Put(key, Uint(id+1))
	return id + 1, nil
}

// replace puts a row in the place of another one; either may be nil.
func (t *rows) replace(ctx context.Context, tx *Tx, old, row any) error {
	before, err := t.entries(old)
	if err != nil {
		return err
	}
	after, err := t.entries(row)
	if err != nil {
		return err
	}
	if err := t.verify(row, after); err != nil {
		return err
	}
	if err := refuseTaken(ctx, tx, after, before); err != nil {
		return err
	}
	for _, e := range before {
		if !holds(after, e.key) {
			tx.Delete(e.key)
		}
	}
	for _, e := range after {
		if !slices.Contains(before, e) {
			tx.Put(e.key, e.data)
		}
	}
	return nil
}

// refuseTaken fails if one of the unique entries is there already and not own.
func refuseTaken(ctx context.Context, tx *Tx, entries, old []entry) error {
	var taken []string
	for _, e := range entries {
		if e.kind == sorted || holds(old, e.key) {
			continue
		}
		values, err := tx.Get(ctx, e.key)
		if err != nil {
			return err
		}
		if values[0].Present {
			taken = append(taken, e.index)
		}
	}
	if taken != nil {
		return &DuplicateError{Indexes: taken}
	}
	return nil
}

func holds(entries []entry, key string) bool {
	return slices.ContainsFunc(entries, func(e entry) bool { return e.key == key })
}

// Range selects rows by their values in an index: From ≤ value < To. The least value
// after v is v + "\x00".
type Range struct {
	Index    string // the name of the key or another index
	From, To string // an empty To is no bound
	Offset   int    // rows to leave out
	Limit    int    // rows at most; 0 means all
}

// Prefixed returns the range of all values in an index that begin with prefix.
func Prefixed(index, prefix string) Range {
	return Range{Index: index, From: prefix, To: next(prefix)}
}

// next returns the smallest string above all strings with the prefix, or "" if no string is.
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
			if t.entryKey(i, i.valueOf(row), t.indexes[0].valueOf(row)) == page[n].Key { // or changed since
				rows = append(rows, row)
			}
		}
	}
	return rows, nil
}

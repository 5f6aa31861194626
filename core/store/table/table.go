// Package table keeps typed rows in a store. A table has a primary key and may have unique and
// sorted indexes. Changes of several rows, of one table or many, are one guarded batch. The
// package has no query language and does not migrate rows; a codec reads the versions that it
// supports.
//
// A Table is a description and holds no state. Reads accept the store or a Tx, and changes
// require a Tx:
//
//	nodes := table.New(table.Spec[Node]{
//		Prefix: "N/stat/node/",
//		Key:    table.Index[Node]{Name: "name", Of: func(n Node) string { return n.Name }},
//		Unique: []table.Index[Node]{{Name: "peer_id", Of: func(n Node) string { return n.PeerID }}},
//	})
//	err := table.Change(ctx, kv, func(tx *table.Tx) error { return nodes.Insert(ctx, tx, node) })
//
// Invariant: Every index matches the rows at all times, also after a crash.
package table

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"obverse/core/store"
)

// ErrDamaged reports that a record cannot be read, because its codec rejects it, its version is
// not supported, or an index entry leads to a missing row.
var ErrDamaged = errors.New("stored record is damaged")

// ErrLossy reports that a row was rejected because its codec does not reproduce its values in
// the indexes. JSON fails to do so for strings that are not UTF-8.
var ErrLossy = errors.New("the row cannot be stored as it is")

// DuplicateError reports that a row was rejected because other rows have its values. Nothing
// was changed.
type DuplicateError struct {
	Indexes []string // names of all violated indexes: the key first, then in the order of Spec.Unique
}

func (e *DuplicateError) Error() string {
	return "duplicate  " + strings.Join(e.Indexes, " and this ")
}

// Index computes a row's value in an index. Values may be any bytes and sort bytewise. For
// numbers and values of several parts see Uint, Down and Text.
type Index[T any] struct {
	Name  string
	Value func(T) string
}

// Spec describes a table.
type Spec[T any] struct {
	Prefix string // prefix of the table's keys in the store, which ends with a slash and is not a prefix of another table's
	Key    Index[T]
	Unique []Index[T] // no two rows have the same value
	Sorted []Index[T] // for listing; rows with equal values are in the order of their keys
	Codec  Codec[T]   // the zero Codec is JSON, version 0
}

// Table is a set of rows of type T. It is safe for concurrent use.
//
// It is only a typed wrapper: the code is compiled once, in rows, and not again for every T,
// since it is part of every page's download.
type Table[T any] struct{ rows rows }

// New returns a table. It panics if an index has no name or two have the same, which is a
// mistake in the program.
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

// Reader is a source of rows: a store.KV or a Tx.
type Reader interface {
	Get(ctx context.Context, keys ...string) ([]store.Value, error)
}

// Get returns the row with the key, and reports whether there is one.
func (t *Table[T]) Get(ctx context.Context, from Reader, key string) (row T, found bool, err error) {
	return typed[T](t.rows.get(ctx, from, key))
}

// Find returns the row that has the value in one of the Unique indexes, and reports whether
// there is one.
func (t *Table[T]) Find(ctx context.Context, from Reader, name, value string) (row T, found bool, err error) {
	return typed[T](t.rows.find(ctx, from, name, value))
}

// typed converts a row to its type. It returns the zero row if none was found.
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

// NextID returns the numbers 1, 2, 3 and so on, for increasing keys. It returns each number
// once, unless the Tx that took it is not applied.
func (t *Table[T]) NextID(ctx context.Context, tx *Tx) (uint64, error) { return t.rows.nextID(ctx, tx) }

// List returns rows in the order of the index. It reads page by page, so that it may miss a row
// that is changed meanwhile.
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

// rows is a Table of rows of any type. A nil row means that it does not exist.
type rows struct {
	prefix  string
	indexes []index // the primary key's index first
	codec   codec
}

// add adds an index.
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

// replace replaces a row with another one. Either may be nil.
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

// refuseTaken returns an error if one of the unique entries exists already and is not one of
// old.
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

// Range selects the rows whose values in an index are from From up to, but not including, To.
// The smallest value after v is v + "\x00".
type Range struct {
	Index    string // the name of the key or another index
	From, To string // an empty To means no limit
	Offset   int    // number of rows to skip
	Limit    int    // maximum number of rows; 0 means all
}

// Prefixed returns the range of all values in an index that begin with prefix.
func Prefixed(index, prefix string) Range {
	return Range{Index: index, From: prefix, To: next(prefix)}
}

// next returns the smallest string above all strings with the prefix, or "" if it does not exist.
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
	// No entry is equal to after or end, because an entry has more bytes after its value.
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

// load reads the rows to which the entries of an index lead.
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
				continue // the row was deleted since
			}
			row, err := t.decode(value.Data)
			if err != nil {
				return nil, err
			}
			if t.entryKey(i, i.valueOf(row), t.indexes[0].valueOf(row)) == page[n].Key { // otherwise the row was changed since
				rows = append(rows, row)
			}
		}
	}
	return rows, nil
}

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
	Name string
	Of   func(T) string
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
		t.rows.add(index{i.Name, kind, func(row any) string { return i.Of(row.(T)) }})
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

// typed gives the zero row for none.
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

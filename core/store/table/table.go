// Package table keeps typed rows in a store: a primary key, unique and sorted indexes,
// and changes of several rows, of one table or many, as one guarded batch. It is no
// query language, and it does not migrate: a codec reads the versions that it knows.
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
// Invariant: the entries of every index are those of the rows that are there, at every
// moment and after every crash.
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
	return "there is another row with this " + strings.Join(e.Indexes, " and this ")
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
type Table[T any] struct {
	spec    Spec[T]
	indexes []index[T] // the key's first
}

// New makes a table. Indexes of one name, or none, are a mistake in the program, and it
// panics.
func New[T any](spec Spec[T]) *Table[T] {
	t := &Table[T]{spec: spec, indexes: []index[T]{{Index: spec.Key, kind: primary}}}
	for _, i := range spec.Unique {
		t.indexes = append(t.indexes, index[T]{i, unique})
	}
	for _, i := range spec.Sorted {
		t.indexes = append(t.indexes, index[T]{i, sorted})
	}
	names := map[string]bool{"": true}
	for _, i := range t.indexes {
		if names[i.Name] {
			panic(fmt.Sprintf("table: index name %q of %s is empty or used twice", i.Name, spec.Prefix))
		}
		names[i.Name] = true
	}
	return t
}

// Reader is what rows are read from: a store.KV, or a Tx.
type Reader interface {
	Get(ctx context.Context, keys ...string) ([]store.Value, error)
}

// Get returns the row with the key, and whether there is one.
func (t *Table[T]) Get(ctx context.Context, from Reader, key string) (row T, found bool, err error) {
	values, err := from.Get(ctx, t.rowKey(key))
	if err != nil || !values[0].Present {
		return row, false, err
	}
	if row, err = t.decode(values[0].Data); err != nil {
		return row, false, err
	}
	return row, true, nil
}

// Find returns the row with the value in one of the Unique indexes, and whether there is one.
func (t *Table[T]) Find(ctx context.Context, from Reader, name, value string) (row T, found bool, err error) {
	i := t.index(name)
	entry := t.entryKey(i, value, "")
	for last := (store.Value{}); ; {
		values, err := from.Get(ctx, entry)
		if err != nil || !values[0].Present {
			return row, false, err
		}
		if values[0] == last {
			return row, false, fmt.Errorf("%w: %s of %s leads to no row", ErrDamaged, name, t.spec.Prefix)
		}
		last = values[0]
		row, found, err := t.Get(ctx, from, last.Data)
		if err != nil || found && i.Of(row) == value {
			return row, found, err
		}
	}
}

// Insert adds a row. It fails with a DuplicateError when the key or a value in a unique
// index is taken.
func (t *Table[T]) Insert(ctx context.Context, tx *Tx, row T) error {
	return t.replace(ctx, tx, nil, &row)
}

// Put adds a row, or replaces the one with its key. It fails with a DuplicateError when
// another row has one of its unique values.
func (t *Table[T]) Put(ctx context.Context, tx *Tx, row T) error {
	old, found, err := t.Get(ctx, tx, t.spec.Key.Of(row))
	if err != nil {
		return err
	}
	if !found {
		return t.Insert(ctx, tx, row)
	}
	return t.replace(ctx, tx, &old, &row)
}

// Delete removes the row with the key, and tells whether there was one.
func (t *Table[T]) Delete(ctx context.Context, tx *Tx, key string) (found bool, err error) {
	old, found, err := t.Get(ctx, tx, key)
	if err != nil || !found {
		return false, err
	}
	return true, t.replace(ctx, tx, &old, nil)
}

// NextID gives numbers 1, 2, 3 … for keys that grow: each once, unless the Tx that
// took it comes to nothing.
func (t *Table[T]) NextID(ctx context.Context, tx *Tx) (uint64, error) {
	key := t.spec.Prefix + Text("")
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
func (t *Table[T]) replace(ctx context.Context, tx *Tx, old, row *T) error {
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
func refuseTaken(ctx context.Context, tx *Tx, entries, own []entry) error {
	var taken []string
	for _, e := range entries {
		if e.kind == sorted || holds(own, e.key) {
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

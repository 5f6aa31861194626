package table

import (
	"context"
	"fmt"
	"slices"

	"obverse/core/store"
)

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
		if err != nil || row != nil && i.of(row) == value {
			return row, err
		}
	}
}

func (t *rows) put(ctx context.Context, tx *Tx, row any) error {
	old, err := t.get(ctx, tx, t.indexes[0].of(row))
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

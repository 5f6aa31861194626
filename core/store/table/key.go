package table

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Keys in the store, and what they hold:
//
//	prefix ‖ Text(name of the key) ‖ Text(key)                 → version byte ‖ record
//	prefix ‖ Text(name of a unique index) ‖ Text(value)        → key
//	prefix ‖ Text(name of a sorted index) ‖ Text(value) ‖ key  → key
//	prefix ‖ Text("")                                          → the last id

// kind tells the indexes apart.
type kind int

const (
	primary kind = iota
	unique
	sorted
)

type index[T any] struct {
	Index[T]
	kind kind
}

// index finds an index by its name. A wrong one is a mistake in the program, and it
// panics.
func (t *Table[T]) index(name string) index[T] {
	at := slices.IndexFunc(t.indexes, func(i index[T]) bool { return i.Name == name })
	if at < 0 {
		panic(fmt.Sprintf("table: %s has no index %q", t.spec.Prefix, name))
	}
	return t.indexes[at]
}

// entryKey is the key in the store of an index's value for the row with a key.
func (t *Table[T]) entryKey(i index[T], value, key string) string {
	if i.kind != sorted {
		key = ""
	}
	return t.spec.Prefix + Text(i.Name) + Text(value) + key
}

func (t *Table[T]) rowKey(key string) string { return t.entryKey(t.indexes[0], key, "") }

// entry is one key that a row has in the store.
type entry struct {
	index, key, data string
	kind             kind
}

// entries lists the keys of a row: that of its record, then those in the indexes.
func (t *Table[T]) entries(row *T) ([]entry, error) {
	if row == nil {
		return nil, nil
	}
	record, err := t.encode(*row)
	if err != nil {
		return nil, err
	}
	key := t.spec.Key.Of(*row)
	all := make([]entry, len(t.indexes))
	for n, i := range t.indexes {
		all[n] = entry{i.Name, t.entryKey(i, i.Of(*row), key), key, i.kind}
	}
	all[0].data = record
	return all, nil
}

// verify fails if the record of a row would give other entries than the row.
func (t *Table[T]) verify(row *T, entries []entry) error {
	if row == nil {
		return nil
	}
	back, err := t.decode(entries[0].data)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrLossy, err)
	}
	for _, i := range t.indexes {
		if i.Of(back) != i.Of(*row) {
			return fmt.Errorf("%w: %s of %s is changed", ErrLossy, i.Name, t.spec.Prefix)
		}
	}
	return nil
}

// Text writes s so that parts may follow: values made of several parts sort part by
// part, and different parts give different values. A zero byte becomes 00 FF, and 00 01
// ends the part.
func Text(s string) string { return escape(s) + "\x00\x01" }

func escape(s string) string { return strings.ReplaceAll(s, "\x00", "\x00\xff") }

// Uint is eight bytes that sort like n.
func Uint(n uint64) string { return string(binary.BigEndian.AppendUint64(nil, n)) }

// Down is eight bytes that sort the other way round: for the newest first.
func Down(n uint64) string { return Uint(^n) }

// ParseUint reads what Uint wrote.
func ParseUint(s string) (n uint64, ok bool) {
	if len(s) != 8 {
		return 0, false
	}
	return binary.BigEndian.Uint64([]byte(s)), true
}

// Codec turns rows into bytes and back. Records carry the version that wrote them.
type Codec[T any] struct {
	Version byte // that Encode writes
	// Encode is JSON when nil.
	Encode func(T) ([]byte, error)
	// Decode is JSON when nil, of Version only.
	Decode func(version byte, data []byte) (T, error)
}

func (t *Table[T]) encode(row T) (string, error) {
	encode := t.spec.Codec.Encode
	if encode == nil {
		encode = func(row T) ([]byte, error) { return json.Marshal(row) }
	}
	data, err := encode(row)
	if err != nil {
		return "", fmt.Errorf("row of %s: %w", t.spec.Prefix, err)
	}
	return string(append([]byte{t.spec.Codec.Version}, data...)), nil
}

func (t *Table[T]) decode(data string) (row T, err error) {
	decode := t.spec.Codec.Decode
	if decode == nil {
		decode = t.decodeJSON
	}
	if data == "" {
		return row, fmt.Errorf("%w: an empty one in %s", ErrDamaged, t.spec.Prefix)
	}
	if row, err = decode(data[0], []byte(data[1:])); err != nil {
		return row, fmt.Errorf("%w: in %s: %w", ErrDamaged, t.spec.Prefix, err)
	}
	return row, nil
}

func (t *Table[T]) decodeJSON(version byte, data []byte) (row T, err error) {
	if version != t.spec.Codec.Version {
		return row, fmt.Errorf("version %d, this program knows version %d", version, t.spec.Codec.Version)
	}
	return row, json.Unmarshal(data, &row)
}

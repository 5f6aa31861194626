package table

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Keys in the store, and their data:
//
//	prefix ‖ Text(name of the key) ‖ Text(key)                 → version byte ‖ record
//	prefix ‖ Text(name of a unique index) ‖ Text(value)        → key
//	prefix ‖ Text(name of a sorted index) ‖ Text(value) ‖ key  → key
//	prefix ‖ Text("")                                          → the last id

// kind is the kind of an index.
type kind int

const (
	primary kind = iota
	unique
	sorted
)

type index struct {
	name    string
	kind    kind
	valueOf func(row any) string
}

// index returns the index with a name. It panics if there is no such index.
func (t *rows) index(name string) index {
	at := slices.IndexFunc(t.indexes, func(i index) bool { return i.name == name })
	if at < 0 {
		panic(fmt.Sprintf("table: %s has no index %q", t.prefix, name))
	}
	return t.indexes[at]
}

// entryKey returns the key of the entry for an index's value of the row with a key.
func (t *rows) entryKey(i index, value, key string) string {
	if i.kind != sorted {
		key = ""
	}
	return t.prefix + Text(i.name) + Text(value) + key
}

func (t *rows) rowKey(key string) string { return t.entryKey(t.indexes[0], key, "") }

// entry is a key-value pair that a row has in the store.
type entry struct {
	index, key, data string
	kind             kind
}

// entries returns the entries of a row: that of its record, followed by those in the indexes.
func (t *rows) entries(row any) ([]entry, error) {
	if row == nil {
		return nil, nil
	}
	record, err := t.encode(row)
	if err != nil {
		return nil, err
	}
	key := t.indexes[0].valueOf(row)
	all := make([]entry, len(t.indexes))
	for n, i := range t.indexes {
		all[n] = entry{i.name, t.entryKey(i, i.valueOf(row), key), key, i.kind}
	}
	all[0].data = record
	return all, nil
}

// verify returns an error if decoding the record of a row would result in other entries.
func (t *rows) verify(row any, entries []entry) error {
	if row == nil {
		return nil
	}
	back, err := t.decode(entries[0].data)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrLossy, err)
	}
	for _, i := range t.indexes {
		if i.valueOf(back) != i.valueOf(row) {
			return fmt.Errorf("%w: %s of %s is changed", ErrLossy, i.name, t.prefix)
		}
	}
	return nil
}

// Text encodes s such that further parts may follow: values that consist of several parts sort
// part by part, and different parts have different encodings. A zero byte becomes 00 FF, and 00
// 01 ends the part.
func Text(s string) string { return escape(s) + "\x00\x01" }

func escape(s string) string { return strings.ReplaceAll(s, "\x00", "\x00\xff") }

// Uint returns eight bytes that sort in the order of n.
func Uint(n uint64) string { return string(binary.BigEndian.AppendUint64(nil, n)) }

// Down returns eight bytes that sort in the reverse order of n, for listings with the newest
// first.
func Down(n uint64) string { return Uint(^n) }

// ParseUint decodes the result of Uint.
func ParseUint(s string) (n uint64, ok bool) {
	if len(s) != 8 {
		return 0, false
	}
	return binary.BigEndian.Uint64([]byte(s)), true
}

// Codec encodes and decodes rows. Records contain the version of the encoding.
type Codec[T any] struct {
	Version byte // version written by Encode
	// Encode encodes a row. If it is nil, JSON is used.
	Encode func(T) ([]byte, error)
	// Decode decodes a row. If it is nil, JSON is used, and only Version is accepted.
	Decode func(version byte, data []byte) (T, error)
}

// codec is a Codec of rows of unspecified type.
type codec struct {
	version byte
	encode  func(row any) ([]byte, error)
	decode  func(version byte, data []byte) (any, error)
}

func (c Codec[T]) untyped() codec {
	u := codec{version: c.Version, encode: json.Marshal}
	if c.Encode != nil {
		u.encode = func(row any) ([]byte, error) { return c.Encode(row.(T)) }
	}
	u.decode = func(version byte, data []byte) (any, error) {
		var row T
		err := decodeJSON(c.Version, version, data, &row)
		return row, err
	}
	if c.Decode != nil {
		u.decode = func(version byte, data []byte) (any, error) { return c.Decode(version, data) }
	}
	return u
}

func decodeJSON(known, version byte, data []byte, row any) error {
	if version != known {
		return fmt.Errorf("version %d, this program knows version %d", version, known)
	}
	return json.Unmarshal(data, row)
}

func (t *rows) encode(row any) (string, error) {
	data, err := t.codec.encode(row)
	if err != nil {
		return "", fmt.Errorf("row of %s: %w", t.prefix, err)
	}
	return string(append([]byte{t.codec.version}, data...)), nil
}

func (t *rows) decode(data string) (any, error) {
	if data == "" {
		return nil, fmt.Errorf("%w: an empty one in %s", ErrDamaged, t.prefix)
	}
	row, err := t.codec.decode(data[0], []byte(data[1:]))
	if err != nil {
		return nil, fmt.Errorf("%w: in %s: %w", ErrDamaged, t.prefix, err)
	}
	return row, nil
}

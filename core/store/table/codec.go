package table

import (
	"encoding/json"
	"fmt"
)

// Codec turns rows into bytes and back. Records carry the version that wrote them.
type Codec[T any] struct {
	Version byte // that Encode writes
	// Encode is JSON when nil.
	Encode func(T) ([]byte, error)
	// Decode is JSON when nil, of Version only.
	Decode func(version byte, data []byte) (T, error)
}

// codec is a Codec of rows whose type it does not know.
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

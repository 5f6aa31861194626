package walletfile

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
)

// Parse reads a file. Its errors are ErrFormat and name the field.
func Parse(text []byte) (*File, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // some editors put it before JSON
	if len(text) > maxFile {
		return nil, fmt.Errorf("%w: %d bytes, the limit is %d", ErrFormat, len(text), maxFile)
	}
	r := reader{}
	file := r.object(append([]byte{}, text...), "content")
	argon2 := r.object(r.object(file["key_derivation_details"], "key_derivation_details")["Argon2"], "Argon2")
	params := r.object(argon2["params"], "params")
	read(&r, file, "version", version)
	read(&r, file, "encryption_algorithm", cipherName)
	read(&r, params, "algorithm", kdfName)
	read(&r, params, "version", kdfVersion)
	read(&r, params, "output_len", keySize)
	f := &File{
		params:     Params{Memory: read[uint32](&r, params, "m_cost"), Passes: read[uint32](&r, params, "t_cost"), Lanes: read[uint8](&r, params, "p_cost")},
		saltAES:    r.bytes(argon2, "salt_aes", salts, saltSize),
		saltHMAC:   r.bytes(argon2, "salt_hmac", salts, saltSize),
		iv:         r.bytes(file, "iv", encoding, blockSize),
		ciphertext: r.bytes(file, "ciphertext", encoding, 0),
		tag:        r.bytes(file, "tag", encoding, tagSize),
	}
	r.check(f.params.check())
	if n := len(f.ciphertext); n == 0 || n%blockSize != 0 {
		r.check(fmt.Errorf("ciphertext has %d bytes, want a multiple of %d", n, blockSize))
	}
	if errors.Is(r.err, ErrFormat) {
		return nil, r.err
	}
	if r.err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, r.err)
	}
	return f, nil
}

// reader keeps the first error. It reads objects as maps, since encoding/json would take a
// key in other letter case for a field of a struct.
type reader struct{ err error }

func (r *reader) check(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) object(raw []byte, name string) (fields map[string]json.RawMessage) {
	if raw == nil {
		r.check(fmt.Errorf("missing field %q", name))
	} else if json.Unmarshal(raw, &fields) != nil || fields == nil {
		r.check(fmt.Errorf("%s must be a JSON object", name))
	}
	return fields
}

// read reads a required field, which has one of the wanted values if there are any.
func read[T comparable](r *reader, fields map[string]json.RawMessage, name string, want ...T) (value T) {
	raw, found := fields[name]
	if !found {
		r.check(fmt.Errorf("missing field %q", name))
		return value
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		r.check(fmt.Errorf("%s: %w", name, err))
	}
	if len(want) > 0 && value != want[0] {
		r.check(fmt.Errorf("unsupported %s %v, want %v", name, value, want[0]))
	}
	return value
}

// bytes reads a field in base64, of that size; 0 is any.
func (r *reader) bytes(fields map[string]json.RawMessage, name string, encoding *base64.Encoding, size int) []byte {
	b, err := encoding.DecodeString(read[string](r, fields, name))
	if err != nil {
		r.check(fmt.Errorf("%s: %w", name, err))
	}
	if size > 0 && len(b) != size {
		r.check(fmt.Errorf("%s has %d bytes, want %d", name, len(b), size))
	}
	return b
}

package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
)

// ErrHashText reports a hash that is not 64 hexadecimal digits.
var ErrHashText = errors.New("hash must be 64 hexadecimal digits")

// Hash is a double SHA-256 in wire order. Its text form (String, ParseHash) is
// the reverse, as every RPC of the family shows it.
type Hash [32]byte

// HashOf returns SHA256(SHA256(b)).
func HashOf(b []byte) Hash {
	first := sha256.Sum256(b)
	return sha256.Sum256(first[:])
}

// ParseHash reads the display form: exactly 64 hex digits of either case.
func ParseHash(s string) (Hash, error) {
	var h Hash
	if len(s) != 2*len(h) {
		return h, ErrHashText
	}
	if _, err := hex.Decode(h[:], []byte(s)); err != nil {
		return Hash{}, ErrHashText
	}
	return h.Reversed(), nil
}

// String is the display form.
func (h Hash) String() string {
	r := h.Reversed()
	return hex.EncodeToString(r[:])
}

// Reversed returns the bytes in the opposite order: display order, which is
// also how token payloads store a token id.
func (h Hash) Reversed() Hash {
	for i, j := 0, len(h)-1; i < j; i, j = i+1, j-1 {
		h[i], h[j] = h[j], h[i]
	}
	return h
}

// IsZero reports whether h is the null hash.
func (h Hash) IsZero() bool { return h == Hash{} }

// MarshalText writes the display form, so that JSON shows hashes as users know them.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText reads the display form.
func (h *Hash) UnmarshalText(b []byte) (err error) {
	*h, err = ParseHash(string(b))
	return err
}

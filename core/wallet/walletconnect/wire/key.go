package wire

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
)

// keyLength is the length of every key, in bytes.
const keyLength = 32

// ErrKey says that bytes or a text are no key.
var ErrKey = errors.New("invalid key")

// SymKey encrypts what is sent to one topic.
type SymKey [keyLength]byte

// NewSymKey makes a key from random.
func NewSymKey(random io.Reader) (k SymKey, err error) {
	if _, err := io.ReadFull(random, k[:]); err != nil {
		return k, fmt.Errorf("make a key: source of randomness: %w", err)
	}
	return k, nil
}

// Topic is where messages under the key are sent: the SHA-256 of the key in hexadecimal.
func (k SymKey) Topic() string {
	sum := sha256.Sum256(k[:])
	return hex.EncodeToString(sum[:])
}

// Format shows no secret, whatever the verb.
func (SymKey) Format(f fmt.State, _ rune) { fmt.Fprint(f, redacted) }

// redacted is all that printing a key shows.
const redacted = "[session key]"

// PrivateKey is an X25519 key of this end.
type PrivateKey [keyLength]byte

// NewPrivateKey makes a key from random.
func NewPrivateKey(random io.Reader) (PrivateKey, error) {
	k, err := NewSymKey(random)
	return PrivateKey(k), err
}

// Format shows no secret, whatever the verb.
func (PrivateKey) Format(f fmt.State, _ rune) { fmt.Fprint(f, redacted) }

// PublicKey is sent to the other end.
func (k PrivateKey) PublicKey() PublicKey {
	public, err := x25519(k, [keyLength]byte{9})
	if err != nil {
		panic("wire: X25519 takes any 32 bytes")
	}
	return public
}

// Agree is the key that this end shares with the owner of a public key. The error is
// ErrKey for a point of low order, with which everybody could make the key.
func (k PrivateKey) Agree(other PublicKey) (shared SymKey, err error) {
	secret, err := x25519(k, other)
	if err != nil {
		return shared, fmt.Errorf("%w: %w", ErrKey, err)
	}
	defer clear(secret[:])
	if secret == [keyLength]byte{} {
		return shared, fmt.Errorf("%w: public key is a point of low order", ErrKey)
	}
	return SymKey(Derive(secret, "")), nil
}

// Derive makes a key for a purpose out of a secret: HKDF (RFC 5869) with SHA-256, without
// salt. For 32 bytes that is two HMACs, and less in a page than crypto/hkdf.
func Derive(secret [keyLength]byte, purpose string) [keyLength]byte {
	extract := hmac.New(sha256.New, make([]byte, sha256.Size))
	extract.Write(secret[:])
	expand := hmac.New(sha256.New, extract.Sum(nil))
	expand.Write([]byte(purpose + "\x01"))
	return [keyLength]byte(expand.Sum(nil))
}

// PublicKey is the public part of a PrivateKey.
type PublicKey [keyLength]byte

// String is the key in hexadecimal, as messages have it.
func (k PublicKey) String() string { return hex.EncodeToString(k[:]) }

// ParsePublicKey reads 64 hexadecimal digits.
func ParsePublicKey(text string) (k PublicKey, err error) {
	if len(text) != 2*keyLength {
		return k, fmt.Errorf("%w: public key has %d characters, want %d", ErrKey, len(text), 2*keyLength)
	}
	if _, err := hex.Decode(k[:], []byte(text)); err != nil {
		return k, fmt.Errorf("%w: public key is not hexadecimal", ErrKey)
	}
	return k, nil
}

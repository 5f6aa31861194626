package wire

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// keyLength is the length of all keys, in bytes.
const keyLength = 32

// ErrKey means that bytes or a text are not a key.
var ErrKey = errors.New("invalid key")

// SymKey encrypts the messages on one topic.
type SymKey [keyLength]byte

// NewSymKey returns a key from random bytes.
func NewSymKey(random io.Reader) (k SymKey, err error) {
	if _, err := io.ReadFull(random, k[:]); err != nil {
		return k, fmt.Errorf("make a key: source of randomness: %w", err)
	}
	return k, nil
}

// Topic returns the topic of the key, which is its SHA-256 hash in hexadecimal.
func (k SymKey) Topic() string {
	sum := sha256.Sum256(k[:])
	return hex.EncodeToString(sum[:])
}

// Format prints redacted instead of the key, for every verb.
func (SymKey) Format(f fmt.State, _ rune) { fmt.Fprint(f, redacted) }

// redacted replaces a key in formatted text.
const redacted = "[session key]"

// PrivateKey is an X25519 private key.
type PrivateKey [keyLength]byte

// NewPrivateKey returns a key from random bytes.
func NewPrivateKey(random io.Reader) (PrivateKey, error) {
	k, err := NewSymKey(random)
	return PrivateKey(k), err
}

// Format prints redacted instead of the key, for every verb.
func (PrivateKey) Format(f fmt.State, _ rune) { fmt.Fprint(f, redacted) }

// PublicKey returns the public key to send to the other end.
func (k PrivateKey) PublicKey() PublicKey {
	public, err := x25519(k, [keyLength]byte{9})
	if err != nil {
		panic("wire: X25519 takes any 32 bytes")
	}
	return public
}

// Agree returns the key shared with the owner of a public key. It returns ErrKey for a point of
// low order, for which anyone could compute the shared key.
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

// Derive derives a key for a purpose from a secret with HKDF (RFC 5869), SHA-256 and no salt.
// For 32 bytes that takes two HMACs, and needs less code in a page than crypto/hkdf.
func Derive(secret [keyLength]byte, purpose string) [keyLength]byte {
	extract := hmac.New(sha256.New, make([]byte, sha256.Size))
	extract.Write(secret[:])
	expand := hmac.New(sha256.New, extract.Sum(nil))
	expand.Write([]byte(purpose + "\x01"))
	return [keyLength]byte(expand.Sum(nil))
}

// PublicKey is an X25519 public key.
type PublicKey [keyLength]byte

// String returns the key in hexadecimal, as in messages.
func (k PublicKey) String() string { return hex.EncodeToString(k[:]) }

// ParsePublicKey parses 64 hexadecimal digits.
func ParsePublicKey(text string) (k PublicKey, err error) {
	if len(text) != 2*keyLength {
		return k, fmt.Errorf("%w: public key has %d characters, want %d", ErrKey, len(text), 2*keyLength)
	}
	if _, err := hex.Decode(k[:], []byte(text)); err != nil {
		return k, fmt.Errorf("%w: public key is not hexadecimal", ErrKey)
	}
	return k, nil
}

// Pairing is the invitation that one end passes to the other, usually as a QR code.
type Pairing struct {
	Key     SymKey
	Expires time.Time
}

// URI returns the text of the QR code. It contains the key: anyone who reads it can approve the
// session.
func (p Pairing) URI() string {
	return "wc:" + p.Key.Topic() + "@2?expiryTimestamp=" + strconv.FormatInt(p.Expires.Unix(), 10) +
		"&relay-protocol=" + RelayProtocol + "&symKey=" + hex.EncodeToString(p.Key[:])
}

// RelayProtocol is the only relay protocol in use.
const RelayProtocol = "irn"

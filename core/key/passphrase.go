package key

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
)

// Errors of FromPassphrase and ParseWIF. The texts are Komodo DeFi Framework's,
// capital letters included, since its users search for them. None repeats what
// was given, which may be nearly the secret.
var (
	ErrEmptyPassphrase = errors.New("Passphrase cannot be an empty string")
	ErrChecksum        = errors.New("Provided WIF passphrase has invalid checksum!")
	ErrUncompressed    = errors.New("We only support compressed keys at the moment")
	ErrRawSecret       = errors.New("Error parsing passphrase: 0x must be followed by 64 hexadecimal digits")
	ErrInvalidSecret   = errors.New("Invalid private key: Invalid Secret")
	ErrNotWIF          = errors.New("not a WIF: base58 text of 37 or 38 bytes is expected")
)

// FromPassphrase gives the key of a node that is not an HD wallet. In this order:
// a text that has the shape of a WIF is one; a text that begins with 0x is the
// secret in hexadecimal; every other text, BIP 39 phrases too, is hashed.
func FromPassphrase(passphrase string) (*Private, error) {
	if passphrase == "" {
		return nil, ErrEmptyPassphrase
	}
	if p, err := ParseWIF(passphrase); !errors.Is(err, ErrNotWIF) {
		return p, err
	}
	if digits, ok := strings.CutPrefix(passphrase, "0x"); ok {
		return fromHex(digits)
	}
	return fromText(passphrase)
}

func fromHex(digits string) (*Private, error) {
	secret, err := hex.DecodeString(digits)
	if err != nil || len(secret) != 32 {
		return nil, ErrRawSecret
	}
	return newPrivate([32]byte(secret))
}

// fromText clamps the hash as Curve25519 does: the rule comes from the days when
// one passphrase served Nxt accounts too, and every existing key depends on it.
func fromText(text string) (*Private, error) {
	h := sha256.Sum256([]byte(text))
	h[0] &= 248
	h[31] &= 127
	h[31] |= 64
	return newPrivate(h)
}

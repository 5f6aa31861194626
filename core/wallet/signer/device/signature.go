package device

import (
	"strings"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"

	"obverse/core/key"
)

// Verified returns a signature of r and s, with the lower of the two possible s, and the
// recovery number for the key. If the signature is not by the key, it fails, since the device
// signed something else or with another key. what names the request.
func Verified(what string, r, s [32]byte, hash [32]byte, public [33]byte) (key.Signature, error) {
	var a, b btcec.ModNScalar
	over := a.SetBytes(&r) | b.SetBytes(&s)
	if over == 0 && !a.IsZero() && !b.IsZero() {
		if b.IsOverHalfOrder() {
			b.Negate()
		}
		signature := key.Signature{R: r, S: b.Bytes()}
		for signature.Recovery = range byte(2) {
			if signer(signature, hash) == public {
				return signature, nil
			}
		}
	}
	return key.Signature{}, Failf(InvalidSignature, "%s: invalid signature from the device: it does not belong to this message and account", what)
}

// signer returns the key that made a signature, or zeros.
func signer(s key.Signature, hash [32]byte) (public [33]byte) {
	const compressed = 27 + 4 // first byte of a compact signature of a compressed key
	compact := append([]byte{compressed + s.Recovery}, s.R[:]...)
	found, _, err := ecdsa.RecoverCompact(append(compact, s.S[:]...), hash[:])
	if err == nil {
		copy(public[:], found.SerializeCompressed())
	}
	return public
}

// PublicKey parses a key of 33 or 65 bytes in a device's answer.
func PublicKey(what string, b []byte) (public [33]byte, err error) {
	parsed, err := btcec.ParsePubKey(b)
	if err != nil {
		return public, Failf(InvalidAnswer, "%s: invalid public key of %d bytes from the device", what, len(b))
	}
	copy(public[:], parsed.SerializeCompressed())
	return public, nil
}

// SameKey returns an error if the key of a device at a path is not the account's.
func SameKey(what string, got, want [33]byte, path key.Path) error {
	if got != want {
		return Failf(Unexpected, "%s: this device holds another key at %s than the account's: connect the device that the coin was activated with", what, path)
	}
	return nil
}

// maxSaid is the maximum length of a device's text that is displayed.
const maxSaid = 100

// Said formats a device's error text as a colon and the text, with only its printable ASCII
// characters.
func Said(data []byte) string {
	if text := Printable(data); text != "" {
		return ": " + text
	}
	return ""
}

// Printable returns the beginning of a device's text, with only its printable ASCII characters.
func Printable(data []byte) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, string(data[:min(len(data), maxSaid)]))
}

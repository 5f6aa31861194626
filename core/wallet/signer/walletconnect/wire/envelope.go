package wire

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"

	"golang.org/x/crypto/chacha20poly1305"
)

// MaxEnvelope limits the size of an envelope, in bytes.
const MaxEnvelope = 512 << 10

// typeShared is the type of envelopes that are encrypted with the key of the topic.
const typeShared byte = 0

// ErrEnvelope means that a text is not an envelope, or was encrypted with another key.
var ErrEnvelope = errors.New("invalid envelope")

// Seal encrypts a message with the key of a topic.
func Seal(k SymKey, random io.Reader, plain []byte) (string, error) {
	return seal([]byte{typeShared}, k, random, plain)
}

func seal(head []byte, k SymKey, random io.Reader, plain []byte) (string, error) {
	box, err := chacha20poly1305.New(k[:])
	if err != nil {
		return "", err
	}
	var nonce [chacha20poly1305.NonceSize]byte
	if _, err := io.ReadFull(random, nonce[:]); err != nil {
		return "", fmt.Errorf("encrypt a message: source of randomness: %w", err)
	}
	head = append(head, nonce[:]...)
	if size := base64.StdEncoding.EncodedLen(len(head) + len(plain) + box.Overhead()); size > MaxEnvelope {
		return "", fmt.Errorf("%w: message has %d bytes when encrypted, limit %d", ErrEnvelope, size, MaxEnvelope)
	}
	return base64.StdEncoding.EncodeToString(box.Seal(head, nonce[:], plain, nil)), nil
}

// Open decrypts an envelope of Seal. It returns ErrEnvelope.
func Open(k SymKey, text string) ([]byte, error) {
	kind, body, err := unpack(text)
	if err != nil {
		return nil, err
	}
	if kind != typeShared {
		return nil, fmt.Errorf("%w: type is %d, want %d", ErrEnvelope, kind, typeShared)
	}
	return open(k, body)
}

func unpack(text string) (kind byte, body []byte, err error) {
	if len(text) > MaxEnvelope {
		return 0, nil, fmt.Errorf("%w: %d bytes, limit %d", ErrEnvelope, len(text), MaxEnvelope)
	}
	all, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(all) == 0 {
		return 0, nil, fmt.Errorf("%w: not base64", ErrEnvelope)
	}
	return all[0], all[1:], nil
}

func open(k SymKey, body []byte) ([]byte, error) {
	const nonce = chacha20poly1305.NonceSize
	if len(body) < nonce+chacha20poly1305.Overhead {
		return nil, fmt.Errorf("%w: truncated", ErrEnvelope)
	}
	box, err := chacha20poly1305.New(k[:])
	if err != nil {
		return nil, err
	}
	plain, err := box.Open(nil, body[:nonce], body[nonce:], nil)
	if err != nil {
		return nil, fmt.Errorf("%w: not encrypted under this key", ErrEnvelope)
	}
	return plain, nil
}

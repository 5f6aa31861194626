package key

import (
	"bytes"
	"crypto/sha256"

	"github.com/btcsuite/btcd/btcutil/base58"
)

const (
	wifVersion      = 188 // Komodo and every asset chain
	compressedMark  = 1   // after the secret: the public key is the compressed one
	maxWIFText      = 52  // what 38 bytes can need in base58
	checksumLen     = 4
	uncompressedLen = 1 + 32 + checksumLen
	compressedLen   = 1 + 32 + 1 + checksumLen
)

// WIF is the key in wallet import format with version byte 188, as komodod's
// dumpprivkey shows it. It is the secret.
func (p *Private) WIF() string {
	secret := p.scalar.open().Key.Bytes()
	return base58.CheckEncode(append(secret[:], compressedMark), wifVersion)
}

// ParseWIF reads a compressed key with any version byte: users bring the WIF of
// whatever coin they have. A text of another shape is ErrNotWIF.
func ParseWIF(text string) (*Private, error) {
	if len(text) > maxWIFText {
		return nil, ErrNotWIF
	}
	data := base58.Decode(text)
	if !hasWIFShape(data) {
		return nil, ErrNotWIF
	}
	body, sum := data[:len(data)-checksumLen], data[len(data)-checksumLen:]
	if want := doubleSHA256(body); !bytes.Equal(want[:checksumLen], sum) {
		return nil, ErrChecksum
	}
	if len(data) == uncompressedLen {
		return nil, ErrUncompressed
	}
	return newPrivate([32]byte(body[1:33]))
}

func hasWIFShape(data []byte) bool {
	switch len(data) {
	case uncompressedLen:
		return true
	case compressedLen:
		return data[33] == compressedMark
	}
	return false
}

func doubleSHA256(b []byte) [32]byte {
	first := sha256.Sum256(b)
	return sha256.Sum256(first[:])
}

// Package address parses and formats the addresses of Cosmos chains. An address is the prefix
// of a chain and 20 or 32 bytes of an account, in bech32.
//
// Sources: BIP 173 (bech32); Cosmos SDK types/address.go and crypto/keys (hashes of keys);
// Komodo DeFi Framework coins/tendermint/tendermint_coin.rs.
//
// Invariant: An Address is valid and has exactly one text.
package address

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/btcsuite/btcd/btcutil/bech32"
	//lint:ignore SA1019 addresses are made with RIPEMD-160
	"golang.org/x/crypto/ripemd160"

	"obverse/core/key"
)

// Lengths of an address without its prefix, in bytes.
const (
	KeyLength    = 20 // address of an account with a key
	ModuleLength = 32 // address of an account that a module created
)

// Reasons why a text is not an address.
var (
	ErrForm     = errors.New("not a bech32 address")
	ErrChecksum = errors.New("invalid checksum in the address")
	ErrLength   = errors.New("not the length of an address")
)

// OtherChainError means that a text is an address with the prefix of another chain.
type OtherChainError struct{ Want, Got string }

func (e *OtherChainError) Error() string {
	return fmt.Sprintf("an address of another chain: it begins with %s, those of this chain with %s", e.Got, e.Want)
}

// Address is the address of an account. The zero value is not a valid address.
type Address struct {
	prefix string
	bytes  string // 20 or 32
}

// New returns the address of a prefix and 20 or 32 bytes.
func New(prefix string, account []byte) (Address, error) {
	if err := checkLength(account); err != nil {
		return Address{}, err
	}
	a := Address{prefix, string(account)}
	text, err := a.encode()
	if err != nil {
		return Address{}, fmt.Errorf("%w: invalid prefix %q", ErrForm, prefix)
	}
	// The bech32 package encodes prefixes with capital letters, which it does not decode.
	if back, err := Parse(text); err != nil || back != a {
		return Address{}, fmt.Errorf("%w: invalid prefix %q", ErrForm, prefix)
	}
	return a, nil
}

// FromKey returns the address of a compressed secp256k1 key, which is the RIPEMD-160 of its
// SHA-256.
func FromKey(prefix string, public [33]byte) (Address, error) {
	return New(prefix, hash160(public[:]))
}

// FromExternal returns the address of an external wallet's key. The address of an ed25519 key
// is the beginning of its SHA-256.
func FromExternal(prefix string, k key.ExternalKey) (Address, error) {
	switch k.Algorithm() {
	case key.Ed25519:
		sum := sha256.Sum256(k.Bytes())
		return New(prefix, sum[:KeyLength])
	case key.Secp256k1:
		return New(prefix, hash160(k.Bytes()))
	case key.AccountID:
		return New(prefix, k.Bytes())
	}
	return Address{}, fmt.Errorf("%w: there is no key", ErrForm)
}

func hash160(b []byte) []byte {
	sum := sha256.Sum256(b)
	h := ripemd160.New()
	h.Write(sum[:])
	return h.Sum(nil)
}

// Parse parses an address of any chain. It may be all upper case, as in QR codes. Its errors are
// ErrForm, ErrChecksum and ErrLength.
func Parse(text string) (Address, error) { return parse(text, nil) }

// Check parses an address of the chain with the prefix. Its errors are the errors of Parse and
// *OtherChainError. It also returns *OtherChainError for a bech32 text that is not an address
// of a Cosmos chain.
func Check(text, prefix string) (Address, error) { return parse(text, &prefix) }

// parse parses an address with the wanted prefix, or with any prefix if wanted is nil.
func parse(text string, wanted *string) (Address, error) {
	prefix, groups, version, err := bech32.DecodeGeneric(text)
	if mistake := (bech32.ErrInvalidChecksum{}); errors.As(err, &mistake) {
		return Address{}, ErrChecksum
	}
	if err != nil {
		return Address{}, ErrForm
	}
	if wanted != nil && prefix != *wanted {
		return Address{}, &OtherChainError{Want: *wanted, Got: prefix}
	}
	if version != bech32.Version0 {
		return Address{}, fmt.Errorf("%w, but one in bech32m", ErrForm)
	}
	account, err := bech32.ConvertBits(groups, 5, 8, false)
	if err != nil {
		return Address{}, ErrForm
	}
	if err := checkLength(account); err != nil {
		return Address{}, err
	}
	return Address{prefix, string(account)}, nil
}

func checkLength(account []byte) error {
	if len(account) == KeyLength || len(account) == ModuleLength {
		return nil
	}
	return fmt.Errorf("%w: it has %d bytes, not %d or %d", ErrLength, len(account), KeyLength, ModuleLength)
}

// Prefix returns the prefix of the chain.
func (a Address) Prefix() string { return a.prefix }

// Bytes returns the bytes after the prefix.
func (a Address) Bytes() []byte { return []byte(a.bytes) }

// With returns the address of the same account on another chain.
func (a Address) With(prefix string) (Address, error) { return New(prefix, a.Bytes()) }

// String returns the address in lower case, and "" for the zero value.
func (a Address) String() string {
	text, err := a.encode()
	if err != nil { // only for the zero value
		return ""
	}
	return text
}

func (a Address) encode() (string, error) {
	if a.bytes == "" {
		return "", ErrForm
	}
	groups, err := bech32.ConvertBits([]byte(a.bytes), 8, 5, true)
	if err != nil {
		return "", err
	}
	return bech32.Encode(a.prefix, groups)
}

package script

import (
	"errors"
	"fmt"

	"github.com/btcsuite/btcd/btcutil/base58"
)

// Address versions. Main and regtest share them (chainparams.cpp).
const (
	PubKeyHashVersion = 60 // R…
	ScriptHashVersion = 85 // b…
)

// Reasons of ParseAddress.
var (
	ErrAddressFormat   = errors.New("address is not base58check")
	ErrAddressChecksum = errors.New("address has a wrong checksum")
	ErrAddressSize     = errors.New("address does not hold 20 bytes")
	ErrAddressVersion  = errors.New("address is of another chain")
)

// Address is the destination of an output: the Hash160 of a public key or of a bare condition
// script (PubKeyHashVersion), or of a redeem script (ScriptHashVersion).
type Address struct {
	Version byte
	Hash    [20]byte
}

// PubKeyAddress is the address of a public key, and of any bytes hashed like one.
func PubKeyAddress(pub []byte) Address { return Address{PubKeyHashVersion, Hash160(pub)} }

// ScriptAddress is the P2SH address of a redeem script.
func ScriptAddress(redeem []byte) Address { return Address{ScriptHashVersion, Hash160(redeem)} }

// maxAddressText is well above the 34 characters of an address; longer texts are
// not worth decoding, which takes time that grows with the square of the length.
const maxAddressText = 64

// ParseAddress reads the base58check text of an address of this chain family. It
// fails with one of the ErrAddress reasons.
func ParseAddress(text string) (Address, error) {
	if len(text) > maxAddressText {
		return Address{}, ErrAddressSize
	}
	hash, version, err := base58.CheckDecode(text)
	switch {
	case errors.Is(err, base58.ErrChecksum):
		return Address{}, ErrAddressChecksum
	case err != nil:
		return Address{}, ErrAddressFormat
	case len(hash) != 20:
		return Address{}, fmt.Errorf("%w: %d", ErrAddressSize, len(hash))
	case version != PubKeyHashVersion && version != ScriptHashVersion:
		return Address{}, fmt.Errorf("%w: version %d", ErrAddressVersion, version)
	}
	return Address{version, [20]byte(hash)}, nil
}

// String is the base58check text.
func (a Address) String() string { return base58.CheckEncode(a.Hash[:], a.Version) }

// MarshalText writes the base58check text.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText is ParseAddress.
func (a *Address) UnmarshalText(b []byte) (err error) {
	*a, err = ParseAddress(string(b))
	return err
}

// PkScript returns the output script that pays to the address. For the address of a condition
// it returns P2PKH, not the condition's script, as in upstream: the address is the same for
// both.
func (a Address) PkScript() []byte {
	if a.Version == ScriptHashVersion {
		return PayToScriptHash(a.Hash)
	}
	return PayToPubKeyHash(a.Hash)
}

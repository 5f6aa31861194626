// Package address formats and parses addresses of EVM networks. An address is 0x and 40
// hexadecimal digits, with a checksum in the case of the digits. It is the same on all
// networks, but some networks have another checksum.
//
// Sources: Ethereum's yellow paper, section 4 and appendix F; EIP-55; EIP-1191.
//
// Invariant: Parse accepts the result of String, and rejects wrong checksums.
package address

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"obverse/core/text"

	"github.com/btcsuite/btcd/btcec/v2"
	"golang.org/x/crypto/sha3"
)

// Size is the length of an address in bytes.
const Size = 20

// Address is the address of an account or a contract.
type Address [Size]byte

// Reasons why a text is not an address.
var (
	ErrForm     = errors.New("an address is 0x and 40 hexadecimal digits")
	ErrChecksum = errors.New("checksum of the address is wrong")
	// ErrKey means that 33 bytes are not a public key.
	ErrKey = errors.New("not a compressed public key on the curve")
)

// Keccak returns the Keccak-256 hash that Ethereum uses, which differs from SHA3-256.
func Keccak(parts ...[]byte) (sum [32]byte) {
	hash := sha3.NewLegacyKeccak256()
	for _, part := range parts {
		hash.Write(part)
	}
	hash.Sum(sum[:0])
	return sum
}

// TextHash returns the hash of a text that wallets sign with personal_sign (EIP-191, version
// 0x45).
func TextHash(text string) [32]byte {
	return Keccak([]byte("\x19Ethereum Signed Message:\n"+strconv.Itoa(len(text))), []byte(text))
}

// Uncompress returns the uncompressed form of a public key: 04 and both coordinates.
func Uncompress(public [33]byte) (all [65]byte, err error) {
	parsed, err := btcec.ParsePubKey(public[:])
	if err != nil {
		return all, ErrKey
	}
	copy(all[:], parsed.SerializeUncompressed())
	return all, nil
}

// FromKey returns the address of a public key.
func FromKey(public [33]byte) (a Address, err error) {
	all, err := Uncompress(public)
	if err != nil {
		return a, err
	}
	sum := Keccak(all[1:])
	copy(a[:], sum[32-Size:])
	return a, nil
}

// String returns the address with its checksum.
func (a Address) String() string { return a.checksummed("") }

// checksummed returns the address with the checksum of prefix and the digits.
func (a Address) checksummed(prefix string) string {
	digits := []byte(hex.EncodeToString(a[:]))
	sum := Keccak([]byte(prefix), digits)
	for i, digit := range digits {
		half := sum[i/2] >> 4
		if i%2 == 1 {
			half = sum[i/2] & 15
		}
		if digit >= 'a' && half >= 8 {
			digits[i] = digit - 'a' + 'A'
		}
	}
	return "0x" + string(digits)
}

// Plain returns the address in lower case.
func (a Address) Plain() string { return text.Hex(a[:]) }

// IsZero reports whether a is the zero address.
func (a Address) IsZero() bool { return a == Address{} }

// IsReserved reports whether an address is reserved for precompiled and system contracts
// (EIP-1352). Only the last two bytes of such an address are not 0, and no key has one.
func (a Address) IsReserved() bool { return [Size - 2]byte(a[:Size-2]) == [Size - 2]byte{} }

// ParseAny parses an address and ignores its checksum, which differs between networks (EIP-1191).
// It is for addresses from nodes.
func ParseAny(text string) (Address, error) { return Parse(strings.ToLower(text)) }

// ParseOn is like Parse, but also accepts the checksum of EIP-1191 on Rootstock and its test
// network.
func ParseOn(chain uint64, text string) (Address, error) {
	a, err := Parse(text)
	if errors.Is(err, ErrChecksum) && (chain == 30 || chain == 31) {
		parsed, _ := ParseAny(text) // cannot fail, since only the checksum was wrong
		if text == parsed.checksummed(strconv.FormatUint(chain, 10)+"0x") {
			return parsed, nil
		}
	}
	return a, err
}

// Parse parses an address. If its digits are of mixed case, the checksum must be correct.
func Parse(text string) (a Address, err error) {
	digits, found := strings.CutPrefix(text, "0x")
	if !found {
		return a, fmt.Errorf("%w: it must be prefixed with 0x", ErrForm)
	}
	if len(digits) != 2*Size {
		return a, fmt.Errorf("%w: it has %d digits", ErrForm, len(digits))
	}
	if _, err := hex.Decode(a[:], []byte(digits)); err != nil {
		return Address{}, ErrForm
	}
	if digits != strings.ToLower(digits) && digits != strings.ToUpper(digits) && text != a.String() {
		return Address{}, ErrChecksum
	}
	return a, nil
}

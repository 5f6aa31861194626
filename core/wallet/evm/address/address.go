// Package address writes and reads addresses of EVM networks: 0x and 40 hexadecimal
// digits, whose capitals are a checksum. An address is the same on all networks, but some
// have another checksum.
//
// Sources: Ethereum's yellow paper, section 4 and appendix F; EIP-55; EIP-1191.
//
// Invariant: what String writes is what Parse reads, and a checksum that is wrong is
// refused.
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

// Address is one of an account or a contract.
type Address [Size]byte

// Reasons for which a text is no address.
var (
	ErrForm     = errors.New("an address is 0x and 40 hexadecimal digits")
	ErrChecksum = errors.New("checksum of the address is wrong")
	// ErrKey says that 33 bytes are no public key.
	ErrKey = errors.New("not a compressed public key on the curve")
)

// Keccak is Keccak-256 as Ethereum has it, which is not SHA3-256.
func Keccak(parts ...[]byte) (sum [32]byte) {
	hash := sha3.NewLegacyKeccak256()
	for _, part := range parts {
		hash.Write(part)
	}
	hash.Sum(sum[:0])
	return sum
}

// TextHash is what wallets sign of a text at personal_sign: EIP-191, version 0x45.
func TextHash(text string) [32]byte {
	return Keccak([]byte("\x19Ethereum Signed Message:\n"+strconv.Itoa(len(text))), []byte(text))
}

// Uncompress gives both coordinates of a compressed public key, behind 04.
func Uncompress(public [33]byte) (all [65]byte, err error) {
	parsed, err := btcec.ParsePubKey(public[:])
	if err != nil {
		return all, ErrKey
	}
	copy(all[:], parsed.SerializeUncompressed())
	return all, nil
}

// OfKey is the address of a public key.
func OfKey(public [33]byte) (a Address, err error) {
	all, err := Uncompress(public)
	if err != nil {
		return a, err
	}
	sum := Keccak(all[1:])
	copy(a[:], sum[32-Size:])
	return a, nil
}

// String writes the address with its checksum.
func (a Address) String() string { return a.checksummed("") }

// checksummed writes the address with a checksum for which the digits have something before them.
func (a Address) checksummed(before string) string {
	digits := []byte(hex.EncodeToString(a[:]))
	sum := Keccak([]byte(before), digits)
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

// Plain writes the address in small letters.
func (a Address) Plain() string { return text.Hex(a[:]) }

// IsZero tells the address that nobody has.
func (a Address) IsZero() bool { return a == Address{} }

// IsReserved reports whether an address is one of those that networks keep for precompiled and
// system contracts, of which the last two bytes alone are not 0 (EIP-1352). No key has one.
func (a Address) IsReserved() bool { return [Size - 2]byte(a[:Size-2]) == [Size - 2]byte{} }

// ParseAny reads an address whose capitals mean nothing, as of a node: networks differ in the
// checksum (EIP-1191).
func ParseAny(text string) (Address, error) { return Parse(strings.ToLower(text)) }

// ParseOn is Parse for a network, whose own checksum counts, too: that of EIP-1191, which
// Rootstock and its test network have.
func ParseOn(chain uint64, text string) (Address, error) {
	a, err := Parse(text)
	if errors.Is(err, ErrChecksum) && (chain == 30 || chain == 31) {
		own, _ := ParseAny(text) // which it is but for its capitals
		if text == own.checksummed(strconv.FormatUint(chain, 10)+"0x") {
			return own, nil
		}
	}
	return a, err
}

// Parse reads an address. Digits in both capitals and small letters have to be those of
// the checksum.
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

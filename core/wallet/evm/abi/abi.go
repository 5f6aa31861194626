// Package abi encodes calls of contracts and decodes their return values, for the functions of
// ERC-20, ERC-721 and ERC-1155 that a wallet needs. Their arguments are mostly addresses and
// numbers.
//
// Sources: Solidity's contract ABI specification; ERC-20; ERC-721.
//
// Invariant: Numbers of up to 256 bits are exact.
package abi

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"unicode"
	"unicode/utf8"

	"obverse/core/text"
	"obverse/core/wallet/evm/address"
)

// Functions, by the first four bytes of the Keccak-256 of their signatures.
const (
	BalanceOf uint32 = 0x70a08231 // balanceOf(address) → uint256
	Decimals  uint32 = 0x313ce567 // decimals() → uint8
	Symbol    uint32 = 0x95d89b41 // symbol() → string
	Allowance uint32 = 0xdd62ed3e // allowance(address,address) → uint256
	Transfer  uint32 = 0xa9059cbb // transfer(address,uint256) → bool

	TransferFrom      uint32 = 0x23b872dd // transferFrom(address,address,uint256)
	SafeTransferFrom  uint32 = 0x42842e0e // safeTransferFrom(address,address,uint256), of NFTs
	Approve           uint32 = 0x095ea7b3 // approve(address,uint256)
	IncreaseAllowance uint32 = 0x39509351 // increaseAllowance(address,uint256)
	OwnerOf           uint32 = 0x6352211e // ownerOf(uint256) → address, of ERC-721
	BalanceOfID       uint32 = 0x00fdd58e // balanceOf(address,uint256) → uint256, of ERC-1155
	// SafeTransferMultiple is safeTransferFrom(address,address,uint256,uint256,bytes), of ERC-1155.
	SafeTransferMultiple uint32 = 0xf242432a

	SetApprovalForAll uint32 = 0xa22cb465 // setApprovalForAll(address,bool), of NFTs

	SupportsInterface uint32 = 0x01ffc9a7 // supportsInterface(bytes4) → bool, ERC-165
	TokenOfOwner      uint32 = 0x2f745c59 // tokenOfOwnerByIndex(address,uint256) → uint256, of ERC-721
	Name              uint32 = 0x06fdde03 // name() → string
	TokenURI          uint32 = 0xc87b56dd // tokenURI(uint256) → string, of ERC-721
	URI               uint32 = 0x0e89341c // uri(uint256) → string, of ERC-1155

	L1FeeUpperBound uint32 = 0xf1c7a58b // getL1FeeUpperBound(uint256) → uint256, of the OP Stack's GasPriceOracle
	L1Fee           uint32 = 0x49948e0e // getL1Fee(bytes) → uint256, of the same
	OperatorFee     uint32 = 0x275aedd2 // getOperatorFee(uint256) → uint256, of the same
)

// wordSize is the size of an argument in bytes.
const wordSize = 32

// Word is an encoded argument or return value.
type Word [wordSize]byte

// ErrReturn means that a contract returned data of another type than the function's.
var ErrReturn = errors.New("unexpected return value of the contract")

// Uint encodes a number from 0 to 2^256-1.
func Uint(n *big.Int) (w Word) {
	n.FillBytes(w[:])
	return w
}

// Address encodes an address.
func Address(a address.Address) (w Word) {
	copy(w[wordSize-address.Size:], a[:])
	return w
}

// Call returns the data of a call.
func Call(function uint32, arguments ...Word) []byte {
	data := []byte{byte(function >> 24), byte(function >> 16), byte(function >> 8), byte(function)}
	for _, w := range arguments {
		data = append(data, w[:]...)
	}
	return data
}

// CallBytes returns the data of a call with a single argument of type bytes.
func CallBytes(function uint32, argument []byte) []byte {
	data := Call(function, Uint(big.NewInt(wordSize)), Uint(big.NewInt(int64(len(argument)))))
	padding := (wordSize - len(argument)%wordSize) % wordSize
	return append(append(data, argument...), make([]byte, padding)...)
}

// Failed returns the name of the ERC-20 function in data if it returned false, which means that
// it did nothing. Otherwise it returns "". Some tokens return no data.
func Failed(data, returned []byte) string {
	if len(returned) < wordSize || new(big.Int).SetBytes(returned[:wordSize]).Sign() != 0 {
		return ""
	}
	for _, f := range []struct {
		function uint32
		name     string
	}{{Transfer, "transfer"}, {TransferFrom, "transferFrom"}, {Approve, "approve"}, {IncreaseAllowance, "increaseAllowance"}} {
		if bytes.HasPrefix(data, Call(f.function)) {
			return f.name
		}
	}
	return ""
}

// ReadUint decodes a returned number of at most the given number of bits. Its error is ErrReturn,
// also for an account that is not a contract.
func ReadUint(returned []byte, bits int) (*big.Int, error) {
	if len(returned) == 0 {
		return nil, fmt.Errorf("%w: empty, the address may not be a contract", ErrReturn)
	}
	if len(returned) < wordSize {
		return nil, fmt.Errorf("%w: %d bytes", ErrReturn, len(returned))
	}
	n := new(big.Int).SetBytes(returned[:wordSize])
	if n.BitLen() > bits {
		return nil, fmt.Errorf("%w: number has %d bits, limit is %d", ErrReturn, n.BitLen(), bits)
	}
	return n, nil
}

// maxText is the maximum length of a text in bytes.
const maxText = 256

// ReadText decodes a returned text of one line. The text is a string or, from older tokens, 32
// bytes padded with zeros. Its error is ErrReturn.
func ReadText(returned []byte) (string, error) {
	words, err := ReadString(returned, maxText)
	if err != nil {
		return "", err
	}
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	if !utf8.ValidString(words) || strings.ContainsFunc(words, unprintable) || text.Visible(words) != words {
		return "", fmt.Errorf("%w: the text cannot be printed", ErrReturn)
	}
	return words, nil
}

// ReadString is like ReadText, for a text of at most limit arbitrary bytes. Its error is ErrReturn.
func ReadString(returned []byte, limit int) (string, error) {
	if len(returned) == wordSize {
		return string(bytes.TrimRight(returned, "\x00")), nil
	}
	offset, err := ReadUint(returned, 64)
	if err != nil {
		return "", err
	}
	if offset.Cmp(big.NewInt(int64(len(returned)))) > 0 {
		return "", fmt.Errorf("%w: %d bytes, and the text begins at %s", ErrReturn, len(returned), offset)
	}
	rest := returned[offset.Uint64():]
	size, err := ReadUint(rest, 64)
	if err != nil {
		return "", err
	}
	if size.Cmp(big.NewInt(int64(min(len(rest)-wordSize, limit)))) > 0 {
		return "", fmt.Errorf("%w: a text of %s bytes, limit is %d", ErrReturn, size, limit)
	}
	return string(rest[wordSize : wordSize+int(size.Int64())]), nil
}

// ReadTransfer decodes a call of Transfer. ok is false for other data.
func ReadTransfer(data []byte) (to address.Address, amount *big.Int, ok bool) {
	words, ok := ReadCall(data, Transfer, 2)
	if !ok {
		return to, nil, false
	}
	copy(to[:], words[0][wordSize-address.Size:])
	return to, words[1].Uint(), true
}

// ReadCall decodes a call of a function with the given number of arguments. ok is false for other
// data.
func ReadCall(data []byte, function uint32, arguments int) (words []Word, ok bool) {
	if len(data) != 4+arguments*wordSize || string(data[:4]) != string(Call(function)) {
		return nil, false
	}
	for rest := data[4:]; len(rest) > 0; rest = rest[wordSize:] {
		words = append(words, Word(rest[:wordSize]))
	}
	return words, true
}

// Uint returns the word as a number.
func (w Word) Uint() *big.Int { return new(big.Int).SetBytes(w[:]) }

// Address returns the word as an address. ok is false if it has more than 20 bytes.
func (w Word) Address() (a address.Address, ok bool) {
	copy(a[:], w[wordSize-address.Size:])
	return a, w == Address(a)
}

// ReadUints decodes an argument of a call, or a value of an event, that is a list of numbers. It
// returns nil for other data.
func ReadUints(data []byte, argument int) (list []*big.Int) {
	from := argument * wordSize
	if from+wordSize > len(data) {
		return nil
	}
	offset, err := ReadUint(data[from:], 31)
	if err != nil || offset.Int64()+wordSize > int64(len(data)) {
		return nil
	}
	data = data[offset.Int64():]
	count, err := ReadUint(data, 31)
	if err != nil || (count.Int64()+1)*wordSize > int64(len(data)) {
		return nil
	}
	for i := int64(1); i <= count.Int64(); i++ {
		list = append(list, new(big.Int).SetBytes(data[i*wordSize:(i+1)*wordSize]))
	}
	return list
}

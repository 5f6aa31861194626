package eip712

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"obverse/core/text"
	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
)

// arrayType parses "T[2]", and "T[]" with a count of -1.
func arrayType(name string) (element string, count int, is bool) {
	inside, is := strings.CutSuffix(name, "]")
	start := strings.LastIndexByte(inside, '[')
	if !is || start < 0 {
		return "", 0, false
	}
	digits := inside[start+1:]
	if digits == "" {
		return inside[:start], -1, true
	}
	count, err := strconv.Atoi(digits)
	return inside[:start], count, err == nil && count >= 0 && strconv.Itoa(count) == digits
}

func (e *encoder) array(path, element string, count int, value any, hash *[32]byte) error {
	list, is := value.([]any)
	switch {
	case len(path) > maxPath:
		return invalid("%s… is nested too deeply", at(path))
	case !is:
		return invalid("%s must be a list", at(path))
	case count >= 0 && len(list) != count:
		return invalid("%s has %d elements, want %d", at(path), len(list), count)
	case len(list) == 0:
		e.show(path, "(empty)")
	}
	var encoded []byte
	var word [32]byte
	for i, member := range list {
		if err := e.value(path+"["+strconv.Itoa(i)+"]", element, member, &word); err != nil {
			return err
		}
		encoded = append(encoded, word[:]...)
	}
	*hash = address.Keccak(encoded)
	return nil
}

// encoding encodes a value into a word of zeros, and returns its display text.
type encoding func(value any, word *[32]byte) (display string, err error)

// basicType returns the encoding of a type that is neither a struct nor an array, in data for a
// chain.
func basicType(name string, chain uint64) (encoding, bool) {
	switch name {
	case "bool":
		return encodeBool, true
	case "address":
		return addressOn(chain), true
	case "string":
		return encodeString, true
	case "bytes":
		return encodeBytes, true
	}
	if size, is := sizeOf(name, "bytes", 1, 32); is {
		return fixedBytes(size), true
	}
	if size, is := sizeOf(name, "uint", 8, 256); is {
		return integer(size, false), true
	}
	if size, is := sizeOf(name, "int", 8, 256); is {
		return integer(size, true), true
	}
	return nil, false
}

// sizeOf parses the number after a type's name, a multiple of step up to limit. Integers without a
// number have 256 bits.
func sizeOf(kind, name string, step, limit int) (int, bool) {
	digits, is := strings.CutPrefix(kind, name)
	if is && digits == "" && step == 8 {
		return limit, true
	}
	size, err := strconv.Atoi(digits)
	return size, is && err == nil && size > 0 && size <= limit && size%step == 0 && strconv.Itoa(size) == digits
}

var (
	errBool    = errors.New("must be true or false")
	errText    = errors.New("must be a string")
	errInteger = errors.New("must be an integer, in decimal or hexadecimal digits")
)

func encodeBool(value any, word *[32]byte) (display string, err error) {
	is, ok := value.(bool)
	if !ok {
		return "", errBool
	}
	if is {
		word[31] = 1
	}
	return strconv.FormatBool(is), nil
}

// addressOn returns the encoding of addresses, which also accepts the checksum of a network.
func addressOn(chain uint64) encoding {
	return func(value any, word *[32]byte) (display string, err error) {
		text, _ := value.(string)
		a, err := address.ParseOn(chain, text)
		*word = abi.Address(a)
		return a.String(), err
	}
}

func encodeString(value any, word *[32]byte) (display string, err error) {
	text, is := value.(string)
	if !is {
		return "", errText
	}
	*word = address.Keccak([]byte(text))
	return text, nil
}

func encodeBytes(value any, word *[32]byte) (display string, err error) {
	given, _ := value.(string)
	b, err := text.ParseHex(given)
	*word = address.Keccak(b)
	return given, err
}

func fixedBytes(size int) encoding {
	return func(value any, word *[32]byte) (display string, err error) {
		given, _ := value.(string)
		b, err := text.ParseHex(given)
		if err == nil && len(b) != size {
			err = fmt.Errorf("has %d bytes, want %d", len(b), size)
		}
		copy(word[:], b)
		return given, err
	}
}

// maxDigits limits the number of digits before a number is parsed. 2^256 has 78 digits.
const maxDigits = 80

func integer(bits int, signed bool) encoding {
	return func(value any, word *[32]byte) (display string, err error) {
		n, err := parseInteger(integerText(value))
		if err != nil {
			return "", err
		}
		lowest, limit := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(bits))
		if signed {
			limit.Rsh(limit, 1)
			lowest.Neg(limit)
		}
		if n.Cmp(lowest) < 0 || n.Cmp(limit) >= 0 {
			return "", fmt.Errorf("the number does not fit into %d bits", bits)
		}
		display = n.String()
		if n.Sign() < 0 {
			n.Add(n, new(big.Int).Lsh(big.NewInt(1), 256))
		}
		n.FillBytes(word[:])
		return display, nil
	}
}

// integerText returns the text of an integer in JSON, a number or a string.
func integerText(value any) string {
	switch v := value.(type) {
	case json.Number:
		return v.String()
	case string:
		return v
	}
	return ""
}

func parseInteger(text string) (*big.Int, error) {
	base, digits := 10, strings.TrimPrefix(text, "-")
	if after, found := strings.CutPrefix(text, "0x"); found {
		base, digits = 16, after
	}
	if digits == "" || len(digits) > maxDigits || strings.Trim(digits, "0123456789abcdefABCDEF") != "" {
		return nil, errInteger
	}
	n, ok := new(big.Int).SetString(digits, base)
	if !ok {
		return nil, errInteger
	}
	if digits != text && base == 10 {
		n.Neg(n)
	}
	return n, nil
}

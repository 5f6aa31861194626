package text

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"strings"
)

var errHex = errors.New("not 0x and hexadecimal digits, two for each byte")

// Hex returns 0x and the digits of bytes.
func Hex(b []byte) string { return "0x" + hex.EncodeToString(b) }

// HexNumber returns 0x and the digits of a number of at least 0, without zeros before them.
func HexNumber(n *big.Int) string { return "0x" + n.Text(16) }

// ParseHex reads what Hex returns, with digits of either case.
func ParseHex(s string) ([]byte, error) {
	digits, found := strings.CutPrefix(s, "0x")
	b, err := hex.DecodeString(digits)
	if !found || err != nil {
		return nil, errHex
	}
	return b, nil
}

// ParseHexOf reads exactly size bytes, with or without 0x.
func ParseHexOf(s string, size int) ([]byte, error) {
	b, err := hex.DecodeString(strings.TrimPrefix(s, "0x"))
	if err != nil || len(b) != size {
		return nil, fmt.Errorf("not %d bytes in hexadecimal", size)
	}
	return b, nil
}

// LowerHex returns s, which must be exactly size bytes as Hex writes them but for the case of its
// letters, in lower case. ok is false if it is anything else.
func LowerHex(s string, size int) (lower string, ok bool) {
	b, err := ParseHex(strings.ToLower(s))
	if err != nil || len(b) != size {
		return "", false
	}
	return Hex(b), true
}

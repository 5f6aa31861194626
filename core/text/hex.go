package text

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"strings"
)

var errHex = errors.New("not 0x and hexadecimal digits, two for each byte")

// Hex returns bytes in hexadecimal with 0x before them.
func Hex(b []byte) string { return "0x" + hex.EncodeToString(b) }

// HexNumber returns a non-negative number in hexadecimal with 0x before it, without leading
// zeros.
func HexNumber(n *big.Int) string { return "0x" + n.Text(16) }

// ParseHex parses the format of Hex, with digits of either case.
func ParseHex(s string) ([]byte, error) {
	digits, found := strings.CutPrefix(s, "0x")
	b, err := hex.DecodeString(digits)
	if !found || err != nil {
		return nil, errHex
	}
	return b, nil
}

// ParseHexOf parses exactly size bytes in hexadecimal, with or without 0x.
func ParseHexOf(s string, size int) ([]byte, error) {
	b, err := hex.DecodeString(strings.TrimPrefix(s, "0x"))
	if err != nil || len(b) != size {
		return nil, fmt.Errorf("not %d bytes in hexadecimal", size)
	}
	return b, nil
}

// LowerHex returns s in lower case if it is exactly size bytes in the format of Hex, with
// letters of either case. Otherwise ok is false.
func LowerHex(s string, size int) (lower string, ok bool) {
	b, err := ParseHex(strings.ToLower(s))
	if err != nil || len(b) != size {
		return "", false
	}
	return Hex(b), true
}

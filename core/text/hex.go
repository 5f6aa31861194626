package text

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"strings"
)

// ErrHex says that a text is not hexadecimal.
var ErrHex = errors.New("it must be 0x and hexadecimal digits, two for each byte")

// Hex returns 0x and the digits of bytes.
func Hex(b []byte) string { return "0x" + hex.EncodeToString(b) }

// HexNumber returns 0x and the digits of a number of at least 0, without zeros before them.
func HexNumber(n *big.Int) string { return "0x" + n.Text(16) }

// ParseHex reads what Hex returns. The error is ErrHex.
func ParseHex(s string) ([]byte, error) {
	digits, found := strings.CutPrefix(s, "0x")
	b, err := hex.DecodeString(digits)
	if !found || err != nil {
		return nil, ErrHex
	}
	return b, nil
}

// ParseHexOf reads exactly size bytes, with or without 0x.
func ParseHexOf(s string, size int) ([]byte, error) {
	b, err := hex.DecodeString(strings.TrimPrefix(s, "0x"))
	if err != nil || len(b) != size {
		return nil, fmt.Errorf("it is not %d bytes in hexadecimal", size)
	}
	return b, nil
}

// LowerHex returns exactly size bytes as Hex writes them. ok reports whether that is what s is but for the
// case of its letters.
func LowerHex(s string, size int) (lower string, ok bool) {
	b, err := ParseHex(strings.ToLower(s))
	if err != nil || len(b) != size {
		return "", false
	}
	return Hex(b), true
}

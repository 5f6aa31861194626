package mmrpc

import (
	"encoding/hex"
	"errors"
	"strings"
)

var errHex = errors.New("want an even number of hexadecimal digits, with or without 0x")

// readHex reads bytes in hexadecimal as people paste them: perhaps with 0x, and with white space
// around them. The error is errHex.
func readHex(text string) ([]byte, error) {
	b, err := hex.DecodeString(digitsOf(text))
	if err != nil {
		return nil, errHex
	}
	return b, nil
}

// digitsOf returns a hexadecimal number without 0x and the white space around it.
func digitsOf(text string) string {
	text = strings.TrimSpace(text)
	if len(text) >= 2 && strings.EqualFold(text[:2], "0x") {
		return text[2:]
	}
	return text
}

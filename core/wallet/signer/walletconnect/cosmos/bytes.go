package cosmos

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
)

// maxBytes limits the size of bytes that a wallet sends.
const maxBytes = 256 << 10

var errBytes = errors.New("not bytes in base64 or hexadecimal, nor a list of them")

// flexible holds bytes in any of the encodings that wallets use: base64, hexadecimal, a list of
// numbers, or an object of numbers by index, which is the JSON encoding of a Uint8Array.
type flexible []byte

// UnmarshalJSON implements json.Unmarshaler.
func (b *flexible) UnmarshalJSON(raw []byte) error {
	if len(raw) > 8*maxBytes {
		return errBytes
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return b.parseText(text)
	}
	var list []uint16 // not []byte, which JSON encodes in base64
	if json.Unmarshal(raw, &list) != nil {
		var byIndex map[string]uint16
		if json.Unmarshal(raw, &byIndex) != nil || byIndex == nil {
			return errBytes
		}
		for n := range len(byIndex) {
			one, ok := byIndex[strconv.Itoa(n)]
			if !ok {
				return errBytes
			}
			list = append(list, one)
		}
	}
	*b = make([]byte, len(list))
	for n, one := range list {
		if one > 0xff {
			return errBytes
		}
		(*b)[n] = byte(one)
	}
	return nil
}

// parseText decodes hexadecimal or base64. Keys, signatures and documents in base64 always contain
// a character that is not a hexadecimal digit.
func (b *flexible) parseText(text string) (err error) {
	if *b, err = hex.DecodeString(text); err == nil {
		return nil
	}
	if *b, err = base64.StdEncoding.DecodeString(text); err != nil {
		return errBytes
	}
	return nil
}

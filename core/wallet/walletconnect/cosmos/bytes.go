package cosmos

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
)

// maxBytes bounds what a wallet sends as bytes.
const maxBytes = 256 << 10

var errBytes = errors.New("not bytes in base64 or hexadecimal, nor a list of them")

// flexible are bytes in one of the forms that wallets send: base64, hexadecimal, a list of
// numbers, or an object of numbers by their index, as JSON has a Uint8Array.
type flexible []byte

// UnmarshalJSON implements json.Unmarshaler.
func (b *flexible) UnmarshalJSON(raw []byte) error {
	if len(raw) > 8*maxBytes {
		return errBytes
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return b.ofText(text)
	}
	var list []uint16 // not bytes, whose list is base64
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

// ofText tells hexadecimal from base64 by its digits: of keys, signatures and documents
// in base64 none has those of hexadecimal only.
func (b *flexible) ofText(text string) (err error) {
	if *b, err = hex.DecodeString(text); err == nil {
		return nil
	}
	if *b, err = base64.StdEncoding.DecodeString(text); err != nil {
		return errBytes
	}
	return nil
}

package daemon

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"obverse/core/chain/wire"
	"obverse/core/rpc"
	"obverse/core/text"
)

// parseHash reads a transaction id. name is the name of the parameter in the error [komodod
// rpc/server.cpp ParseHashV].
func parseHash(name string, text Text) (wire.Hash, error) {
	if _, err := parseHex(name, string(text)); err != nil || text == "" {
		return wire.Hash{}, &Error{CodeParameter, fmt.Sprintf("%s must be hexadecimal string (not '%s')", name, clip(string(text)))}
	}
	return looseHash(string(text)), nil
}

// looseHash reads whatever stands for a hash: blanks and 0x before it and all behind its
// digits are passed over, digits that lack at the front are zeros, and those that are too
// many there are passed over too [komodod uint256.cpp SetHex].
func looseHash(text string) (hash wire.Hash) {
	text = strings.TrimLeft(text, " \t\n\v\f\r")
	if len(text) > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') {
		text = text[2:]
	}
	if end := strings.IndexFunc(text, isNoDigit); end >= 0 {
		text = text[:end]
	}
	digits := strings.Repeat("0", 2*len(hash)) + text
	hash, _ = wire.ParseHash(digits[len(digits)-2*len(hash):]) // of digits alone
	return hash
}

func isNoDigit(r rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEF", r) }

// parseHex reads bytes [komodod rpc/server.cpp ParseHexV].
func parseHex(name, text string) ([]byte, error) {
	b, err := hex.DecodeString(text)
	if err != nil {
		return nil, &Error{CodeParameter, fmt.Sprintf("%s must be hexadecimal string (not '%s')", name, clip(text))}
	}
	return b, nil
}

// maxEcho bounds how much of a parameter an answer repeats, in bytes.
const maxEcho = 200

func clip(s string) string { return text.Clip(s, maxEcho) }

// Verbosity is how much of a block or transaction to show: a whole number, or false
// for 0 and true for 1.
type Verbosity int32

// UnmarshalParam implements rpc.Unmarshaler.
func (v *Verbosity) UnmarshalParam(raw json.RawMessage) error {
	if rpc.KindOf(raw) != rpc.KindBool {
		return (*Int)(v).UnmarshalParam(raw)
	}
	var on Flag
	if err := on.UnmarshalParam(raw); err != nil {
		return err
	}
	*v = 0
	if on {
		*v = 1
	}
	return nil
}

// JSONSchema implements rpc.Described.
func (Verbosity) JSONSchema() *rpc.Schema {
	return &rpc.Schema{OneOf: []*rpc.Schema{{Type: "integer"}, {Type: "boolean"}}}
}

package daemon

import (
	"encoding/hex"
	"encoding/json"
	"fmt"

	"obverse/core/chain/wire"
	"obverse/core/rpc"
)

// parseHash reads a transaction or block id. name is what the answer calls the
// parameter [komodod rpc/server.cpp ParseHashV; the length is checked as bitcoind
// does, komodod fills up with zeros].
func parseHash(name string, text Text) (wire.Hash, error) {
	if _, err := parseHex(name, string(text)); err != nil || text == "" {
		return wire.Hash{}, &Error{CodeParameter, fmt.Sprintf("%s must be hexadecimal string (not '%s')", name, clip(string(text)))}
	}
	hash, err := wire.ParseHash(string(text))
	if err != nil {
		return hash, &Error{CodeParameter, fmt.Sprintf("%s must be of length %d (not %d)", name, 2*len(hash), len(text))}
	}
	return hash, nil
}

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

func clip(text string) string {
	if len(text) > maxEcho {
		return text[:maxEcho] + "…"
	}
	return text
}

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

package node

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"obverse/core/net/nodepool"
	"obverse/core/text"
)

// wholeBits is the number of bits of an EVM number.
const wholeBits = 256

// Member is a text in an answer of a node, or "" if it is missing or null. A quantity may also
// be a whole number in JSON, which some nodes use, if it is small enough to be exact in
// JavaScript. A text of digits without 0x is invalid, since it could be decimal or hexadecimal.
type Member string

// UnmarshalJSON implements json.Unmarshaler.
func (m *Member) UnmarshalJSON(raw []byte) error {
	const exact = 1<<53 - 1
	if n, err := strconv.ParseUint(string(raw), 10, 64); err == nil && n <= exact {
		*m = Member("0x" + strconv.FormatUint(n, 16))
		return nil
	}
	*m = ""
	return json.Unmarshal(raw, (*string)(m))
}

// quantity parses a number of at most the given number of bits.
func quantity(raw json.RawMessage, bits int) (*big.Int, error) {
	var text Member
	if err := nodepool.Read(raw, &text); err != nil {
		return nil, err
	}
	return text.Int(bits)
}

// optional parses a number that not all nodes have. It returns nil if this node lacks it.
func optional(o nodepool.Outcome, bits int) *big.Int {
	if o.Err != nil {
		return nil
	}
	n, err := quantity(o.Result, bits)
	if err != nil {
		return nil
	}
	return n
}

// Int parses a number of at most bits bits. The error is nodepool.ErrAnswer.
func (m Member) Int(bits int) (*big.Int, error) {
	digits, found := strings.CutPrefix(string(m), "0x")
	if !found || digits == "" || strings.Trim(digits, "0123456789abcdefABCDEF") != "" {
		return nil, fmt.Errorf("%w: invalid quantity %.80q", nodepool.ErrAnswer, string(m))
	}
	digits = strings.TrimLeft(digits, "0")
	if 4*(len(digits)-1) >= bits { // checked before a number of any size is parsed
		return nil, fmt.Errorf("%w: quantity has more than %d bits", nodepool.ErrAnswer, bits)
	}
	n, _ := new(big.Int).SetString("0"+digits, 16) // cannot fail, since all characters are digits
	if n.BitLen() > bits {
		return nil, fmt.Errorf("%w: quantity has more than %d bits", nodepool.ErrAnswer, bits)
	}
	return n, nil
}

// height parses the number of a block.
func height(raw json.RawMessage) (int64, error) {
	n, err := quantity(raw, 63)
	if err != nil {
		return 0, err
	}
	return n.Int64(), nil
}

// ReadBytes parses bytes, which nodes write as hexadecimal digits after 0x.
func ReadBytes(raw json.RawMessage) ([]byte, error) {
	var s string
	if err := nodepool.Read(raw, &s); err != nil {
		return nil, err
	}
	b, err := text.ParseHex(s)
	if err != nil {
		return nil, fmt.Errorf("%w: invalid hex bytes %.80q", nodepool.ErrAnswer, s)
	}
	return b, nil
}

// IsHash reports whether a text of a node is the hash of a block or a transaction.
func IsHash(s string) bool {
	b, err := text.ParseHex(s)
	return err == nil && len(b) == 32
}

package peerid

import (
	"bytes"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"

	"github.com/btcsuite/btcd/btcutil/base58"
)

const base58Alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// Base58Error reports an invalid base58btc text.
type Base58Error struct {
	Index int  // index of the first invalid byte
	Byte  byte // the invalid byte; from 0x80 on, it begins a character that is not ASCII
}

func (e *Base58Error) Error() string {
	const what = "base-58 decode error: provided string contained"
	if e.Byte >= 0x80 {
		return fmt.Sprintf("%s non-ascii character starting at byte %d", what, e.Index)
	}
	return fmt.Sprintf("%s invalid character %s at byte %d", what, quoteASCII(e.Byte), e.Index)
}

// quoteASCII formats a character like Rust's Debug.
func quoteASCII(c byte) string {
	switch c {
	case 0:
		return `'\0'`
	case '\t':
		return `'\t'`
	case '\n':
		return `'\n'`
	case '\r':
		return `'\r'`
	case '\'', '\\':
		return `'\` + string(c) + `'`
	}
	if c < ' ' || c == 0x7f {
		return fmt.Sprintf(`'\u{%x}'`, c)
	}
	return "'" + string(c) + "'"
}

func checkBase58(text string) error {
	for i := range len(text) {
		if strings.IndexByte(base58Alphabet, text[i]) < 0 {
			return &Base58Error{i, text[i]}
		}
	}
	return nil
}

// cidPrefix is the beginning of a CID: version 1, content of type libp2p-key (0x72).
var cidPrefix = []byte{1, 0x72}

// parseCID parses a CIDv1 of a peer's key.
func parseCID(text string) (ID, bool) {
	if len(text) < 2 || len(text) > 2*maxText {
		return ID{}, false
	}
	data, ok := decodeMultibase(text[0], text[1:])
	if !ok {
		return ID{}, false
	}
	multihash, ok := bytes.CutPrefix(data, cidPrefix)
	if !ok {
		return ID{}, false
	}
	id, err := FromBytes(multihash)
	return id, err == nil
}

// decodeMultibase decodes the bases that are used for peer ids. In bases with a fixed case, all
// letters must have that case.
func decodeMultibase(base byte, text string) ([]byte, bool) {
	switch base {
	case 'B', 'K', 'F':
		if text != strings.ToUpper(text) {
			return nil, false
		}
		return decodeMultibase(base-'A'+'a', strings.ToLower(text))
	case 'b':
		if !only(text, "abcdefghijklmnopqrstuvwxyz234567") { // the decoder ignores line ends
			return nil, false
		}
		data, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ToUpper(text))
		return data, err == nil
	case 'k': // leading zeros are lost, but a CID begins with 1
		n, ok := new(big.Int).SetString(text, 36)
		if !ok || !only(text, "0123456789abcdefghijklmnopqrstuvwxyz") {
			return nil, false
		}
		return n.Bytes(), true
	case 'f':
		data, err := hex.DecodeString(text)
		return data, err == nil && only(text, "0123456789abcdef")
	case 'z':
		return base58.Decode(text), only(text, base58Alphabet)
	}
	return nil, false
}

func only(text, alphabet string) bool { return strings.Trim(text, alphabet) == "" }

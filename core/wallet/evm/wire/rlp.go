package wire

import (
	"errors"
	"math/big"
)

// item is an encoded string or list in RLP.
type item []byte

// First bytes of strings and lists, and the maximum length of short ones.
const (
	shortText = 0x80
	shortList = 0xc0
	short     = 55
)

// text encodes bytes.
func text(b []byte) item {
	if len(b) == 1 && b[0] < shortText {
		return item(b)
	}
	return append(begin(shortText, len(b)), b...)
}

// integer encodes a non-negative number.
func integer(n *big.Int) item { return text(n.Bytes()) }

// list encodes a list of items.
func list(items ...item) item {
	var all []byte
	for _, i := range items {
		all = append(all, i...)
	}
	return append(begin(shortList, len(all)), all...)
}

func begin(kind byte, length int) item {
	if length <= short {
		return item{kind + byte(length)}
	}
	size := big.NewInt(int64(length)).Bytes()
	return append(item{kind + short + byte(len(size))}, size...)
}

var errRLP = errors.New("invalid RLP")

// take decodes the first item of b. It returns its content and whether the item is a list.
func take(b []byte) (content []byte, isList bool, rest []byte, err error) {
	if len(b) == 0 {
		return nil, false, nil, errRLP
	}
	kind := b[0]
	if kind < shortText {
		return b[:1], false, b[1:], nil
	}
	isList = kind >= shortList
	base := byte(shortText)
	if isList {
		base = shortList
	}
	length, b := int(kind-base), b[1:]
	if length > short {
		size := length - short
		if size > 4 || len(b) < size || b[0] == 0 { // larger items are invalid
			return nil, false, nil, errRLP
		}
		length = int(new(big.Int).SetBytes(b[:size]).Int64())
		b = b[size:]
		if length <= short {
			return nil, false, nil, errRLP
		}
	}
	if length > len(b) || length < 0 {
		return nil, false, nil, errRLP
	}
	if !isList && length == 1 && kind == shortText+1 && b[0] < shortText {
		return nil, false, nil, errRLP
	}
	return b[:length], isList, b[length:], nil
}

// fields decodes b, which must be one list. Nested lists are returned as their content.
func fields(b []byte) (all [][]byte, err error) {
	content, isList, rest, err := take(b)
	if err != nil || !isList || len(rest) > 0 {
		return nil, errRLP
	}
	const limit = 16 // members of a transaction
	for len(content) > 0 {
		if len(all) == limit {
			return nil, errRLP
		}
		var field []byte
		if field, _, content, err = take(content); err != nil {
			return nil, err
		}
		all = append(all, field)
	}
	return all, nil
}

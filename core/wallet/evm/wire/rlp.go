package wire

import (
	"errors"
	"math/big"
)

// item is a text or a list in RLP, as it is written.
type item []byte

// Where texts and lists begin, and how long short ones may be.
const (
	shortText = 0x80
	shortList = 0xc0
	short     = 55
)

// text writes bytes.
func text(b []byte) item {
	if len(b) == 1 && b[0] < shortText {
		return item(b)
	}
	return append(begin(shortText, len(b)), b...)
}

// integer writes a number from 0.
func integer(n *big.Int) item { return text(n.Bytes()) }

// list writes items.
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

// take reads the first item of b: its content, and whether that is a list.
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
		if size > 4 || len(b) < size || b[0] == 0 { // nothing that is this long is taken
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

// fields reads a list that is all of b. Lists in it stay as their content.
func fields(b []byte) (all [][]byte, err error) {
	content, isList, rest, err := take(b)
	if err != nil || !isList || len(rest) > 0 {
		return nil, errRLP
	}
	const most = 16 // members of a transaction
	for len(content) > 0 {
		if len(all) == most {
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

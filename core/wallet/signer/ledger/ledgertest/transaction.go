package ledgertest

import (
	"crypto/sha256"
	"encoding/binary"
	"math/big"

	"obverse/core/wallet/evm/address"
)

// transaction holds the fields of a transaction that the app reads.
type transaction struct {
	typed             bool
	chain             *big.Int // 0 means any
	price, gas, value *big.Int
	to                address.Address
	data              []byte
}

// v returns the number that the app adds to the recovery number. It fits in one byte and
// contains only the first four bytes of a chain's id.
func (t transaction) v() byte {
	if t.typed {
		return 0
	}
	if t.chain.Sign() == 0 {
		return 27
	}
	b := t.chain.Bytes()
	var four uint64
	for _, c := range b[:min(4, len(b))] {
		four = four<<8 | uint64(c)
	}
	return byte(four*2 + 35)
}

// readTransaction parses the received part of a transaction. It returns nil if the transaction
// is incomplete. Like the app, it assumes that a transaction without a type is complete, and
// valid for any chain, if a part ends right before the chain.
func readTransaction(b []byte) (*transaction, uint16) {
	if len(b) == 0 {
		return nil, invalid
	}
	typed := b[0] < 0xc0
	if typed {
		if b[0] != 1 && b[0] != 2 {
			return nil, unknownType
		}
		b = b[1:]
	}
	offset, length, isList, good := head(b)
	if !good {
		return nil, ok
	}
	if !isList || len(b) > offset+length {
		return nil, invalid
	}
	items, whole := split(b[offset:])
	switch {
	case typed && len(b) == offset+length && whole:
		return typedTransaction(items)
	case !typed && whole && (len(items) == 6 || len(items) == 9 && len(b) == offset+length):
		return legacyTransaction(items)
	case len(b) < offset+length:
		return nil, ok
	}
	return nil, invalid
}

func typedTransaction(items [][]byte) (*transaction, uint16) {
	if len(items) != 9 && len(items) != 8 {
		return nil, invalid
	}
	at := len(items) - 9 // transactions with access lists have a single price
	return newTransaction(true, items[0], items[3+at], items[4+at], items[5+at], items[6+at], items[7+at])
}

func legacyTransaction(items [][]byte) (*transaction, uint16) {
	var chain []byte
	if len(items) == 9 {
		chain = items[6]
	}
	return newTransaction(false, chain, items[1], items[2], items[3], items[4], items[5])
}

func newTransaction(typed bool, chain, price, gas, to, value, data []byte) (*transaction, uint16) {
	if len(to) != address.Size {
		return nil, invalid
	}
	number := func(b []byte) *big.Int { return new(big.Int).SetBytes(b) }
	return &transaction{typed, number(chain), number(price), number(gas), number(value), address.Address(to), data}, ok
}

// head parses the beginning of an RLP item.
func head(b []byte) (offset, length int, isList, good bool) {
	if len(b) == 0 {
		return 0, 0, false, false
	}
	kind := int(b[0])
	if kind < 0x80 {
		return 0, 1, false, true
	}
	base := 0x80
	if kind >= 0xc0 {
		base, isList = 0xc0, true
	}
	n := kind - base
	if n <= 55 {
		return 1, n, isList, true
	}
	size := n - 55
	if size > 3 || len(b) < 1+size {
		return 0, 0, isList, false
	}
	var long [4]byte
	copy(long[4-size:], b[1:1+size])
	return 1 + size, int(binary.BigEndian.Uint32(long[:])), isList, true
}

// split returns the received items of a list, and reports whether they are complete.
func split(b []byte) (items [][]byte, whole bool) {
	for len(b) > 0 {
		offset, length, _, good := head(b)
		if !good || len(b) < offset+length {
			return items, false
		}
		items, b = append(items, b[offset:offset+length]), b[offset+length:]
	}
	return items, true
}

func hashOf(b []byte) [32]byte { return sha256.Sum256(b) }

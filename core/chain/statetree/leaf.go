package statetree

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"obverse/core/chain"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

// KeyOf is the tree's key of a record of the chain (chain.CoinKey, chain.TokenKey,
// chain.TokenBalanceKey).
func KeyOf(record string) Hash { return sha256.Sum256([]byte(record)) }

// AppHash returns the hash that validators sign: of the last block, its height, and the state
// after it.
func AppHash(tip wire.Hash, height int, root Hash) Hash {
	b := append([]byte("obverse state 1\x00"), tip[:]...)
	b = wire.AppendUint32(b, uint32(height))
	return sha256.Sum256(append(b, root[:]...))
}

// valueOf returns the value of a record in the tree: for a coin the record itself, for a
// balance the sum (8 bytes, little endian), for a token the fields of tokeninfo.
func valueOf(v *chain.View, key, data string) (string, error) {
	switch key[0] {
	case chain.StateBalances:
		if len(data) < 8 {
			return "", fmt.Errorf("%w: sums %x: %w", chain.ErrCorrupt, key, wire.ErrShort)
		}
		return data[:8], nil
	case chain.StateTokens:
		t, err := v.Token(wire.Hash([]byte(key[1:])))
		if errors.Is(err, chain.ErrNotFound) { // the record names a transaction that the chain does not have
			err = fmt.Errorf("%w: token %x: %w", chain.ErrCorrupt, key[1:], err)
		}
		if err != nil {
			return "", err
		}
		return string(appendToken(nil, &t)), nil
	}
	return data, nil
}

// appendToken encodes a token: supply (8 bytes), height of its creation (4), whether it was
// imported (1), then owner, name, description and data, each after its size.
func appendToken(b []byte, t *chain.Token) []byte {
	b = wire.AppendInt64(b, t.Supply)
	b = wire.AppendUint32(b, uint32(t.Height))
	imported := byte(0)
	if t.Imported {
		imported = 1
	}
	b = append(b, imported)
	p := t.Payload
	for _, field := range [][]byte{p.Owner, []byte(p.Name), []byte(p.Description), p.Blob(token.NFTData)} {
		b = wire.AppendVarBytes(b, field)
	}
	return b
}

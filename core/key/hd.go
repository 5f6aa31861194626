package key

import (
	"crypto/hmac"
	"crypto/sha512"
	"encoding/binary"
	"errors"

	"github.com/btcsuite/btcd/btcec/v2"
)

// ErrNoChild says that a path leads to a number that is no key. BIP 32 gives it one
// chance in 2^127; the remedy is another address number.
var ErrNoChild = errors.New("no key at this derivation path")

// extended is a private key of BIP 32: a scalar and its chain code.
type extended struct {
	unprintable
	scalar sealed[btcec.ModNScalar]
	chain  sealed[[32]byte]
}

// masterKey is the root that belongs to a seed.
func masterKey(seed []byte) (*extended, error) {
	sum := hmacSHA512([]byte("Bitcoin seed"), seed)
	defer clear(sum)
	return newExtended(sum, new(btcec.ModNScalar))
}

// newExtended adds the left half of a sum to the parent's scalar; the right half is
// the chain code.
func newExtended(sum []byte, parent *btcec.ModNScalar) (*extended, error) {
	chain := [32]byte(sum[32:])
	x := &extended{scalar: seal(new(btcec.ModNScalar)), chain: seal(&chain)}
	overflow := x.scalar.open().SetBytes((*[32]byte)(sum[:32]))
	if overflow != 0 || x.scalar.open().Add(parent).IsZero() {
		x.wipe()
		return nil, ErrNoChild
	}
	return x, nil
}

// child is CKDpriv of BIP 32.
func (x *extended) child(index uint32) (*extended, error) {
	var data [37]byte
	defer clear(data[:])
	if index >= Hardened {
		x.scalar.open().PutBytesUnchecked(data[1:33])
	} else {
		private := btcec.PrivKeyFromScalar(x.scalar.open())
		copy(data[:33], private.PubKey().SerializeCompressed())
		private.Zero()
	}
	binary.BigEndian.PutUint32(data[33:], index)
	sum := hmacSHA512(x.chain.open()[:], data[:])
	defer clear(sum)
	return newExtended(sum, x.scalar.open())
}

// at walks a path and wipes what it leaves behind.
func (x *extended) at(p Path) (*Private, error) {
	chain := *x.chain.open()
	here := &extended{scalar: seal(new(btcec.ModNScalar).Set(x.scalar.open())), chain: seal(&chain)}
	for _, index := range p {
		next, err := here.child(index)
		here.wipe()
		if err != nil {
			return nil, err
		}
		here = next
	}
	defer here.wipe()
	return newPrivate(here.scalar.open().Bytes())
}

func (x *extended) wipe() {
	x.scalar.open().Zero()
	clear(x.chain.open()[:])
}

func hmacSHA512(key, data []byte) []byte {
	h := hmac.New(sha512.New, key)
	h.Write(data)
	return h.Sum(nil)
}

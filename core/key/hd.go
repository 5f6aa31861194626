package key

import (
	"crypto/hmac"
	"crypto/sha512"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

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

// masterKey returns the root that belongs to a seed.
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

// Hardened is added to the numbers of a path that are written with an apostrophe.
const Hardened uint32 = 1 << 31

// maxDepth is how far BIP 32 can count.
const maxDepth = 255

// ErrPath says that a text, or a number, is not part of a derivation path. The reason follows
// in the error's text.
var ErrPath = errors.New("invalid derivation path")

// Path leads from the root of an HD wallet to a key, as BIP 32 numbers children.
// The empty path is the root.
type Path []uint32

// Chain is the fourth number of a path as BIP 44 has it.
type Chain uint32

// Chains of BIP 44.
const (
	External Chain = 0 // addresses that are shown to others
	Internal Chain = 1 // change
)

// ParsePath reads a path as coins files write it: m/44'/118'. Only this form is
// taken: numbers without signs and leading zeros, below 2^31, an apostrophe for
// hardened ones.
func ParsePath(text string) (Path, error) {
	elements := strings.Split(text, "/")
	if elements[0] != "m" {
		return nil, fmt.Errorf("%w: it must begin with m, like m/44'/118'", ErrPath)
	}
	elements = elements[1:]
	if len(elements) > maxDepth {
		return nil, fmt.Errorf("%w: it must have at most %d numbers, got %d", ErrPath, maxDepth, len(elements))
	}
	p := make(Path, len(elements))
	for i, element := range elements {
		digits, hard := strings.CutSuffix(element, "'")
		n, err := strconv.ParseUint(digits, 10, 31)
		if err != nil || strconv.FormatUint(n, 10) != digits {
			return nil, fmt.Errorf("%w: number %d must be from 0 to %d, followed by an apostrophe if it is hardened, got %.20q",
				ErrPath, i+1, Hardened-1, element)
		}
		p[i] = uint32(n)
		if hard {
			p[i] += Hardened
		}
	}
	return p, nil
}

// Address returns the path of one address of a coin with derivation path p:
// p/account'/chain/address.
func (p Path) Address(account uint32, chain Chain, address uint32) (Path, error) {
	if account >= Hardened || uint32(chain) >= Hardened || address >= Hardened {
		return nil, fmt.Errorf("%w: account, chain and address must be from 0 to %d, got %d, %d and %d",
			ErrPath, Hardened-1, account, chain, address)
	}
	if len(p)+3 > maxDepth {
		return nil, fmt.Errorf("%w: it must have at most %d numbers, got %d", ErrPath, maxDepth, len(p)+3)
	}
	return append(append(Path(nil), p...), account+Hardened, uint32(chain), address), nil
}

// String writes the path as ParsePath reads it.
func (p Path) String() string {
	var out strings.Builder
	out.WriteByte('m')
	for _, n := range p {
		fmt.Fprintf(&out, "/%d", n&^Hardened)
		if n >= Hardened {
			out.WriteByte('\'')
		}
	}
	return out.String()
}

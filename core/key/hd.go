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

// ErrNoChild reports that no key exists at a path. In BIP 32, this has a probability of 1 in
// 2^127. The remedy is another address number.
var ErrNoChild = errors.New("no key at this derivation path")

// extended is an extended private key of BIP 32: a scalar and its chain code.
type extended struct {
	unprintable
	scalar sealed[btcec.ModNScalar]
	chain  sealed[[32]byte]
}

// masterKey returns the master key of a seed.
func masterKey(seed []byte) (*extended, error) {
	sum := hmacSHA512([]byte("Bitcoin seed"), seed)
	defer clear(sum)
	return newExtended(sum, new(btcec.ModNScalar))
}

// newExtended returns the key with the sum of the parent's scalar and the left half of sum as
// its scalar. The right half is the chain code.
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

// child implements CKDpriv of BIP 32.
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

// at derives the key at a path, and wipes the intermediate keys.
func (x *extended) at(p Path) (*Private, error) {
	here, err := x.walk(p)
	if err != nil {
		return nil, err
	}
	defer here.wipe()
	return newPrivate(here.scalar.open().Bytes())
}

// walk returns the node at the end of a path, which the caller wipes.
func (x *extended) walk(p Path) (*extended, error) {
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
	return here, nil
}

// Branch derives the keys below one node of BIP 32.
type Branch struct {
	unprintable
	node *extended
}

// Branch returns the keys below a path of the HD wallet with p's secret as its seed. The error is
// ErrNoChild.
func (p *Private) Branch(path Path) (*Branch, error) {
	seed := p.Secret()
	defer clear(seed[:])
	root, err := masterKey(seed[:])
	if err != nil {
		return nil, err
	}
	defer root.wipe()
	node, err := root.walk(path)
	if err != nil {
		return nil, err
	}
	return &Branch{node: node}, nil
}

// Key returns the key with an index, which is below Hardened. The error is ErrNoChild.
func (b *Branch) Key(index uint32) (*Private, error) { return b.node.at(Path{index}) }

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

// maxDepth is the maximum depth of a key in BIP 32.
const maxDepth = 255

// ErrPath reports an invalid derivation path. The error's text contains the reason.
var ErrPath = errors.New("invalid derivation path")

// Path is the path from the root of an HD wallet to a key, with the child numbers of BIP 32.
// The empty path is the root.
type Path []uint32

// Chain is the fourth number of a path in BIP 44.
type Chain uint32

// Chains of BIP 44.
const (
	External Chain = 0 // receiving addresses
	Internal Chain = 1 // change addresses
)

// ParsePath parses a path in the format of coins files, such as m/44'/118'. It accepts no other
// format: the numbers must have no signs or leading zeros and be below 2^31, and hardened
// numbers must have an apostrophe.
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

// String returns the path in the format of ParsePath.
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

package key

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Hardened is added to the numbers of a path that are written with an apostrophe.
const Hardened uint32 = 1 << 31

// maxDepth is how far BIP 32 can count.
const maxDepth = 255

// ErrPath says that a text, or a number, is not of a derivation path. What is wrong
// with it follows in the error's text.
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

// Package ens resolves names of the Ethereum Name Service to addresses. Names may have ASCII
// letters, digits and hyphens. Names with other characters would need Unicode tables and are
// rejected.
//
// Sources: EIP-137 (namehash, registry, resolver), ENSIP-9 and ENSIP-11 (addresses on other
// networks), ENSIP-15 (normalisation; only the rules for ASCII).
//
// Invariant: All nodes that answer agree on an address, which is from the registry on Ethereum.
package ens

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
)

// Ethereum is the chain id of the network with the registry of names.
const Ethereum = 1

// Functions of the contracts.
const (
	resolverOf uint32 = 0x0178b8bf // resolver(bytes32) → address, of the registry
	addrOf     uint32 = 0x3b3b57de // addr(bytes32) → address, of a resolver
	addrOfType uint32 = 0xf1cb7e06 // addr(bytes32,uint256) → bytes, of a resolver
)

// registry is the registry contract of Ethereum and its test networks.
var registry = address.Address{0x00, 0x00, 0x00, 0x00, 0x00, 0x0c, 0x2e, 0x07, 0x4e, 0xc6, 0x9a, 0x0d, 0xfb, 0x29, 0x97, 0xba, 0x6c, 0x7d, 0x2e, 0x1e}

// Reasons why a name has no address.
var (
	ErrName     = errors.New("invalid name")
	ErrNotFound = errors.New("name not found")

	errLetters = errors.New("only the letters a to z, digits and hyphens are supported, with underscores before them: enter the address instead")
)

// Caller calls contracts on Ethereum.
type Caller interface {
	// Agreed returns the return data of a contract's function on which all nodes that answer agree.
	// It is empty if the address is not a contract, or the function reverts.
	Agreed(ctx context.Context, contract address.Address, input []byte) ([]byte, error)
}

// Limits of a name, in bytes.
const (
	maxName  = 255
	maxLabel = 63
)

// Normalise returns the normalised spelling of a name, with which it is registered. Its error
// is ErrName.
func Normalise(name string) (string, error) {
	name = strings.TrimSpace(name)
	if strings.ContainsFunc(name, func(r rune) bool { return r > '~' }) { // the lower case of some letters is ASCII
		return "", fmt.Errorf("%w: %w", ErrName, errLetters)
	}
	name = strings.ToLower(name)
	labels := strings.Split(name, ".")
	if len(name) > maxName || len(labels) < 2 {
		return "", fmt.Errorf("%w: must be labels with dots between them, as alice.eth, at most %d characters", ErrName, maxName)
	}
	for _, label := range labels {
		if label == "" || len(label) > maxLabel {
			return "", fmt.Errorf("%w: each part between dots must have 1 to %d characters", ErrName, maxLabel)
		}
		if strings.ContainsFunc(strings.TrimLeft(label, "_"), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' }) {
			return "", fmt.Errorf("%w: %w", ErrName, errLetters)
		}
		if len(label) >= 4 && label[2:4] == "--" {
			return "", fmt.Errorf("%w: hyphens as the third and fourth character are reserved", ErrName)
		}
	}
	return name, nil
}

// Hash returns the namehash of a normalised name.
func Hash(name string) (node [32]byte) {
	labels := strings.Split(name, ".")
	for i := len(labels) - 1; i >= 0; i-- {
		label := address.Keccak([]byte(labels[i]))
		node = address.Keccak(append(node[:], label[:]...))
	}
	return node
}

// Resolve returns the address of a normalised name on the network with the chain id. Errors are
// ErrNotFound and the errors of c.
func Resolve(ctx context.Context, c Caller, name string, chain uint64) (address.Address, error) {
	node := abi.Word(Hash(name))
	returned, err := c.Agreed(ctx, registry, abi.Call(resolverOf, node))
	if err != nil {
		return address.Address{}, err
	}
	resolver, ok := word(returned)
	if !ok || resolver.IsZero() {
		return address.Address{}, fmt.Errorf("%w: %s has no resolver on Ethereum", ErrNotFound, name)
	}
	input, read := abi.Call(addrOf, node), word
	if chain != Ethereum {
		input, read = abi.Call(addrOfType, node, abi.Uint(coinType(chain))), bytes20
	}
	if returned, err = c.Agreed(ctx, resolver, input); err != nil {
		return address.Address{}, err
	}
	at, ok := read(returned)
	if !ok || at.IsZero() {
		return address.Address{}, fmt.Errorf("%w: %s has no address for the network of chain id %d (names with data outside Ethereum are not supported)", ErrNotFound, name, chain)
	}
	return at, nil
}

// coinType returns the coin type of a chain by ENSIP-11.
func coinType(chain uint64) *big.Int {
	return new(big.Int).Or(new(big.Int).SetUint64(chain), big.NewInt(0x80000000))
}

// word decodes a returned address.
func word(returned []byte) (address.Address, bool) {
	if len(returned) != len(abi.Word{}) {
		return address.Address{}, false
	}
	return abi.Word(returned).Address()
}

// bytes20 decodes returned bytes that are an address.
func bytes20(returned []byte) (a address.Address, ok bool) {
	const size = len(abi.Word{})
	if len(returned) != 3*size || !isNumber(returned[:size], size) || !isNumber(returned[size:2*size], address.Size) {
		return a, false
	}
	return address.Address(returned[2*size : 2*size+address.Size]), true
}

func isNumber(word []byte, n int) bool {
	return new(big.Int).SetBytes(word).Cmp(big.NewInt(int64(n))) == 0
}

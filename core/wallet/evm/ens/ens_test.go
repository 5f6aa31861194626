package ens

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
)

// TestHash uses two names of EIP-137 and others.
func TestHash(t *testing.T) {
	for name, want := range map[string]string{
		"eth":         "93cdeb708b7545dc668eb9280176169d1c33cfd8ed6f04690a0bcc88a93fc4ae",
		"foo.eth":     "de9b09fd7c5f901e23a3f19fecc54828e9c848539801e86591bd9801b019f84f",
		"vitalik.eth": "ee6c4522aab0003e8d14cd40a6af439055fd2577951148c14b6cea9a53475835",
	} {
		hash := Hash(name)
		require.Equal(t, want, hex.EncodeToString(hash[:]), name)
	}
}

func TestFunctions(t *testing.T) {
	for signature, function := range map[string]uint32{"resolver(bytes32)": resolverOf, "addr(bytes32)": addrOf, "addr(bytes32,uint256)": addrOfType} {
		sum := address.Keccak([]byte(signature))
		require.Equal(t, sum[:4], abi.Call(function)[:4], signature)
	}
	require.Equal(t, "0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e", registry.String())
}

func TestNormalise(t *testing.T) {
	for name, want := range map[string]string{
		"alice.eth": "alice.eth", " Alice.ETH ": "alice.eth", "a-b.sub.alice.eth": "a-b.sub.alice.eth", "_x.eth": "_x.eth", "1234.eth": "1234.eth",
	} {
		got, err := Normalise(name)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, name := range []string{"", "alice", ".eth", "alice.", "a..eth", "a b.eth", "a_b.eth", "xn--ls8h.eth", "ab--c.eth", "аlice.eth", "ali\u200dce.eth", "\u212aing.eth", "é.eth",
		"a/b.eth", "alice.eth\x00", strings.Repeat("a", 64) + ".eth", strings.Repeat("a.", 130) + "eth"} {
		_, err := Normalise(name)
		require.ErrorIs(t, err, ErrName, "%q", name)
	}
}

func FuzzNormalise(f *testing.F) {
	f.Add("Alice.eth")
	f.Fuzz(func(t *testing.T, name string) {
		if normal, err := Normalise(name); err == nil {
			again, err := Normalise(normal)
			require.NoError(t, err)
			require.Equal(t, normal, again)
		}
	})
}

// book answers calls by contract and input.
type book map[string][]byte

func (b book) Agreed(_ context.Context, contract address.Address, input []byte) ([]byte, error) {
	if answer, known := b[string(contract[:])+string(input)]; known {
		return answer, nil
	}
	return nil, nil
}

func TestResolve(t *testing.T) {
	resolver, alice := address.Address{1}, address.Address{2}
	node := abi.Word(Hash("alice.eth"))
	pad := func(a address.Address) []byte { w := abi.Address(a); return w[:] }
	at := func(contract address.Address, input []byte) string { return string(contract[:]) + string(input) }
	lookup, ask, askPolygon := at(registry, abi.Call(resolverOf, node)), at(resolver, abi.Call(addrOf, node)), at(resolver, abi.Call(addrOfType, node, abi.Uint(coinType(137))))
	number := func(n byte) []byte { return append(make([]byte, 31), n) }
	whole := bytes.Join([][]byte{number(32), number(20), alice[:], make([]byte, 12)}, nil)

	got, err := Resolve(t.Context(), book{lookup: pad(resolver), ask: pad(alice)}, "alice.eth", Ethereum)
	require.NoError(t, err)
	require.Equal(t, alice, got)
	got, err = Resolve(t.Context(), book{lookup: pad(resolver), askPolygon: whole}, "alice.eth", 137)
	require.NoError(t, err)
	require.Equal(t, alice, got)
	for name, b := range map[string]book{
		"no registry":         {},
		"no resolver":         {lookup: make([]byte, 32)},
		"a strange resolver":  {lookup: bytes.Repeat([]byte{1}, 32), ask: pad(alice)},
		"a short answer":      {lookup: pad(resolver), ask: alice[:]},
		"no address":          {lookup: pad(resolver), ask: make([]byte, 32)},
		"too much":            {lookup: pad(resolver), ask: bytes.Repeat([]byte{1}, 32)},
		"the resolver's fail": {lookup: pad(resolver)},
	} {
		_, err := Resolve(t.Context(), b, "alice.eth", Ethereum)
		require.ErrorIs(t, err, ErrNotFound, name)
	}
	for name, answer := range map[string][]byte{
		"empty":     bytes.Join([][]byte{number(32), number(0)}, nil),
		"32 bytes":  bytes.Join([][]byte{number(32), number(32), pad(alice)}, nil),
		"elsewhere": bytes.Join([][]byte{number(64), number(20), alice[:], make([]byte, 12)}, nil),
		"zero":      bytes.Join([][]byte{number(32), number(20), make([]byte, 32)}, nil),
	} {
		_, err := Resolve(t.Context(), book{lookup: pad(resolver), askPolygon: answer}, "alice.eth", 137)
		require.ErrorIs(t, err, ErrNotFound, name)
	}
	_, err = Resolve(t.Context(), failing{}, "alice.eth", Ethereum)
	require.ErrorIs(t, err, errAway)
}

var errAway = errors.New("away")

type failing struct{}

func (failing) Agreed(context.Context, address.Address, []byte) ([]byte, error) { return nil, errAway }

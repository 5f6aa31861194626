package cc

import (
	"crypto/ed25519"
	"math/big"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
	"github.com/stretchr/testify/require"
)

// signer returns the key pair derived from one byte.
func signer(b byte) (pub []byte, sign func(hash []byte) []byte) {
	secret, public := btcec.PrivKeyFromBytes([]byte{31: b})
	return public.SerializeCompressed(), func(hash []byte) []byte {
		sig := ecdsa.Sign(secret, hash)
		r, s := sig.R(), sig.S()
		rBytes, sBytes := r.Bytes(), s.Bytes()
		return append(rBytes[:], sBytes[:]...)
	}
}

func signedLeaf(b byte, hash []byte) *Node {
	pub, sign := signer(b)
	return &Node{Kind: Secp256k1, PublicKey: pub, Signature: sign(hash)}
}

func ed25519Leaf(msg []byte) *Node {
	secret := ed25519.NewKeyFromSeed(make([]byte, 32))
	public := secret.Public().(ed25519.PublicKey)
	return &Node{Kind: Ed25519, PublicKey: public, Signature: ed25519.Sign(secret, msg)}
}

func TestVerifySecp256k1(t *testing.T) {
	hash := hash32([]byte("message"))
	pub, sign := signer(1)
	sig := sign(hash)
	order := btcec.S256().N
	withS := func(s *big.Int) []byte { return append(sig[:32:32], s.FillBytes(make([]byte, 32))...) }
	withR := func(r *big.Int) []byte { return append(r.FillBytes(make([]byte, 32)), sig[32:]...) }
	s := new(big.Int).SetBytes(sig[32:])
	other, _ := signer(2)
	_, key := btcec.PrivKeyFromBytes([]byte{31: 1})
	cases := []struct {
		name          string
		pub, msg, sig []byte
		want          bool
	}{
		{"good", pub, hash, sig, true},
		{"other message", pub, hash32(hash), sig, false},
		{"other key", other, hash, sig, false},
		{"high s", pub, hash, withS(new(big.Int).Sub(order, s)), false},
		{"s + n would overflow", pub, hash, withS(order), false},
		{"s is zero", pub, hash, withS(new(big.Int)), false},
		{"r is zero", pub, hash, withR(new(big.Int)), false},
		{"r is the order", pub, hash, withR(order), false},
		{"r and s are zero", pub, hash, make([]byte, 64), false},
		{"short signature", pub, hash, sig[:63], false},
		{"long signature", pub, hash, append(sig[:64:64], 0), false},
		{"no signature", pub, hash, nil, false},
		{"short message", pub, hash[:31], sig, false},
		{"uncompressed key", key.SerializeUncompressed(), hash, sig, false},
		{"key not on the curve", append([]byte{2}, make([]byte, 32)...), hash, sig, false},
		{"key of another form", append([]byte{5}, pub[1:]...), hash, sig, false},
		{"no key", nil, hash, sig, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, VerifySecp256k1(c.pub, c.msg, c.sig))
		})
	}
}

func TestVerify(t *testing.T) {
	msg := hash32([]byte("message"))
	wrong := func(n *Node) *Node {
		n.Signature[5] ^= 1
		return n
	}
	prefix := func(data string, sub *Node) *Node {
		return &Node{Kind: Prefix, Data: []byte(data), Subs: []*Node{sub}}
	}
	unsigned := NewSecp256k1(signedLeaf(3, msg).PublicKey)
	oddKey := ed25519Leaf(msg)
	oddKey.PublicKey = oddKey.PublicKey[1:]
	good, goodEd := signedLeaf(1, msg), ed25519Leaf(msg)
	cases := []struct {
		name string
		tree *Node
		want bool
	}{
		{"one key", good, true},
		{"unsigned", unsigned, false},
		{"wrong", wrong(signedLeaf(1, msg)), false},
		{"1 of 2", NewThreshold(1, unsigned, good), true},
		{"2 of 2 with one signed", NewThreshold(2, unsigned, good), false},
		{"1 of 2, the other wrong", NewThreshold(1, wrong(signedLeaf(2, msg)), good), false},
		{"ed25519", goodEd, true},
		{"ed25519 wrong", wrong(ed25519Leaf(msg)), false},
		{"ed25519 with a short key", oddKey, false},
		{"ed25519 wrong next to a good key", NewThreshold(1, wrong(ed25519Leaf(msg)), good), false},
		{"both curves", NewThreshold(2, goodEd, good), true},
		{"prefix", prefix("ab", ed25519Leaf(append([]byte("ab"), msg...))), true},
		{"prefix in a prefix", prefix("ab", prefix("cd", ed25519Leaf(append([]byte("cdab"), msg...)))), true},
		{"prefix not signed", prefix("ab", goodEd), false},
		{"prefix of a secp256k1 key", prefix("", good), false},
		{"prefix next to a secp256k1 key", NewThreshold(2, good, prefix("", NewEval(1))), false},
		{"eval", NewEval(1), true},
		{"preimage", &Node{Kind: Preimage}, true},
		{"RSA", &Node{Kind: RSA}, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, c.tree.Verify(msg, Checker{Eval: accept}))
		})
	}
}

// TestVerifyOrder checks that each leaf is verified once: first the signatures, then the evals
// in the order of the fulfillment, up to the first that is false.
func TestVerifyOrder(t *testing.T) {
	msg := hash32([]byte("message"))
	key1, key2 := signedLeaf(1, msg), signedLeaf(2, msg)
	tree := NewThreshold(5, NewEval(0xf2), key1, NewEval(0xe3), NewThreshold(1, key2), NewEval(0xf2, 1))
	b, err := tree.Encode()
	require.NoError(t, err)
	n, err := DecodeFulfillment(b)
	require.NoError(t, err)
	cases := []struct {
		name string
		no   string // name of the leaf that is false
		want []string
	}{
		{"all true", "", []string{"key 2", "key 1", "e3", "f2", "f2 01"}},
		{"first key", "key 2", []string{"key 2"}},
		{"second key", "key 1", []string{"key 2", "key 1"}},
		{"first eval", "e3", []string{"key 2", "key 1", "e3"}},
		{"last eval", "f2 01", []string{"key 2", "key 1", "e3", "f2", "f2 01"}},
	}
	names := map[string]string{
		string(key1.PublicKey): "key 1", string(key2.PublicKey): "key 2",
		"\xe3": "e3", "\xf2": "f2", "\xf2\x01": "f2 01",
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var calls []string
			ask := func(what []byte) bool {
				calls = append(calls, names[string(what)])
				return names[string(what)] != c.no
			}
			checker := Checker{Eval: ask, Secp256k1: func(pub, m, sig []byte) bool {
				require.Equal(t, msg, m)
				require.Len(t, sig, 64)
				return ask(pub)
			}}
			require.Equal(t, c.no == "", n.Verify(msg, checker))
			require.Equal(t, c.want, calls)
		})
	}
}

func TestVerifyWithoutEval(t *testing.T) {
	msg := hash32([]byte("message"))
	require.True(t, signedLeaf(1, msg).Verify(msg, Checker{}))
	require.False(t, NewThreshold(2, signedLeaf(1, msg), NewEval(1)).Verify(msg, Checker{}))
	hidden := NewEval(1).Condition()
	tree := NewThreshold(1, signedLeaf(1, msg), &Node{Kind: Eval, Hidden: &hidden})
	require.True(t, tree.Verify(msg, Checker{}), "no one asks a hidden eval")
}

// TestEmptyThreshold checks that a threshold of zero is never fulfilled, wherever it is in the
// tree, as in komodod.
func TestEmptyThreshold(t *testing.T) {
	accepting := Checker{Eval: func([]byte) bool { return true }}
	for name, tree := range map[string]*Node{
		"root":   NewThreshold(0),
		"below":  NewThreshold(2, NewEval(1), NewThreshold(0)),
		"deeper": NewThreshold(1, NewThreshold(2, NewEval(1), NewThreshold(0, NewEval(2)))),
	} {
		t.Run(name, func(t *testing.T) {
			b, err := tree.Encode()
			require.NoError(t, err)
			decoded, err := DecodeFulfillment(b)
			require.NoError(t, err)
			require.False(t, decoded.Verify(nil, accepting))
		})
	}
	require.True(t, NewThreshold(1, NewThreshold(1, NewEval(1))).Verify(nil, accepting))
}

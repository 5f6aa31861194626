package cc

import (
	"crypto/ed25519"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
)

// Checker decides the leaves that Verify cannot.
type Checker struct {
	// Secp256k1 verifies a signature; nil means VerifySecp256k1.
	Secp256k1 func(pub, msg, sig []byte) bool
	// Eval decides an eval code; nil refuses every one.
	Eval func(code []byte) bool
}

// Verify tells whether the fulfilled tree holds for msg. Every signature in it must
// be valid, whether or not a threshold needs it, and then every eval node must be
// true, in the order of the fulfillment (cc_verify).
func (n *Node) Verify(msg []byte, c Checker) bool {
	if !n.isFulfilled() {
		return false
	}
	secp := c.Secp256k1
	if secp == nil {
		secp = VerifySecp256k1
	}
	return n.all(msg, Ed25519, func(leaf *Node, msg []byte) bool {
		return ed25519.Verify(leaf.PublicKey, msg, leaf.Signature)
	}) && n.all(msg, Secp256k1, func(leaf *Node, msg []byte) bool {
		return secp(leaf.PublicKey, msg, leaf.Signature)
	}) && n.all(msg, Eval, func(leaf *Node, _ []byte) bool {
		return c.Eval != nil && c.Eval(leaf.Data)
	})
}

// isFulfilled tells whether Encode would succeed.
func (n *Node) isFulfilled() bool {
	if n.Hidden != nil {
		return false
	}
	fulfilled := 0
	for _, sub := range n.Subs {
		if sub.isFulfilled() {
			fulfilled++
		}
	}
	switch n.Kind {
	case Preimage, Eval:
		return true
	case Ed25519, Secp256k1:
		return len(n.Signature) > 0
	case Prefix:
		return fulfilled == 1
	case Threshold:
		return fulfilled >= n.Threshold
	}
	return false
}

// all tells whether check holds for every leaf of a kind. Leaves below a prefix
// see the message with the prefix before it.
func (n *Node) all(msg []byte, kind Kind, check func(leaf *Node, msg []byte) bool) bool {
	if n.Hidden != nil {
		return true
	}
	if n.Kind == kind && (kind == Eval || len(n.Signature) > 0) && !check(n, msg) {
		return false
	}
	if n.Kind == Prefix {
		if uint64(len(msg)) > n.MaxMessageLen {
			return false
		}
		msg = append(append(make([]byte, 0, len(n.Data)+len(msg)), n.Data...), msg...)
	}
	for _, sub := range n.Subs {
		if !sub.all(msg, kind, check) {
			return false
		}
	}
	return true
}

// VerifySecp256k1 verifies a 64-byte signature r‖s with the low s over a 32-byte
// hash.
func VerifySecp256k1(pub, msg, sig []byte) bool {
	if len(sig) != signatureSize || len(msg) != 32 {
		return false
	}
	key, err := btcec.ParsePubKey(pub)
	if err != nil {
		return false
	}
	var r, s btcec.ModNScalar
	if r.SetByteSlice(sig[:32]) || s.SetByteSlice(sig[32:]) || r.IsZero() || s.IsZero() || s.IsOverHalfOrder() {
		return false
	}
	return ecdsa.NewSignature(&r, &s).Verify(msg, key)
}

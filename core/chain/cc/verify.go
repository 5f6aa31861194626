package cc

import (
	"crypto/ed25519"
	"errors"

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

// Verify reports whether the tree is fulfilled and holds for msg, in upstream's order
// (cc_verify): every ed25519 signature in it must be valid, whether or not a
// threshold needs it, then every secp256k1 signature, and then every eval code must
// be true, in the order of the fulfillment.
func (n *Node) Verify(msg []byte, c Checker) bool {
	const prefixed = 1<<Prefix | 1<<Secp256k1
	if !n.isFulfilled() || n.Kinds()&prefixed == prefixed {
		return false // upstream has no hash of 32 bytes that a prefix could go before
	}
	// A threshold of none decodes and encodes, and yet upstream calls it unfulfilled.
	if !n.all(Threshold, (*Node).wantsMembers) {
		return false
	}
	if c.Secp256k1 == nil {
		c.Secp256k1 = VerifySecp256k1
	}
	return n.verifyEd25519(msg) && n.all(Secp256k1, func(leaf *Node) bool {
		return len(leaf.Signature) == 0 || c.Secp256k1(leaf.PublicKey, msg, leaf.Signature)
	}) && n.all(Eval, func(leaf *Node) bool {
		return c.Eval != nil && c.Eval(leaf.Data)
	})
}

// HasKeys reports whether every known secp256k1 key of the tree is a point of the curve.
// Upstream does not decode a fulfillment with another (secp256k1.c).
func (n *Node) HasKeys() bool {
	return n.all(Secp256k1, func(leaf *Node) bool {
		_, err := btcec.ParsePubKey(leaf.PublicKey)
		return err == nil && len(leaf.PublicKey) == secp256k1KeySize
	})
}

// wantsMembers looks for a threshold of none at and below a threshold.
func (n *Node) wantsMembers() bool {
	if n.Threshold == 0 {
		return false
	}
	for _, sub := range n.Subs {
		if !sub.all(Threshold, (*Node).wantsMembers) {
			return false
		}
	}
	return true
}

// all reports whether check holds for every known node of a kind; below such a node it
// does not look.
func (n *Node) all(kind Kind, check func(leaf *Node) bool) bool {
	if n.Hidden != nil {
		return true
	}
	if n.Kind == kind {
		return check(n)
	}
	for _, sub := range n.Subs {
		if !sub.all(kind, check) {
			return false
		}
	}
	return true
}

// verifyEd25519 puts each prefix before the message of its subcondition. As upstream it ignores
// the prefix's maximum message length.
func (n *Node) verifyEd25519(msg []byte) bool {
	switch {
	case n.Hidden != nil:
		return true
	case n.Kind == Ed25519 && len(n.Signature) > 0:
		return len(n.PublicKey) == ed25519KeySize && ed25519.Verify(n.PublicKey, msg, n.Signature)
	case n.Kind == Prefix:
		msg = append(append(make([]byte, 0, len(n.Data)+len(msg)), n.Data...), msg...)
	}
	for _, sub := range n.Subs {
		if !sub.verifyEd25519(msg) {
			return false
		}
	}
	return true
}

// VerifySecp256k1 verifies a signature of 64 bytes, r and s, over a hash of 32 bytes
// with a compressed key. Like libsecp256k1 it takes only the lower s.
func VerifySecp256k1(pub, msg, sig []byte) bool {
	if len(pub) != secp256k1KeySize || len(msg) != 32 || len(sig) != signatureSize {
		return false
	}
	key, err := btcec.ParsePubKey(pub)
	if err != nil {
		return false
	}
	var r, s btcec.ModNScalar
	if r.SetByteSlice(sig[:32]) || s.SetByteSlice(sig[32:]) || s.IsOverHalfOrder() {
		return false
	}
	return ecdsa.NewSignature(&r, &s).Verify(msg, key) // which refuses zeroes
}

// Errors of decoding and encoding.
var (
	// ErrMalformed reports bytes that are no crypto-condition at all.
	ErrMalformed = errors.New("malformed crypto-condition")
	// ErrNotCanonical reports bytes that mean a crypto-condition which has other bytes.
	ErrNotCanonical = errors.New("crypto-condition is not in its canonical form")
	// ErrUnsupported reports a kind that upstream knows but does not implement: RSA.
	ErrUnsupported = errors.New("kind of crypto-condition is not supported")
	// ErrTooLarge reports more than MaxSize bytes.
	ErrTooLarge = errors.New("crypto-condition is too large")
	// ErrTooDeep reports more than MaxDepth nodes below one another.
	ErrTooDeep = errors.New("crypto-condition is too deep")
	// ErrUnfulfilled reports a tree that lacks a signature it needs.
	ErrUnfulfilled = errors.New("crypto-condition is not fulfilled")
)

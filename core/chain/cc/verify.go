package cc

import (
	"crypto/ed25519"
	"errors"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
)

// Checker evaluates leaves of a tree for Verify.
type Checker struct {
	// Secp256k1 verifies a signature. If it is nil, VerifySecp256k1 is used.
	Secp256k1 func(pub, msg, sig []byte) bool
	// Eval evaluates an eval code. If it is nil, every code is refused.
	Eval func(code []byte) bool
}

// Verify reports whether the tree is fulfilled and valid for msg. The checks are made in the
// order of komodod's cc_verify: first every ed25519 signature must be valid, even if no
// threshold needs it, then every secp256k1 signature, and then every eval code must be true, in
// the order of the fulfillment.
func (n *Node) Verify(msg []byte, c Checker) bool {
	const prefixed = 1<<Prefix | 1<<Secp256k1
	if !n.isFulfilled() || n.Kinds()&prefixed == prefixed {
		return false // komodod cannot prepend a prefix to the 32-byte hash that secp256k1 signs
	}
	// A threshold of zero can be decoded and encoded, but komodod regards it as unfulfilled.
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

// HasKeys reports whether every known secp256k1 key of the tree is a point on the curve.
// Otherwise komodod does not decode the fulfillment (secp256k1.c).
func (n *Node) HasKeys() bool {
	return n.all(Secp256k1, func(leaf *Node) bool {
		_, err := btcec.ParsePubKey(leaf.PublicKey)
		return err == nil && len(leaf.PublicKey) == secp256k1KeySize
	})
}

// wantsMembers reports whether n and all thresholds below it are greater than zero.
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

// all reports whether check holds for every known node of a kind. It does not descend below
// such a node.
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

// verifyEd25519 verifies the ed25519 signatures. A prefix is prepended to the message of its
// subcondition. As in komodod, the prefix's maximum message length is ignored.
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

// VerifySecp256k1 verifies a 64-byte signature, r followed by s, of a 32-byte hash with a
// compressed key. Like libsecp256k1, it accepts only the lower s.
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
	return ecdsa.NewSignature(&r, &s).Verify(msg, key) // refuses zeros
}

// Errors of decoding and encoding.
var (
	// ErrMalformed reports bytes that are not a crypto-condition.
	ErrMalformed = errors.New("malformed crypto-condition")
	// ErrNotCanonical reports a crypto-condition that is not encoded in its canonical form.
	ErrNotCanonical = errors.New("crypto-condition is not in its canonical form")
	// ErrUnsupported reports a kind that komodod knows but does not implement: RSA.
	ErrUnsupported = errors.New("kind of crypto-condition is not supported")
	// ErrTooLarge reports a fulfillment longer than MaxSize.
	ErrTooLarge = errors.New("crypto-condition is too large")
	// ErrTooDeep reports a fulfillment nested deeper than MaxDepth.
	ErrTooDeep = errors.New("crypto-condition is too deep")
	// ErrUnfulfilled reports that a required signature is missing.
	ErrUnfulfilled = errors.New("crypto-condition is not fulfilled")
)

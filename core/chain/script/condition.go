package script

import (
	"bytes"

	"obverse/core/chain/cc"
)

// MaxFulfillment is the maximum size of the push in a condition's scriptSig, including the hash
// type (cryptoconditions.h).
const MaxFulfillment = 2048

// Kinds of nodes that a condition may contain, and kinds of which it must contain one
// (script/cc.h CCEnabledTypes, CCSigningNodes). Prefix and RSA are not allowed.
const (
	signingKinds = 1<<cc.Ed25519 | 1<<cc.Secp256k1
	enabledKinds = signingKinds | 1<<cc.Preimage | 1<<cc.Threshold | 1<<cc.Eval
)

// PayToCondition returns a script that pays to anyone who fulfills a crypto-condition. All
// token outputs have this form.
func PayToCondition(c cc.Condition) []byte { return payToConditionBytes(c.Encode()) }

func payToConditionBytes(condition []byte) []byte {
	return append(PushData(condition), OpCheckCryptoCondition)
}

// FulfillCondition returns the scriptSig that spends a PayToCondition: a single push of the
// fulfillment, followed by the hash type of its signatures.
func FulfillCondition(fulfillment []byte, hashType byte) []byte {
	return PushData(append(fulfillment[:len(fulfillment):len(fulfillment)], hashType))
}

// IsPayToCondition reports whether the script pays to a crypto-condition.
func IsPayToCondition(pkScript []byte) bool {
	_, ok := BareCondition(pkScript)
	return ok
}

// BareCondition returns the part of a condition's output script that its address hashes:
// `<condition> OP_CHECKCRYPTOCONDITION`, with a push of at most 75 bytes. This part may be
// followed by pushes and the same number of OP_DROPs, which are data carried by the output
// (script/script.cpp IsPayToCryptoCondition).
func BareCondition(pkScript []byte) (bare []byte, ok bool) {
	it := Iterate(pkScript)
	if !it.Next() || it.Op == Op0 || it.Op >= OpPushData1 {
		return nil, false
	}
	if !it.Next() || it.Op != OpCheckCryptoCondition || !isBalanced(it.Rest()) {
		return nil, false
	}
	n := len(pkScript) - len(it.Rest())
	return pkScript[:n:n], true
}

// isBalanced reports whether the script consists of pushes whose values are all removed by
// OP_DROPs (script/script.cpp GetBalancedData). OP_1NEGATE, and an empty push by any opcode but
// OP_0, do not count as pushes.
func isBalanced(script []byte) bool {
	depth := 0
	it := Iterate(script)
	for it.Next() {
		switch {
		case it.Op == OpDrop:
			depth--
		case it.Op == Op0, len(it.Data) > 0, isSmallCount(it.Op):
			depth++
		default:
			return false
		}
		if depth < 0 {
			return false
		}
	}
	return depth == 0 && !it.Bad()
}

// pushFulfillment evaluates a scriptSig without running it. The scriptSig must be a single
// push, which may be longer than other pushes and need not be minimal (script/interpreter.cpp
// EvalCryptoConditionSig).
func (m *machine) pushFulfillment(scriptSig []byte) error {
	it := Iterate(scriptSig)
	switch {
	case !it.Next():
		return ErrBadOpcode
	case it.Op == Op0 || it.Op > OpPushData4 || len(it.Rest()) > 0:
		return ErrInvalidStack
	case len(it.Data) > MaxFulfillment:
		return ErrPushSize
	}
	m.push(it.Data)
	return nil
}

// checkCondition implements ( fulfillment condition -- bool ).
func (m *machine) checkCondition(op byte) error {
	if m.flags&NoCC != 0 {
		return ErrDisabledOpcode
	}
	if len(m.stack) < 2 {
		return ErrInvalidStack
	}
	ok, err := m.spend.fulfills(m.top(1), m.top(2))
	if err != nil {
		return err
	}
	m.pop(2)
	return m.pushResult(ok, op == OpCheckCryptoConditionVerify, ErrConditionVerify)
}

// fulfills verifies a fulfillment that is followed by a hash type, in komodod's order
// (script/interpreter.cpp CheckCryptoCondition). The script code of its signatures is the
// condition alone, without data that follows it in the output.
func (s *Spend) fulfills(condition, fulfillment []byte) (bool, error) {
	last := len(fulfillment) - 1
	if last < 0 {
		return false, nil
	}
	node, err := cc.DecodeFulfillment(fulfillment[:last])
	if err != nil {
		return false, ErrFulfillment
	}
	if s.holds(node, condition, fulfillment[last]) {
		return true, nil
	}
	if !node.HasKeys() { // checked last, since the key of a valid signature is always valid
		return false, ErrFulfillment
	}
	return false, nil
}

// holds verifies a decoded fulfillment.
func (s *Spend) holds(node *cc.Node, condition []byte, hashType byte) bool {
	if !isSupported(node.Kinds()) || !isSigned(node) {
		return false
	}
	rebuilt := node.Condition().Encode()
	if !bytes.Equal(rebuilt, condition) {
		return false
	}
	hash, err := s.signatureHash(payToConditionBytes(rebuilt), hashType)
	if err != nil {
		return false // the same result as in verifySignature
	}
	return node.Verify(hash[:], cc.Checker{
		Secp256k1: func(pub, _, sig []byte) bool {
			return s.Cache.checkCompact(hash, pub, sig)
		},
		Eval: s.evaluate,
	})
}

func (s *Spend) evaluate(code []byte) bool { return s.Eval == nil || s.Eval(code) }

func isSupported(kinds uint32) bool {
	return kinds&^enabledKinds == 0 && kinds&signingKinds != 0
}

// isSigned reports whether the fulfilled part of the tree contains a signature.
func isSigned(n *cc.Node) bool {
	switch {
	case n.Hidden != nil:
		return false
	case n.Kind == cc.Ed25519 || n.Kind == cc.Secp256k1:
		return len(n.Signature) > 0
	case n.Kind == cc.Threshold:
		for _, sub := range n.Subs {
			if isSigned(sub) {
				return true
			}
		}
	}
	return false
}

// conditionClass returns the class of a condition script. A condition that cannot be decoded or
// fulfilled is nonstandard (script/script.cpp MayAcceptCryptoCondition). The address of the
// condition hashes the script up to the opcode.
func conditionClass(bare []byte) Class {
	condition, err := cc.DecodeCondition(bare[1 : len(bare)-1])
	if err != nil || !isSupported(1<<condition.Kind|condition.Subtypes) {
		return Class{}
	}
	return addressed(TypeCryptoCondition, PubKeyAddress(bare))
}

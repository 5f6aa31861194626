package script

import (
	"bytes"

	"obverse/core/chain/cc"
)

// MaxFulfillment is the size of the largest push that a condition's scriptSig may
// make, hash type included (cryptoconditions.h).
const MaxFulfillment = 2048

// Kinds of node that a condition may hold, and those of which it needs one
// (script/cc.h CCEnabledTypes, CCSigningNodes). Prefix and RSA are out.
const (
	signingKinds = 1<<cc.Ed25519 | 1<<cc.Secp256k1
	enabledKinds = signingKinds | 1<<cc.Preimage | 1<<cc.Threshold | 1<<cc.Eval
)

// PayToCondition pays to who fulfills a crypto-condition: every token output.
func PayToCondition(c cc.Condition) []byte { return payToConditionBytes(c.Encode()) }

func payToConditionBytes(condition []byte) []byte {
	return append(PushData(condition), OpCheckCryptoCondition)
}

// FulfillCondition returns the scriptSig that spends a PayToCondition: one push of the
// fulfillment and the hash type its signatures were made with.
func FulfillCondition(fulfillment []byte, hashType byte) []byte {
	return PushData(append(fulfillment[:len(fulfillment):len(fulfillment)], hashType))
}

// IsPayToCondition reports whether the script pays to a crypto-condition.
func IsPayToCondition(pkScript []byte) bool {
	_, ok := BareCondition(pkScript)
	return ok
}

// BareCondition returns the part of a condition's output script that its address
// hashes, `<condition> OP_CHECKCRYPTOCONDITION`, where the condition is pushed in
// up to 75 bytes. Pushes and as many OP_DROPs may follow it in the script: data
// that the output carries (script/script.cpp IsPayToCryptoCondition).
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

// isBalanced reports whether the script consists of pushes that each lose their value to an
// OP_DROP (script/script.cpp GetBalancedData). An empty push by any opcode but OP_0, and
// OP_1NEGATE, do not count as pushes.
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

// pushFulfillment takes the place of running the scriptSig: it must be exactly
// one push, which may be longer than other pushes and need not be minimal
// (script/interpreter.cpp EvalCryptoConditionSig).
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

// checkCondition is ( fulfillment condition -- bool ).
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

// fulfills checks a fulfillment, with the hash type at its end, in upstream's
// order (script/interpreter.cpp CheckCryptoCondition). What its signatures sign
// has the condition that they fulfill for script code, without the data that may
// follow it in the output.
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
	if !node.HasKeys() { // looked at last: a signature that is valid has a key
		return false, ErrFulfillment
	}
	return false, nil
}

// holds checks a decoded fulfillment.
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
		return false // as for verifySignature
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

// isSigned asks for a signature somewhere in the fulfilled part of the tree.
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

// conditionClass asks that a condition can be read and fulfilled; one that cannot
// is nonstandard (script/script.cpp MayAcceptCryptoCondition). Its address hashes
// the script up to the opcode.
func conditionClass(bare []byte) Class {
	condition, err := cc.DecodeCondition(bare[1 : len(bare)-1])
	if err != nil || !isSupported(1<<condition.Kind|condition.Subtypes) {
		return Class{}
	}
	return addressed(TypeCryptoCondition, PubKeyAddress(bare))
}

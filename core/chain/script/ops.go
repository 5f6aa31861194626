package script

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"math"

	//lint:ignore SA1019 addresses require RIPEMD-160
	"golang.org/x/crypto/ripemd160"

	"obverse/core/chain/wire"
)

// lockTimeThreshold separates lock times that are heights from those that are Unix times.
const lockTimeThreshold = 500_000_000

func (m *machine) smallNumber(op byte) error {
	m.push(encodeNumber(int64(op) - Op1 + 1))
	return nil
}

func (m *machine) nop(byte) error { return nil }

func (m *machine) upgradableNop(byte) error {
	if m.flags&DiscourageNops != 0 {
		return ErrDiscourageNops
	}
	return nil
}

func (m *machine) opIf(op byte) error {
	runs := false
	if m.skipping == 0 {
		if len(m.stack) == 0 {
			return ErrUnbalancedConditional
		}
		runs = truth(m.top(1)) == (op == OpIf)
		m.pop(1)
	}
	m.branches = append(m.branches, runs)
	if !runs {
		m.skipping++
	}
	return nil
}

func (m *machine) opElse(byte) error {
	last := len(m.branches) - 1
	if last < 0 {
		return ErrUnbalancedConditional
	}
	m.branches[last] = !m.branches[last]
	if m.branches[last] {
		m.skipping--
	} else {
		m.skipping++
	}
	return nil
}

func (m *machine) opEndIf(byte) error {
	last := len(m.branches) - 1
	if last < 0 {
		return ErrUnbalancedConditional
	}
	if !m.branches[last] {
		m.skipping--
	}
	m.branches = m.branches[:last]
	return nil
}

func (m *machine) opVerify(byte) error {
	if !truth(m.top(1)) {
		return ErrVerify
	}
	m.pop(1)
	return nil
}

func (m *machine) opReturn(byte) error { return ErrOpReturn }

// checkLockTime fails unless the transaction's lock time is at least the one on the stack,
// which is not removed (BIP 65).
func (m *machine) checkLockTime(op byte) error {
	if m.flags&CLTV == 0 {
		return m.upgradableNop(op)
	}
	if len(m.stack) == 0 {
		return ErrInvalidStack
	}
	lock, err := parseNumber(m.top(1), lockTimeSize, m.flags&MinimalData != 0)
	if err != nil {
		return err
	}
	tx := m.spend.Tx
	have := int64(tx.LockTime)
	switch {
	case lock < 0:
		return ErrNegativeLockTime
	case (lock < lockTimeThreshold) != (have < lockTimeThreshold), lock > have,
		tx.Inputs[m.spend.Index].Sequence == math.MaxUint32:
		return ErrUnsatisfiedLockTime
	}
	return nil
}

func (m *machine) toAlt(byte) error {
	m.alt = append(m.alt, m.top(1))
	m.pop(1)
	return nil
}

func (m *machine) fromAlt(byte) error {
	last := len(m.alt) - 1
	if last < 0 {
		return ErrInvalidAltStack
	}
	m.push(m.alt[last])
	m.alt = m.alt[:last]
	return nil
}

func (m *machine) drop(byte) error {
	m.pop(1)
	return nil
}

func (m *machine) drop2(byte) error {
	m.pop(2)
	return nil
}

func (m *machine) dup(byte) error {
	m.push(m.top(1))
	return nil
}

func (m *machine) dup2(byte) error {
	m.push(m.top(2), m.top(1))
	return nil
}

func (m *machine) dup3(byte) error {
	m.push(m.top(3), m.top(2), m.top(1))
	return nil
}

func (m *machine) ifDup(byte) error {
	if truth(m.top(1)) {
		m.push(m.top(1))
	}
	return nil
}

func (m *machine) depth(byte) error {
	m.push(encodeNumber(int64(len(m.stack))))
	return nil
}

func (m *machine) over(byte) error {
	m.push(m.top(2))
	return nil
}

func (m *machine) over2(byte) error {
	m.push(m.top(4), m.top(3))
	return nil
}

// nip removes the second value from the top.
func (m *machine) nip(byte) error {
	m.take(2)
	return nil
}

// pick copies (OP_PICK) or moves (OP_ROLL) a value to the top of the stack. The value on top is
// the depth of that value.
func (m *machine) pick(op byte) error {
	n, err := m.number(1)
	if err != nil {
		return err
	}
	m.pop(1)
	if n < 0 || n >= int64(len(m.stack)) {
		return ErrInvalidStack
	}
	if op == OpRoll {
		m.push(m.take(int(n) + 1))
	} else {
		m.push(m.top(int(n) + 1))
	}
	return nil
}

func (m *machine) rot(byte) error {
	m.push(m.take(3))
	return nil
}

func (m *machine) rot2(byte) error {
	m.push(m.take(6), m.take(5))
	return nil
}

func (m *machine) swap(byte) error {
	m.push(m.take(2))
	return nil
}

func (m *machine) swap2(byte) error {
	m.push(m.take(4), m.take(3))
	return nil
}

// tuck inserts a copy of the top value below the second.
func (m *machine) tuck(byte) error {
	m.push(m.take(2), m.top(1))
	return nil
}

// take removes the nth value from the top, counted from 1, and returns it.
func (m *machine) take(n int) []byte {
	i := len(m.stack) - n
	v := m.stack[i]
	m.stack = append(m.stack[:i], m.stack[i+1:]...)
	return v
}

func (m *machine) size(byte) error {
	m.push(encodeNumber(int64(len(m.top(1)))))
	return nil
}

func (m *machine) equal(op byte) error {
	same := bytes.Equal(m.top(2), m.top(1))
	m.pop(2)
	return m.pushResult(same, op == OpEqualVerify, ErrEqualVerify)
}

func (m *machine) unary(op byte) error {
	n, err := m.number(1)
	if err != nil {
		return err
	}
	switch op {
	case Op1Add:
		n++
	case Op1Sub:
		n--
	case OpNegate:
		n = -n
	case OpAbs:
		n = max(n, -n)
	case OpNot:
		n = oneIf(n == 0)
	case Op0NotEqual:
		n = oneIf(n != 0)
	}
	m.pop(1)
	m.push(encodeNumber(n))
	return nil
}

func (m *machine) binary(op byte) error {
	a, err := m.number(2)
	if err != nil {
		return err
	}
	b, err := m.number(1)
	if err != nil {
		return err
	}
	m.pop(2)
	if op == OpNumEqualVerify {
		return m.pushResult(a == b, true, ErrNumEqualVerify)
	}
	m.push(encodeNumber(combine(op, a, b)))
	return nil
}

func combine(op byte, a, b int64) int64 {
	switch op {
	case OpAdd:
		return a + b
	case OpSub:
		return a - b
	case OpMin:
		return min(a, b)
	case OpMax:
		return max(a, b)
	}
	return oneIf(compare(op, a, b))
}

func compare(op byte, a, b int64) bool {
	switch op {
	case OpBoolAnd:
		return a != 0 && b != 0
	case OpBoolOr:
		return a != 0 || b != 0
	case OpNumEqual:
		return a == b
	case OpNumNotEqual:
		return a != b
	case OpLessThan:
		return a < b
	case OpGreaterThan:
		return a > b
	case OpLessThanOrEqual:
		return a <= b
	}
	return a >= b // OP_GREATERTHANOREQUAL
}

// within implements OP_WITHIN, which checks whether the third value is in the range [second,
// top).
func (m *machine) within(byte) error {
	var n [3]int64
	for i := range n {
		var err error
		if n[i], err = m.number(len(n) - i); err != nil {
			return err
		}
	}
	m.pop(len(n))
	m.push(encodeBool(n[1] <= n[0] && n[0] < n[2]))
	return nil
}

func oneIf(v bool) int64 {
	if v {
		return 1
	}
	return 0
}

func (m *machine) hash(op byte) error {
	value := m.top(1)
	m.pop(1)
	m.push(hashWith(op, value))
	return nil
}

func hashWith(op byte, value []byte) []byte {
	switch op {
	case OpRipemd160:
		h := ripemd160.New()
		h.Write(value)
		return h.Sum(nil)
	case OpSHA1:
		h := sha1.Sum(value)
		return h[:]
	case OpSHA256:
		h := sha256.Sum256(value)
		return h[:]
	case OpHash160:
		h := Hash160(value)
		return h[:]
	}
	h := wire.HashOf(value) // OP_HASH256
	return h[:]
}

// checkSig implements ( signature key -- bool ).
func (m *machine) checkSig(op byte) error {
	sig, pub := m.top(2), m.top(1)
	ok, err := m.verifySignature(sig, pub)
	if err != nil {
		return err
	}
	m.pop(2)
	return m.pushResult(ok, op == OpCheckSigVerify, ErrCheckSigVerify)
}

// verifySignature reports whether a signature signs the running script. It returns an error for
// signatures and keys that the flags forbid.
func (m *machine) verifySignature(sig, pub []byte) (bool, error) {
	if err := checkSignatureEncoding(sig, m.flags); err != nil {
		return false, err
	}
	if m.flags&StrictEnc != 0 && !isPlainKey(pub) {
		return false, ErrPubKeyType
	}
	if len(sig) == 0 || !isKeySize(pub) {
		return false, nil
	}
	der, hashType := sig[:len(sig)-1], sig[len(sig)-1]
	hash, err := m.spend.signatureHash(m.script, hashType)
	if err != nil {
		return false, nil // no output for SIGHASH_SINGLE; komodod throws an exception inside the check
	}
	return m.spend.Cache.checkDER(hash, pub, der), nil
}

func (s *Spend) signatureHash(scriptCode []byte, hashType byte) (wire.Hash, error) {
	return SignatureHash(s.Tx, s.Index, scriptCode, s.Amount, uint32(hashType), s.BranchID, s.Hashes)
}

// checkMultiSig implements ( dummy sig… sigCount key… keyCount -- bool ). Signatures must be in
// the order of their keys.
func (m *machine) checkMultiSig(op byte) error {
	keys, err := m.count(1, MaxMultiKeys, ErrPubKeyCount)
	if err != nil {
		return err
	}
	if m.ops += keys; m.ops > MaxOps {
		return ErrOpCount
	}
	if len(m.stack) < keys+2 {
		return ErrInvalidStack
	}
	sigs, err := m.count(keys+2, keys, ErrSigCount)
	if err != nil {
		return err
	}
	if len(m.stack) < keys+sigs+2 {
		return ErrInvalidStack
	}
	ok, err := m.matchSignatures(keys, sigs)
	if err != nil {
		return err
	}
	m.pop(keys + sigs + 2)
	if err := m.dropDummy(); err != nil {
		return err
	}
	return m.pushResult(ok, op == OpCheckMultiSigVerify, ErrCheckMultiSigVerify)
}

// count returns the nth value from the top, which must be a number from 0 to limit.
func (m *machine) count(n, limit int, failure Kind) (int, error) {
	v, err := m.number(n)
	if err != nil {
		return 0, err
	}
	if v < 0 || v > int64(limit) {
		return 0, failure
	}
	return int(v), nil
}

// matchSignatures matches signatures with keys from the top of the stack, using each key once.
// It stops when more signatures than keys are left.
func (m *machine) matchSignatures(keys, sigs int) (bool, error) {
	key, sig := 2, keys+3
	for sigs > 0 {
		if sigs > keys {
			return false, nil
		}
		ok, err := m.verifySignature(m.top(sig), m.top(key))
		if err != nil {
			return false, err
		}
		if ok {
			sig++
			sigs--
		}
		key++
		keys--
	}
	return true, nil
}

// dropDummy removes the unused value that a multisig takes from the stack. Bitcoin's first
// client had this error, and it became a rule.
func (m *machine) dropDummy() error {
	if len(m.stack) == 0 {
		return ErrInvalidStack
	}
	if m.flags&NullDummy != 0 && len(m.top(1)) > 0 {
		return ErrSigNullDummy
	}
	m.pop(1)
	return nil
}

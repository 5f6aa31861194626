package script

import (
	"crypto/sha1"
	"crypto/sha256"

	//lint:ignore SA1019 addresses are made with RIPEMD-160
	"golang.org/x/crypto/ripemd160"

	"obverse/core/chain/wire"
)

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

// checkSig is ( signature key -- bool ).
func (m *machine) checkSig(op byte) error {
	sig, pub := m.top(2), m.top(1)
	ok, err := m.verifySignature(sig, pub)
	if err != nil {
		return err
	}
	m.pop(2)
	return m.pushResult(ok, op == OpCheckSigVerify, ErrCheckSigVerify)
}

// verifySignature fails for a signature or key that the flags forbid, and is
// false for one that does not sign the running script.
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
		return false, nil // no output for SIGHASH_SINGLE: upstream throws inside the check
	}
	return m.spend.Cache.checkDER(hash, pub, der), nil
}

func (s *Spend) signatureHash(scriptCode []byte, hashType byte) (wire.Hash, error) {
	return SignatureHash(s.Tx, s.Index, scriptCode, s.Amount, uint32(hashType), s.BranchID, s.Hashes)
}

// checkMultiSig is ( dummy sig… sigCount key… keyCount -- bool ). Signatures must
// come in the order of their keys.
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

// count is the nth value from the top as a number from 0 to limit.
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

// matchSignatures goes through keys and signatures from the top of the stack, so
// that each key is tried once. It stops when more signatures than keys are left.
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

// dropDummy removes the value that a multisig takes without using it, an error of
// the first client that became a rule.
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

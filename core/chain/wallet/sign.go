package wallet

import (
	"bytes"
	"slices"

	"obverse/core/chain/keyring"
	"obverse/core/chain/script"
	"obverse/core/chain/wire"
)

// Keys provides the keys that sign, and the redeem scripts of script addresses.
type Keys interface {
	// Signer returns the key with the Hash160 of its public key.
	Signer(hash [20]byte) (keyring.Signer, bool)
	// Redeem returns the redeem script with a Hash160.
	Redeem(hash [20]byte) ([]byte, bool)
}

// InputSigner signs the inputs of one transaction. Its outputs must not change any more.
type InputSigner struct {
	Keys     Keys
	Tx       *wire.Tx
	Branch   uint32
	HashType byte

	hashes *script.SigHashes
}

// Sign returns the scriptSig that the keys can make for an input. For a multisig it may lack
// signatures. It is empty if the signer has no matching key, or if the output belongs to a module
// (komodod script/sign.cpp ProduceSignature).
func (s *InputSigner) Sign(index int, pkScript []byte, amount int64) []byte {
	if s.hashes == nil {
		s.hashes = script.NewSigHashes(s.Tx)
	}
	class := script.Classify(pkScript)
	if class.Type != script.TypeScriptHash {
		return pushAll(s.step(index, class, pkScript, amount))
	}
	redeem, known := s.Keys.Redeem(class.Addresses[0].Hash)
	if !known {
		return nil
	}
	inner := script.Classify(redeem)
	if inner.Type == script.TypeScriptHash {
		return nil
	}
	return pushAll(append(s.step(index, inner, redeem, amount), redeem))
}

// step returns the values that a script other than P2SH requires.
func (s *InputSigner) step(index int, class script.Class, code []byte, amount int64) [][]byte {
	sign := func(hash [20]byte) (sig, public []byte) {
		signer, has := s.Keys.Signer(hash)
		if !has {
			return nil, nil
		}
		digest, err := script.SignatureHash(s.Tx, index, code, amount, uint32(s.HashType), s.Branch, s.hashes)
		if err != nil {
			return nil, nil
		}
		return append(signer.SignDER(digest), s.HashType), signer.Public
	}
	switch class.Type {
	case script.TypePubKey:
		if sig, _ := sign(script.Hash160(class.PubKeys[0])); sig != nil {
			return [][]byte{sig}
		}
	case script.TypePubKeyHash:
		if sig, public := sign(class.Addresses[0].Hash); sig != nil {
			return [][]byte{sig, public}
		}
	case script.TypeMultiSig:
		values := [][]byte{nil} // OP_CHECKMULTISIG pops one value too many
		for _, public := range class.PubKeys {
			if sig, _ := sign(script.Hash160(public)); sig != nil && len(values) <= class.ReqSigs {
				values = append(values, sig)
			}
		}
		return values
	}
	return nil
}

// pushAll returns a script that leaves the values on the stack.
func pushAll(values [][]byte) (scriptSig []byte) {
	for _, v := range values {
		switch {
		case len(v) == 0:
			scriptSig = append(scriptSig, script.Op0)
		case len(v) == 1 && v[0] >= 1 && v[0] <= 16:
			scriptSig = append(scriptSig, script.Op1+v[0]-1)
		default:
			scriptSig = script.AppendPush(scriptSig, v)
		}
	}
	return scriptSig
}

// Combine merges the signatures of two scriptSigs of an input. If both have one for the same
// key, it takes the one in first [komodod script/sign.cpp CombineSignatures].
func (s *InputSigner) Combine(index int, pkScript []byte, amount int64, first, second []byte) []byte {
	class := script.Classify(pkScript)
	switch class.Type {
	case script.TypeNonStandard, script.TypeNullData, script.TypeCryptoCondition:
		if len(first) >= len(second) {
			return first
		}
		return second
	}
	a, errA := script.Pushes(first)
	b, errB := script.Pushes(second)
	switch {
	case errA != nil:
		a = nil
	case errB != nil:
		b = nil
	}
	return pushAll(s.combine(index, class, pkScript, amount, a, b))
}

func (s *InputSigner) combine(index int, class script.Class, code []byte, amount int64, a, b [][]byte) [][]byte {
	switch class.Type {
	case script.TypePubKey, script.TypePubKeyHash:
		if len(a) == 0 || len(a[0]) == 0 {
			return b
		}
		return a
	case script.TypeScriptHash:
		switch {
		case len(a) == 0 || len(a[len(a)-1]) == 0:
			return b
		case len(b) == 0 || len(b[len(b)-1]) == 0:
			return a
		}
		redeem := a[len(a)-1]
		inner := script.Classify(redeem)
		if inner.Type == script.TypeScriptHash {
			return a
		}
		return append(s.combine(index, inner, redeem, amount, a[:len(a)-1:len(a)-1], b[:len(b)-1]), redeem)
	case script.TypeMultiSig:
		return s.combineMulti(index, class, code, amount, slices.Concat(a, b))
	}
	if len(a) >= len(b) {
		return a
	}
	return b
}

// combineMulti returns signatures of a multisig in the order of its keys.
func (s *InputSigner) combineMulti(index int, class script.Class, code []byte, amount int64, sigs [][]byte) [][]byte {
	found := make([][]byte, len(class.PubKeys))
	for _, sig := range sigs {
		if len(sig) == 0 {
			continue
		}
		for i, public := range class.PubKeys {
			if found[i] == nil && s.verifies(index, public, sig, code, amount) {
				found[i] = sig
				break
			}
		}
	}
	values := [][]byte{nil}
	for _, sig := range found {
		if sig != nil && len(values) <= class.ReqSigs {
			values = append(values, sig)
		}
	}
	for len(values) <= class.ReqSigs {
		values = append(values, nil)
	}
	return values
}

// verifies reports whether a signature with its hash type is by a key.
func (s *InputSigner) verifies(index int, public, sig, code []byte, amount int64) bool {
	digest, err := script.SignatureHash(s.Tx, index, code, amount, uint32(sig[len(sig)-1]), s.Branch, s.hashes)
	return err == nil && script.VerifySignature(public, sig, digest)
}

// given holds the keys and redeem scripts in a request.
type given struct {
	signers map[[20]byte]keyring.Signer
	scripts map[[20]byte][]byte
}

// Given returns Keys with only the given keys and redeem scripts.
func Given(signers []keyring.Signer, scripts [][]byte) Keys {
	g := given{map[[20]byte]keyring.Signer{}, map[[20]byte][]byte{}}
	for _, s := range signers {
		g.signers[script.Hash160(s.Public)] = s
	}
	for _, s := range scripts {
		g.scripts[script.Hash160(s)] = s
	}
	return g
}

func (g given) Signer(hash [20]byte) (keyring.Signer, bool) {
	s, has := g.signers[hash]
	return s, has
}

func (g given) Redeem(hash [20]byte) ([]byte, bool) {
	s, has := g.scripts[hash]
	return s, has
}

// dummySignature returns bytes with the size of the longest signature.
func dummySignature() []byte { return bytes.Repeat([]byte{0x30}, 72) }

// Dummy returns a scriptSig with the maximum size that is necessary to spend an output. public
// returns the public key with a hash; an unknown key counts as compressed [komodod
// script/sign.cpp DummySignatureCreator].
func Dummy(public func(hash [20]byte) []byte, redeem func(hash [20]byte) ([]byte, bool), pkScript []byte) []byte {
	class := script.Classify(pkScript)
	values := func(class script.Class) [][]byte {
		switch class.Type {
		case script.TypePubKey:
			return [][]byte{dummySignature()}
		case script.TypePubKeyHash:
			return [][]byte{dummySignature(), public(class.Addresses[0].Hash)}
		case script.TypeMultiSig:
			all := [][]byte{nil}
			for range class.ReqSigs {
				all = append(all, dummySignature())
			}
			return all
		}
		return nil
	}
	if class.Type != script.TypeScriptHash {
		return pushAll(values(class))
	}
	inner, known := redeem(class.Addresses[0].Hash)
	if !known {
		return nil
	}
	return pushAll(append(values(script.Classify(inner)), inner))
}

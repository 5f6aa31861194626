package script

import (
	"math/big"
	"slices"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/stretchr/testify/require"

	"obverse/core/chain/wire"
)

// corrupted copies b and changes the byte at i (from the end when negative).
func corrupted(b []byte, i int, change byte) []byte {
	c := append([]byte(nil), b...)
	if i < 0 {
		i += len(c)
	}
	c[i] ^= change
	return c
}

// derOf encodes two integers in DER, followed by the hash type, without checking them.
func derOf(r, s []byte, hashType byte) []byte {
	body := append([]byte{0x02, byte(len(r))}, r...)
	body = append(append(body, 0x02, byte(len(s))), s...)
	return append(append([]byte{0x30, byte(len(body))}, body...), hashType)
}

// highS returns the equivalent signature with the high S.
func highS(sig []byte) []byte {
	r, s := splitDER(sig)
	other := new(big.Int).Sub(btcec.S256().N, new(big.Int).SetBytes(s)).Bytes()
	if other[0]&0x80 != 0 {
		other = append([]byte{0}, other...)
	}
	return derOf(r, other, sig[len(sig)-1])
}

func TestPayToPubKey(t *testing.T) {
	pk := PayToPubKey(pubKey(1))
	good := func(s *Spend) []byte { return s.sign(t, 1, pk, SigHashAll) }
	cases := []struct {
		name  string
		sig   func(s *Spend) []byte
		pk    []byte
		flags Flags
		want  error
	}{
		{"good", good, pk, StandardFlags, nil},
		{"another key", func(s *Spend) []byte { return s.sign(t, 2, pk, SigHashAll) }, pk, StandardFlags, ErrEvalFalse},
		{"of another script", func(s *Spend) []byte { return s.sign(t, 1, pk[1:], SigHashAll) }, pk, 0, ErrEvalFalse},
		{"empty", func(*Spend) []byte { return nil }, pk, StandardFlags, ErrEvalFalse},
		{"R changed", func(s *Spend) []byte { return corrupted(good(s), 20, 1) }, pk, StandardFlags, ErrEvalFalse},
		{"S changed", func(s *Spend) []byte { return corrupted(good(s), -5, 1) }, pk, StandardFlags, ErrEvalFalse},
		{"DER header, in a block too", func(s *Spend) []byte { return corrupted(good(s), 0, 1) }, pk, BlockFlags, ErrSigDER},
		{"only a hash type", func(*Spend) []byte { return []byte{1} }, pk, 0, ErrSigDER},
		{"hash type not the one signed", func(s *Spend) []byte { return corrupted(good(s), -1, 3) }, pk, 0, ErrEvalFalse},
		{"hash type 0", func(s *Spend) []byte { return s.sign(t, 1, pk, 0) }, pk, 0, nil},
		{"hash type 0, strict", func(s *Spend) []byte { return s.sign(t, 1, pk, 0) }, pk, StrictEnc, ErrSigHashType},
		{"hash type 4, strict", func(s *Spend) []byte { return s.sign(t, 1, pk, 4) }, pk, StrictEnc, ErrSigHashType},
		{"high S in a block", func(s *Spend) []byte { return highS(good(s)) }, pk, BlockFlags, nil},
		{"high S", func(s *Spend) []byte { return highS(good(s)) }, pk, LowS, ErrSigHighS},
		{"R over the order", func(s *Spend) []byte {
			_, low := splitDER(good(s))
			return derOf(append([]byte{0}, btcec.S256().N.Bytes()...), low, SigHashAll)
		}, pk, StandardFlags, ErrEvalFalse},
		{"S over the order is not high", func(s *Spend) []byte {
			r, _ := splitDER(good(s))
			return derOf(r, append([]byte{0}, btcec.S256().N.Bytes()...), SigHashAll)
		}, pk, StandardFlags, ErrEvalFalse},
		{"R of zero", func(s *Spend) []byte {
			_, low := splitDER(good(s))
			return derOf([]byte{0}, low, SigHashAll)
		}, pk, StandardFlags, ErrEvalFalse},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := spending()
			s.setScriptSig(PushData(c.sig(s)))
			requireKind(t, s.Verify(c.pk, c.flags), c.want)
		})
	}
}

func TestPublicKeyForms(t *testing.T) {
	full := testKey(1).PubKey().SerializeUncompressed()
	hybrid := append([]byte{6 | full[64]&1}, full[1:]...)
	offCurve := append([]byte{2}, make([]byte, 32)...)
	cases := []struct {
		name  string
		key   []byte
		flags Flags
		want  error
	}{
		{"compressed", pubKey(1), StandardFlags, nil},
		{"uncompressed", full, StandardFlags, nil},
		{"hybrid in a block", hybrid, BlockFlags, nil},
		{"hybrid", hybrid, StandardFlags, ErrPubKeyType},
		{"hybrid of the wrong parity", corrupted(hybrid, 0, 1), BlockFlags, ErrEvalFalse},
		{"uncompressed with another Y", corrupted(full, -1, 1), BlockFlags, ErrEvalFalse},
		{"not on the curve", offCurve, StandardFlags, ErrEvalFalse},
		{"cut", pubKey(1)[:32], BlockFlags, ErrEvalFalse},
		{"cut, strict", pubKey(1)[:32], StandardFlags, ErrPubKeyType},
		{"empty", nil, BlockFlags, ErrEvalFalse},
		{"type 5", append([]byte{5}, pubKey(1)[1:]...), BlockFlags, ErrEvalFalse},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, pk := spending(), PayToPubKey(c.key)
			s.setScriptSig(PushData(s.sign(t, 1, pk, SigHashAll)))
			requireKind(t, s.Verify(pk, c.flags), c.want)
		})
	}
}

func TestPayToPubKeyHash(t *testing.T) {
	pk := PayToPubKeyHash(Hash160(pubKey(1)))
	s := legacySpending()
	sig := s.sign(t, 1, pk, SigHashAll)
	for _, c := range []struct {
		name      string
		scriptSig []byte
		want      error
	}{
		{"good", pushAll(sig, pubKey(1)), nil},
		{"another key", pushAll(sig, pubKey(2)), ErrEqualVerify},
		{"signature of another", pushAll(corrupted(sig, 20, 1), pubKey(1)), ErrEvalFalse},
		{"no signature", pushAll(pubKey(1)), ErrInvalidStack},
		{"nothing", nil, ErrInvalidStack},
		{"one value more", pushAll([]byte("x"), sig, pubKey(1)), ErrCleanStack},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.setScriptSig(c.scriptSig)
			requireKind(t, s.Verify(pk, StandardFlags), c.want)
		})
	}
}

func TestCheckSigVerify(t *testing.T) {
	s, pk := spending(), append(append(PushData(pubKey(1)), OpCheckSigVerify), Op1)
	sig := s.sign(t, 1, pk, SigHashAll)
	s.setScriptSig(PushData(sig))
	require.NoError(t, s.Verify(pk, StandardFlags))
	s.setScriptSig(PushData(corrupted(sig, 20, 1)))
	requireKind(t, s.Verify(pk, StandardFlags), ErrCheckSigVerify)
}

func TestMultiSig(t *testing.T) {
	pk := payToMultiSig(2, pubKey(1), pubKey(2), pubKey(3))
	s := spending()
	sig := func(b byte) []byte { return s.sign(t, b, pk, SigHashAll) }
	one, two, three := sig(1), sig(2), sig(3)
	verifying := append(append([]byte(nil), pk[:len(pk)-1]...), OpCheckMultiSigVerify, Op1)
	vOne, vTwo := s.sign(t, 1, verifying, SigHashAll), s.sign(t, 2, verifying, SigHashAll)
	for _, c := range []struct {
		name      string
		scriptSig []byte
		pk        []byte
		flags     Flags
		want      error
	}{
		{"keys 1 2", pushAll(nil, one, two), pk, StandardFlags, nil},
		{"keys 1 3", pushAll(nil, one, three), pk, StandardFlags, nil},
		{"keys 2 3", pushAll(nil, two, three), pk, StandardFlags, nil},
		{"wrong order", pushAll(nil, two, one), pk, StandardFlags, ErrEvalFalse},
		{"same key twice", pushAll(nil, one, one), pk, StandardFlags, ErrEvalFalse},
		{"one signature", pushAll(nil, one), pk, StandardFlags, ErrInvalidStack},
		{"no dummy", pushAll(one, two), pk, StandardFlags, ErrInvalidStack},
		{"dummy not empty", append([]byte{Op1}, pushAll(one, two)...), pk, StandardFlags, ErrSigNullDummy},
		{"dummy not empty in a block", pushAll([]byte{1}, one, two), pk, BlockFlags, nil},
		{"bad DER among them", pushAll(nil, one, corrupted(two, 0, 1)), pk, BlockFlags, ErrSigDER},
		{"bad DER never reached", pushAll(nil, corrupted(one, 0, 1), one), pk, BlockFlags, ErrEvalFalse},
		{"verify", pushAll(nil, vOne, vTwo), verifying, StandardFlags, nil},
		{"verify fails", pushAll(nil, vTwo, vOne), verifying, StandardFlags, ErrCheckMultiSigVerify},
		{"none of none", nil, assemble(t, "0 0 0 CHECKMULTISIG"), StandardFlags, nil},
		{"too many keys", nil, assemble(t, "0 0 21 CHECKMULTISIG"), 0, ErrPubKeyCount},
		{"negative keys", nil, assemble(t, "0 0 -1 CHECKMULTISIG"), 0, ErrPubKeyCount},
		{"fewer keys than said", nil, assemble(t, "0 0 1 2 CHECKMULTISIG"), 0, ErrInvalidStack},
		{"more signatures than keys", nil, assemble(t, "0 0 2 0 1 CHECKMULTISIG"), 0, ErrSigCount},
		{"negative signatures", nil, assemble(t, "0 -1 0 1 CHECKMULTISIG"), 0, ErrSigCount},
		{"signature count of five bytes", nil, assemble(t, "0 0x050000000000 0 1 CHECKMULTISIG"), 0, ErrUnknown},
		{"count of five bytes", nil, assemble(t, "0 0 0x050000000000 CHECKMULTISIG"), 0, ErrUnknown},
		{"key of a strict form", pushAll(nil, one), assemble(t, "1 0 1 CHECKMULTISIG"), StrictEnc, ErrPubKeyType},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.setScriptSig(c.scriptSig)
			requireKind(t, s.Verify(c.pk, c.flags), c.want)
		})
	}
}

func TestPayToScriptHash(t *testing.T) {
	redeem := PayToPubKey(pubKey(1))
	pk := PayToScriptHash(Hash160(redeem))
	s := spending()
	sig := s.sign(t, 1, redeem, SigHashAll)
	bad := assemble(t, "0x05aa")
	for _, c := range []struct {
		name      string
		scriptSig []byte
		pk        []byte
		flags     Flags
		want      error
	}{
		{"good", pushAll(sig, redeem), pk, StandardFlags, nil},
		{"other script", pushAll(sig, redeem[1:]), pk, StandardFlags, ErrEvalFalse},
		{"redeem script is false", pushAll(nil, redeem), pk, StandardFlags, ErrEvalFalse},
		{"without the flag it does not run", pushAll(nil, redeem), pk, 0, nil},
		{"nothing for it", pushAll(redeem), pk, StandardFlags, ErrInvalidStack},
		{"not only pushes", append([]byte{OpNop}, pushAll(sig, redeem)...), pk, P2SH, ErrSigPushOnly},
		{"not only pushes, without the flag", append([]byte{OpNop}, pushAll(sig, redeem)...), pk, 0, nil},
		{"one value more", pushAll(sig, sig, redeem), pk, StandardFlags, ErrCleanStack},
		{"broken redeem script", pushAll(bad), PayToScriptHash(Hash160(bad)), StandardFlags, ErrBadOpcode},
		{"empty redeem script", pushAll(nil), PayToScriptHash(Hash160(nil)), StandardFlags, ErrEvalFalse},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.setScriptSig(c.scriptSig)
			requireKind(t, s.Verify(c.pk, c.flags), c.want)
		})
	}
}

func TestLockTimeNeedsSequence(t *testing.T) {
	s := spending()
	s.Tx.Inputs[0].Sequence = 0xffffffff
	requireKind(t, s.Verify(assemble(t, "100 CHECKLOCKTIMEVERIFY"), CLTV), ErrUnsatisfiedLockTime)
	s.Tx.Inputs[0].Sequence, s.Tx.LockTime = 0, 500_000_000
	require.NoError(t, s.Verify(assemble(t, "500000000 CHECKLOCKTIMEVERIFY"), CLTV))
	requireKind(t, s.Verify(assemble(t, "499999999 CHECKLOCKTIMEVERIFY"), CLTV), ErrUnsatisfiedLockTime)
}

// TestHashTypes changes one part of the transaction after signing, and checks whether the hash
// type covers it.
func TestHashTypes(t *testing.T) {
	changes := []struct {
		name  string
		apply func(tx *wire.Tx)
		open  []byte // hash types that do not cover the part
	}{
		{"own output", func(tx *wire.Tx) { tx.Outputs[0].Value++ }, []byte{2, 0x82}},
		{"other output", func(tx *wire.Tx) { tx.Outputs[1].Value++ }, []byte{2, 3, 0x82, 0x83}},
		{"other input", func(tx *wire.Tx) { tx.Inputs[1].PrevOut.Index++ }, []byte{0x81, 0x82, 0x83}},
		{"other sequence", func(tx *wire.Tx) { tx.Inputs[1].Sequence-- }, []byte{2, 3, 0x81, 0x82, 0x83}},
		{"own sequence", func(tx *wire.Tx) { tx.Inputs[0].Sequence-- }, nil},
		{"own input", func(tx *wire.Tx) { tx.Inputs[0].PrevOut.Index++ }, nil},
		{"lock time", func(tx *wire.Tx) { tx.LockTime++ }, nil},
	}
	pk := PayToPubKey(pubKey(1))
	for name, build := range map[string]func() *Spend{"sapling": spending, "legacy": legacySpending} {
		for _, c := range changes {
			for _, hashType := range []byte{1, 2, 3, 0x81, 0x82, 0x83} {
				t.Run(name+" "+c.name+" "+hashTypeName(hashType), func(t *testing.T) {
					s := build()
					s.setScriptSig(PushData(s.sign(t, 1, pk, hashType)))
					c.apply(s.Tx)
					want := error(ErrEvalFalse)
					if slices.Contains(c.open, hashType) {
						want = nil
					}
					requireKind(t, s.Verify(pk, StandardFlags), want)
				})
			}
		}
	}
}

func TestSingleWithoutOutput(t *testing.T) {
	pk := PayToPubKey(pubKey(1))
	for name, s := range map[string]*Spend{"sapling": spending(), "legacy": legacySpending()} {
		t.Run(name, func(t *testing.T) {
			s.Index = 1
			sig := s.sign(t, 1, pk, SigHashSingle)
			s.Tx.Outputs = s.Tx.Outputs[:1]
			_, err := SignatureHash(s.Tx, 1, pk, s.Amount, SigHashSingle, s.BranchID, nil)
			if s.Tx.Overwintered {
				require.NoError(t, err)
				sig = s.sign(t, 1, pk, SigHashSingle)
			} else {
				require.ErrorIs(t, err, ErrNoOutput)
			}
			s.setScriptSig(PushData(sig))
			require.Equal(t, s.Tx.Overwintered, s.Verify(pk, StandardFlags) == nil)
		})
	}
	_, err := SignatureHash(spending().Tx, 2, nil, 0, SigHashAll, 0, nil)
	require.ErrorIs(t, err, ErrNoInput)
}

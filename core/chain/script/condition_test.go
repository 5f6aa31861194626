package script

import (
	"bytes"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
	"github.com/stretchr/testify/require"

	"obverse/core/chain/cc"
)

const tokensEval = 0xf2

// tokenTree returns the condition of an ordinary token output of key b.
func tokenTree(b byte) *cc.Node {
	return cc.NewThreshold(2, cc.NewEval(tokensEval), cc.NewThreshold(1, cc.NewSecp256k1(pubKey(b))))
}

// compact returns the 64-byte signature of key b.
func compact(b byte, hash []byte) []byte {
	sig := ecdsa.Sign(testKey(b), hash)
	r, s := sig.R(), sig.S()
	rBytes, sBytes := r.Bytes(), s.Bytes()
	return append(rBytes[:], sBytes[:]...)
}

// fulfill signs the leaves of the given keys and returns the fulfillment.
func (s *Spend) fulfill(t testing.TB, tree *cc.Node, hashType byte, keys ...byte) []byte {
	t.Helper()
	hash, err := s.signatureHash(PayToCondition(tree.Condition()), hashType)
	require.NoError(t, err)
	for _, b := range keys {
		require.Positive(t, tree.Fill(pubKey(b), compact(b, hash[:])))
	}
	fulfillment, err := tree.Encode()
	require.NoError(t, err)
	return fulfillment
}

func TestConditionSpend(t *testing.T) {
	pk := PayToCondition(tokenTree(1).Condition())
	good := func(s *Spend) []byte { return s.fulfill(t, tokenTree(1), SigHashAll, 1) }
	withData := append(append([]byte(nil), pk...), assemble(t, "'data' DROP")...)
	long := make([]byte, MaxFulfillment+1)
	cases := []struct {
		name      string
		scriptSig func(s *Spend) []byte
		pk        []byte
		flags     Flags
		want      error
	}{
		{"good", func(s *Spend) []byte { return FulfillCondition(good(s), 1) }, pk, StandardFlags, nil},
		{"with data after it", func(s *Spend) []byte { return FulfillCondition(good(s), 1) }, withData, BlockFlags, nil},
		{"by a longer push", func(s *Spend) []byte {
			push := FulfillCondition(good(s), 1)
			return append([]byte{OpPushData2, push[1], 0}, push[2:]...)
		}, pk, StandardFlags, nil},
		{"other hash type", func(s *Spend) []byte {
			return FulfillCondition(s.fulfill(t, tokenTree(1), SigHashNone, 1), SigHashNone)
		}, pk, StandardFlags, nil},
		{"hash type not signed", func(s *Spend) []byte { return FulfillCondition(good(s), 2) }, pk, BlockFlags, ErrEvalFalse},
		{"nothing", func(*Spend) []byte { return nil }, pk, BlockFlags, ErrBadOpcode},
		{"push past the end", func(*Spend) []byte { return []byte{5, 1} }, pk, BlockFlags, ErrBadOpcode},
		{"OP_0", func(*Spend) []byte { return []byte{Op0} }, pk, BlockFlags, ErrInvalidStack},
		{"a number", func(*Spend) []byte { return []byte{Op1} }, pk, BlockFlags, ErrInvalidStack},
		{"a number first", func(s *Spend) []byte { return append([]byte{Op1}, FulfillCondition(good(s), 1)...) }, pk, BlockFlags, ErrInvalidStack},
		{"a key off the curve", func(s *Spend) []byte { return FulfillCondition(offCurve(t, s), 1) }, pk, BlockFlags, ErrFulfillment},
		{"a long empty push", func(*Spend) []byte { return []byte{OpPushData1, 0} }, pk, BlockFlags, ErrEvalFalse},
		{"two pushes", func(s *Spend) []byte { return append(FulfillCondition(good(s), 1), Op1) }, pk, BlockFlags,
			ErrInvalidStack},
		{"only a hash type", func(*Spend) []byte { return PushData([]byte{1}) }, pk, BlockFlags, ErrFulfillment},
		{"cut", func(s *Spend) []byte { return FulfillCondition(good(s)[:100], 1) }, pk, BlockFlags, ErrFulfillment},
		{"one byte more", func(s *Spend) []byte { return FulfillCondition(append(good(s), 0), 1) }, pk, BlockFlags,
			ErrFulfillment},
		{"longest push", func(*Spend) []byte { return PushData(long[1:]) }, pk, BlockFlags, ErrFulfillment},
		{"longer push", func(*Spend) []byte { return PushData(long) }, pk, BlockFlags, ErrPushSize},
		{"signature changed", func(s *Spend) []byte {
			return FulfillCondition(corrupted(good(s), 60, 1), 1)
		}, pk, BlockFlags, ErrEvalFalse},
		{"another key", func(s *Spend) []byte {
			return FulfillCondition(s.fulfill(t, tokenTree(2), SigHashAll, 2), 1)
		}, pk, BlockFlags, ErrEvalFalse},
		{"no crypto-conditions", func(s *Spend) []byte { return FulfillCondition(good(s), 1) }, pk, NoCC,
			ErrDisabledOpcode},
		{"SIGPUSHONLY", func(s *Spend) []byte { return FulfillCondition(good(s), 1) }, pk, SigPushOnly, nil},
	}
	for _, c := range cases {
		for name, s := range map[string]*Spend{"sapling": spending(), "legacy": legacySpending()} {
			t.Run(c.name+", "+name, func(t *testing.T) {
				s.setScriptSig(c.scriptSig(s))
				requireKind(t, s.Verify(c.pk, c.flags), c.want)
				s.Cache = NewSigCache(10, nil)
				for range 2 {
					requireKind(t, s.Verify(c.pk, c.flags), c.want)
				}
			})
		}
	}
}

// offCurve returns a fulfillment of key 1 in which one byte of the key is changed, so that the
// key is not a point on the curve.
func offCurve(t *testing.T, s *Spend) []byte {
	t.Helper()
	good := s.fulfill(t, tokenTree(1), SigHashAll, 1)
	key := bytes.Index(good, pubKey(1))
	for changed := byte(1); ; changed++ {
		bad := corrupted(good, key+1, changed)
		if _, err := btcec.ParsePubKey(bad[key : key+33]); err != nil {
			return bad
		}
	}
}

// TestUndecodableConditionIsNotFalse checks that a condition that cannot be decoded is an
// error, even in a script that accepts false.
func TestUndecodableConditionIsNotFalse(t *testing.T) {
	s := spending()
	negated := append(PayToCondition(tokenTree(1).Condition()), OpNot)
	s.setScriptSig(PushData(append(s.fulfill(t, tokenTree(2), SigHashAll, 2), 1)))
	requireKind(t, s.Verify(negated, BlockFlags), nil)
	s.setScriptSig(PushData(append(offCurve(t, s), 1)))
	requireKind(t, s.Verify(negated, BlockFlags), ErrFulfillment)
}

func TestConditionSingleWithoutOutput(t *testing.T) {
	pk := PayToCondition(tokenTree(1).Condition())
	s := legacySpending()
	s.Index = 1
	s.setScriptSig(FulfillCondition(s.fulfill(t, tokenTree(1), SigHashSingle, 1), SigHashSingle))
	require.NoError(t, s.Verify(pk, BlockFlags))
	s.Tx.Outputs = s.Tx.Outputs[:1]
	requireKind(t, s.Verify(pk, BlockFlags), ErrEvalFalse)
}

func TestConditionKinds(t *testing.T) {
	prefixed := &cc.Node{Kind: cc.Prefix, Data: []byte("p"), MaxMessageLen: 32, Subs: []*cc.Node{cc.NewSecp256k1(pubKey(1))}}
	preimage := &cc.Node{Kind: cc.Preimage, Data: []byte("secret")}
	key := func() *cc.Node { return cc.NewSecp256k1(pubKey(1)) }
	cases := []struct {
		name string
		tree *cc.Node
		keys []byte
		want error
	}{
		{"key alone", key(), []byte{1}, nil},
		{"key and preimage", cc.NewThreshold(2, key(), preimage), []byte{1}, nil},
		{"1 of 2, the other hidden", cc.NewThreshold(1, key(), cc.NewSecp256k1(pubKey(2))), []byte{1}, nil},
		{"preimage alone needs no signature", preimage, nil, ErrEvalFalse},
		{"eval alone", cc.NewEval(tokensEval), nil, ErrEvalFalse},
		{"signing kind only in a hidden condition", cc.NewThreshold(1, key(), preimage), nil, ErrEvalFalse},
		{"prefix", prefixed, []byte{1}, ErrEvalFalse},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := spending()
			pk := PayToCondition(c.tree.Condition())
			s.setScriptSig(FulfillCondition(s.fulfill(t, c.tree, SigHashAll, c.keys...), SigHashAll))
			requireKind(t, s.Verify(pk, BlockFlags), c.want)
		})
	}
}

func TestEval(t *testing.T) {
	tree := func() *cc.Node {
		return cc.NewThreshold(3, cc.NewEval(0xe3), cc.NewEval(tokensEval), cc.NewThreshold(1, cc.NewSecp256k1(pubKey(1))))
	}
	pk := PayToCondition(tree().Condition())
	s := spending()
	s.setScriptSig(FulfillCondition(s.fulfill(t, tree(), SigHashAll, 1), SigHashAll))
	for name, refused := range map[string]byte{"none": 0, "first": 0xe3, "second": tokensEval} {
		t.Run("refusing "+name, func(t *testing.T) {
			seen := map[byte]int{}
			s.Eval = func(code []byte) bool {
				require.Len(t, code, 1)
				seen[code[0]]++
				return code[0] != refused
			}
			err := s.Verify(pk, StandardFlags)
			if refused == 0 {
				require.NoError(t, err)
				require.Equal(t, map[byte]int{0xe3: 1, tokensEval: 1}, seen)
				return
			}
			requireKind(t, err, ErrEvalFalse)
			require.Equal(t, 1, seen[refused])
		})
	}
	s.Amount++
	s.Eval = func([]byte) bool { t.Error("eval is called before the signatures are verified"); return true }
	requireKind(t, s.Verify(pk, StandardFlags), ErrEvalFalse)
}

// TestConditionInOtherScripts uses the opcode in outputs that are not recognised as conditions,
// so that the scriptSig is an ordinary script.
func TestConditionInOtherScripts(t *testing.T) {
	condition := tokenTree(1).Condition().Encode()
	s := spending()
	push := FulfillCondition(s.fulfill(t, tokenTree(1), SigHashAll, 1), SigHashAll)
	script := func(suffix string) []byte { return append(PushData(condition), assemble(t, suffix)...) }
	wrong := FulfillCondition(s.fulfill(t, tokenTree(2), SigHashAll, 2), SigHashAll)
	for _, c := range []struct {
		name, suffix string
		scriptSig    []byte
		want         error
	}{
		{"not", "CHECKCRYPTOCONDITION NOT", push, ErrEvalFalse},
		{"not of another", "CHECKCRYPTOCONDITION NOT", wrong, nil},
		{"verify", "CHECKCRYPTOCONDITIONVERIFY 1", push, nil},
		{"verify another", "CHECKCRYPTOCONDITIONVERIFY 1", wrong, ErrConditionVerify},
		{"nothing to check", "CHECKCRYPTOCONDITIONVERIFY 1", nil, ErrInvalidStack},
		{"by a push that is not minimal", "CHECKCRYPTOCONDITIONVERIFY 1",
			append([]byte{OpPushData2, push[1], 0}, push[2:]...), ErrMinimalData},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.setScriptSig(c.scriptSig)
			requireKind(t, s.Verify(script(c.suffix), StandardFlags), c.want)
		})
	}
}

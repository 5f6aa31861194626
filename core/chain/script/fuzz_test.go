package script

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func seedScripts(f *testing.F) {
	for _, p := range programs {
		f.Add(assemble(f, p.sig), assemble(f, p.pk), uint16(p.flags))
	}
	redeem := payToMultiSig(1, pubKey(1), pubKey(2))
	condition := unhex(f, tokenScript)
	f.Add(pushAll(nil, redeem), PayToScriptHash(Hash160(redeem)), uint16(StandardFlags))
	f.Add(PushData([]byte{0xa2, 0x02, 0xa0, 0x00, 1}), condition, uint16(StandardFlags))
	f.Add([]byte{}, NullData([]byte("data")), uint16(0))
}

func FuzzVerify(f *testing.F) {
	seedScripts(f)
	f.Fuzz(func(t *testing.T, scriptSig, pkScript []byte, flags uint16) {
		s := spending()
		s.setScriptSig(bytes.Clone(scriptSig))
		pk := bytes.Clone(pkScript)
		first := s.Verify(pk, Flags(flags))
		s.Cache, s.Hashes = NewSigCache(1, nil), NewSigHashes(s.Tx)
		require.Equal(t, first, s.Verify(pk, Flags(flags)), "neither cache nor shared hashes change the outcome")
		require.Equal(t, first, s.Verify(pk, Flags(flags)))
		require.True(t, bytes.Equal(scriptSig, s.Tx.Inputs[0].ScriptSig), "scriptSig was written to")
		require.True(t, bytes.Equal(pkScript, pk), "pkScript was written to")
		if first != nil {
			var e *Error
			require.ErrorAs(t, first, &e)
			require.NotEmpty(t, e.Kind.Error())
		} else if Flags(flags)&MandatoryFlags != 0 {
			require.NoError(t, s.Verify(pk, Flags(flags)&(MandatoryFlags|NoCC)), "flags only forbid")
		}
	})
}

func FuzzDisasm(f *testing.F) {
	seedScripts(f)
	f.Fuzz(func(t *testing.T, scriptSig, pkScript []byte, _ uint16) {
		for _, script := range [][]byte{scriptSig, pkScript} {
			text := Disasm(script, false)
			require.Equal(t, text, Disasm(script, false))
			it, words := Iterate(script), 0
			for it.Next() {
				words++
			}
			if it.Bad() {
				words++
			}
			if len(script) == 0 {
				require.Empty(t, text)
			} else {
				require.Len(t, bytes.Split([]byte(text), []byte{' '}), words)
			}
			require.GreaterOrEqual(t, len(Disasm(script, true)), len(text), "[ALL] is longer than the byte it shows")
		}
	})
}

func FuzzClassify(f *testing.F) {
	seedScripts(f)
	f.Fuzz(func(t *testing.T, _, script []byte, flags uint16) {
		class := Classify(script, Flags(flags))
		require.Equal(t, class, Classify(bytes.Clone(script), Flags(flags)))
		require.NotEmpty(t, class.Type.String())
		require.GreaterOrEqual(t, class.ArgsExpected(), -1)
		for _, a := range class.Addresses {
			parsed, err := ParseAddress(a.String())
			require.NoError(t, err)
			require.Equal(t, a, parsed)
		}
		if class.Locked {
			return
		}
		switch class.Type {
		case TypePubKeyHash, TypeScriptHash:
			require.Equal(t, script, class.Addresses[0].PkScript())
		case TypePubKey:
			require.Equal(t, script, PayToPubKey(class.PubKeys[0]))
		case TypeNullData:
			require.True(t, IsUnspendable(script))
		case TypeCryptoCondition:
			require.True(t, IsPayToCondition(script) && Flags(flags)&NoCC == 0)
		}
	})
}

func FuzzParseAddress(f *testing.F) {
	for _, text := range []string{"", tokenAddress, "bZJ6caY1Z2HdYP3c3hK8betDtaEGiXo1zC", "xyz",
		"1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAddress(text)
		if err != nil {
			require.Equal(t, Address{}, a)
			return
		}
		require.Equal(t, text, a.String())
	})
}

package script

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIterator(t *testing.T) {
	script := assemble(t, "0 'ab' 0x4c0161 0x4d010062 0x4e0100000063 5 DUP")
	var ops []byte
	var data []string
	it := Iterate(script)
	for it.Next() {
		ops, data = append(ops, it.Op), append(data, string(it.Data))
	}
	require.False(t, it.Bad())
	require.Equal(t, []byte{Op0, 2, OpPushData1, OpPushData2, OpPushData4, Op1 + 4, OpDup}, ops)
	require.Equal(t, []string{"", "ab", "a", "b", "c", "", ""}, data)
}

func TestIteratorStopsAtBadPush(t *testing.T) {
	for _, bad := range []string{"0x01", "0x4c", "0x4c01", "0x4d01", "0x4d0100", "0x4e010000", "0x4e01000000",
		"0x4effffffff", "0x4bff"} {
		it := Iterate(assemble(t, "5 "+bad))
		require.True(t, it.Next(), bad)
		require.False(t, it.Next(), bad)
		require.True(t, it.Bad(), bad)
		require.Equal(t, byte(OpInvalid), it.Op)
		require.False(t, it.Next(), "it stays there")
	}
}

func TestIsPushOnly(t *testing.T) {
	for script, want := range map[string]bool{
		"": true, "0 1 16 -1 'ab'": true, "RESERVED": true, "NOP": false, "1 DUP": false, "0x05aa": false,
	} {
		require.Equal(t, want, IsPushOnly(assemble(t, script)), script)
	}
}

func TestIsUnspendable(t *testing.T) {
	require.True(t, IsUnspendable(NullData(nil)))
	require.True(t, IsUnspendable(make([]byte, MaxScriptSize+1)))
	require.False(t, IsUnspendable(make([]byte, MaxScriptSize)))
	require.False(t, IsUnspendable(nil))
	require.False(t, IsUnspendable([]byte{Op1, OpReturn}))
}

func TestMinimalPush(t *testing.T) {
	cases := []struct {
		data []byte
		op   byte
	}{
		{nil, Op0}, {[]byte{1}, Op1}, {[]byte{16}, Op16}, {[]byte{17}, 1}, {[]byte{0x81}, Op1Negate}, {[]byte{0}, 1},
		{make([]byte, 2), 2}, {make([]byte, 75), 75}, {make([]byte, 76), OpPushData1}, {make([]byte, 255), OpPushData1},
		{make([]byte, 256), OpPushData2}, {make([]byte, 65535), OpPushData2},
	}
	for _, c := range cases {
		for op := range 256 {
			require.Equal(t, byte(op) == c.op, MinimalPush(byte(op), c.data), "%x by %x", len(c.data), op)
		}
	}
	require.True(t, MinimalPush(OpPushData4, make([]byte, 65536)))
}

func TestSigOps(t *testing.T) {
	redeem := assemble(t, "2 DUP DUP DUP 3 CHECKMULTISIG CHECKSIG")
	p2sh := PayToScriptHash(Hash160(redeem))
	require.Equal(t, 0, SigOps(nil))
	require.Equal(t, 2, SigOps(assemble(t, "CHECKSIG CHECKSIGVERIFY")))
	require.Equal(t, 40, SigOps(assemble(t, "3 CHECKMULTISIG CHECKMULTISIGVERIFY")))
	require.Equal(t, 1, SigOps(assemble(t, "CHECKSIG 0x05aa CHECKSIG")), "counting ends at a bad push")
	require.Equal(t, 0, SigOps(p2sh))
	require.Equal(t, 0, SigOps(assemble(t, "0x01ac")), "a pushed byte is no opcode")
	require.Equal(t, 4, P2SHSigOps(pushAll(nil, redeem), p2sh))
	require.Equal(t, 0, P2SHSigOps(append(pushAll(redeem), OpNop), p2sh))
	require.Equal(t, 0, P2SHSigOps(append(pushAll(redeem), 5), p2sh))
	require.Equal(t, 0, P2SHSigOps(pushAll(redeem), redeem))
	require.Equal(t, 0, P2SHSigOps(nil, p2sh))
	require.Equal(t, 20, countSigOps(assemble(t, "0 CHECKMULTISIG"), true), "no small number before it")
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int64]string{
		0: "", 1: "01", -1: "81", 127: "7f", 128: "8000", -128: "8080", 255: "ff00", 256: "0001", -255: "ff80",
		0x7fffffff: "ffffff7f", -0x7fffffff: "ffffffff", 0x80000000: "0000008000",
	} {
		b := encodeNumber(n)
		require.Equal(t, unhex(t, want), append([]byte{}, b...), "%d", n)
		require.Equal(t, n, decodeNumber(b))
		require.True(t, isMinimalNumber(b))
	}
	for _, long := range []string{"00", "80", "0100", "0180", "7f00", "ff0000"} {
		_, err := parseNumber(unhex(t, long), 4, true)
		require.ErrorIs(t, err, ErrUnknown, long)
		_, err = parseNumber(unhex(t, long), 4, false)
		require.NoError(t, err)
	}
	_, err := parseNumber(make([]byte, 5), 4, false)
	require.ErrorIs(t, err, ErrUnknown)
	require.Equal(t, unhex(t, "000000000000008080"), encodeNumber(math.MinInt64))
}

func TestAppendPush(t *testing.T) {
	for size, header := range map[int]string{
		0: "00", 1: "01", 75: "4b", 76: "4c4c", 255: "4cff", 256: "4d0001", 65535: "4dffff", 65536: "4e00000100",
	} {
		data := bytes.Repeat([]byte{7}, size)
		script := PushData(data)
		require.Equal(t, append(unhex(t, header), data...), script)
		it := Iterate(script)
		require.True(t, it.Next())
		require.True(t, bytes.Equal(data, it.Data))
	}
}

func TestAppendNumber(t *testing.T) {
	for n, want := range map[int64]string{0: "00", -1: "4f", 1: "51", 16: "60", 17: "0111", 130: "028200", -2: "0182"} {
		script := AppendNumber([]byte{OpNop}, n)
		require.Equal(t, append([]byte{OpNop}, unhex(t, want)...), script, "%d", n)
		it := Iterate(script[1:])
		require.True(t, it.Next())
		require.True(t, it.Op > OpPushData4 || MinimalPush(it.Op, it.Data))
	}
}

func TestBuilders(t *testing.T) {
	var hash [20]byte
	zeros := strings.Repeat("00", 20)
	require.Equal(t, unhex(t, "76a914"+zeros+"88ac"), PayToPubKeyHash(hash))
	require.Equal(t, unhex(t, "a914"+zeros+"87"), PayToScriptHash(hash))
	require.Equal(t, unhex(t, "6a0461626364"), NullData([]byte("abcd")))
	require.Equal(t, unhex(t, "21"+strings.Repeat("02", 33)+"ac"), PayToPubKey(bytes.Repeat([]byte{2}, 33)))
	f := make([]byte, 3, 10)
	require.Equal(t, unhex(t, "0400000001"), FulfillCondition(f, 1))
	require.Equal(t, byte(0), f[:4][3], "the caller's bytes stay")
}

func TestDisasm(t *testing.T) {
	s := spending()
	pk := PayToPubKey(pubKey(1))
	sig := s.sign(t, 1, pk, SigHashAll)
	disasm := func(hashType byte) string { return Disasm(PushData(s.sign(t, 1, pk, hashType)), true) }
	for script, want := range map[string]string{
		"":                             "",
		"0 1 16 -1 17":                 "0 1 16 -1 17",
		"0x0181 0x020080 0x04ffffffff": "-1 0 -2147483647",
		"'abcde'":                      "6162636465",
		"0x4c00":                       "0",
		"DUP NOP2 CHECKCRYPTOCONDITION CHECKCRYPTOCONDITIONVERIFY": "OP_DUP OP_NOP2 OP_CHECKCRYPTOCONDITION" +
			" OP_CHECKCRYPTOCONDITIONVERIFY",
		"0xba 0xff":     "OP_UNKNOWN OP_INVALIDOPCODE",
		"DUP 0x4cff01":  "OP_DUP [error]",
		"0x4e000000":    "[error]",
		"RETURN 'abcd'": "OP_RETURN 1684234849",
	} {
		require.Equal(t, want, Disasm(assemble(t, script), false), script)
	}
	for hashType, name := range map[byte]string{1: "[ALL]", 2: "[NONE]", 3: "[SINGLE]", 0x81: "[ALL|ANYONECANPAY]",
		0x82: "[NONE|ANYONECANPAY]", 0x83: "[SINGLE|ANYONECANPAY]"} {
		require.True(t, strings.HasSuffix(disasm(hashType), name), name)
	}
	require.NotContains(t, disasm(4), "[")
	require.NotContains(t, Disasm(PushData(sig), false), "[")
	require.NotContains(t, Disasm(NullData(sig), true), "[", "data that only looks like a signature")
	require.NotContains(t, Disasm(PushData(corrupted(sig, 1, 1)), true), "[")
}

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

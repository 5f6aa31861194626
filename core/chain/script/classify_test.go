package script

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	tokenScript  = "2ea22c8020d685e1661526bafc7de5bf7b9b2c8a456410e441220242ff40894fab482b106e8103120c008203000401cc"
	tokenAddress = "RDu9bgyqWmzbvrgUsqpArkuzRSjAtibxrk"
)

func TestClassify(t *testing.T) {
	one, two := pubKey(1), pubKey(2)
	full := testKey(1).PubKey().SerializeUncompressed()
	hash := Hash160(one)
	condition := unhex(t, tokenScript)
	conditionAddress, err := ParseAddress(tokenAddress)
	require.NoError(t, err)
	with := func(script []byte, text string) []byte {
		return append(append([]byte(nil), script...), assemble(t, text)...)
	}
	late := assemble(t, "100 CHECKLOCKTIMEVERIFY DROP")
	ten := slices.Repeat([][]byte{one}, 10)
	cases := []struct {
		name      string
		script    []byte
		kind      Type
		reqSigs   int
		args      int
		standard  bool
		addresses []Address
	}{
		{"pubkey", PayToPubKey(one), TypePubKey, 1, 1, true, []Address{PubKeyAddress(one)}},
		{"pubkey, uncompressed", PayToPubKey(full), TypePubKey, 1, 1, true, []Address{PubKeyAddress(full)}},
		{"pubkey of a wrong kind", PayToPubKey(corrupted(one, 0, 4)), 0, 0, -1, false, nil},
		{"pubkey with more", with(PayToPubKey(one), "NOP"), 0, 0, -1, false, nil},
		{"pubkeyhash", PayToPubKeyHash(hash), TypePubKeyHash, 1, 2, true, []Address{PubKeyAddress(one)}},
		{"pubkeyhash cut", PayToPubKeyHash(hash)[:24], 0, 0, -1, false, nil},
		{"scripthash", PayToScriptHash(hash), TypeScriptHash, 1, 1, true, []Address{ScriptAddress(one)}},
		{"scripthash by a longer push", with([]byte{OpHash160, OpPushData1, 20}, "NOP"), 0, 0, -1, false, nil},
		{"multisig", payToMultiSig(1, one, two), TypeMultiSig, 1, 2, true,
			[]Address{PubKeyAddress(one), PubKeyAddress(two)}},
		{"multisig of 10", payToMultiSig(2, ten...), TypeMultiSig, 2, 3, false, addressesOf(ten)},
		{"multisig of more than there are", payToMultiSig(3, one, two), 0, 0, -1, false, nil},
		{"multisig miscounted", with(assemble(t, "1"), "3 CHECKMULTISIG"), 0, 0, -1, false, nil},
		{"multisig with more", with(payToMultiSig(1, one), "NOP"), 0, 0, -1, false, nil},
		{"multisig with a bad push", append([]byte{Op1, 33}, one[:5]...), 0, 0, -1, false, nil},
		{"nulldata", NullData([]byte("data")), TypeNullData, 0, -1, true, nil},
		{"nulldata of nothing", []byte{OpReturn}, TypeNullData, 0, -1, true, nil},
		{"nulldata that does more", assemble(t, "RETURN NOP"), 0, 0, -1, false, nil},
		{"condition", condition, TypeCryptoCondition, 1, 1, true, []Address{conditionAddress}},
		{"condition with data", with(condition, "'data' DROP"), TypeCryptoCondition, 1, 1, true,
			[]Address{conditionAddress}},
		{"condition with unbalanced data", with(condition, "'data'"), 0, 0, -1, false, nil},
		{"condition that cannot be read", append(PushData([]byte("bad")), OpCheckCryptoCondition), 0, 0, -1, false, nil},
		{"locked pubkey", slices.Concat(late, PayToPubKey(one)), TypePubKey, 1, 1, false,
			[]Address{PubKeyAddress(one)}},
		{"locked twice", slices.Concat(late, late, PayToPubKeyHash(hash)), TypePubKeyHash, 1, 2, false,
			[]Address{PubKeyAddress(one)}},
		{"locked condition", slices.Concat(late, condition), TypeCryptoCondition, 1, 1, false, []Address{conditionAddress}},
		{"locked by a small number", assemble(t, "5 CHECKLOCKTIMEVERIFY DROP 1"), 0, 0, -1, false, nil},
		{"lock cut", assemble(t, "0x01"), 0, 0, -1, false, nil},
		{"empty", nil, 0, 0, -1, false, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			class := Classify(c.script)
			require.Equal(t, c.kind.String(), class.Type.String())
			require.Equal(t, c.reqSigs, class.ReqSigs)
			require.Equal(t, c.addresses, class.Addresses)
			require.Equal(t, c.args, class.ArgsExpected())
			require.Equal(t, c.standard, class.IsStandard())
		})
	}
}

func TestClassifyWithoutConditions(t *testing.T) {
	script := unhex(t, tokenScript)
	require.Equal(t, Class{}, Classify(script, NoCC))
	require.Equal(t, TypeCryptoCondition, Classify(script, StandardFlags).Type)
	require.Equal(t, TypePubKey, Classify(PayToPubKey(pubKey(1)), NoCC).Type)
}

func addressesOf(pubs [][]byte) (all []Address) {
	for _, pub := range pubs {
		all = append(all, PubKeyAddress(pub))
	}
	return all
}

func TestBareCondition(t *testing.T) {
	bare := unhex(t, tokenScript)
	for suffix, want := range map[string]bool{
		"": true, "'data' DROP": true, "0 DROP": true, "16 DROP 'x' DROP": true, "'a' 'b' DROP DROP": true,
		"'a'": false, "DROP": false, "'a' DROP DROP": false, "-1 DROP": false, "0x4c00 DROP": false, "NOP": false,
		"DROP 'a'": false, "0x05aa": false, "RESERVED DROP": false,
	} {
		script := append(append([]byte(nil), bare...), assemble(t, suffix)...)
		got, ok := BareCondition(script)
		require.Equal(t, want, ok, suffix)
		require.Equal(t, want, IsPayToCondition(script))
		if ok {
			require.Equal(t, bare, got)
		}
	}
	for _, other := range []string{"", "0 CHECKCRYPTOCONDITION", "5 CHECKCRYPTOCONDITION", "0x4c0161 CHECKCRYPTOCONDITION",
		"'a' CHECKSIG", "'a' CHECKCRYPTOCONDITIONVERIFY", "'a'"} {
		require.False(t, IsPayToCondition(assemble(t, other)), other)
	}
}

func TestParseAddress(t *testing.T) {
	good := PubKeyAddress(pubKey(1))
	text := good.String()
	short := "3vQB7B6MrGQZaxCuFg4oh" // base58check of "Hello World" without a known version
	for _, c := range []struct {
		name, text string
		want       error
	}{
		{"own", text, nil},
		{"script", ScriptAddress(nil).String(), nil},
		{"bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", ErrAddressVersion},
		{"testnet", "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn", ErrAddressVersion},
		{"one letter changed", text[:10] + "Z" + text[11:], ErrAddressChecksum},
		{"one letter lost", text[1:], ErrAddressChecksum},
		{"letter outside base58", "0" + text[1:], ErrAddressFormat},
		{"empty", "", ErrAddressFormat},
		{"space", " " + text, ErrAddressFormat},
		{"wrong size", short, ErrAddressSize},
		{"far too long", text + text, ErrAddressSize},
	} {
		t.Run(c.name, func(t *testing.T) {
			var a Address
			require.ErrorIs(t, a.UnmarshalText([]byte(c.text)), c.want)
			if c.want == nil {
				out, err := a.MarshalText()
				require.NoError(t, err)
				require.Equal(t, c.text, string(out))
				require.Equal(t, []Address{a}, Classify(a.PkScript()).Addresses)
			}
		})
	}
}

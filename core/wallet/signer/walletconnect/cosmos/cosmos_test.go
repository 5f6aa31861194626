package cosmos

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/cosmos/address"
	"obverse/core/wallet/cosmos/wire"
	"obverse/core/wallet/signer/walletconnect"
)

// wallet answers every request with a fixed text, and records the last request.
type wallet struct {
	answer string
	err    error
	last   string
}

func (w *wallet) Request(_ context.Context, topic, chain, method string, params any) (json.RawMessage, error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	w.last = topic + " " + chain + " " + method + " " + string(raw)
	return json.RawMessage(w.answer), w.err
}

func owner(t testing.TB) (*key.Private, Account) {
	t.Helper()
	private, err := key.FromPassphrase("a passphrase of the tests")
	require.NoError(t, err)
	a, err := address.FromKey("cosmos", private.PublicKey())
	require.NoError(t, err)
	return private, Account{a, private.PublicKey()}
}

func doc() wire.SignDoc {
	return wire.SignDoc{Body: []byte("body"), AuthInfo: []byte("info"), ChainID: "cosmoshub-4", Account: 7}
}

// inForms encodes bytes in all the forms that wallets use.
func inForms(b []byte) []string {
	var list, object []string
	for n, one := range b {
		list = append(list, fmt.Sprint(one))
		object = append(object, fmt.Sprintf(`"%d":%d`, n, one))
	}
	return []string{`"` + base64.StdEncoding.EncodeToString(b) + `"`, `"` + hex.EncodeToString(b) + `"`,
		"[" + strings.Join(list, ",") + "]", "{" + strings.Join(object, ",") + "}"}
}

func TestAccounts(t *testing.T) {
	_, signer := owner(t)
	for _, form := range inForms(signer.PublicKey[:]) {
		w := &wallet{answer: `[{"algo":"ed25519","address":"x","pubkey":""},{"algo":"secp256k1","address":"` + signer.Address.String() + `","pubkey":` + form + `}]`}
		all, err := Accounts(t.Context(), w, "topic", "cosmoshub-4")
		require.NoError(t, err)
		require.Equal(t, []Account{signer}, all)
		require.Equal(t, "topic cosmos:cosmoshub-4 cosmos_getAccounts {}", w.last)
	}
	good := inForms(signer.PublicKey[:])[0]
	for _, bad := range []string{`{"algo":"secp256k1","address":"x","pubkey":` + good + `}`, `{"algo":"secp256k1","address":"cosmos1hkg6p4lqnxardx2878clge6vjhfknf6s57ac92","pubkey":` + good + `}`,
		`{"algo":"secp256k1","address":"` + signer.Address.String() + `","pubkey":"AA=="}`, `{"algo":7}`, `null`, `1`} {
		all, err := Accounts(t.Context(), &wallet{answer: `[` + bad + `,{"algo":"secp256k1","address":"` + signer.Address.String() + `","pubkey":` + good + `}]`}, "topic", "cosmoshub-4")
		require.NoError(t, err, bad)
		require.Equal(t, []Account{signer}, all, bad)
	}
	one := func(address, public string) string {
		return `[{"algo":"secp256k1","address":"` + address + `","pubkey":` + public + `}]`
	}
	for name, answer := range map[string]string{
		"nothing": ``, "null": `null`, "none": `[]`, "object": `{}`, "other kind": `[{"algo":"ed25519"}]`,
		"no address":    one("x", good),
		"other address": one("cosmos1hkg6p4lqnxardx2878clge6vjhfknf6s57ac92", good),
		"short key":     one(signer.Address.String(), `"AA=="`),
		"no key":        one(signer.Address.String(), `null`),
		"off the curve": one(signer.Address.String(), `"`+strings.Repeat("02", 33)[:64]+`ff"`),
		"not bytes":     one(signer.Address.String(), `[256]`),
		"negative":      one(signer.Address.String(), `[-1]`),
		"gap":           one(signer.Address.String(), `{"1":1}`),
		"many":          "[" + strings.TrimSuffix(strings.Repeat("{},", maxListed+1), ",") + "]",
		"endless":       one(signer.Address.String(), `"`+strings.Repeat("A", 9*maxBytes)+`"`),
	} {
		_, err := Accounts(t.Context(), &wallet{answer: answer}, "topic", "cosmoshub-4")
		require.ErrorIs(t, err, walletconnect.ErrAnswer, name)
	}
	_, err := Accounts(t.Context(), &wallet{err: walletconnect.ErrTimeout}, "topic", "cosmoshub-4")
	require.ErrorIs(t, err, walletconnect.ErrTimeout)
}

func answerOf(signer Account, signature [64]byte, signed string) string {
	return `{"signature":{"pub_key":{"type":"tendermint/PubKeySecp256k1","value":` + inForms(signer.PublicKey[:])[0] + `},"signature":` + inForms(signature[:])[0] + `},"signed":` + signed + `}`
}

func TestSignDirect(t *testing.T) {
	private, signer := owner(t)
	signature := private.SignCompact(hash(encoded(doc())))
	forms := inForms(doc().Body)
	for n, info := range inForms(doc().AuthInfo) {
		for _, number := range []string{`"7"`, `7`} {
			signed := `{"chainId":"cosmoshub-4","accountNumber":` + number + `,"authInfoBytes":` + info + `,"bodyBytes":` + forms[n] + `}`
			for _, text := range []string{signed, "null"} {
				w := &wallet{answer: answerOf(signer, signature, text)}
				did, s, err := SignDirect(t.Context(), w, "topic", signer, doc())
				require.NoError(t, err)
				require.Equal(t, doc(), did)
				require.Equal(t, signature, s)
				require.Equal(t, `topic cosmos:cosmoshub-4 cosmos_signDirect {"signerAddress":"`+signer.Address.String()+
					`","signDoc":{"chainId":"cosmoshub-4","accountNumber":"7","authInfoBytes":"aW5mbw==","bodyBytes":"Ym9keQ=="}}`, w.last)
			}
		}
	}
	other := doc()
	other.Account = 8
	changed := private.SignCompact(hash(encoded(other)))
	did, _, err := SignDirect(t.Context(), &wallet{answer: answerOf(signer, changed, `{"chainId":"cosmoshub-4","accountNumber":8,"authInfoBytes":"aW5mbw==","bodyBytes":"Ym9keQ=="}`)}, "topic", signer, doc())
	require.NoError(t, err)
	require.Equal(t, other, did, "the caller gets what was signed")
	checkRefused(t, signer, signature, func(w *wallet) error {
		_, _, err := SignDirect(t.Context(), w, "topic", signer, doc())
		return err
	}, answerOf(signer, changed, "null"), answerOf(signer, signature, `{"chainId":"cosmoshub-4","accountNumber":"x","authInfoBytes":"","bodyBytes":""}`),
		answerOf(signer, signature, `{"chainId":"x","accountNumber":"7","authInfoBytes":"aW5mbw==","bodyBytes":"Ym9keQ=="}`))
}

func TestSignAmino(t *testing.T) {
	private, signer := owner(t)
	const requested = `{"account_number":"7","chain_id":"cosmoshub-4","fee":{"amount":[],"gas":"1"},"memo":"a \u0026 b","msgs":[],"sequence":"0"}`
	signature := private.SignCompact(hash([]byte(requested)))
	for _, signed := range []string{requested, "null", `{"sequence":"0", "memo":"a & b", "chain_id":"cosmoshub-4", "account_number":"7", "fee":{"gas":"1","amount":[]}, "msgs":[]}`} {
		did, s, err := SignAmino(t.Context(), &wallet{answer: answerOf(signer, signature, signed)}, "topic", "cosmoshub-4", signer, json.RawMessage(requested))
		require.NoError(t, err)
		require.Equal(t, requested, string(did))
		require.Equal(t, signature, s)
	}
	checkRefused(t, signer, signature, func(w *wallet) error {
		_, _, err := SignAmino(t.Context(), w, "topic", "cosmoshub-4", signer, json.RawMessage(requested))
		return err
	}, answerOf(signer, signature, `{}`), answerOf(signer, signature, `[]`), answerOf(signer, signature, strings.Replace(requested, "a ", "b ", 1)))
}

// checkRefused checks that only the correct response is accepted.
func checkRefused(t *testing.T, signer Account, signature [64]byte, ask func(*wallet) error, more ...string) {
	t.Helper()
	flipped, foreign := signature, signer
	flipped[40] ^= 1
	foreign.PublicKey[32] ^= 1
	high := signature
	for n := range 32 {
		high[32+n] = 0xff
	}
	good := answerOf(signer, signature, "null")
	for _, answer := range append(more, ``, `null`, `{}`, `[]`, `1`, answerOf(signer, [64]byte{}, "null"), answerOf(signer, flipped, "null"), answerOf(signer, high, "null"),
		answerOf(foreign, signature, "null"), good[:len(good)-1], strings.Replace(good, inForms(signature[:])[0], `"AA=="`, 1), answerOf(signer, signature, strings.Repeat("[", 20000))) {
		err := ask(&wallet{answer: answer})
		require.ErrorIs(t, err, walletconnect.ErrAnswer, answer[:min(len(answer), 200)])
	}
	require.ErrorIs(t, ask(&wallet{err: walletconnect.ErrExpired}), walletconnect.ErrExpired)
}

func FuzzAccounts(f *testing.F) {
	f.Add([]byte(`[{"algo":"secp256k1","address":"cosmos1hkg6p4lqnxardx2878clge6vjhfknf6s57ac92","pubkey":"AjnTG7wrEwNx/4MLGvJt4+sxFSpPkKvQzwtNO8l0qTtA"}]`))
	f.Fuzz(func(t *testing.T, answer []byte) {
		all, err := decodeAccounts(answer)
		if err != nil {
			require.ErrorIs(t, err, walletconnect.ErrAnswer)
		}
		for _, a := range all {
			derived, err := address.FromKey(a.Address.Prefix(), a.PublicKey)
			require.NoError(t, err)
			require.Equal(t, a.Address, derived)
		}
	})
}

func FuzzSigned(f *testing.F) {
	private, signer := owner(f)
	f.Add([]byte(answerOf(signer, private.SignCompact(hash(encoded(doc()))), "null")))
	f.Add([]byte(answerOf(signer, [64]byte{1}, `{"chainId":"a","accountNumber":"7","authInfoBytes":{"0":1},"bodyBytes":[1]}`)))
	f.Fuzz(func(t *testing.T, answer []byte) {
		if _, _, err := decodeDirect(answer, signer, doc()); err != nil {
			require.ErrorIs(t, err, walletconnect.ErrAnswer)
		}
		if _, _, err := decodeAmino(answer, signer, json.RawMessage(`{}`)); err != nil {
			require.ErrorIs(t, err, walletconnect.ErrAnswer)
		}
	})
}

func hash(doc []byte) [32]byte { return sha256.Sum256(doc) }

func encoded(d wire.SignDoc) []byte { return wire.Encode(&d) }

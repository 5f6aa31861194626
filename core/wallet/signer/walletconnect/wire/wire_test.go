package wire

import (
	"bytes"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// vectors holds results of WalletConnect's own libraries for fixed keys. A test in
// native/test/walletconnect compares them with the current libraries.
type vectors struct {
	Keys      []struct{ Private, Public, Other, Shared, Topic string }
	Envelopes []struct {
		Type                       int
		Key, IV, Message           string
		Sender, Receiver, Envelope string
	}
	Pairings []struct {
		Key     string
		Expires int64
		URI     string
	}
}

func load(t testing.TB) (v vectors) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "vectors.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &v))
	return v
}

func key32(t testing.TB, text string) [32]byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	require.NoError(t, err)
	return [32]byte(b)
}

func TestVectors(t *testing.T) {
	v := load(t)
	require.NotEmpty(t, v.Keys)
	for _, k := range v.Keys {
		private := PrivateKey(key32(t, k.Private))
		require.Equal(t, k.Public, private.PublicKey().String())
		other, err := ParsePublicKey(k.Other)
		require.NoError(t, err)
		shared, err := private.Agree(other)
		require.NoError(t, err)
		require.Equal(t, key32(t, k.Shared), [32]byte(shared))
		require.Equal(t, k.Topic, shared.Topic())
	}
	require.NotEmpty(t, v.Envelopes)
	for _, e := range v.Envelopes {
		iv, err := hex.DecodeString(e.IV)
		require.NoError(t, err)
		key := SymKey(key32(t, e.Key))
		if e.Type == 0 {
			made, err := Seal(key, bytes.NewReader(iv), []byte(e.Message))
			require.NoError(t, err)
			require.Equal(t, e.Envelope, made)
			plain, err := Open(key, e.Envelope)
			require.NoError(t, err)
			require.Equal(t, e.Message, string(plain))
			continue
		}
		_, err = Open(key, e.Envelope)
		require.ErrorIs(t, err, ErrEnvelope, "encrypted for a public key, which no relay sends here")
	}
	require.NotEmpty(t, v.Pairings)
	for _, p := range v.Pairings {
		require.Equal(t, p.URI, Pairing{SymKey(key32(t, p.Key)), time.Unix(p.Expires, 0)}.URI())
	}
}

func TestEnvelopesRefused(t *testing.T) {
	v := load(t)
	key, good := SymKey(key32(t, v.Envelopes[0].Key)), v.Envelopes[0].Envelope
	all, err := base64.StdEncoding.DecodeString(good)
	require.NoError(t, err)
	for n := range all {
		changed := bytes.Clone(all)
		changed[n] ^= 1
		_, err := Open(key, base64.StdEncoding.EncodeToString(changed))
		require.ErrorIs(t, err, ErrEnvelope, n)
		_, err = Open(key, base64.StdEncoding.EncodeToString(all[:n]))
		require.ErrorIs(t, err, ErrEnvelope, n)
	}
	for _, text := range []string{"", "!", "AA==", good + good, v.Envelopes[1].Envelope, strings.Repeat("A", MaxEnvelope+1)} {
		_, err := Open(key, text)
		require.ErrorIs(t, err, ErrEnvelope)
	}
	_, err = Open(SymKey{}, good)
	require.ErrorIs(t, err, ErrEnvelope)
	_, err = Seal(key, bytes.NewReader(make([]byte, 12)), make([]byte, MaxEnvelope))
	require.ErrorIs(t, err, ErrEnvelope)
	_, err = Seal(key, bytes.NewReader(nil), nil)
	require.Error(t, err, "no randomness")
}

func TestKeysRefused(t *testing.T) {
	_, err := PrivateKey{1}.Agree(PublicKey{})
	require.ErrorIs(t, err, ErrKey, "low order")
	for _, text := range []string{"", "00", strings.Repeat("g", 64), strings.Repeat("0", 66)} {
		_, err := ParsePublicKey(text)
		require.ErrorIs(t, err, ErrKey)
	}
	require.Equal(t, "[session key] [session key]", fmt.Sprintf("%v %x", SymKey{1}, PrivateKey{1}))
}

func TestMessages(t *testing.T) {
	for text, want := range map[string]Message{
		`{"id":1700000000000123,"jsonrpc":"2.0","method":"wc_sessionPing","params":{}}`: {ID: 1700000000000123, Method: SessionPing, Params: json.RawMessage(`{}`)},
		`{"id":1,"jsonrpc":"2.0","result":null}`:                                        {ID: 1, Result: json.RawMessage(`null`)},
		`{"id":"7","result":{"a":1},"error":null}`:                                      {ID: 7, Result: json.RawMessage(`{"a":1}`)},
		`{"id":1,"error":{"code":5000,"message":"User\u0000 rejec\u200bted.\u202e"}}`:   {ID: 1, Error: &Error{5000, "User rejected."}},
		`{"id":1,"error":"no","result":1}`:                                              {ID: 1, Error: &Error{0, "no"}},
		`{"id":1,"error":{"code":"x","message":{}}}`:                                    {ID: 1, Error: &Error{}},
	} {
		m, err := DecodeMessage([]byte(text))
		require.NoError(t, err, text)
		require.Equal(t, want, m, text)
	}
	for _, text := range []string{``, `[]`, `1`, `{}`, `{"id":1}`, `{"id":-1,"result":1}`, `{"id":1.5,"result":1}`, `{"id":1e30,"result":1}`, `{"id":{},"result":1}`,
		`{"id":1,"method":"a","result":1}`, `{"id":1,"method":"` + strings.Repeat("m", 65) + `"}`, strings.Repeat(`[`, 20000)} {
		_, err := DecodeMessage([]byte(text))
		require.ErrorIs(t, err, ErrMessage, text[:min(len(text), 50)])
	}
	long, err := DecodeMessage([]byte(`{"id":1,"error":{"code":1,"message":"` + strings.Repeat("€", 1000) + `"}}`))
	require.NoError(t, err)
	require.LessOrEqual(t, len(long.Error.Message), maxReason)
}

func TestNamespaces(t *testing.T) {
	const account = `"accounts":["cosmos:cosmoshub-4:cosmos1abc"]`
	for name, text := range map[string]string{
		"chains":       `{"cosmos":{"chains":["cosmos:cosmoshub-4"],"methods":["m"],"events":[],` + account + `}}`,
		"null chains":  `{"cosmos":{"chains":null,"methods":["m"],"events":null,` + account + `}}`,
		"no chains":    `{"cosmos":{"methods":["m"],` + account + `}}`,
		"inline chain": `{"cosmos:cosmoshub-4":{"methods":["m"],` + account + `}}`,
	} {
		n, err := DecodeNamespaces(json.RawMessage(text))
		require.NoError(t, err, name)
		require.NoError(t, n.Allows("cosmos:cosmoshub-4", "m"), name)
		require.ErrorIs(t, n.Allows("cosmos:cosmoshub-4", "x"), ErrNotInSession)
		require.ErrorIs(t, n.Allows("cosmos:other", "m"), ErrNotInSession)
		require.Equal(t, []string{"cosmos1abc"}, n.Accounts("cosmos:cosmoshub-4"), name)
		required := Namespaces{"cosmos": {Chains: []string{"cosmos:cosmoshub-4"}, Methods: []string{"m"}}}
		require.NoError(t, n.Covers(required), name)
		required["cosmos"] = Namespace{Chains: []string{"cosmos:cosmoshub-4"}, Methods: []string{"m", "x"}}
		require.ErrorIs(t, n.Covers(required), ErrNotInSession)
		require.ErrorIs(t, n.Covers(Namespaces{"eip155:1": {}}), ErrNotInSession)
	}
	n, err := DecodeNamespaces(json.RawMessage(`{"cosmos":{"chains":["x","eip155:1","cosmos:osmosis-1"],"methods":["a b","m","` + strings.Repeat("m", 65) +
		`"],"events":["\u202e","e"],"accounts":["0xab","eip155:1:0xab","cosmos:a b:c","cosmos:a:b\u0007","cosmos:cosmoshub-4:cosmos1abc"]}}`))
	require.NoError(t, err, "invalid members")
	require.Equal(t, Namespaces{"cosmos": {Chains: []string{"cosmos:osmosis-1", "cosmos:cosmoshub-4"}, Methods: []string{"m"}, Events: []string{"e"},
		Accounts: []string{"cosmos:cosmoshub-4:cosmos1abc"}}}, n)
	many := func(item string, count int) string {
		return `{"cosmos":{"methods":[],` + item + `:[` + strings.TrimSuffix(strings.Repeat(`"cosmos:a:b",`, count), ",") + `],"events":[]}}`
	}
	for name, other := range map[string]string{
		"an empty optional one": `"eip155":{"accounts":[],"methods":["personal_sign"],"events":[],"chains":["eip155:1"]}`,
		"one without accounts":  `"eip155":{"methods":["personal_sign"],"events":[]}`,
		"null":                  `"eip155":null`,
		"another type":          `"eip155":{"accounts":"eip155:1:0xab"}`,
		"a bad account":         `"eip155":{"accounts":["0xab"],"methods":[],"events":[]}`,
		"a bad name":            `"EIP155":{"accounts":["eip155:1:0xab"]}`,
	} {
		n, err := DecodeNamespaces(json.RawMessage(`{` + other + `,"cosmos":{"methods":["m"],"events":[],` + account + `}}`))
		require.NoError(t, err, name)
		require.Len(t, n, 1, name)
		require.NoError(t, n.Allows("cosmos:cosmoshub-4", "m"), name)
		require.ErrorIs(t, n.Covers(Namespaces{"eip155": {Chains: []string{"eip155:1"}}}), ErrNoChain, name)
	}
	for name, text := range map[string]string{
		"nothing": ``, "null": `null`, "none": `{}`, "list": `[]`, "no accounts": `{"cosmos":{"methods":[]}}`,
		"other family":   `{"cosmos":{"accounts":["eip155:1:0xab"]}}`,
		"no address":     `{"cosmos":{"accounts":["cosmos:cosmoshub-4:"]}}`,
		"no chain":       `{"cosmos":{"accounts":["cosmos1abc"]}}`,
		"bad name":       `{"COSMOS":{"accounts":["cosmos:a:b"]}}`,
		"bad inline":     `{"cosmos:":{"accounts":["cosmos:a:b"]}}`,
		"many accounts":  many(`"accounts"`, maxAccounts+1),
		"other inline":   `{"cosmos:a":{"accounts":["cosmos:b:c"]}}`,
		"wrong type":     `{"cosmos":{"accounts":"cosmos:a:b"}}`,
		"control letter": `{"cosmos":{"accounts":["cosmos:a:b\u0007"]}}`,
	} {
		_, err := DecodeNamespaces(json.RawMessage(text))
		require.ErrorIs(t, err, ErrNamespaces, name)
	}
	var all Namespaces = map[string]Namespace{}
	for n := range maxNamespaces + 1 {
		all[fmt.Sprintf("name%d", n)] = Namespace{}
	}
	require.ErrorIs(t, all.Check(), ErrNamespaces)
}

func TestMetadata(t *testing.T) {
	long := strings.Repeat("x", 5000)
	m := Metadata{Name: long + "\x00", Description: long, URL: "\x1b[31m", Icons: []string{long, "a", "b", "c", "d", "e"}}.Bounded()
	require.Len(t, m.Name, maxName)
	require.Len(t, m.Description, maxText)
	require.Equal(t, "[31m", m.URL)
	require.Equal(t, []string{"a", "b", "c", "d"}, m.Icons)
}

func FuzzOpen(f *testing.F) {
	for _, e := range load(f).Envelopes {
		f.Add(e.Envelope)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if plain, err := Open(SymKey{1}, text); err != nil {
			require.ErrorIs(t, err, ErrEnvelope)
			require.Nil(t, plain)
		}
	})
}

func FuzzMessage(f *testing.F) {
	f.Add([]byte(`{"id":1,"jsonrpc":"2.0","method":"wc_sessionPing","params":{}}`))
	f.Add([]byte(`{"id":1,"error":{"code":5000,"message":"User rejected."}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := DecodeMessage(text)
		if err != nil {
			require.ErrorIs(t, err, ErrMessage)
			return
		}
		again, err := m.Encode()
		require.NoError(t, err)
		same, err := DecodeMessage(again)
		require.NoError(t, err)
		require.Equal(t, m.ID, same.ID)
		require.Equal(t, m.Error, same.Error)
		require.Equal(t, m.IsRequest(), same.IsRequest())
	})
}

func FuzzNamespaces(f *testing.F) {
	f.Add([]byte(`{"cosmos":{"chains":null,"methods":["m"],"events":[],"accounts":["cosmos:cosmoshub-4:cosmos1abc"]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		n, err := DecodeNamespaces(text)
		if err != nil {
			require.ErrorIs(t, err, ErrNamespaces)
			return
		}
		require.NoError(t, n.Check())
		for _, of := range n {
			require.NotEmpty(t, of.Chains)
			for _, chain := range of.Chains {
				n.Accounts(chain)
			}
		}
	})
}

func TestDerive(t *testing.T) {
	secret := [32]byte{1, 2, 3}
	for _, purpose := range []string{"", "a purpose"} {
		want, err := hkdf.Key(sha256.New, secret[:], nil, purpose, 32)
		require.NoError(t, err)
		got := Derive(secret, purpose)
		require.Equal(t, want, got[:])
	}
}

package activate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/mmrpc"
	"obverse/core/mmrpc/activate"
	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
)

// choosers is an area with one method that returns the selected policy.
type choosers struct{ providers key.Providers }

type walletParams struct {
	Ticker string `json:"ticker"`
	activate.PolicyParams
}

func (w choosers) Methods() []rpc.Method {
	return []rpc.Method{rpc.Handle("activate", rpc.Doc{}, func(_ context.Context, p walletParams) (string, error) {
		policy, err := p.Choose(w.providers)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s %+v", policy.Name(), policy), nil
	})}
}

// provider is a provider without keys.
type provider key.PolicyName

func (k provider) Policy() key.PolicyName { return key.PolicyName(k) }

func (k provider) Account(context.Context, key.Policy, key.Path) (key.Account, error) {
	return nil, errors.New("nothing is kept")
}

func everyKeeper() (all key.Providers) {
	for _, name := range key.PolicyNames() {
		all = append(all, provider(name))
	}
	return all
}

// choose calls the method with a ticker and additional members.
func choose(t *testing.T, providers key.Providers, members string) (string, error) {
	t.Helper()
	if members != "" {
		members = "," + members
	}
	m, ok := rpc.NewTable(choosers{providers}.Methods()...).Lookup("activate")
	require.True(t, ok)
	result, err := m.Named(t.Context(), json.RawMessage(`{"ticker":"IRIS"`+members+`}`), rpc.Rules{})
	if err != nil {
		return "", err
	}
	return result.(string), nil
}

// numbers returns a JSON array of n numbers: first, followed by n-1 times b.
func numbers(first byte, b byte, n int) string {
	all := fmt.Sprint(append([]byte{first}, bytes.Repeat([]byte{b}, n-1)...))
	return strings.ReplaceAll(all, " ", ",")
}

// bobsNumbers returns bob's public key as a JSON array.
func bobsNumbers(t *testing.T) string {
	t.Helper()
	ring, err := key.Open("bob passphrase", false)
	require.NoError(t, err)
	public := ring.Node().PublicKey()
	return strings.ReplaceAll(fmt.Sprint(public), " ", ",")
}

func TestChoiceOfPolicy(t *testing.T) {
	const topic = "3569914dd09a5cc4ac92dedab354f06ff5db17ef616233a8ba562cbea51269fd"
	bob := bobsNumbers(t)
	for members, want := range map[string]string{
		``: "ContextPrivKey {}",
		`"priv_key_policy":null,"activation_params":null`:                                                                                                 "ContextPrivKey {}",
		`"priv_key_policy":"ContextPrivKey"`:                                                                                                              "ContextPrivKey {}",
		`"priv_key_policy":"HardwareWallet"`:                                                                                                              "HardwareWallet {}",
		`"priv_key_policy":"BrowserWallet"`:                                                                                                               "BrowserWallet {}",
		`"priv_key_policy":"Trezor"`:                                                                                                                      "HardwareWallet {}",
		`"priv_key_policy":"Ledger"`:                                                                                                                      "HardwareWallet {}",
		`"priv_key_policy":"Metamask"`:                                                                                                                    "BrowserWallet {}",
		`"priv_key_policy":"Keplr"`:                                                                                                                       "BrowserWallet {}",
		`"priv_key_policy":{"type":"ContextPrivKey"}`:                                                                                                     "ContextPrivKey {}",
		`"priv_key_policy":{"type":"Trezor"}`:                                                                                                             "HardwareWallet {}",
		`"priv_key_policy":{"type":"Metamask","params":null}`:                                                                                             "BrowserWallet {}",
		`"priv_key_policy":{"type":"SessionWallet","data":"abc"}`:                                                                                         "SessionWallet {Topic:abc}",
		`"priv_key_policy":{"more":1,"data":"abc","type":"WalletConnect"}`:                                                                                "SessionWallet {Topic:abc}",
		`"priv_key_policy":{"type":"WalletConnect","params":{"session_topic":"abc"}}`:                                                                     "SessionWallet {Topic:abc}",
		`"priv_key_policy":{"type":"SessionWallet","data":{"session_topic":"abc"}}`:                                                                       "SessionWallet {Topic:abc}",
		`"activation_params":{"priv_key_policy":"BrowserWallet"}`:                                                                                         "BrowserWallet {}",
		`"activation_params":{"priv_key_policy":{"type":"SessionWallet","data":"` + topic + `"}}`:                                                         "SessionWallet {Topic:" + topic + "}",
		`"activation_params":{"priv_key_policy":{"type":"WalletConnect","data":"` + topic + `"}}`:                                                         "SessionWallet {Topic:" + topic + "}",
		`"activation_params":{"type":"WalletConnect","params":{"session_topic":"` + topic + `"}}`:                                                         "SessionWallet {Topic:" + topic + "}",
		`"activation_params":{"type":"SessionWallet","params":"abc"}`:                                                                                     "SessionWallet {Topic:abc}",
		`"activation_params":{"type":"HardwareWallet"}`:                                                                                                   "HardwareWallet {}",
		`"activation_params":{"priv_key_policy":"ContextPrivKey"},"priv_key_policy":"ContextPrivKey"`:                                                     "ContextPrivKey {}",
		`"activation_params":{"priv_key_policy":"Trezor"},"priv_key_policy":"ContextPrivKey"`:                                                             "HardwareWallet {}",
		`"activation_params":{"priv_key_policy":"Trezor"},"priv_key_policy":"HardwareWallet"`:                                                             "HardwareWallet {}",
		`"activation_params":{"type":"WalletConnect","params":{"session_topic":"a"}},"priv_key_policy":"SessionWallet"`:                                   "SessionWallet {Topic:a}",
		`"activation_params":{"type":"WalletConnect"},"priv_key_policy":{"type":"SessionWallet","data":"a"}`:                                              "SessionWallet {Topic:a}",
		`"activation_params":{"type":"SessionWallet","params":"a"},"priv_key_policy":{"type":"SessionWallet","data":"a"}`:                                 "SessionWallet {Topic:a}",
		`"activation_params":{"type":"WithPubkey","params":{"pubkey":{"type":"ed25519","value":` + numbers(1, 2, 32) + `}}}`:                              "WithPubkey {Key:{algorithm:ed25519 bytes:\x01" + strings.Repeat("\x02", 31) + "} Ledger:false}",
		`"priv_key_policy":{"type":"WithPubkey","data":{"pubkey":{"type":"ed25519","value":` + numbers(1, 2, 32) + `}}}`:                                  "WithPubkey {Key:{algorithm:ed25519 bytes:\x01" + strings.Repeat("\x02", 31) + "} Ledger:false}",
		`"activation_params":{"type":"WithPubkey","params":{"pubkey":{"type":"ed25519","value":` + numbers(1, 2, 32) + `},"is_ledger_connection":false}}`: "WithPubkey {Key:{algorithm:ed25519 bytes:\x01" + strings.Repeat("\x02", 31) + "} Ledger:false}",
		`"activation_params":{"type":"WithPubkey","params":{"is_ledger_connection": true ,"pubkey":{"value":` + bob + `,"type":"secp256k1"}}}`:            "WithPubkey {Key:{algorithm:secp256k1 bytes:" + string(bobsBytes(t)) + "} Ledger:true}",
	} {
		t.Run(members, func(t *testing.T) {
			got, err := choose(t, everyKeeper(), members)
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
}

func bobsBytes(t *testing.T) []byte {
	t.Helper()
	var all []int
	require.NoError(t, json.Unmarshal([]byte(bobsNumbers(t)), &all))
	out := make([]byte, len(all))
	for i, n := range all {
		out[i] = byte(n)
	}
	return out
}

// TestRefusedPolicies checks the errors of invalid policies: Komodo DeFi Framework's text,
// which is in error_data, and the additional help.
func TestRefusedPolicies(t *testing.T) {
	const names = "expected one of `ContextPrivKey`, `HardwareWallet`, `BrowserWallet`, `SessionWallet`, `WithPubkey`"
	pubkey := func(inner string) string {
		return `"activation_params":{"type":"WithPubkey","params":{"pubkey":` + inner + `}}`
	}
	bytesWanted := " must be " + activate.WantBytes
	const value = `parameter "activation_params.params.pubkey.value"`
	for _, c := range []struct{ name, members, data, help string }{
		{"unknown name", `"priv_key_policy":"Iguana"`, "unknown variant `Iguana`, " + names, `parameter "priv_key_policy"`},
		{"slip", `"priv_key_policy":"contextprivkey"`, "unknown variant `contextprivkey`, " + names, "parameter \"priv_key_policy\", did you mean `ContextPrivKey`?"},
		{"empty name", `"priv_key_policy":""`, "unknown variant ``, " + names, `parameter "priv_key_policy"`},
		{"long name", `"priv_key_policy":"` + strings.Repeat("x", 100) + `"`, "unknown variant `" + strings.Repeat("x", 64) + "…`, " + names, `parameter "priv_key_policy"`},
		{"number", `"priv_key_policy":1`, "invalid type: integer `1`, expected the name of a policy, or an object with its type and data", `parameter "priv_key_policy"`},
		{"array", `"priv_key_policy":["ContextPrivKey"]`, "invalid type: sequence, expected the name of a policy, or an object with its type and data", `parameter "priv_key_policy"`},
		{"no type", `"priv_key_policy":{"data":"x"}`, "missing field `type`", `parameter "priv_key_policy.type" must be the name of a policy`},
		{"type of another type", `"priv_key_policy":{"type":true}`, "invalid type: boolean `true`, expected the name of a policy", `parameter "priv_key_policy.type"`},
		{"unknown type", `"priv_key_policy":{"type":"X"}`, "unknown variant `X`, " + names, `parameter "priv_key_policy.type"`},
		{"type twice", `"priv_key_policy":{"type":"Trezor","type":"Trezor"}`, "duplicate field `type`", `parameter "priv_key_policy.type"`},
		{"data and params", `"priv_key_policy":{"type":"SessionWallet","data":"a","params":"a"}`, "duplicate field `params`", `parameter "priv_key_policy.params"`},
		{"data for a policy without", `"priv_key_policy":{"type":"ContextPrivKey","data":"topic"}`, "the policy takes no data", `parameter "priv_key_policy.data" must be absent`},
		{"session without topic", `"priv_key_policy":"SessionWallet"`, "missing field `data`", `parameter "priv_key_policy.data" must be ` + activate.WantTopic},
		{"session without topic, upstream's form", `"activation_params":{"type":"WalletConnect"}`, "missing field `params`", `parameter "activation_params.params" must be ` + activate.WantTopic},
		{"session without topic, inside", `"activation_params":{"priv_key_policy":"SessionWallet"}`, "missing field `data`", `parameter "activation_params.priv_key_policy.data" must be ` + activate.WantTopic},
		{"session without topic inside", `"activation_params":{"type":"WalletConnect","params":{}}`, "missing field `session_topic`", `parameter "activation_params.params.session_topic" must be ` + activate.WantTopic},
		{"empty topic", `"priv_key_policy":{"type":"SessionWallet","data":""}`, "not a session's topic", `parameter "priv_key_policy.data" must be ` + activate.WantTopic},
		{"long topic", `"priv_key_policy":{"type":"SessionWallet","data":{"session_topic":"` + strings.Repeat("a", 257) + `"}}`, "not a session's topic", `parameter "priv_key_policy.data.session_topic" must be ` + activate.WantTopic},
		{"topic as number", `"priv_key_policy":{"type":"SessionWallet","data":5}`, "invalid type: integer `5`, expected " + activate.WantTopic, `parameter "priv_key_policy.data"`},
		{"topic inside as null", `"priv_key_policy":{"type":"SessionWallet","data":{"session_topic":null}}`, "invalid type: null, expected " + activate.WantTopic, `parameter "priv_key_policy.data.session_topic"`},
		{"activation_params of another type", `"activation_params":"SessionWallet"`, "invalid type: string \"SessionWallet\", expected an object", `parameter "activation_params"`},
		{"unknown type in activation_params", `"activation_params":{"type":"Iguana"}`, "unknown variant `Iguana`, " + names, `parameter "activation_params.type"`},
		{"params without type", `"activation_params":{"params":{"session_topic":"a"}}`, "missing field `type`", `parameter "activation_params.type" must be ` + activate.WantActivation()},
		{"no policy", `"activation_params":{}`, "missing field `type`", `parameter "activation_params.type" must be ` + activate.WantActivation()},
		{"unknown members", `"activation_params":{"with_pubkey":{}}`, "missing field `type`", `parameter "activation_params.type" must be ` + activate.WantActivation()},
		{"nothing but null", `"activation_params":{"priv_key_policy":null,"type":null,"params":null}`, "missing field `type`", `parameter "activation_params.type" must be ` + activate.WantActivation()},
		{"data outside", `"activation_params":{"priv_key_policy":"SessionWallet","session_topic":"a"}`, activate.ErrLooseData.Error(), `parameter "activation_params.session_topic" must be inside priv_key_policy, or next to type`},
		{"tag next to data", `"priv_key_policy":{"WalletConnect":{"session_topic":"a"},"data":"b"}`, activate.ErrLooseData.Error(), `parameter "priv_key_policy.WalletConnect" must be alone in its object`},
		{"both forms", `"activation_params":{"type":"Trezor","priv_key_policy":"Trezor"}`, "activation_params name a policy twice: in priv_key_policy and in type", `parameter "activation_params.type"`},
		{"contradiction", `"activation_params":{"type":"Trezor"},"priv_key_policy":"BrowserWallet"`, "priv_key_policy is BrowserWallet, but activation_params say HardwareWallet", `parameter "priv_key_policy" must be absent, or the same`},
		{"contradiction with the default", `"activation_params":{"type":"ContextPrivKey"},"priv_key_policy":"Trezor"`, "priv_key_policy is HardwareWallet, but activation_params say ContextPrivKey", `parameter "priv_key_policy" must be absent, or the same`},
		{"two sessions", `"activation_params":{"type":"SessionWallet","params":"a"},"priv_key_policy":{"type":"SessionWallet","data":"b"}`, "priv_key_policy and activation_params name different wallets of policy SessionWallet", `parameter "priv_key_policy" must be absent, or the same`},
		{"pubkey without data", `"activation_params":{"type":"WithPubkey"}`, "missing field `pubkey`", `parameter "activation_params.params.pubkey" must be ` + activate.WantPubkey},
		{"pubkey without data, inside", `"activation_params":{"priv_key_policy":{"type":"WithPubkey"}}`, "missing field `pubkey`", `parameter "activation_params.priv_key_policy.data.pubkey" must be ` + activate.WantPubkey},
		{"pubkey without data, outside", `"priv_key_policy":"WithPubkey"`, "missing field `pubkey`", `parameter "priv_key_policy.data.pubkey" must be ` + activate.WantPubkey},
		{"pubkey missing", `"activation_params":{"type":"WithPubkey","params":{"is_ledger_connection":false}}`, "missing field `pubkey`", `parameter "activation_params.params.pubkey" must be ` + activate.WantPubkey},
		{"pubkey's data of another type", `"activation_params":{"type":"WithPubkey","params":"02"}`, "invalid type: string \"02\", expected an object with a pubkey", `parameter "activation_params.params"`},
		{"pubkey of another type", pubkey(`"02"`), "invalid type: string \"02\", expected " + activate.WantPubkey, `parameter "activation_params.params.pubkey"`},
		{"pubkey without type", pubkey(`{"value":[1]}`), "Missing field 'type'.", `parameter "activation_params.params.pubkey.type" must be ed25519, secp256k1 or account_id`},
		{"pubkey's type of another type", pubkey(`{"type":1,"value":[1]}`), "Missing field 'type'.", `parameter "activation_params.params.pubkey.type" must be ed25519, secp256k1 or account_id`},
		{"pubkey of another algorithm", pubkey(`{"type":"sr25519"}`), "Unsupported pubkey algorithm. Use one of ['ed25519', 'secp256k1']", `parameter "activation_params.params.pubkey.type"`},
		{"pubkey without value", pubkey(`{"type":"secp256k1"}`), "Missing field 'value'.", value + bytesWanted},
		{"pubkey of the wrong length", pubkey(`{"type":"secp256k1","value":` + numbers(2, 1, 32) + `}`), "Invalid data.", value + bytesWanted},
		{"pubkey not on the curve", pubkey(`{"type":"secp256k1","value":` + numbers(2, 255, 33) + `}`), "Invalid data.", value + bytesWanted},
		{"ed25519 of the wrong length", pubkey(`{"type":"ed25519","value":` + bobsNumbers(t) + `}`), "Invalid data.", value + bytesWanted},
		{"pubkey as text", pubkey(`{"type":"secp256k1","value":"02"}`), "Invalid data.", value + bytesWanted},
		{"no byte", pubkey(`{"type":"ed25519","value":[256` + strings.Repeat(",1", 31) + `]}`), "Invalid data.", value + bytesWanted},
		{"negative", pubkey(`{"type":"ed25519","value":[-1` + strings.Repeat(",1", 31) + `]}`), "Invalid data.", value + bytesWanted},
		{"fraction", pubkey(`{"type":"ed25519","value":[1.0` + strings.Repeat(",1", 31) + `]}`), "Invalid data.", value + bytesWanted},
		{"many bytes", pubkey(`{"type":"ed25519","value":[1` + strings.Repeat(",1", 1<<16) + `]}`), "Invalid data.", value + bytesWanted},
		{"pubkey value null", pubkey(`{"type":"ed25519","value":null}`), "Invalid data.", value + bytesWanted},
		{"ledger as text", `"activation_params":{"type":"WithPubkey","params":{"pubkey":{"type":"secp256k1","value":` + bobsNumbers(t) + `},"is_ledger_connection":"yes"}}`,
			"invalid type: string \"yes\", expected true or false", `parameter "activation_params.params.is_ledger_connection"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := mmrpc.New(mmrpc.Options{Password: mmrpc.NewPassword(mmrpctest.Userpass), Now: time.Now}, choosers{everyKeeper()})
			status, reply := s.Serve(t.Context(), mmrpctest.Here, []byte(mmrpctest.Request("activate", `{"ticker":"IRIS",`+c.members+`}`)))
			require.Equal(t, 400, status)
			var answer struct {
				Error string `json:"error"`
				Type  string `json:"error_type"`
				Data  string `json:"error_data"`
			}
			require.NoError(t, json.Unmarshal(reply, &answer))
			require.Equal(t, "InvalidRequest", answer.Type)
			require.Equal(t, c.data, answer.Data)
			require.Equal(t, "Error parsing request: "+c.data+" ("+c.help+")", answer.Error)
		})
	}
}

// TestPolicyWithoutProvider checks that the error for an unsupported policy lists the supported
// ones.
func TestPolicyWithoutProvider(t *testing.T) {
	ring, err := key.Open("bob passphrase", false)
	require.NoError(t, err)
	s := mmrpc.New(mmrpc.Options{Password: mmrpc.NewPassword(mmrpctest.Userpass), Now: time.Now}, choosers{key.Providers{ring}})
	for policy, name := range map[string]string{
		`"HardwareWallet"`: "HardwareWallet", `"Keplr"`: "BrowserWallet", `{"type":"WalletConnect","data":"topic"}`: "SessionWallet",
		`{"type":"WithPubkey","data":{"pubkey":{"type":"secp256k1","value":` + bobsNumbers(t) + `}}}`: "WithPubkey",
	} {
		status, reply := s.Serve(t.Context(), mmrpctest.Here, []byte(mmrpctest.Request("activate", `{"ticker":"IRIS","priv_key_policy":`+policy+`}`)))
		require.Equal(t, 500, status)
		text := name + " is not available on this node, which has: ContextPrivKey"
		require.Equal(t, mmrpctest.Failed("Private key is not allowed: "+text, "policy", "PrivKeyNotAllowed", mmrpctest.Quote(text), "5"),
			strings.TrimSpace(mmrpctest.Untraced(string(reply))))
	}
	status, reply := s.Serve(t.Context(), mmrpctest.Here, []byte(mmrpctest.Request("activate", `{"ticker":"IRIS"}`)))
	require.Equal(t, 200, status)
	require.Contains(t, string(reply), "ContextPrivKey")
}

func TestKeyError(t *testing.T) {
	require.NoError(t, wire.KeyFailure(nil))
	require.Equal(t, key.ErrNoPassphrase, wire.KeyFailure(key.ErrNoPassphrase), "each activation has its own kind for it")
	err := wire.KeyFailure(fmt.Errorf("HardwareWallet %w", key.ErrUnsupported))
	require.True(t, mmerr.PrivKeyNotAllowed.Is(err))
	require.ErrorIs(t, err, key.ErrUnsupported)
	require.EqualError(t, err, "Private key is not allowed: HardwareWallet cannot be used here")
}

// TestUnknownActivationParams checks that unknown members of activation_params are counted and,
// if configured, refused, as in any object.
func TestUnknownActivationParams(t *testing.T) {
	m := choosers{everyKeeper()}.Methods()[0]
	var seen []string
	rules := rpc.Rules{Unknown: func(path string) { seen = append(seen, path) }}
	body := json.RawMessage(`{"ticker":"IRIS","activation_params":{"priv_key_policy":"Trezor","nonce":1}}`)
	_, err := m.Named(t.Context(), body, rules)
	require.NoError(t, err)
	require.Equal(t, []string{"activation_params.nonce"}, seen)
	rules.RefuseUnknown = true
	_, err = m.Named(t.Context(), body, rules)
	require.ErrorIs(t, err, rpc.ErrUnknown)
}

func TestPolicySchema(t *testing.T) {
	params := choosers{}.Methods()[0].Params()
	text, err := json.Marshal(params[1].Schema)
	require.NoError(t, err)
	require.False(t, params[1].Required)
	for _, name := range key.PolicyNames() {
		require.Contains(t, string(text), `"`+string(name)+`"`)
	}
	require.NotContains(t, string(text), "Trezor", "upstream's names are taken and not shown")
}

func FuzzPolicyParams(f *testing.F) {
	for _, seed := range []string{`{"ticker":"A"}`, `{"ticker":"A","priv_key_policy":"Trezor"}`, `{"ticker":"A","priv_key_policy":{"type":"SessionWallet","data":"a"}}`,
		`{"ticker":"A","activation_params":{"type":"WithPubkey","params":{"pubkey":{"type":"ed25519","value":[1,2]},"is_ledger_connection":true}}}`} {
		f.Add([]byte(seed))
	}
	m := choosers{everyKeeper()}.Methods()[0]
	f.Fuzz(func(t *testing.T, body []byte) {
		if rpc.CheckText(body) != nil {
			return
		}
		result, err := m.Named(t.Context(), body, rpc.Rules{})
		if err == nil {
			require.NotEmpty(t, result)
			return
		}
		var param *rpc.ParamError
		require.ErrorAs(t, err, &param)
		var fault wire.Fault
		require.ErrorAs(t, wire.Describe(nil, param), &fault)
		require.NotEmpty(t, fault.Serde)
	})
}

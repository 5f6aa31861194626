package activate_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/mmrpc"
	"obverse/core/mmrpc/activate"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/servertest"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
)

// TestPathOfOneKey checks that an address for which a node with a single key has no key is
// refused, while an HD wallet accepts it.
func TestPathOfOneKey(t *testing.T) {
	const path = `,"path_to_address":{"account_id":0,"chain":"External","address_id":5}`
	for _, f := range families() {
		b, active := f.bench(t)
		status, reply := b.Ask(t, f.request(`"mm2":1`+path))
		require.Equal(t, 500, status)
		require.Contains(t, reply, `"error_type":"UnexpectedDerivationMethod","error_data":"ExpectedHDWallet"`)
		require.Empty(t, active.List())
		status, reply = b.Ask(t, f.request(`"priv_key_policy":{"type":"SessionWallet","data":"ab"}`+path))
		require.Equal(t, 200, status, reply)
	}
	b := servertest.NewChainsBench(t)
	b.Activator.HD = true
	status, reply := b.Ask(t, servertest.EnablingIris(`[]`, path))
	require.Equal(t, 200, status, reply)
}

// spelling is a way to select a policy in a request, with the selected policy.
type spelling struct {
	members string // members in addition to the ticker
	want    key.Policy
}

// spellings returns all spellings that clients are known to use, in either parameter.
func spellings() (all []spelling) {
	topic := key.SessionWallet{Topic: "ab"}
	for _, form := range []struct {
		text string
		want key.Policy
	}{
		{`"ContextPrivKey"`, key.ContextPrivKey{}},
		{`{"type":"ContextPrivKey"}`, key.ContextPrivKey{}},
		{`{"type":"ContextPrivKey","data":null}`, key.ContextPrivKey{}},
		{`{"type":"SessionWallet","data":"ab"}`, topic},
		{`{"type":"WalletConnect","data":"ab"}`, topic},
		{`{"type":"WalletConnect","params":"ab"}`, topic},
		{`{"type":"WalletConnect","params":{"session_topic":"ab"}}`, topic},
		{`{"type":"WalletConnect","data":{"session_topic":"ab"}}`, topic},
		{`{"type":"WalletConnect","session_topic":"ab"}`, topic},
		{`{"type":"SessionWallet","session_topic":"ab","params":null}`, topic},
		{`{"WalletConnect":{"session_topic":"ab"}}`, topic},
		{`{"SessionWallet":"ab"}`, topic},
	} {
		all = append(all, spelling{`"priv_key_policy":` + form.text, form.want}, spelling{`"activation_params":{"priv_key_policy":` + form.text + `}`, form.want})
		if strings.HasPrefix(form.text, `{"type"`) {
			all = append(all, spelling{`"activation_params":` + form.text, form.want})
		}
	}
	return append(all, spelling{`"priv_key_policy":null`, key.ContextPrivKey{}}, spelling{`"activation_params":null`, key.ContextPrivKey{}})
}

// nameless returns values of activation_params that do not select a known policy.
func nameless() []string {
	return []string{
		`{}`, `{"priv_key_policy":null}`, `{"type":null,"params":null,"priv_key_policy":null}`, `{"with_pubkey":{"key":"02ab"}}`, `{"foo":1}`,
		`{"policy":"Trezor"}`, `{"WithPubkey":{"pubkey":{}}}`, `{"session_topic":"ab"}`, `{"data":"ab"}`, `{"params":{"session_topic":"ab"}}`,
		`{"type":"Iguana"}`, `{"type":""}`, `{"type":"contextprivkey"}`, `{"priv_key_policy":{}}`, `{"priv_key_policy":{"type":null}}`, `{"priv_key_policy":""}`,
		`{"priv_key_policy":{"type":"Iguana"}}`, `{"priv_key_policy":{"session_topic":"ab"}}`, `{"priv_key_policy":{"Trezor":{}}}`, `[]`, `"Trezor"`, `0`, `false`,
	}
}

// family is a method that activates platforms of one kind.
type family struct {
	name, ticker string
	bench        func(*testing.T) (*servertest.CoinsBench, *coin.Active)
	request      func(members string) string
}

func families() []family {
	return []family{
		{"Tendermint", "IRIS", func(t *testing.T) (*servertest.CoinsBench, *coin.Active) {
			b := servertest.NewChainsBench(t)
			b.Server = mmrpc.New(mmrpc.Options{Password: mmrpc.NewPassword(mmrpctest.Userpass), Now: b.Activator.Now}, activate.Cosmos{Activator: b.Activator}, activate.Coins{Active: b.Active})
			return b.CoinsBench, b.Active
		}, func(members string) string { return servertest.EnablingIris(`[]`, `,`+members) }},
		{"EVM", "ETH", func(t *testing.T) (*servertest.CoinsBench, *coin.Active) {
			b := servertest.NewEthBench(t)
			b.Server = mmrpc.New(mmrpc.Options{Password: mmrpc.NewPassword(mmrpctest.Userpass), Now: b.Activator.Now}, activate.Eth{Activator: b.Activator}, activate.Coins{Active: b.Active})
			return b.CoinsBench, b.Active
		}, func(members string) string { return servertest.EnablingEth(`],` + members) }},
	}
}

// TestEveryPolicySpelling checks that every family accepts every spelling, and uses the
// selected key.
func TestEveryPolicySpelling(t *testing.T) {
	for _, f := range families() {
		for _, s := range spellings() {
			t.Run(f.name+" "+s.members, func(t *testing.T) {
				b, active := f.bench(t)
				status, reply := b.Ask(t, f.request(s.members))
				require.Equal(t, 200, status, reply)
				platform, err := active.Get(f.ticker)
				require.NoError(t, err)
				require.Equal(t, s.want, platform.(coin.Keyed).Policy())
			})
		}
	}
}

// TestNamelessPolicy checks that the node's own key is not used for a request with an unknown
// policy.
func TestNamelessPolicy(t *testing.T) {
	for _, f := range families() {
		b, active := f.bench(t)
		for _, object := range nameless() {
			t.Run(f.name+" "+object, func(t *testing.T) {
				status, reply := b.Ask(t, f.request(`"activation_params":`+object))
				require.Equal(t, 400, status, reply)
				require.Contains(t, reply, `"error_type":"InvalidRequest"`)
				require.Empty(t, active.List())
				if strings.HasPrefix(object, "{") && !strings.Contains(object, "Iguana") {
					for _, name := range key.PolicyNames() {
						require.True(t, strings.Contains(reply, string(name)) || strings.Contains(reply, "the name of a policy"), reply)
					}
				}
			})
		}
		_, reply := b.Ask(t, f.request(`"activation_params":{}`))
		require.Contains(t, reply, `"error_data":"missing field `+"`type`"+`"`)
		require.Contains(t, reply, `as {\"type\": NAME, \"params\": DATA} or {\"priv_key_policy\": NAME}`)
	}
}

// TestPassivePlatformKeepsItsPolicy checks that a platform that is only active for its tokens
// is not enabled by a request for another key.
func TestPassivePlatformKeepsItsPolicy(t *testing.T) {
	const session = `"priv_key_policy":{"type":"SessionWallet","data":"ab"}`
	for _, c := range []struct {
		family
		token string
	}{
		{families()[0], mmrpctest.Request("enable_tendermint_token", `{"ticker":"ATOM-IBC_IRIS","activation_params":{}}`)},
		{families()[1], mmrpctest.Request("enable_erc20", `{"ticker":"BAT-ERC20","activation_params":{}}`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, active := c.bench(t)
			for _, body := range []string{c.request(`"mm2":1`), c.token, mmrpctest.Request("disable_coin", `{"coin":"`+c.ticker+`"}`)} {
				status, reply := b.Ask(t, body)
				require.Equal(t, 200, status, reply)
			}
			status, reply := b.Ask(t, c.request(session))
			require.Equal(t, 400, status, reply)
			text := "priv_key_policy is SessionWallet, but " + c.ticker + " is activated with ContextPrivKey"
			require.Equal(t, text, mmrpctest.TextOf(t, reply, "error_data"))
			_, err := active.Get(c.ticker)
			require.ErrorIs(t, err, coin.ErrNotActive)
			status, reply = b.Ask(t, c.request(`"mm2":1`))
			require.Equal(t, 200, status, reply)
		})
	}
}

// TestPolicyOfToken checks that a token has the key of its platform. Clients name the default
// policy for every token.
func TestPolicyOfToken(t *testing.T) {
	cosmos, eth := families()[0], families()[1]
	iris := func(policy string) string {
		return mmrpctest.Request("enable_tendermint_token", `{"ticker":"ATOM-IBC_IRIS","activation_params":{"requires_notarization":false,"mode":{"rpc":"Native"},"priv_key_policy":`+policy+`}}`)
	}
	bat := func(policy string) string {
		return mmrpctest.Request("enable_erc20", `{"ticker":"BAT-ERC20","activation_params":{"priv_key_policy":`+policy+`}}`)
	}
	const session = `{"type":"SessionWallet","data":"ab"}`
	for _, c := range []struct {
		family
		token            func(string) string
		platform, policy string
		status           int
	}{
		{cosmos, iris, `"ContextPrivKey"`, `"ContextPrivKey"`, 200},
		{cosmos, iris, `"ContextPrivKey"`, `null`, 200},
		{cosmos, iris, session, `"ContextPrivKey"`, 200},
		{cosmos, iris, session, session, 200},
		{cosmos, iris, session, `"WalletConnect"`, 200},
		{cosmos, iris, session, `{"type":"WalletConnect","session_topic":"another"}`, 400},
		{cosmos, iris, `"ContextPrivKey"`, `"Trezor"`, 400},
		{cosmos, iris, `"ContextPrivKey"`, `"Iguana"`, 400},
		{cosmos, iris, `"ContextPrivKey"`, `{}`, 400},
		{eth, bat, `"ContextPrivKey"`, `{"type":"ContextPrivKey"}`, 200},
		{eth, bat, session, `{"type":"ContextPrivKey"}`, 200},
		{eth, bat, session, `{"type":"WalletConnect","session_topic":"ab"}`, 200},
		{eth, bat, `"ContextPrivKey"`, `{"type":"Metamask"}`, 400},
		{eth, bat, `"ContextPrivKey"`, `{"type":"None"}`, 400},
	} {
		t.Run(fmt.Sprint(c.name, c.platform, c.policy), func(t *testing.T) {
			b, active := c.bench(t)
			status, reply := b.Ask(t, c.request(`"priv_key_policy":`+c.platform))
			require.Equal(t, 200, status, reply)
			status, reply = b.Ask(t, c.token(c.policy))
			require.Equal(t, c.status, status, reply)
			require.Len(t, active.List(), map[int]int{200: 2, 400: 1}[c.status])
			if status == 400 {
				require.Contains(t, reply, `"error_type":"InvalidRequest"`)
				require.Contains(t, reply, `activation_params.priv_key_policy`)
			}
		})
	}
}

// maker generates random parameters from the words used in policies.
type maker struct{ *rand.Rand }

func (m maker) word() string {
	words := []string{"ContextPrivKey", "HardwareWallet", "Trezor", "Metamask", "Keplr", "WalletConnect", "SessionWallet", "WithPubkey", "type", "data", "params",
		"priv_key_policy", "session_topic", "pubkey", "value", "is_ledger_connection", "secp256k1", "", "contextPrivKey", "Iguana", "ab", "activation_params"}
	return words[m.IntN(len(words))]
}

func (m maker) value(depth int) string {
	n := m.IntN(10)
	if depth == 0 {
		n %= 5
	}
	switch n {
	case 0, 1, 2:
		return `"` + m.word() + `"`
	case 3:
		return []string{"null", "true", "0", "[]", "{}", "1e9", "[1,2]"}[m.IntN(7)]
	case 4:
		return "null"
	}
	var members []string
	names := map[string]bool{}
	for range m.IntN(4) {
		if name := m.word(); !names[name] || m.IntN(20) == 0 {
			names[name] = true
			members = append(members, `"`+name+`":`+m.value(depth-1))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// TestWildPolicies checks random requests: the node's own key must only be used if every given
// parameter selects it.
func TestWildPolicies(t *testing.T) {
	method := choosers{everyKeeper()}.Methods()[0]
	taken := map[string]int{}
	seeds := uint64(40_000)
	if testing.Short() {
		seeds = 4_000
	}
	for seed := range seeds {
		m := maker{rand.New(rand.NewPCG(seed, 1))}
		given := map[string]string{"priv_key_policy": "null", "activation_params": "null"}
		for _, name := range []string{"priv_key_policy", "activation_params"} {
			if m.IntN(3) > 0 {
				given[name] = m.value(3)
			}
		}
		body := `{"ticker":"IRIS","priv_key_policy":` + given["priv_key_policy"] + `,"activation_params":` + given["activation_params"] + `}`
		result, err := method.Named(t.Context(), json.RawMessage(body), rpc.Rules{})
		if err != nil {
			var param *rpc.ParamError
			require.ErrorAs(t, err, &param, body)
			continue
		}
		name, _, _ := strings.Cut(result.(string), " ")
		taken[name]++
		if name != string(key.NameContextPrivKey) {
			continue
		}
		for _, text := range given {
			require.True(t, text == "null" || strings.Contains(text, `"ContextPrivKey"`), body)
		}
	}
	t.Logf("%d seeds: %v", seeds, taken)
	require.Greater(t, len(taken), 3, "the words are well mixed: %v", taken)
}

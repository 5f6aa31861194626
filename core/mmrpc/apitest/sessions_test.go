package apitest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core"
	"obverse/core/net/fetch"
	"obverse/core/rpc"
	"obverse/core/store"
	"obverse/core/wallet/cosmos/nodetest"
	evmtest "obverse/core/wallet/evm/nodetest"
	"obverse/core/wallet/signer/walletconnect/walletconnecttest"
	"obverse/core/wallet/signer/walletconnect/wire"
)

const (
	sessionChain   = "cosmos:cosmoshub-4"
	sessionNetwork = "eip155:1"
	// everything lists what wallets are asked to permit.
	everything = `{"cosmos":{"chains":["cosmos:cosmoshub-4"],"methods":["cosmos_getAccounts","cosmos_signDirect","cosmos_signAmino"],"events":[]},` +
		`"eip155":{"chains":["eip155:1"],"methods":["eth_sendTransaction","personal_sign"],"events":["accountsChanged"]}}`
)

// relayOnly is a dialer that can only reach a relay.
type relayOnly struct{ *walletconnecttest.Relay }

func (r relayOnly) Dial(ctx context.Context, q fetch.Request) (fetch.Socket, error) {
	if !strings.HasPrefix(q.URL, "wss://relay.walletconnect.org/") {
		return nil, fetch.ErrRequest
	}
	return r.Relay.Dial(ctx, q)
}

// paired is a node and a wallet, connected by a relay.
type paired struct {
	t      *testing.T
	node   *core.Node
	relay  *walletconnecttest.Relay
	wallet *walletconnecttest.Wallet
	signer *walletconnecttest.Signer
	hub    *nodetest.Node
	eth    *evmtest.Node
	kv     store.KV
	ahead  atomic.Int64 // difference between the node's clock and the real one
	stop   func()
	app    string               // the setting walletconnect.app_url
	reach  func(*core.Platform) // configures what else the node reaches; nil if nothing
}

// newPaired starts a node with a passphrase, which may be empty.
func newPaired(t *testing.T, passphrase string) *paired {
	t.Helper()
	p := &paired{t: t, relay: &walletconnecttest.Relay{}, kv: memoryStore(t), signer: walletconnecttest.NewSigner(t, "tendermint test seed")}
	p.hub = nodetest.Open(t, filepath.Join("..", "..", "wallet", "cosmos", "testdata"), "gaiad")
	p.hub.OnChain("cosmoshub-4")
	p.eth = evmtest.New(1, 100)
	p.eth.Give(p.signer.EVM(), "2000000000000000000")
	p.signer.Take = p.eth.Take
	p.wallet = walletconnecttest.NewWallet(t, p.relay, "wss://relay.walletconnect.org")
	p.wallet.Answer = p.signer.Answer
	p.start(passphrase)
	return p
}

// start starts a node with the store, for the first time or again.
func (p *paired) start(passphrase string) {
	p.t.Helper()
	network := nodetest.NewNet()
	network.Set(hubURL, nodetest.Well(p.hub))
	network.Set(ethURL, p.eth.Well)
	c, platform := settingsOf(passphrase), core.Platform{Fetch: network, Dial: relayOnly{p.relay}, Store: p.kv, Random: rand.Reader, Log: testLog{p.t},
		Now: func() time.Time { return time.Now().Add(time.Duration(p.ahead.Load())) }, ChainOnDemand: true}
	c.WalletConnect.AppURL = p.app
	c.WalletConnect.ProjectID = strings.Repeat("0", 32)
	if p.reach != nil {
		p.reach(&platform)
	}
	n, err := core.New(p.t.Context(), *c, platform)
	require.NoError(p.t, err)
	p.node = n
	stop := run(p.t, n)
	p.stop = sync.OnceFunc(func() {
		stop()
		n.Close()
	})
	p.t.Cleanup(p.stop)
}

// call returns the result of a method, or the complete answer if the method fails.
func (p *paired) call(method, params string) (int, map[string]any) {
	p.t.Helper()
	body := `{"mmrpc":"2.0","userpass":"` + statesUser + `","method":"` + method + `","params":` + params + `}`
	status, reply := p.node.RPC(p.t.Context(), rpc.Caller{Local: true}, []byte(body))
	var answer map[string]any
	require.NoError(p.t, json.Unmarshal(reply, &answer), "%s", reply)
	if status != http.StatusOK {
		return status, answer
	}
	result, is := answer["result"].(map[string]any)
	require.True(p.t, is, "%s", reply)
	return status, result
}

// do calls a method, which must succeed.
func (p *paired) do(method, params string) map[string]any {
	p.t.Helper()
	status, result := p.call(method, params)
	require.Equal(p.t, http.StatusOK, status, result)
	return result
}

// refuse calls a method, which must fail.
func (p *paired) refuse(method, params string, status int, kind, text string) {
	p.t.Helper()
	got, answer := p.call(method, params)
	require.Equal(p.t, status, got, answer)
	require.Equal(p.t, kind, answer["error_type"])
	require.Contains(p.t, answer["error"], text)
}

// accounts returns the namespaces that the wallet approves, with the given methods for Cosmos.
func (p *paired) accounts(methods string) string {
	return `{"cosmos":{"methods":[` + methods + `],"events":[],"accounts":["` + sessionChain + ":" + p.signer.Cosmos("cosmos") + `"]},` +
		`"eip155":{"methods":["eth_sendTransaction","personal_sign"],"events":["accountsChanged"],"accounts":["` + sessionNetwork + ":" + p.signer.EVM() + `"]}}`
}

// TestPageThatWalletsShow checks that the wallet receives the page named in the config, or else
// localhost.
func TestPageThatWalletsShow(t *testing.T) {
	p := newPaired(t, "")
	for set, want := range map[string]string{"": "http://localhost", "https://wallet.example": "https://wallet.example"} {
		p.stop()
		p.app = set
		p.start("")
		made := p.do("wc_new_connection", `{"required_namespaces":{},"optional_namespaces":`+everything+`}`)
		p.wallet.Pair(t, made["url"].(string))
		proposal := p.wallet.NextProposal(t)
		require.Equal(t, wire.Metadata{Name: "Obverse", Description: "Obverse wallet node", URL: want, Icons: []string{}}, proposal.Proposer.Metadata)
	}
}

const allMethods = `"cosmos_getAccounts","cosmos_signDirect","cosmos_signAmino"`

// connect creates a session for which the wallet approves the given namespaces.
func (p *paired) connect(namespaces string) (topic string, k wire.SymKey) {
	p.t.Helper()
	made := p.do("wc_new_connection", `{"required_namespaces":{},"optional_namespaces":`+everything+`}`)
	require.Equal(p.t, made["url"], made["uri"])
	p.wallet.Pair(p.t, made["url"].(string))
	k = p.wallet.Approve(p.t, p.wallet.NextProposal(p.t), namespaces, nil)
	p.settled(k)
	found := p.do("wc_get_session", `{"topic":"`+made["pairing_topic"].(string)+`","with_pairing_topic":true}`)["session"]
	require.Equal(p.t, k.Topic(), found.(map[string]any)["topic"])
	return k.Topic(), k
}

// settled waits until the node has the session.
func (p *paired) settled(k wire.SymKey) {
	p.t.Helper()
	p.wallet.Next(p.t, func(m walletconnecttest.Message) bool { return m.Topic == k.Topic() && string(m.Result) == "true" })
}

func enableHub(whose string) string {
	return `{"ticker":"ATOM","tokens_params":[],"nodes":[{"url":"` + hubURL + `"}],` + whose + `}`
}

// spellings returns the ways to select a session.
func spellings(topic string) map[string]string {
	return map[string]string{
		"data":            `"activation_params":{"priv_key_policy":{"type":"SessionWallet","data":"` + topic + `"}}`,
		"upstream's":      `"activation_params":{"type":"WalletConnect","params":{"session_topic":"` + topic + `"}}`,
		"flat":            `"priv_key_policy":{"type":"WalletConnect","session_topic":"` + topic + `"}`,
		"tagged":          `"priv_key_policy":{"WalletConnect":{"session_topic":"` + topic + `"}}`,
		"tagged, our own": `"activation_params":{"priv_key_policy":{"SessionWallet":"` + topic + `"}}`,
		"bare and data":   `"priv_key_policy":"SessionWallet","activation_params":{"priv_key_policy":{"type":"SessionWallet","data":"` + topic + `"}}`,
	}
}

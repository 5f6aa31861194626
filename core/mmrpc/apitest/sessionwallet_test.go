package apitest

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/signer/walletconnect/walletconnecttest"
	"obverse/core/wallet/signer/walletconnect/wire"
)

const sendHub = `{"coin":"ATOM","to":"` + walletAddress + `","amount":"0.5"}`

// TestSessionWallets uses both families with one session, on a node without a passphrase.
func TestSessionWallets(t *testing.T) {
	p := newPaired(t, "")
	topic, _ := p.connect(p.accounts(allMethods))
	for name, whose := range spellings(topic) {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, p.signer.Cosmos("cosmos"), p.do("enable_tendermint_with_assets", enableHub(whose))["address"])
			require.Equal(t, []string{"cosmos_getAccounts"}, p.signer.Methods())
			require.Equal(t, "1000.000003", p.do("my_balance", `{"coin":"ATOM"}`)["balance"])
			require.Empty(t, p.signer.Methods())
			signed := p.do("withdraw", sendHub)
			require.Equal(t, []string{"cosmos_signDirect"}, p.signer.Methods())
			require.Equal(t, signed["tx_hash"], p.do("send_raw_transaction", `{"coin":"ATOM","tx_hex":"`+signed["tx_hex"].(string)+`"}`)["tx_hash"])
			p.prove("ATOM", p.signer.Cosmos("cosmos"))
			require.Equal(t, []string{"cosmos_signAmino"}, p.signer.Methods())
			p.do("disable_coin", `{"coin":"ATOM"}`)

			require.Contains(t, p.do("enable_eth_with_tokens", enableEVM(whose))["eth_addresses_infos"], p.signer.EVM())
			p.refuse("withdraw", `{"coin":"ETH","to":"`+evmReceiver+`","amount":"0.5"}`, 400, "BroadcastExpected", "")
			require.Empty(t, p.signer.Methods(), "the session names the account")
			sent := p.do("withdraw", sendByEVM)
			require.NotEmpty(t, sent["tx_hex"], "the network knows what the wallet sent")
			require.Equal(t, []string{"eth_sendTransaction"}, p.signer.Methods())
			p.prove("ETH", p.signer.EVM())
			require.Equal(t, []string{"personal_sign"}, p.signer.Methods())
			p.do("disable_coin", `{"coin":"ETH"}`)
		})
	}
}

// prove signs a text and verifies the signature.
func (p *paired) prove(ticker, address string) {
	p.t.Helper()
	signed := p.do("sign_message", `{"coin":"`+ticker+`","message":"hello"}`)
	proof, err := json.Marshal(map[string]any{"coin": ticker, "message": "hello", "address": address, "signature": signed["signature"]})
	require.NoError(p.t, err)
	require.Equal(p.t, true, p.do("verify_message", string(proof))["is_valid"])
}

// TestSessionsThatAllowLess checks that a wallet that supports only amino JSON signs amino
// JSON, and that the error for a wallet with fewer permissions names the missing one.
func TestSessionsThatAllowLess(t *testing.T) {
	p := newPaired(t, "")
	topic, _ := p.connect(p.accounts(`"cosmos_getAccounts","cosmos_signAmino"`))
	p.do("enable_tendermint_with_assets", enableHub(spellings(topic)["data"]))
	p.do("withdraw", sendHub)
	require.Equal(t, []string{"cosmos_getAccounts", "cosmos_signAmino"}, p.signer.Methods())
	p.do("disable_coin", `{"coin":"ATOM"}`)

	topic, _ = p.connect(p.accounts(`"cosmos_getAccounts","cosmos_signDirect"`))
	p.do("enable_tendermint_with_assets", enableHub(spellings(topic)["data"]))
	p.do("withdraw", sendHub)
	p.refuse("sign_message", `{"coin":"ATOM","message":"hello"}`, 400, "WalletRefused", `method "cosmos_signAmino" on chain cosmos:cosmoshub-4: pair the wallet again, with this method`)
	p.do("disable_coin", `{"coin":"ATOM"}`)

	topic, _ = p.connect(p.accounts(`"cosmos_signDirect"`))
	p.refuse("enable_tendermint_with_assets", enableHub(spellings(topic)["data"]), 400, "WalletRefused", `method "cosmos_getAccounts"`)
	other := `{"cosmos":{"methods":[` + allMethods + `],"events":[],"accounts":["cosmos:irishub-1:` + p.signer.Cosmos("iaa") + `"]}}`
	topic, _ = p.connect(other)
	p.refuse("enable_tendermint_with_assets", enableHub(spellings(topic)["data"]), 400, "WalletWrongChain", `chain "cosmos:cosmoshub-4"`)
	p.refuse("enable_eth_with_tokens", enableEVM(spellings(topic)["data"]), 400, "WalletWrongChain", "no account on eip155:1")
}

func TestFaultsOfSessions(t *testing.T) {
	p := newPaired(t, "")
	topic, k := p.connect(p.accounts(allMethods))
	whose := spellings(topic)["upstream's"]
	rejected := &wire.Error{Code: 5000, Message: "User rejected."}
	p.signer.Fail(rejected)
	p.refuse("enable_tendermint_with_assets", enableHub(whose), 400, "WalletRefused", "code 5000, User rejected.")
	p.signer.Fail(nil)
	p.do("enable_tendermint_with_assets", enableHub(whose))
	p.do("enable_eth_with_tokens", enableEVM(whose))
	p.signer.Fail(rejected)
	calls := map[string]string{"ATOM": sendHub, "ETH": sendByEVM}
	for ticker, send := range calls {
		p.refuse("withdraw", send, 400, "WalletRefused", "User rejected.")
		p.refuse("sign_message", `{"coin":"`+ticker+`","message":"hello"}`, 400, "WalletRefused", "User rejected.")
	}
	p.signer.Fail(&wire.Error{Code: -32000, Message: "broken"})
	p.refuse("withdraw", sendHub, 502, "WalletFailed", "broken")
	p.signer.Fail(nil)

	p.signer.Switch("bob passphrase")
	p.refuse("withdraw", sendHub, 502, "WalletFailed", "another account")
	update, err := json.Marshal(map[string]any{"namespaces": json.RawMessage(p.accounts(allMethods))})
	require.NoError(t, err)
	p.wallet.Send(t, k, wire.Message{ID: p.wallet.NextID(), Method: wire.SessionUpdate, Params: update})
	p.settled(k)
	p.refuse("withdraw", sendHub, 409, "WalletSwitched", "it switched to account "+p.signer.Cosmos("cosmos"))
	p.refuse("withdraw", sendByEVM, 409, "WalletSwitched", "it switched to account "+p.signer.EVM())
	p.signer.Switch("tendermint test seed")
	back, err := json.Marshal(map[string]any{"namespaces": json.RawMessage(p.accounts(allMethods))})
	require.NoError(t, err)
	p.wallet.Send(t, k, wire.Message{ID: p.wallet.NextID(), Method: wire.SessionUpdate, Params: back})
	p.settled(k)

	held := make(chan struct{})
	defer close(held)
	p.signer.Hold(held)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.refuse("withdraw", sendHub, 410, "WalletGone", "the wallet ended the session: pair the wallet again (wc_new_connection)")
	}()
	p.wallet.Next(t, func(m walletconnecttest.Message) bool { return m.Method == wire.SessionRequest })
	for len(p.signer.Methods()) == 0 {
		time.Sleep(time.Millisecond)
	}
	p.wallet.Send(t, k, wire.Message{ID: p.wallet.NextID(), Method: wire.SessionDelete, Params: json.RawMessage(`{"code":6000,"message":"User disconnected."}`)})
	<-ended
	for ticker, send := range calls {
		p.refuse("withdraw", send, 404, "WalletNotFound", "expired, was deleted or never existed: pair the wallet again (wc_new_connection)")
		p.refuse("sign_message", `{"coin":"`+ticker+`","message":"hello"}`, 404, "WalletNotFound", "pair the wallet again")
	}
}

// TestSessionsAfterARestart checks that a coin is restored without its wallet, and that the
// wallet is asked when something must be signed.
func TestSessionsAfterARestart(t *testing.T) {
	for _, passphrase := range []string{"", "a passphrase of the tests"} {
		p := newPaired(t, passphrase)
		topic, _ := p.connect(p.accounts(allMethods))
		whose := spellings(topic)["data"]
		p.do("enable_tendermint_with_assets", enableHub(whose))
		p.do("enable_eth_with_tokens", enableEVM(whose))
		p.stop()
		p.signer.Methods()
		p.relay.Down(true)
		p.start(passphrase)
		for len(p.do("get_enabled_coins", `{}`)["coins"].([]any)) < 2 {
			time.Sleep(time.Millisecond)
		}
		require.Equal(t, "1000.000003", p.do("my_balance", `{"coin":"ATOM"}`)["balance"])
		require.Equal(t, "2", p.do("my_balance", `{"coin":"ETH"}`)["balance"])
		require.Len(t, p.do("wc_get_sessions", `{}`)["sessions"], 1)
		require.Empty(t, p.signer.Methods())
		p.relay.Down(false)
		p.do("withdraw", sendHub)
		p.do("withdraw", sendByEVM)
		require.Equal(t, []string{"cosmos_signDirect", "eth_sendTransaction"}, p.signer.Methods())

		p.ahead.Store(int64(8 * 24 * time.Hour))
		p.refuse("withdraw", sendHub, 404, "WalletNotFound", "expired")
		require.Empty(t, p.do("wc_get_sessions", `{}`)["sessions"])
		p.stop()
	}
}

func TestSessionMethods(t *testing.T) {
	p := newPaired(t, "")
	require.Equal(t, map[string]any{"sessions": []any{}}, p.do("wc_get_sessions", `{}`))
	require.Equal(t, map[string]any{"session": nil}, p.do("wc_get_session", `{"topic":"ab"}`))
	for _, bad := range []string{
		`{}`, `{"x y":{"chains":["cosmos:a"],"methods":[]}}`, `{"cosmos":{"methods":["cosmos_getAccounts"]}}`, `{"cosmos":{"chains":["eip155:1"],"methods":[]}}`,
	} {
		p.refuse("wc_new_connection", `{"required_namespaces":`+bad+`}`, 400, "InvalidRequest", "required_namespaces")
	}
	topic, k := p.connect(p.accounts(allMethods))
	second, _ := p.connect(p.accounts(allMethods))
	list := p.do("wc_get_sessions", `{}`)["sessions"].([]any)
	require.Len(t, list, 2)
	one := list[0].(map[string]any)
	require.Equal(t, topic, one["topic"])
	require.Equal(t, second, list[1].(map[string]any)["topic"], "clients take the last one for the new one")
	require.Equal(t, map[string]any{"name": "Test wallet", "description": "of the tests", "url": "https://wallet.example", "icons": []any{}}, one["metadata"])
	require.InDelta(t, time.Now().Add(7*24*time.Hour).Unix(), one["expiry"], 3600)
	require.Equal(t, map[string]any{"chains": []any{sessionNetwork}, "methods": []any{"eth_sendTransaction", "personal_sign"}, "events": []any{"accountsChanged"},
		"accounts": []any{sessionNetwork + ":" + p.signer.EVM()}}, one["namespaces"].(map[string]any)["eip155"])
	require.Equal(t, map[string]any{"session": one}, p.do("wc_get_session", `{"topic":"`+topic+`"}`))
	require.Equal(t, map[string]any{"session": nil}, p.do("wc_get_session", `{"topic":"`+topic+`","with_pairing_topic":true}`))
	go func() {
		ping := p.wallet.Next(t, func(m walletconnecttest.Message) bool { return m.Method == wire.SessionPing })
		p.wallet.Send(t, k, wire.Message{ID: ping.ID, Result: json.RawMessage("true")})
	}()
	require.Equal(t, map[string]any{"result": "Ping successful", "status": "success"}, p.do("wc_ping_session", `{"topic":"`+topic+`"}`))
	require.Equal(t, map[string]any{"result": "success"}, p.do("wc_delete_session", `{"topic":"`+topic+`"}`))
	p.wallet.Next(t, func(m walletconnecttest.Message) bool { return m.Method == wire.SessionDelete && m.Topic == topic })
	for _, method := range []string{"wc_ping_session", "wc_delete_session"} {
		p.refuse(method, `{"topic":"`+topic+`"}`, 500, "SessionRequestError", "no session with a wallet")
	}
	require.Len(t, p.do("wc_get_sessions", `{}`)["sessions"], 1)
}

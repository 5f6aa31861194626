package activate_test

import (
	"crypto/rand"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/mmrpc"
	"obverse/core/mmrpc/activate"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/servertest"
	"obverse/core/store/bunt"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/nodetest"
)

func TestEnableTendermintWithAssets(t *testing.T) {
	const atom = `[{"ticker":"ATOM-IBC_IRIS"}]`
	for _, c := range []struct{ name, body, want string }{
		{"with a token", servertest.EnablingIris(atom, ``), `{"ticker":"IRIS","address":"` + servertest.IrisBob + `","current_block":48,` +
			`"balance":{"spendable":"44.147264","unspendable":"0"},"tokens_balances":{"ATOM-IBC_IRIS":{"spendable":"0.028306","unspendable":"0"}}}`},
		{"without tokens", servertest.EnablingIris(`[]`, ``), `{"ticker":"IRIS","address":"` + servertest.IrisBob + `","current_block":48,` +
			`"balance":{"spendable":"44.147264","unspendable":"0"},"tokens_balances":{}}`},
		{"without balances", servertest.EnablingIris(atom, `,"get_balances":false`), `{"ticker":"IRIS","address":"` + servertest.IrisBob + `","current_block":48,` +
			`"tokens_tickers":["ATOM-IBC_IRIS"]}`},
		{"without either", servertest.EnablingIris(`[]`, `,"get_balances":false`), `{"ticker":"IRIS","address":"` + servertest.IrisBob + `","current_block":48,"tokens_tickers":[]}`},
		{"with all there is", servertest.EnablingIris(`[{"ticker":"ATOM-IBC_IRIS","required_confirmations":1}]`,
			`,"mm2":1,"priv_key_policy":"ContextPrivKey","tx_history":true,"required_confirmations":5,"requires_notarization":true,"get_balances":true,`+
				`"path_to_address":{"account_id":0,"chain":"External","address_id":0},"activation_params":{"priv_key_policy":{"type":"SessionWallet","data":"ab"}}`),
			`{"ticker":"IRIS","address":"` + servertest.IrisBob + `","current_block":48,"balance":{"spendable":"44.147264","unspendable":"0"},` +
				`"tokens_balances":{"ATOM-IBC_IRIS":{"spendable":"0.028306","unspendable":"0"}}}`},
		{"the owner of a key", servertest.EnablingIris(`[]`, `,"activation_params":{"type":"WithPubkey","params":{"pubkey":{"type":"secp256k1","value":`+
			`[2,44,211,2,26,33,151,54,31,183,11,134,44,65,43,200,228,76,255,105,81,250,29,228,92,234,191,221,155,76,82,4,32]},"is_ledger_connection":false}}`),
			`{"ticker":"IRIS","address":"` + servertest.IrisBob + `","current_block":48,"balance":{"spendable":"44.147264","unspendable":"0"},"tokens_balances":{}}`},
		{"every member of a node", mmrpctest.Request("enable_tendermint_with_assets", `{"ticker":"IRIS","tokens_params":[],"nodes":[{"url":"`+servertest.IrisURL+`","api_url":"a",`+
			`"grpc_url":"g","ws_url":"wss://w.example","gateway_proxy":false,"komodo_proxy":false}],"get_balances":false}`),
			`{"ticker":"IRIS","address":"` + servertest.IrisBob + `","current_block":48,"tokens_tickers":[]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := servertest.NewChainsBench(t)
			status, reply := b.Ask(t, c.body)
			require.Equal(t, 200, status, reply)
			require.Equal(t, `{"mmrpc":"2.0","result":`+c.want+`,"id":5}`, reply)
			status, reply = b.Ask(t, c.body)
			require.Equal(t, 400, status)
			require.Equal(t, mmrpctest.Failed("IRIS", "activation", "PlatformIsAlreadyActivated", `"IRIS"`, "5"), mmrpctest.Untraced(reply))
		})
	}
}

// TestEnableTendermintKeepsTheRequest checks that the parameters of a request are stored, and
// used to restore the coins.
func TestEnableTendermintKeepsTheRequest(t *testing.T) {
	b := servertest.NewChainsBench(t)
	identity, err := key.OpenIdentity(t.Context(), b.KV, rand.Reader)
	require.NoError(t, err)
	b.Activator.Identity = identity
	status, reply := b.Ask(t, mmrpctest.Request("enable_tendermint_with_assets", `{"ticker":"IRIS","nodes":[
		{"url":"`+servertest.IrisURL+`","ws_url":"wss://w.example","api_url":"https://a.example","grpc_url":"g.example:1"},
		{"url":"https://one.example","gateway_proxy":true},{"url":"https://two.example","komodo_proxy":true}],
		"tokens_params":[{"ticker":"ATOM-IBC_IRIS","required_confirmations":7}],"tx_history":true,"required_confirmations":5,"requires_notarization":true,
		"path_to_address":{"account_id":1,"chain":"Internal","address_id":2},"priv_key_policy":{"type":"SessionWallet","data":"ab"}}`))
	require.Equal(t, 200, status, reply)
	status, reply = b.Ask(t, mmrpctest.Request("enable_tendermint_token", `{"ticker":"OSMOSIS-IBC_IRIS","activation_params":{"required_confirmations":9}}`))
	require.Equal(t, 200, status, reply)
	b.Ask(t, servertest.EnablingHub)
	again, err := coin.Open(t.Context(), coin.Config{Store: b.KV, Restore: true})
	require.NoError(t, err)
	stored := map[string]string{}
	for _, saved := range again.Saved() {
		stored[saved.Ticker] = string(saved.Params)
	}
	require.JSONEq(t, `{"nodes":[{"url":"`+servertest.IrisURL+`","api":"https://a.example","grpc":"g.example:1","ws":"wss://w.example"},
		{"url":"https://one.example","gateway":true},{"url":"https://two.example","gateway":true}],
		"policy":{"type":"SessionWallet","topic":"ab"},"account":1,"chain":1,"address":2,"history":true,"confirmations":5,"notarization":true}`, stored["IRIS"])
	require.JSONEq(t, `{"confirmations":7}`, stored["ATOM-IBC_IRIS"])
	require.JSONEq(t, `{"confirmations":9}`, stored["OSMOSIS-IBC_IRIS"])
	require.JSONEq(t, `{"nodes":[{"url":"`+servertest.HubURL+`"}],"policy":{"type":"ContextPrivKey"},"account":0,"chain":0,"address":0,
		"history":false,"confirmations":3,"notarization":false}`, stored["ATOM"], "the defaults")
	require.JSONEq(t, `{}`, stored["IRIS-IBC_ATOM"])
}

// TestEnableTendermintFailures checks all errors in the order of the checks, and that nothing
// has changed after each of them.
func TestEnableTendermintFailures(t *testing.T) {
	enable := func(ticker, members string) string {
		return mmrpctest.Request("enable_tendermint_with_assets", `{"ticker":"`+ticker+`","tokens_params":[],"nodes":[{"url":"`+servertest.HubURL+`"}]`+members+`}`)
	}
	bare := func(members string) string { return mmrpctest.Request("enable_tendermint_with_assets", members) }
	with := func(token string) string {
		return bare(`{"ticker":"ATOM","tokens_params":[{"ticker":"` + token + `"}],"nodes":[{"url":"` + servertest.HubURL + `"}]}`)
	}
	creation := func(reason, path string) string {
		return mmrpctest.Failed("Error on platform coin ATOM creation: "+reason, path, "PlatformCoinCreationError", `{"ticker":"ATOM","error":`+mmrpctest.Quote(reason)+`}`, "5")
	}
	missing := func(name string) string {
		return `"error_type":"InvalidRequest","error_data":"missing field ` + "`" + name + "`" + `","id":5}`
	}
	const (
		null = "invalid type: null, expected adjacently tagged enum CoinProtocol"
		none = "HardwareWallet is not available on this node, which has: ContextPrivKey, SessionWallet, WithPubkey"
		dead = "All the current rpc nodes are unavailable. (https://dead.example: unreachable: no such host; " +
			"https://iris.example: chain id is \\\"irishub-1\\\", want \\\"cosmoshub-4\\\")"
	)
	for _, c := range []struct {
		name, body string
		status     int
		want       string // end of the answer
	}{
		{"no params", mmrpctest.Request("enable_tendermint_with_assets", `null`), 400, `"error_data":"invalid type: null, expected struct EnableTendermintWithAssetsParams","id":5}`},
		{"no ticker", bare(`{"tokens_params":[],"nodes":[]}`), 400, missing("ticker")},
		{"no tokens_params", bare(`{"ticker":"ATOM","nodes":[]}`), 400, missing("tokens_params")},
		{"no nodes", bare(`{"ticker":"ATOM","tokens_params":[]}`), 400, missing("nodes")},
		{"a node without URL", bare(`{"ticker":"ATOM","tokens_params":[],"nodes":[{}]}`), 400, missing("url")},
		{"a node that is a text", bare(`{"ticker":"ATOM","tokens_params":[],"nodes":["x"]}`), 400, `"error_type":"InvalidRequest","error_data":"invalid type: string \"x\", expected an object","id":5}`},
		{"invalid tx_history", enable("ATOM", `,"tx_history":"yes"`), 400, `"error_data":"invalid type: string \"yes\", expected true or false","id":5}`},
		{"confirmations below 0", enable("ATOM", `,"required_confirmations":-1`), 400, `"error_type":"InvalidRequest","error_data":"invalid value: integer ` + "`-1`" + `, expected a whole number from 0 to 18446744073709551615","id":5}`},
		{"unknown policy", enable("ATOM", `,"priv_key_policy":"Paper"`), 400, `, expected one of ` + "`ContextPrivKey`, `HardwareWallet`, `BrowserWallet`, `SessionWallet`, `WithPubkey`" + `","id":5}`},
		{"two policies", enable("ATOM", `,"priv_key_policy":"HardwareWallet","activation_params":{"priv_key_policy":{"type":"SessionWallet","data":"ab"}}`), 400,
			`"error_type":"InvalidRequest","error_data":"priv_key_policy is HardwareWallet, but activation_params say SessionWallet","id":5}`},
		{"a chain of a path", enable("ATOM", `,"path_to_address":{"chain":"Middle"}`), 400, "\"unknown variant `Middle`, expected one of `External`, `Internal`\",\"id\":5}"},
		{"no such platform", enable("XYZ", ``), 400,
			mmrpctest.Failed("Platform XYZ config is not found", "activation", "PlatformConfigIsNotFound", `"XYZ"`, "5")},
		{"platform without protocol", enable("NONE", ``), 500,
			mmrpctest.Failed("Platform coin NONE protocol parsing failed: "+null, "activation", "CoinProtocolParseError", `{"ticker":"NONE","error":`+mmrpctest.Quote(null)+`}`, "5")},
		{"platform of another protocol", enable("KMD", ``), 400,
			mmrpctest.Failed(`Unexpected platform protocol {"type":"UTXO"} for KMD`, "activation", "UnexpectedPlatformProtocol", `{"ticker":"KMD","protocol":{"type":"UTXO"}}`, "5")},
		{"not marked as working", enable("SAYS-NOTHING", ``), 400, missing("mm2")},
		{"the request says that it does not", enable("ATOM", `,"mm2":0`), 500, `"error_data":{"ticker":"ATOM","error":"mm2 is 0: the coin is not expected to work"},"id":5}`},
		{"no time of blocks", enable("SAYS-NOTHING", `,"mm2":1`), 500, `"error_data":{"ticker":"SAYS-NOTHING","error":"avg_blocktime is missing in coin configuration"},"id":5}`},
		{"no such wallet", enable("ATOM", `,"priv_key_policy":"HardwareWallet"`), 500, mmrpctest.Failed("Private key is not allowed: "+none, "policy", "PrivKeyNotAllowed", mmrpctest.Quote(none), "5")},
		{"an empty list of nodes", bare(`{"ticker":"ATOM","tokens_params":[{"ticker":"GALT"}],"nodes":[]}`), 500, `"error_type":"PlatformCoinCreationError","error_data":{"ticker":"ATOM","error":"EmptyRpcUrls"},"id":5}`},
		{"invalid URL", bare(`{"ticker":"ATOM","tokens_params":[{"ticker":"GALT"}],"nodes":[{"url":"nowhere"}]}`), 500,
			creation("Url nowhere is invalid, got error its scheme is not http or https", "activation")},
		{"no such token", with("GALT"), 400, mmrpctest.Failed("Token GALT config is not found", "activation", "TokenConfigIsNotFound", `"GALT"`, "5")},
		{"token without protocol", with("NONE"), 500,
			mmrpctest.Failed("Token NONE protocol parsing failed: "+null, "activation", "TokenProtocolParseError", `{"ticker":"NONE","error":`+mmrpctest.Quote(null)+`}`, "5")},
		{"not a token", with("KMD"), 400,
			mmrpctest.Failed(`Unexpected token protocol {"type":"UTXO"} for KMD`, "activation", "UnexpectedTokenProtocol", `{"ticker":"KMD","protocol":{"type":"UTXO"}}`, "5")},
		{"token of another platform", with("ATOM-IBC_IRIS"), 400, `"error_type":"UnexpectedTokenProtocol","error_data":{"ticker":"ATOM-IBC_IRIS","protocol":{"type":"TENDERMINTTOKEN",` +
			`"protocol_data":{"platform":"IRIS","decimals":6,"denom":"` + servertest.Voucher + `","gas_price":0.5}}},"id":5}`},
		{"nodes that cannot be used", bare(`{"ticker":"ATOM","tokens_params":[],"nodes":[{"url":"https://u:secret@dead.example/?key=secret"},{"url":"` + servertest.IrisURL + `"}]}`), 502,
			`"error_type":"Transport","error_data":"` + dead + `","id":5}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := servertest.NewChainsBench(t)
			status, reply := b.Ask(t, c.body)
			require.Equal(t, c.status, status, reply)
			require.True(t, strings.HasSuffix(mmrpctest.Untraced(reply), c.want), "%s\n%s", mmrpctest.Untraced(reply), c.want)
			require.NotContains(t, reply, "secret")
			require.Empty(t, b.Active.List(), "nothing has changed")
			require.Empty(t, b.Active.Saved())
		})
	}
}

func TestEnableTendermintThatIsDisabled(t *testing.T) {
	kv, err := bunt.Open(bunt.Memory) // opened outside the bubble because buntdb has a goroutine
	require.NoError(t, err)
	defer kv.Close()
	synctest.Test(t, func(t *testing.T) {
		active, err := coin.Open(t.Context(), coin.Config{Store: kv})
		require.NoError(t, err)
		network := nodetest.NewNet()
		network.Set(servertest.HubURL, nodetest.Hangs)
		server := mmrpc.New(mmrpc.Options{Password: mmrpc.NewPassword(mmrpctest.Userpass), Now: time.Now},
			activate.Cosmos{Activator: servertest.NewCosmosActivator(t, kv, active, network)}, activate.Coins{Active: active})
		began := time.Now()
		var group sync.WaitGroup
		group.Go(func() {
			status, reply := server.Serve(t.Context(), mmrpctest.Here, []byte(mmrpctest.Request("enable_tendermint_with_assets",
				`{"ticker":"ATOM","tokens_params":[],"nodes":[{"url":"`+servertest.HubURL+`"}]}`)))
			require.Equal(t, 500, status)
			require.Contains(t, string(reply), `"error":"Internal error: cancelled: the coin was disabled"`)
			require.Contains(t, string(reply), `"error_type":"InternalError","error_data":"cancelled: the coin was disabled"`)
		})
		synctest.Wait()
		status, reply := server.Serve(t.Context(), mmrpctest.Here, []byte(mmrpctest.Request("disable_coin", `{"coin":"ATOM"}`)))
		require.Equal(t, 404, status, "%s", reply)
		group.Wait()
		require.Equal(t, began, time.Now(), "no caller waited")
		require.Empty(t, active.List())
	})
}

func TestEnableTendermintToken(t *testing.T) {
	token := func(ticker, members string) string {
		return mmrpctest.Request("enable_tendermint_token", `{"ticker":"`+ticker+`"`+members+`}`)
	}
	b := servertest.NewChainsBench(t)
	status, reply := b.Ask(t, token("ATOM-IBC_IRIS", `,"activation_params":{}`))
	require.Equal(t, 400, status)
	require.Equal(t, mmrpctest.Failed("Platform coin IRIS is not activated", "activation", "PlatformCoinIsNotActivated", `"IRIS"`, "5"), mmrpctest.Untraced(reply))
	_, reply = b.Ask(t, servertest.EnablingIris(`[]`, ``))
	require.Contains(t, reply, `"tokens_balances":{}`)
	b.Net.Set(servertest.IrisURL, nodetest.Dead)
	status, reply = b.Ask(t, token("ATOM-IBC_IRIS", `,"activation_params":{}`))
	require.Equal(t, 500, status)
	const dead = "Transport: All the current rpc nodes are unavailable. (https://iris.example: unreachable: connection refused)"
	require.True(t, strings.HasSuffix(reply, `"error_type":"CouldNotFetchBalance","error_data":"`+dead+`","id":5}`), reply)
	require.Contains(t, reply, `{"mmrpc":"2.0","error":"`+dead+`",`)
	require.Len(t, b.Active.List(), 1)

	b.Net.Set(servertest.IrisURL, nodetest.Well(b.Iris))
	status, reply = b.Ask(t, token("ATOM-IBC_IRIS", `,"activation_params":{"required_confirmations":3}`))
	require.Equal(t, 200, status, reply)
	require.Equal(t, `{"mmrpc":"2.0","result":{"balances":{"`+servertest.IrisBob+`":{"spendable":"0.028306","unspendable":"0"}},"platform_coin":"IRIS"},"id":5}`, reply)
	status, reply = b.Ask(t, token("ATOM-IBC_IRIS", ``))
	require.Equal(t, 400, status)
	require.Equal(t, mmrpctest.Failed("Token ATOM-IBC_IRIS is already activated", "activation", "TokenIsAlreadyActivated", `"ATOM-IBC_IRIS"`, "5"), mmrpctest.Untraced(reply))

	b.Add(t, &servertest.BareCoin{Symbol: "KMD"})
	for _, c := range []struct {
		body   string
		status int
		want   string
	}{
		{token("GALT", ``), 400, `"error_type":"TokenConfigIsNotFound","error_data":"GALT","id":5}`},
		{token("NONE", ``), 500, `"error":"invalid type: null, expected adjacently tagged enum CoinProtocol"},"id":5}`},
		{token("ATOM", ``), 400, `"id":5}`},
		{token("TOKEN-OF-KMD", ``), 500, `"error_type":"UnsupportedPlatformCoin","error_data":{"platform_coin_ticker":"KMD","token_ticker":"TOKEN-OF-KMD"},"id":5}`},
		{token("X", `,"activation_params":{"required_confirmations":"x"}`), 400, `"error_type":"InvalidRequest","error_data":"invalid type: string \"x\", expected a whole number from 0 to 18446744073709551615","id":5}`},
		{mmrpctest.Request("enable_tendermint_token", `{}`), 400, "\"error_data\":\"missing field `ticker`\",\"id\":5}"},
	} {
		status, reply := b.Ask(t, c.body)
		require.Equal(t, c.status, status, reply)
		require.True(t, strings.HasSuffix(reply, c.want), "%s\n%s", reply, c.want)
	}
	_, reply = b.Ask(t, mmrpctest.Request("get_enabled_coins", `{}`))
	require.Equal(t, `{"mmrpc":"2.0","result":{"coins":[{"ticker":"IRIS"},{"ticker":"ATOM-IBC_IRIS"},{"ticker":"KMD"}]},"id":5}`, reply)
}

// TestCosmosCompanions checks other methods with these coins.
func TestCosmosCompanions(t *testing.T) {
	b := servertest.NewChainsBench(t)
	_, reply := b.Ask(t, servertest.EnablingIris(`[{"ticker":"ATOM-IBC_IRIS"}]`, ``))
	require.Contains(t, reply, `"current_block":48`)
	_, reply = b.Ask(t, mmrpctest.OldRequest("my_balance", `,"coin":"ATOM-IBC_IRIS"`))
	require.Equal(t, `{"coin":"ATOM-IBC_IRIS","balance":"0.028306","unspendable_balance":"0","address":"`+servertest.IrisBob+`"}`, reply)
	_, reply = b.Ask(t, mmrpctest.Request("my_tx_history", `{"coin":"IRIS"}`))
	require.Contains(t, reply, `"error_type":"StorageIsNotInitialized"`)
	_, reply = b.Ask(t, mmrpctest.Request("sign_message", `{"coin":"IRIS","message":"hello"}`))
	signature := mmrpctest.Member(t, reply, "result", "signature")
	_, reply = b.Ask(t, mmrpctest.Request("verify_message", `{"coin":"IRIS","message":"hello","address":"`+servertest.IrisBob+`","signature":`+signature+`}`))
	require.Contains(t, reply, `"is_valid":true`)
	_, reply = b.Ask(t, mmrpctest.Request("withdraw", `{"coin":"ATOM-IBC_IRIS","to":"`+b.Iris.Accounts["other"].Address+`","amount":"0.001"}`))
	require.Contains(t, reply, `"coin":"ATOM-IBC_IRIS"`)
	_, reply = b.Ask(t, mmrpctest.Request("send_raw_transaction", `{"coin":"IRIS","tx_hex":`+mmrpctest.Member(t, reply, "result", "tx_hex")+`}`))
	require.Contains(t, reply, `"tx_hash":"`)
	require.Len(t, b.Iris.Sent(), 1)

	_, reply = b.Ask(t, mmrpctest.OldRequest("disable_coin", `,"coin":"IRIS"`))
	require.Contains(t, reply, `"passivized":true`)
	status, reply := b.Ask(t, mmrpctest.Request("enable_tendermint_token", `{"ticker":"OSMOSIS-IBC_IRIS"}`))
	require.Equal(t, 400, status)
	require.Contains(t, reply, `"error_type":"PlatformCoinIsNotActivated"`, "a passive platform is not active")
	b.Net.Set("https://elsewhere.example/", nodetest.Dead)
	_, reply = b.Ask(t, strings.Replace(servertest.EnablingIris(`[{"ticker":"OSMOSIS-IBC_IRIS"}]`, ``), servertest.IrisURL, "https://elsewhere.example/", 1))
	require.Contains(t, reply, `"tokens_balances":{"OSMOSIS-IBC_IRIS":{"spendable":"0","unspendable":"0"}}`, "it goes on with the nodes that it has")
	_, reply = b.Ask(t, mmrpctest.Request("get_enabled_coins", `{}`))
	require.Contains(t, reply, `[{"ticker":"IRIS"},{"ticker":"ATOM-IBC_IRIS"},{"ticker":"OSMOSIS-IBC_IRIS"}]`)
}

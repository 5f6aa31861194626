package mmrpc

import (
	"cmp"
	"context"
	"crypto/rand"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/event"
	"obverse/core/key"
	"obverse/core/mmrpc/activate"
	"obverse/core/mmrpc/events"
	"obverse/core/mmrpc/keys"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/send"
	"obverse/core/mmrpc/trading"
	"obverse/core/net/fetch"
	"obverse/core/number"
	"obverse/core/store"
	"obverse/core/store/bunt"
	"obverse/core/swap"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos"
	"obverse/core/wallet/cosmos/nodetest"
)

const (
	recordings = "../wallet/cosmos/testdata"
	hubURL     = "https://hub.example/"
	irisURL    = "https://iris.example/"
	// What bob has on the made-up chain.
	irisBob = "iaa1k5rq3z4z5w6tk8dr52dlqr8p54gw580eghf5js"
	voucher = "ibc/27394FB092D2ECCD56123C74F36E4C1F926001CEADA9CA97EA622B25F41E5EB2"
)

// session is a wallet elsewhere: it has bob's keys.
type session struct{ *key.Ring }

func (session) Policy() key.PolicyName { return key.NameSessionWallet }

// pricedCoin has a balance and reports what it costs to send some of it.
type pricedCoin struct {
	richCoin
	cost  coin.SpendingCost
	stuck error // of estimates alone
}

func (c *pricedCoin) SpendingCost(context.Context) (coin.SpendingCost, error) {
	cost := c.cost
	if cost.Fee.Coin == "" {
		cost = coin.SpendingCost{Fee: coin.Fee{Coin: c.ticker, Amount: number.Int(0)}, Least: number.Int(0)}
	}
	return cost, cmp.Or(c.fails, c.stuck)
}

// newActivator makes coins of bob's key whose nodes are reached over a network.
func newActivator(t testing.TB, kv store.KV, active *coin.Active, network fetch.Fetcher) *cosmos.Activator {
	t.Helper()
	user, problems, err := coin.ParseList([]byte(ownCoins))
	require.NoError(t, err)
	require.Empty(t, problems)
	ring, err := key.Open("bob passphrase", false)
	require.NoError(t, err)
	return &cosmos.Activator{Config: account.Config{Store: kv, Active: active, Registry: coin.NewRegistry(user),
		Providers: key.Providers{ring, session{ring}, key.WatchOnly{}}, Fetcher: network, Now: time.Now}}
}

// everywhere is a network where every host is a node of the chain in its name.
func everywhere(t testing.TB) fetch.Fetcher {
	open := sync.OnceValues(func() (hub, iris *nodetest.Node) { return mmrpctest.Chains(t, recordings) })
	networks := sync.OnceValues(mmrpctest.Networks)
	return fetch.Func(func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
		hub, iris := open()
		eth, polygon := networks()
		switch {
		case strings.Contains(r.URL, "iris"):
			return nodetest.Well(iris)(ctx, r)
		case strings.Contains(r.URL, "eth"):
			return eth.Well(ctx, r)
		case strings.Contains(r.URL, "polygon"), strings.Contains(r.URL, "matic"):
			return polygon.Well(ctx, r)
		}
		return nodetest.Well(hub)(ctx, r)
	})
}

// chainsBench is a node with coins of two chains behind a server.
type chainsBench struct {
	*coinsBench
	*cosmos.Activator
	hub, iris *nodetest.Node
	net       *nodetest.Net
	events    *event.Hub
	ledger    *swap.Ledger
}

func newChainsBench(t *testing.T) *chainsBench {
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kv.Close()) })
	return openChainsBench(t, kv)
}

func openChainsBench(t *testing.T, kv store.KV) *chainsBench {
	t.Helper()
	b := &chainsBench{coinsBench: &coinsBench{kv: kv}, net: nodetest.NewNet(), events: event.New(event.Config{Now: time.Now})}
	b.hub, b.iris = mmrpctest.Chains(t, recordings)
	b.net.Set(hubURL, nodetest.Well(b.hub))
	b.net.Set(irisURL, nodetest.Well(b.iris))
	var err error
	b.active, err = coin.Open(t.Context(), coin.Config{Store: kv, Restore: true})
	require.NoError(t, err)
	b.ledger, err = swap.Open(t.Context(), kv, time.Now)
	require.NoError(t, err)
	b.Activator = newActivator(t, kv, b.active, b.net)
	backend := Backend{
		Coins: activate.Coins{Active: b.active, Swaps: b.ledger}, Cosmos: activate.Cosmos{Activator: b.Activator},
		Swaps: trading.Swaps{Active: b.active, Ledger: b.ledger}, Volumes: trading.Volumes{Active: b.active, Ledger: b.ledger},
		Sending: send.Sending{Active: b.active}, Messages: keys.Messages{Active: b.active}, History: events.History{Active: b.active},
		Streams: events.Streams{Hub: b.events}, CoinStreams: events.CoinStreams{Hub: b.events, Active: b.active},
	}
	b.Server = New(Options{Password: NewPassword(password), StrictParams: true, Now: time.Now}, backend.Areas()...)
	return b
}

// enabling is a request to enable IRIS with tokens and further members.
func enablingIris(tokens, members string) string {
	return request("enable_tendermint_with_assets", `{"ticker":"IRIS","tokens_params":`+tokens+`,"nodes":[{"url":"`+irisURL+`"}]`+members+`}`)
}

func TestEnableTendermintWithAssets(t *testing.T) {
	const atom = `[{"ticker":"ATOM-IBC_IRIS"}]`
	for _, c := range []struct{ name, body, want string }{
		{"with a token", enablingIris(atom, ``), `{"ticker":"IRIS","address":"` + irisBob + `","current_block":48,` +
			`"balance":{"spendable":"44.147264","unspendable":"0"},"tokens_balances":{"ATOM-IBC_IRIS":{"spendable":"0.028306","unspendable":"0"}}}`},
		{"without tokens", enablingIris(`[]`, ``), `{"ticker":"IRIS","address":"` + irisBob + `","current_block":48,` +
			`"balance":{"spendable":"44.147264","unspendable":"0"},"tokens_balances":{}}`},
		{"without balances", enablingIris(atom, `,"get_balances":false`), `{"ticker":"IRIS","address":"` + irisBob + `","current_block":48,` +
			`"tokens_tickers":["ATOM-IBC_IRIS"]}`},
		{"without either", enablingIris(`[]`, `,"get_balances":false`), `{"ticker":"IRIS","address":"` + irisBob + `","current_block":48,"tokens_tickers":[]}`},
		{"with all there is", enablingIris(`[{"ticker":"ATOM-IBC_IRIS","required_confirmations":1}]`,
			`,"mm2":1,"priv_key_policy":"ContextPrivKey","tx_history":true,"required_confirmations":5,"requires_notarization":true,"get_balances":true,`+
				`"path_to_address":{"account_id":0,"chain":"External","address_id":0},"activation_params":{"priv_key_policy":{"type":"SessionWallet","data":"ab"}}`),
			`{"ticker":"IRIS","address":"` + irisBob + `","current_block":48,"balance":{"spendable":"44.147264","unspendable":"0"},` +
				`"tokens_balances":{"ATOM-IBC_IRIS":{"spendable":"0.028306","unspendable":"0"}}}`},
		{"the owner of a key", enablingIris(`[]`, `,"activation_params":{"type":"WithPubkey","params":{"pubkey":{"type":"secp256k1","value":`+
			`[2,44,211,2,26,33,151,54,31,183,11,134,44,65,43,200,228,76,255,105,81,250,29,228,92,234,191,221,155,76,82,4,32]},"is_ledger_connection":false}}`),
			`{"ticker":"IRIS","address":"` + irisBob + `","current_block":48,"balance":{"spendable":"44.147264","unspendable":"0"},"tokens_balances":{}}`},
		{"every member of a node", request("enable_tendermint_with_assets", `{"ticker":"IRIS","tokens_params":[],"nodes":[{"url":"`+irisURL+`","api_url":"a",`+
			`"grpc_url":"g","ws_url":"wss://w.example","gateway_proxy":false,"komodo_proxy":false}],"get_balances":false}`),
			`{"ticker":"IRIS","address":"` + irisBob + `","current_block":48,"tokens_tickers":[]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newChainsBench(t)
			status, reply := b.ask(t, c.body)
			require.Equal(t, 200, status, reply)
			require.Equal(t, `{"mmrpc":"2.0","result":`+c.want+`,"id":5}`, reply)
			status, reply = b.ask(t, c.body)
			require.Equal(t, 400, status)
			require.Equal(t, failed("IRIS", "activation", "PlatformIsAlreadyActivated", `"IRIS"`, "5"), untraced(reply))
		})
	}
}

// What a request says is kept, and brings the coins back as they were.
func TestEnableTendermintKeepsWhatWasAsked(t *testing.T) {
	b := newChainsBench(t)
	identity, err := key.OpenIdentity(t.Context(), b.kv, rand.Reader)
	require.NoError(t, err)
	b.Activator.Identity = identity
	status, reply := b.ask(t, request("enable_tendermint_with_assets", `{"ticker":"IRIS","nodes":[
		{"url":"`+irisURL+`","ws_url":"wss://w.example","api_url":"https://a.example","grpc_url":"g.example:1"},
		{"url":"https://one.example","gateway_proxy":true},{"url":"https://two.example","komodo_proxy":true}],
		"tokens_params":[{"ticker":"ATOM-IBC_IRIS","required_confirmations":7}],"tx_history":true,"required_confirmations":5,"requires_notarization":true,
		"path_to_address":{"account_id":1,"chain":"Internal","address_id":2},"priv_key_policy":{"type":"SessionWallet","data":"ab"}}`))
	require.Equal(t, 200, status, reply)
	status, reply = b.ask(t, request("enable_tendermint_token", `{"ticker":"OSMOSIS-IBC_IRIS","activation_params":{"required_confirmations":9}}`))
	require.Equal(t, 200, status, reply)
	b.ask(t, enablingHub)
	again, err := coin.Open(t.Context(), coin.Config{Store: b.kv, Restore: true})
	require.NoError(t, err)
	kept := map[string]string{}
	for _, saved := range again.Saved() {
		kept[saved.Ticker] = string(saved.Params)
	}
	require.JSONEq(t, `{"nodes":[{"url":"`+irisURL+`","api":"https://a.example","grpc":"g.example:1","ws":"wss://w.example"},
		{"url":"https://one.example","gateway":true},{"url":"https://two.example","gateway":true}],
		"policy":{"type":"SessionWallet","topic":"ab"},"account":1,"chain":1,"address":2,"history":true,"confirmations":5,"notarization":true}`, kept["IRIS"])
	require.JSONEq(t, `{"confirmations":7}`, kept["ATOM-IBC_IRIS"])
	require.JSONEq(t, `{"confirmations":9}`, kept["OSMOSIS-IBC_IRIS"])
	require.JSONEq(t, `{"nodes":[{"url":"`+hubURL+`"}],"policy":{"type":"ContextPrivKey"},"account":0,"chain":0,"address":0,
		"history":false,"confirmations":3,"notarization":false}`, kept["ATOM"], "the defaults")
	require.JSONEq(t, `{}`, kept["IRIS-IBC_ATOM"])
}

// enablingHub asks for the least.
const enablingHub = `{"userpass":"` + password + `","mmrpc":"2.0","method":"enable_tendermint_with_assets","id":5,
	"params":{"ticker":"ATOM","tokens_params":[{"ticker":"IRIS-IBC_ATOM"}],"nodes":[{"url":"` + hubURL + `"}]}}`

// The whole error table, in the order of the checks, and nothing has changed after any.
func TestEnableTendermintFailures(t *testing.T) {
	enable := func(ticker, members string) string {
		return request("enable_tendermint_with_assets", `{"ticker":"`+ticker+`","tokens_params":[],"nodes":[{"url":"`+hubURL+`"}]`+members+`}`)
	}
	bare := func(members string) string { return request("enable_tendermint_with_assets", members) }
	with := func(token string) string {
		return bare(`{"ticker":"ATOM","tokens_params":[{"ticker":"` + token + `"}],"nodes":[{"url":"` + hubURL + `"}]}`)
	}
	creation := func(reason, path string) string {
		return failed("Error on platform coin ATOM creation: "+reason, path, "PlatformCoinCreationError", `{"ticker":"ATOM","error":`+jsonString(reason)+`}`, "5")
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
		want       string // the end of the answer
	}{
		{"no params", request("enable_tendermint_with_assets", `null`), 400, `"error_data":"invalid type: null, expected struct EnableTendermintWithAssetsParams","id":5}`},
		{"no ticker", bare(`{"tokens_params":[],"nodes":[]}`), 400, missing("ticker")},
		{"no tokens_params", bare(`{"ticker":"ATOM","nodes":[]}`), 400, missing("tokens_params")},
		{"no nodes", bare(`{"ticker":"ATOM","tokens_params":[]}`), 400, missing("nodes")},
		{"a node without URL", bare(`{"ticker":"ATOM","tokens_params":[],"nodes":[{}]}`), 400, missing("url")},
		{"a node that is a text", bare(`{"ticker":"ATOM","tokens_params":[],"nodes":["x"]}`), 400, `"error_type":"InvalidRequest","error_data":"invalid type: string \"x\", expected an object","id":5}`},
		{"tx_history that is none", enable("ATOM", `,"tx_history":"yes"`), 400, `"error_data":"invalid type: string \"yes\", expected true or false","id":5}`},
		{"confirmations below 0", enable("ATOM", `,"required_confirmations":-1`), 400, `"error_type":"InvalidRequest","error_data":"invalid value: integer ` + "`-1`" + `, expected a whole number from 0 to 18446744073709551615","id":5}`},
		{"a policy that is none", enable("ATOM", `,"priv_key_policy":"Paper"`), 400, `, expected one of ` + "`ContextPrivKey`, `HardwareWallet`, `BrowserWallet`, `SessionWallet`, `WithPubkey`" + `","id":5}`},
		{"two policies", enable("ATOM", `,"priv_key_policy":"HardwareWallet","activation_params":{"priv_key_policy":{"type":"SessionWallet","data":"ab"}}`), 400,
			`"error_type":"InvalidRequest","error_data":"priv_key_policy is HardwareWallet, but activation_params say SessionWallet","id":5}`},
		{"a chain of a path", enable("ATOM", `,"path_to_address":{"chain":"Middle"}`), 400, "\"unknown variant `Middle`, expected one of `External`, `Internal`\",\"id\":5}"},
		{"no such platform", enable("XYZ", ``), 400,
			failed("Platform XYZ config is not found", "activation", "PlatformConfigIsNotFound", `"XYZ"`, "5")},
		{"platform without protocol", enable("NONE", ``), 500,
			failed("Platform coin NONE protocol parsing failed: "+null, "activation", "CoinProtocolParseError", `{"ticker":"NONE","error":`+jsonString(null)+`}`, "5")},
		{"platform of another protocol", enable("KMD", ``), 400,
			failed(`Unexpected platform protocol {"type":"UTXO"} for KMD`, "activation", "UnexpectedPlatformProtocol", `{"ticker":"KMD","protocol":{"type":"UTXO"}}`, "5")},
		{"nobody says that it works", enable("SAYS-NOTHING", ``), 400, missing("mm2")},
		{"the request says that it does not", enable("ATOM", `,"mm2":0`), 500, `"error_data":{"ticker":"ATOM","error":"mm2 is 0: the coin is not expected to work"},"id":5}`},
		{"no time of blocks", enable("SAYS-NOTHING", `,"mm2":1`), 500, `"error_data":{"ticker":"SAYS-NOTHING","error":"avg_blocktime is missing in coin configuration"},"id":5}`},
		{"no such wallet", enable("ATOM", `,"priv_key_policy":"HardwareWallet"`), 500, failed("Private key is not allowed: "+none, "policy", "PrivKeyNotAllowed", jsonString(none), "5")},
		{"an empty list of nodes", bare(`{"ticker":"ATOM","tokens_params":[{"ticker":"GALT"}],"nodes":[]}`), 500, `"error_type":"PlatformCoinCreationError","error_data":{"ticker":"ATOM","error":"EmptyRpcUrls"},"id":5}`},
		{"a URL that is none", bare(`{"ticker":"ATOM","tokens_params":[{"ticker":"GALT"}],"nodes":[{"url":"nowhere"}]}`), 500,
			creation("Url nowhere is invalid, got error its scheme is not http or https", "activation")},
		{"no such token", with("GALT"), 400, failed("Token GALT config is not found", "activation", "TokenConfigIsNotFound", `"GALT"`, "5")},
		{"token without protocol", with("NONE"), 500,
			failed("Token NONE protocol parsing failed: "+null, "activation", "TokenProtocolParseError", `{"ticker":"NONE","error":`+jsonString(null)+`}`, "5")},
		{"token that is none", with("KMD"), 400,
			failed(`Unexpected token protocol {"type":"UTXO"} for KMD`, "activation", "UnexpectedTokenProtocol", `{"ticker":"KMD","protocol":{"type":"UTXO"}}`, "5")},
		{"token of another platform", with("ATOM-IBC_IRIS"), 400, `"error_type":"UnexpectedTokenProtocol","error_data":{"ticker":"ATOM-IBC_IRIS","protocol":{"type":"TENDERMINTTOKEN",` +
			`"protocol_data":{"platform":"IRIS","decimals":6,"denom":"` + voucher + `","gas_price":0.5}}},"id":5}`},
		{"nodes that cannot be used", bare(`{"ticker":"ATOM","tokens_params":[],"nodes":[{"url":"https://u:secret@dead.example/?key=secret"},{"url":"` + irisURL + `"}]}`), 502,
			`"error_type":"Transport","error_data":"` + dead + `","id":5}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newChainsBench(t)
			status, reply := b.ask(t, c.body)
			require.Equal(t, c.status, status, reply)
			require.True(t, strings.HasSuffix(untraced(reply), c.want), "%s\n%s", untraced(reply), c.want)
			require.NotContains(t, reply, "secret")
			require.Empty(t, b.active.List(), "nothing has changed")
			require.Empty(t, b.active.Saved())
		})
	}
}

func TestEnableTendermintThatIsDisabled(t *testing.T) {
	kv, err := bunt.Open(bunt.Memory) // outside: buntdb has a goroutine
	require.NoError(t, err)
	defer kv.Close()
	synctest.Test(t, func(t *testing.T) {
		active, err := coin.Open(t.Context(), coin.Config{Store: kv})
		require.NoError(t, err)
		network := nodetest.NewNet()
		network.Set(hubURL, nodetest.Hangs)
		server := New(Options{Password: NewPassword(password), Now: time.Now},
			activate.Cosmos{Activator: newActivator(t, kv, active, network)}, activate.Coins{Active: active})
		began := time.Now()
		var group sync.WaitGroup
		group.Go(func() {
			status, reply := server.Serve(t.Context(), here, []byte(request("enable_tendermint_with_assets",
				`{"ticker":"ATOM","tokens_params":[],"nodes":[{"url":"`+hubURL+`"}]}`)))
			require.Equal(t, 500, status)
			require.Contains(t, string(reply), `"error":"Internal error: cancelled: the coin was disabled"`)
			require.Contains(t, string(reply), `"error_type":"InternalError","error_data":"cancelled: the coin was disabled"`)
		})
		synctest.Wait()
		status, reply := server.Serve(t.Context(), here, []byte(request("disable_coin", `{"coin":"ATOM"}`)))
		require.Equal(t, 404, status, "%s", reply)
		group.Wait()
		require.Equal(t, began, time.Now(), "no caller waited")
		require.Empty(t, active.List())
	})
}

func TestEnableTendermintToken(t *testing.T) {
	token := func(ticker, members string) string {
		return request("enable_tendermint_token", `{"ticker":"`+ticker+`"`+members+`}`)
	}
	b := newChainsBench(t)
	status, reply := b.ask(t, token("ATOM-IBC_IRIS", `,"activation_params":{}`))
	require.Equal(t, 400, status)
	require.Equal(t, failed("Platform coin IRIS is not activated", "activation", "PlatformCoinIsNotActivated", `"IRIS"`, "5"), untraced(reply))
	_, reply = b.ask(t, enablingIris(`[]`, ``))
	require.Contains(t, reply, `"tokens_balances":{}`)
	b.net.Set(irisURL, nodetest.Dead)
	status, reply = b.ask(t, token("ATOM-IBC_IRIS", `,"activation_params":{}`))
	require.Equal(t, 500, status)
	const dead = "Transport: All the current rpc nodes are unavailable. (https://iris.example: unreachable: connection refused)"
	require.True(t, strings.HasSuffix(reply, `"error_type":"CouldNotFetchBalance","error_data":"`+dead+`","id":5}`), reply)
	require.Contains(t, reply, `{"mmrpc":"2.0","error":"`+dead+`",`)
	require.Len(t, b.active.List(), 1)

	b.net.Set(irisURL, nodetest.Well(b.iris))
	status, reply = b.ask(t, token("ATOM-IBC_IRIS", `,"activation_params":{"required_confirmations":3}`))
	require.Equal(t, 200, status, reply)
	require.Equal(t, `{"mmrpc":"2.0","result":{"balances":{"`+irisBob+`":{"spendable":"0.028306","unspendable":"0"}},"platform_coin":"IRIS"},"id":5}`, reply)
	status, reply = b.ask(t, token("ATOM-IBC_IRIS", ``))
	require.Equal(t, 400, status)
	require.Equal(t, failed("Token ATOM-IBC_IRIS is already activated", "activation", "TokenIsAlreadyActivated", `"ATOM-IBC_IRIS"`, "5"), untraced(reply))

	b.activate(t, &bareCoin{"KMD"})
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
		{request("enable_tendermint_token", `{}`), 400, "\"error_data\":\"missing field `ticker`\",\"id\":5}"},
	} {
		status, reply := b.ask(t, c.body)
		require.Equal(t, c.status, status, reply)
		require.True(t, strings.HasSuffix(reply, c.want), "%s\n%s", reply, c.want)
	}
	_, reply = b.ask(t, request("get_enabled_coins", `{}`))
	require.Equal(t, `{"mmrpc":"2.0","result":{"coins":[{"ticker":"IRIS"},{"ticker":"ATOM-IBC_IRIS"},{"ticker":"KMD"}]},"id":5}`, reply)
}

// What other methods do with these coins.
func TestCosmosCompanions(t *testing.T) {
	b := newChainsBench(t)
	_, reply := b.ask(t, enablingIris(`[{"ticker":"ATOM-IBC_IRIS"}]`, ``))
	require.Contains(t, reply, `"current_block":48`)
	_, reply = b.ask(t, old("my_balance", `,"coin":"ATOM-IBC_IRIS"`))
	require.Equal(t, `{"coin":"ATOM-IBC_IRIS","balance":"0.028306","unspendable_balance":"0","address":"`+irisBob+`"}`, reply)
	_, reply = b.ask(t, request("my_tx_history", `{"coin":"IRIS"}`))
	require.Contains(t, reply, `"error_type":"StorageIsNotInitialized"`)
	_, reply = b.ask(t, request("sign_message", `{"coin":"IRIS","message":"hello"}`))
	signature := member(t, reply, "result", "signature")
	_, reply = b.ask(t, request("verify_message", `{"coin":"IRIS","message":"hello","address":"`+irisBob+`","signature":`+signature+`}`))
	require.Contains(t, reply, `"is_valid":true`)
	_, reply = b.ask(t, request("withdraw", `{"coin":"ATOM-IBC_IRIS","to":"`+b.iris.Accounts["other"].Address+`","amount":"0.001"}`))
	require.Contains(t, reply, `"coin":"ATOM-IBC_IRIS"`)
	_, reply = b.ask(t, request("send_raw_transaction", `{"coin":"IRIS","tx_hex":`+member(t, reply, "result", "tx_hex")+`}`))
	require.Contains(t, reply, `"tx_hash":"`)
	require.Len(t, b.iris.Sent(), 1)

	_, reply = b.ask(t, old("disable_coin", `,"coin":"IRIS"`))
	require.Contains(t, reply, `"passivized":true`)
	status, reply := b.ask(t, request("enable_tendermint_token", `{"ticker":"OSMOSIS-IBC_IRIS"}`))
	require.Equal(t, 400, status)
	require.Contains(t, reply, `"error_type":"PlatformCoinIsNotActivated"`, "a passive platform is not active")
	b.net.Set("https://elsewhere.example/", nodetest.Dead)
	_, reply = b.ask(t, strings.Replace(enablingIris(`[{"ticker":"OSMOSIS-IBC_IRIS"}]`, ``), irisURL, "https://elsewhere.example/", 1))
	require.Contains(t, reply, `"tokens_balances":{"OSMOSIS-IBC_IRIS":{"spendable":"0","unspendable":"0"}}`, "it goes on with the nodes that it has")
	_, reply = b.ask(t, request("get_enabled_coins", `{}`))
	require.Contains(t, reply, `[{"ticker":"IRIS"},{"ticker":"ATOM-IBC_IRIS"},{"ticker":"OSMOSIS-IBC_IRIS"}]`)
}

package activate_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc"
	"obverse/core/mmrpc/activate"
	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/servertest"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
)

// enabling is an area that activates Tendermint coins without nodes. It makes the same checks
// as a real one, in the order of Komodo DeFi Framework.
type enabling struct {
	active   *coin.Active
	registry *coin.Registry
	fails    error // error of creating the coin
}

type enableParams struct {
	Ticker string       `json:"ticker"`
	MM2    activate.MM2 `json:"mm2" rpc:"optional"`
	Tokens []struct {
		Ticker string `json:"ticker"`
	} `json:"tokens_params"`
}

type enabledName struct {
	Ticker string `json:"ticker"`
}

func (e enabling) Methods() []rpc.Method {
	return append(activate.Coins{Active: e.active}.Methods(),
		rpc.Handle("enable", rpc.Doc{}, e.platform), rpc.Handle("enable_token", rpc.Doc{}, e.token))
}

func (e enabling) platform(ctx context.Context, p enableParams) (enabledName, error) {
	var tokens []string
	for _, token := range p.Tokens {
		tokens = append(tokens, token.Ticker)
	}
	x, err := e.active.Begin(ctx, p.Ticker, tokens...)
	if err != nil {
		return enabledName{}, activate.PlatformFailure(p.Ticker, err)
	}
	defer x.Abort()
	entry, err := e.registry.Lookup(p.Ticker)
	if err != nil {
		return enabledName{}, activate.PlatformFailure(p.Ticker, err)
	}
	if _, err := coin.As[coin.Cosmos](entry); err != nil {
		return enabledName{}, activate.PlatformFailure(p.Ticker, err)
	}
	if err := activate.CheckMM2(p.Ticker, p.MM2, entry); err != nil {
		return enabledName{}, err
	}
	items := []coin.Item{{Coin: &servertest.BareCoin{Symbol: p.Ticker}}}
	for _, token := range tokens {
		if _, err := e.tokenEntry(token); err != nil {
			return enabledName{}, err
		}
		items = append(items, coin.Item{Coin: servertest.NewToken(token, p.Ticker)})
	}
	if e.fails != nil {
		return enabledName{}, activate.PlatformFailure(p.Ticker, e.fails)
	}
	return enabledName{p.Ticker}, x.Commit(ctx, items...)
}

func (e enabling) tokenEntry(ticker string) (coin.CosmosToken, error) {
	entry, err := e.registry.Lookup(ticker)
	if err != nil {
		return coin.CosmosToken{}, activate.TokenFailure(ticker, err)
	}
	token, err := coin.As[coin.CosmosToken](entry)
	return token, activate.TokenFailure(ticker, err)
}

func (e enabling) token(ctx context.Context, p enabledName) (enabledName, error) {
	x, err := e.active.Begin(ctx, p.Ticker)
	if err != nil {
		return enabledName{}, activate.TokenFailure(p.Ticker, err)
	}
	defer x.Abort()
	token, err := e.tokenEntry(p.Ticker)
	if err != nil {
		return enabledName{}, err
	}
	if _, err = x.Platform(ctx, token.Platform); err != nil {
		return enabledName{}, activate.TokenFailure(p.Ticker, err)
	}
	if e.fails != nil {
		return enabledName{}, activate.TokenFailure(p.Ticker, e.fails)
	}
	return enabledName{p.Ticker}, x.Commit(ctx, coin.Item{Coin: servertest.NewToken(p.Ticker, token.Platform)})
}

func newEnabling(t *testing.T, fails error) *servertest.CoinsBench {
	t.Helper()
	user, problems, err := coin.ParseList([]byte(servertest.TestCoins))
	require.NoError(t, err)
	require.Empty(t, problems)
	return servertest.NewCoinsBench(t, func(a *coin.Active) []mmrpc.Area {
		return []mmrpc.Area{enabling{a, coin.NewRegistry(user), fails}}
	})
}

func TestActivationFailures(t *testing.T) {
	const (
		null = "invalid type: null, expected adjacently tagged enum CoinProtocol"
		woof = "unknown variant `WOOF`, expected one of `UTXO`, `QTUM`, `QRC20`, `ETH`, `ERC20`, `SLPTOKEN`, `BCH`, `TENDERMINT`, " +
			"`TENDERMINTTOKEN`, `LIGHTNING`, `SOLANA`, `SPLTOKEN`, `ZHTLC`, `NFT`, `TRX`, `SIA`"
		off = "mm2 is 0: the coin is not expected to work"
	)
	platform := func(ticker string) string {
		return mmrpctest.Request("enable", `{"ticker":"`+ticker+`","tokens_params":[]}`)
	}
	with := func(token string) string {
		return mmrpctest.Request("enable", `{"ticker":"ATOM","tokens_params":[{"ticker":"IRIS-IBC_ATOM"},{"ticker":"`+token+`"}]}`)
	}
	alone := func(ticker string) string { return mmrpctest.Request("enable_token", `{"ticker":"`+ticker+`"}`) }
	for _, c := range []struct {
		name, body string
		status     int
		want       string
	}{
		{"platform is active", platform("IRIS"), 400, mmrpctest.Failed("IRIS", "activation", "PlatformIsAlreadyActivated", `"IRIS"`, "5")},
		{"platform is active by another name", platform("OSMOSIS"), 400, mmrpctest.Failed("OSMOSIS", "activation", "PlatformIsAlreadyActivated", `"OSMOSIS"`, "5")},
		{"no such platform", platform("XYZ"), 400,
			mmrpctest.Failed("Platform XYZ config is not found", "activation", "PlatformConfigIsNotFound", `"XYZ"`, "5")},
		{"platform without protocol", platform("NONE"), 500,
			mmrpctest.Failed("Platform coin NONE protocol parsing failed: "+null, "activation", "CoinProtocolParseError", `{"ticker":"NONE","error":`+mmrpctest.Quote(null)+`}`, "5")},
		{"platform of another protocol", platform("KMD"), 400,
			mmrpctest.Failed(`Unexpected platform protocol {"type":"UTXO"} for KMD`, "activation", "UnexpectedPlatformProtocol", `{"ticker":"KMD","protocol":{"type":"UTXO"}}`, "5")},
		{"not marked as working", platform("SAYS-NOTHING"), 400,
			mmrpctest.Failed("Error parsing request: missing field `mm2` (parameter \"mm2\" must be 0 or 1, since the coins file does not say it for SAYS-NOTHING)",
				"activation", "InvalidRequest", "\"missing field `mm2`\"", "5")},
		{"the file says that it does not", platform("OFF"), 500,
			mmrpctest.Failed("Error on platform coin OFF creation: "+off, "activation", "PlatformCoinCreationError", `{"ticker":"OFF","error":"`+off+`"}`, "5")},
		{"the request says that it does not", mmrpctest.Request("enable", `{"ticker":"ATOM","mm2":0,"tokens_params":[]}`), 500,
			mmrpctest.Failed("Error on platform coin ATOM creation: "+off, "activation", "PlatformCoinCreationError", `{"ticker":"ATOM","error":"`+off+`"}`, "5")},
		{"mm2 is 2", mmrpctest.Request("enable", `{"ticker":"ATOM","mm2":2,"tokens_params":[]}`), 400,
			mmrpctest.Failed("Error parsing request: invalid type: integer `2`, expected 0 or 1 (parameter \"mm2\")", "dispatcher", "InvalidRequest",
				"\"invalid type: integer `2`, expected 0 or 1\"", "5")},
		{"no such token", with("GALT"), 400, mmrpctest.Failed("Token GALT config is not found", "activation", "TokenConfigIsNotFound", `"GALT"`, "5")},
		{"token of an unknown protocol", with("WOOF"), 500,
			mmrpctest.Failed("Token WOOF protocol parsing failed: "+woof, "activation", "TokenProtocolParseError", `{"ticker":"WOOF","error":`+mmrpctest.Quote(woof)+`}`, "5")},
		{"not a token", with("KMD"), 400,
			mmrpctest.Failed(`Unexpected token protocol {"type":"UTXO"} for KMD`, "activation", "UnexpectedTokenProtocol", `{"ticker":"KMD","protocol":{"type":"UTXO"}}`, "5")},
		{"token of another kind, alone", alone("USDT"), 400,
			mmrpctest.Failed(`Unexpected token protocol {"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":"0x0"}} for USDT`, "activation", "UnexpectedTokenProtocol",
				`{"ticker":"USDT","protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":"0x0"}}}`, "5")},
		{"token is active", alone("ATOM-IBC_IRIS"), 400,
			mmrpctest.Failed("Token ATOM-IBC_IRIS is already activated", "activation", "TokenIsAlreadyActivated", `"ATOM-IBC_IRIS"`, "5")},
		{"no such token, alone", alone("NFT_TESTTT"), 400,
			mmrpctest.Failed("Token NFT_TESTTT config is not found", "activation", "TokenConfigIsNotFound", `"NFT_TESTTT"`, "5")},
		{"platform is not active", alone("IRIS-IBC_ATOM"), 400,
			mmrpctest.Failed("Platform coin ATOM is not activated", "activation", "PlatformCoinIsNotActivated", `"ATOM"`, "5")},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newEnabling(t, nil)
			b.Add(t, &servertest.BareCoin{Symbol: "IRIS"}, servertest.NewToken("ATOM-IBC_IRIS", "IRIS"))
			b.Add(t, &servertest.BareCoin{Symbol: "OSMO"})
			status, reply := b.Ask(t, c.body)
			require.Equal(t, c.status, status)
			require.Equal(t, c.want, mmrpctest.Untraced(reply))
			require.Len(t, b.Active.List(), 3, "nothing has changed")
		})
	}
}

func TestActivationTransport(t *testing.T) {
	b := newEnabling(t, errors.Join(coin.ErrTransport, errors.New("url: timeout")))
	status, reply := b.Ask(t, mmrpctest.Request("enable", `{"ticker":"ATOM","tokens_params":[]}`))
	require.Equal(t, 502, status)
	require.Contains(t, reply, `"error_type":"Transport"`)
	require.Empty(t, b.Active.List())
	b.Add(t, &servertest.BareCoin{Symbol: "IRIS"})
	status, reply = b.Ask(t, mmrpctest.Request("enable_token", `{"ticker":"ATOM-IBC_IRIS"}`))
	require.Equal(t, 500, status)
	require.Contains(t, reply, `"error_type":"Transport"`)
}

func TestActivationWorks(t *testing.T) {
	b := newEnabling(t, nil)
	for _, c := range []struct{ body, want string }{
		{mmrpctest.Request("enable", `{"ticker":"SAYS-NOTHING","mm2":1,"tokens_params":[]}`), "SAYS-NOTHING"},
		{mmrpctest.Request("enable", `{"ticker":"OFF","mm2":1,"tokens_params":[]}`), "OFF"}, // the request takes precedence
		{mmrpctest.Request("enable", `{"ticker":"OSMO","mm2":null,"tokens_params":[{"ticker":"ATOM-IBC_OSMO"}]}`), "OSMO"},
		{mmrpctest.Request("enable_token", `{"ticker":"IRIS-IBC_OSMOSIS"}`), "IRIS-IBC_OSMOSIS"},
	} {
		status, reply := b.Ask(t, c.body)
		require.Equal(t, 200, status, reply)
		require.Equal(t, `{"mmrpc":"2.0","result":{"ticker":"`+c.want+`"},"id":5}`, reply)
	}
	_, reply := b.Ask(t, mmrpctest.Request("get_enabled_coins", `{}`))
	require.Equal(t, `{"mmrpc":"2.0","result":{"coins":[{"ticker":"SAYS-NOTHING"},{"ticker":"OFF"},{"ticker":"OSMO"},`+
		`{"ticker":"ATOM-IBC_OSMO"},{"ticker":"IRIS-IBC_OSMOSIS"}]},"id":5}`, reply, "as they were asked for")
}

func TestFailuresOfOtherSourcesStay(t *testing.T) {
	failure := mmerr.Transport.New("x", "x")
	for _, err := range []error{nil, context.Canceled, errors.New("disk full"), failure} {
		require.Equal(t, err, activate.PlatformFailure("ATOM", err))
		require.Equal(t, err, activate.TokenFailure("ATOM", err))
	}
	require.Equal(t, "integer", activate.MM2(0).JSONSchema().Type)
}

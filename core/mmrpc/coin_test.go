package mmrpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc/activate"
	"obverse/core/number"
	"obverse/core/store"
	"obverse/core/store/bunt"
	"obverse/core/store/bunttest"
	"obverse/core/swap"
	"obverse/core/wallet/coin"
)

// bareCoin can do nothing but be active.
type bareCoin struct{ ticker string }

func (c *bareCoin) Ticker() string { return c.ticker }

func (c *bareCoin) Entry() *coin.Entry { return nil }

// richCoin has an address, and a balance or an error in its place.
type richCoin struct {
	bareCoin
	balance string
	fails   error
}

func (c *richCoin) Address() string { return "addr1" + c.ticker }

func (c *richCoin) Balance(context.Context) (coin.Balance, error) {
	spendable, err := number.ParseRational(c.balance)
	return coin.Balance{Spendable: spendable, Unspendable: number.Int(0)}, errors.Join(err, c.fails)
}

type tokenCoin struct {
	richCoin
	platform string
}

func (c *tokenCoin) Platform() string { return c.platform }

func (c *tokenCoin) OnPlatform(coin.Coin) coin.Token { return c }

// coinsBench is a node's coins behind a server.
type coinsBench struct {
	*Server
	active *coin.Active
	kv     store.KV
}

func newCoinsBench(t *testing.T, areas func(*coin.Active) []Area) *coinsBench {
	t.Helper()
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kv.Close()) })
	b := &coinsBench{kv: kv}
	b.active, err = coin.Open(t.Context(), coin.Config{Store: kv, Restore: true})
	require.NoError(t, err)
	all := []Area{activate.Coins{Active: b.active}}
	if areas != nil {
		all = areas(b.active)
	}
	b.Server = New(Options{Password: NewPassword(password), StrictParams: true, Now: time.Now}, all...)
	return b
}

// activate makes coins active: a platform, and the tokens on it.
func (b *coinsBench) activate(t *testing.T, coins ...coin.Coin) {
	t.Helper()
	var tickers []string
	var items []coin.Item
	for _, c := range coins {
		tickers, items = append(tickers, c.Ticker()), append(items, coin.Item{Coin: c})
	}
	x, err := b.active.Begin(t.Context(), tickers[0], tickers[1:]...)
	require.NoError(t, err)
	require.NoError(t, x.Commit(t.Context(), items...))
}

func (b *coinsBench) ask(t *testing.T, body string) (int, string) {
	t.Helper()
	status, reply := b.Serve(t.Context(), here, []byte(body))
	require.True(t, json.Valid(reply), "%s", reply)
	return status, strings.TrimSpace(string(reply))
}

// old is a request without mmrpc.
func old(method, members string) string {
	return fmt.Sprintf(`{"userpass":%q,"method":%q%s}`, password, method, members)
}

func newToken(ticker, platform string) *tokenCoin {
	return &tokenCoin{richCoin{bareCoin{ticker}, "0.028306", nil}, platform}
}

func TestGetEnabledCoins(t *testing.T) {
	b := newCoinsBench(t, nil)
	_, reply := b.ask(t, request("get_enabled_coins", `{}`))
	require.Equal(t, `{"mmrpc":"2.0","result":{"coins":[]},"id":5}`, reply)
	b.activate(t, &bareCoin{"IRIS"}, newToken("ATOM-IBC_IRIS", "IRIS"))
	b.activate(t, &bareCoin{"OSMO"})
	b.activate(t, &bareCoin{"ATOM"})
	const all = `{"mmrpc":"2.0","result":{"coins":[{"ticker":"IRIS"},{"ticker":"ATOM-IBC_IRIS"},{"ticker":"OSMO"},{"ticker":"ATOM"}]},"id":5}`
	for _, params := range []string{`{}`, `null`, `[]`} {
		status, reply := b.ask(t, request("get_enabled_coins", params))
		require.Equal(t, 200, status)
		require.Equal(t, all, reply)
	}
	_, reply = b.ask(t, request("disable_coin", `{"coin":"IRIS"}`))
	require.Equal(t, `{"mmrpc":"2.0","result":{"coin":"IRIS","cancelled_orders":[],"passivized":true},"id":5}`, reply)
	_, reply = b.ask(t, request("get_enabled_coins", `{}`))
	require.Equal(t, strings.Replace(all, `{"ticker":"IRIS"},`, "", 1), reply, "a passive coin is not listed")
}

// TestEnabledCoinsThatWait: a list without coins that are not restored yet says so.
func TestEnabledCoinsThatWait(t *testing.T) {
	kv := bunttest.Memory(t)
	before, err := coin.Open(t.Context(), coin.Config{Store: kv})
	require.NoError(t, err)
	x, err := before.Begin(t.Context(), "IRIS")
	require.NoError(t, err)
	require.NoError(t, x.Commit(t.Context(), coin.Item{Coin: &bareCoin{"IRIS"}}))
	after, err := coin.Open(t.Context(), coin.Config{Store: kv, Restore: true})
	require.NoError(t, err)
	list := func() string {
		answer, err := (activate.Coins{Active: after}).Enabled(t.Context(), struct{}{})
		require.NoError(t, err)
		text, err := json.Marshal(answer)
		require.NoError(t, err)
		return string(text)
	}
	require.Equal(t, `{"coins":[],"incomplete":[{"of":"IRIS","reason":"Restoring"}]}`, list())
	ctx, cancel := context.WithCancel(t.Context())
	r := coin.Restorer{Active: after, Registry: coin.NewRegistry(nil), Failed: func(string, error) { cancel() },
		Kinds: map[coin.ProtocolType]func(context.Context, coin.SavedCoin) error{coin.TypeTendermint: func(context.Context, coin.SavedCoin) error { return errors.New("no server answers") }}}
	require.NoError(t, r.Run(ctx))
	require.Equal(t, `{"coins":[],"incomplete":[{"of":"IRIS","reason":"Restoring","error":"no server answers"}]}`, list())
	_, err = after.Disable(t.Context(), "IRIS", false)
	require.NoError(t, err)
	require.Equal(t, `{"coins":[]}`, list())
}

func TestDisableCoin(t *testing.T) {
	const absent = `{"error":"No such coin %s","orders":{"matching":[],"cancelled":[]},"active_swaps":[]}`
	for _, c := range []struct {
		name   string
		body   string
		status int
		want   string
		left   []string
	}{
		{"a token", old("disable_coin", `,"coin":"ATOM-IBC_IRIS"`), 200,
			`{"result":{"coin":"ATOM-IBC_IRIS","cancelled_orders":[],"passivized":false}}`, []string{"IRIS", "OSMO"}},
		{"a platform with tokens", old("disable_coin", `,"coin":"IRIS"`), 200,
			`{"result":{"coin":"IRIS","cancelled_orders":[],"passivized":true}}`, []string{"ATOM-IBC_IRIS", "OSMO"}},
		{"a platform with tokens, forced", old("disable_coin", `,"coin":"IRIS","force_disable":true`), 200,
			`{"result":{"coin":"IRIS","cancelled_orders":[],"passivized":false}}`, []string{"OSMO"}},
		{"by its other name", old("disable_coin", `,"coin":"OSMOSIS"`), 200,
			`{"result":{"coin":"OSMOSIS","cancelled_orders":[],"passivized":false}}`, []string{"IRIS", "ATOM-IBC_IRIS"}},
		{"an inactive coin", old("disable_coin", `,"coin":"KMD"`), 500, fmt.Sprintf(absent, "KMD"), []string{"IRIS", "ATOM-IBC_IRIS", "OSMO"}},
		{"new form", request("disable_coin", `{"coin":"OSMO","force_disable":false}`), 200,
			`{"mmrpc":"2.0","result":{"coin":"OSMO","cancelled_orders":[],"passivized":false},"id":5}`, []string{"IRIS", "ATOM-IBC_IRIS"}},
		{"new form, an inactive coin", request("disable_coin", `{"coin":"KMD"}`), 404,
			failed("No such coin KMD", "coin", "NoSuchCoin", `{"coin":"KMD"}`, "5"), []string{"IRIS", "ATOM-IBC_IRIS", "OSMO"}},
		{"a wrong type", request("disable_coin", `{"coin":"OSMO","force_disable":"yes"}`), 400,
			failed(`Error parsing request: invalid type: string "yes", expected true or false (parameter "force_disable")`, "dispatcher", "InvalidRequest",
				`"invalid type: string \"yes\", expected true or false"`, "5"), []string{"IRIS", "ATOM-IBC_IRIS", "OSMO"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newCoinsBench(t, nil)
			b.activate(t, &bareCoin{"IRIS"}, newToken("ATOM-IBC_IRIS", "IRIS"))
			b.activate(t, &bareCoin{"OSMO"})
			status, reply := b.ask(t, c.body)
			require.Equal(t, c.status, status)
			require.Equal(t, c.want, untraced(reply))
			var left []string
			for _, active := range b.active.List() {
				left = append(left, active.Ticker())
			}
			require.Equal(t, c.left, left)
		})
	}
}

func TestDisablePassiveCoin(t *testing.T) {
	b := newCoinsBench(t, nil)
	b.activate(t, &bareCoin{"IRIS"}, newToken("ATOM-IBC_IRIS", "IRIS"))
	disable := func(force bool) int {
		status, _ := b.ask(t, request("disable_coin", fmt.Sprintf(`{"coin":"IRIS","force_disable":%t}`, force)))
		return status
	}
	require.Equal(t, 200, disable(false))
	require.Equal(t, 404, disable(false))
	require.Equal(t, 200, disable(true))
	require.Equal(t, 404, disable(true))
	require.Empty(t, b.active.List())
}

func TestCoinsInSwapsStayEnabled(t *testing.T) {
	var ledger *swap.Ledger
	b := newCoinsBench(t, func(a *coin.Active) []Area { return nil })
	ledger, err := swap.Open(t.Context(), b.kv, time.Now)
	require.NoError(t, err)
	b.Server = New(Options{Password: NewPassword(password), Now: time.Now}, activate.Coins{Active: b.active, Swaps: ledger})
	b.activate(t, &bareCoin{"ETH"}, newToken("USDT", "ETH"), newToken("DAI", "ETH"))
	b.activate(t, &bareCoin{"OSMO"})
	b.activate(t, &bareCoin{"ATOM"})
	one := number.Int(1)
	require.NoError(t, ledger.Begin(t.Context(), swap.Swap{ID: "uuid-1", Side: swap.Maker,
		Payment: swap.Payment{Coin: "USDT", Amount: one}, SpendFee: swap.Fee{Coin: "OSMOSIS", Amount: one}}))

	const said = "There are currently matching orders, active swaps"
	for _, params := range []string{`{"coin":"USDT"}`, `{"coin":"OSMO"}`, `{"coin":"OSMOSIS"}`, `{"coin":"ETH","force_disable":true}`} {
		status, reply := b.ask(t, request("disable_coin", params))
		require.Equal(t, 409, status, params)
		require.Equal(t, failed(said, "coin", "ActiveSwaps", `["uuid-1"]`, "5"), untraced(reply))
	}
	status, reply := b.ask(t, old("disable_coin", `,"coin":"USDT"`))
	require.Equal(t, 500, status)
	require.Equal(t, `{"error":"`+said+`","orders":{"matching":[],"cancelled":[]},"active_swaps":["uuid-1"]}`, reply)
	require.Len(t, b.active.List(), 5)
	for _, params := range []string{`{"coin":"ATOM"}`, `{"coin":"DAI"}`, `{"coin":"ETH"}`} {
		status, reply := b.ask(t, request("disable_coin", params))
		require.Equal(t, 200, status, reply)
	}
	require.NoError(t, ledger.Advance(t.Context(), "uuid-1", swap.Failed, ""))
	status, _ = b.ask(t, request("disable_coin", `{"coin":"USDT"}`))
	require.Equal(t, 200, status)
}

func TestMyBalance(t *testing.T) {
	b := newCoinsBench(t, nil)
	b.activate(t, &richCoin{bareCoin{"IRIS"}, "44.147264", nil}, newToken("ATOM-IBC_IRIS", "IRIS"))
	b.activate(t, &richCoin{bareCoin{"OSMO"}, "0", nil})
	dead := fmt.Errorf("%w: [https://rpc.example: timeout]", coin.ErrTransport)
	b.activate(t, &richCoin{bareCoin{"DEAD"}, "0", dead})
	b.activate(t, &richCoin{bareCoin{"ODD"}, "0", errors.New("secret path")})
	b.activate(t, &bareCoin{"NFT_ETH"})
	const deadText = "the coin's nodes are unreachable: [https://rpc.example: timeout]"
	const iris = `{"coin":"IRIS","balance":"44.147264","unspendable_balance":"0","address":"addr1IRIS"}`
	for _, c := range []struct {
		name   string
		body   string
		status int
		want   string
	}{
		{"old form", old("my_balance", `,"coin":"IRIS"`), 200, iris},
		{"new form", request("my_balance", `{"coin":"IRIS"}`), 200, `{"mmrpc":"2.0","result":` + iris + `,"id":5}`},
		{"a token", old("my_balance", `,"coin":"ATOM-IBC_IRIS"`), 200,
			`{"coin":"ATOM-IBC_IRIS","balance":"0.028306","unspendable_balance":"0","address":"addr1ATOM-IBC_IRIS"}`},
		{"nothing, by another name", old("my_balance", `,"coin":"OSMOSIS"`), 200,
			`{"coin":"OSMOSIS","balance":"0","unspendable_balance":"0","address":"addr1OSMO"}`},
		{"an inactive coin", request("my_balance", `{"coin":"KMD"}`), 404,
			failed("No such coin KMD", "coin", "NoSuchCoin", `{"coin":"KMD"}`, "5")},
		{"an inactive coin, old form", old("my_balance", `,"coin":"KMD"`), 500, "RPC call failed: coin:"},
		{"dead nodes", request("my_balance", `{"coin":"DEAD"}`), 500,
			failed("Transport error: "+deadText, "coin", "Transport", jsonString(deadText), "5")},
		{"an error of ours", request("my_balance", `{"coin":"ODD"}`), 500, "internal error, see the node's log"},
		{"no balance", request("my_balance", `{"coin":"NFT_ETH"}`), 400,
			failed("NFT_ETH has no balance of its own", "coin", "InvalidRequest", `"NFT_ETH has no balance of its own"`, "5")},
		{"no coin", request("my_balance", `{}`), 400, "missing field `coin`"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, reply := b.ask(t, c.body)
			require.Equal(t, c.status, status, reply)
			if strings.HasPrefix(c.want, "{") {
				require.Equal(t, c.want, untraced(reply))
				return
			}
			require.Contains(t, reply, c.want)
			require.NotContains(t, reply, "secret")
		})
	}
	_, reply := b.ask(t, request("my_balance", `{"coin":"`+strings.Repeat("x", 5000)+`"}`))
	require.Less(t, len(reply), 5500, "a long ticker is repeated once, in the data")
}

package activate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc"
	"obverse/core/mmrpc/activate"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/servertest"
	"obverse/core/number"
	"obverse/core/store/bunttest"
	"obverse/core/swap"
	"obverse/core/wallet/coin"
)

func TestGetEnabledCoins(t *testing.T) {
	b := servertest.NewCoinsBench(t, nil)
	_, reply := b.Ask(t, mmrpctest.Request("get_enabled_coins", `{}`))
	require.Equal(t, `{"mmrpc":"2.0","result":{"coins":[]},"id":5}`, reply)
	b.Add(t, &servertest.BareCoin{Symbol: "IRIS"}, servertest.NewToken("ATOM-IBC_IRIS", "IRIS"))
	b.Add(t, &servertest.BareCoin{Symbol: "OSMO"})
	b.Add(t, &servertest.BareCoin{Symbol: "ATOM"})
	const all = `{"mmrpc":"2.0","result":{"coins":[{"ticker":"IRIS"},{"ticker":"ATOM-IBC_IRIS"},{"ticker":"OSMO"},{"ticker":"ATOM"}]},"id":5}`
	for _, params := range []string{`{}`, `null`, `[]`} {
		status, reply := b.Ask(t, mmrpctest.Request("get_enabled_coins", params))
		require.Equal(t, 200, status)
		require.Equal(t, all, reply)
	}
	_, reply = b.Ask(t, mmrpctest.Request("disable_coin", `{"coin":"IRIS"}`))
	require.Equal(t, `{"mmrpc":"2.0","result":{"coin":"IRIS","cancelled_orders":[],"passivized":true},"id":5}`, reply)
	_, reply = b.Ask(t, mmrpctest.Request("get_enabled_coins", `{}`))
	require.Equal(t, strings.Replace(all, `{"ticker":"IRIS"},`, "", 1), reply, "a passive coin is not listed")
}

// TestEnabledCoinsThatWait checks that the list reports the coins that have not been restored
// yet.
func TestEnabledCoinsThatWait(t *testing.T) {
	kv := bunttest.Memory(t)
	before, err := coin.Open(t.Context(), coin.Config{Store: kv})
	require.NoError(t, err)
	x, err := before.Begin(t.Context(), "IRIS")
	require.NoError(t, err)
	require.NoError(t, x.Commit(t.Context(), coin.Item{Coin: &servertest.BareCoin{Symbol: "IRIS"}}))
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
		{"a token", mmrpctest.OldRequest("disable_coin", `,"coin":"ATOM-IBC_IRIS"`), 200,
			`{"result":{"coin":"ATOM-IBC_IRIS","cancelled_orders":[],"passivized":false}}`, []string{"IRIS", "OSMO"}},
		{"a platform with tokens", mmrpctest.OldRequest("disable_coin", `,"coin":"IRIS"`), 200,
			`{"result":{"coin":"IRIS","cancelled_orders":[],"passivized":true}}`, []string{"ATOM-IBC_IRIS", "OSMO"}},
		{"a platform with tokens, forced", mmrpctest.OldRequest("disable_coin", `,"coin":"IRIS","force_disable":true`), 200,
			`{"result":{"coin":"IRIS","cancelled_orders":[],"passivized":false}}`, []string{"OSMO"}},
		{"by its other name", mmrpctest.OldRequest("disable_coin", `,"coin":"OSMOSIS"`), 200,
			`{"result":{"coin":"OSMOSIS","cancelled_orders":[],"passivized":false}}`, []string{"IRIS", "ATOM-IBC_IRIS"}},
		{"an inactive coin", mmrpctest.OldRequest("disable_coin", `,"coin":"KMD"`), 500, fmt.Sprintf(absent, "KMD"), []string{"IRIS", "ATOM-IBC_IRIS", "OSMO"}},
		{"new form", mmrpctest.Request("disable_coin", `{"coin":"OSMO","force_disable":false}`), 200,
			`{"mmrpc":"2.0","result":{"coin":"OSMO","cancelled_orders":[],"passivized":false},"id":5}`, []string{"IRIS", "ATOM-IBC_IRIS"}},
		{"new form, an inactive coin", mmrpctest.Request("disable_coin", `{"coin":"KMD"}`), 404,
			mmrpctest.Failed("No such coin KMD", "coin", "NoSuchCoin", `{"coin":"KMD"}`, "5"), []string{"IRIS", "ATOM-IBC_IRIS", "OSMO"}},
		{"a wrong type", mmrpctest.Request("disable_coin", `{"coin":"OSMO","force_disable":"yes"}`), 400,
			mmrpctest.Failed(`Error parsing request: invalid type: string "yes", expected true or false (parameter "force_disable")`, "dispatcher", "InvalidRequest",
				`"invalid type: string \"yes\", expected true or false"`, "5"), []string{"IRIS", "ATOM-IBC_IRIS", "OSMO"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := servertest.NewCoinsBench(t, nil)
			b.Add(t, &servertest.BareCoin{Symbol: "IRIS"}, servertest.NewToken("ATOM-IBC_IRIS", "IRIS"))
			b.Add(t, &servertest.BareCoin{Symbol: "OSMO"})
			status, reply := b.Ask(t, c.body)
			require.Equal(t, c.status, status)
			require.Equal(t, c.want, mmrpctest.Untraced(reply))
			var left []string
			for _, active := range b.Active.List() {
				left = append(left, active.Ticker())
			}
			require.Equal(t, c.left, left)
		})
	}
}

func TestDisablePassiveCoin(t *testing.T) {
	b := servertest.NewCoinsBench(t, nil)
	b.Add(t, &servertest.BareCoin{Symbol: "IRIS"}, servertest.NewToken("ATOM-IBC_IRIS", "IRIS"))
	disable := func(force bool) int {
		status, _ := b.Ask(t, mmrpctest.Request("disable_coin", fmt.Sprintf(`{"coin":"IRIS","force_disable":%t}`, force)))
		return status
	}
	require.Equal(t, 200, disable(false))
	require.Equal(t, 404, disable(false))
	require.Equal(t, 200, disable(true))
	require.Equal(t, 404, disable(true))
	require.Empty(t, b.Active.List())
}

func TestCoinsInSwapsStayEnabled(t *testing.T) {
	var ledger *swap.Ledger
	b := servertest.NewCoinsBench(t, func(a *coin.Active) []mmrpc.Area { return nil })
	ledger, err := swap.Open(t.Context(), b.KV, time.Now)
	require.NoError(t, err)
	b.Server = mmrpc.New(mmrpc.Options{Password: mmrpc.NewPassword(mmrpctest.Userpass), Now: time.Now}, activate.Coins{Active: b.Active, Swaps: ledger})
	b.Add(t, &servertest.BareCoin{Symbol: "ETH"}, servertest.NewToken("USDT", "ETH"), servertest.NewToken("DAI", "ETH"))
	b.Add(t, &servertest.BareCoin{Symbol: "OSMO"})
	b.Add(t, &servertest.BareCoin{Symbol: "ATOM"})
	one := number.Int(1)
	require.NoError(t, ledger.Begin(t.Context(), swap.Swap{ID: "uuid-1", Side: swap.Maker,
		Payment: swap.Payment{Coin: "USDT", Amount: one}, SpendFee: swap.Fee{Coin: "OSMOSIS", Amount: one}}))

	const said = "There are currently matching orders, active swaps"
	for _, params := range []string{`{"coin":"USDT"}`, `{"coin":"OSMO"}`, `{"coin":"OSMOSIS"}`, `{"coin":"ETH","force_disable":true}`} {
		status, reply := b.Ask(t, mmrpctest.Request("disable_coin", params))
		require.Equal(t, 409, status, params)
		require.Equal(t, mmrpctest.Failed(said, "coin", "ActiveSwaps", `["uuid-1"]`, "5"), mmrpctest.Untraced(reply))
	}
	status, reply := b.Ask(t, mmrpctest.OldRequest("disable_coin", `,"coin":"USDT"`))
	require.Equal(t, 500, status)
	require.Equal(t, `{"error":"`+said+`","orders":{"matching":[],"cancelled":[]},"active_swaps":["uuid-1"]}`, reply)
	require.Len(t, b.Active.List(), 5)
	for _, params := range []string{`{"coin":"ATOM"}`, `{"coin":"DAI"}`, `{"coin":"ETH"}`} {
		status, reply := b.Ask(t, mmrpctest.Request("disable_coin", params))
		require.Equal(t, 200, status, reply)
	}
	require.NoError(t, ledger.Advance(t.Context(), "uuid-1", swap.Failed, ""))
	status, _ = b.Ask(t, mmrpctest.Request("disable_coin", `{"coin":"USDT"}`))
	require.Equal(t, 200, status)
}

func TestMyBalance(t *testing.T) {
	b := servertest.NewCoinsBench(t, nil)
	b.Add(t, &servertest.RichCoin{BareCoin: servertest.BareCoin{Symbol: "IRIS"}, Held: "44.147264", Fails: nil}, servertest.NewToken("ATOM-IBC_IRIS", "IRIS"))
	b.Add(t, &servertest.RichCoin{BareCoin: servertest.BareCoin{Symbol: "OSMO"}, Held: "0", Fails: nil})
	dead := fmt.Errorf("%w: [https://rpc.example: timeout]", coin.ErrTransport)
	b.Add(t, &servertest.RichCoin{BareCoin: servertest.BareCoin{Symbol: "DEAD"}, Held: "0", Fails: dead})
	b.Add(t, &servertest.RichCoin{BareCoin: servertest.BareCoin{Symbol: "ODD"}, Held: "0", Fails: errors.New("secret path")})
	b.Add(t, &servertest.BareCoin{Symbol: "NFT_ETH"})
	const deadText = "the coin's nodes are unreachable: [https://rpc.example: timeout]"
	const iris = `{"coin":"IRIS","balance":"44.147264","unspendable_balance":"0","address":"addr1IRIS"}`
	for _, c := range []struct {
		name   string
		body   string
		status int
		want   string
	}{
		{"old form", mmrpctest.OldRequest("my_balance", `,"coin":"IRIS"`), 200, iris},
		{"new form", mmrpctest.Request("my_balance", `{"coin":"IRIS"}`), 200, `{"mmrpc":"2.0","result":` + iris + `,"id":5}`},
		{"a token", mmrpctest.OldRequest("my_balance", `,"coin":"ATOM-IBC_IRIS"`), 200,
			`{"coin":"ATOM-IBC_IRIS","balance":"0.028306","unspendable_balance":"0","address":"addr1ATOM-IBC_IRIS"}`},
		{"nothing, by another name", mmrpctest.OldRequest("my_balance", `,"coin":"OSMOSIS"`), 200,
			`{"coin":"OSMOSIS","balance":"0","unspendable_balance":"0","address":"addr1OSMO"}`},
		{"an inactive coin", mmrpctest.Request("my_balance", `{"coin":"KMD"}`), 404,
			mmrpctest.Failed("No such coin KMD", "coin", "NoSuchCoin", `{"coin":"KMD"}`, "5")},
		{"an inactive coin, old form", mmrpctest.OldRequest("my_balance", `,"coin":"KMD"`), 500, "RPC call failed: coin:"},
		{"dead nodes", mmrpctest.Request("my_balance", `{"coin":"DEAD"}`), 500,
			mmrpctest.Failed("Transport error: "+deadText, "coin", "Transport", mmrpctest.Quote(deadText), "5")},
		{"an error of ours", mmrpctest.Request("my_balance", `{"coin":"ODD"}`), 500, "internal error, see the node's log"},
		{"no balance", mmrpctest.Request("my_balance", `{"coin":"NFT_ETH"}`), 400,
			mmrpctest.Failed("NFT_ETH has no balance of its own", "coin", "InvalidRequest", `"NFT_ETH has no balance of its own"`, "5")},
		{"no coin", mmrpctest.Request("my_balance", `{}`), 400, "missing field `coin`"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, reply := b.Ask(t, c.body)
			require.Equal(t, c.status, status, reply)
			if strings.HasPrefix(c.want, "{") {
				require.Equal(t, c.want, mmrpctest.Untraced(reply))
				return
			}
			require.Contains(t, reply, c.want)
			require.NotContains(t, reply, "secret")
		})
	}
	_, reply := b.Ask(t, mmrpctest.Request("my_balance", `{"coin":"`+strings.Repeat("x", 5000)+`"}`))
	require.Less(t, len(reply), 5500, "a long ticker is repeated once, in the data")
}

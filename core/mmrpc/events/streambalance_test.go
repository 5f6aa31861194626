package events_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/event"
	"obverse/core/mmrpc/events"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/servertest"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/cosmos/wire"
)

const (
	balanceEnable = "stream::balance::enable"
	irisStream    = `{"mmrpc":"2.0","result":{"streamer_id":"BALANCE:IRIS"},"id":5}`
)

func TestBalanceStream(t *testing.T) {
	servertest.StreamBench(t, func(t *testing.T, b *servertest.ChainsBench) {
		first, second := b.Client(t, 1), b.Client(t, 2)
		b.Ask(t, servertest.EnablingIris(`[{"ticker":"ATOM-IBC_IRIS"}]`, ``))
		synctest.Wait()
		require.Zero(t, b.Iris.Listeners(), "no client listens")
		_, reply := b.Ask(t, mmrpctest.Request(balanceEnable, `{"coin":"IRIS","client_id":1}`))
		require.Equal(t, irisStream, reply)
		_, reply = b.Ask(t, mmrpctest.Request(balanceEnable, `{"coin":"IRIS","client_id":2,"config":{}}`))
		require.Equal(t, irisStream, reply)
		_, reply = b.Ask(t, mmrpctest.Request(balanceEnable, `{"coin":"ATOM-IBC_IRIS","client_id":2,"config":null}`))
		require.Equal(t, `{"mmrpc":"2.0","result":{"streamer_id":"BALANCE:ATOM-IBC_IRIS"},"id":5}`, reply)
		synctest.Wait()
		require.Equal(t, 1, b.Iris.CallCount("websocket"), "one, however many clients there are")
		require.Equal(t, 2, b.Iris.CallCount("subscribe"))
		require.Empty(t, first(), "nothing has changed")

		b.Iris.Give(servertest.IrisBob, "uiris", "45000000")
		b.Iris.Announce(servertest.IrisBob)
		const changed = `{"_type":"BALANCE:IRIS","message":[{"ticker":"IRIS","balance":{"spendable":"45","unspendable":"0"}}]}`
		require.Equal(t, []string{changed}, first())
		require.Equal(t, []string{changed}, second())

		b.Iris.Give(servertest.IrisBob, "uiris", "46000000")
		b.Iris.Give(servertest.IrisBob, servertest.Voucher, "1")
		b.Iris.Announce(servertest.IrisBob)
		require.Equal(t, []string{`{"_type":"BALANCE:IRIS","message":[{"ticker":"IRIS","balance":{"spendable":"46","unspendable":"0"}},` +
			`{"ticker":"ATOM-IBC_IRIS","balance":{"spendable":"0.000001","unspendable":"0"}}]}`}, first())
		require.Len(t, second(), 2, "of the coin and of the token")
		b.Iris.Announce(servertest.IrisBob)
		require.Empty(t, first(), "a transaction that changed nothing")

		before := b.Iris.CallCount(wire.PathBalance)
		time.Sleep(10 * time.Minute)
		require.Equal(t, before, b.Iris.CallCount(wire.PathBalance), "a listener polls no node")

		_, reply = b.Ask(t, mmrpctest.Request(streamDisable, `{"client_id":1,"streamer_id":"BALANCE:IRIS"}`))
		require.Contains(t, reply, "Success")
		synctest.Wait()
		require.Equal(t, 1, b.Iris.Listeners())
		for _, id := range []string{"IRIS", "ATOM-IBC_IRIS"} {
			b.Ask(t, mmrpctest.Request(streamDisable, `{"client_id":2,"streamer_id":"BALANCE:`+id+`"}`))
		}
		synctest.Wait()
		require.Zero(t, b.Iris.Listeners(), "it ends with the last client")
		b.Iris.Give(servertest.IrisBob, "uiris", "47000000")
		_, reply = b.Ask(t, mmrpctest.Request(balanceEnable, `{"coin":"IRIS","client_id":1}`))
		require.Equal(t, irisStream, reply)
		require.Empty(t, first(), "no event reports a change from before the subscription")
	})
}

// TestBalanceStreamOfAnAssetActivatedLater checks that an asset that is activated while its
// chain is being watched is watched as well, although nodes report only its first transaction.
func TestBalanceStreamOfAnAssetActivatedLater(t *testing.T) {
	servertest.StreamBench(t, func(t *testing.T, b *servertest.ChainsBench) {
		got := b.Client(t, 0)
		b.Ask(t, servertest.EnablingIris(`[]`, ``))
		b.Ask(t, mmrpctest.Request(balanceEnable, `{"coin":"IRIS"}`))
		synctest.Wait()
		_, reply := b.Ask(t, mmrpctest.Request("enable_tendermint_token", `{"ticker":"ATOM-IBC_IRIS","activation_params":{}}`))
		require.Contains(t, reply, `"result"`)
		time.Sleep(10 * time.Minute)
		require.Empty(t, got())
		b.Iris.Give(servertest.IrisBob, servertest.Voucher, "7")
		b.Iris.Announce(servertest.IrisBob)
		require.Equal(t, []string{`{"_type":"BALANCE:IRIS","message":[{"ticker":"ATOM-IBC_IRIS","balance":{"spendable":"0.000007","unspendable":"0"}}]}`}, got())
	})
}

// TestBalanceStreamThatBreaks checks that a broken connection is opened again, and that changes
// in the meantime are found.
func TestBalanceStreamThatBreaks(t *testing.T) {
	servertest.StreamBench(t, func(t *testing.T, b *servertest.ChainsBench) {
		got := b.Client(t, 0)
		b.Ask(t, servertest.EnablingIris(`[]`, ``))
		b.Ask(t, mmrpctest.Request(balanceEnable, `{"coin":"IRIS"}`))
		synctest.Wait()
		b.Iris.Give(servertest.IrisBob, "uiris", "45000000")
		b.Iris.Hangup()
		require.Empty(t, got())
		time.Sleep(3 * time.Second)
		require.Equal(t, []string{`{"_type":"BALANCE:IRIS","message":[{"ticker":"IRIS","balance":{"spendable":"45","unspendable":"0"}}]}`}, got())
		require.Equal(t, 2, b.Iris.CallCount("websocket"))

		b.Net.Set(servertest.IrisURL, nodetest.Dead)
		b.Iris.Give(servertest.IrisBob, "uiris", "46000000")
		b.Iris.Announce(servertest.IrisBob)
		require.Equal(t, []string{`{"_type":"ERROR:BALANCE:IRIS","message":{"error":"All the current rpc nodes are unavailable. ` +
			`(https://iris.example: unreachable: connection refused)"}}`}, got())
		b.Net.Set(servertest.IrisURL, nodetest.Well(b.Iris))
		time.Sleep(time.Minute)
		require.Equal(t, []string{`{"_type":"BALANCE:IRIS","message":[{"ticker":"IRIS","balance":{"spendable":"46","unspendable":"0"}}]}`}, got(),
			"the missed change is reported")
	})
}

// TestBalanceStreamWithoutWebsockets checks that without websockets the balances are polled
// about once per block.
func TestBalanceStreamWithoutWebsockets(t *testing.T) {
	servertest.StreamBench(t, func(t *testing.T, b *servertest.ChainsBench) {
		b.Dialer = nil
		got := b.Client(t, 0)
		b.Ask(t, servertest.EnablingIris(`[{"ticker":"ATOM-IBC_IRIS"}]`, ``))
		b.Ask(t, mmrpctest.Request(balanceEnable, `{"coin":"IRIS"}`))
		require.Empty(t, got())
		before := b.Iris.CallCount(wire.PathBalance)
		b.Iris.Give(servertest.IrisBob, servertest.Voucher, "7")
		time.Sleep(70 * time.Second)
		require.Equal(t, []string{`{"_type":"BALANCE:IRIS","message":[{"ticker":"ATOM-IBC_IRIS","balance":{"spendable":"0.000007","unspendable":"0"}}]}`}, got())
		require.Equal(t, 2*10, b.Iris.CallCount(wire.PathBalance)-before, "every 7 seconds, both denoms")
	})
}

// TestBalanceStreamOfACoinThatIsReplaced checks that the stream continues when the coin is
// activated with other nodes, and reports when the coin is disabled.
func TestBalanceStreamOfACoinThatIsReplaced(t *testing.T) {
	kv := mmrpctest.MemoryKV(t)
	synctest.Test(t, func(t *testing.T) {
		b := servertest.OpenChainsBench(t, kv)
		b.Ask(t, servertest.EnablingIris(`[]`, ``))
		b = servertest.OpenChainsBench(t, kv)
		b.Dialer = nodetest.Sockets{"wss://iris.example/websocket": b.Iris}
		require.NoError(t, b.Restore(t.Context(), b.Active.Saved()[0]))
		b.Running(t)
		got := b.Client(t, 0)
		b.Ask(t, mmrpctest.Request(balanceEnable, `{"coin":"IRIS"}`))
		synctest.Wait()
		require.Equal(t, 1, b.Iris.Listeners())
		status, reply := b.Ask(t, servertest.EnablingIris(`[]`, ``))
		require.Equal(t, 200, status, reply)
		synctest.Wait()
		require.Equal(t, 1, b.Iris.Listeners())
		require.Equal(t, 2, b.Iris.CallCount("websocket"), "the new coin listens")
		b.Iris.Give(servertest.IrisBob, "uiris", "45000000")
		b.Iris.Announce(servertest.IrisBob)
		require.Equal(t, []string{`{"_type":"BALANCE:IRIS","message":[{"ticker":"IRIS","balance":{"spendable":"45","unspendable":"0"}}]}`}, got())

		b.Ask(t, mmrpctest.Request("disable_coin", `{"coin":"IRIS"}`))
		require.Equal(t, []string{`{"_type":"ERROR:BALANCE:IRIS","message":{"error":"IRIS: the coin is not activated"}}`}, got())
		require.Zero(t, b.Iris.Listeners())
	})
}

func TestBalanceStreamFailures(t *testing.T) {
	b := servertest.NewChainsBench(t)
	b.Add(t, &servertest.BareCoin{Symbol: "BARE"})
	b.Ask(t, servertest.EnablingIris(`[]`, ``))
	const reason = "Invalid config provided. No config needed"
	for _, c := range []struct {
		params string
		status int
		want   string
	}{
		{`{"coin":"TIME"}`, 404, `{"mmrpc":"2.0","error":"CoinNotFound: TIME is not activated","error_path":"streamcoin","error_trace":"TRACE","error_type":"CoinNotFound","id":5}`},
		{`{"coin":"BARE"}`, 501, `{"mmrpc":"2.0","error":"CoinNotSupported: BARE has no stream of balances","error_path":"streamcoin","error_trace":"TRACE","error_type":"CoinNotSupported","id":5}`},
		{`{"coin":"IRIS","config":{"stream_interval_seconds":1}}`, 400, mmrpctest.Failed(reason, "streamcoin", "EnableError", `"`+reason+`"`, "5")},
		{`{"coin":"IRIS","config":[]}`, 400, mmrpctest.Failed(reason, "streamcoin", "EnableError", `"`+reason+`"`, "5")},
		{`{"coin":"IRIS","config":{ }}`, 400, mmrpctest.Failed("UnknownClient", "stream", "EnableError", `"UnknownClient"`, "5")},
	} {
		status, reply := b.Ask(t, mmrpctest.Request(balanceEnable, c.params))
		require.Equal(t, c.status, status, reply)
		require.Equal(t, c.want, mmrpctest.Untraced(reply))
	}
	connection, err := b.Events.Connect(0, nil)
	require.NoError(t, err)
	defer connection.Close()
	_, reply := b.Ask(t, mmrpctest.Request(balanceEnable, `{"coin":"IRIS"}`))
	require.Equal(t, irisStream, reply)
	status, reply := b.Ask(t, mmrpctest.Request(balanceEnable, `{"coin":"IRIS"}`))
	require.Equal(t, 400, status)
	require.Contains(t, reply, `"error_data":"ClientAlreadyListening"`)
	require.NoError(t, event.CheckID("BALANCE:IRIS"))
	require.ErrorIs(t, events.CoinSource{Ticker: "TIME", Active: b.Active, Watch: events.WatchBalances}.Run(t.Context(), nil), coin.ErrNotActive)
	require.ErrorContains(t, events.CoinSource{Ticker: "BARE", Active: b.Active, Watch: events.WatchBalances}.Run(t.Context(), nil), "no stream of balances")
}

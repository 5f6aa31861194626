package mmrpc

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/event"
	"obverse/core/mmrpc/events"
	"obverse/core/store"
	"obverse/core/store/bunt"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/cosmos/wire"
)

// running does the work of the bench's coins and streams until the test ends.
func (b *chainsBench) running(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	go func() { ended <- b.active.Run(ctx) }()
	go func() { ended <- b.events.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
		require.ErrorIs(t, <-ended, context.Canceled)
	})
}

// client opens an event stream. got gives the events until now.
func (b *chainsBench) client(t *testing.T, id uint64) (got func() []string) {
	t.Helper()
	connection, err := b.events.Connect(id, nil)
	require.NoError(t, err)
	t.Cleanup(connection.Close)
	return func() (texts []string) {
		for {
			synctest.Wait()
			ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
			e, err := connection.Next(ctx)
			cancel()
			if err != nil {
				return texts
			}
			texts = append(texts, e.Text)
		}
	}
}

func streamBench(t *testing.T, f func(t *testing.T, b *chainsBench)) {
	t.Helper()
	kv := memoryKV(t) // outside: buntdb has a goroutine
	synctest.Test(t, func(t *testing.T) {
		b := openChainsBench(t, kv)
		b.Dialer = nodetest.Sockets{"wss://iris.example/websocket": b.iris}
		b.running(t)
		f(t, b)
	})
}

func memoryKV(t *testing.T) store.KV {
	t.Helper()
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kv.Close()) })
	return kv
}

const (
	balanceEnable = "stream::balance::enable"
	irisStream    = `{"mmrpc":"2.0","result":{"streamer_id":"BALANCE:IRIS"},"id":5}`
)

func TestBalanceStream(t *testing.T) {
	streamBench(t, func(t *testing.T, b *chainsBench) {
		first, second := b.client(t, 1), b.client(t, 2)
		b.ask(t, enablingIris(`[{"ticker":"ATOM-IBC_IRIS"}]`, ``))
		synctest.Wait()
		require.Zero(t, b.iris.Listeners(), "nobody wants to know")
		_, reply := b.ask(t, request(balanceEnable, `{"coin":"IRIS","client_id":1}`))
		require.Equal(t, irisStream, reply)
		_, reply = b.ask(t, request(balanceEnable, `{"coin":"IRIS","client_id":2,"config":{}}`))
		require.Equal(t, irisStream, reply)
		_, reply = b.ask(t, request(balanceEnable, `{"coin":"ATOM-IBC_IRIS","client_id":2,"config":null}`))
		require.Equal(t, `{"mmrpc":"2.0","result":{"streamer_id":"BALANCE:ATOM-IBC_IRIS"},"id":5}`, reply)
		synctest.Wait()
		require.Equal(t, 1, b.iris.Asked("websocket"), "one, however many clients there are")
		require.Equal(t, 2, b.iris.Asked("subscribe"))
		require.Empty(t, first(), "nothing has changed")

		b.iris.Give(irisBob, "uiris", "45000000")
		b.iris.Announce(irisBob)
		const changed = `{"_type":"BALANCE:IRIS","message":[{"ticker":"IRIS","balance":{"spendable":"45","unspendable":"0"}}]}`
		require.Equal(t, []string{changed}, first())
		require.Equal(t, []string{changed}, second())

		b.iris.Give(irisBob, "uiris", "46000000")
		b.iris.Give(irisBob, voucher, "1")
		b.iris.Announce(irisBob)
		require.Equal(t, []string{`{"_type":"BALANCE:IRIS","message":[{"ticker":"IRIS","balance":{"spendable":"46","unspendable":"0"}},` +
			`{"ticker":"ATOM-IBC_IRIS","balance":{"spendable":"0.000001","unspendable":"0"}}]}`}, first())
		require.Len(t, second(), 2, "of the coin and of the token")
		b.iris.Announce(irisBob)
		require.Empty(t, first(), "a transaction that changed nothing")

		asked := b.iris.Asked(wire.PathBalance)
		time.Sleep(10 * time.Minute)
		require.Equal(t, asked, b.iris.Asked(wire.PathBalance), "who is told need not ask")

		_, reply = b.ask(t, request(streamDisable, `{"client_id":1,"streamer_id":"BALANCE:IRIS"}`))
		require.Contains(t, reply, "Success")
		synctest.Wait()
		require.Equal(t, 1, b.iris.Listeners())
		for _, id := range []string{"IRIS", "ATOM-IBC_IRIS"} {
			b.ask(t, request(streamDisable, `{"client_id":2,"streamer_id":"BALANCE:`+id+`"}`))
		}
		synctest.Wait()
		require.Zero(t, b.iris.Listeners(), "it ends with the last client")
		b.iris.Give(irisBob, "uiris", "47000000")
		_, reply = b.ask(t, request(balanceEnable, `{"coin":"IRIS","client_id":1}`))
		require.Equal(t, irisStream, reply)
		require.Empty(t, first(), "what changed while nobody listened is no news")
	})
}

// An asset that is activated while its chain is watched is watched from then on, though nodes
// tell of its first transaction alone.
func TestBalanceStreamOfAnAssetActivatedLater(t *testing.T) {
	streamBench(t, func(t *testing.T, b *chainsBench) {
		got := b.client(t, 0)
		b.ask(t, enablingIris(`[]`, ``))
		b.ask(t, request(balanceEnable, `{"coin":"IRIS"}`))
		synctest.Wait()
		_, reply := b.ask(t, request("enable_tendermint_token", `{"ticker":"ATOM-IBC_IRIS","activation_params":{}}`))
		require.Contains(t, reply, `"result"`)
		time.Sleep(10 * time.Minute)
		require.Empty(t, got())
		b.iris.Give(irisBob, voucher, "7")
		b.iris.Announce(irisBob)
		require.Equal(t, []string{`{"_type":"BALANCE:IRIS","message":[{"ticker":"ATOM-IBC_IRIS","balance":{"spendable":"0.000007","unspendable":"0"}}]}`}, got())
	})
}

// A connection that breaks is opened again, and what happened meanwhile is found.
func TestBalanceStreamThatBreaks(t *testing.T) {
	streamBench(t, func(t *testing.T, b *chainsBench) {
		got := b.client(t, 0)
		b.ask(t, enablingIris(`[]`, ``))
		b.ask(t, request(balanceEnable, `{"coin":"IRIS"}`))
		synctest.Wait()
		b.iris.Give(irisBob, "uiris", "45000000")
		b.iris.Hangup()
		require.Empty(t, got())
		time.Sleep(3 * time.Second)
		require.Equal(t, []string{`{"_type":"BALANCE:IRIS","message":[{"ticker":"IRIS","balance":{"spendable":"45","unspendable":"0"}}]}`}, got())
		require.Equal(t, 2, b.iris.Asked("websocket"))

		b.net.Set(irisURL, nodetest.Dead)
		b.iris.Give(irisBob, "uiris", "46000000")
		b.iris.Announce(irisBob)
		require.Equal(t, []string{`{"_type":"ERROR:BALANCE:IRIS","message":{"error":"All the current rpc nodes are unavailable. ` +
			`(https://iris.example: unreachable: connection refused)"}}`}, got())
		b.net.Set(irisURL, nodetest.Well(b.iris))
		time.Sleep(time.Minute)
		require.Equal(t, []string{`{"_type":"BALANCE:IRIS","message":[{"ticker":"IRIS","balance":{"spendable":"46","unspendable":"0"}}]}`}, got(),
			"what was missed is told")
	})
}

// Without websockets the balances are looked at about as often as there are blocks.
func TestBalanceStreamWithoutWebsockets(t *testing.T) {
	streamBench(t, func(t *testing.T, b *chainsBench) {
		b.Dialer = nil
		got := b.client(t, 0)
		b.ask(t, enablingIris(`[{"ticker":"ATOM-IBC_IRIS"}]`, ``))
		b.ask(t, request(balanceEnable, `{"coin":"IRIS"}`))
		require.Empty(t, got())
		before := b.iris.Asked(wire.PathBalance)
		b.iris.Give(irisBob, voucher, "7")
		time.Sleep(70 * time.Second)
		require.Equal(t, []string{`{"_type":"BALANCE:IRIS","message":[{"ticker":"ATOM-IBC_IRIS","balance":{"spendable":"0.000007","unspendable":"0"}}]}`}, got())
		require.Equal(t, 2*10, b.iris.Asked(wire.PathBalance)-before, "every 7 seconds, both denoms")
	})
}

// The stream goes on when the coin gets other nodes, and says so when the coin is gone.
func TestBalanceStreamOfACoinThatIsReplaced(t *testing.T) {
	kv := memoryKV(t)
	synctest.Test(t, func(t *testing.T) {
		b := openChainsBench(t, kv)
		b.ask(t, enablingIris(`[]`, ``))
		b = openChainsBench(t, kv)
		b.Dialer = nodetest.Sockets{"wss://iris.example/websocket": b.iris}
		require.NoError(t, b.Restore(t.Context(), b.active.Saved()[0]))
		b.running(t)
		got := b.client(t, 0)
		b.ask(t, request(balanceEnable, `{"coin":"IRIS"}`))
		synctest.Wait()
		require.Equal(t, 1, b.iris.Listeners())
		status, reply := b.ask(t, enablingIris(`[]`, ``))
		require.Equal(t, 200, status, reply)
		synctest.Wait()
		require.Equal(t, 1, b.iris.Listeners())
		require.Equal(t, 2, b.iris.Asked("websocket"), "the new coin listens")
		b.iris.Give(irisBob, "uiris", "45000000")
		b.iris.Announce(irisBob)
		require.Equal(t, []string{`{"_type":"BALANCE:IRIS","message":[{"ticker":"IRIS","balance":{"spendable":"45","unspendable":"0"}}]}`}, got())

		b.ask(t, request("disable_coin", `{"coin":"IRIS"}`))
		require.Equal(t, []string{`{"_type":"ERROR:BALANCE:IRIS","message":{"error":"IRIS: the coin is not activated"}}`}, got())
		require.Zero(t, b.iris.Listeners())
	})
}

func TestBalanceStreamFailures(t *testing.T) {
	b := newChainsBench(t)
	b.activate(t, &bareCoin{"BARE"})
	b.ask(t, enablingIris(`[]`, ``))
	const reason = "Invalid config provided. No config needed"
	for _, c := range []struct {
		params string
		status int
		want   string
	}{
		{`{"coin":"TIME"}`, 404, `{"mmrpc":"2.0","error":"CoinNotFound: TIME is not activated","error_path":"streamcoin","error_trace":"TRACE","error_type":"CoinNotFound","id":5}`},
		{`{"coin":"BARE"}`, 501, `{"mmrpc":"2.0","error":"CoinNotSupported: BARE has no stream of balances","error_path":"streamcoin","error_trace":"TRACE","error_type":"CoinNotSupported","id":5}`},
		{`{"coin":"IRIS","config":{"stream_interval_seconds":1}}`, 400, failed(reason, "streamcoin", "EnableError", `"`+reason+`"`, "5")},
		{`{"coin":"IRIS","config":[]}`, 400, failed(reason, "streamcoin", "EnableError", `"`+reason+`"`, "5")},
		{`{"coin":"IRIS","config":{ }}`, 400, failed("UnknownClient", "stream", "EnableError", `"UnknownClient"`, "5")},
	} {
		status, reply := b.ask(t, request(balanceEnable, c.params))
		require.Equal(t, c.status, status, reply)
		require.Equal(t, c.want, untraced(reply))
	}
	connection, err := b.events.Connect(0, nil)
	require.NoError(t, err)
	defer connection.Close()
	_, reply := b.ask(t, request(balanceEnable, `{"coin":"IRIS"}`))
	require.Equal(t, irisStream, reply)
	status, reply := b.ask(t, request(balanceEnable, `{"coin":"IRIS"}`))
	require.Equal(t, 400, status)
	require.Contains(t, reply, `"error_data":"ClientAlreadyListening"`)
	require.NoError(t, event.CheckID("BALANCE:IRIS"))
	require.ErrorIs(t, events.CoinSource{Ticker: "TIME", Active: b.active, Watch: events.WatchBalances}.Run(t.Context(), nil), coin.ErrNotActive)
	require.ErrorContains(t, events.CoinSource{Ticker: "BARE", Active: b.active, Watch: events.WatchBalances}.Run(t.Context(), nil), "no stream of balances")
}

package events_test

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/event"
	"obverse/core/mmrpc"
	"obverse/core/mmrpc/events"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/servertest"
	"obverse/core/number"
	"obverse/core/wallet/coin"
)

// watched is a coin with transactions created by a test.
type watched struct {
	servertest.BareCoin
	none bool
	news chan coin.Transaction
}

func (w *watched) HasHistory() bool { return !w.none }

func (*watched) History(context.Context, coin.HistoryQuery) (coin.History, error) {
	return coin.History{}, nil
}

func (w *watched) WatchHistory(ctx context.Context, tell func(coin.Transaction, uint64)) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case tx := <-w.news:
			tell(tx, 50)
		}
	}
}

func TestHistoryStream(t *testing.T) {
	kv := mmrpctest.MemoryKV(t)
	synctest.Test(t, func(t *testing.T) {
		b := servertest.OpenChainsBench(t, kv)
		s := mmrpc.New(mmrpc.Options{Password: mmrpc.NewPassword(mmrpctest.Userpass), Now: time.Now}, events.CoinStreams{Hub: b.Events, Active: b.Active}, events.Streams{Hub: b.Events})
		coins := &watched{BareCoin: servertest.BareCoin{Symbol: "X"}, news: make(chan coin.Transaction)}
		b.Add(t, coins)
		b.Add(t, &watched{BareCoin: servertest.BareCoin{Symbol: "Y"}, none: true})
		b.Add(t, &servertest.BareCoin{Symbol: "BARE"})
		b.Running(t)
		got := b.Client(t, 0)
		enable := func(params string) string {
			_, reply := s.Serve(t.Context(), mmrpctest.Here, []byte(mmrpctest.Request("stream::tx_history::enable", params)))
			return string(reply)
		}
		require.Contains(t, enable(`{"coin":"X"}`), `"result":{"streamer_id":"TX_HISTORY:X"}`)
		coins.news <- coin.Transaction{Hash: "AB", ID: "ab", Height: 41, Timestamp: 5, Coin: "X", Kind: coin.KindTransfer, Total: number.Int(3), Spent: number.Int(0), Received: number.Int(3),
			Fee: coin.Fee{Type: "Tendermint", Coin: "X", Amount: number.Int(0)}}
		list := got()
		require.Len(t, list, 1)
		var e struct {
			Type    string `json:"_type"`
			Message struct {
				Hash          string `json:"tx_hash"`
				Change        string `json:"my_balance_change"`
				Height        int    `json:"block_height"`
				Confirmations int
				ID            string `json:"internal_id"`
				Fee           any    `json:"fee_details"`
			}
		}
		require.NoError(t, json.Unmarshal([]byte(list[0]), &e))
		require.Equal(t, "TX_HISTORY:X", e.Type)
		require.Equal(t, "AB", e.Message.Hash)
		require.Equal(t, "3", e.Message.Change)
		require.Equal(t, 10, e.Message.Confirmations)
		require.NotNil(t, e.Message.Fee)
		for params, want := range map[string]string{
			`{"coin":"X"}`:                  `"error_data":"ClientAlreadyListening"`,
			`{"coin":"X","client_id":9}`:    `"error_data":"UnknownClient"`,
			`{"coin":"X","config":{"a":1}}`: "No config needed",
			`{"coin":"Y","config":{"a":1}}`: "No config needed",
			`{"coin":"Y"}`:                  "Y has no history: activate it with tx_history",
			`{"coin":"BARE"}`:               `"error_type":"CoinNotSupported"`,
			`{"coin":"NO"}`:                 `"error_type":"CoinNotFound"`,
		} {
			require.Contains(t, enable(params), want)
		}
		require.ErrorIs(t, events.CoinSource{Ticker: "NO", Active: b.Active, Watch: events.WatchHistory}.Run(t.Context(), nil), coin.ErrNotActive)
		require.ErrorContains(t, events.CoinSource{Ticker: "BARE", Active: b.Active, Watch: events.WatchHistory}.Run(t.Context(), nil), "no stream of transactions")
	})
}

// paid is a coin with gas prices.
type paid struct {
	servertest.BareCoin
	fails atomic.Bool
}

func (p *paid) FeeLevels(context.Context) (coin.FeeLevels, error) {
	l := coin.FeeLevels{BaseFee: number.Int(7)}
	for i := range l.Levels {
		l.Levels[i].Tip, l.Levels[i].Max = number.Int(1), number.Int(9)
	}
	if p.fails.Load() {
		return l, coin.ErrNoFeeLevels
	}
	return l, nil
}

func TestFeeStream(t *testing.T) {
	kv := mmrpctest.MemoryKV(t)
	synctest.Test(t, func(t *testing.T) {
		b := servertest.OpenChainsBench(t, kv)
		s := mmrpc.New(mmrpc.Options{Password: mmrpc.NewPassword(mmrpctest.Userpass), Now: time.Now}, events.CoinStreams{Hub: b.Events, Active: b.Active})
		gas := &paid{BareCoin: servertest.BareCoin{Symbol: "ETH"}}
		b.Add(t, gas)
		b.Add(t, &servertest.BareCoin{Symbol: "BARE"})
		b.Running(t)
		got := b.Client(t, 0)
		enable := func(params string) string {
			_, reply := s.Serve(t.Context(), mmrpctest.Here, []byte(mmrpctest.Request("stream::fee_estimator::enable", params)))
			return string(reply)
		}
		require.Contains(t, enable(`{"coin":"BARE"}`), `"error_type":"CoinNotSupported"`)
		require.Contains(t, enable(`{"coin":"NO"}`), `"error_type":"CoinNotFound"`)
		require.Contains(t, enable(`{"coin":"ETH","config":{"estimate_every":0.01}}`), `"error_type":"InvalidRequest"`)
		require.Contains(t, enable(`{"coin":"ETH","config":{"other":1}}`), "unknown field `other`")
		require.Contains(t, enable(`{"coin":"ETH"}`), `"result":{"streamer_id":"FEE_ESTIMATION:ETH"}`)
		first := got()
		require.Len(t, first, 1)
		require.Contains(t, first[0], `{"_type":"FEE_ESTIMATION:ETH","message":{"base_fee":"7","low":{"max_priority_fee_per_gas":"1"`)
		time.Sleep(time.Minute)
		require.Len(t, got(), 4, "one in 15 seconds")
		gas.fails.Store(true)
		time.Sleep(15 * time.Second)
		require.Contains(t, got()[0], `{"_type":"ERROR:FEE_ESTIMATION:ETH","message":{"error":"Gas fee estimation not supported`)
	})
}

func TestNodeStreams(t *testing.T) {
	kv := mmrpctest.MemoryKV(t)
	synctest.Test(t, func(t *testing.T) {
		b := servertest.OpenChainsBench(t, kv)
		s := mmrpc.New(mmrpc.Options{Password: mmrpc.NewPassword(mmrpctest.Userpass), Now: time.Now}, events.Streams{Hub: b.Events, Ends: true})
		b.Running(t)
		got, other := b.Client(t, 0), b.Client(t, 1)
		enable := func(method, params string) string {
			_, reply := s.Serve(t.Context(), mmrpctest.Here, []byte(mmrpctest.Request(method, params)))
			return string(reply)
		}
		const network, shutdown = "stream::network::enable", "stream::shutdown_signal::enable"
		require.Contains(t, enable(network, `{"client_id":9}`), `"error_data":"UnknownClient"`)
		require.Contains(t, enable(network, `{"client_id":0}`), `"result":{"streamer_id":"NETWORK"}`)
		require.Contains(t, enable(network, `{"client_id":1,"config":{"stream_interval_seconds":2,"always_send":true}}`), `"streamer_id":"NETWORK"`)
		require.Contains(t, enable(network, `{"config":{"other":true}}`), "unknown field `other`")
		time.Sleep(10 * time.Second)
		require.Equal(t, []string{`{"_type":"NETWORK","message":{"directly_connected_peers":{},"gossip_mesh":{},"gossip_peer_topics":{},"gossip_topic_peers":{},"relay_mesh":[]}}`}, got())
		require.Len(t, other(), 5)

		require.Contains(t, enable(shutdown, `{}`), `"result":{"streamer_id":"SHUTDOWN_SIGNAL"}`)
		require.Contains(t, enable(shutdown, `{}`), `"error_data":"ClientAlreadyListening"`)
		require.NoError(t, b.Events.Publish(event.ShutdownID, "SIGTERM"))
		require.Equal(t, []string{`{"_type":"SHUTDOWN_SIGNAL","message":"SIGTERM"}`}, got())
		require.Contains(t, enable(streamDisable, `{"streamer_id":"SHUTDOWN_SIGNAL"}`), "Success")
	})
	_, err := streamCall(t, event.New(event.Config{Now: time.Now}), "stream::shutdown_signal::enable", `{}`)
	require.ErrorContains(t, err, "does not end", "of a node without a way to end it")
}

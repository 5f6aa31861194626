package servertest

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/event"
	"obverse/core/key"
	"obverse/core/mmrpc"
	"obverse/core/mmrpc/activate"
	"obverse/core/mmrpc/events"
	"obverse/core/mmrpc/history"
	"obverse/core/mmrpc/keys"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/send"
	"obverse/core/mmrpc/trading"
	"obverse/core/net/fetch"
	"obverse/core/store"
	"obverse/core/store/bunt"
	"obverse/core/swap"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos"
	"obverse/core/wallet/cosmos/nodetest"
)

// TestCoins are a user's coin entries, most of them with a defect.
const TestCoins = `[{"coin":"NONE","mm2":1},{"coin":"WOOF","mm2":1,"protocol":{"type":"WOOF"}},{"coin":"KMD","mm2":1,"protocol":{"type":"UTXO"}},
	{"coin":"USDT","mm2":1,"protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":"0x0"}}},
	{"coin":"SAYS-NOTHING","protocol":{"type":"TENDERMINT","protocol_data":{"decimals":6,"denom":"u","account_prefix":"x","chain_id":"x"}}},
	{"coin":"TOKEN-OF-KMD","mm2":1,"protocol":{"type":"TENDERMINTTOKEN","protocol_data":{"platform":"KMD","decimals":6,"denom":"u"}}},
	{"coin":"OFF","mm2":0,"protocol":{"type":"TENDERMINT","protocol_data":{"decimals":6,"denom":"u","account_prefix":"x","chain_id":"x"}}}]`

const (
	Recordings = "../../wallet/cosmos/testdata" // path from a package below core/mmrpc
	HubURL     = "https://hub.example/"
	IrisURL    = "https://iris.example/"
	// Address and asset of bob on the simulated chain.
	IrisBob = "iaa1k5rq3z4z5w6tk8dr52dlqr8p54gw580eghf5js"
	Voucher = "ibc/27394FB092D2ECCD56123C74F36E4C1F926001CEADA9CA97EA622B25F41E5EB2"
)

// session is the provider of an external wallet with bob's keys.
type session struct{ *key.Ring }

func (session) Policy() key.PolicyName { return key.NameSessionWallet }

// NewCosmosActivator returns an activator of coins with bob's key, whose nodes are reached with
// the given fetcher.
func NewCosmosActivator(t testing.TB, kv store.KV, active *coin.Active, network fetch.Fetcher) *cosmos.Activator {
	t.Helper()
	user, problems, err := coin.ParseList([]byte(TestCoins))
	require.NoError(t, err)
	require.Empty(t, problems)
	ring, err := key.Open("bob passphrase", false)
	require.NoError(t, err)
	return &cosmos.Activator{Config: account.Config{Store: kv, Active: active, Registry: coin.NewRegistry(user),
		Providers: key.Providers{ring, session{ring}, key.WatchOnly{}}, Fetcher: network, Now: time.Now}}
}

// Everywhere returns a network on which every host is a node of the chain in its name.
func Everywhere(t testing.TB, recordings string) fetch.Fetcher {
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

// ChainsBench is a node with the coins of two chains, behind a server.
type ChainsBench struct {
	*CoinsBench
	*cosmos.Activator
	hub, Iris *nodetest.Node
	Net       *nodetest.Net
	Events    *event.Hub
	Ledger    *swap.Ledger
}

// NewChainsBench returns a bench with its own store.
func NewChainsBench(t *testing.T) *ChainsBench {
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kv.Close()) })
	return OpenChainsBench(t, kv)
}

// OpenChainsBench returns a bench with a given store.
func OpenChainsBench(t *testing.T, kv store.KV) *ChainsBench {
	t.Helper()
	b := &ChainsBench{CoinsBench: &CoinsBench{KV: kv}, Net: nodetest.NewNet(), Events: event.New(event.Config{Now: time.Now})}
	b.hub, b.Iris = mmrpctest.Chains(t, Recordings)
	b.Net.Set(HubURL, nodetest.Well(b.hub))
	b.Net.Set(IrisURL, nodetest.Well(b.Iris))
	var err error
	b.Active, err = coin.Open(t.Context(), coin.Config{Store: kv, Restore: true})
	require.NoError(t, err)
	b.Ledger, err = swap.Open(t.Context(), kv, time.Now)
	require.NoError(t, err)
	b.Activator = NewCosmosActivator(t, kv, b.Active, b.Net)
	backend := mmrpc.Backend{
		Coins: activate.Coins{Active: b.Active, Swaps: b.Ledger}, Cosmos: activate.Cosmos{Activator: b.Activator},
		Swaps: trading.Swaps{Active: b.Active, Ledger: b.Ledger}, Volumes: trading.Volumes{Active: b.Active, Ledger: b.Ledger},
		Sending: send.Sending{Active: b.Active}, Messages: keys.Messages{Active: b.Active}, History: history.History{Active: b.Active},
		Streams: events.Streams{Hub: b.Events}, CoinStreams: events.CoinStreams{Hub: b.Events, Active: b.Active},
	}
	b.Server = mmrpc.New(mmrpc.Options{Password: mmrpc.NewPassword(mmrpctest.Userpass), StrictParams: true, Now: time.Now}, backend)
	return b
}

// EnablingIris returns a request to enable IRIS with tokens and additional members.
func EnablingIris(tokens, members string) string {
	return mmrpctest.Request("enable_tendermint_with_assets", `{"ticker":"IRIS","tokens_params":`+tokens+`,"nodes":[{"url":"`+IrisURL+`"}]`+members+`}`)
}

// EnablingHub is a request with only the required parameters.
const EnablingHub = `{"userpass":"` + mmrpctest.Userpass + `","mmrpc":"2.0","method":"enable_tendermint_with_assets","id":5,
	"params":{"ticker":"ATOM","tokens_params":[{"ticker":"IRIS-IBC_ATOM"}],"nodes":[{"url":"` + HubURL + `"}]}}`

// Running runs the bench's coins and streams until the test ends.
func (b *ChainsBench) Running(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	go func() { ended <- b.Active.Run(ctx) }()
	go func() { ended <- b.Events.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
		require.ErrorIs(t, <-ended, context.Canceled)
	})
}

// Client opens an event stream. The function got returns the events received so far.
func (b *ChainsBench) Client(t *testing.T, id uint64) (got func() []string) {
	t.Helper()
	connection, err := b.Events.Connect(id, nil)
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

// StreamBench runs a test with a fake clock, and a bench whose coins and streams are running.
func StreamBench(t *testing.T, f func(t *testing.T, b *ChainsBench)) {
	t.Helper()
	kv := mmrpctest.MemoryKV(t) // opened outside the bubble because buntdb has a goroutine
	synctest.Test(t, func(t *testing.T) {
		b := OpenChainsBench(t, kv)
		b.Dialer = nodetest.Sockets{"wss://iris.example/websocket": b.Iris}
		b.Running(t)
		f(t, b)
	})
}

// Priced activates a coin with a balance and a cost of sending.
func (b *ChainsBench) Priced(t *testing.T, ticker, balance, feeCoin, fee, funds, minAmount string) {
	t.Helper()
	b.Add(t, &PricedCoin{RichCoin: RichCoin{BareCoin{ticker}, balance, nil}, cost: coin.SpendingCost{
		Fee: coin.Fee{Coin: feeCoin, Amount: mmrpctest.Rational(fee)}, Funds: mmrpctest.Rational(funds), MinAmount: mmrpctest.Rational(minAmount)}})
}

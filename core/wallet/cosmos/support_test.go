package cosmos

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/store"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/node"
	"obverse/core/wallet/cosmos/nodetest"
)

const (
	passphrase  = "tendermint test seed" // of the recorded account of that name
	atomURL     = "https://atom.example/"
	atomAddress = "cosmos150evuj4j7k9kgu38e453jdv9m3u0ft2n53flg6"
	irisAddress = "iaa150evuj4j7k9kgu38e453jdv9m3u0ft2npnfw2t"
	irisURL     = "https://iris.example/"
	voucher     = "ibc/27394FB092D2ECCD56123C74F36E4C1F926001CEADA9CA97EA622B25F41E5EB2"
)

// bench is an Activator with simulated nodes.
type bench struct {
	Activator
	kv      store.KV
	net     *nodetest.Net
	sockets nodetest.Sockets
	gaiad   *nodetest.Node
	iris    *nodetest.Node

	mu  sync.Mutex
	out []string // excluded nodes, with the reasons
}

// userEntries is the coins list of a user, in which most entries are invalid.
const userEntries = `[
	{"coin":"NONE","mm2":1},
	{"coin":"KMD","mm2":1,"protocol":{"type":"UTXO"}},
	{"coin":"HIGH","mm2":1,"avg_blocktime":7,"protocol":{"type":"TENDERMINT","protocol_data":{"decimals":19,"denom":"u","account_prefix":"x","chain_id":"x-1"}}},
	{"coin":"TIMELESS","mm2":1,"protocol":{"type":"TENDERMINT","protocol_data":{"decimals":6,"denom":"u","account_prefix":"x","chain_id":"x-1"}}},
	{"coin":"SLOW","mm2":1,"avg_blocktime":256,"protocol":{"type":"TENDERMINT","protocol_data":{"decimals":6,"denom":"u","account_prefix":"x","chain_id":"x-1"}}},
	{"coin":"QUICK","mm2":1,"avg_blocktime":1.8,"protocol":{"type":"TENDERMINT","protocol_data":{"decimals":6,"denom":"uatom","account_prefix":"cosmos","chain_id":"cosmoshub-4"}}},
	{"coin":"LOST","mm2":1,"avg_blocktime":7,"derivation_path":"44/118","protocol":{"type":"TENDERMINT","protocol_data":{"decimals":6,"denom":"u","account_prefix":"x","chain_id":"x-1"}}},
	{"coin":"HUGE-IBC_ATOM","mm2":1,"protocol":{"type":"TENDERMINTTOKEN","protocol_data":{"platform":"ATOM","decimals":18,"denom":"ibc/8EAC8061F4499F03D2D1419A3E73D346289AE9DB89CAB1486B72539572B1915E"}}},
	{"coin":"CAREFUL-IBC_ATOM","mm2":1,"required_confirmations":9,"protocol":{"type":"TENDERMINTTOKEN","protocol_data":{"platform":"ATOM","decimals":6,"denom":"` + voucher + `"}}},
	{"coin":"ON-KMD","mm2":1,"protocol":{"type":"TENDERMINTTOKEN","protocol_data":{"platform":"KMD","decimals":6,"denom":"u"}}}
]`

func newBench(t testing.TB) *bench { return openBench(t, bunttest.Memory(t)) }

// openBench starts a node with a store.
func openBench(t testing.TB, kv store.KV) *bench {
	t.Helper()
	b := &bench{kv: kv, net: nodetest.NewNet(), gaiad: nodetest.Open(t, "testdata", "gaiad"), iris: nodetest.Open(t, "testdata", "iris")}
	b.gaiad.OnChain("cosmoshub-4")
	b.iris.OnChain("irishub-1")
	b.iris.Give(irisAddress, "uiris", "1000000003")
	b.iris.Give(irisAddress, voucher, "777000015")
	b.net.Set(atomURL, nodetest.Well(b.gaiad))
	b.net.Set(irisURL, nodetest.Well(b.iris))
	user, problems, err := coin.ParseList([]byte(userEntries))
	require.NoError(t, err)
	require.Empty(t, problems)
	active, err := coin.Open(t.Context(), coin.Config{Store: kv, Restore: true})
	require.NoError(t, err)
	ring, err := key.Open(passphrase, false)
	require.NoError(t, err)
	b.Activator = Activator{Config: account.Config{
		Store:  kv,
		Active: active, Registry: coin.NewRegistry(user), Providers: key.Providers{ring, key.WatchOnly{}},
		Fetcher: b.net, Now: time.Now,
		Excluded: func(ticker, url, reason string) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.out = append(b.out, ticker+" "+url+": "+reason)
		},
	}}
	return b
}

// run runs the coins until the test ends.
func (b *bench) run(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		require.ErrorIs(t, b.Active.Run(ctx), context.Canceled)
	}()
	t.Cleanup(func() { cancel(); <-ended })
}

// listening adds websockets to the nodes.
func (b *bench) listening() {
	b.sockets = nodetest.Sockets{"wss://atom.example/websocket": b.gaiad, "wss://iris.example/websocket": b.iris}
	b.Dialer = b.sockets
}

func at(urls ...string) (nodes []node.Node) {
	for _, url := range urls {
		nodes = append(nodes, node.Node{URL: url})
	}
	return nodes
}

// atom returns a request for ATOM with tokens.
func atom(tokens ...string) Params { return params("ATOM", atomURL, tokens...) }

// iris returns a request for IRIS with tokens.
func iris(tokens ...string) Params { return params("IRIS", irisURL, tokens...) }

func params(ticker, url string, tokens ...string) Params {
	p := Params{account.Request{Ticker: ticker, Nodes: at(url), Policy: key.ContextPrivKey{}, Balances: true}, Options{Confirmations: 3}}
	for _, t := range tokens {
		p.Tokens = append(p.Tokens, account.TokenRequest{Ticker: t})
	}
	return p
}

// active returns the tickers of active coins.
func (b *bench) active() (tickers []string) {
	for _, c := range b.Active.List() {
		tickers = append(tickers, c.Ticker())
	}
	return tickers
}

// get returns an active coin, which must be a C.
func get[C coin.Coin](t testing.TB, b *bench, ticker string) C {
	t.Helper()
	active, err := b.Active.Get(ticker)
	require.NoError(t, err)
	require.IsType(t, *new(C), active)
	return active.(C)
}

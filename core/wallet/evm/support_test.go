package evm

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/net/nodepool"
	"obverse/core/store"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	network "obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/evm/nodetest"
)

const (
	phrase        = "spice describe gravity federal blast come thank unfair canal monkey style afraid"
	walletAddress = "0xbAB36286672fbdc7B250804bf6D14Be0dF69fa29"
	ethURL        = "https://eth.example/"
	maticURL      = "https://matic.example/"
	swaps         = "0x24ABE4c71FC658C91313b6552cd40cD808b3Ea80"
	sixAt         = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"
	hugeAt        = "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB"
	payee         = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	maxUint256    = "115792089237316195423570985008687907853269984665640564039457584007913129639935" // 2^256-1
)

// entries is the coins list of a user.
const entries = `[
	{"coin":"NONE","mm2":1},
	{"coin":"KMD","mm2":1,"protocol":{"type":"UTXO"}},
	{"coin":"OLD","mm2":1,"chain_id":1,"protocol":{"type":"ETH"}},
	{"coin":"LOST","mm2":1,"derivation_path":"44/60","protocol":{"type":"ETH","protocol_data":{"chain_id":1}}},
	{"coin":"SIX-ERC20","mm2":1,"protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":"` + sixAt + `"}}},
	{"coin":"HUGE-ERC20","mm2":1,"decimals":18,"required_confirmations":9,"protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":"` + hugeAt + `"}}},
	{"coin":"ZERO-ERC20","mm2":1,"decimals":0,"protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":"` + hugeAt + `"}}},
	{"coin":"GONE-ERC20","mm2":1,"protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":"` + payee + `"}}},
	{"coin":"WRONG-ERC20","mm2":1,"protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":"0x12"}}},
	{"coin":"SIX-PLG20","mm2":1,"protocol":{"type":"ERC20","protocol_data":{"platform":"MATIC","contract_address":"` + sixAt + `"}}},
	{"coin":"QRC","mm2":1,"protocol":{"type":"QRC20","protocol_data":{"platform":"ETH","contract_address":"` + sixAt + `"}}}
]`

// bench is an Activator with simulated nodes.
type bench struct {
	Activator
	kv         store.KV
	net        *network.Net
	eth, matic *nodetest.Node

	mu  sync.Mutex
	out []string // excluded nodes, with the reasons
}

func newBench(t testing.TB) *bench { return openBench(t, bunttest.Memory(t)) }

// openBench starts a node with a store.
func openBench(t testing.TB, kv store.KV) *bench {
	t.Helper()
	b := &bench{kv: kv, net: network.NewNet()}
	b.eth = nodetest.New(1, 100).Give(walletAddress, "2500000000000000001").Deploy(sixAt, 6).GiveToken(sixAt, walletAddress, "12345678").
		Deploy(hugeAt, 0).GiveToken(hugeAt, walletAddress, maxUint256)
	b.matic = nodetest.New(137, 5000)
	b.net.Set(ethURL, b.eth.Well)
	b.net.Set(maticURL, b.matic.Well)
	user, problems, err := coin.ParseList([]byte(entries))
	require.NoError(t, err)
	require.Empty(t, problems)
	active, err := coin.Open(t.Context(), coin.Config{Store: kv, Restore: true})
	require.NoError(t, err)
	ring, err := key.Open(phrase, false)
	require.NoError(t, err)
	b.Activator = Activator{Config: account.Config{
		Active: active, Registry: coin.NewRegistry(user), Providers: key.Providers{ring, key.WatchOnly{}}, Fetcher: b.net, Now: time.Now,
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

func at(urls ...string) (nodes []nodepool.Node) {
	for _, url := range urls {
		nodes = append(nodes, nodepool.Node{URL: url})
	}
	return nodes
}

// eth returns a request for ETH with tokens.
func eth(tokens ...string) Params {
	p := Params{Request: account.Request{Ticker: "ETH", Nodes: at(ethURL), Policy: key.ContextPrivKey{}, Balances: true}, Options: Options{Contracts: Contracts{Swap: swaps}}}
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

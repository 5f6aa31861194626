package account_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/number"
	"obverse/core/store"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
)

// toyEntries are a user's coins.
const toyEntries = `[
	{"coin":"TOY","mm2":1,"avg_blocktime":10,"required_confirmations":4,"derivation_path":"m/44'/1'","protocol":{"type":"UTXO"}},
	{"coin":"BARE","mm2":1,"protocol":{"type":"UTXO"}},
	{"coin":"LOST","mm2":1,"derivation_path":"44/1","protocol":{"type":"UTXO"}},
	{"coin":"NONE","mm2":1},
	{"coin":"CUBE","mm2":1,"protocol":{"type":"SLPTOKEN","protocol_data":{"platform":"TOY"}}},
	{"coin":"BALL","mm2":1,"required_confirmations":9,"protocol":{"type":"SLPTOKEN","protocol_data":{"platform":"TOY"}}},
	{"coin":"ODD","mm2":1,"protocol":{"type":"SLPTOKEN","protocol_data":{"platform":"BARE"}}},
	{"coin":"LEFT","mm2":1,"protocol":{"type":"SLPTOKEN","protocol_data":{"platform":"CUBE"}}}
]`

const (
	toyURL  = "https://toy.example/"
	deadURL = "https://dead.example/"
	phrase  = "account test seed"
)

// toyServer is a node of the toy chain, at all URLs but deadURL.
type toyServer struct {
	mu       sync.Mutex
	height   int64
	chain    string
	balances map[string]int64 // by name of the asset
	failing  string           // the method that fails
	hanging  string           // the method that waits for the end of its context
	panics   string           // the method whose answer makes the reader panic
	broken   string           // the asset with a failing balance
	calls    map[string]int   // by method
	hung     chan struct{}
}

func newToyServer() *toyServer {
	return &toyServer{height: 100, chain: "toy", balances: map[string]int64{"TOY": 150000000, "CUBE": 25, "BALL": 7},
		calls: map[string]int{}, hung: make(chan struct{}, 100)}
}

var (
	errDown  = errors.New("connection refused")
	errColor = errors.New("black is no color") // of toys
)

func (s *toyServer) set(change func(*toyServer)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

func (s *toyServer) requests(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[method]
}

// Fetch implements fetch.Fetcher.
func (s *toyServer) Fetch(ctx context.Context, r fetch.Request) (fetch.Response, error) {
	var call struct {
		ID     json.RawMessage `json:"id"`
		Method string
		Params json.RawMessage
	}
	if err := json.Unmarshal(r.Body, &call); err != nil || strings.HasPrefix(r.URL, deadURL) {
		return fetch.Response{}, errDown
	}
	result, err := s.answer(ctx, call.Method, call.Params)
	if err != nil {
		return fetch.Response{}, err
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": call.ID, "result": result})
	return fetch.Response{Status: 200, Body: body}, err
}

func (s *toyServer) answer(ctx context.Context, method string, params json.RawMessage) (any, error) {
	s.mu.Lock()
	s.calls[method]++
	failing, hanging, panics := s.failing == method, s.hanging == method, s.panics == method
	defer s.mu.Unlock()
	switch {
	case failing:
		return nil, errDown
	case panics:
		panic("s3cret")
	case hanging:
		s.mu.Unlock()
		s.hung <- struct{}{}
		<-ctx.Done()
		s.mu.Lock()
		return nil, ctx.Err()
	case method == "height":
		return map[string]any{"Chain": s.chain, "Height": s.height}, nil
	case method == "decimals":
		return 1, nil
	}
	var args [2]string
	err := json.Unmarshal(params, &args)
	if err == nil && s.broken != "" && args[1] == s.broken {
		err = errDown
	}
	return s.balances[args[1]], err
}

// toyHeight is the health check of a node. It checks that the node is on the toy chain.
func toyHeight() nodepool.Question {
	return nodepool.Light("height", func(result json.RawMessage) (any, int64, error) {
		var r struct {
			Chain  string
			Height int64
		}
		err := nodepool.Read(result, &r)
		if err == nil && r.Chain != "toy" {
			err = &nodepool.WrongChainError{Got: r.Chain, Want: "toy"}
		}
		return nodepool.Health{EarliestHeight: r.Height}, r.Height, err
	})
}

// ask queries a node for a number.
func (c *toyChain) ask(ctx context.Context, method string, params any) (int64, error) {
	q := nodepool.Light(method, func(result json.RawMessage) (any, int64, error) {
		var n int64
		err := nodepool.Read(result, &n)
		return n, 0, err
	})
	q.Params = params
	n, err := nodepool.Get[int64](ctx, c.pool, q)
	if err != nil {
		err = coin.Failed(fmt.Errorf("%s %v: %w", method, params, err))
	}
	return n, err
}

// Query implements account.Chain.
func (c *toyChain) Query(ctx context.Context, q account.Query) (r account.Result, err error) {
	if q.Height {
		var health nodepool.Health
		health, err = nodepool.Get[nodepool.Health](ctx, c.pool, toyHeight())
		r.Height = uint64(health.EarliestHeight)
	}
	for _, one := range q.Assets {
		asset := one.(*toyAsset)
		units, unknown := c.ask(ctx, "balance", [2]string{c.account.Address, asset.name})
		r.Balances = append(r.Balances, coin.Balance{Spendable: number.Scaled(big.NewInt(units), asset.Decimals), Unknown: unknown})
	}
	return r, coin.Failed(err)
}

// toyAddress returns the address of a public key, which is the beginning of the key.
func toyAddress(public [33]byte) (string, error) { return "toy" + hex.EncodeToString(public[1:5]), nil }

func toyOf(opened key.Account) (address string, public *[33]byte, err error) {
	keyer, err := key.As[key.PublicKeyer](opened)
	if err != nil {
		return "", nil, err
	}
	known := keyer.PublicKey()
	address, err = toyAddress(known)
	return address, &known, err
}

// bench is the activator of the toys, with its node and its log.
type bench struct {
	toys
	kv  store.KV
	toy *toyServer

	mu       sync.Mutex
	excluded []string
}

func newBench(t testing.TB) *bench { return openBench(t, bunttest.Memory(t)) }

// openBench starts a node with a store.
func openBench(t testing.TB, kv store.KV) *bench {
	t.Helper()
	user, problems, err := coin.ParseList([]byte(toyEntries))
	require.NoError(t, err)
	require.Empty(t, problems)
	active, err := coin.Open(t.Context(), coin.Config{Store: kv, Restore: true})
	require.NoError(t, err)
	ring, err := key.Open(phrase, false)
	require.NoError(t, err)
	b := &bench{kv: kv, toy: newToyServer()}
	b.Config = account.Config{Active: active, Registry: coin.NewRegistry(user), Providers: key.Providers{ring, key.WatchOnly{}}, Fetcher: b.toy, Now: time.Now,
		Excluded: func(ticker, url, reason string) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.excluded = append(b.excluded, ticker+" "+url+": "+reason)
		}}
	return b
}

func (t *toys) engine() *account.Engine { return &account.Engine{Config: t.Config, Family: t} }

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

func (b *bench) activate(ctx context.Context, r account.Request) (account.Activated, error) {
	return b.engine().Activate(ctx, r, &toyOptions{Color: "red"})
}

// activateToken returns the result that a user sees.
func (b *bench) activateToken(ctx context.Context, r account.TokenRequest) (account.TokenActivated, error) {
	_, done, err := b.engine().ActivateToken(ctx, r)
	return done, err
}

// active lists the active coins.
func (b *bench) active() (tickers []string) {
	for _, c := range b.Active.List() {
		tickers = append(tickers, c.Ticker())
	}
	return tickers
}

// restorer restores the coins in the store.
func (b *bench) restorer() *coin.Restorer {
	restore := b.engine().Restore
	return &coin.Restorer{Active: b.Active, Registry: b.Registry,
		Kinds: map[coin.ProtocolType]func(context.Context, coin.SavedCoin) error{coin.TypeUTXO: restore, coin.TypeSLPToken: restore}}
}

// toy is a request for TOY with tokens.
func toy(tokens ...string) account.Request {
	r := account.Request{Ticker: "TOY", Nodes: []nodepool.Node{{URL: toyURL}}, Policy: key.ContextPrivKey{}, Balances: true}
	for _, t := range tokens {
		r.Tokens = append(r.Tokens, account.TokenRequest{Ticker: t})
	}
	return r
}

func with(r account.Request, change func(*account.Request)) account.Request {
	change(&r)
	return r
}

// get returns an active coin, which must be a C.
func get[C coin.Coin](t testing.TB, b *bench, ticker string) C {
	t.Helper()
	active, err := b.Active.Get(ticker)
	require.NoError(t, err)
	require.IsType(t, *new(C), active)
	return active.(C)
}

// browser is the provider of a wallet in a page.
type browser struct {
	ring    *key.Ring
	network toyNetwork
	place   key.Place
	opened  int
	fails   error
	opening func() // called before it answers; may be nil
}

func newBrowser(t testing.TB, passphrase string) *browser {
	t.Helper()
	ring, err := key.Open(passphrase, false)
	require.NoError(t, err)
	return &browser{ring: ring}
}

func (*browser) Policy() key.PolicyName { return key.NameBrowserWallet }

// OnChain implements key.ChainProvider.
func (b *browser) OnChain(ctx context.Context, _ key.Policy, at key.Place, n toyNetwork) (key.Account, error) {
	b.network, b.place, b.opened = n, at, b.opened+1
	if b.opening != nil {
		b.opening()
	}
	if b.fails != nil {
		return nil, b.fails
	}
	return b.ring.Account(ctx, key.ContextPrivKey{}, nil)
}

// as returns the error of type E in err's chain, or fails the test.
func as[E error](t testing.TB, err error) (e E) {
	t.Helper()
	require.ErrorAs(t, err, &e)
	return e
}

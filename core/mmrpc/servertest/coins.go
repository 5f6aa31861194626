package servertest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc"
	"obverse/core/mmrpc/activate"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/number"
	"obverse/core/store"
	"obverse/core/store/bunt"
	"obverse/core/wallet/coin"
)

// BareCoin is an active coin without any methods.
type BareCoin struct{ Symbol string }

func (c *BareCoin) Ticker() string { return c.Symbol }

func (c *BareCoin) Entry() *coin.Entry { return nil }

// RichCoin is a coin with an address, and with a balance or an error.
type RichCoin struct {
	BareCoin
	Held  string
	Fails error
}

func (c *RichCoin) Address() string { return "addr1" + c.Symbol }

func (c *RichCoin) Balance(context.Context) (coin.Balance, error) {
	spendable, err := number.ParseRational(c.Held)
	return coin.Balance{Spendable: spendable, Unspendable: number.Int(0)}, errors.Join(err, c.Fails)
}

type tokenCoin struct {
	RichCoin
	platform string
}

func (c *tokenCoin) Platform() string { return c.platform }

func (c *tokenCoin) OnPlatform(coin.Coin) coin.Token { return c }

// CoinsBench holds the coins of a node, behind a server.
type CoinsBench struct {
	*mmrpc.Server
	Active *coin.Active
	KV     store.KV
}

// NewCoinsBench returns a bench with the given areas, or with activate.Coins if areas is nil.
func NewCoinsBench(t *testing.T, areas func(*coin.Active) []mmrpc.Area) *CoinsBench {
	t.Helper()
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kv.Close()) })
	b := &CoinsBench{KV: kv}
	b.Active, err = coin.Open(t.Context(), coin.Config{Store: kv, Restore: true})
	require.NoError(t, err)
	all := []mmrpc.Area{activate.Coins{Active: b.Active}}
	if areas != nil {
		all = areas(b.Active)
	}
	b.Server = mmrpc.New(mmrpc.Options{Password: mmrpc.NewPassword(mmrpctest.Userpass), StrictParams: true, Now: time.Now}, all...)
	return b
}

// Add activates a platform and the tokens on it.
func (b *CoinsBench) Add(t *testing.T, coins ...coin.Coin) {
	t.Helper()
	var tickers []string
	var items []coin.Item
	for _, c := range coins {
		tickers, items = append(tickers, c.Ticker()), append(items, coin.Item{Coin: c})
	}
	x, err := b.Active.Begin(t.Context(), tickers[0], tickers[1:]...)
	require.NoError(t, err)
	require.NoError(t, x.Commit(t.Context(), items...))
}

// Ask sends a request from the server's machine.
func (b *CoinsBench) Ask(t *testing.T, body string) (int, string) {
	t.Helper()
	return AskServer(t, b.Server, body)
}

// AskServer sends a request from the server's machine.
func AskServer(t *testing.T, s *mmrpc.Server, body string) (int, string) {
	t.Helper()
	status, reply := s.Serve(t.Context(), mmrpctest.Here, []byte(body))
	require.True(t, json.Valid(reply), "%s", reply)
	require.True(t, strings.HasSuffix(string(reply), "\n"))
	return status, strings.TrimSuffix(string(reply), "\n")
}

// NewToken returns a token on a platform.
func NewToken(ticker, platform string) *tokenCoin {
	return &tokenCoin{RichCoin{BareCoin{ticker}, "0.028306", nil}, platform}
}

// PricedCoin is a coin with a balance and a cost of sending.
type PricedCoin struct {
	RichCoin
	cost  coin.SpendingCost
	Stuck error // error of fee estimates only
}

func (c *PricedCoin) SpendingCost(context.Context) (coin.SpendingCost, error) {
	cost := c.cost
	if cost.Fee.Coin == "" {
		cost = coin.SpendingCost{Fee: coin.Fee{Coin: c.Symbol, Amount: number.Int(0)}, MinAmount: number.Int(0)}
	}
	return cost, cmp.Or(c.Fails, c.Stuck)
}

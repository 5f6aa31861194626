package account_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"

	"obverse/core/key"
	"obverse/core/net/nodepool"
	"obverse/core/number"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
)

// This file is a whole family of chains, as small as one can be: it activates, restores
// and watches, and makes no transactions. Its platforms have the protocol UTXO, and its
// tokens SLPTOKEN with the ticker of their platform.

// toyCodec derives addresses from the beginning of a public key.
func toyCodec(describe func(key.Path) toyNetwork) account.Codec {
	return account.Codec{OfKey: toyOfKey, Of: toyOf, OnChain: account.OnNetwork(describe)}
}

func toyOf(opened key.Account) (string, *[33]byte, error) {
	keyer, err := key.As[key.PublicKeyer](opened)
	if err != nil {
		return "", nil, err
	}
	public := keyer.PublicKey()
	a, err := toyOfKey(public)
	return a, &public, err
}

func toyOfKey(public [33]byte) (string, error) { return "toy" + hex.EncodeToString(public[1:5]), nil }

// toyAsset is a coin on its chain.
type toyAsset struct {
	name     string
	decimals uint8 // of a token; 0: unknown
}

// toyNetwork describes a chain to an external wallet.
type toyNetwork struct{ name, node string }

// toyOptions are the activation options of a platform.
type toyOptions struct {
	Color string `json:"color,omitempty"`
}

// toys activates the coins.
type toys struct {
	account.Config
	listen func(ctx context.Context, up func(bool), changed func()) // nil: nodes are polled
}

func (t *toys) engine() *account.Engine {
	return &account.Engine{Config: t.Config, Family: toyFamily{t}}
}

// toyChain is shared by the coins of one chain.
type toyChain struct {
	account *account.Account
	pool    *nodepool.Pool
	listen  func(ctx context.Context, up func(bool), changed func())
}

type toyPlatform struct {
	account.Asset
	*toyChain
	color string
}

func (p *toyPlatform) Policy() key.Policy            { return p.account.Policy() }
func (p *toyPlatform) Run(ctx context.Context) error { return p.RunPlatform(ctx) }

type toyToken struct {
	account.Asset
	*toyChain
}

func (t *toyToken) Platform() string { return t.PlatformTicker() }

func (t *toyToken) OnPlatform(platform coin.Coin) coin.Token {
	p, is := platform.(*toyPlatform)
	if !is {
		return t
	}
	return &toyToken{t.On(p.Asset), p.toyChain}
}

var (
	_ coin.BalanceWatcher = (*toyPlatform)(nil)
	_ coin.Balancer       = (*toyToken)(nil)
	_ coin.Addresser      = (*toyToken)(nil)
)

type toyFamily struct{ *toys }

var errColor = errors.New("black is no color")

func (toyFamily) Options() any { return new(toyOptions) }

func (toyFamily) Has(c coin.Coin) bool {
	_, is := c.(*toyPlatform)
	return is
}

func (toyFamily) Check(entry *coin.Entry) error { return ofType(entry, coin.TypeUTXO) }

func ofType(entry *coin.Entry, want coin.ProtocolType) error {
	protocol, err := entry.Protocol()
	if err == nil && protocol.Type != want {
		return account.Unexpected(entry)
	}
	return err
}

func (f toyFamily) Platform(ctx context.Context, entry *coin.Entry, r account.Request, options any) (account.Platform, account.Setup, error) {
	var setup account.Setup
	o := options.(*toyOptions)
	if o.Color == "black" {
		return nil, setup, errColor
	}
	c := &toyChain{listen: f.listen}
	var err error
	if c.account, err = account.Open(ctx, f.Config, r, entry, toyCodec(func(key.Path) toyNetwork {
		return toyNetwork{entry.Ticker, r.PublicNode(false).URL}
	})); err != nil {
		return nil, setup, err
	}
	c.pool, err = nodepool.New(nodepool.Config{Nodes: r.Nodes, Fetcher: f.Fetcher, Now: f.Now, HealthCheck: toyHeight()})
	block, _ := account.Blocktime(entry, 60) // 0 is accepted
	setup = account.Setup{Account: c.account, Asset: &toyAsset{entry.Ticker, 8}, Pool: c.pool, Chain: c, Block: block,
		Confirmations: account.Confirmations(1, entry.RequiredConfirmations), OneAddress: true}
	return &toyPlatform{toyChain: c, color: o.Color}, setup, err
}

func (c *toyChain) Query(ctx context.Context, q account.Query) (account.Result, error) {
	height := func(ctx context.Context) (uint64, error) {
		s, err := nodepool.Get[nodepool.Health](ctx, c.pool, toyHeight())
		return uint64(s.EarliestHeight), account.Failed(err)
	}
	return account.QueryEach(ctx, q, height, func(ctx context.Context, asset any) (coin.Balance, error) {
		data := asset.(*toyAsset)
		units, err := nodepool.Get[int64](ctx, c.pool, toyNumber("balance", [2]string{c.account.Address, data.name}))
		return coin.Balance{Spendable: number.Scaled(big.NewInt(units), data.decimals)}, account.Failed(err)
	})
}

func (c *toyChain) Verify(context.Context) error { return nil }

func (c *toyChain) Owners(context.Context, []string, []any) ([][]coin.Balance, error) {
	return nil, nil
}

func (c *toyChain) Used(context.Context, []string, []any) ([]bool, error) { return nil, nil }

func (c *toyChain) Listen(ctx context.Context, up func(bool), changed func()) {
	if c.listen != nil {
		c.listen(ctx, up, changed)
	}
}

// toyHeight is the health check of a node: its chain must be the toy's.
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

func toyNumber(method string, params any) nodepool.Question {
	q := nodepool.Light(method, func(result json.RawMessage) (any, int64, error) {
		var n int64
		err := nodepool.Read(result, &n)
		return n, 0, err
	})
	q.Params = params
	return q
}

func (toyFamily) PlatformOf(token *coin.Entry) (string, error) {
	if err := ofType(token, coin.TypeSLPToken); err != nil {
		return "", err
	}
	protocol, err := token.Protocol()
	var data struct{ Platform string }
	if err == nil && json.Unmarshal(protocol.Data, &data) != nil {
		err = &coin.ParseError{Ticker: token.Ticker, Reason: "no platform"}
	}
	return data.Platform, err
}

type toySaved struct {
	Decimals uint8 `json:"decimals"`
}

func (toyFamily) Token(on account.Platform, entry *coin.Entry, r account.TokenRequest) (account.Token, error) {
	data := &toyAsset{name: entry.Ticker}
	t := &toyToken{toyChain: on.(*toyPlatform).toyChain}
	t.ChainAsset = data
	if r.Saved == nil {
		return t, nil
	}
	var saved toySaved
	err := json.Unmarshal(r.Saved, &saved)
	data.decimals, t.Saved = saved.Decimals, saved
	return t, err
}

func (toyFamily) Complete(ctx context.Context, on account.Platform, tokens []account.Token) ([]error, error) {
	failed := make([]error, len(tokens))
	for i, token := range tokens {
		t := token.(*toyToken)
		data := t.ChainAsset.(*toyAsset)
		n, err := nodepool.Get[int64](ctx, t.pool, toyNumber("decimals", data.name))
		if err != nil {
			err = account.Failed(fmt.Errorf("decimals of %s: %w", data.name, err))
			if errors.As(err, new(*nodepool.UnreachableError)) {
				return nil, err
			}
			failed[i] = err
			continue
		}
		data.decimals, t.Saved = uint8(n), toySaved{uint8(n)}
	}
	return failed, nil
}

var _ account.Family = toyFamily{}

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

// toyAddress is the beginning of a public key.
type toyAddress string

func (a toyAddress) String() string { return string(a) }

var toyCodec = account.Codec[toyAddress]{OfKey: toyOfKey, Of: func(opened key.Account) (toyAddress, *[33]byte, error) {
	keyer, err := key.As[key.PublicKeyer](opened)
	if err != nil {
		return "", nil, err
	}
	public := keyer.PublicKey()
	a, err := toyOfKey(public)
	return a, &public, err
}}

func toyOfKey(public [33]byte) (toyAddress, error) {
	return toyAddress("toy" + hex.EncodeToString(public[1:5])), nil
}

// toyAsset is what a coin is on a chain.
type toyAsset struct {
	name     string
	decimals uint8 // that a token has; 0: unknown
}

// toyNetwork is what an external wallet is told of a chain.
type toyNetwork struct{ name, node string }

// toyOptions are what a platform is activated with beside a request.
type toyOptions struct {
	Color string `json:"color,omitempty"`
}

// toys activates the coins.
type toys struct {
	account.Config
	listen func(ctx context.Context, up func(bool), changed func()) // nil: nodes are polled
}

type toyEngine = account.Engine[toyAsset, toyOptions, *toyPlatform, *toyToken]

func (t *toys) engine() *toyEngine {
	return &toyEngine{Config: t.Config, Family: toyFamily{t}}
}

// toyChain is what the coins of one chain share.
type toyChain struct {
	account *account.Account[toyAddress, toyNetwork]
	pool    *nodepool.Pool
}

type toyPlatform struct {
	account.Asset[toyAsset]
	*toyChain
	color string
}

func (p *toyPlatform) Policy() key.Policy            { return p.account.Policy() }
func (p *toyPlatform) Run(ctx context.Context) error { return p.RunPlatform(ctx) }

type toyToken struct {
	account.Asset[toyAsset]
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

func (toyFamily) Check(entry *coin.Entry) error { return ofType(entry, coin.TypeUTXO) }

func ofType(entry *coin.Entry, want coin.ProtocolType) error {
	protocol, err := entry.Protocol()
	if err == nil && protocol.Type != want {
		return account.Unexpected(entry)
	}
	return err
}

func (f toyFamily) Platform(ctx context.Context, entry *coin.Entry, r account.Request, o toyOptions) (*toyPlatform, account.Setup[toyAsset], error) {
	var setup account.Setup[toyAsset]
	if o.Color == "black" {
		return nil, setup, errColor
	}
	c := &toyChain{}
	var err error
	if c.account, err = account.Open(ctx, f.Config, r, entry, toyCodec, func(key.Path) toyNetwork {
		return toyNetwork{entry.Ticker, r.PublicNode(false).URL}
	}); err != nil {
		return nil, setup, err
	}
	c.pool, err = nodepool.New(nodepool.Config{Nodes: r.Nodes, Fetcher: f.Fetcher, Now: f.Now, HealthCheck: toyHeight()})
	block, _ := account.Blocktime(entry, 60) // 0 will do
	setup = account.Setup[toyAsset]{Account: c.account, Asset: toyAsset{entry.Ticker, 8}, Pool: c.pool, Query: c.query, Block: block,
		Confirmations: account.Confirmations(1, entry.RequiredConfirmations), Listen: f.listen}
	return &toyPlatform{toyChain: c, color: o.Color}, setup, err
}

// query asks for the height and for each balance.
func (c *toyChain) query(ctx context.Context, q account.Query[toyAsset]) (account.Result, error) {
	height := func(ctx context.Context) (uint64, error) {
		s, err := nodepool.Get[nodepool.Health](ctx, c.pool, toyHeight())
		return uint64(s.EarliestHeight), account.Failed(err)
	}
	return account.QueryEach(ctx, q, height, func(ctx context.Context, of toyAsset) (coin.Balance, error) {
		units, err := nodepool.Get[int64](ctx, c.pool, toyNumber("balance", [2]string{c.account.Address.String(), of.name}))
		return coin.Balance{Spendable: number.Scaled(big.NewInt(units), of.decimals)}, account.Failed(err)
	})
}

// toyHeight greets a node: its chain must be the toy's.
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

func (toyFamily) Token(platform *toyPlatform, entry *coin.Entry, r account.TokenRequest) (*toyToken, error) {
	t := &toyToken{toyChain: platform.toyChain}
	t.Of.name = entry.Ticker
	if r.Saved == nil {
		return t, nil
	}
	var saved toySaved
	err := json.Unmarshal(r.Saved, &saved)
	t.Of.decimals, t.Kept = saved.Decimals, saved
	return t, err
}

func (toyFamily) Complete(ctx context.Context, platform *toyPlatform, tokens []*toyToken) ([]error, error) {
	failed := make([]error, len(tokens))
	for i, t := range tokens {
		n, err := nodepool.Get[int64](ctx, platform.pool, toyNumber("decimals", t.Of.name))
		if err != nil {
			err = account.Failed(fmt.Errorf("decimals of %s: %w", t.Of.name, err))
			if errors.As(err, new(*nodepool.UnreachableError)) {
				return nil, err
			}
			failed[i] = err
			continue
		}
		t.Of.decimals, t.Kept = uint8(n), toySaved{uint8(n)}
	}
	return failed, nil
}

var _ account.Family[toyAsset, toyOptions, *toyPlatform, *toyToken] = toyFamily{}

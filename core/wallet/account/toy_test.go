package account_test

import (
	"context"
	"encoding/json"
	"errors"

	"obverse/core/key"
	"obverse/core/net/nodepool"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
)

// toys is a minimal family of chains: its coins are activated, restored and watched, and make
// no transactions. Its platforms have the protocol UTXO, and its tokens SLPTOKEN with the
// ticker of their platform.
type toys struct {
	account.Config
	listen func(ctx context.Context, up func(bool), changed func()) // nil means nodes are polled
}

type (
	toyOptions struct {
		Color string `json:"color,omitempty"`
	}
	toyNetwork struct{ name, node string } // describes a chain to an external wallet
	toyAsset   struct {
		name     string
		Decimals uint8 `json:"decimals"` // of a token; 0: unknown
	}
	toyChain struct { // is shared by the coins of one chain
		*toys
		account *account.Account
		pool    *nodepool.Pool
	}
	toyPlatform struct {
		account.Asset
		*toyChain
		color string
	}
	toyToken struct {
		account.Asset
		*toyChain
	}
)

func (p *toyPlatform) Policy() key.Policy            { return p.account.Policy() }
func (p *toyPlatform) Run(ctx context.Context) error { return p.RunPlatform(ctx) }
func (t *toyToken) Platform() string                 { return t.PlatformTicker() }
func (t *toyToken) OnPlatform(platform coin.Coin) coin.Token {
	if p, is := platform.(*toyPlatform); is {
		return &toyToken{t.On(p.Asset), p.toyChain}
	}
	return t
}

func (*toys) Options() any { return new(toyOptions) }

func (*toys) Read(entry *coin.Entry) (platform string, err error) {
	protocol, err := entry.Protocol()
	switch {
	case err != nil || protocol.Type == coin.TypeUTXO:
		return "", err
	case protocol.Type != coin.TypeSLPToken:
		return "", coin.Unexpected(entry)
	}
	var data struct{ Platform string }
	err = json.Unmarshal(protocol.Data, &data)
	return data.Platform, err
}

func (t *toys) Platform(ctx context.Context, entry *coin.Entry, r account.Request, options any) (account.Platform, account.Setup, error) {
	o, c := options.(*toyOptions), &toyChain{toys: t}
	if o.Color == "black" {
		return nil, account.Setup{}, errColor
	}
	codec := account.Codec{AddressOfKey: toyAddress, Address: toyOf, OnChain: func(provider key.Provider, _ key.Path) key.Opener {
		return key.OnNetwork(provider, toyNetwork{entry.Ticker, nodepool.FirstPublic(r.Nodes, false).URL})
	}}
	var err error
	if c.account, err = account.Open(ctx, t.Config, r, entry, codec); err == nil {
		c.pool, err = nodepool.New(nodepool.Config{Nodes: r.Nodes, Fetcher: t.Fetcher, Now: t.Now, HealthCheck: toyHeight()})
	}
	block, _ := entry.Blocktime(60) // 0 is accepted
	return &toyPlatform{toyChain: c, color: o.Color}, account.Setup{Account: c.account, Asset: &toyAsset{entry.Ticker, 8}, Pool: c.pool, Chain: c,
		Block: block, Confirmations: entry.Confirmations(1, nil)}, err
}

func (*toys) Token(on account.Platform, entry *coin.Entry, r account.TokenRequest) (account.Token, error) {
	t, asset := &toyToken{toyChain: on.(*toyPlatform).toyChain}, &toyAsset{name: entry.Ticker}
	if t.ChainAsset = asset; r.Saved == nil {
		return t, nil
	}
	t.Saved = asset
	return t, json.Unmarshal(r.Saved, asset)
}

func (*toys) Complete(ctx context.Context, _ account.Platform, tokens []account.Token) ([]error, error) {
	failed := make([]error, len(tokens))
	for i, token := range tokens {
		t := token.(*toyToken)
		asset := t.ChainAsset.(*toyAsset)
		n, err := t.ask(ctx, "decimals", asset.name)
		if errors.As(err, new(*nodepool.UnreachableError)) {
			return nil, err
		}
		failed[i], asset.Decimals, t.Saved = err, uint8(n), asset
	}
	return failed, nil
}

func (c *toyChain) Listen(ctx context.Context, up func(bool), changed func()) {
	if c.listen != nil {
		c.listen(ctx, up, changed)
	}
}

func (*toyChain) Verify(context.Context) error                                      { return nil }
func (*toyChain) Owners(context.Context, []string, []any) ([][]coin.Balance, error) { return nil, nil }
func (*toyChain) Used(context.Context, []string, []any) ([]bool, error)             { return nil, nil }

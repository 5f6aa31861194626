package cosmos

import (
	"context"

	"obverse/core/key"
	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/dapp"
	"obverse/core/wallet/cosmos/node"
	"obverse/core/wallet/cosmos/tx"
	common "obverse/core/wallet/dapp"
)

// Activator activates coins. It is safe for concurrent use.
type Activator struct {
	account.Config
	Dialer fetch.Dialer // nil if this platform has no websockets
}

// Params are the parameters of the activation of a platform.
type Params struct {
	account.Request
	Options
}

// Options are the activation options of a platform in addition to an account.Request. They are
// saved.
type Options struct {
	History       bool   `json:"history"`       // whether to load the history of transactions
	Confirmations uint64 `json:"confirmations"` // number of confirmations after which a transaction is final
	Notarization  bool   `json:"notarization"`  // whether to wait for a notarization too, on chains that have them
}

func (a *Activator) engine() *account.Engine {
	return &account.Engine{Config: a.Config, Family: family{a}}
}

// Activate makes a platform active with tokens, see account.Engine.
func (a *Activator) Activate(ctx context.Context, p Params) (account.Activated, error) {
	return a.engine().Activate(ctx, p.Request, &p.Options)
}

// ActivateToken activates a token on an active platform, see account.Engine.
func (a *Activator) ActivateToken(ctx context.Context, r account.TokenRequest) (account.TokenActivated, error) {
	_, done, err := a.engine().ActivateToken(ctx, r)
	return done, err
}

// Restore restores a coin that was active when the node last ran. It is one of the Kinds of a
// coin.Restorer.
func (a *Activator) Restore(ctx context.Context, saved coin.SavedCoin) error {
	return a.engine().Restore(ctx, saved)
}

// Platform is an activated native coin.
type Platform struct {
	asset
	notarization bool
}

var _ interface {
	coin.Keyed
	coin.Runner
} = (*Platform)(nil)

// RequiresNotarization reports whether the user requires notarizations. Cosmos chains have none, so
// that it is only saved and reported.
func (p *Platform) RequiresNotarization() bool { return p.notarization }

// Policy implements coin.Keyed.
func (p *Platform) Policy() key.Policy { return p.account.Policy() }

// Run implements coin.Runner.
func (p *Platform) Run(ctx context.Context) error {
	if p.history == nil {
		return p.RunPlatform(ctx)
	}
	return p.RunPlatform(ctx, p.history.Run, p.others.Run)
}

// Listen implements account.Chain. It uses a node with a websocket, which reports the account's
// transactions.
func (c *chain) Listen(ctx context.Context, up func(bool), changed func()) {
	events := node.Events{
		Pool: c.nodes.pool, Address: c.account.Address,
		Changed: func(t *node.Tx) {
			if t == nil {
				up(true)
			}
			c.changed()
			changed()
		},
		Failed: func(nodepool.Attempt) { up(false) },
	}
	_ = events.Run(ctx) // without websockets, nodes are polled
}

// changed invalidates caches that depend on the account's transactions.
func (c *chain) changed() {
	if c.history != nil {
		c.history.Wake()
		c.others.Wake()
	}
	c.fees.Invalidate()
}

// Token is an activated token.
type Token struct{ asset }

var _ coin.Token = (*Token)(nil)

// Platform implements coin.Token.
func (t *Token) Platform() string { return t.PlatformTicker() }

// OnPlatform implements coin.Token.
func (t *Token) OnPlatform(platform coin.Coin) coin.Token {
	p, is := platform.(*Platform)
	if !is {
		return t
	}
	return &Token{asset{t.On(p.Asset), p.chain}}
}

var _ common.Coin = (*Platform)(nil)

// DApps implements the Coin of core/wallet/dapp.
func (p *Platform) DApps() common.Wallet {
	return &dapp.Wallet{TxChain: &p.params, Address: p.Address(), Public: p.chain.account.Public, Assets: p.assets, Open: p.chain.account.Signer}
}

// assets returns the coins of the chain that are active or in the coins list, by their denoms.
func (p *Platform) assets() map[string]tx.Asset {
	all := map[string]tx.Asset{}
	for _, entry := range p.registry.Entries() {
		entered, err := coin.As[coin.CosmosToken](entry)
		if _, known := all[entered.Denom]; err == nil && !known && coin.Canonical(entered.Platform) == coin.Canonical(p.Ticker()) {
			all[entered.Denom] = tx.Asset{Ticker: entry.Ticker, Denom: entered.Denom, Decimals: entered.Decimals}
		}
	}
	for _, active := range p.Tokens() {
		t := active.(*tx.Asset)
		all[t.Denom] = *t
	}
	all[p.params.Native.Denom] = p.params.Native
	return all
}

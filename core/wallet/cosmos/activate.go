package cosmos

import (
	"context"

	"obverse/core/key"
	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/node"
)

// Activator makes coins active. Its methods may be called by many goroutines.
type Activator struct {
	account.Config
	Dialer fetch.Dialer // nil: this platform has no websockets
}

// Params are what a user asks of the activation of a platform.
type Params struct {
	account.Request
	Options
}

// Options are what a platform is activated with beside an account.Request. They are saved.
type Options struct {
	History       bool   `json:"history"`       // load the transactions of the past
	Confirmations uint64 `json:"confirmations"` // that a transaction needs before others rely on it
	Notarization  bool   `json:"notarization"`  // wait for one too, where a chain has some
}

func (a *Activator) engine() *account.Engine {
	return &account.Engine{Config: a.Config, Family: family{a}}
}

// Activate makes a platform active with tokens, see account.Engine.
func (a *Activator) Activate(ctx context.Context, p Params) (account.Activated, error) {
	return a.engine().Activate(ctx, p.Request, &p.Options)
}

// ActivateToken makes a token active on a platform that is, see account.Engine.
func (a *Activator) ActivateToken(ctx context.Context, r account.TokenRequest) (account.TokenActivated, error) {
	_, done, err := a.engine().ActivateToken(ctx, r)
	return done, err
}

// Restore restores what was active when the node last ran, as a kind of coin.Restorer.
func (a *Activator) Restore(ctx context.Context, saved coin.SavedCoin) error {
	return a.engine().Restore(ctx, saved)
}

// Platform is a chain's own coin, which was activated.
type Platform struct {
	asset
	notarization bool
}

var _ interface {
	coin.Keyed
	coin.Runner
} = (*Platform)(nil)

// RequiresNotarization reports whether the user wants transactions to wait for one. These
// chains have none; it is kept and shown.
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

// Listen implements account.Chain: a node with a websocket reports the account's transactions.
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
	_ = events.Run(ctx) // without websockets nodes are polled
}

// changed forgets what depends on the account's transactions.
func (c *chain) changed() {
	if c.history != nil {
		c.history.Wake()
		c.others.Wake()
	}
	c.fees.Invalidate()
}

// Token is an asset on a chain, which was activated.
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

package cosmos

import (
	"context"

	"obverse/core/key"
	"obverse/core/net/nodepool"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/node"
)

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

// listen hears of the account's transactions from a node with a websocket.
func (c *chain) listen(ctx context.Context, up func(bool), changed func()) {
	events := node.Events{
		Pool: c.nodes.pool, Address: c.account.Address.String(),
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

package tendermint

import (
	"context"
	"encoding/json"
	"errors"

	"golang.org/x/sync/errgroup"

	"obverse/core/key"
	"obverse/core/task/guard"
	"obverse/core/wallet/coin"
)

// Platform is a chain's own coin, which was activated.
type Platform struct {
	asset
	saved        json.RawMessage // what brings it back after a restart
	notarization bool
}

var _ interface {
	coin.Keyed
	coin.Runner
} = (*Platform)(nil)

// RequiresNotarization tells whether the user wants transactions to wait for one. These
// chains have none; it is kept and shown.
func (p *Platform) RequiresNotarization() bool { return p.notarization }

// Policy implements coin.Keyed.
func (p *Platform) Policy() key.Policy { return p.account.policy }

// goesOn checks that a passive platform can be switched on again by a request with a
// policy.
func (p *Platform) goesOn(ctx context.Context, policy key.Policy) error {
	if err := coin.CheckPolicy(p, policy); err != nil {
		return err
	}
	return p.account.same(ctx)
}

// Run implements coin.Runner: it looks after the nodes, loads the history and listens to
// what happens on the chain while somebody wants to know.
func (p *Platform) Run(ctx context.Context) error {
	defer p.watch.end()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(guard.Func(ctx, "looking after nodes", func() error { return p.nodes.pool.Run(ctx) }))
	group.Go(guard.Func(ctx, "listening to a chain", func() error { return p.listen(ctx) }))
	if p.history != nil {
		group.Go(guard.Func(ctx, "loading a history", func() error { return p.history.Run(ctx) }))
	}
	err := group.Wait()
	if errors.Is(err, context.Canceled) {
		return ctx.Err()
	}
	return err
}

// Token is an asset on a chain, which was activated.
type Token struct {
	asset
	platform string // ticker
}

var _ coin.Token = (*Token)(nil)

// Platform implements coin.Token.
func (t *Token) Platform() string { return t.platform }

// OnPlatform implements coin.Token.
func (t *Token) OnPlatform(platform coin.Coin) coin.Token {
	p, is := platform.(*Platform)
	if !is {
		return t
	}
	moved := *t
	moved.chain, moved.platform = p.chain, p.Ticker()
	return &moved
}

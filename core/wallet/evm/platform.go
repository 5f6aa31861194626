package evm

import (
	"context"

	"obverse/core/key"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
)

// Platform is a network's own coin, which was activated.
type Platform struct {
	asset
	contracts Contracts
}

var _ interface {
	coin.Keyed
	coin.Runner
} = (*Platform)(nil)

// Contracts are those of swaps.
func (p *Platform) Contracts() Contracts { return p.contracts }

// Policy implements coin.Keyed.
func (p *Platform) Policy() key.Policy { return p.account.Policy() }

// Run implements coin.Runner.
func (p *Platform) Run(ctx context.Context) error {
	if p.history == nil {
		return p.RunPlatform(ctx)
	}
	return p.RunPlatform(ctx, p.history.Run, p.others.Run)
}

// Token is an ERC-20 token on a network, which was activated.
type Token struct{ asset }

var _ coin.Token = (*Token)(nil)

// Platform implements coin.Token.
func (t *Token) Platform() string { return t.PlatformTicker() }

// Contract is the address of the token's contract.
func (t *Token) Contract() address.Address { return *t.Of.Contract }

// OnPlatform implements coin.Token.
func (t *Token) OnPlatform(platform coin.Coin) coin.Token {
	p, is := platform.(*Platform)
	if !is {
		return t
	}
	return &Token{asset{t.On(p.Asset), p.chain, t.gas}}
}

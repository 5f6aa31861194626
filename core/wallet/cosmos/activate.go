package cosmos

import (
	"context"

	"obverse/core/net/fetch"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/tx"
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

func (a *Activator) engine() *account.Engine[*tx.Asset, *Options, *Platform, *Token] {
	return &account.Engine[*tx.Asset, *Options, *Platform, *Token]{Config: a.Config, Family: family{a}}
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

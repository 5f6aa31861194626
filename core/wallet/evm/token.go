package evm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"obverse/core/wallet/coin"
)

// TokenActivated is what came of the activation of a token.
type TokenActivated struct {
	Platform, Address string
	Contract          string // in small letters
	Confirmations     uint64
	Balance           coin.Balance
}

// ActivateToken makes a token active on a platform that is active. It checks in this
// order: that it is not active, its entry, that its platform is active (a
// *coin.PlatformError), of this kind (a *PlatformKindError) and of the policy that the
// request names (a *coin.PolicyError), and its contract and balance (coin.ErrTransport).
func (a *Activator) ActivateToken(ctx context.Context, p TokenParams) (_ TokenActivated, err error) {
	x, err := a.Active.Begin(ctx, p.Ticker)
	if err != nil {
		return TokenActivated{}, err
	}
	defer x.End(&err)
	ctx = x.Context()
	platform, err := a.platformOf(ctx, x, p.Ticker)
	if err != nil {
		return TokenActivated{}, err
	}
	if err := coin.CheckPolicy(platform, p.Policy); err != nil {
		return TokenActivated{}, err
	}
	w := work{Activator: a, platform: platform}
	if err := w.makeTokens([]TokenParams{p}); err != nil {
		var token *TokenError
		if errors.As(err, &token) { // there is no other
			err = token.Err
		}
		return TokenActivated{}, err
	}
	if err := w.ask(ctx, true); err != nil {
		return TokenActivated{}, err
	}
	items, err := w.items(ctx, nil)
	if err != nil {
		return TokenActivated{}, err
	}
	t := w.tokens[0]
	return TokenActivated{platform.Ticker(), t.Address(), t.of.Contract.Plain(), t.confirmations, w.result.Tokens[0].Balance},
		x.Commit(ctx, items[1:]...)
}

// platformOf finds the platform that a token's entry names.
func (a *Activator) platformOf(ctx context.Context, x *coin.Activation, ticker string) (*Platform, error) {
	entry, err := a.Registry.Lookup(ticker)
	if err != nil {
		return nil, err
	}
	facts, err := coin.As[coin.ERC20](entry)
	if err != nil {
		return nil, err
	}
	active, err := x.Platform(ctx, facts.Platform)
	if err != nil {
		return nil, err
	}
	platform, is := active.(*Platform)
	if !is {
		return nil, &PlatformKindError{facts.Platform, ticker}
	}
	return platform, nil
}

// PlatformKindError says that a token's platform is active, and is no network of this
// kind.
type PlatformKindError struct{ Platform, Token string }

func (e *PlatformKindError) Error() string {
	return fmt.Sprintf("%s is not a platform coin for token %s", e.Platform, e.Token)
}

// Restore brings back what was active when the node last ran, as a kind of
// coin.Restorer. It demands that a node answers.
func (a *Activator) Restore(ctx context.Context, saved coin.SavedCoin) error {
	during, x, err := a.Active.Restore(ctx, saved.Ticker)
	if err != nil {
		return err
	}
	defer x.Abort()
	item, err := a.restore(during, x, saved)
	if err == nil {
		err = x.Commit(during, item)
	}
	if err != nil && errors.Is(context.Cause(during), coin.ErrGaveWay) {
		return coin.ErrGaveWay
	}
	return err
}

func (a *Activator) restore(ctx context.Context, x *coin.Activation, saved coin.SavedCoin) (coin.Item, error) {
	if saved.Platform != "" {
		token, err := a.restoreToken(ctx, x, saved)
		return coin.Item{Coin: token, Params: saved.Params}, err
	}
	p, err := restored(saved.Ticker, saved.Params)
	if err != nil {
		return coin.Item{}, err
	}
	platform, err := a.platform(ctx, p)
	if err != nil {
		return coin.Item{}, err
	}
	w := work{Activator: a, platform: platform}
	return coin.Item{Coin: platform, Params: saved.Params}, w.probe(ctx)
}

func (a *Activator) restoreToken(ctx context.Context, x *coin.Activation, saved coin.SavedCoin) (*Token, error) {
	var kept savedToken
	if err := json.Unmarshal(saved.Params, &kept); err != nil {
		return nil, fmt.Errorf("what is kept of %s: %w", saved.Ticker, err)
	}
	platform, err := a.platformOf(ctx, x, saved.Ticker)
	if err != nil {
		return nil, err
	}
	token, _, err := a.token(platform, TokenParams{Ticker: saved.Ticker, Confirmations: kept.Confirmations, decimals: &kept.Decimals})
	return token, err
}

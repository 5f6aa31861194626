package account

import (
	"context"
	"encoding/json"

	"obverse/core/wallet/coin"
)

// ActivateToken makes a token active on a platform that is active. It checks in this
// order: that it is not active, its entry, that its platform is active (a
// *coin.PlatformError), of this family (a *coin.PlatformKindError) and of the policy that the
// request names (a *coin.PolicyError), the token's entry, and the answers of nodes
// (coin.ErrTransport).
func (e *Engine) ActivateToken(ctx context.Context, r TokenRequest) (token Token, done TokenActivated, err error) {
	x, err := e.Active.Begin(ctx, r.Ticker)
	if err != nil {
		return token, done, err
	}
	defer x.End(&err)
	ctx = x.Context()
	platform, err := e.platformOf(ctx, x, r)
	if err == nil {
		err = coin.CheckPolicy(platform, r.Policy)
	}
	if err != nil {
		return token, done, err
	}
	t, err := e.token(platform, r)
	if err != nil {
		return token, done, err
	}
	_, failed, err := e.complete(ctx, platform, []made{t})
	if err == nil && len(failed) > 0 {
		err = failed[0].Err
	}
	if err != nil {
		return token, done, err
	}
	a := t.self()
	done = TokenActivated{Platform: a.platform, Address: a.Address(), Confirmations: a.confirmations}
	if done.Balance, err = a.Balance(ctx); err != nil {
		return token, TokenActivated{}, err
	}
	item, err := t.item()
	if err == nil {
		err = x.Commit(ctx, item)
	}
	return t.Token, done, err
}

// platformOf returns the active platform that a token's entry names.
func (e *Engine) platformOf(ctx context.Context, x *coin.Activation, r TokenRequest) (Platform, error) {
	entry, err := e.tokenEntry(r)
	if err != nil {
		return nil, err
	}
	on, err := e.Family.Read(entry)
	if err == nil && on == "" {
		err = coin.Unexpected(entry)
	}
	if err != nil {
		return nil, err
	}
	active, err := x.Platform(ctx, on)
	if err != nil {
		return nil, err
	}
	platform, is := e.ours(active)
	if !is {
		return nil, &coin.PlatformKindError{Platform: on, Token: r.Ticker}
	}
	return platform, nil
}

// Restore restores a coin that was active when the node last ran. It is one of the Kinds of a
// coin.Restorer. It fails if no node answers.
func (e *Engine) Restore(ctx context.Context, saved coin.SavedCoin) error {
	return e.Active.RestoreWith(ctx, saved.Ticker, func(ctx context.Context, x *coin.Activation) (coin.Item, error) {
		if saved.Platform != "" {
			return e.restoreToken(ctx, x, saved)
		}
		options := e.Family.Options()
		r, err := restored(saved.Ticker, saved.Params, options)
		if err != nil {
			return coin.Item{}, err
		}
		r.entry = saved.Entry
		platform, err := e.platform(ctx, r, options)
		if err != nil {
			return coin.Item{}, err
		}
		return coin.Item{Coin: platform, Params: saved.Params}, e.probe(ctx, platform)
	})
}

func (e *Engine) restoreToken(ctx context.Context, x *coin.Activation, saved coin.SavedCoin) (coin.Item, error) {
	var params savedToken
	if err := json.Unmarshal(saved.Params, &params); err != nil {
		return coin.Item{}, unreadable(saved.Ticker, err)
	}
	r := TokenRequest{Ticker: saved.Ticker, Confirmations: params.Confirmations, Saved: saved.Params, entry: saved.Entry}
	platform, err := e.platformOf(ctx, x, r)
	if err != nil {
		return coin.Item{}, err
	}
	t, err := e.token(platform, r)
	return coin.Item{Coin: t.Token, Params: saved.Params}, err
}

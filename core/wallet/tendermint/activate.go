package tendermint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"obverse/core/key"
	"obverse/core/net/fetch"
	"obverse/core/net/proxyauth"
	"obverse/core/store"
	"obverse/core/task/guard"
	"obverse/core/wallet/coin"
)

// Activator makes coins active. Its methods may be called by many goroutines.
type Activator struct {
	Active   *coin.Active
	Registry *coin.Registry
	Keepers  key.Keepers
	HD       bool // the node's own key is of an HD wallet
	Fetcher  fetch.Fetcher
	Dialer   fetch.Dialer     // nil: there are no websockets here
	Identity proxyauth.Signer // for nodes behind a gateway; may be nil
	Store    store.KV         // of histories
	Now      func() time.Time
	Turns    *coin.Turns // of who sends; nil: those of one activation know nothing of another's
	// LeftOut is told of nodes that an activation goes without; nil: nobody is.
	LeftOut func(ticker, url, reason string)
}

// Activated is what came of an activation.
type Activated struct {
	Ticker, Address string
	Height          uint64 // of the newest block
	Balance         coin.Balance
	Tokens          []coin.TickerBalance // in the order of the request, each once
}

// CreationError says that a platform coin cannot be made of its entry and its parameters.
type CreationError struct{ Err error }

func (e *CreationError) Error() string { return e.Err.Error() }

// Unwrap gives the reason.
func (e *CreationError) Unwrap() error { return e.Err }

// TokenError says that one of the tokens that come with a platform cannot be activated.
type TokenError struct {
	Ticker string // as in the request
	Err    error
}

func (e *TokenError) Error() string { return "token " + e.Ticker + ": " + e.Err.Error() }

// Unwrap gives the reason.
func (e *TokenError) Unwrap() error { return e.Err }

// PlatformKindError says that a token's platform is active, and is no chain of this kind.
type PlatformKindError struct{ Platform, Token string }

func (e *PlatformKindError) Error() string {
	return fmt.Sprintf("%s is not a platform coin for token %s", e.Platform, e.Token)
}

// Activate makes a platform active, and tokens with it, or changes nothing. It checks in
// this order: that it is not active, its entry, Expected, what makes the coin (a
// *CreationError, or a *key.NotAllowedError for the policy), each token (a *TokenError),
// the nodes, and the balances (coin.ErrTransport). A platform that was disabled and went
// on for its tokens is switched on again, with the nodes and parameters that it has; a request
// for another policy is a *coin.PolicyError. What a wallet outside the node does is a *key.WalletError.
func (a *Activator) Activate(ctx context.Context, p Params) (_ Activated, err error) {
	var tickers []string
	for _, t := range p.Tokens {
		tickers = append(tickers, t.Ticker)
	}
	x, err := a.Active.Begin(ctx, p.Ticker, tickers...)
	if err != nil {
		return Activated{}, err
	}
	defer x.End(&err)
	ctx = x.Context()
	platform, goesOn := x.Existing().(*Platform)
	if goesOn {
		err = platform.goesOn(ctx, p.Policy)
	} else {
		platform, err = a.platform(ctx, p)
	}
	if err != nil {
		return Activated{}, err
	}
	items := []coin.Item{{Coin: platform, Params: platform.saved}}
	assets := []*asset{&platform.asset}
	seen := make(map[string]bool)
	for _, t := range p.Tokens {
		if key := coin.Canonical(t.Ticker); seen[key] {
			continue
		} else {
			seen[key] = true
		}
		token, item, err := a.token(platform, t)
		if err != nil {
			return Activated{}, &TokenError{t.Ticker, err}
		}
		items, assets = append(items, item), append(assets, &token.asset)
	}
	result, err := a.ask(ctx, platform, assets, p.Balances)
	if err != nil {
		return Activated{}, err
	}
	return result, x.Commit(ctx, items...)
}

// ask probes the nodes and reads what the caller is told.
func (a *Activator) ask(ctx context.Context, platform *Platform, assets []*asset, balances bool) (Activated, error) {
	result := Activated{Ticker: platform.Ticker(), Address: platform.Address()}
	if err := a.probe(ctx, platform); err != nil {
		return result, err
	}
	group, asking := errgroup.WithContext(ctx)
	group.Go(guard.Func(asking, "asking for the height", func() (err error) {
		result.Height, err = platform.nodes.Height(asking)
		return err
	}))
	list := make([]coin.Balance, len(assets))
	if balances {
		group.Go(guard.Func(asking, "asking for balances", func() (err error) {
			list, err = balancesOf(asking, assets)
			return err
		}))
	}
	if err := group.Wait(); err != nil {
		return result, err
	}
	result.Balance = list[0]
	for i, of := range assets[1:] {
		result.Tokens = append(result.Tokens, coin.TickerBalance{Ticker: of.of.Ticker, Balance: list[i+1]})
	}
	return result, nil
}

// probe finds out which nodes are there and on the chain. One is enough.
func (a *Activator) probe(ctx context.Context, platform *Platform) error {
	out, err := platform.nodes.pool.Probe(ctx)
	if err != nil {
		return failed(err)
	}
	for _, n := range out {
		if a.LeftOut != nil {
			a.LeftOut(platform.Ticker(), n.URL, n.Reason)
		}
	}
	return nil
}

// atOnce is how many balances are asked for at a time.
const atOnce = 8

// balancesOf asks for balances, side by side.
func balancesOf(ctx context.Context, assets []*asset) ([]coin.Balance, error) {
	list := make([]coin.Balance, len(assets))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, of := range assets {
		group.Go(guard.Func(ctx, "asking for a balance", func() (err error) {
			list[i], err = of.Balance(ctx)
			return err
		}))
	}
	return list, group.Wait()
}

// TokenActivated is what came of the activation of a token.
type TokenActivated struct {
	Platform, Address string
	Balance           coin.Balance
}

// ActivateToken makes a token active on a platform that is active. It checks in this
// order: that it is not active, its entry, that its platform is active (a
// *coin.PlatformError), of this kind (a *PlatformKindError) and of the policy that the
// request names (a *coin.PolicyError), and its balance (coin.ErrTransport).
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
	token, item, err := a.token(platform, p)
	if err != nil {
		return TokenActivated{}, err
	}
	balance, err := token.Balance(ctx)
	if err != nil {
		return TokenActivated{}, err
	}
	return TokenActivated{platform.Ticker(), token.Address(), balance}, x.Commit(ctx, item)
}

// platformOf finds the platform that a token's entry names.
func (a *Activator) platformOf(ctx context.Context, x *coin.Activation, ticker string) (*Platform, error) {
	entry, err := a.Registry.Lookup(ticker)
	if err != nil {
		return nil, err
	}
	facts, err := coin.As[coin.TendermintToken](entry)
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

// token makes a token on a platform. One that is on another platform is a
// *coin.UnexpectedError.
func (a *Activator) token(platform *Platform, p TokenParams) (*Token, coin.Item, error) {
	entry, err := a.Registry.Lookup(p.Ticker)
	if err != nil {
		return nil, coin.Item{}, err
	}
	facts, err := coin.As[coin.TendermintToken](entry)
	if err != nil {
		return nil, coin.Item{}, err
	}
	if coin.Canonical(facts.Platform) != coin.Canonical(platform.Ticker()) {
		protocol, err := entry.Protocol()
		if err == nil {
			err = &coin.UnexpectedError{Ticker: entry.Ticker, Protocol: protocol}
		}
		return nil, coin.Item{}, err
	}
	saved, err := json.Marshal(savedToken{p.Confirmations})
	if err != nil {
		return nil, coin.Item{}, err
	}
	confirmations := platform.confirmations
	for _, own := range []*uint64{entry.RequiredConfirmations, p.Confirmations} {
		if own != nil {
			confirmations = *own
		}
	}
	token := &Token{platform: platform.Ticker(), asset: asset{chain: platform.chain, entry: entry, confirmations: confirmations}}
	token.of.Ticker, token.of.Denom, token.of.Decimals = p.Ticker, facts.Denom, facts.Decimals
	return token, coin.Item{Coin: token, Params: saved}, nil
}

// Restore brings back what was active when the node last ran, as a kind of
// coin.Restorer. It demands that a node answers.
func (a *Activator) Restore(ctx context.Context, saved coin.SavedCoin) error {
	work, x, err := a.Active.Restore(ctx, saved.Ticker)
	if err != nil {
		return err
	}
	defer x.Abort()
	item, err := a.restore(work, x, saved)
	if err == nil {
		err = x.Commit(work, item)
	}
	if err != nil && errors.Is(context.Cause(work), coin.ErrGaveWay) {
		return coin.ErrGaveWay
	}
	return err
}

func (a *Activator) restore(ctx context.Context, x *coin.Activation, saved coin.SavedCoin) (coin.Item, error) {
	if saved.Platform != "" {
		var kept savedToken
		if err := json.Unmarshal(saved.Params, &kept); err != nil {
			return coin.Item{}, fmt.Errorf("what is kept of %s: %w", saved.Ticker, err)
		}
		platform, err := a.platformOf(ctx, x, saved.Ticker)
		if err != nil {
			return coin.Item{}, err
		}
		_, item, err := a.token(platform, TokenParams{Ticker: saved.Ticker, Confirmations: kept.Confirmations})
		return item, err
	}
	p, err := restored(saved.Ticker, saved.Params)
	if err != nil {
		return coin.Item{}, err
	}
	platform, err := a.platform(ctx, p)
	if err != nil {
		return coin.Item{}, err
	}
	return coin.Item{Coin: platform, Params: saved.Params}, a.probe(ctx, platform)
}

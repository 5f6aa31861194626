// Package account activates the coins of one account on one chain: a platform coin and the
// tokens on it, for every family of chains that the node API knows. A family provides its
// addresses, the queries to its nodes and its transactions. This package provides the rest: the
// order of checks, the account, its balances and their watchers, and saving and restoring
// coins. The file toy_test.go implements a family without transactions.
//
// Sources: Komodo DeFi Framework coins_activation/src/platform_coin_with_tokens.rs and
// token.rs, for the order of checks and the texts of errors.
//
// Invariants: an activation makes all of its coins active or none, and queries nodes only after all
// checks that need no node. The signing account is the one that the coin was activated with. An
// external wallet is not opened at a restart.
package account

import (
	"context"
	"errors"
	"slices"
	"time"

	"obverse/core/key"
	"obverse/core/net/fetch"
	"obverse/core/net/proxyauth"
	"obverse/core/store"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/hd"
	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/watch"
)

// Config configures an Engine.
type Config struct {
	Active    *coin.Active
	Registry  *coin.Registry
	Providers key.Providers
	HD        bool // whether the node's key is the key of an HD wallet
	Fetcher   fetch.Fetcher
	Identity  proxyauth.Signer // for nodes behind a gateway; may be nil
	Now       func() time.Time
	Queue     *coin.SendQueue // of transactions of one account; nil means one for each activation
	Store     store.KV        // of the accounts of HD wallets, and of histories; nil means an HD wallet has a single address
	// Excluded, if not nil, is called with each node that an activation excludes.
	Excluded func(ticker, url, reason string)
}

// Platform is a family's platform coin, a pointer to a struct that embeds an Asset.
type Platform interface {
	coin.Keyed
	coin.Runner
	self() *Asset
}

// Token is a family's token, a pointer to a struct that embeds an Asset.
type Token interface {
	coin.Token
	self() *Asset
}

// Family is a family of chains. Invalid entries fail with the errors of coin.As.
type Family interface {
	// Options returns a pointer to the activation options of the family, in addition to a Request.
	// They are saved as JSON.
	Options() any
	// Read returns the ticker of the platform that the entry of a token names, and "" for the entry
	// of a platform.
	Read(entry *coin.Entry) (platform string, err error)
	// Platform makes a platform, with Open and without querying a node. Its errors become
	// *CreationError, except for errors of keys.
	Platform(ctx context.Context, entry *coin.Entry, r Request, options any) (Platform, Setup, error)
	// Token makes a token on a platform that its entry names, without querying a node.
	Token(on Platform, entry *coin.Entry, r TokenRequest) (Token, error)
	// Complete queries nodes for data that the entries of tokens lack. It returns an error for each
	// token for which that failed, or nil if all succeeded. Its last result is coin.ErrTransport.
	Complete(ctx context.Context, on Platform, tokens []Token) (failed []error, err error)
}

// Engine activates the coins of a family. It is safe for concurrent use.
type Engine struct {
	Config
	Family Family
}

// made is a token of an activation in progress.
type made struct {
	Token
	request TokenRequest
}

// Activate makes a platform active with tokens and extras, or changes nothing. It checks
// in this order: that it is not active, its entry, Expected, that the coin can be made (a
// *CreationError, or an error of the key's provider), each token (a *TokenError), the nodes and
// their answers (coin.ErrTransport), and the extras (a *TokenError). A token is left out and listed
// as failed if nodes do not return its data or balance. A passive platform is made active again
// with its nodes and parameters; a request for another policy is a *coin.PolicyError.
func (e *Engine) Activate(ctx context.Context, r Request, options any) (_ Activated, err error) {
	x, err := e.Active.Begin(ctx, r.Ticker, r.tickers()...)
	if err != nil {
		return Activated{}, err
	}
	defer x.End(&err)
	ctx = x.Context()
	platform, err := e.resume(ctx, x, r, options)
	if err != nil {
		return Activated{}, err
	}
	tokens, err := e.tokens(platform, r.Tokens)
	if err == nil {
		err = e.probe(ctx, platform)
	}
	if err != nil {
		return Activated{}, err
	}
	tokens, failed, err := e.complete(ctx, platform, tokens)
	if err != nil {
		return Activated{}, err
	}
	done, tokens, err := query(ctx, platform, tokens, failed, r)
	if err != nil {
		return Activated{}, err
	}
	items, err := itemsOf(ctx, platform, tokens, r.Extras)
	if err != nil {
		return Activated{}, err
	}
	for _, t := range done.Failed {
		x.LeaveOut(t.Ticker)
	}
	return done, x.Commit(ctx, items...)
}

// resume returns the passive platform, or makes a new one.
func (e *Engine) resume(ctx context.Context, x *coin.Activation, r Request, options any) (Platform, error) {
	platform, is := e.ours(x.Existing())
	if !is {
		return e.platform(ctx, r, options)
	}
	if err := coin.CheckPolicy(platform, r.Policy); err != nil {
		return platform, err
	}
	return platform, platform.self().chain.Account.check(ctx)
}

// ours returns a coin as a platform, if it is one of the family.
func (e *Engine) ours(c coin.Coin) (Platform, bool) {
	platform, is := c.(Platform)
	if !is {
		return nil, false
	}
	_, err := e.Family.Read(platform.Entry())
	return platform, err == nil
}

// platform makes a platform without querying a node.
func (e *Engine) platform(ctx context.Context, r Request, options any) (Platform, error) {
	entry, err := r.entry, error(nil)
	switch {
	case entry != nil:
	case r.Custom != nil:
		entry, err = r.Custom(e.Registry)
	default:
		entry, err = e.Registry.Lookup(r.Ticker)
	}
	if err == nil {
		err = e.fits(entry, "")
	}
	if err != nil {
		return nil, err
	}
	if r.Expected != nil {
		if err := r.Expected(entry); err != nil {
			return nil, err
		}
	}
	platform, setup, err := e.Family.Platform(ctx, entry, r, options)
	if err != nil {
		return nil, created(ctx, err)
	}
	r.known = setup.Account.remember()
	saved, err := save(r, options)
	if err != nil {
		return nil, err
	}
	c := &chain{Setup: setup, active: e.Active, saved: saved, watch: watch.New()}
	if a := setup.Account; a.HD && a.Base != nil && e.Store != nil {
		c.hd = hd.New(hd.Config{Store: e.Store, Ticker: coin.Canonical(r.Ticker), Base: a.Base, Path: a.path, Gap: r.HD.GapLimit(), Derive: a.derive})
	}
	*platform.self() = Asset{ChainAsset: setup.Asset, chain: c, ticker: r.Ticker, entry: entry, confirmations: setup.Confirmations}
	return platform, nil
}

// tokenEntry returns the entry of a token.
func (e *Engine) tokenEntry(r TokenRequest) (*coin.Entry, error) {
	if r.entry != nil {
		return r.entry, nil
	}
	return e.Registry.CustomToken(r.Ticker, r.Protocol)
}

// fits returns an error unless an entry is of a token on a platform, or of a platform, which is "".
func (e *Engine) fits(entry *coin.Entry, platform string) error {
	on, err := e.Family.Read(entry)
	if err == nil && coin.Canonical(on) != coin.Canonical(platform) {
		return coin.Unexpected(entry)
	}
	return err
}

// token makes a token without querying a node.
func (e *Engine) token(platform Platform, r TokenRequest) (made, error) {
	entry, err := e.tokenEntry(r)
	if err == nil {
		err = e.fits(entry, platform.Ticker())
	}
	if err != nil {
		return made{}, err
	}
	token, err := e.Family.Token(platform, entry, r)
	if err != nil {
		return made{}, err
	}
	a, below := token.self(), platform.self()
	*a = Asset{ChainAsset: a.ChainAsset, Saved: a.Saved, chain: below.chain, ticker: r.Ticker, platform: below.ticker, entry: entry,
		confirmations: entry.Confirmations(below.confirmations, r.Confirmations)}
	return made{token, r}, nil
}

// tokens makes each token once, even if it is requested by two names. Its error is a *TokenError.
func (e *Engine) tokens(platform Platform, requests []TokenRequest) (tokens []made, err error) {
	seen := map[string]bool{}
	for _, r := range requests {
		name := coin.Canonical(r.Ticker)
		if seen[name] {
			continue
		}
		seen[name] = true
		t, err := e.token(platform, r)
		if err != nil {
			return nil, &TokenError{r.Ticker, err}
		}
		tokens = append(tokens, t)
	}
	return tokens, nil
}

// probe returns an error unless a node answers and is on the chain, and the chain has addresses
// like the account's.
func (e *Engine) probe(ctx context.Context, platform Platform) error {
	excluded, err := platform.self().chain.Pool.Probe(ctx)
	if err != nil {
		return coin.Failed(err)
	}
	for _, n := range excluded {
		if e.Excluded != nil {
			e.Excluded(platform.Ticker(), n.URL, n.Reason)
		}
	}
	if err := platform.self().chain.Chain.Verify(ctx); err != nil {
		return created(ctx, err)
	}
	return nil
}

// complete completes the tokens with data from nodes, and separates those for which that fails.
func (e *Engine) complete(ctx context.Context, platform Platform, tokens []made) (complete []made, failed []FailedToken, err error) {
	list := make([]Token, len(tokens))
	for i, t := range tokens {
		list[i] = t.Token
	}
	errs, err := e.Family.Complete(ctx, platform, list)
	if errs == nil || err != nil {
		return tokens, nil, err
	}
	complete, failed = separate(tokens, func(i int) error { return errs[i] })
	return complete, failed, nil
}

// separate separates the tokens that have an error.
func separate(tokens []made, failure func(i int) error) (good []made, failed []FailedToken) {
	for i, t := range tokens {
		if err := failure(i); err != nil {
			failed = append(failed, FailedToken{t.Ticker(), err})
		} else {
			good = append(good, t)
		}
	}
	return good, failed
}

// query queries the nodes for the height and the balances that are requested. It leaves out
// tokens without a balance, in addition to tokens that failed before. If the accounts of an HD
// wallet are requested, they contain the balances, and the query only finds the tokens without
// one.
func query(ctx context.Context, platform Platform, tokens []made, failed []FailedToken, r Request) (done Activated, active []made, err error) {
	below := platform.self()
	accounts := r.HD != nil && below.chain.hd != nil
	q, list := Query{Height: true}, []*Asset{below}
	for _, t := range tokens {
		list = append(list, t.self())
	}
	balances := r.Balances && !accounts || accounts && len(tokens) > 0
	if balances {
		q.Assets = assets(list)
	}
	result, err := below.chain.Chain.Query(ctx, q)
	if err != nil {
		return done, nil, err
	}
	if !balances {
		result.Balances = make([]coin.Balance, len(list))
	}
	if err := result.Balances[0].Unknown; err != nil {
		return done, nil, err
	}
	active, unknown := separate(tokens, func(i int) error { return result.Balances[1+i].Unknown })
	done = Activated{Owner: below.Owner(), Height: result.Height, Balance: result.Balances[0], Failed: append(failed, unknown...)}
	for i, a := range list[1:] {
		if b := result.Balances[1+i]; b.Unknown == nil {
			done.Tokens = append(done.Tokens, coin.TickerBalance{Ticker: a.ticker, Balance: b})
		}
	}
	if accounts {
		list = slices.DeleteFunc(list, func(a *Asset) bool {
			return slices.ContainsFunc(unknown, func(f FailedToken) bool { return f.Ticker == a.ticker })
		})
		done.Accounts, err = below.chain.view(list).Activate(ctx, *r.HD)
	}
	return done, active, err
}

// itemsOf returns the items to commit.
func itemsOf(ctx context.Context, platform Platform, tokens []made, extras []Extra) ([]coin.Item, error) {
	items := []coin.Item{{Coin: platform, Params: platform.self().chain.saved}}
	for _, t := range tokens {
		item, err := t.item()
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	for _, extra := range extras {
		item, err := extra.Make(ctx, platform)
		if err != nil {
			return nil, &TokenError{extra.Ticker, err}
		}
		items = append(items, item)
	}
	return items, nil
}

// item returns the item to commit.
func (t made) item() (coin.Item, error) {
	saved, err := join(savedToken{t.request.Confirmations}, t.self().Saved)
	return coin.Item{Coin: t.Token, Params: saved}, err
}

// CreationError means that a platform coin cannot be made from its entry and the request.
type CreationError struct{ Err error }

func (e *CreationError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *CreationError) Unwrap() error { return e.Err }

// created wraps a family's error in a *CreationError, unless it is one of a provider of keys or the
// caller disconnected.
func created(ctx context.Context, err error) error {
	var refused *key.NotAllowedError
	var wallet *key.WalletError
	if errors.As(err, &refused) || errors.As(err, &wallet) || device.Is(err, device.Faults()...) || errors.Is(err, key.ErrUnsupported) ||
		ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return err
	}
	return &CreationError{err}
}

// TokenError means that a coin cannot be activated together with a platform.
type TokenError struct {
	Ticker string // as in the request
	Err    error
}

func (e *TokenError) Error() string { return "token " + e.Ticker + ": " + e.Err.Error() }

// Unwrap returns the reason.
func (e *TokenError) Unwrap() error { return e.Err }

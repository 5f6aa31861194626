package account

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"obverse/core/key"
	"obverse/core/net/fetch"
	"obverse/core/net/proxyauth"
	"obverse/core/store"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/hd"
)

// Config configures an Engine.
type Config struct {
	Active    *coin.Active
	Registry  *coin.Registry
	Providers key.Providers
	HD        bool // the node's key is that of an HD wallet
	Fetcher   fetch.Fetcher
	Identity  proxyauth.Signer // for nodes behind a gateway; may be nil
	Now       func() time.Time
	Queue     *coin.SendQueue // of transactions of one account; nil: one for each activation
	Store     store.KV        // of the accounts of HD wallets, and of histories; nil: an HD wallet has a single address
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
	// Check returns an error unless the entry is a platform of the family.
	Check(entry *coin.Entry) error
	// Platform makes a platform of an entry that passed Check, with Open and without querying a
	// node. Its errors become *CreationError, except for those of keys.
	Platform(ctx context.Context, entry *coin.Entry, r Request, options any) (Platform, Setup, error)
	// Has reports whether a coin is a platform of the family.
	Has(c coin.Coin) bool
	// PlatformOf returns the ticker of the platform that a token's entry names.
	PlatformOf(token *coin.Entry) (string, error)
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

// activation is an activation in progress.
type activation struct {
	*Engine
	platform Platform
	tokens   []Token
	requests []TokenRequest  // for each of the tokens
	seen     map[string]bool // canonical tickers of the tokens
	failed   []FailedToken
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
	w := &activation{Engine: e, seen: map[string]bool{}}
	if w.platform, err = e.resume(ctx, x, r, options); err != nil {
		return Activated{}, err
	}
	for _, t := range r.Tokens {
		if err := w.add(t); err != nil {
			return Activated{}, &TokenError{t.Ticker, err}
		}
	}
	if err := e.probe(ctx, w.platform); err != nil {
		return Activated{}, err
	}
	accounts := r.HD != nil && w.platform.self().chain.hd != nil
	done, err := w.query(ctx, r.Balances, accounts)
	if err == nil && accounts {
		done.Accounts, err = w.accounts(ctx, *r.HD)
	}
	if err != nil {
		return Activated{}, err
	}
	items, err := w.items(ctx, r.Extras)
	if err != nil {
		return Activated{}, err
	}
	for _, t := range w.failed {
		x.LeaveOut(t.Ticker)
	}
	return done, x.Commit(ctx, items...)
}

// resume returns the passive platform, or makes a new one.
func (e *Engine) resume(ctx context.Context, x *coin.Activation, r Request, options any) (Platform, error) {
	if !e.Family.Has(x.Existing()) {
		return e.platform(ctx, r, options)
	}
	platform := x.Existing().(Platform)
	if err := coin.CheckPolicy(platform, r.Policy); err != nil {
		return platform, err
	}
	return platform, platform.self().chain.Account.check(ctx)
}

// platform makes a platform without querying a node.
func (e *Engine) platform(ctx context.Context, r Request, options any) (Platform, error) {
	entry, err := e.entryOf(r)
	if err != nil {
		return nil, err
	}
	if err := e.Family.Check(entry); err != nil {
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
	c := &chain{Setup: setup, active: e.Active, saved: saved, watch: newWatch()}
	if base, path := setup.Account.places(); base != nil && !setup.OneAddress && e.Store != nil {
		c.hd = hd.New(hd.Config{Store: e.Store, Ticker: coin.Canonical(r.Ticker), Base: base, Path: path, Gap: r.gap(), Derive: setup.Account.derive})
	}
	*platform.self() = Asset{ChainAsset: setup.Asset, chain: c, ticker: r.Ticker, entry: entry, confirmations: setup.Confirmations}
	return platform, nil
}

// entryOf returns the entry of a platform.
func (e *Engine) entryOf(r Request) (*coin.Entry, error) {
	switch {
	case r.entry != nil:
		return r.entry, nil
	case r.Custom != nil:
		return r.Custom(e.Registry)
	}
	return e.Registry.Lookup(r.Ticker)
}

// token makes a token without querying a node.
func (e *Engine) token(platform Platform, r TokenRequest) (Token, error) {
	entry, err := e.entry(r)
	if err != nil {
		return nil, err
	}
	on, err := e.Family.PlatformOf(entry)
	if err != nil {
		return nil, err
	}
	if coin.Canonical(on) != coin.Canonical(platform.Ticker()) {
		return nil, Unexpected(entry)
	}
	token, err := e.Family.Token(platform, entry, r)
	if err != nil {
		return nil, err
	}
	a, below := token.self(), platform.self()
	*a = Asset{ChainAsset: a.ChainAsset, Saved: a.Saved, chain: below.chain, ticker: r.Ticker, platform: below.ticker, entry: entry,
		confirmations: Confirmations(below.confirmations, entry.RequiredConfirmations, r.Confirmations)}
	return token, nil
}

// entry returns the entry of a token.
func (e *Engine) entry(r TokenRequest) (*coin.Entry, error) {
	switch {
	case r.entry != nil:
		return r.entry, nil
	case r.Protocol != nil:
		return e.Registry.CustomToken(r.Ticker, r.Protocol)
	}
	return e.Registry.Lookup(r.Ticker)
}

// add makes a token, unless it was added already by any of its names.
func (w *activation) add(r TokenRequest) error {
	name := coin.Canonical(r.Ticker)
	if w.seen[name] {
		return nil
	}
	w.seen[name] = true
	token, err := w.token(w.platform, r)
	if err != nil {
		return err
	}
	w.tokens, w.requests = append(w.tokens, token), append(w.requests, r)
	return nil
}

// probe returns an error unless a node answers and is on the chain, and the chain has addresses
// like the account's.
func (e *Engine) probe(ctx context.Context, platform Platform) error {
	excluded, err := platform.self().chain.Pool.Probe(ctx)
	if err != nil {
		return Failed(err)
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

// complete completes the tokens with data from nodes, and leaves out those for which that fails.
func (w *activation) complete(ctx context.Context) error {
	failed, err := w.Family.Complete(ctx, w.platform, w.tokens)
	if err == nil && failed != nil {
		w.leaveOut(func(i int) error { return failed[i] })
	}
	return err
}

// leaveOut leaves out the tokens that have an error.
func (w *activation) leaveOut(failed func(i int) error) {
	var tokens []Token
	var requests []TokenRequest
	for i, t := range w.tokens {
		if err := failed(i); err != nil {
			w.failed = append(w.failed, FailedToken{t.self().ticker, err})
			continue
		}
		tokens, requests = append(tokens, t), append(requests, w.requests[i])
	}
	w.tokens, w.requests = tokens, requests
}

// query queries the nodes for the height and, if balances is set, the balances. With accounts,
// another query returns the balances, and this one finds the tokens that have one.
func (w *activation) query(ctx context.Context, balances, accounts bool) (Activated, error) {
	if err := w.complete(ctx); err != nil {
		return Activated{}, err
	}
	below := w.platform.self()
	balances = balances && !accounts || accounts && len(w.tokens) > 0
	q := Query{Height: true}
	if balances {
		q.Assets = append(q.Assets, below.ChainAsset)
		for _, t := range w.tokens {
			q.Assets = append(q.Assets, t.self().ChainAsset)
		}
	}
	r, err := below.chain.Chain.Query(ctx, q)
	if err != nil {
		return Activated{}, err
	}
	if !balances {
		r.Balances = make([]coin.Balance, 1+len(w.tokens))
	}
	if err := r.Balances[0].Unknown; err != nil {
		return Activated{}, err
	}
	w.leaveOut(func(i int) error { return r.Balances[1+i].Unknown })
	done := Activated{Owner: below.Owner(), Height: r.Height, Balance: r.Balances[0], Failed: w.failed}
	known := slices.DeleteFunc(r.Balances[1:], func(b coin.Balance) bool { return b.Unknown != nil })
	for i, t := range w.tokens {
		done.Tokens = append(done.Tokens, coin.TickerBalance{Ticker: t.Ticker(), Balance: known[i]})
	}
	return done, nil
}

// accounts returns all accounts of an HD wallet.
func (w *activation) accounts(ctx context.Context, o hd.Options) ([]hd.Account, error) {
	below := w.platform.self()
	all := []*Asset{below}
	for _, t := range w.tokens {
		all = append(all, t.self())
	}
	return below.chain.view(all).Activate(ctx, o)
}

// items returns the items to commit.
func (w *activation) items(ctx context.Context, extras []Extra) ([]coin.Item, error) {
	items := []coin.Item{{Coin: w.platform, Params: w.platform.self().chain.saved}}
	for i, t := range w.tokens {
		saved, err := saveToken(w.requests[i], t.self().Saved)
		if err != nil {
			return nil, err
		}
		items = append(items, coin.Item{Coin: t, Params: saved})
	}
	for _, extra := range extras {
		item, err := extra.Make(ctx, w.platform)
		if err != nil {
			return nil, &TokenError{extra.Ticker, err}
		}
		items = append(items, item)
	}
	return items, nil
}

func saveToken(r TokenRequest, family any) (json.RawMessage, error) {
	return join(savedToken{r.Confirmations}, family)
}

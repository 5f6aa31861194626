package evm

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"obverse/core/key"
	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/net/proxyauth"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/node"
)

// Activator makes coins active. Its methods may be called by many goroutines.
type Activator struct {
	Active   *coin.Active
	Registry *coin.Registry
	Keepers  key.Keepers
	HD       bool // the node's own key is of an HD wallet
	Fetcher  fetch.Fetcher
	Identity proxyauth.Signer // for nodes behind a gateway; may be nil
	NFTs     NFTNetworks      // nil: there are none here
	Now      func() time.Time
	Turns    *coin.Turns // of who sends; nil: those of one activation know nothing of another's
	// LeftOut is told of nodes that an activation goes without; nil: nobody is.
	LeftOut func(ticker, url, reason string)
}

// Activated is what came of an activation.
type Activated struct {
	Owner   Owner
	Height  uint64 // of the newest block
	Balance coin.Balance
	Tokens  []coin.TickerBalance // in the order of the request, each once
	NFTs    []NFT
}

// TokenError says that one of the tokens that come with a platform, or its network of
// NFTs, cannot be activated.
type TokenError struct {
	Ticker string // as in the request
	Err    error
}

func (e *TokenError) Error() string { return "token " + e.Ticker + ": " + e.Err.Error() }

// Unwrap gives the reason.
func (e *TokenError) Unwrap() error { return e.Err }

// ErrNoNFTs says that nothing here makes networks of NFTs.
var ErrNoNFTs = errors.New("there are no networks of NFTs here")

// Activate makes a platform active, and tokens and a network of NFTs with it, or changes
// nothing. It checks in this order: that it is not active, its entry, Expected, the
// contracts (a *PayloadError), what makes the coin (a *CreationError, ErrNoNodes, or a
// *key.NotAllowedError for the policy), each token (a *TokenError), the nodes, the
// balances (coin.ErrTransport) and the NFTs (a *TokenError). A platform that was disabled
// and went on for its tokens is switched on again, with the nodes and parameters that it
// has; a request for another policy is a *coin.PolicyError. What a wallet outside the node does is a *key.WalletError.
func (a *Activator) Activate(ctx context.Context, p Params) (_ Activated, err error) {
	x, err := a.Active.Begin(ctx, p.Ticker, p.withIt()...)
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
	w := work{Activator: a, platform: platform, result: Activated{Owner: platform.account.owner()}}
	if err := w.makeTokens(p.Tokens); err != nil {
		return Activated{}, err
	}
	if err := w.probe(ctx); err != nil {
		return Activated{}, err
	}
	if err := w.ask(ctx, p.Balances); err != nil {
		return Activated{}, err
	}
	items, err := w.items(ctx, p.NFTs)
	if err != nil {
		return Activated{}, err
	}
	return w.result, x.Commit(ctx, items...)
}

// withIt lists the tickers that are activated with the platform.
func (p Params) withIt() (tickers []string) {
	for _, t := range p.Tokens {
		tickers = append(tickers, t.Ticker)
	}
	if p.NFTs != nil {
		tickers = append(tickers, NFTPrefix+p.Ticker)
	}
	return tickers
}

// work is an activation on its way.
type work struct {
	*Activator
	platform *Platform
	tokens   []*Token
	asked    []TokenParams // for each of them
	unknown  []int         // tokens whose decimals have to be asked for
	result   Activated
}

// makeTokens makes the tokens, each once.
func (w *work) makeTokens(all []TokenParams) error {
	seen := make(map[string]bool)
	for _, t := range all {
		if name := coin.Canonical(t.Ticker); seen[name] {
			continue
		} else {
			seen[name] = true
		}
		token, known, err := w.token(w.platform, t)
		if err != nil {
			return &TokenError{t.Ticker, err}
		}
		if !known {
			w.unknown = append(w.unknown, len(w.tokens))
		}
		w.tokens, w.asked = append(w.tokens, token), append(w.asked, t)
	}
	return nil
}

// unreachable begins with Komodo DeFi Framework's sentence.
type unreachable struct{ *nodepool.UnreachableError }

func (e unreachable) Error() string {
	list := make([]string, len(e.Attempts))
	for i, a := range e.Attempts {
		list[i] = a.URL + ": " + a.Reason
	}
	return "Failed to get client version for all nodes (" + strings.Join(list, "; ") + ")"
}

// Unwrap gives the pool's error.
func (e unreachable) Unwrap() error { return e.UnreachableError }

// probe finds out which nodes are there and on the network. One is enough.
func (w *work) probe(ctx context.Context) error {
	out, err := w.platform.nodes.pool.Probe(ctx)
	var nobody *nodepool.UnreachableError
	if errors.As(err, &nobody) {
		err = unreachable{nobody}
	}
	if err != nil {
		return failed(err)
	}
	for _, n := range out {
		if w.LeftOut != nil {
			w.LeftOut(w.platform.Ticker(), n.URL, n.Reason)
		}
	}
	return nil
}

// ask reads what has to be known and what the caller is told.
func (w *work) ask(ctx context.Context, balances bool) error {
	look := node.Look{Owner: w.platform.account.address, Coin: balances}
	if balances {
		for _, t := range w.tokens {
			look.Balances = append(look.Balances, *t.of.Contract)
		}
	}
	seen, err := w.platform.nodes.Look(ctx, look)
	if err != nil {
		return err
	}
	if err := w.askDecimals(ctx); err != nil {
		return err
	}
	w.result.Height = seen.Height
	var list []coin.Balance
	assets := []*asset{&w.platform.asset}
	for _, t := range w.tokens {
		assets = append(assets, &t.asset)
	}
	if list = make([]coin.Balance, len(assets)); balances {
		list = read(assets, seen)
	}
	w.result.Balance = list[0]
	for i, t := range w.tokens {
		w.result.Tokens = append(w.result.Tokens, coin.TickerBalance{Ticker: t.of.Ticker, Balance: list[i+1]})
	}
	return nil
}

// askDecimals reads those that the coins file does not state. All amounts depend on them,
// and they are kept: no node alone is believed while there are others.
func (w *work) askDecimals(ctx context.Context) error {
	var contracts []address.Address
	for _, i := range w.unknown {
		contracts = append(contracts, *w.tokens[i].of.Contract)
	}
	decimals, err := w.platform.nodes.Decimals(ctx, contracts)
	if err != nil {
		return err
	}
	for i, of := range w.unknown {
		w.tokens[of].of.Decimals = decimals[i]
	}
	return nil
}

// items are what is committed, with the network of NFTs if one is wanted.
func (w *work) items(ctx context.Context, nfts *NFTProvider) ([]coin.Item, error) {
	items := []coin.Item{{Coin: w.platform, Params: w.platform.saved}}
	for i, t := range w.tokens {
		saved, err := json.Marshal(savedToken{w.asked[i].Confirmations, t.of.Decimals})
		if err != nil {
			return nil, err
		}
		items = append(items, coin.Item{Coin: t, Params: saved})
	}
	if nfts == nil {
		return items, nil
	}
	ticker := NFTPrefix + w.platform.Ticker()
	if w.NFTs == nil {
		return nil, &TokenError{ticker, ErrNoNFTs}
	}
	network, list, err := w.NFTs.Network(ctx, w.platform, *nfts)
	if err != nil {
		return nil, &TokenError{ticker, err}
	}
	w.result.NFTs = list
	return append(items, network), nil
}

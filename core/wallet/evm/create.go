package evm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"time"

	"obverse/core/key"
	"obverse/core/net/nodepool"
	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/node"
	"obverse/core/wallet/evm/tx"
)

// CreationError says that a platform coin cannot be made of its entry and its parameters.
type CreationError struct{ Err error }

func (e *CreationError) Error() string { return e.Err.Error() }

// Unwrap gives the reason.
func (e *CreationError) Unwrap() error { return e.Err }

// PayloadError refuses a parameter, in Komodo DeFi Framework's words.
type PayloadError struct{ Reason string }

func (e *PayloadError) Error() string { return e.Reason }

// ErrNoNodes says that a platform needs one. The text is Komodo DeFi Framework's.
var ErrNoNodes = errors.New("Enable request for ETH coin must have at least 1 node")

// platform makes a platform coin of its entry and what the user wants, without asking
// any node.
func (a *Activator) platform(ctx context.Context, p Params) (*Platform, error) {
	entry, err := a.Registry.Lookup(p.Ticker)
	if err != nil {
		return nil, err
	}
	facts, err := coin.As[coin.ETH](entry)
	if err != nil {
		return nil, err
	}
	if p.Expected != nil {
		if err := p.Expected(entry); err != nil {
			return nil, err
		}
	}
	if err := p.Contracts.check(); err != nil {
		return nil, err
	}
	c, err := a.chain(ctx, p, entry, facts)
	var payload *PayloadError
	switch {
	case errors.As(err, &payload), errors.Is(err, ErrNoNodes), ofKeeper(err), ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return nil, err
	case err != nil:
		return nil, &CreationError{err}
	}
	platform := &Platform{asset: asset{chain: c, of: c.native, entry: entry, confirmations: 1}, contracts: p.Contracts}
	for _, own := range []*uint64{entry.RequiredConfirmations, p.Confirmations} {
		if own != nil {
			platform.confirmations = *own
		}
	}
	if _, is := c.account.wallet(); is {
		p.wallet, p.public = &c.account.address, c.account.public
	}
	platform.saved, err = p.save()
	return platform, err
}

// check reads the addresses.
func (c Contracts) check() error {
	for _, one := range []struct {
		name, text string
		optional   bool
	}{{"swap_contract_address", c.Swap, false}, {"fallback_swap_contract", c.Fallback, true}} {
		if one.optional && one.text == "" {
			continue
		}
		a, err := address.Parse(one.text)
		if err != nil {
			return &PayloadError{fmt.Sprintf("%s: %s", one.name, err)}
		}
		if a.IsZero() {
			return &PayloadError{one.name + " can't be zero address"}
		}
	}
	return nil
}

// chain makes what the coin and its tokens share.
func (a *Activator) chain(ctx context.Context, p Params, entry *coin.Entry, facts coin.ETH) (*chain, error) {
	c := &chain{id: facts.ChainID, native: tx.Asset{Ticker: p.Ticker, Decimals: tx.Decimals}, turns: cmp.Or(a.Turns, coin.NewTurns(a.Now)),
		block: blocktime(entry), gone: make(chan struct{})}
	c.tokens = func() []*Token { return a.tokensOn(c) }
	var err error
	if c.account, err = a.account(p, entry, facts); err != nil {
		return nil, err
	}
	if err := a.Keepers.Check(p.Policy); err != nil {
		return nil, err
	}
	if len(p.Nodes) == 0 {
		return nil, ErrNoNodes
	}
	if p.wallet != nil { // nobody may be there to ask
		c.account.address, c.account.public = *p.wallet, p.public
	} else if err = c.account.open(ctx, p.Path); err != nil {
		return nil, err
	}
	pool, err := node.New(node.Config{Nodes: p.Nodes, ChainID: facts.ChainID, Block: c.block, Fetcher: a.Fetcher, Identity: a.Identity, Now: a.Now})
	var urls nodepool.URLErrors
	if errors.As(err, &urls) {
		err = &PayloadError{urls.Error()}
	}
	c.nodes = nodes{pool}
	return c, err
}

// usual is a time between two blocks for entries without a sensible one.
const usual = 15 * time.Second

// blocktime reads about how long a block takes.
func blocktime(entry *coin.Entry) time.Duration {
	const longest = 3600
	seconds, err := number.ParseRational(cmp.Or(entry.AvgBlocktime.String(), "0"))
	if err != nil || seconds.Sign() <= 0 || seconds.Cmp(number.Int(longest)) > 0 {
		return usual
	}
	nanoseconds := seconds.Mul(number.Int(int64(time.Second)))
	return time.Duration(new(big.Int).Quo(nanoseconds.Numer(), nanoseconds.Denom()).Int64())
}

var errNoPath = errors.New("'derivation_path' field is not found in config")

// account finds the coin's derivation path. Only an HD wallet needs one.
func (a *Activator) account(p Params, entry *coin.Entry, facts coin.ETH) (account, error) {
	own := account{keepers: a.Keepers, policy: p.Policy, hd: a.HD && p.Policy.Name() == key.NameContextPrivKey}
	if entry.DerivationPath != "" {
		var err error
		if own.base, err = key.ParsePath(entry.DerivationPath); err != nil {
			return own, fmt.Errorf("Error deserializing 'derivation_path': %w", err)
		}
	} else if own.hd {
		return own, errNoPath
	}
	own.network = tx.Network{ChainID: facts.ChainID, Name: cmp.Or(entry.FullName, entry.Ticker), Ticker: entry.Ticker}
	for _, of := range p.Nodes {
		if of.Public() {
			own.network.RPC = of.URL
			break
		}
	}
	return own, nil
}

// tokensOn lists the tokens that are active on a network.
func (a *Activator) tokensOn(c *chain) (tokens []*Token) {
	for _, active := range a.Active.List() {
		if t, is := active.(*Token); is && t.chain == c {
			tokens = append(tokens, t)
		}
	}
	return tokens
}

// facts reads what a token's entry says of it. An entry of another platform, or whose
// contract is no address, is a *coin.UnexpectedError.
func (a *Activator) facts(platform *Platform, ticker string) (*coin.Entry, address.Address, error) {
	entry, err := a.Registry.Lookup(ticker)
	if err != nil {
		return nil, address.Address{}, err
	}
	facts, err := coin.As[coin.ERC20](entry)
	if err != nil {
		return nil, address.Address{}, err
	}
	contract, wrong := address.Parse(facts.ContractAddress)
	if wrong != nil || coin.Canonical(facts.Platform) != coin.Canonical(platform.Ticker()) {
		protocol, err := entry.Protocol()
		if err == nil {
			err = &coin.UnexpectedError{Ticker: entry.Ticker, Protocol: protocol}
		}
		return nil, contract, err
	}
	return entry, contract, nil
}

// token makes a token on a platform; its decimals are those of its entry, or are to be
// asked for: then known is false.
func (a *Activator) token(platform *Platform, p TokenParams) (t *Token, known bool, err error) {
	entry, contract, err := a.facts(platform, p.Ticker)
	if err != nil {
		return nil, false, err
	}
	t = &Token{platform: platform.Ticker(), asset: asset{chain: platform.chain, entry: entry, confirmations: platform.confirmations}}
	t.of = tx.Asset{Ticker: p.Ticker, Contract: &contract}
	for _, own := range []*uint64{entry.RequiredConfirmations, p.Confirmations} {
		if own != nil {
			t.confirmations = *own
		}
	}
	for _, decimals := range []*uint8{p.decimals, entry.Decimals} {
		if decimals != nil && *decimals > 0 {
			t.of.Decimals, known = *decimals, true
		}
	}
	return t, known || p.decimals != nil, nil
}

package tendermint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"time"

	"obverse/core/key"
	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/tendermint/history"
	"obverse/core/wallet/tendermint/node"
	"obverse/core/wallet/tendermint/tx"
)

// platform makes a platform coin of its entry and what the user wants, without asking
// any node.
func (a *Activator) platform(ctx context.Context, p Params) (*Platform, error) {
	entry, err := a.Registry.Lookup(p.Ticker)
	if err != nil {
		return nil, err
	}
	facts, err := coin.As[coin.Tendermint](entry)
	if err != nil {
		return nil, err
	}
	if p.Expected != nil {
		if err := p.Expected(entry); err != nil {
			return nil, err
		}
	}
	c, err := a.chain(ctx, p, entry, facts)
	var refused *key.NotAllowedError
	var wallet *key.WalletError
	switch {
	case errors.As(err, &refused), errors.As(err, &wallet), errors.Is(err, key.ErrCannot), ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return nil, err
	case err != nil:
		return nil, &CreationError{err}
	}
	platform := &Platform{asset: asset{chain: c, of: c.facts.Native, entry: entry, confirmations: p.Confirmations}, notarization: p.Notarization}
	if _, is := c.account.wallet(); is {
		p.public = c.account.public
	}
	platform.saved, err = p.save()
	return platform, err
}

// Limits of entries.
const (
	maxDecimals  = 18
	maxBlocktime = 255 // seconds
)

// Reasons for which an entry makes no coin, with Komodo DeFi Framework's texts.
var (
	errNoBlocktime = errors.New("avg_blocktime is missing in coin configuration")
	errBlocktime   = errors.New("avg_blocktime must be in-between '0' and '255'.")
	errNoPath      = errors.New("'derivation_path' field is not found in config")
)

// chain makes what the coin and its tokens share.
func (a *Activator) chain(ctx context.Context, p Params, entry *coin.Entry, facts coin.Tendermint) (*chain, error) {
	if facts.Decimals > maxDecimals {
		return nil, fmt.Errorf("'decimals' value is too high; it must be %d or lower but the current value is %d", maxDecimals, facts.Decimals)
	}
	c := &chain{now: a.Now, turns: cmp.Or(a.Turns, coin.NewTurns(a.Now)), fees: fetch.NewCache[coin.Fee](a.Now), watch: newWatch()}
	c.tokens = func() []*Token { return a.tokensOn(c) }
	var err error
	if c.block, err = blocktime(entry); err != nil {
		return nil, err
	}
	if c.facts, err = tx.ChainOf(p.Ticker, facts); err != nil {
		return nil, fmt.Errorf("gas_price: %w", err)
	}
	if c.account, err = a.account(p, entry, facts); err != nil {
		return nil, err
	}
	if err := a.Keepers.Check(p.Policy); err != nil {
		return nil, err
	}
	if len(p.Nodes) == 0 {
		return nil, nodepool.ErrNoNodes
	}
	if p.public != nil {
		err = c.account.remembered(*p.public)
	} else {
		err = c.account.open(ctx, p.Path)
	}
	if err != nil {
		return nil, err
	}
	pool, err := node.New(node.Config{Nodes: p.Nodes, ChainID: facts.ChainID, Fetcher: a.Fetcher, Dialer: a.Dialer, Identity: a.Identity, Now: a.Now, Block: c.block})
	if err != nil {
		return nil, err
	}
	c.nodes = &nodes{pool: pool, kinds: fetch.NewCache[bool](a.Now)}
	if p.History {
		c.history = history.New(history.Config{Store: a.Store, Source: c.nodes, Chain: facts.ChainID, Address: c.account.address.String(), Now: a.Now})
	}
	return c, nil
}

// blocktime reads about how long a block takes.
func blocktime(entry *coin.Entry) (time.Duration, error) {
	text := entry.AvgBlocktime.String()
	if text == "" {
		return 0, errNoBlocktime
	}
	seconds, err := number.ParseRational(text)
	if err != nil || seconds.Cmp(number.Int(maxBlocktime)) > 0 || seconds.Sign() < 0 {
		return 0, errBlocktime
	}
	nanoseconds := seconds.Mul(number.Int(int64(time.Second)))
	return time.Duration(new(big.Int).Quo(nanoseconds.Numer(), nanoseconds.Denom()).Int64()), nil
}

// account finds the coin's derivation path. Only an HD wallet needs one.
func (a *Activator) account(p Params, entry *coin.Entry, facts coin.Tendermint) (account, error) {
	own := account{keepers: a.Keepers, policy: p.Policy, hd: a.HD && p.Policy.Name() == key.NameContextPrivKey}
	if entry.DerivationPath != "" {
		var err error
		if own.base, err = key.ParsePath(entry.DerivationPath); err != nil {
			return own, fmt.Errorf("Error deserializing 'derivation_path': %w", err)
		}
	} else if own.hd {
		return own, errNoPath
	}
	own.network = network(p, entry, facts, own.base)
	return own, nil
}

// network is what a wallet outside the node is told of the chain.
func network(p Params, entry *coin.Entry, facts coin.Tendermint, path key.Path) tx.Network {
	n := tx.Network{ID: facts.ChainID, Name: cmp.Or(entry.FullName, entry.Ticker), Prefix: facts.AccountPrefix, Ticker: entry.Ticker,
		Denom: facts.Denom, Decimals: facts.Decimals, GasPrice: cmp.Or(facts.GasPrice.String(), tx.DefaultGasPrice)}
	if len(path) == 2 {
		n.CoinType = path[1] &^ key.Hardened
	}
	for _, of := range p.Nodes {
		if of.APIURL != "" && of.Public() {
			n.RPC, n.REST = of.URL, of.APIURL
			break
		}
	}
	return n
}

// tokensOn lists the tokens that are active on a chain.
func (a *Activator) tokensOn(c *chain) (tokens []*Token) {
	for _, active := range a.Active.List() {
		if t, is := active.(*Token); is && t.chain == c {
			tokens = append(tokens, t)
		}
	}
	return tokens
}

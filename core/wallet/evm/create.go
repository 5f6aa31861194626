package evm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"time"

	"obverse/core/key"
	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/node"
	"obverse/core/wallet/evm/tx"
)

// PayloadError means that a part of a request is invalid: a contract (a *ContractError) or the URLs
// of nodes.
type PayloadError struct{ Err error }

func (e *PayloadError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *PayloadError) Unwrap() error { return e.Err }

// ErrZeroAddress rejects the zero address.
var ErrZeroAddress = errors.New("address is zero")

// ContractError means that the address of a contract of swaps is invalid.
type ContractError struct {
	Fallback bool  // whether it is the contract for coins that the first one does not support
	Err      error // ErrZeroAddress, or an error of package address
}

func (e *ContractError) Error() string {
	if e.Fallback {
		return "fallback swap contract: " + e.Err.Error()
	}
	return "swap contract: " + e.Err.Error()
}

// Unwrap returns the reason.
func (e *ContractError) Unwrap() error { return e.Err }

// ErrNoNodes means that a request has no nodes.
var ErrNoNodes = errors.New("an EVM network needs a node")

// family makes the coins of an Activator.
type family struct{ *Activator }

var _ account.Family = family{}

// Options implements account.Family.
func (family) Options() any { return new(Options) }

// Read implements account.Family.
func (family) Read(entry *coin.Entry) (platform string, err error) {
	if token, err := coin.As[coin.ERC20](entry); err == nil {
		return token.Platform, nil
	}
	_, err = coin.As[coin.ETH](entry)
	return "", err
}

// Platform implements account.Family.
func (f family) Platform(ctx context.Context, entry *coin.Entry, r account.Request, options any) (account.Platform, account.Setup, error) {
	o := options.(*Options)
	var setup account.Setup
	entered, err := coin.As[coin.ETH](entry)
	if err != nil {
		return nil, setup, err
	}
	if err := o.Contracts.check(entered.ChainID); err != nil {
		return nil, setup, err
	}
	c := &chain{id: entered.ChainID, native: tx.Asset{Ticker: r.Ticker, Decimals: tx.Decimals}, queue: cmp.Or(f.Queue, coin.NewSendQueue(f.Now)), registry: f.Registry}
	c.account, err = account.Open(ctx, f.Config, r, entry, codec(func(key.Path) tx.Network {
		return tx.Network{ChainID: entered.ChainID, Name: cmp.Or(entry.FullName, entry.Ticker), Ticker: entry.Ticker, RPC: nodepool.FirstPublic(r.Nodes, false).URL}
	}))
	if errors.Is(err, nodepool.ErrNoNodes) {
		err = ErrNoNodes
	}
	if err == nil {
		c.address, err = address.Parse(c.account.Address)
	}
	if err != nil {
		return nil, setup, err
	}
	if entry.UsualGasPrice != nil {
		c.usualPrice = new(big.Int).SetUint64(*entry.UsualGasPrice)
	}
	block := blocktime(entry)
	pool, err := node.New(node.Config{Nodes: r.Nodes, ChainID: entered.ChainID, Block: block, Fetcher: f.Fetcher, Dialer: f.Dialer, Identity: f.Identity, Now: f.Now})
	var urls nodepool.URLErrors
	if errors.As(err, &urls) {
		err = &PayloadError{urls}
	}
	c.nodes = nodes{Pool: pool, onePrice: entry.MaxTxType != nil && *entry.MaxTxType < typeFees}
	if err != nil {
		return nil, setup, err
	}
	indexer, err := indexerOf(entry, o)
	if err != nil {
		return nil, setup, err
	}
	if o.History && f.Store != nil {
		c.remember(f, indexer)
	}
	setup = account.Setup{Account: c.account, Asset: &c.native, Pool: c.nodes, Chain: c, Block: block,
		Confirmations: entry.Confirmations(1, o.Confirmations)}
	p := &Platform{newAsset(c), o.Contracts}
	if o.Gas != "" {
		p.SetGasPolicy(o.Gas)
	}
	return p, setup, err
}

// check parses the addresses.
func (c Contracts) check(chain uint64) error {
	for n, text := range []string{c.Swap, c.Fallback} {
		fallback := n == 1
		if fallback && text == "" {
			continue
		}
		a, err := address.ParseOn(chain, text)
		if err == nil && a.IsZero() {
			err = ErrZeroAddress
		}
		if err != nil {
			return &PayloadError{&ContractError{fallback, err}}
		}
	}
	return nil
}

// typeFees is the type of transactions of EIP-1559.
const typeFees = 2

// Times between two blocks.
const (
	usualBlocktime = 15 * time.Second // for entries without a valid one
	maxBlocktime   = 3600             // in seconds
)

func blocktime(entry *coin.Entry) time.Duration {
	block, err := entry.Blocktime(maxBlocktime)
	if err != nil || block == 0 {
		return usualBlocktime
	}
	return block
}

// savedToken holds the stored parameters of a token in addition to its confirmations.
type savedToken struct {
	Decimals *uint8 `json:"decimals"`
}

// Token implements account.Family. Decimals are from the entry or from an earlier run;
// otherwise Complete queries them.
func (f family) Token(on account.Platform, entry *coin.Entry, r account.TokenRequest) (account.Token, error) {
	platform := on.(*Platform)
	entered, err := coin.As[coin.ERC20](entry)
	if err != nil {
		return nil, err
	}
	contract, err := address.ParseOn(platform.id, entered.ContractAddress)
	if err != nil {
		return nil, coin.Unexpected(entry)
	}
	var saved savedToken
	if r.Saved != nil {
		if err := json.Unmarshal(r.Saved, &saved); err != nil {
			return nil, err
		}
	}
	if entry.Custom && r.Saved == nil {
		if err := f.alone(platform, r.Ticker, contract); err != nil {
			return nil, err
		}
	}
	t := &Token{newAsset(platform.chain)}
	t.ChainAsset = &tx.Asset{Ticker: r.Ticker, Contract: &contract}
	for _, known := range []*uint8{saved.Decimals, entry.Decimals} {
		if known != nil {
			saved.Decimals = known
		}
	}
	if saved.Decimals != nil {
		t.setDecimals(*saved.Decimals)
	}
	return t, nil
}

// setDecimals sets the decimals, and saves them.
func (t *Token) setDecimals(decimals uint8) {
	t.txAsset().Decimals, t.Saved = decimals, savedToken{&decimals}
}

// Complete implements account.Family. It queries decimals that the coins file does not have.
// Since they are saved and all amounts depend on them, the answer of a single one of several
// nodes is not sufficient.
func (family) Complete(ctx context.Context, on account.Platform, list []account.Token) ([]error, error) {
	platform, tokens := on.(*Platform), make([]*Token, len(list))
	for i, t := range list {
		tokens[i] = t.(*Token)
	}
	var unknown []*Token
	var contracts []address.Address
	for _, t := range tokens {
		if t.Saved == nil {
			unknown, contracts = append(unknown, t), append(contracts, t.Contract())
		}
	}
	decimals, err := platform.nodes.Decimals(ctx, contracts)
	if err == nil {
		for i, t := range unknown {
			t.setDecimals(decimals[i])
		}
		return nil, nil
	}
	failed, alone := make([]error, len(tokens)), errors.Is(err, nodepool.ErrAlone)
	for i, t := range tokens { // query each token separately to find the tokens that fail
		switch {
		case t.Saved != nil:
			continue
		case alone:
			failed[i] = err
			continue
		}
		one, err := platform.nodes.Decimals(ctx, []address.Address{t.Contract()})
		switch {
		case err == nil:
			t.setDecimals(one[0])
		case ctx.Err() != nil || errors.As(err, new(*nodepool.UnreachableError)) && !errors.Is(err, fetch.ErrTooLarge):
			return nil, err
		}
		failed[i] = err
	}
	return failed, nil
}

package cosmos

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"obverse/core/guard"
	"obverse/core/key"
	"obverse/core/number"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/address"
	"obverse/core/wallet/cosmos/node"
	"obverse/core/wallet/cosmos/tx"
	"obverse/core/wallet/cosmos/wire"
)

// codec finds the addresses of a chain by their prefix.
func codec(prefix string, describe func(base key.Path) tx.Network) account.Codec {
	ofKey := func(public [33]byte) (string, error) {
		a, err := address.OfKey(prefix, public)
		return a.String(), err
	}
	return account.Codec{OfKey: ofKey, OnChain: account.OnNetwork(describe), Of: func(opened key.Account) (a string, public *[33]byte, err error) {
		if keyer, is := opened.(key.PublicKeyer); is {
			shown := keyer.PublicKey()
			public = &shown
		}
		if elsewhere, is := opened.(key.ExternalAccount); is {
			of, err := address.OfExternal(prefix, elsewhere.ExternalKey())
			return of.String(), public, err
		}
		if public == nil {
			_, err = key.As[key.PublicKeyer](opened)
			return "", nil, err
		}
		a, err = ofKey(*public)
		return a, public, err
	}}
}

// reader is the account for estimates, for which nobody signs and no device is asked.
func (c *chain) reader() (key.Account, error) {
	policy := c.account.Policy().Name()
	if c.account.Public == nil {
		return nil, fmt.Errorf("%s %w: its key is of another curve", policy, key.ErrUnsupported)
	}
	return reader{policy, *c.account.Public}, nil
}

// reader knows a public key and looks as if it could sign.
type reader struct {
	policy key.PolicyName
	public [33]byte
}

var _ key.HashSigner = reader{}

var errReader = errors.New("a fee estimate cannot be signed")

func (r reader) Policy() key.PolicyName { return r.policy }
func (reader) Close()                   {}
func (r reader) PublicKey() [33]byte    { return r.public }

func (reader) SignHash(context.Context, [32]byte) (key.Signature, error) {
	return key.Signature{}, errReader
}

// wallet makes what sends from an account that was opened.
func (c *chain) wallet(opened key.Account, confirmations uint64) *tx.Wallet {
	w := &tx.Wallet{Chain: c.params, Node: c.nodes, Account: opened, Address: c.address, Now: c.now, Queue: c.queue, Confirmations: confirmations}
	if c.account.HD {
		w.Open, w.Path = c.account.Other, c.account.Base
	}
	return w
}

// ReadAddress refuses addresses of other chains. It implements coin.AddressReader.
func (a *asset) ReadAddress(text string) (string, error) {
	read, err := address.Check(text, a.params.Prefix)
	if err != nil {
		return "", &coin.InvalidError{Field: coin.FieldAddress, Reason: err}
	}
	return read.String(), nil
}

// This file asks about several addresses of an HD wallet, side by side.

// maxParallel is how many addresses are asked about at a time.
const maxParallel = 8

// each does something for each number below n, side by side.
func each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxParallel)
	for i := range n {
		group.Go(guard.Func(ctx, "asking about an address", func() error { return do(ctx, i) }))
	}
	return group.Wait()
}

// Owners implements account.Chain.
func (c *chain) Owners(ctx context.Context, addresses []string, assets []any) ([][]coin.Balance, error) {
	all := make([][]coin.Balance, len(addresses))
	return all, each(ctx, len(addresses), func(ctx context.Context, n int) (err error) {
		all[n] = make([]coin.Balance, len(assets))
		for i, of := range assets {
			if all[n][i], err = c.balance(ctx, addresses[n], of.(*tx.Asset)); err != nil {
				return err
			}
		}
		return nil
	})
}

// balance asks what an address has.
func (c *chain) balance(ctx context.Context, address string, of *tx.Asset) (coin.Balance, error) {
	h, err := c.nodes.holding(ctx, address, of.Denom)
	if err != nil {
		return coin.Balance{}, err
	}
	spendable := number.Scaled(h.spendable, of.Decimals)
	return coin.Balance{Spendable: spendable, Unspendable: number.Scaled(h.total, of.Decimals).Sub(spendable)}, nil
}

// Used implements account.Chain: a chain makes an account for each address that gets
// coins or sends some, and never forgets it. More than half of the nodes have to say so, since
// used addresses are kept for good, and so are those before them.
func (c *chain) Used(ctx context.Context, addresses []string, _ []any) ([]bool, error) {
	all := make([]bool, len(addresses))
	return all, each(ctx, len(addresses), func(ctx context.Context, n int) error {
		a, err := c.nodes.pool.Account(ctx, addresses[n])
		all[n] = a.Exists
		return account.Failed(err)
	})
}

// Chains of the Ethermint family make addresses and signatures as Ethereum does. What is
// sent to an address that is made as on other chains is lost there.

// ethereumCoinType is the coin type of SLIP 44 in derivation paths.
const ethereumCoinType = 60

var errEthereumKeys = errors.New("the chain makes its keys and addresses as Ethereum does, which is not supported on chains of the Cosmos family")

// checkPath refuses an entry whose keys are derived as those of Ethereum.
func checkPath(entry *coin.Entry) error {
	path, err := key.ParsePath(entry.DerivationPath)
	if err == nil && len(path) > 1 && path[1] == ethereumCoinType|key.Hardened {
		return errEthereumKeys
	}
	return nil // account.Open says what is wrong with a path
}

// sampleSize is how many accounts of a chain are looked at.
const sampleSize = 20

// Verify implements account.Chain. It refuses a chain whose nodes say that the account's key has an address as on
// Ethereum, or, if the account is new, that those of other accounts do. What nodes do not
// tell is no reason to refuse, nor what only one of several tells.
func (c *chain) Verify(ctx context.Context) error {
	kind, err := c.nodes.kind(ctx, c.account.Address)
	switch {
	case errors.Is(err, node.ErrNotFound):
		return c.nodes.checkOthers(ctx)
	case kind.ethereum:
		a, err := c.nodes.pool.Account(ctx, c.account.Address)
		if err == nil && a.Ethereum {
			return errEthereumKeys
		}
	}
	return ctx.Err()
}

// checkOthers is Verify for an account that the chain does not have.
func (n *nodes) checkOthers(ctx context.Context) error {
	about, request := "accounts of the chain", &wire.AccountsRequest{Page: &wire.PageRequest{Limit: sampleSize}}
	list, err := node.Ask[wire.AccountsResponse](ctx, n.pool, wire.PathAccounts, request)
	if err != nil || !ethereumKeys(&list) {
		return ctx.Err()
	}
	most, err := node.Vote(ctx, n.pool, about, wire.PathAccounts, request, func(list *wire.AccountsResponse) (bool, error) { return ethereumKeys(list), nil })
	if err == nil && most {
		return errEthereumKeys
	}
	return ctx.Err()
}

// ethereumKeys reports whether accounts have keys as on Ethereum, and no others.
func ethereumKeys(list *wire.AccountsResponse) (are bool) {
	for _, packed := range list.Accounts {
		kept := wire.AccountResponse{Account: packed}
		var base wire.BaseAccount
		_ = wire.Decode(packed.Value, &base) // other kinds have no key there
		if base.PubKey.TypeURL == (&wire.PubKey{}).TypeURL() {
			return false
		}
		are = are || kept.EthereumKey(base)
	}
	return are
}

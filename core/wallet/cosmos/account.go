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

// codec derives the addresses of a chain with the prefix.
func codec(prefix string, describe func(base key.Path) tx.Network) account.Codec {
	addressOfKey := func(public [33]byte) (string, error) {
		a, err := address.FromKey(prefix, public)
		return a.String(), err
	}
	return account.Codec{AddressOfKey: addressOfKey, OnChain: func(provider key.Provider, base key.Path) key.Opener { return key.OnNetwork(provider, describe(base)) }, Address: func(opened key.Account) (a string, public *[33]byte, err error) {
		if keyer, is := opened.(key.PublicKeyer); is {
			publicKey := keyer.PublicKey()
			public = &publicKey
		}
		if elsewhere, is := opened.(key.ExternalAccount); is {
			external, err := address.FromExternal(prefix, elsewhere.ExternalKey())
			return external.String(), public, err
		}
		if public == nil {
			_, err = key.As[key.PublicKeyer](opened)
			return "", nil, err
		}
		a, err = addressOfKey(*public)
		return a, public, err
	}}
}

// reader returns the account for estimates, which needs neither a key nor a device.
func (c *chain) reader() (key.Account, error) {
	policy := c.account.Policy().Name()
	if c.account.Public == nil {
		return nil, fmt.Errorf("%s %w: its key is of another curve", policy, key.ErrUnsupported)
	}
	return reader{policy, *c.account.Public}, nil
}

// reader has a public key and pretends to sign.
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

// wallet returns a wallet that sends from an opened account.
func (c *chain) wallet(opened key.Account, confirmations uint64) *tx.Wallet {
	return &tx.Wallet{Chain: c.params, Node: c.nodes, Account: opened, Address: c.address, Now: c.now, Queue: c.queue, Confirmations: confirmations,
		Addresses: c.account.Addresses()}
}

// ReadAddress rejects addresses of other chains. It implements coin.AddressReader.
func (a *asset) ReadAddress(text string) (string, error) {
	read, err := address.Check(text, a.params.Prefix)
	if err != nil {
		return "", &coin.InvalidError{Field: coin.FieldAddress, Reason: err}
	}
	return read.String(), nil
}

// The methods below query addresses of an HD wallet concurrently.

// maxParallel limits concurrent queries.
const maxParallel = 8

// each calls do concurrently with each number from 0 to n-1.
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
		for i, asset := range assets {
			if all[n][i], err = c.balance(ctx, addresses[n], asset.(*tx.Asset)); err != nil {
				return err
			}
		}
		return nil
	})
}

// balance queries the balance of an address in an asset.
func (c *chain) balance(ctx context.Context, address string, asset *tx.Asset) (coin.Balance, error) {
	h, err := c.nodes.holding(ctx, address, asset.Denom)
	if err != nil {
		return coin.Balance{}, err
	}
	spendable := number.Scaled(h.spendable, asset.Decimals)
	return coin.Balance{Spendable: spendable, Unspendable: number.Scaled(h.total, asset.Decimals).Sub(spendable)}, nil
}

// Used implements account.Chain. A chain creates an account, which it never deletes, for each
// address that receives or sends coins. More than half of the nodes must have the account, because
// used addresses and those before them are stored permanently.
func (c *chain) Used(ctx context.Context, addresses []string, _ []any) ([]bool, error) {
	all := make([]bool, len(addresses))
	return all, each(ctx, len(addresses), func(ctx context.Context, n int) error {
		a, err := c.nodes.pool.Account(ctx, addresses[n])
		all[n] = a.Exists
		return coin.Failed(err)
	})
}

// Chains of the Ethermint family have addresses and signatures like Ethereum. Coins that are sent
// there to an address derived as on other chains are lost.

// ethereumCoinType is the coin type of SLIP 44 in derivation paths.
const ethereumCoinType = 60

var errEthereumKeys = errors.New("the chain makes its keys and addresses as Ethereum does, which is not supported on chains of the Cosmos family")

// checkPath rejects an entry with the derivation path of Ethereum.
func checkPath(entry *coin.Entry) error {
	path, err := entry.Path()
	if err == nil && len(path) > 1 && path[1] == ethereumCoinType|key.Hardened {
		return errEthereumKeys
	}
	return nil // account.Open reports invalid paths
}

// sampleSize is the number of accounts of a chain to inspect.
const sampleSize = 20

// Verify implements account.Chain. It rejects a chain if nodes report that the account's key
// has an address like Ethereum's, or, if the account is new, that the keys of other accounts
// do. It does not reject a chain because of missing answers or of a single one of many nodes.
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

// checkOthers is Verify for a new account.
func (n *nodes) checkOthers(ctx context.Context) error {
	about, request := "accounts of the chain", &wire.AccountsRequest{Page: &wire.PageRequest{Limit: sampleSize}}
	list, err := node.Ask[wire.AccountsResponse](ctx, n.pool, wire.PathAccounts, request)
	if err != nil || !ethereumKeys(&list) {
		return ctx.Err()
	}
	agreed, err := node.Vote(ctx, n.pool, about, wire.PathAccounts, request, func(list *wire.AccountsResponse) (bool, error) { return ethereumKeys(list), nil })
	if err == nil && agreed {
		return errEthereumKeys
	}
	return ctx.Err()
}

// ethereumKeys reports whether all keys of the accounts are like Ethereum's.
func ethereumKeys(list *wire.AccountsResponse) (are bool) {
	for _, packed := range list.Accounts {
		response := wire.AccountResponse{Account: packed}
		var base wire.BaseAccount
		_ = wire.Decode(packed.Value, &base) // other types have no key in this field
		if base.PubKey.TypeURL == (&wire.PubKey{}).TypeURL() {
			return false
		}
		are = are || response.EthereumKey(base)
	}
	return are
}

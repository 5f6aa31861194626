package cosmos

import (
	"context"
	"errors"

	"obverse/core/key"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/node"
	"obverse/core/wallet/cosmos/wire"
)

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

// checkKeys refuses a chain whose nodes say that the account's key has an address as on
// Ethereum, or, if the account is new, that those of other accounts do. What nodes do not
// tell is no reason to refuse, nor what only one of several tells.
func (c *chain) checkKeys(ctx context.Context) error {
	kind, err := c.nodes.kind(ctx, c.account.Address.String())
	switch {
	case errors.Is(err, node.ErrNotFound):
		return c.nodes.checkOthers(ctx)
	case kind.ethereum:
		a, err := c.nodes.pool.Account(ctx, c.account.Address.String())
		if err == nil && a.Ethereum {
			return errEthereumKeys
		}
	}
	return ctx.Err()
}

// checkOthers is checkKeys for an account that the chain does not have.
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

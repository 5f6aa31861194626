package evm

import (
	"context"
	"slices"

	"obverse/core/key"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/ens"
	"obverse/core/wallet/evm/node"
	"obverse/core/wallet/evm/tx"
)

// codec derives addresses. The addresses of external wallets are saved, since such wallets do
// not always reveal a key.
func codec(describe func(key.Path) tx.Network) account.Codec {
	return account.Codec{OnChain: func(provider key.Provider, base key.Path) key.Opener { return key.OnNetwork(provider, describe(base)) }, Address: func(opened key.Account) (string, *[33]byte, error) {
		a, public, err := tx.AddressOf(opened)
		return a.String(), public, err
	}}
}

// ReadAddress returns an address with the checksum of EIP-55. It implements coin.AddressReader.
func (a *asset) ReadAddress(text string) (string, error) {
	read, err := address.ParseOn(a.id, text)
	if err != nil {
		return "", &coin.InvalidError{Field: coin.FieldAddress, Reason: err}
	}
	return read.String(), nil
}

// ChainID returns the id of the network.
func (p *Platform) ChainID() uint64 { return p.chain.id }

// ResolveName returns the address of a normalised ENS name on the network with a chain id. The
// platform must be Ethereum. Errors are ens.ErrNotFound, a *nodepool.DisagreementError and
// coin.ErrTransport.
func (p *Platform) ResolveName(ctx context.Context, name string, chain uint64) (string, error) {
	at, err := ens.Resolve(ctx, p.nodes, name, chain)
	if err != nil {
		return "", err
	}
	return at.String(), nil
}

// The methods below query addresses of an HD wallet in batches.

// Owners implements account.Chain.
func (c *chain) Owners(ctx context.Context, addresses []string, assets []any) ([][]coin.Balance, error) {
	queries, err := queriesOf(addresses, assets, false)
	if err != nil || len(queries) == 0 {
		return nil, err
	}
	held, err := c.nodes.BalancesOf(ctx, queries)
	if err != nil {
		return nil, err
	}
	all := make([][]coin.Balance, len(held))
	for n, h := range held {
		all[n] = balances(h, assets)
	}
	return all, nil
}

// Used implements account.Chain. An address is used if more than half of the nodes report that
// it sent a transaction or has a balance. One node is not sufficient, because used addresses
// and the addresses before them are stored permanently.
func (c *chain) Used(ctx context.Context, addresses []string, assets []any) ([]bool, error) {
	queries, err := queriesOf(addresses, assets, true)
	if err != nil || len(queries) == 0 {
		return nil, err
	}
	held, err := c.nodes.AgreedBalancesOf(ctx, queries)
	if err != nil {
		return nil, err
	}
	all := make([]bool, len(held))
	for n, h := range held {
		all[n] = h.Coin.Sign() > 0 || h.Sent.Sign() > 0 || slices.ContainsFunc(h.Balances, func(balance node.TokenBalance) bool { return balance.Err == nil && balance.Units.Sign() > 0 })
	}
	return all, nil
}

// queriesOf returns queries for the balances of addresses in assets, and with sent also for their
// transaction counts and native balances.
func queriesOf(addresses []string, assets []any, sent bool) ([]node.BalanceQuery, error) {
	queries := make([]node.BalanceQuery, len(addresses))
	for n, text := range addresses {
		owner, err := address.Parse(text)
		if err != nil {
			return nil, err
		}
		queries[n] = balanceQuery(owner, assets)
		queries[n].Sent, queries[n].Coin = sent, sent || queries[n].Coin
	}
	return queries, nil
}

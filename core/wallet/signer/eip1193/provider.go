package eip1193

import (
	"context"

	"obverse/core/key"
	"obverse/core/wallet/account"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/tx"
)

// Provider is the provider of BrowserWallet for EVM networks.
type Provider struct{ Wallets key.Wallets }

var _ account.ChainProvider[tx.Network] = Provider{}

// Policy implements key.Provider.
func (Provider) Policy() key.PolicyName { return key.NameBrowserWallet }

// OnChain implements account.ChainProvider. The wallet may ask its user for leave, and for leave
// to go to the network and to learn of it.
func (k Provider) OnChain(ctx context.Context, _ key.Policy, _ account.Place, n tx.Network) (key.Account, error) {
	var own struct {
		Address string `json:"address"`
	}
	if err := k.page().Ask(ctx, "account", n, &own); err != nil {
		return nil, err
	}
	shown, err := address.ParseOn(n.ChainID, own.Address)
	if err != nil {
		return nil, failed("invalid address: %w", err)
	}
	return &opened{provider: k, network: n, address: shown}, nil
}

// maxResponse bounds a response in bytes: hashes, addresses and signatures are short.
const maxResponse = 4 << 10

// page asks the wallet by the functions in web/src/wallet/eip1193.js.
func (k Provider) page() key.PageWallet {
	return key.PageWallet{Wallets: k.Wallets, ID: "eip1193", Name: "the browser's wallet", MaxResponse: maxResponse}
}

// failed is for responses that make no sense.
func failed(format string, args ...any) error { return Provider{}.page().Failed(format, args...) }

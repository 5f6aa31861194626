package evm

import (
	"context"
	"encoding/json"

	"obverse/core/wallet/dapp"
	"obverse/core/wallet/walletconnect/evm"
)

var _ dapp.Coin = (*Platform)(nil)

// DApps implements dapp.Coin.
func (p *Platform) DApps() dapp.Wallet { return dapps{p} }

type dapps struct{ *Platform }

// Chain implements dapp.Wallet.
func (d dapps) Chain() string { return evm.Chain(d.id) }

// Describe implements dapp.Wallet.
func (d dapps) Describe(context.Context, dapp.Request) (dapp.Description, error) {
	return dapp.Description{}, dapp.Unsupported("not supported yet")
}

// Execute implements dapp.Wallet.
func (d dapps) Execute(context.Context, dapp.Request) (any, error) {
	return nil, dapp.Unsupported("not supported yet")
}

// Read implements dapp.Wallet.
func (d dapps) Read(context.Context, dapp.Request) (json.RawMessage, error) {
	return nil, dapp.Unsupported("not supported yet")
}

package evm

import (
	"context"

	"obverse/core/wallet/coin"
	common "obverse/core/wallet/dapp"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/dapp"
	"obverse/core/wallet/evm/tx"
)

var _ common.Coin = (*Platform)(nil)

// DApps implements the Coin of core/wallet/dapp.
func (p *Platform) DApps() common.Wallet {
	return &dapp.Wallet{Wallet: p.wallet(nil), Nodes: p.nodes, Token: p.tokenAt, Open: p.account.Signer}
}

// tokenAt finds a token by its contract: an active one, or one in the coins list.
func (p *Platform) tokenAt(ctx context.Context, contract address.Address) (tx.Asset, bool) {
	for _, active := range p.Tokens() {
		if t := active.(*tx.Asset); *t.Contract == contract {
			return *t, true
		}
	}
	for _, entry := range p.registry.Entries() {
		entered, err := coin.As[coin.ERC20](entry)
		if err != nil || coin.Canonical(entered.Platform) != coin.Canonical(p.Ticker()) {
			continue
		}
		if at, err := address.ParseOn(p.chain.id, entered.ContractAddress); err != nil || at != contract {
			continue
		}
		t := tx.Asset{Ticker: entry.Ticker, Contract: &contract}
		if entry.Decimals != nil && *entry.Decimals > 0 {
			t.Decimals = *entry.Decimals
			return t, true
		}
		decimals, err := p.nodes.Decimals(ctx, []address.Address{contract})
		if err != nil {
			return t, false
		}
		t.Decimals = decimals[0]
		return t, true
	}
	return tx.Asset{}, false
}

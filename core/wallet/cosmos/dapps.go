package cosmos

import (
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/dapp"
	"obverse/core/wallet/cosmos/tx"
	common "obverse/core/wallet/dapp"
)

var _ common.Coin = (*Platform)(nil)

// DApps implements the Coin of core/wallet/dapp.
func (p *Platform) DApps() common.Wallet {
	return &dapp.Wallet{Of: &p.params, Address: p.Address(), Public: p.chain.account.Public, Assets: p.assets, Open: p.chain.account.Signer}
}

// assets returns the coins of the chain that are active, or in the coins list, by their denoms.
func (p *Platform) assets() map[string]tx.Asset {
	all := map[string]tx.Asset{}
	for _, entry := range p.registry.Entries() {
		entered, err := coin.As[coin.CosmosToken](entry)
		if _, known := all[entered.Denom]; err == nil && !known && coin.Canonical(entered.Platform) == coin.Canonical(p.Ticker()) {
			all[entered.Denom] = tx.Asset{Ticker: entry.Ticker, Denom: entered.Denom, Decimals: entered.Decimals}
		}
	}
	for _, active := range p.Tokens() {
		t := active.(*tx.Asset)
		all[t.Denom] = *t
	}
	all[p.params.Native.Denom] = p.params.Native
	return all
}

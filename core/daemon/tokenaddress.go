package daemon

import (
	"context"

	"obverse/core/chain"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/number"
)

type tokenAddressParams struct {
	PubKey *Text `json:"pubkey" doc:"whose address in the module to show too"`
}

// tokenAddresses holds addresses with the coins of the chain at them. Those of a
// condition address are tokens of any kind, and markers.
type tokenAddresses struct {
	Result              string          `json:"result" doc:"success"`
	TokensCCAddress     script.Address  `json:"TokensCCAddress" doc:"the module's own condition address, where markers are"`
	TokensCCBalance     number.Coins    `json:"TokensCCBalance"`
	TokensNormalAddress script.Address  `json:"TokensNormalAddress"`
	TokensNormalBalance number.Coins    `json:"TokensNormalBalance"`
	PubKeyCCAddress     *script.Address `json:"PubkeyCCaddress(Tokens),omitempty" doc:"that of the public key in the request"`
	PubKeyCCBalance     *number.Coins   `json:"PubkeyCCbalance(Tokens),omitempty"`
	MyCCAddress         script.Address  `json:"myCCAddress(Tokens)" doc:"that of the node's own key"`
	MyCCBalance         number.Coins    `json:"myCCbalance(Tokens)"`
	MyAddress           script.Address  `json:"myaddress" doc:"the node's ordinary address"`
	MyBalance           number.Coins    `json:"mybalance"`
}

func (b *Backend) tokenAddress(ctx context.Context, p tokenAddressParams) (tokenAddresses, error) {
	if p.PubKey != nil && *p.PubKey == "" {
		p.PubKey = nil // a key without digits counts as missing
	}
	owner, err := b.parseOwner(p.PubKey)
	if err != nil {
		return tokenAddresses{}, err
	}
	mine, global := b.Wallet.PublicKey(), token.GlobalKey()
	result := tokenAddresses{Result: "success"}
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		at := func(a chain.Address) (script.Address, number.Coins) {
			balance, _, _ := v.Balance(a) // v reports its error
			return a.Text(), number.Coins(balance)
		}
		result.TokensCCAddress, result.TokensCCBalance = at(b.tokensOf(global))
		result.TokensNormalAddress, result.TokensNormalBalance = at(plainAddress(global))
		if p.PubKey != nil {
			address, balance := at(b.tokensOf(owner))
			result.PubKeyCCAddress, result.PubKeyCCBalance = &address, &balance
		}
		result.MyCCAddress, result.MyCCBalance = at(b.tokensOf(mine))
		result.MyAddress, result.MyBalance = at(plainAddress(mine))
		return v.Err()
	})
	return result, err
}

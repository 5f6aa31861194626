package tx

import (
	"context"

	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
)

// sameDecimals refuses to send a token if most nodes say that it has other decimals than the wallet
// learned before, or than its entry has: the amount depends on them. Contracts need not have any.
func (p *plan) sameDecimals(ctx context.Context) error {
	said, err := p.Node.Decimals(ctx, []address.Address{*p.asset.Contract})
	if err != nil || said[0] == p.asset.Decimals {
		return ctx.Err()
	}
	return invalidf(coin.FieldAmount, "decimals of %s are %d in the wallet, and %d by the servers; disable the token, check its entry, and activate it again", p.asset.Ticker, p.asset.Decimals, said[0])
}

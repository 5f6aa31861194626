package wire

import (
	"context"
	"errors"
	"fmt"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/hd"
)

// KnownAccount returns an error for an address of an unknown account.
func KnownAccount(ctx context.Context, view hd.View, from coin.From) error {
	account, err := view.AccountOf(from)
	if err == nil {
		err = view.Has(ctx, account)
	}
	var unknown *hd.UnknownAccountError
	if errors.As(err, &unknown) { // Komodo DeFi Framework uses another text here
		return mmerr.UnknownAccount.From(err, mmerr.Account{ID: unknown.Account}, fmt.Sprintf("Unknown '%d' account", unknown.Account))
	}
	return err
}

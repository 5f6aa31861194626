package wire

import (
	"context"
	"errors"
	"fmt"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/hd"
)

// KnownAccount refuses an address of an account that is not known.
func KnownAccount(ctx context.Context, view hd.View, from coin.From) error {
	account, err := view.AccountOf(from)
	if err == nil {
		err = view.Has(ctx, account)
	}
	var unknown *hd.UnknownAccountError
	if errors.As(err, &unknown) { // upstream has other words for it here
		return mmerr.UnknownAccount.From(err, mmerr.Account{ID: unknown.Account}, fmt.Sprintf("Unknown '%d' account", unknown.Account))
	}
	return err
}

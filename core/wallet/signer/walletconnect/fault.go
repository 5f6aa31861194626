package walletconnect

import (
	"context"
	"errors"

	"obverse/core/key"
	"obverse/core/wallet/signer/walletconnect/relay"
	"obverse/core/wallet/signer/walletconnect/wire"
)

// Fault converts an error of a Manager to a *key.WalletError, which says what the user can do.
// Errors of contexts and of None are returned unchanged.
func Fault(err error) error {
	var already *key.WalletError
	if err == nil || errors.As(err, &already) || errors.Is(err, key.ErrUnsupported) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	const again = ": pair the wallet again (wc_new_connection), and activate the coin with the topic of the new session"
	fault, advice := key.WalletFailed, ""
	switch {
	case errors.Is(err, ErrNoSession):
		fault, advice = key.WalletNotFound, ": it expired, was deleted or never existed"+again
	case errors.Is(err, ErrDeleted), errors.Is(err, ErrDisconnected), errors.Is(err, ErrExpired):
		fault, advice = key.WalletGone, again
	case errors.Is(err, wire.ErrNoChain):
		fault, advice = key.WalletWrongChain, ": pair the wallet again, with this chain (wc_new_connection)"
	case errors.Is(err, wire.ErrNotInSession):
		fault, advice = key.WalletRefused, ": pair the wallet again, with this method (wc_new_connection)"
	case errors.Is(err, ErrSwitched):
		fault = key.WalletSwitched
	case errors.Is(err, ErrRejected):
		fault = key.WalletRefused
	case errors.Is(err, ErrTimeout), errors.Is(err, relay.ErrUnanswered):
		fault = key.WalletTimeout
	}
	return key.NewWalletError(string(fault), "WalletConnect: "+err.Error()+advice)
}

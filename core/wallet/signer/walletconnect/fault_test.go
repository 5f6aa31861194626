package walletconnect

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/signer/walletconnect/relay"
	"obverse/core/wallet/signer/walletconnect/wire"
)

func TestFault(t *testing.T) {
	for _, c := range []struct {
		err   error
		fault key.WalletFault
		says  string
	}{
		{ErrNoSession, key.WalletNotFound, "expired, was deleted or never existed: pair the wallet again"},
		{ErrDeleted, key.WalletGone, "the session was deleted: pair the wallet again"},
		{ErrDisconnected, key.WalletGone, "the wallet ended the session: pair"},
		{ErrExpired, key.WalletGone, "the session has expired: pair"},
		{wire.ErrNoChain, key.WalletWrongChain, "pair the wallet again, with this chain"},
		{wire.ErrNotInSession, key.WalletRefused, "pair the wallet again, with this method"},
		{&WalletError{Code: 5000, Text: "no"}, key.WalletRefused, "rejected in the wallet: code 5000, no"},
		{&WalletError{Code: 4001, Text: "no"}, key.WalletRefused, "code 4001, no"},
		{&WalletError{Code: 5101, Text: "what?"}, key.WalletFailed, "code 5101: what?"},
		{ErrTimeout, key.WalletTimeout, "did not answer in time"},
		{relay.ErrUnanswered, key.WalletTimeout, "the relay did not confirm"},
		{&relay.RefusedError{Code: 3000, Text: "project"}, key.WalletFailed, "the relay refused"},
		{ErrSwitched, key.WalletSwitched, "another account signed"},
		{ErrAnswer, key.WalletFailed, "invalid answer"},
		{ErrBusy, key.WalletFailed, "too many"},
	} {
		var fault *key.WalletError
		require.ErrorAs(t, Fault(fmt.Errorf("asking: %w", c.err)), &fault)
		require.Equal(t, c.fault, fault.Fault, c.err)
		require.Contains(t, fault.Text, c.says)
		require.Equal(t, error(fault), Fault(fault), "a wallet error stays the same")
	}
	for _, as := range []error{nil, context.Canceled, context.DeadlineExceeded, None("why")} {
		require.Equal(t, as, Fault(as))
	}
	_, err := None("no project").Session("ab")
	require.ErrorIs(t, err, key.ErrUnsupported)
	require.EqualError(t, err, "SessionWallet is not available on this node: no project")
	_, err = None("no project").Request(t.Context(), "ab", hub, "x", nil)
	require.False(t, errors.Is(err, ErrNoSession))
}

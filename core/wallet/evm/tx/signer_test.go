package tx

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/node"
	"obverse/core/wallet/evm/wire"
)

// device changes and signs whole transactions.
type device struct {
	key.HashSigner
	changes func(*wire.Transaction)
}

func (device) Policy() key.PolicyName { return key.NameHardwareWallet }
func (device) Close()                 {}

func (d device) SignTransaction(ctx context.Context, t wire.Transaction) (key.Signature, error) {
	d.changes(&t)
	return d.SignHash(ctx, t.SigningHash())
}

// TestTransactionSigner checks that the node sends exactly the transaction that a device
// signed.
func TestTransactionSigner(t *testing.T) {
	for name, c := range map[string]struct {
		changes func(*wire.Transaction)
		err     error
	}{
		"as asked":             {changes: func(*wire.Transaction) {}},
		"another transaction":  {changes: func(t *wire.Transaction) { t.Nonce++ }, err: errSigner},
		"on another network":   {changes: func(t *wire.Transaction) { t.ChainID++ }, err: errSigner},
		"at one price instead": {changes: func(t *wire.Transaction) { t.Tip = nil }, err: errSigner},
	} {
		t.Run(name, func(t *testing.T) {
			w, s := wallet(t)
			signer := w.Account.(key.HashSigner)
			want, err := w.Withdraw(t.Context(), w.Native, one(false))
			require.NoError(t, err)
			w.Account = device{signer, c.changes}
			done, err := w.Withdraw(t.Context(), w.Native, one(true))
			if c.err != nil {
				require.ErrorIs(t, err, coin.ErrSigning)
				require.ErrorIs(t, err, c.err)
				hash, err := w.Send(t.Context(), wire.Transaction{ChainID: 1, MaxFee: whole("1"), Tip: whole("1"), Value: whole("0")})
				require.ErrorIs(t, err, c.err)
				require.Zero(t, hash)
				require.Empty(t, s.sent)
				return
			}
			require.NoError(t, err)
			require.Equal(t, [][]byte{want.Raw}, s.sent)
			require.Equal(t, want.Raw, done.Raw)
		})
	}
}

// TestHighFeeOnADevice checks that a high fee is accepted only if a user has seen it.
func TestHighFeeOnADevice(t *testing.T) {
	w, s := wallet(t)
	s.fees = node.Fees{GasPrice: whole("100000000000000")}
	s.coins = whole("9000000000000000000")
	r := one(true)
	r.Amount = number.Int(1)
	_, err := w.Withdraw(t.Context(), w.Native, r)
	require.ErrorContains(t, err, "2.1 ETH")
	w.Account = device{w.Account.(key.HashSigner), func(*wire.Transaction) {}}
	_, err = w.Withdraw(t.Context(), w.Native, r)
	require.NoError(t, err)
}

// TestTransfersWaitForADevice checks that the number of transfers that wait for a confirmation
// on a device is limited.
func TestTransfersWaitForADevice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, s := wallet(t)
		w.Account = device{w.Account.(key.HashSigner), func(*wire.Transaction) {}}
		turn, err := w.Queue.Take(t.Context(), w.named(w.Address)) // for a transaction that the device displays
		require.NoError(t, err)
		began := time.Now()
		_, err = w.Withdraw(t.Context(), w.Native, one(true))
		require.ErrorIs(t, err, coin.ErrTurn)
		_, err = w.Send(t.Context(), wire.Transaction{})
		require.ErrorIs(t, err, coin.ErrTurn)
		require.Less(t, time.Since(began), time.Hour)
		turn.End()
		_, err = w.Withdraw(t.Context(), w.Native, one(true))
		require.NoError(t, err)
		require.Len(t, s.sent, 1)
	})
}

package tx

import (
	"context"
	"math/big"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/number"
	"obverse/core/task"
	"obverse/core/task/handover"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/node"
	"obverse/core/wallet/evm/wire"
)

// sendingWallet is a wallet that sends.
type sendingWallet struct {
	address  address.Address
	fails    error
	requests []wire.Transaction
	hash     [32]byte
}

func (*sendingWallet) Policy() key.PolicyName     { return key.NameBrowserWallet }
func (*sendingWallet) Close()                     {}
func (s *sendingWallet) Address() address.Address { return s.address }

func (s *sendingWallet) SendTransaction(_ context.Context, t wire.Transaction) ([32]byte, error) {
	s.requests = append(s.requests, t)
	return s.hash, s.fails
}

// sending returns a wallet that sends, and a network with a changed version of the requested
// transaction.
func sending(t *testing.T, change func(*node.Found)) (*Wallet, *stub, *sendingWallet) {
	w, s := wallet(t)
	signer := w.Account.(key.HashSigner)
	by := &sendingWallet{address: w.Address, hash: [32]byte{7}}
	w.Account = by
	to, value := parse(t, payee), whole("1000000000000000000")
	f := node.Found{From: w.Address, Transaction: wire.Transaction{ChainID: 1, Nonce: 9, MaxFee: big.NewInt(30 * gwei1), Tip: big.NewInt(2 * gwei1), Gas: 50_000, To: to, Value: value}}
	if change != nil {
		change(&f)
	}
	signature, err := signer.SignHash(t.Context(), f.SigningHash())
	require.NoError(t, err)
	f.Raw = f.Signed(signature.Recoverable())
	s.found = f
	return w, s, by
}

func one(send bool) coin.WithdrawRequest {
	return coin.WithdrawRequest{To: payee, Amount: number.Int(1), Send: send}
}

// TestSender checks that the fee is the fee that the user set in the wallet.
func TestSender(t *testing.T) {
	w, s, by := sending(t, nil)
	done, err := w.Withdraw(t.Context(), w.Native, one(true))
	require.NoError(t, err)
	require.Equal(t, s.found.Raw, done.Raw)
	require.Equal(t, "07", done.Hash[:2])
	require.Equal(t, "0.0015", done.Fee.Amount.String())
	require.EqualValues(t, 50_000, done.Fee.GasLimit)
	require.Equal(t, "1.0015", done.Total.String())
	require.Len(t, by.requests, 1)
	requests := by.requests[0]
	require.Equal(t, "1000000000000000000 21000 41000000000 1000000000", requests.Value.String()+" "+number.Int(int64(requests.Gas)).String()+" "+requests.MaxFee.String()+" "+requests.Tip.String())
	require.Empty(t, s.sent, "the node does not send it")
}

func TestUnexpectedSender(t *testing.T) {
	w, s, by := sending(t, nil)
	_, err := w.Withdraw(t.Context(), w.Native, one(false))
	require.ErrorIs(t, err, coin.ErrSends)
	require.Empty(t, by.requests)
	_, err = w.Withdraw(t.Context(), w.Native, coin.WithdrawRequest{To: "invalid", Amount: number.Int(1)})
	require.NotErrorIs(t, err, coin.ErrSends, "other errors come first")
	require.Error(t, err)

	by.fails = &key.WalletError{Fault: key.WalletRefused, Text: "no"}
	_, err = w.Withdraw(t.Context(), w.Native, one(true))
	require.ErrorIs(t, err, by.fails)
	require.Zero(t, s.calls["transaction"])

	_, err = w.Withdraw(t.Context(), w.Native, coin.WithdrawRequest{To: payee, Amount: number.Int(3), Send: true})
	var short *coin.ShortageError
	require.ErrorAs(t, err, &short)
	require.Len(t, by.requests, 1, "no request above the balance")
}

// TestSentButNotFound checks that a transaction that the coin's nodes do not have counts as
// sent.
func TestSentButNotFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, s, _ := sending(t, nil)
		for _, fails := range []error{node.NotFoundError{}, coin.ErrTransport} {
			s.fails = map[string]error{"transaction": fails}
			began := time.Now()
			done, err := w.Withdraw(t.Context(), w.Native, one(true))
			require.NoError(t, err)
			require.Empty(t, done.Raw)
			require.Equal(t, "07", done.Hash[:2])
			require.Equal(t, "0.000861", done.Fee.Amount.String(), "as it was planned")
			require.Equal(t, lookupTimeout, time.Since(began))
		}
		s.found.Raw = nil // the type is unknown
		s.fails = nil
		done, err := w.Withdraw(t.Context(), w.Native, one(true))
		require.NoError(t, err)
		require.Empty(t, done.Raw)

		s.fails = map[string]error{"transaction": node.NotFoundError{}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		done, err = w.Withdraw(ctx, w.Native, one(true))
		require.NoError(t, err)
		require.Equal(t, "07", done.Hash[:2], "the caller has disconnected")
	})
}

func TestSenderThatSendsSomethingElse(t *testing.T) {
	for name, change := range map[string]func(*node.Found){
		"to":      func(f *node.Found) { f.To[3]++ },
		"value":   func(f *node.Found) { f.Value = big.NewInt(1) },
		"data":    func(f *node.Found) { f.Data = []byte{1} },
		"network": func(f *node.Found) { f.ChainID = 2 },
		"from":    func(f *node.Found) { f.From[0]++ },
		"earlier": func(f *node.Found) { f.Nonce = 6 }, // the next nonce of the account is 7
	} {
		t.Run(name, func(t *testing.T) {
			w, s, _ := sending(t, change)
			s.done = 7
			_, err := w.Withdraw(t.Context(), w.Native, one(true))
			require.ErrorIs(t, err, coin.ErrSigning)
			require.ErrorContains(t, err, "check that transaction before")
		})
	}
}

// waits is a wallet with a user who has not answered yet.
type waits struct {
	*sendingWallet
	requests, answer chan struct{}
}

func (w waits) SendTransaction(ctx context.Context, t wire.Transaction) ([32]byte, error) {
	close(w.requests)
	select {
	case <-w.answer:
		return w.sendingWallet.SendTransaction(ctx, t)
	case <-ctx.Done():
		return [32]byte{}, ctx.Err()
	}
}

// TestCancelWhileAsking checks that a task cannot be cancelled while a wallet waits for its
// user, who could still agree, and that a task that was cancelled earlier sends no request to
// the wallet.
func TestCancelWhileAsking(t *testing.T) {
	w, _, by := sending(t, nil)
	asks := waits{by, make(chan struct{}), make(chan struct{})}
	w.Account = asks
	tasks := task.New()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- tasks.Run(ctx) }()
	defer func() {
		stop()
		require.ErrorIs(t, <-ended, context.Canceled)
	}()
	id, err := tasks.Start(task.Options{Kind: "withdraw"}, func(ctx context.Context, _ *task.Task) (any, error) {
		return w.Withdraw(ctx, w.Native, one(true))
	})
	require.NoError(t, err)
	<-asks.requests
	err = tasks.Cancel("withdraw", id)
	require.ErrorIs(t, err, task.ErrFinished)
	require.ErrorContains(t, err, "cannot be cancelled: a wallet was asked to send a transaction, and its user can refuse it there")
	close(asks.answer)
	var status task.Status
	require.Eventually(t, func() bool {
		status, err = tasks.Status("withdraw", id, false)
		return err == nil && status.State != task.InProgress
	}, time.Minute, time.Millisecond)
	require.Equal(t, task.Done, status.State)
	require.Equal(t, "07", status.Detail.(coin.Transaction).Hash[:2])

	w, _, by = sending(t, nil)
	cancelled := handover.With(t.Context(), func(string) error { return task.ErrCancelled })
	_, err = w.Withdraw(cancelled, w.Native, one(true))
	require.ErrorIs(t, err, task.ErrCancelled)
	require.Empty(t, by.requests)
}

// TestSenderOfATokens checks that a token's transfer is sent to its contract.
func TestSenderOfATokens(t *testing.T) {
	w, s, by := sending(t, nil)
	s.found.Raw = nil
	_, err := w.Withdraw(t.Context(), token(t), coin.WithdrawRequest{To: payee, Max: true, Send: true})
	require.NoError(t, err)
	require.Equal(t, contract, by.requests[0].To.String())
	require.Zero(t, by.requests[0].Value.Sign())
	require.Len(t, by.requests[0].Data, 68)
}

package tx

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/wire"
)

func nonceOf(t testing.TB, raw []byte) uint64 {
	t.Helper()
	sent, err := wire.Decode(raw)
	require.NoError(t, err)
	return sent.Nonce
}

func (s *stub) nonces(t testing.TB) (nonces []uint64) {
	t.Helper()
	for _, raw := range s.sent {
		nonces = append(nonces, nonceOf(t, raw))
	}
	return nonces
}

func counting(from uint64, n int) (all []uint64) {
	for i := range n {
		all = append(all, from+uint64(i))
	}
	return all
}

func sendLittle(t testing.TB) coin.WithdrawRequest {
	return coin.WithdrawRequest{To: payee, Amount: rational(t, "0.001"), Send: true}
}

// together makes n transactions concurrently and returns the number of failures.
func together(ctx context.Context, t testing.TB, w *Wallet, n int) (failed int) {
	var group sync.WaitGroup
	var mu sync.Mutex
	for range n {
		group.Go(func() {
			if _, err := w.Withdraw(ctx, w.Native, sendLittle(t)); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed++
			}
		})
	}
	group.Wait()
	return failed
}

// TestSendsAtTheSameTime checks concurrent transactions with nodes that always report the same
// nonce, since they do not know of the transactions.
func TestSendsAtTheSameTime(t *testing.T) {
	for _, n := range []int{2, 20} {
		w, s := wallet(t)
		s.waiting = 5
		require.Zero(t, together(t.Context(), t, w, n))
		require.Equal(t, counting(5, n), s.nonces(t))
	}
}

// TestNoncesAreGivenBack checks that a nonce is used again if it was refused or reached no
// node.
func TestNoncesAreGivenBack(t *testing.T) {
	w, s := wallet(t)
	tries := 0
	s.takes = func([]byte) error {
		switch tries++; tries {
		case 2:
			return &coin.RefusedError{Code: 32000, Log: "txpool is full"}
		case 5:
			return coin.ErrTransport
		}
		return nil
	}
	require.Equal(t, 2, together(t.Context(), t, w, 10))
	require.Equal(t, counting(0, 8), s.nonces(t))

	s.takes = func([]byte) error { return coin.ErrTransport }
	done, err := w.Withdraw(t.Context(), w.Native, sendLittle(t))
	require.ErrorIs(t, err, coin.ErrTransport)
	require.Len(t, done.Hash, 64, "it may be on its way")
	s.knows = true
	_, err = w.Withdraw(t.Context(), w.Native, sendLittle(t))
	require.NoError(t, err, "a node had no time to say that it has it")
	s.takes = nil
	_, err = w.Withdraw(t.Context(), w.Native, sendLittle(t))
	require.NoError(t, err)
	require.EqualValues(t, 9, slices.Max(s.nonces(t)))
}

// TestNonces checks that a transaction that is not sent uses up no nonce, and that a raw
// transaction does.
func TestNonces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, s := wallet(t)
		s.waiting = 3
		make1 := func() []byte {
			x, err := w.Withdraw(t.Context(), w.Native, coin.WithdrawRequest{To: payee, Amount: rational(t, "0.001")})
			require.NoError(t, err)
			return x.Raw
		}
		first, same := make1(), make1()
		require.EqualValues(t, 3, nonceOf(t, first))
		require.EqualValues(t, 3, nonceOf(t, same))
		_, err := w.Broadcast(t.Context(), first)
		require.NoError(t, err)
		require.EqualValues(t, 4, nonceOf(t, make1()), "the node does not have it yet")
		_, err = w.Broadcast(t.Context(), signed(t, 1, 900))
		require.NoError(t, err)
		require.EqualValues(t, 4, nonceOf(t, make1()), "transactions after a gap do not widen it")
		require.Zero(t, together(t.Context(), t, w, 2))
		require.EqualValues(t, 6, nonceOf(t, make1()))
		s.waiting = 9
		require.EqualValues(t, 9, nonceOf(t, make1()))
		s.waiting = 3
		time.Sleep(coin.PropagationTimeout + 1)
		require.EqualValues(t, 3, nonceOf(t, make1()), "they are lost")
	})
}

// TestTurnIsReleased checks that a caller that stops waiting does not block the callers behind
// it.
func TestTurnIsReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, s := wallet(t)
		hold, held := make(chan struct{}), false
		s.takes = func([]byte) error {
			if !held {
				held = true
				s.mu.Unlock()
				<-hold
				s.mu.Lock()
			}
			return nil
		}
		ended := make(chan error)
		go func() {
			_, err := w.Withdraw(t.Context(), w.Native, sendLittle(t))
			ended <- err
		}()
		synctest.Wait()
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := w.Withdraw(short, w.Native, sendLittle(t))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		_, err = w.Broadcast(short, signed(t, 1, 0)) // for the same account
		require.True(t, errors.Is(err, context.DeadlineExceeded), err)
		require.Empty(t, s.sent)
		_, err = w.Withdraw(t.Context(), w.Native, coin.WithdrawRequest{To: payee, Amount: rational(t, "0.001")})
		require.NoError(t, err, "a transaction that is not sent does not wait")
		close(hold)
		require.NoError(t, <-ended)
		require.Zero(t, together(t.Context(), t, w, 1))
		require.Equal(t, []uint64{0, 1}, s.nonces(t))
	})
}

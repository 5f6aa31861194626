package tx

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/coin"
)

// queue is a chain that checks sequences like real chains. A query returns the account's
// sequence after the last block, but checks of simulated and sent transactions include pending
// ones.
type queue struct {
	*fakeChain
	mu     sync.Mutex
	block  uint64        // sequence of the account
	wait   int           // number of pending transactions
	taken  []uint64      // sequences of accepted transactions
	delay  time.Duration // time until checks include a new transaction
	refuse map[int]error // errors by attempt
	tries  int
	noGas  bool // whether it cannot simulate
}

func newQueue() *queue { return &queue{fakeChain: newChain(), block: 42, refuse: map[int]error{}} }

func (q *queue) Account(context.Context, string) (Account, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return Account{Number: 7, Sequence: q.block}, nil
}

// check returns the sequence of a transaction, and the error text if it is wrong. The caller
// must hold the lock.
func (q *queue) check(raw []byte) (sequence uint64, mismatch string) {
	_, sequence = (&Wallet{Chain: Chain{Prefix: "cosmos"}}).author(raw)
	if want := q.block + uint64(q.wait); sequence != want {
		return sequence, fmt.Sprintf("account sequence mismatch, expected %d, got %d: incorrect account sequence", want, sequence)
	}
	return sequence, ""
}

func (q *queue) Simulate(_ context.Context, raw []byte) (uint64, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.noGas {
		return 0, ErrNoSimulation
	}
	if _, mismatch := q.check(raw); mismatch != "" {
		return 0, refusedBy(Verdict{18, "sdk", mismatch + ": invalid request"})
	}
	return 77777, nil
}

func (q *queue) Broadcast(_ context.Context, raw []byte) (Verdict, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.tries++
	if err := q.refuse[q.tries]; err != nil {
		return Verdict{}, err
	}
	sequence, mismatch := q.check(raw)
	if mismatch != "" {
		return Verdict{codeSequence, codespace, mismatch}, nil
	}
	q.taken = append(q.taken, sequence)
	if q.delay == 0 {
		q.wait++
	} else {
		time.AfterFunc(q.delay, func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			q.wait++
		})
	}
	return Verdict{}, nil
}

// mine puts all pending transactions into a block.
func (q *queue) mine() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.block, q.wait = q.block+uint64(q.wait), 0
}

func queueing(t testing.TB) (*Wallet, *queue) {
	q := newQueue()
	w := newWallet(t, q.fakeChain)
	w.Node = q
	return w, q
}

func little(t testing.TB) coin.WithdrawRequest {
	return coin.WithdrawRequest{To: receiver, Amount: rat(t, "0.01"), Send: true}
}

// together makes n transactions concurrently and returns the number of failures.
func together(t testing.TB, w *Wallet, n int) (failed int) {
	var group sync.WaitGroup
	var mu sync.Mutex
	for range n {
		group.Go(func() {
			if _, err := w.Withdraw(t.Context(), atom, little(t)); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed++
			}
		})
	}
	group.Wait()
	return failed
}

func successive(from uint64, n int) (all []uint64) {
	for i := range n {
		all = append(all, from+uint64(i))
	}
	return all
}

func TestSendsAtTheSameTime(t *testing.T) {
	for _, n := range []int{2, 20} {
		for _, simulates := range []bool{true, false} {
			w, q := queueing(t)
			q.noGas = !simulates
			require.Zero(t, together(t, w, n))
			require.Equal(t, successive(42, n), q.taken)
			q.mine()
			require.Zero(t, together(t, w, 2))
			require.Equal(t, successive(42, n+2), q.taken)
		}
	}
}

// TestSendsOfWhichNodesHearLate checks nodes that learn of a transaction some time after one of
// them accepted it.
func TestSendsOfWhichNodesHearLate(t *testing.T) {
	w, q := queueing(t)
	synctest.Test(t, func(t *testing.T) {
		q.delay = 1500 * time.Millisecond
		require.Zero(t, together(t, w, 4))
		require.Equal(t, successive(42, 4), q.taken)
		time.Sleep(time.Minute)
	})
}

// TestSendsBehindThoseOfOthers checks pending transactions of another program, which a node
// reveals only in simulations, while the node does not know the transaction that was sent just
// before.
func TestSendsBehindThoseOfOthers(t *testing.T) {
	w, q := queueing(t)
	synctest.Test(t, func(t *testing.T) {
		q.wait, q.delay = 3, 1500*time.Millisecond
		require.Zero(t, together(t, w, 3))
		require.Equal(t, successive(45, 3), q.taken)
		time.Sleep(time.Minute)
	})
}

// TestSequencesAreGivenBack checks that a sequence is used again if it was refused or reached
// no node.
func TestSequencesAreGivenBack(t *testing.T) {
	w, q := queueing(t)
	q.refuse[2], q.refuse[5] = coin.ErrTransport, coin.ErrTransport
	require.Equal(t, 2, together(t, w, 10))
	require.Equal(t, successive(42, 8), q.taken)
	q.refuse[11] = coin.ErrTransport
	done, err := w.Withdraw(t.Context(), atom, little(t))
	require.ErrorIs(t, err, coin.ErrTransport)
	require.Len(t, done.Hash, 64, "it may be on its way")
}

// TestSequences checks that transactions of other programs and raw transactions are counted.
func TestSequences(t *testing.T) {
	w, q := queueing(t)
	synctest.Test(t, func(t *testing.T) {
		q.wait = 3
		made, err := w.Withdraw(t.Context(), atom, coin.WithdrawRequest{To: receiver, Amount: rat(t, "0.01")})
		require.NoError(t, err, "another program has sent three")
		require.Empty(t, q.taken)
		_, err = w.Broadcast(t.Context(), made.Raw)
		require.NoError(t, err)
		q.noGas, q.wait = true, 0 // the node does not know the transactions
		q.block = 45
		_, err = w.Withdraw(t.Context(), atom, little(t))
		var refused *coin.RefusedError
		require.ErrorAs(t, err, &refused)
		require.Contains(t, refused.Log, "expected 45, got 46")
		time.Sleep(coin.PropagationTimeout)
		_, err = w.Withdraw(t.Context(), atom, little(t))
		require.NoError(t, err, "the lost transaction is sent again: another with its number would make the refused one valid")
		require.Equal(t, []uint64{45, 45, 46}, q.taken)
	})
}

// TestRawTransactionOfTheFuture checks that a transaction with a future sequence is refused at
// once if no earlier transaction was sent.
func TestRawTransactionOfTheFuture(t *testing.T) {
	w, q := queueing(t)
	synctest.Test(t, func(t *testing.T) {
		q.block = 50
		made, err := w.Withdraw(t.Context(), atom, coin.WithdrawRequest{To: receiver, Amount: rat(t, "0.01")})
		require.NoError(t, err)
		q.block = 42
		began := time.Now()
		_, err = w.Broadcast(t.Context(), made.Raw)
		require.ErrorAs(t, err, new(*coin.RefusedError))
		require.Zero(t, time.Since(began))
	})
}

func TestExpected(t *testing.T) {
	for log, want := range map[string]uint64{
		"account sequence mismatch, expected 27, got 21: incorrect account sequence":                                       27,
		"rpc error: code = Unknown desc = account sequence mismatch, expected 30, got 37: incorrect [cosmos-sdk@v0.46.5] ": 30,
		"account sequence mismatch, expected 18446744073709551616, got 1":                                                  0,
		"account sequence mismatch, expected -1, got 1":                                                                    0,
		"account sequence mismatch, expected 5":                                                                            0,
		"":                                                                                                                 0,
	} {
		got, ok := Expected(log)
		require.Equal(t, want != 0, ok, log)
		if ok {
			require.Equal(t, want, got)
		}
	}
	account, sequence := (&Wallet{Chain: Chain{ID: "c", Prefix: "cosmos"}}).author([]byte("rubbish"))
	require.Equal(t, "c "+Hash([]byte("rubbish")), account)
	require.Zero(t, sequence)
}

package coin

import (
	"context"
	"errors"
	"math"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
	"obverse/core/store/bunt"
)

// network is a network whose nodes learn of a transaction late, and refuse every number but the
// next one.
type network struct {
	mu    sync.Mutex
	next  uint64
	heard uint64
	fails map[int]bool // by attempt
	tries int
}

func (n *network) send(number uint64) bool {
	time.Sleep(time.Second)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.tries++
	if n.fails[n.tries] || number != n.next {
		return false
	}
	n.next++
	return true
}

// Concurrent senders get successive numbers, and the number of a refused transaction is used again.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue, n := NewSendQueue(time.Now), &network{next: 7, heard: 7, fails: map[int]bool{2: true, 5: true}}
		var group sync.WaitGroup
		var mu sync.Mutex
		arrived, refused := map[uint64]bool{}, 0
		for i := range 20 {
			group.Go(func() {
				turn, err := queue.Take(t.Context(), "a")
				if err != nil {
					return
				}
				defer turn.End()
				number, err := queue.Next(t.Context(), "a", Counts{Spent: n.heard}, Choice{})
				if err != nil {
					return
				}
				hash := strconv.Itoa(i)
				queue.Made("a", number, hash)
				err = turn.Submit(t.Context(), number, hash, nil, func(context.Context) error {
					if !n.send(number) {
						return &RefusedError{Code: 1}
					}
					return nil
				})
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					refused++
					return
				}
				arrived[number] = true
			})
		}
		group.Wait()
		require.Equal(t, 2, refused)
		require.Len(t, arrived, 18)
		require.EqualValues(t, 25, n.next)
	})
}

func TestTurnsAreWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue := NewSendQueue(time.Now)
		first, err := queue.Take(t.Context(), "a")
		require.NoError(t, err)
		other, err := queue.Take(t.Context(), "b")
		require.NoError(t, err, "other accounts are not waited for")
		other.End()

		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = queue.Take(short, "a")
		require.ErrorIs(t, err, context.DeadlineExceeded)

		got := make(chan Turn)
		go func() {
			turn, _ := queue.Take(t.Context(), "a") // a later sender is not interrupted
			got <- turn
		}()
		synctest.Wait()
		select {
		case <-got:
			require.Fail(t, "two have the turn")
		default:
		}
		require.NoError(t, first.Submit(t.Context(), 1, "x", nil, taken))
		first.End()
		second := <-got
		require.EqualValues(t, 2, next(t, queue, "a", Counts{Spent: 1}))
		second.End()
	})
}

func taken(context.Context) error { return nil }

func next(t *testing.T, queue *SendQueue, account string, c Counts) uint64 {
	t.Helper()
	number, err := queue.Next(t.Context(), account, c, Choice{})
	require.NoError(t, err)
	return number
}

// send signs a transaction with the number of Next and submits it.
func send(t *testing.T, queue *SendQueue, c Counts, hash string, result error) (number uint64, err error) {
	t.Helper()
	turn, err := queue.Take(t.Context(), "a")
	require.NoError(t, err)
	defer turn.End()
	number, err = queue.Next(t.Context(), "a", c, Choice{})
	if err != nil {
		return number, err
	}
	queue.Made("a", number, hash)
	return number, turn.Submit(t.Context(), number, hash, nil, func(context.Context) error { return result })
}

func TestNumbers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue := NewSendQueue(time.Now)
		at := func(spent uint64) uint64 { t.Helper(); return next(t, queue, "a", Counts{Spent: spent}) }
		turn, err := queue.Take(t.Context(), "a")
		require.NoError(t, err)
		require.EqualValues(t, 3, at(3))
		submit := func(number uint64) {
			require.NoError(t, turn.Submit(t.Context(), number, strconv.FormatUint(number, 10), nil, taken))
		}
		submit(3)
		time.Sleep(time.Second)
		submit(4)
		submit(1000)
		submit(math.MaxUint64 - 1)
		turn.End()
		require.EqualValues(t, 5, at(3), "the node does not have them, and a distant number makes no gap")
		require.EqualValues(t, 3, next(t, queue, "b", Counts{Spent: 3}), "another account")
		time.Sleep(PropagationTimeout)
		require.EqualValues(t, 3, at(3), "the first is lost")
		time.Sleep(PropagationTimeout)
		require.EqualValues(t, 3, at(3), "all are lost")
		require.EqualValues(t, 4, next(t, queue, "a", Counts{Spent: 3, Pending: 4}), "the second is")
		require.EqualValues(t, 5, next(t, queue, "a", Counts{Spent: 3, Pending: 5}), "most nodes have them")
		require.EqualValues(t, 5, at(5), "they are in blocks")
		require.EqualValues(t, 6, at(6), "the nodes know more")
		require.EqualValues(t, 1000, at(1000))
		require.Len(t, queue.accounts["a"].orders, 2)
		require.EqualValues(t, 1001, at(1001))
		require.Len(t, queue.accounts["a"].orders, 1, "spent orders are removed")
	})
}

// TestNumbersAreUsedAgain checks that a number whose transaction was refused, or may have
// reached a server, is used again until it is spent, even if the nodes report a pending
// transaction with it.
func TestNumbersAreUsedAgain(t *testing.T) {
	for name, result := range map[string]error{"refused": &RefusedError{Code: 5}, "unclear": ErrTransport} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				queue := NewSendQueue(time.Now)
				number, err := send(t, queue, Counts{Spent: 5}, "x", result)
				require.ErrorIs(t, err, result)
				require.EqualValues(t, 5, number)
				time.Sleep(time.Hour)
				require.EqualValues(t, 5, next(t, queue, "a", Counts{Spent: 5, Pending: 6}))
				require.EqualValues(t, 5, next(t, queue, "a", Counts{Spent: 6, Pending: 7, Alone: true}), "one server alone says that it is spent")
				number, err = send(t, queue, Counts{Spent: 5, Pending: 6}, "y", nil)
				require.NoError(t, err)
				require.EqualValues(t, 5, number)
				require.EqualValues(t, 6, next(t, queue, "a", Counts{Spent: 5}))
				require.EqualValues(t, 6, next(t, queue, "a", Counts{Spent: 6, Alone: true}), "another order")
				require.EqualValues(t, 6, next(t, queue, "a", Counts{Spent: 6}))
			})
		})
	}
}

// TestGap checks a number that is higher than the nodes now report, because it was chosen from
// a false answer. Only a payment to the account itself may be signed with a lower number, since
// that makes the transaction valid.
func TestGap(t *testing.T) {
	for name, result := range map[string]error{"refused": &RefusedError{Code: 5}, "unclear": ErrTransport, "accepted": nil} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				queue := NewSendQueue(time.Now)
				number, err := send(t, queue, Counts{Spent: 6}, "x", result)
				require.ErrorIs(t, err, result)
				require.EqualValues(t, 6, number)
				_, err = queue.Next(t.Context(), "a", Counts{Spent: 5, Answers: "https://a.example: 5"}, Choice{})
				var gap *GapError
				require.ErrorAs(t, err, &gap)
				require.EqualValues(t, 5, gap.Number)
				require.EqualValues(t, 6, gap.Later)
				require.ErrorContains(t, err, "transaction x with number 6")
				require.ErrorContains(t, err, "https://a.example: 5")
				harmless, err := queue.Next(t.Context(), "a", Counts{Spent: 5}, Choice{Harmless: true})
				require.NoError(t, err)
				require.EqualValues(t, 5, harmless)
				require.EqualValues(t, 7, next(t, queue, "a", Counts{Spent: 7}), "it is spent")
			})
		})
	}
}

// TestLostNumbers checks that transactions which were signed in sequence, accepted and lost do
// not prevent a new one.
func TestLostNumbers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue := NewSendQueue(time.Now)
		for i, hash := range []string{"x", "y", "z"} {
			number, err := send(t, queue, Counts{Spent: 3}, hash, nil)
			require.NoError(t, err)
			require.EqualValues(t, 3+i, number)
		}
		time.Sleep(PropagationTimeout + 1)
		known := map[string]bool{"x": true}
		number, err := queue.Next(t.Context(), "a", Counts{Spent: 3}, Choice{Known: func(_ context.Context, hash string) (bool, error) { return known[hash], nil }})
		require.NoError(t, err)
		require.EqualValues(t, 4, number, "most nodes have the first")
		_, err = queue.Next(t.Context(), "a", Counts{Spent: 3}, Choice{Known: func(context.Context, string) (bool, error) { return false, ErrTransport }})
		require.ErrorIs(t, err, ErrTransport)

		number, err = send(t, queue, Counts{Spent: 3}, "again", ErrTransport)
		require.ErrorIs(t, err, ErrTransport)
		require.EqualValues(t, 3, number)
		require.EqualValues(t, 3, next(t, queue, "a", Counts{Spent: 3, Pending: 6}), "it is unclear which of them waits")
	})
}

// A refused replacement of an accepted transaction leaves the number in use.
func TestRefusedReplacement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue := NewSendQueue(time.Now)
		_, err := send(t, queue, Counts{}, "x", nil)
		require.NoError(t, err)
		turn, err := queue.Take(t.Context(), "a")
		require.NoError(t, err)
		defer turn.End()
		require.Error(t, turn.Submit(t.Context(), 0, "y", nil, func(context.Context) error { return &RefusedError{Code: 1} }))
		require.Error(t, turn.Submit(t.Context(), 0, "y", nil, func(context.Context) error { return ErrTransport }))
		require.EqualValues(t, 1, next(t, queue, "a", Counts{}))
		time.Sleep(PropagationTimeout + 1)
		number, err := queue.Next(t.Context(), "a", Counts{}, Choice{Known: func(_ context.Context, hash string) (bool, error) { return hash == "x", nil }})
		require.NoError(t, err)
		require.EqualValues(t, 1, number, "most nodes have the accepted one")
		number, err = queue.Next(t.Context(), "a", Counts{}, Choice{Known: func(context.Context, string) (bool, error) { return false, nil }})
		require.NoError(t, err)
		require.Zero(t, number)
	})
}

// TestRefusedAgain checks that a refusal is no verdict on a transaction that a server may have
// from an earlier submission, also after a restart, or with records of earlier versions.
func TestRefusedAgain(t *testing.T) {
	given := regexp.MustCompile(`"given":\[[^]]*\],`)
	refused := &RefusedError{Code: 1, Log: "nonce too low"}
	doubted := &RefusedError{Code: 1, Log: "nonce too low", Doubted: true}
	failed := &RefusedError{Code: 1, Log: "execution reverted", Height: 7}
	for _, c := range []struct {
		name    string
		results []error // of the submissions; all but the last were recorded by an earlier process
		signed  bool    // whether the queue chose the number in this process
		final   bool    // whether the last result is a verdict
	}{
		{"accepted before", []error{nil, refused}, false, false},
		{"unclear before", []error{ErrTransport, refused}, false, false},
		{"unclear, and refused twice", []error{ErrTransport, refused, refused}, false, false},
		{"accepted before, and failed in a block", []error{nil, failed}, false, true},
		{"refused before", []error{refused, refused}, false, true},
		{"never submitted", []error{refused}, false, true},
		{"never submitted by the queue, and in doubt", []error{doubted}, false, false},
		{"signed and never submitted, and in doubt", []error{doubted}, true, true},
	} {
		for _, version := range []string{"the same process", "after a restart", "earlier version"} {
			t.Run(c.name+", "+version, func(t *testing.T) {
				kv, err := bunt.Open(bunt.Memory)
				require.NoError(t, err)
				defer kv.Close()
				queue := OpenSendQueue(time.Now, kv)
				submit := func(hash string, result error) error {
					turn, err := queue.Take(t.Context(), "a")
					require.NoError(t, err)
					defer turn.End()
					return turn.Submit(t.Context(), 5, hash, []byte("raw"), func(context.Context) error { return result })
				}
				if c.signed {
					queue.Made("a", 5, "x")
				}
				last := len(c.results) - 1
				for _, result := range c.results[:last] {
					_ = submit("x", result)
				}
				if version == "earlier version" {
					rows, err := kv.Scan(t.Context(), "N/order/", "", 10)
					require.NoError(t, err)
					var b store.Batch
					for _, row := range rows {
						before := given.ReplaceAllString(row.Data, "")
						require.NotEqual(t, row.Data, before)
						b.Put(row.Key, before)
					}
					require.NoError(t, store.Apply(t.Context(), kv, b))
				}
				if version != "the same process" && !c.signed {
					queue = OpenSendQueue(time.Now, kv)
				}
				err = submit("x", c.results[last])
				require.Equal(t, c.final, errors.As(err, new(*RefusedError)), err)
				require.Equal(t, !c.final, errors.Is(err, ErrResubmitted), err)
				require.Equal(t, !c.final, errors.As(err, new(*UnclearError)), err)
				require.ErrorAs(t, submit("y", refused), new(*RefusedError), "a replacement that no server has")
			})
		}
	}
}

func TestImplausibleCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue := NewSendQueue(time.Now)
		jump := func(c Counts) error {
			_, err := queue.Next(t.Context(), "a", c, Choice{})
			return err
		}
		for _, c := range []Counts{{Spent: 1 << 62}, {Spent: 1<<32 + 1}, {Spent: 5, Pending: 1 << 62}, {Spent: math.MaxUint64, Pending: math.MaxUint64}} {
			require.ErrorAs(t, jump(c), new(*JumpError))
			require.ErrorIs(t, jump(c), ErrTransport)
		}
		require.NoError(t, jump(Counts{Spent: 5}))
		require.EqualError(t, jump(Counts{Spent: 50_000, Answers: "https://a.example: 50000"}),
			"the servers say that a has sent 50000 transactions (https://a.example: 50000), and 5 were known: the number is implausible")
		require.NoError(t, jump(Counts{Spent: 10_005}))
		require.NoError(t, jump(Counts{Spent: 1}), "a chain may have been made again")
		time.Sleep(time.Hour)
		require.NoError(t, jump(Counts{Spent: 50_000}))
	})
}

// An account's unspent transactions are limited.
func TestTooManyNumbers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue := NewSendQueue(time.Now)
		for range maxOrders {
			_, err := send(t, queue, Counts{}, "x", nil)
			require.NoError(t, err)
		}
		_, err := send(t, queue, Counts{}, "x", nil)
		require.ErrorAs(t, err, new(*FullError))
		turn, err := queue.Take(t.Context(), "a")
		require.NoError(t, err)
		require.ErrorAs(t, turn.Submit(t.Context(), maxOrders, "x", nil, taken), new(*FullError))
		turn.End()
		_, err = send(t, queue, Counts{Spent: 1}, "x", nil)
		require.NoError(t, err)
		for i := range 2 * maxHashes {
			queue.Made("a", 7, strconv.Itoa(i))
		}
		require.Len(t, queue.accounts["a"].orders[7].Hashes, maxHashes)
	})
}

// Transactions that were signed elsewhere are accepted without limit, also after a restart,
// although Next is never called for the account.
func TestForeignNumbersMakeRoom(t *testing.T) {
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	defer kv.Close()
	queue := OpenSendQueue(time.Now, kv)
	submit := func(number uint64) error {
		turn, err := queue.Take(t.Context(), "a")
		require.NoError(t, err)
		defer turn.End()
		return turn.Submit(t.Context(), number, strconv.FormatUint(number, 10), []byte("raw"), taken)
	}
	for number := range uint64(maxOrders + 10) {
		require.NoError(t, submit(number))
	}
	queue = OpenSendQueue(time.Now, kv)
	require.NoError(t, submit(maxOrders+10))
	require.Len(t, queue.accounts["a"].orders, maxOrders)
	require.NotContains(t, queue.accounts["a"].orders, uint64(10), "the lowest make room")
	rows, err := kv.Scan(t.Context(), "N/order/", "", 2*maxOrders)
	require.NoError(t, err)
	require.Len(t, rows, maxOrders)
}

// TestSubmissionGoesOn checks that the end of a caller's context does not end a submission, and
// that the turn lasts until the submission has ended.
func TestSubmissionGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue := NewSendQueue(time.Now)
		turn, err := queue.Take(t.Context(), "a")
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		err = turn.Submit(ctx, 0, "x", nil, func(ctx context.Context) error {
			select {
			case <-time.After(10 * time.Second):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		var unclear *UnclearError
		require.ErrorAs(t, err, &unclear)
		require.EqualError(t, err, "transaction x may have been sent: context deadline exceeded")
		require.ErrorIs(t, err, ErrTransport)
		require.Equal(t, time.Second+submitGrace, time.Since(began))
		turn.End()
		second, err := queue.Take(t.Context(), "a")
		require.NoError(t, err)
		require.Equal(t, 10*time.Second, time.Since(began))
		require.EqualValues(t, 0, next(t, queue, "a", Counts{}), "its caller knows that the outcome is unclear")

		require.NoError(t, second.Submit(t.Context(), 0, "x", nil, taken))
		err = second.Submit(t.Context(), 1, "y", nil, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		require.ErrorAs(t, err, &unclear)
		second.End()
		require.EqualValues(t, 1, next(t, queue, "a", Counts{Pending: 1}))

		cancel()
		third, err := queue.Take(t.Context(), "a")
		require.NoError(t, err)
		defer third.End()
		err = third.Submit(ctx, 1, "z", nil, func(context.Context) error { t.Error("it was cancelled before"); return nil })
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Error(t, third.Submit(t.Context(), 1, "z", nil, func(context.Context) error { panic("x") }))
	})
}

// TestQueueIsDurable checks that the store has the submitted transactions after a kill, and
// that an unknown outcome is unclear.
func TestQueueIsDurable(t *testing.T) {
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	queue := OpenSendQueue(time.Now, kv)
	for _, hash := range []string{"x", "y"} {
		_, err := send(t, queue, Counts{Spent: 5}, hash, nil)
		require.NoError(t, err)
	}
	turn, err := queue.Take(t.Context(), "a")
	require.NoError(t, err)
	number := next(t, queue, "a", Counts{Spent: 5})
	queue.Made("a", number, "killed")
	err = turn.Submit(t.Context(), number, "killed", nil, func(context.Context) error {
		after := OpenSendQueue(time.Now, kv) // the queue after a restart
		require.EqualValues(t, 7, next(t, after, "a", Counts{Spent: 5, Pending: 8}))
		o := after.accounts["a"].orders[7]
		require.Equal(t, Unclear, o.Outcome)
		require.Equal(t, []string{"killed"}, o.Hashes)
		_, err := after.Next(t.Context(), "a", Counts{Spent: 6}, Choice{})
		require.NoError(t, err)
		_, err = after.Next(t.Context(), "b", Counts{Spent: 6}, Choice{})
		require.NoError(t, err, "another account")
		return nil
	})
	require.NoError(t, err)
	turn.End()

	again := OpenSendQueue(time.Now, kv)
	require.EqualValues(t, 8, next(t, again, "a", Counts{Spent: 6}))
	require.EqualValues(t, 9, next(t, again, "a", Counts{Spent: 9}))
	rows, err := kv.Scan(t.Context(), "N/order/", "", 10)
	require.NoError(t, err)
	require.Empty(t, rows, "spent orders are removed from the store")

	require.NoError(t, kv.Close())
	turn, err = again.Take(t.Context(), "a")
	require.NoError(t, err)
	defer turn.End()
	err = turn.Submit(t.Context(), 9, "z", nil, func(context.Context) error { t.Error("it is not recorded"); return nil })
	require.ErrorIs(t, err, store.ErrClosed)
}

// TestConfirmedTurns checks that the number of unconfirmed transactions is limited.
func TestConfirmedTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue := NewSendQueue(time.Now)
		first, err := queue.TakeConfirmed(t.Context(), "a")
		require.NoError(t, err)
		ended := make(chan error, maxConfirmed)
		for range maxConfirmed - 1 {
			go func() {
				_, err := queue.TakeConfirmed(t.Context(), "a")
				ended <- err
			}()
		}
		synctest.Wait()
		began := time.Now()
		_, err = queue.TakeConfirmed(t.Context(), "a")
		require.ErrorIs(t, err, ErrTurn)
		require.Zero(t, time.Since(began))
		for range maxConfirmed - 1 {
			require.ErrorIs(t, <-ended, ErrTurn)
		}
		require.Equal(t, confirmTimeout, time.Since(began))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = queue.TakeConfirmed(ctx, "a")
		require.ErrorIs(t, err, context.DeadlineExceeded, "a caller's own deadline is reported as such")
		first.End()
		again, err := queue.TakeConfirmed(t.Context(), "a")
		require.NoError(t, err)
		again.End()
	})
}

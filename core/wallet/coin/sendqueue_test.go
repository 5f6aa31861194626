package coin

import (
	"context"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// network is one whose nodes hear of a transaction late, and refuse whatever has another
// number than the next.
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

// All who send at the same time get successive numbers, and one that was refused gives
// its number back.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue, n := NewSendQueue(time.Now), &network{next: 7, heard: 7, fails: map[int]bool{2: true, 5: true}}
		var group sync.WaitGroup
		var mu sync.Mutex
		arrived, refused := map[uint64]bool{}, 0
		for range 20 {
			group.Go(func() {
				turn, err := queue.Take(t.Context(), "a")
				if err != nil {
					return
				}
				defer turn.End()
				number := queue.Next("a", n.heard)
				done := n.send(number)
				mu.Lock()
				defer mu.Unlock()
				if !done {
					refused++
					return
				}
				turn.Sent(number)
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
			turn, _ := queue.Take(t.Context(), "a") // it has time
			got <- turn
		}()
		synctest.Wait()
		select {
		case <-got:
			require.Fail(t, "two have the turn")
		default:
		}
		first.Sent(1)
		first.End()
		second := <-got
		require.EqualValues(t, 2, queue.Next("a", 1))
		second.End()
	})
}

func TestNumbers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue := NewSendQueue(time.Now)
		turn, err := queue.Take(t.Context(), "a")
		require.NoError(t, err)
		require.EqualValues(t, 3, queue.Next("a", 3))
		turn.Sent(3)
		time.Sleep(time.Second)
		turn.Sent(4)
		turn.Sent(1000)
		turn.Sent(math.MaxUint64 - 1)
		turn.End()
		require.EqualValues(t, 5, queue.Next("a", 3), "the node has not heard of them, and a far number makes no gap")
		require.EqualValues(t, 5, queue.Next("a", 4))
		require.EqualValues(t, 6, queue.Next("a", 6), "the node knows more")
		require.EqualValues(t, 1001, queue.Next("a", 1000))
		require.EqualValues(t, uint64(math.MaxUint64), queue.Next("a", math.MaxUint64-1))
		require.EqualValues(t, 3, queue.Next("b", 3), "another account")
		time.Sleep(PropagationTimeout)
		require.EqualValues(t, 3, queue.Next("a", 3), "the first is lost")
		require.EqualValues(t, 5, queue.Next("a", 4))
		time.Sleep(PropagationTimeout)
		require.EqualValues(t, 4, queue.Next("a", 4), "all are lost")
		require.Empty(t, queue.accounts, "nothing is kept for ever")
	})
}

// Unconfirmed transactions do not pile up.
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

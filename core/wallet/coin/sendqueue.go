package coin

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"
)

// SendQueue lets the transactions of one account be sent one after another. Chains number
// them, with nonces or sequences, and a node knows the next number only when it has heard
// of the last transaction. A sender takes the account's turn before it asks for the
// number, and ends it when a node has the transaction or refuses it; a number that was not
// used is the next sender's. Accounts are named by their chain and address. Its methods may
// be called by many goroutines. Make it with NewSendQueue.
type SendQueue struct {
	now      func() time.Time
	mu       sync.Mutex
	accounts map[string]*sending
}

// sending is an account that sends, or sent a moment ago.
type sending struct {
	turn  chan struct{} // full while it is somebody's
	users int           // who have the turn or wait for it
	sent  map[uint64]time.Time
}

// PropagationTimeout is how long other nodes may lack a transaction that one node accepted.
// Afterwards the nodes alone decide, so that a lost transaction blocks no later one.
const PropagationTimeout = 20 * time.Second

// NewSendQueue makes an empty queue.
func NewSendQueue(now func() time.Time) *SendQueue {
	return &SendQueue{now: now, accounts: make(map[string]*sending)}
}

// Turn is the right to send from an account. Its holder calls End.
type Turn struct {
	of      *SendQueue
	account string
	*sending
}

// Take waits for an account's turn. Its error is that of ctx.
func (t *SendQueue) Take(ctx context.Context, account string) (Turn, error) {
	return t.take(ctx, account, math.MaxInt)
}

// take is Take unless so many have the turn or wait for it; then it fails with ErrTurn.
func (t *SendQueue) take(ctx context.Context, account string, most int) (Turn, error) {
	t.mu.Lock()
	t.forget()
	s := t.accounts[account]
	if s == nil {
		s = &sending{turn: make(chan struct{}, 1), sent: make(map[uint64]time.Time)}
		t.accounts[account] = s
	}
	full := s.users >= most
	if !full {
		s.users++
	}
	t.mu.Unlock()
	if full {
		return Turn{}, ErrTurn
	}
	turn := Turn{t, account, s}
	select {
	case s.turn <- struct{}{}:
		return turn, nil
	case <-ctx.Done():
		t.mu.Lock()
		defer t.mu.Unlock()
		s.users--
		return Turn{}, ctx.Err()
	}
}

// Limits of TakeConfirmed.
const (
	confirmTimeout = 2 * time.Minute
	maxConfirmed   = 16 // who have an account's turn or wait for it
)

// ErrTurn says that an earlier transaction of the account is not confirmed yet.
var ErrTurn = fmt.Errorf("%w: an earlier transaction of the account waits to be confirmed: confirm or reject that, and send again", ErrSigning)

// TakeConfirmed is Take for an account whose owner confirms each transaction, on a device or
// in a wallet. He is not shown one that has waited long: he may have sent another in its
// place. Errors are ErrTurn and that of ctx.
func (t *SendQueue) TakeConfirmed(ctx context.Context, account string) (Turn, error) {
	patient, cancel := context.WithTimeout(ctx, confirmTimeout)
	defer cancel()
	turn, err := t.take(patient, account, maxConfirmed)
	if err != nil && ctx.Err() == nil {
		err = ErrTurn
	}
	return turn, err
}

// Sent records the number of a transaction that a node accepted.
func (t Turn) Sent(number uint64) {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	t.sent[number] = t.of.now().Add(PropagationTimeout)
}

// End lets the next one have the turn.
func (t Turn) End() {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	t.users--
	<-t.turn
}

// Next is the number of an account's next transaction, where told is what a node says. What
// was sent with a number behind a gap is no reason to leave the gap.
func (t *SendQueue) Next(account string, told uint64) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forget()
	s := t.accounts[account]
	if s == nil {
		return told
	}
	for ; !s.sent[told].IsZero(); told++ {
	}
	return told
}

// forget drops what nodes have had time to hear of, and the accounts that nobody uses.
func (t *SendQueue) forget() {
	now := t.now()
	for account, s := range t.accounts {
		for number, until := range s.sent {
			if now.After(until) {
				delete(s.sent, number)
			}
		}
		if s.users == 0 && len(s.sent) == 0 {
			delete(t.accounts, account)
		}
	}
}

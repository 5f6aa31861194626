package coin

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"obverse/core/store"
	"obverse/core/store/table"
)

// SendQueue is the send state of accounts on chains that number transactions, with nonces or
// sequences. Senders of one account take turns, so that a sender gets a number only after the
// previous sender has used its number. The queue remembers each transaction that was signed
// until its number is known to be spent. The next sender reuses a number if its transaction was
// refused, or may not have reached a server: of all transactions that were signed for one
// order, at most one can be executed.
//
// Accounts are named by their chain and address. A SendQueue is safe for concurrent use.
type SendQueue struct {
	now      func() time.Time
	kv       store.KV // nil means only in memory
	orders   *table.Table[order]
	mu       sync.Mutex
	accounts map[string]*sending
}

// sending is the send state of an account.
type sending struct {
	turn    chan struct{} // full while a sender has the turn
	users   int           // number of senders that have the turn or wait for it
	loaded  bool          // whether orders include the orders of the store
	orders  map[uint64]order
	floor   uint64    // Pending of the last Counts
	spent   uint64    // Spent of the last Counts
	counted time.Time // time of the last Counts; zero without Counts
	// submitting is closed when the submission in progress has ended; nil means no submission is in
	// progress.
	submitting chan struct{}
}

const (
	// PropagationTimeout is how long other nodes may lack a transaction that one node accepted.
	// After it, the number is used again unless most nodes have the transaction.
	PropagationTimeout = 20 * time.Second
	// submitTimeout limits how long a transaction is submitted to servers.
	submitTimeout = 2 * time.Minute
	// submitGrace is how long a sender whose context has ended waits for the result.
	submitGrace = 3 * time.Second
	// maxOrders limits the unspent numbers of an account, maxHashes the transactions of one
	// number, and maxStoredRaw the size of a stored transaction.
	maxOrders, maxHashes, maxStoredRaw = 1024, 8, 16 << 10
	// madeTTL is how long a transaction is remembered that was signed but not submitted.
	madeTTL = time.Hour
)

// NewSendQueue returns an empty queue that is only in memory.
func NewSendQueue(now func() time.Time) *SendQueue { return OpenSendQueue(now, nil) }

// OpenSendQueue returns a queue that stores each transaction before it is submitted to a server. It
// reads the transactions of an account when the account is first used.
func OpenSendQueue(now func() time.Time, kv store.KV) *SendQueue {
	return &SendQueue{now: now, kv: kv, accounts: make(map[string]*sending),
		orders: table.New(table.Spec[order]{Prefix: "N/order/", Key: table.Index[order]{Name: byNumber, Value: order.key}})}
}

const byNumber = "number"

// Turn is the right to send from an account. Its holder must call End.
type Turn struct {
	queue   *SendQueue
	account string
	*sending
}

// Take waits for the turn of an account. It returns the error of ctx if ctx ends first.
func (t *SendQueue) Take(ctx context.Context, account string) (Turn, error) {
	return t.take(ctx, account, math.MaxInt)
}

// take is like Take, but fails with ErrTurn if limit senders have the turn or wait for it.
func (t *SendQueue) take(ctx context.Context, account string, limit int) (Turn, error) {
	t.mu.Lock()
	t.forget()
	s := t.account(account)
	full := s.users >= limit
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

// account returns the state of an account. The caller must hold the lock.
func (t *SendQueue) account(name string) *sending {
	s := t.accounts[name]
	if s == nil {
		s = &sending{turn: make(chan struct{}, 1), loaded: t.kv == nil, orders: make(map[uint64]order)}
		t.accounts[name] = s
	}
	return s
}

// Limits of TakeConfirmed.
const (
	confirmTimeout = 2 * time.Minute
	maxConfirmed   = 16 // number of senders that have the turn of an account or wait for it
)

// ErrTurn means that the user has not yet confirmed an earlier transaction of the account.
var ErrTurn = fmt.Errorf("%w: an earlier transaction of the account waits to be confirmed: confirm or reject that, and send again", ErrSigning)

// TakeConfirmed is like Take, for an account whose owner confirms each transaction on a device
// or in a wallet. It gives up after a while, since the owner may have sent another transaction
// instead. Errors are ErrTurn and the error of ctx.
func (t *SendQueue) TakeConfirmed(ctx context.Context, account string) (Turn, error) {
	patient, cancel := context.WithTimeout(ctx, confirmTimeout)
	defer cancel()
	turn, err := t.take(patient, account, maxConfirmed)
	if err != nil && ctx.Err() == nil {
		err = ErrTurn
	}
	return turn, err
}

// Counts holds the numbers of transactions of an account that most servers know.
type Counts struct {
	Spent   uint64 // number of transactions in blocks, whose numbers cannot be used again
	Pending uint64 // Spent plus the transactions that wait for a block; unknown if less than Spent
	// Alone means that too few servers answered, since others failed recently, see nodepool.Pool.Agree.
	Alone bool
	// Answers lists the servers' answers, for errors: "https://a.example: 5; https://b.example: 6".
	Answers string
}

// Choice holds the options of Next.
type Choice struct {
	// Known reports whether most servers have a transaction that one of them accepted earlier
	// and that Pending does not include; nil means they do not.
	Known func(ctx context.Context, hash string) (bool, error)
	// Resend submits again a transaction that a server accepted earlier, if the number to be
	// used is lower than one with an unknown outcome. If it is nil, Next returns a *GapError.
	Resend func(ctx context.Context, raw []byte) error
	// Expired reports whether a transaction can no longer get into a block; nil means transactions do
	// not expire.
	Expired func(raw []byte) bool
	// Harmless means that the transaction pays the account itself. It may fill a gap below a
	// transaction of unknown outcome.
	Harmless bool
}

// Limits of plausible counts.
const (
	maxCount   = 1 << 32
	maxJump    = 10_000 // more than in the last Counts
	maxRate    = 100    // more for each second since then
	maxPending = 10_000 // more than the transactions in blocks
)

// check returns an error for implausible counts. The caller must hold the lock.
func (s *sending) check(account string, c Counts, now time.Time) error {
	limit := uint64(maxCount)
	if !s.counted.IsZero() {
		limit = min(limit, s.spent+maxJump+maxRate*uint64(max(now.Sub(s.counted), 0)/time.Second))
	}
	for _, number := range []struct{ count, limit uint64 }{{c.Spent, limit}, {c.Pending, c.Spent + maxPending}} {
		if number.count > number.limit {
			return &JumpError{account, number.count, s.spent, c}
		}
	}
	return nil
}

// Next returns the number of an account's next transaction, which is the first number that is
// neither spent nor used by a transaction that waits for a block. The number of a transaction
// that was refused, or has an unknown outcome, is returned until it is spent, which a single
// one of several servers cannot establish. The caller signs with the number and calls Made.
// Errors are a *GapError, a *JumpError, a *FullError, and the errors of Known and of the store.
func (t *SendQueue) Next(ctx context.Context, account string, c Counts, choice Choice) (uint64, error) {
	c.Pending = max(c.Pending, c.Spent)
	if err := t.load(ctx, account); err != nil {
		return 0, err
	}
	t.mu.Lock()
	s := t.account(account)
	if err := s.check(account, c, t.now()); err != nil {
		t.mu.Unlock()
		return 0, err
	}
	s.floor, s.spent, s.counted = c.Pending, c.Spent, t.now()
	var spent []order
	next := c.Spent
	for number, o := range s.orders {
		switch {
		case c.Alone && (o.Outcome == Unclear || o.Outcome == Refused):
			next = min(next, number)
		case number < c.Spent || choice.Expired != nil && len(o.Raw) > 0 && len(o.Hashes) == 1 && choice.Expired(o.Raw):
			delete(s.orders, number)
			spent = append(spent, o)
		}
	}
	unspent := maps.Clone(s.orders)
	t.mu.Unlock()
	if err := t.remove(ctx, spent); err != nil {
		return 0, err
	}
	for {
		waits := next < c.Pending
		if o, ok := unspent[next]; ok {
			var err error
			if waits, err = t.waits(ctx, o, c, choice.Known); err != nil {
				return 0, err
			}
			if !waits && o.Outcome == Accepted && len(o.Raw) > 0 && choice.Resend != nil {
				if _, gap := gapAbove(unspent, next); gap {
					waits = choice.Resend(ctx, o.Raw) == nil
				}
			}
		}
		if !waits {
			break
		}
		next++
	}
	if _, again := unspent[next]; !again && len(unspent) >= maxOrders {
		return 0, &FullError{account}
	}
	if later, gap := gapAbove(unspent, next); gap && !choice.Harmless {
		return 0, &GapError{next, later.Number, later.hash(), later.Outcome, c}
	}
	return next, nil
}

// waits reports whether a transaction with the number of an order waits for a block, so that
// the next one needs another number.
func (t *SendQueue) waits(ctx context.Context, o order, c Counts, known func(context.Context, string) (bool, error)) (bool, error) {
	switch {
	case o.Outcome == Made:
		return o.Number < c.Pending, nil
	case o.Outcome != Accepted:
		return false, nil
	case o.Number < c.Pending, t.now().Sub(o.At) <= PropagationTimeout:
		return true, nil
	case known == nil:
		return false, nil
	}
	for _, hash := range slices.Backward(o.Hashes) { // the newest may be a refused replacement
		if is, err := known(ctx, hash); is || err != nil {
			return is, err
		}
	}
	return false, nil
}

// After returns the first number, from the given one on, without a transaction that a server
// accepted within PropagationTimeout.
func (t *SendQueue) After(account string, number uint64) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	for o := t.account(account).orders[number]; o.Outcome == Accepted && t.now().Sub(o.At) <= PropagationTimeout; o = t.accounts[account].orders[number] {
		number++
	}
	return number
}

// Made records a transaction that was signed with the number of Next.
func (t *SendQueue) Made(account string, number uint64, hash string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.account(account)
	o := s.orders[number].with(account, number, hash)
	if !o.Chosen {
		o.Chosen, o.Floor = true, s.floor
	}
	switch o.Outcome {
	case "":
		o.Outcome, o.At = Made, t.now()
	case Accepted: // the accepted transaction was lost
		o.Outcome = Unclear
	}
	s.orders[number] = o
}

// with adds a transaction to an order, which may be the zero order.
func (o order) with(account string, number uint64, hash string) order {
	o.Account, o.Number = account, number
	o.Hashes = newest(o.Hashes, hash)
	return o
}

// newest returns the newest of hashes, with a hash that may be among them.
func newest(hashes []string, hash string) []string {
	if slices.Contains(hashes, hash) {
		return hashes
	}
	hashes = append(slices.Clone(hashes), hash)
	return hashes[max(len(hashes)-maxHashes, 0):]
}

// End passes the turn to the next sender. If a transaction is still being submitted, it does so
// once the servers have answered.
func (t Turn) End() {
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	submitted := t.submitting
	if t.submitting = nil; submitted == nil {
		t.release()
		return
	}
	go func() {
		<-submitted
		t.queue.mu.Lock()
		defer t.queue.mu.Unlock()
		t.release()
	}()
}

// release ends a turn. The caller must hold the lock.
func (s *sending) release() {
	s.users--
	<-s.turn
}

// forget removes transactions that were signed long ago and never submitted, and idle accounts.
// The caller must hold the lock.
func (t *SendQueue) forget() {
	now := t.now()
	for account, s := range t.accounts {
		for number, o := range s.orders {
			if o.Outcome == Made && now.Sub(o.At) > madeTTL {
				delete(s.orders, number)
			}
		}
		if s.users == 0 && len(s.orders) == 0 {
			delete(t.accounts, account)
		}
	}
}

// Outcome is the known outcome of a transaction.
type Outcome string

// Outcomes. A transaction that was submitted is unclear until a server answers.
const (
	Made     Outcome = "made"     // signed, but not submitted by this node
	Unclear  Outcome = "unclear"  // a server may have it
	Refused  Outcome = "refused"  // the servers that answered refused it
	Accepted Outcome = "accepted" // a server accepted it
)

// order is the state of one number of an account. It is stored before its first transaction is
// submitted, and deleted when the number is spent.
type order struct {
	Account string    `json:"account"`
	Number  uint64    `json:"number"`
	Hashes  []string  `json:"hashes"`        // hashes of the transactions with the number, the newest last
	Given   []string  `json:"given"`         // those of them that a server may have; nil in records of earlier versions
	Raw     []byte    `json:"raw,omitempty"` // newest submitted transaction, unless it is large
	Outcome Outcome   `json:"outcome"`
	At      time.Time `json:"at"`     // time at which the outcome was recorded
	Chosen  bool      `json:"chosen"` // whether the number is from Next, and not from a transaction that was signed elsewhere
	Floor   uint64    `json:"floor"`  // Pending of the Counts from which the number was chosen
}

func (o order) hash() string { return o.Hashes[len(o.Hashes)-1] }

func (o order) key() string { return table.Text(o.Account) + table.Uint(o.Number) }

// endangered reports whether a transaction with a lower number would make a transaction of the
// order valid that its user may have sent again.
func (o order) endangered(lower uint64) bool {
	if o.Number <= lower || !o.Chosen || o.Outcome == Made {
		return false
	}
	return o.Outcome != Accepted || o.Floor > lower
}

// gapAbove returns an order with a transaction that a transaction with a lower number would
// make valid.
func gapAbove(orders map[uint64]order, lower uint64) (order, bool) {
	for _, o := range orders {
		if o.endangered(lower) {
			return o, true
		}
	}
	return order{}, false
}

// GapError is returned instead of a number if a server may have a transaction with a later number:
// both could be executed.
type GapError struct {
	Number uint64 // the number to be signed next
	Later  uint64 // the number that was signed earlier
	Hash   string // hash of the transaction with the later number
	Result Outcome
	Counts Counts
}

func (e *GapError) Error() string {
	return fmt.Sprintf("transaction %s with number %d was signed and may still be executed (%s), and the servers say that the next number is %d (%s): "+
		"a transaction with that number would make both valid; send an amount to your own address to use the number up",
		e.Hash, e.Later, e.Result, e.Number, e.Counts.Answers)
}

// Is reports whether target is ErrTransport, since the servers' counts are inconsistent.
func (*GapError) Is(target error) bool { return target == ErrTransport }

// JumpError means that a count of transactions is implausible.
type JumpError struct {
	Account string
	Number  uint64
	Known   uint64 // the last count; 0 if unknown
	Counts  Counts
}

func (e *JumpError) Error() string {
	return fmt.Sprintf("the servers say that %s has sent %d transactions (%s), and %d were known: the number is implausible", e.Account, e.Number, e.Counts.Answers, e.Known)
}

// Is reports whether target is ErrTransport.
func (*JumpError) Is(target error) bool { return target == ErrTransport }

// FullError means that too many transactions of an account are not in blocks.
type FullError struct{ Account string }

func (e *FullError) Error() string {
	return fmt.Sprintf("%s has %d transactions that are not in a block yet, which is the limit", e.Account, maxOrders)
}

// Is reports whether target is ErrTransport, since the error is temporary.
func (*FullError) Is(target error) bool { return target == ErrTransport }

// load reads an account's transactions from the store.
func (t *SendQueue) load(ctx context.Context, account string) error {
	t.mu.Lock()
	loaded := t.account(account).loaded
	t.mu.Unlock()
	if loaded {
		return nil
	}
	rows, err := t.orders.List(ctx, t.kv, table.Prefixed(byNumber, table.Text(account)))
	if err != nil {
		return fmt.Errorf("read the sent transactions of %s: %w", account, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.account(account)
	for _, o := range rows {
		if _, newer := s.orders[o.Number]; !newer && len(o.Hashes) > 0 {
			if o.Given == nil && o.Outcome != Refused {
				o.Given = o.Hashes
			}
			s.orders[o.Number] = o
		}
	}
	s.loaded = true
	return nil
}

// keep writes an order to the store.
func (t *SendQueue) keep(ctx context.Context, o order) error {
	if t.kv == nil {
		return nil
	}
	err := table.Change(ctx, t.kv, func(tx *table.Tx) error { return t.orders.Put(ctx, tx, o) })
	if err != nil {
		return fmt.Errorf("record transaction %s before it is sent: %w", o.hash(), err)
	}
	return nil
}

// remove deletes spent orders from the store.
func (t *SendQueue) remove(ctx context.Context, spent []order) error {
	if t.kv == nil || len(spent) == 0 {
		return nil
	}
	err := table.Change(ctx, t.kv, func(tx *table.Tx) error {
		for _, o := range spent {
			if _, err := t.orders.Delete(ctx, tx, o.key()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("remove transactions that are in blocks: %w", err)
	}
	return nil
}

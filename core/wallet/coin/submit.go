package coin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"obverse/core/guard"
	"obverse/core/number"
	"obverse/core/task/handover"
)

// Numbered is a signed transaction and its number in its account's order.
type Numbered struct {
	Transaction
	Number uint64
}

// Execute takes the turn of an account, calls sign to make a transaction with the number of
// Next, and calls submit to submit it to servers, see Turn.Submit. If confirmed is set, the
// account's owner confirms each transaction, see TakeConfirmed. If submitting fails, Execute
// returns the transaction and the error.
func (t *SendQueue) Execute(ctx context.Context, account string, confirmed bool, sign func(context.Context) (Numbered, error),
	submit func(context.Context, Numbered) error) (Transaction, error) {
	take := t.Take
	if confirmed {
		take = t.TakeConfirmed
	}
	turn, err := take(ctx, account)
	if err != nil {
		return Transaction{}, err
	}
	defer turn.End()
	n, err := sign(ctx)
	if err != nil {
		return Transaction{}, err
	}
	return n.Transaction, turn.Submit(ctx, n.Number, n.Hash, n.Raw, func(ctx context.Context) error { return submit(ctx, n) })
}

// UnclearError means that it is unknown whether a server has a transaction.
type UnclearError struct {
	Hash string
	Err  error
}

func (e *UnclearError) Error() string {
	return "transaction " + e.Hash + " may have been sent: " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *UnclearError) Unwrap() error { return e.Err }

// Is reports whether target is ErrTransport.
func (e *UnclearError) Is(target error) bool { return target == ErrTransport }

// ErrResubmitted means that servers refuse a transaction that another server may have already, so
// that it may still get into a block. Await reports what became of it.
var ErrResubmitted = errors.New("the transaction was submitted before, and a server may have accepted it")

// Submit submits a transaction to servers by calling send, which must return a *RefusedError if
// all servers that answered refused it. That is no verdict on a transaction that a server may have
// from an earlier submission, unless it failed in a block: Submit returns an *UnclearError with
// ErrResubmitted. Once send runs, the end of ctx does not stop the
// submission. Its outcome is recorded, and its task can no longer be cancelled. When ctx ends,
// Submit waits for the outcome a few seconds longer. Errors are a *RefusedError, an
// *UnclearError for all other errors of send, and before send a *FullError and the errors of
// the store and of ctx.
func (t Turn) Submit(ctx context.Context, number uint64, hash string, raw []byte, send func(context.Context) error) error {
	if err := handover.Begin(ctx, "transaction "+hash+" was given to a server"); err != nil {
		return err
	}
	earlier, err := t.queue.hand(ctx, t.account, number, hash, raw)
	if err != nil {
		return err
	}
	submitted, result := make(chan struct{}), make(chan error, 1)
	var reported atomic.Bool // whether the outcome is decided
	t.queue.mu.Lock()
	t.submitting = submitted
	t.queue.mu.Unlock()
	go func() {
		defer close(submitted)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), submitTimeout)
		defer cancel()
		err := guard.Do(ctx, "sending a transaction", func() error { return send(ctx) })
		err = verdict(err, hash, earlier)
		if !reported.Swap(true) {
			t.queue.settle(ctx, t.account, number, hash, raw, err)
		}
		result <- err
	}()
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
	}
	timer := time.NewTimer(submitGrace)
	defer timer.Stop()
	select {
	case err := <-result:
		return err
	case <-timer.C:
	}
	if reported.Swap(true) {
		return <-result
	}
	return &UnclearError{hash, context.Cause(ctx)} // it stays recorded as unclear, so that the caller may send again
}

// earlierUse holds the facts about a transaction that the queue knows before it is submitted.
type earlierUse struct {
	made  bool // it was signed here, or refused before
	given bool // a server may have it
}

// verdict returns the error of Submit for an error of its send.
func verdict(err error, hash string, earlier earlierUse) error {
	refused, is := errors.AsType[*RefusedError](err)
	switch {
	case err == nil, is && refused.Height != 0:
		return err
	case !is:
		return &UnclearError{hash, err}
	case earlier.given, refused.Doubted && !earlier.made:
		return &UnclearError{hash, fmt.Errorf("%w: %s", ErrResubmitted, refused)} // not wrapped, since callers treat a *RefusedError as final
	}
	return err
}

// hand records that a server may get a transaction, and returns what was known of it before.
func (t *SendQueue) hand(ctx context.Context, account string, number uint64, hash string, raw []byte) (earlier earlierUse, err error) {
	if err := t.load(ctx, account); err != nil {
		return earlier, err
	}
	t.mu.Lock()
	s := t.account(account)
	o, known := s.orders[number]
	earlier = earlierUse{slices.Contains(o.Hashes, hash), slices.Contains(o.Given, hash)}
	var dropped []order
	if !known && len(s.orders) >= maxOrders {
		oldest, found := s.oldestForeign()
		if !found {
			t.mu.Unlock()
			return earlier, &FullError{account}
		}
		delete(s.orders, oldest.Number)
		dropped = append(dropped, oldest)
	}
	o = o.with(account, number, hash)
	o.Given = newest(o.Given, hash)
	if o.Outcome != Accepted { // a replacement of an accepted transaction changes nothing until it is accepted
		o.Outcome, o.At, o.Raw = Unclear, t.now(), storedRaw(raw)
	}
	s.orders[number] = o
	t.mu.Unlock()
	if err := t.remove(ctx, dropped); err != nil {
		return earlier, err
	}
	return earlier, t.keep(ctx, o)
}

// oldestForeign returns the order with the lowest number among those with a number that another
// program chose. Next, which removes spent orders, may never be called for such an account. The
// caller must hold the lock.
func (s *sending) oldestForeign() (oldest order, found bool) {
	for _, o := range s.orders {
		if !o.Chosen && (!found || o.Number < oldest.Number) {
			oldest, found = o, true
		}
	}
	return oldest, found
}

// storedRaw returns raw, or nil if it is too large to store.
func storedRaw(raw []byte) []byte {
	if len(raw) > maxStoredRaw {
		return nil
	}
	return slices.Clone(raw)
}

// settle records the result of Submit.
func (t *SendQueue) settle(ctx context.Context, account string, number uint64, hash string, raw []byte, err error) {
	t.mu.Lock()
	o, there := t.account(account).orders[number]
	switch _, refused := errors.AsType[*RefusedError](err); {
	case err == nil:
		o.Outcome, o.At, o.Raw = Accepted, t.now(), storedRaw(raw)
		o.Hashes = append(slices.DeleteFunc(o.Hashes, func(h string) bool { return h == hash }), hash)
	case refused:
		o.Given = slices.DeleteFunc(slices.Clone(o.Given), func(h string) bool { return h == hash })
		if o.Outcome == Unclear && len(o.Hashes) == 1 {
			o.Outcome, o.At = Refused, t.now()
		}
	default:
		there = false // the record is unchanged
	}
	if there {
		t.accounts[account].orders[number] = o
	}
	t.mu.Unlock()
	if there {
		_ = t.keep(ctx, o) // if this fails, the stored outcome is unclear, which is safe
	}
}

// Broadcaster is a coin that sends signed transactions.
type Broadcaster interface {
	// Broadcast sends a transaction to the coin's nodes and returns its hash. It succeeds if
	// they know the transaction already. Errors are *RefusedError, ErrTransport, and
	// ErrResubmitted, which is an ErrTransport too.
	Broadcast(ctx context.Context, raw []byte) (hash string, err error)
	// Await waits until a sent transaction has the given number of confirmations, or until ctx
	// ends. 0 means as many confirmations as the coin requires. It fails with a *RefusedError
	// when the transaction can no longer get into a block, or failed in one.
	Await(ctx context.Context, raw []byte, confirmations uint64) (Confirmed, error)
}

// Confirmed is the place of a transaction in the chain.
type Confirmed struct {
	Height        uint64 // height of its block
	Confirmations uint64 // 1 if its block is the newest
}

// maxFailures is how many times in a row the nodes may fail while a transaction is awaited.
const maxFailures = 10

// AwaitConfirmations queries the status of a transaction at an interval until it has the given
// number of confirmations. It returns the errors of status and of ctx. It ignores ErrTransport up to
// maxFailures times in a row.
func AwaitConfirmations(ctx context.Context, interval time.Duration, confirmations uint64, status func(context.Context) (Confirmed, error)) (Confirmed, error) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for failures := 0; ; {
		found, err := status(ctx)
		switch {
		case errors.Is(err, ErrTransport) && failures < maxFailures && ctx.Err() == nil:
			failures++
		case err != nil:
			return Confirmed{}, err
		default:
			failures = 0
			if found.Confirmations >= confirmations {
				return found, nil
			}
		}
		select {
		case <-ctx.Done():
			return Confirmed{}, ctx.Err()
		case <-ticker.C:
		}
	}
}

// RefusedError means that a chain rejected a transaction, or that the transaction failed in a
// block.
type RefusedError struct {
	Code      uint32 // not 0; its meaning depends on the space
	Codespace string
	Log       string // the chain's error text
	Hash      string
	Height    uint64 // height of the block in which it failed; 0 if it was rejected before
	Help      string // explanation, if one is known
	// Doubted means that too few servers answered whether the transaction is in a block already,
	// for which servers refuse it as well.
	Doubted bool
}

func (e *RefusedError) Error() string {
	text := e.Log
	if e.Help != "" {
		text = e.Help + " (" + e.Log + ")"
	}
	if e.Height != 0 {
		return fmt.Sprintf("the transaction failed in block %d: %s", e.Height, text)
	}
	return "the chain refuses the transaction: " + text
}

// RawReader is a coin that can look up any transaction by its hash.
type RawReader interface {
	// RawTransaction returns the signed transaction with the hash, of any account, and checks
	// it against the hash. Errors are ErrNoTransaction, ErrTransactionKind and ErrTransport.
	RawTransaction(ctx context.Context, hash [32]byte) ([]byte, error)
}

// Errors of RawReader.
var (
	ErrNoTransaction   = errors.New("the coin's nodes do not have the transaction")
	ErrTransactionKind = errors.New("the transaction is of a kind that cannot be read")
)

// RawSigner is a coin that signs transactions that a client made. It returns the errors of Withdrawer.
type RawSigner interface {
	// SignRaw returns the signed transaction and the highest fee that it may cost.
	SignRaw(ctx context.Context, t UnsignedTransaction) (raw []byte, fee Fee, err error)
}

// UnsignedTransaction is a transaction of an EVM network without its nonce.
type UnsignedTransaction struct {
	To    string          // address; "" creates a contract
	Value number.Rational // amount of the network's coin, in whole coins
	Data  []byte
	Gas   uint64
	Fee   FeePolicy // EthGas or EthGasEIP1559, whose limits are ignored; nil means the nodes' price
}

// Replacer is a coin whose transactions can be replaced until they are in a block.
type Replacer interface {
	// Replace makes and signs a transaction that replaces raw, which was sent from the coin's
	// own address, with a higher fee. The new transaction is the same, or transfers nothing if
	// cancel is set. Miners decide which of the two the chain includes. It returns the errors
	// of Withdrawer.
	Replace(ctx context.Context, raw []byte, cancel bool) (Transaction, error)
}

// ContractReader is a coin whose chain has contracts.
type ContractReader interface {
	// IsContract reports whether the coin's nodes have a contract at the address. Errors are an
	// *InvalidError for the address, and ErrTransport.
	IsContract(ctx context.Context, address string) (bool, error)
}

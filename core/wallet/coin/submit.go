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

// Execute takes the turn of an account, in which sign makes a transaction with the number of Next,
// and submits it to servers by calling submit, see Turn.Submit. If confirmed is set, the account's
// owner confirms each transaction, see TakeConfirmed. A transaction that was submitted is returned
// with the error.
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

// Submit submits a transaction to servers by calling send, which must return a *RefusedError if all
// servers that answered refused it. Once send runs, the end of ctx does not stop the submission:
// the outcome is recorded, and the task that it belongs to can no longer be cancelled. A caller
// whose ctx ends waits a few seconds. Errors are a *RefusedError, an *UnclearError for all other
// errors of send, and before send a *FullError, that of the store, and that of ctx.
func (t Turn) Submit(ctx context.Context, number uint64, hash string, raw []byte, send func(context.Context) error) error {
	if err := handover.Begin(ctx, "transaction "+hash+" was given to a server"); err != nil {
		return err
	}
	if err := t.queue.hand(ctx, t.account, number, hash, raw); err != nil {
		return err
	}
	submitted, result := make(chan struct{}), make(chan error, 1)
	var reported atomic.Bool // the outcome is decided
	t.queue.mu.Lock()
	t.submitting = submitted
	t.queue.mu.Unlock()
	go func() {
		defer close(submitted)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), submitTimeout)
		defer cancel()
		err := guard.Do(ctx, "sending a transaction", func() error { return send(ctx) })
		if _, refused := errors.AsType[*RefusedError](err); err != nil && !refused {
			err = &UnclearError{hash, err}
		}
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
	return &UnclearError{hash, context.Cause(ctx)} // stays recorded as unclear: the caller may send again
}

// hand records that a server may get a transaction.
func (t *SendQueue) hand(ctx context.Context, account string, number uint64, hash string, raw []byte) error {
	if err := t.load(ctx, account); err != nil {
		return err
	}
	t.mu.Lock()
	s := t.account(account)
	o, known := s.orders[number]
	var dropped []order
	if !known && len(s.orders) >= maxOrders {
		oldest, found := s.oldestForeign()
		if !found {
			t.mu.Unlock()
			return &FullError{account}
		}
		delete(s.orders, oldest.Number)
		dropped = append(dropped, oldest)
	}
	o = o.with(account, number, hash)
	if o.Outcome != Accepted { // one that replaces an accepted one changes nothing until it is accepted
		o.Outcome, o.At, o.Raw = Unclear, t.now(), storedRaw(raw)
	}
	s.orders[number] = o
	t.mu.Unlock()
	if err := t.remove(ctx, dropped); err != nil {
		return err
	}
	return t.keep(ctx, o)
}

// oldestForeign returns the order with the lowest number among those with a number that another
// program chose. Next, which removes spent orders, may never be called for such an account. Call it
// with the lock held.
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
	case refused && o.Outcome == Unclear && len(o.Hashes) == 1:
		o.Outcome, o.At = Refused, t.now()
	default:
		there = false // the record is unchanged
	}
	if there {
		t.accounts[account].orders[number] = o
	}
	t.mu.Unlock()
	if there {
		_ = t.keep(ctx, o) // on failure the store says unclear, which is as safe
	}
}

// Broadcaster is a coin that sends signed transactions.
type Broadcaster interface {
	// Broadcast sends a transaction to the coin's nodes and returns its hash. It is not an error if
	// they know the transaction already. Errors are *RefusedError and ErrTransport.
	Broadcast(ctx context.Context, raw []byte) (hash string, err error)
	// Await waits until a transaction that was sent has the given number of confirmations, 0 for as
	// many as the coin requires, or until ctx ends. It fails with a *RefusedError when the
	// transaction can no longer get into a block, or failed in one.
	Await(ctx context.Context, raw []byte, confirmations uint64) (Confirmed, error)
}

// Confirmed is the place of a transaction in the chain.
type Confirmed struct {
	Height        uint64 // of its block
	Confirmations uint64 // 1: its block is the newest
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
	Code      uint32 // not 0; what it means depends on the space
	Codespace string
	Log       string // the chain's error text
	Hash      string
	Height    uint64 // of the block in which it failed; 0: rejected before
	Help      string // explanation, where one is known
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
	// RawTransaction returns the signed transaction with the hash, of any account. It is checked
	// against the hash. Errors are ErrNoTransaction, ErrTransactionKind and ErrTransport.
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
	To    string          // address; "": creates a contract
	Value number.Rational // of the network's coin, in whole coins
	Data  []byte
	Gas   uint64
	Fee   FeePolicy // EthGas or EthGasEIP1559, their limits are ignored; nil: the nodes' price
}

// Replacer is a coin whose transactions can be replaced until they are in a block.
type Replacer interface {
	// Replace makes and signs a transaction that replaces raw, which was sent from the coin's own
	// address, with a higher fee: the same transaction again, or one that transfers nothing if
	// cancel is set. Miners decide which of the two the chain includes. It returns the errors of
	// Withdrawer.
	Replace(ctx context.Context, raw []byte, cancel bool) (Transaction, error)
}

// ContractReader is a coin whose chain has contracts.
type ContractReader interface {
	// IsContract reports whether the coin's nodes have a contract at the address. Errors are an
	// *InvalidError for the address, and ErrTransport.
	IsContract(ctx context.Context, address string) (bool, error)
}

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

// UnclearError is the result of a transaction that a server may have.
type UnclearError struct {
	Hash string
	Err  error
}

func (e *UnclearError) Error() string {
	return "transaction " + e.Hash + " may have been sent: " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *UnclearError) Unwrap() error { return e.Err }

// Is makes it an ErrTransport.
func (e *UnclearError) Is(target error) bool { return target == ErrTransport }

// Submit hands a transaction to servers with send, whose error is a *RefusedError if all that
// answered refused it. From then on the end of ctx does not end it: it is recorded, and a
// task that it belongs to cannot be cancelled any more. A caller whose ctx ends waits a few
// seconds. Errors are a *RefusedError, an *UnclearError for all others of send, and before
// anything was handed over a *FullError, that of the store, and of ctx.
func (t Turn) Submit(ctx context.Context, number uint64, hash string, raw []byte, send func(context.Context) error) error {
	if err := handover.Begin(ctx, "transaction "+hash+" was given to a server"); err != nil {
		return err
	}
	if err := t.of.hand(ctx, t.account, number, hash, raw); err != nil {
		return err
	}
	submitted, result := make(chan struct{}), make(chan error, 1)
	var reported atomic.Bool // the outcome is decided
	t.of.mu.Lock()
	t.submitting = submitted
	t.of.mu.Unlock()
	go func() {
		defer close(submitted)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), submitTimeout)
		defer cancel()
		err := guard.Do(ctx, "sending a transaction", func() error { return send(ctx) })
		if _, refused := errors.AsType[*RefusedError](err); err != nil && !refused {
			err = &UnclearError{hash, err}
		}
		if !reported.Swap(true) {
			t.of.settle(ctx, t.account, number, hash, raw, err)
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
	return &UnclearError{hash, context.Cause(ctx)} // and so it stays: the caller may send again
}

// hand records that a server may have a transaction.
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
		o.Outcome, o.At, o.Raw = Unclear, t.now(), kept(raw)
	}
	s.orders[number] = o
	t.mu.Unlock()
	if err := t.remove(ctx, dropped); err != nil {
		return err
	}
	return t.keep(ctx, o)
}

// oldestForeign returns the order with the lowest number among those whose number another program
// chose. For such an account Next may never be called, which removes the spent ones. Call it
// with the lock held.
func (s *sending) oldestForeign() (oldest order, found bool) {
	for _, o := range s.orders {
		if !o.Chosen && (!found || o.Number < oldest.Number) {
			oldest, found = o, true
		}
	}
	return oldest, found
}

// kept is what is kept of a transaction.
func kept(raw []byte) []byte {
	if len(raw) > maxKeptRaw {
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
		o.Outcome, o.At, o.Raw = Accepted, t.now(), kept(raw)
		o.Hashes = append(slices.DeleteFunc(o.Hashes, func(h string) bool { return h == hash }), hash)
	case refused && o.Outcome == Unclear && len(o.Hashes) == 1:
		o.Outcome, o.At = Refused, t.now()
	default:
		there = false // what is recorded is still so
	}
	if there {
		t.accounts[account].orders[number] = o
	}
	t.mu.Unlock()
	if there {
		_ = t.keep(ctx, o) // in the store it is unclear, which is treated no less carefully
	}
}

// Broadcaster is a coin that takes signed transactions.
type Broadcaster interface {
	// Broadcast gives a transaction to the coin's nodes and returns its hash. One that
	// they know already is no error. Errors are *RefusedError and ErrTransport.
	Broadcast(ctx context.Context, raw []byte) (hash string, err error)
	// Await waits for a transaction that was sent to be in a block with so many
	// confirmations, 0: as many as the coin requires. It waits until ctx ends; before
	// that it gives up when the transaction cannot get into a block any more, or failed in
	// one, which is a *RefusedError.
	Await(ctx context.Context, raw []byte, confirmations uint64) (Confirmed, error)
}

// Confirmed reports where a transaction is.
type Confirmed struct {
	Height        uint64 // of its block
	Confirmations uint64 // 1: its block is the newest
}

// maxFailures is how many times in a row the nodes may fail while a transaction is awaited.
const maxFailures = 10

// AwaitConfirmations asks for the status of a transaction at an interval until it has as
// many confirmations. Errors are those of status, and of ctx; ErrTransport is one if it
// comes too often in a row.
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

// RefusedError says that a chain does not take a transaction, or that it failed there.
type RefusedError struct {
	Code      uint32 // not 0; what it means depends on the space
	Codespace string
	Log       string // the chain's own words
	Hash      string
	Height    uint64 // of the block in which it failed; 0: it got into none
	Help      string // what it means, where that is known
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

// RawReader is a coin whose nodes find transactions by their hashes.
type RawReader interface {
	// RawTransaction gives a transaction as it was signed, by any account. Its hash proves it.
	// Errors are ErrNoTransaction, ErrTransactionKind and ErrTransport.
	RawTransaction(ctx context.Context, hash [32]byte) ([]byte, error)
}

// Errors of RawReader.
var (
	ErrNoTransaction   = errors.New("the coin's nodes do not have the transaction")
	ErrTransactionKind = errors.New("the transaction is of a kind that cannot be read")
)

// RawSigner is a coin that signs transactions which others have put together. Errors are
// those of Withdrawer.
type RawSigner interface {
	// SignRaw returns the signed transaction and what it may cost.
	SignRaw(ctx context.Context, t UnsignedTransaction) (raw []byte, fee Fee, err error)
}

// UnsignedTransaction is a transaction of an EVM network but for its nonce.
type UnsignedTransaction struct {
	To    string          // address; "": it makes a contract
	Value number.Rational // of the network's coin, in whole coins
	Data  []byte
	Gas   uint64
	Fee   FeePolicy // EthGas or EthGasEIP1559, whose limits do not count; nil: the price is the nodes'
}

// Replacer is a coin whose transactions can be replaced for as long as they are in no block.
type Replacer interface {
	// Replace makes and signs a transaction with the number of another one, which was sent from the
	// coin's own address, and a higher fee: the same once more, or with cancel one that moves
	// nothing. Which of the two the chain takes is up to its miners. Errors are those of Withdrawer.
	Replace(ctx context.Context, raw []byte, cancel bool) (Transaction, error)
}

// ContractReader is a coin whose addresses may be those of contracts.
type ContractReader interface {
	// IsContract asks the coin's nodes. Errors are an *InvalidError for the address, and ErrTransport.
	IsContract(ctx context.Context, address string) (bool, error)
}

package coin

import (
	"context"
	"fmt"
	"time"

	"obverse/core/store/table"
)

// Outcome is what is known of a transaction.
type Outcome string

// Outcomes. Until a server's answer is known, a transaction that was handed over is unclear.
const (
	Made     Outcome = "made"     // signed, and not handed to a server by this node
	Unclear  Outcome = "unclear"  // a server may have it
	Refused  Outcome = "refused"  // the servers that answered refused it
	Accepted Outcome = "accepted" // a server took it
)

// order is what is known of a number of an account. It is in the store from before its first
// transaction is handed to a server until the number is spent.
type order struct {
	Account string    `json:"account"`
	Number  uint64    `json:"number"`
	Hashes  []string  `json:"hashes"`        // of the transactions that have the number, the newest last
	Raw     []byte    `json:"raw,omitempty"` // the newest that was handed over, unless it is large
	Outcome Outcome   `json:"outcome"`
	At      time.Time `json:"at"`     // when the outcome was recorded
	Chosen  bool      `json:"chosen"` // the number is from Next, not from a transaction that was signed elsewhere
	Floor   uint64    `json:"floor"`  // the Pending of the Counts from which the number was chosen
}

func (o order) hash() string { return o.Hashes[len(o.Hashes)-1] }

func (o order) key() string { return table.Text(o.Account) + table.Uint(o.Number) }

// endangered reports whether a transaction with a lower number would make one of the order
// valid that its user may have sent again.
func (o order) endangered(lower uint64) bool {
	if o.Number <= lower || !o.Chosen || o.Outcome == Made {
		return false
	}
	return o.Outcome != Accepted || o.Floor > lower
}

// gapAbove finds an order that a transaction with a lower number would make valid.
func gapAbove(orders map[uint64]order, lower uint64) (order, bool) {
	for _, o := range orders {
		if o.endangered(lower) {
			return o, true
		}
	}
	return order{}, false
}

// GapError refuses to sign a number, since a later one was signed from which a server may
// have a transaction: both could be executed.
type GapError struct {
	Number uint64 // that would be signed
	Later  uint64 // that was signed
	Hash   string // of the transaction with the later number
	Result Outcome
	Counts Counts
}

func (e *GapError) Error() string {
	return fmt.Sprintf("transaction %s with number %d was signed and may still be executed (%s), and the servers say that the next number is %d (%s): "+
		"a transaction with that number would make both valid; send an amount to your own address to use the number up",
		e.Hash, e.Later, e.Result, e.Number, e.Counts.Answers)
}

// Is makes it an ErrTransport, as what the servers say does not fit.
func (*GapError) Is(target error) bool { return target == ErrTransport }

// JumpError refuses a count of transactions that is implausible.
type JumpError struct {
	Account string
	Number  uint64
	Known   uint64 // the last count; 0: none
	Counts  Counts
}

func (e *JumpError) Error() string {
	return fmt.Sprintf("the servers say that %s has sent %d transactions (%s), and %d were known: the number is implausible", e.Account, e.Number, e.Counts.Answers, e.Known)
}

// Is makes it an ErrTransport.
func (*JumpError) Is(target error) bool { return target == ErrTransport }

// FullError refuses to sign more while too many transactions of an account are not in blocks.
type FullError struct{ Account string }

func (e *FullError) Error() string {
	return fmt.Sprintf("%s has %d transactions that are not in a block yet, which is the limit", e.Account, maxOrders)
}

// Is makes it an ErrTransport: it passes when blocks take the transactions.
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

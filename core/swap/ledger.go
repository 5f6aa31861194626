package swap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"obverse/core/number"
	"obverse/core/store"
	"obverse/core/store/table"
)

// Errors of a Ledger, in addition to ErrInvalid, TransitionError and the store's errors.
var (
	ErrExists  = errors.New("there is a swap with this id")
	ErrUnknown = errors.New("there is no swap with this id")
)

// Ledger stores swaps, and also holds the running ones in memory. It is safe for concurrent
// use. A store must have only one Ledger.
//
// Begin and Advance return once their change is durable. If they fail with an error of the
// context or the store, the change may have been made: call Get to find out.
type Ledger struct {
	kv    store.KV
	swaps *table.Table[Swap]
	now   func() time.Time

	changing sync.Mutex // serializes changes, so that memory follows the store

	mu      sync.RWMutex // guards the fields below, and is not held while the store works
	running map[string]Swap
	locked  map[string]number.Rational // by coin, without zero amounts
}

const inProgress = "yes"

// Open reads the swaps in progress, including swaps of earlier runs. It fails with
// table.ErrDamaged if a record cannot be read or has an unknown state, because the amounts that
// it locks are unknown. Swaps that have ended stay in the store.
func Open(ctx context.Context, kv store.KV, now func() time.Time) (*Ledger, error) {
	l := &Ledger{kv: kv, now: now, running: map[string]Swap{}, locked: map[string]number.Rational{}}
	l.swaps = table.New(table.Spec[Swap]{
		Prefix: "N/swap/",
		Key:    table.Index[Swap]{Name: "id", Value: func(s Swap) string { return s.ID }},
		Sorted: []table.Index[Swap]{{Name: "running", Value: runningIndex}},
	})
	left, err := l.swaps.List(ctx, kv, table.Range{Index: "running", From: inProgress})
	if err != nil {
		return nil, fmt.Errorf("open swaps: %w", err)
	}
	for _, s := range left {
		if _, known := machine[s.State]; !known {
			return nil, fmt.Errorf("open swaps: %w: %s is in a state %q", table.ErrDamaged, s.ID, s.State)
		}
		l.remember(s)
	}
	return l, nil
}

// runningIndex returns the index value of a swap that is in progress, or the value of one that
// has ended. A swap in an unknown state counts as in progress, because it may lock coins.
func runningIndex(s Swap) string {
	if _, known := machine[s.State]; known && !s.State.Running() {
		return "no"
	}
	return inProgress
}

// Begin adds a swap in the state Negotiating. From now on the swap locks the amounts that it
// will pay; the caller checks that the balance is sufficient. Begin ignores the fields that the
// ledger sets. It fails with ErrInvalid or ErrExists, and then changes nothing.
func (l *Ledger) Begin(ctx context.Context, s Swap) error {
	s.State, s.Started = Negotiating, l.time()
	s.Changed = s.Started
	if err := s.check(); err != nil {
		return err
	}
	return l.change(ctx, func(tx *table.Tx) (Swap, error) {
		err := l.swaps.Insert(ctx, tx, s)
		if duplicate := (*table.DuplicateError)(nil); errors.As(err, &duplicate) {
			err = fmt.Errorf("swap %s: %w", s.ID, ErrExists)
		}
		return s, err
	})
}

// Advance records in one step that a swap has reached a state and, if data is not empty, the
// engine's new data. The current state is allowed, either to set new data or to repeat a call
// with an unknown outcome. Advance fails with ErrUnknown, ErrInvalid or a TransitionError, and
// then changes nothing.
func (l *Ledger) Advance(ctx context.Context, id string, to State, data string) error {
	if err := checkData(data); err != nil {
		return err
	}
	return l.change(ctx, func(tx *table.Tx) (Swap, error) {
		s, found, err := l.swaps.Get(ctx, tx, id)
		if err != nil {
			return s, err
		}
		if !found {
			return s, fmt.Errorf("swap %s: %w", id, ErrUnknown)
		}
		if allowed := s.next(); to != s.State && !slices.Contains(allowed, to) {
			return s, &TransitionError{ID: id, From: s.State, To: to, Allowed: allowed}
		}
		if to == s.State && (data == "" || data == s.Data) {
			return s, nil
		}
		s.State, s.Data, s.Changed = to, cmp.Or(data, s.Data), l.time()
		return s, l.swaps.Put(ctx, tx, s)
	})
}

// change changes one swap, in the store and then in memory, and waits until the change survives
// a crash. Memory is updated for every staged change, even if the wait fails, because Locked
// must not be less than it would be after a restart.
func (l *Ledger) change(ctx context.Context, fn func(*table.Tx) (Swap, error)) error {
	durable, err := l.stage(ctx, fn)
	if err != nil {
		return err
	}
	return durable(ctx)
}

func (l *Ledger) stage(ctx context.Context, fn func(*table.Tx) (Swap, error)) (store.Durable, error) {
	l.changing.Lock()
	defer l.changing.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var changed Swap
	// If the context ended during Stage, the outcome would be unknown.
	durable, err := table.Stage(context.WithoutCancel(ctx), l.kv, func(tx *table.Tx) (err error) {
		changed, err = fn(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remember(changed)
	return durable, nil
}

// remember replaces a swap in memory.
func (l *Ledger) remember(s Swap) {
	old := l.running[s.ID]
	for _, h := range old.holds() {
		l.lock(h.coin, h.amount.Neg())
	}
	for _, h := range s.holds() {
		l.lock(h.coin, h.amount)
	}
	if s.State.Running() {
		l.running[s.ID] = s
	} else {
		delete(l.running, s.ID)
	}
}

func (l *Ledger) lock(coin string, amount number.Rational) {
	sum := l.locked[coin].Add(amount)
	if sum.IsZero() {
		delete(l.locked, coin)
	} else {
		l.locked[coin] = sum
	}
}

// Locked returns the amount of a coin that the running swaps still need, in whole coins.
func (l *Ledger) Locked(coin string) number.Rational {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.locked[coin]
}

// Running returns the swaps in progress, the oldest first.
func (l *Ledger) Running() []Swap {
	l.mu.RLock()
	defer l.mu.RUnlock()
	all := make([]Swap, 0, len(l.running))
	for _, s := range l.running {
		all = append(all, s)
	}
	sort.Slice(all, func(x, y int) bool {
		a, b := all[x], all[y]
		return cmp.Or(a.Started.Compare(b.Started), strings.Compare(a.ID, b.ID)) < 0
	})
	return all
}

// Get returns a swap, which is in progress or has ended. It fails with ErrUnknown.
func (l *Ledger) Get(ctx context.Context, id string) (Swap, error) {
	s, found, err := l.swaps.Get(ctx, l.kv, id)
	if err == nil && !found {
		err = fmt.Errorf("swap %s: %w", id, ErrUnknown)
	}
	return s, err
}

// time returns the current time in whole seconds, as it is stored.
func (l *Ledger) time() time.Time { return l.now().UTC().Truncate(time.Second) }

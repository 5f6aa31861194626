package coin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"sync"

	"obverse/core/store"
	"obverse/core/store/table"
)

// Errors about the state of a coin.
var (
	// ErrNotActive means that the coin is not active, or is passive.
	ErrNotActive = errors.New("the coin is not activated")
	// ErrAlreadyActive means that the coin was activated in this run of the node.
	ErrAlreadyActive = errors.New("the coin is already activated")
	// ErrNotSaved means that the store has no record of the coin to restore.
	ErrNotSaved = errors.New("the coin was not active before")
	// ErrPreempted is the cause of a restoration's context when a user enables or disables the coin
	// meanwhile.
	ErrPreempted = errors.New("restoring stopped for a call of the user")
	// ErrDisabled is returned by an activation that Disable of its coin cancelled.
	ErrDisabled = errors.New("cancelled: the coin was disabled")
)

// PlatformKindError means that a token's platform is active, but is a coin of another family.
type PlatformKindError struct{ Platform, Token string }

func (e *PlatformKindError) Error() string {
	return fmt.Sprintf("%s is not a platform coin for token %s", e.Platform, e.Token)
}

// PlatformError means that a token's platform is not active.
type PlatformError struct{ Platform string }

func (e *PlatformError) Error() string {
	return fmt.Sprintf("the platform coin %s is not activated", e.Platform)
}

// State is the state of a coin.
type State string

// States. Begin leads to activating from every state, except from active unless the coin was
// restored. Commit leads from activating to active, and Abort leads back. Disable leads to
// inactive, or from active to passive if there are tokens on the coin. A restart leads from
// active and passive to saved, and Restore and Commit back.
const (
	StateInactive   State = "inactive"
	StateSaved      State = "saved"      // was active before a restart and is not restored yet
	StateActivating State = "activating" // inactive or saved, and a call activates it
	StateActive     State = "active"
	StatePassive    State = "passive" // disabled, and running only for its tokens: reported as inactive
)

// Active is the set of active coins and the state of all others. It is safe for concurrent use, and
// starts goroutines only in Run.
type Active struct {
	kv       store.KV
	records  *table.Table[record]
	failed   func(ticker string, err error)
	registry *Registry

	mu      sync.Mutex
	changed chan struct{}    // closed and replaced whenever a claim ends
	slots   map[string]*slot // by canonical ticker, without empty ones
	next    uint64           // number of the next record
	queue   []*task          // to be started by Run
	wake    chan struct{}
}

// Config configures Open.
type Config struct {
	Store store.KV
	// Restore keeps the records of the coins that were active in the last run, so that they can be
	// restored. Otherwise Open deletes them.
	Restore bool
	// Registry lists the coins that could be active, for errors about unknown tickers. It may be
	// nil.
	Registry *Registry
	// Failed, if not nil, is called when a coin's Run fails.
	Failed func(ticker string, err error)
}

// slot is the state of one coin.
type slot struct {
	record    *record // nil means not active and not stored
	live      Coin    // nil means not active in this run
	restored  bool    // live came from a restoration
	problem   string  // why the last attempt to restore it failed; "" means no failed attempt
	task      *task   // of live; nil means not a Runner
	exclusive *claim  // the call that may change this slot
	shared    map[*claim]bool
}

// claim is a call that locks slots, exclusively or shared. A call for a token shares the slot of
// the platform.
type claim struct {
	preempt func() // ends a restoration; nil for a user's call
	key     string // of the coin that a user's call activates
	cancel  func() // ends the activation; nil for other calls
}

// record is the stored record of an active coin.
type record struct {
	Number   uint64          `json:"number"` // order of activation
	Key      string          `json:"key"`    // canonical ticker
	Ticker   string          `json:"ticker"` // as it was activated
	Platform string          `json:"platform,omitempty"`
	Passive  bool            `json:"passive,omitempty"`
	Params   json.RawMessage `json:"params"`
	Entry    json.RawMessage `json:"entry,omitempty"` // of a coin that is in no coins file
}

// Open reads the records of active coins from the store.
func Open(ctx context.Context, c Config) (*Active, error) {
	a := &Active{
		kv: c.Store, failed: c.Failed, registry: c.Registry, changed: make(chan struct{}), slots: make(map[string]*slot), wake: make(chan struct{}, 1),
		records: table.New(table.Spec[record]{
			Prefix: "N/coin/", Key: table.Index[record]{Name: "ticker", Value: func(r record) string { return r.Key }},
		}),
	}
	saved, err := a.records.List(ctx, c.Store, table.Range{Index: "ticker"})
	if err != nil {
		return nil, fmt.Errorf("read the active coins: %w", err)
	}
	if !c.Restore {
		if err := a.keep(ctx, nil, saved); err != nil {
			return nil, fmt.Errorf("delete the active coins: %w", err)
		}
		return a, nil
	}
	for _, r := range saved {
		a.slots[r.Key] = &slot{record: &r}
		a.next = max(a.next, r.Number)
	}
	return a, nil
}

// keep writes and deletes records, and waits until the change survives a crash. It ignores the end
// of the caller's context, since the outcome must be known.
func (a *Active) keep(ctx context.Context, put, drop []record) error {
	ctx = context.WithoutCancel(ctx)
	return table.Change(ctx, a.kv, func(tx *table.Tx) error {
		for _, r := range drop {
			if _, err := a.records.Delete(ctx, tx, r.Key); err != nil {
				return err
			}
		}
		for _, r := range put {
			if err := a.records.Put(ctx, tx, r); err != nil {
				return err
			}
		}
		return nil
	})
}

// Get finds an active coin by any of its names. Its error is an *UnknownError that is
// ErrNotActive.
func (a *Active) Get(ticker string) (Coin, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.slots[Canonical(ticker)]; s.active() {
		return s.live, nil
	}
	return nil, &UnknownError{ticker, a.registry, ErrNotActive}
}

// List returns the active coins in the order of their activation, without those that are passive.
func (a *Active) List() []Coin {
	var coins []Coin
	for _, s := range a.ordered((*slot).active) {
		coins = append(coins, s.live)
	}
	return coins
}

// Tokens lists the tickers of a platform's tokens, active or waiting to be restored, in
// the order of their activation.
func (a *Active) Tokens(platform string) (tickers []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, key := range a.tokens(Canonical(platform)) {
		tickers = append(tickers, a.slots[key].record.Ticker)
	}
	return tickers
}

// ordered returns copies of the slots for which fits returns true, in the order of activation.
func (a *Active) ordered(fits func(*slot) bool) []slot {
	a.mu.Lock()
	defer a.mu.Unlock()
	var found []slot
	for _, s := range a.slots {
		if fits(s) {
			found = append(found, *s)
		}
	}
	sort.Slice(found, func(x, y int) bool { return found[x].record.Number < found[y].record.Number })
	return found
}

// State returns the state of a coin, and whether it is active only because it was restored.
func (a *Active) State(ticker string) (state State, restored bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.slots[Canonical(ticker)]
	switch {
	case s == nil:
		return StateInactive, false
	case s.active():
		return StateActive, s.restored
	case s.live != nil:
		return StatePassive, s.restored
	case s.exclusive != nil:
		return StateActivating, false
	case s.record != nil:
		return StateSaved, false
	}
	return StateInactive, false
}

func (s *slot) active() bool { return s != nil && s.live != nil && !s.record.Passive }

// saved reports whether the coin waits to be restored.
func (s *slot) saved() bool { return s != nil && s.live == nil && s.record != nil }

// tokens returns the keys of the tokens that a platform has, active or saved. The caller must
// hold the lock.
func (a *Active) tokens(platform string) (keys []string) {
	for key, s := range a.slots {
		if s.record != nil && s.record.Platform == platform {
			keys = append(keys, key)
		}
	}
	sort.Slice(keys, func(x, y int) bool { return a.slots[keys[x]].record.Number < a.slots[keys[y]].record.Number })
	return keys
}

// request lists the coins that a call must lock before it continues, by canonical ticker.
type request struct{ exclusive, shared []string }

// acquire waits until c can lock all coins that plan requests. It locks all or none, so that no
// call holds a coin while it waits for a platform, which could cause a deadlock. It calls plan
// with the lock held, and again after every change; an error of plan ends the wait. It preempts
// restorations of a coin that a user's call locks exclusively, and waits for restorations of a
// token's platform.
func (a *Active) acquire(ctx context.Context, c *claim, plan func() (request, error)) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		d, err := plan()
		if err != nil {
			return err
		}
		busy := false
		for other, alone := range a.conflicts(c, d) {
			busy = true
			if alone && c.preempt == nil && other.preempt != nil {
				other.preempt()
			}
		}
		if !busy {
			a.grant(c, d)
			return nil
		}
		a.wait(ctx)
	}
}

// conflicts returns the claims for which c has to wait, and whether c requests the coins that
// they hold exclusively.
func (a *Active) conflicts(c *claim, d request) map[*claim]bool {
	others := make(map[*claim]bool)
	for _, key := range d.shared {
		if s := a.slots[key]; s != nil && s.exclusive != nil {
			others[s.exclusive] = false
		}
	}
	for _, key := range d.exclusive {
		if s := a.slots[key]; s != nil {
			for other := range s.shared {
				others[other] = true
			}
			if s.exclusive != nil {
				others[s.exclusive] = true
			}
		}
	}
	delete(others, c)
	return others
}

func (a *Active) grant(c *claim, d request) {
	for _, key := range d.exclusive {
		a.slot(key).exclusive = c
	}
	for _, key := range d.shared {
		s := a.slot(key)
		if s.shared == nil {
			s.shared = make(map[*claim]bool)
		}
		s.shared[c] = true
	}
}

// slot returns the slot with a key, and adds it if it is missing.
func (a *Active) slot(key string) *slot {
	s := a.slots[key]
	if s == nil {
		s = &slot{}
		a.slots[key] = s
	}
	return s
}

// wait releases the lock until a claim ends or ctx ends.
func (a *Active) wait(ctx context.Context) {
	changed := a.changed
	a.mu.Unlock()
	defer a.mu.Lock()
	select {
	case <-changed:
	case <-ctx.Done():
	}
}

// release ends a claim and wakes waiting calls.
func (a *Active) release(c *claim) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for key, s := range a.slots {
		if s.exclusive == c {
			s.exclusive = nil
		}
		delete(s.shared, c)
		if s.record == nil && s.live == nil && s.exclusive == nil && len(s.shared) == 0 {
			delete(a.slots, key)
		}
	}
	close(a.changed)
	a.changed = make(chan struct{})
}

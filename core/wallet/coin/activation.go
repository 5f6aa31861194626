package coin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Activation holds the locks on the coins of one activation, from Begin or Restore until Commit or
// Abort. It must be used by one goroutine.
type Activation struct {
	active   *Active
	claim    *claim
	work     context.Context
	stop     context.CancelCauseFunc
	keys     []string // canonical tickers: the requested coin, then its tokens
	restore  bool
	existing Coin // a passive platform that is switched on again
	platform Coin // of a token
	ended    bool
}

// Item is a coin to commit, with the parameters that it was made from.
type Item struct {
	Coin   Coin
	Params json.RawMessage // any JSON; stored, and returned by Saved after a restart
}

// Begin locks a coin for activation, alone or with tokens on it, all or none. It waits for
// other calls that activate or disable one of the coins, until ctx ends, and preempts
// restorations. It fails with ErrAlreadyActive if the coin was activated in this run, even by a
// call that Begin waited for. Tokens that are active already are not an error: Commit replaces
// them.
//
// The caller must end the activation with Commit, Abort or End. Abort after Commit does nothing.
func (a *Active) Begin(ctx context.Context, ticker string, tokens ...string) (*Activation, error) {
	work, cancel := context.WithCancelCause(ctx)
	x := &Activation{active: a, work: work, stop: cancel, keys: distinct(ticker, tokens)}
	x.claim = &claim{key: x.keys[0], cancel: func() { cancel(ErrDisabled) }}
	err := a.acquire(ctx, x.claim, func() (request, error) {
		d := request{exclusive: x.keys}
		s := a.slots[x.keys[0]]
		if s == nil || s.exclusive != nil || s.record == nil {
			return d, nil
		}
		if s.active() && !s.restored {
			return d, fmt.Errorf("%s: %w", clip(ticker), ErrAlreadyActive)
		}
		if s.record.Platform != "" { // the platform must not change meanwhile
			d.shared = append(d.shared, s.record.Platform)
		}
		return d, nil
	})
	if err != nil {
		cancel(err)
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.slots[x.keys[0]]; s.live != nil && !s.restored {
		x.existing = s.live
	}
	return x, nil
}

// Context returns the context for the work of the activation. It ends when the activation is over,
// or with ErrDisabled as its cause when Disable of the requested coin cancels it.
func (x *Activation) Context() context.Context { return x.work }

// distinct returns the canonical tickers without duplicates.
func distinct(ticker string, others []string) []string {
	keys := []string{Canonical(ticker)}
	seen := map[string]bool{keys[0]: true}
	for _, other := range others {
		if key := Canonical(other); !seen[key] {
			seen[key] = true
			keys = append(keys, key)
		}
	}
	return keys
}

// Restore is like Begin, for a coin that Saved lists, without its tokens. It returns a context
// for the work of restoring, which ends when the activation is over, or with ErrPreempted as
// its cause when a user enables or disables the coin or its platform. Restore fails with
// ErrAlreadyActive if the coin is active or passive, with ErrNotSaved if it was disabled, and
// with a *PlatformError if it is a token and its platform is not active yet.
func (a *Active) Restore(ctx context.Context, ticker string) (context.Context, *Activation, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	c := &claim{preempt: func() { cancel(ErrPreempted) }}
	x := &Activation{active: a, claim: c, work: ctx, stop: cancel, keys: distinct(ticker, nil), restore: true}
	err := a.acquire(ctx, c, func() (request, error) {
		d := request{exclusive: x.keys}
		s := a.slots[x.keys[0]]
		switch {
		case s != nil && s.exclusive != nil:
			return d, nil
		case s != nil && s.live != nil:
			return d, fmt.Errorf("%s: %w", clip(ticker), ErrAlreadyActive)
		case !s.saved():
			return d, fmt.Errorf("%s: %w", clip(ticker), ErrNotSaved)
		case s.record.Platform == "":
			return d, nil
		}
		d.shared = []string{s.record.Platform}
		p := a.slots[s.record.Platform]
		if p == nil || p.exclusive == nil && p.live == nil {
			return d, &PlatformError{Platform: s.record.Platform}
		}
		x.platform = p.live
		return d, nil
	})
	if err != nil {
		cancel(err)
		return nil, nil, err
	}
	return ctx, x, nil
}

// Existing returns the coin that Disable made passive and that this activation makes active again,
// or nil. The coin continues with its nodes: Commit accepts this coin only.
func (x *Activation) Existing() Coin { return x.existing }

// LeaveOut removes a token from the activation. Commit then expects no item for it.
func (x *Activation) LeaveOut(ticker string) {
	x.keys = slices.DeleteFunc(slices.Clone(x.keys), func(key string) bool { return key == Canonical(ticker) && key != x.keys[0] })
}

// Platform returns the platform of a token and locks it until the activation is over. It waits
// until ctx ends for an activation of the platform that is in progress. It fails with a
// *PlatformError if the platform is inactive or passive.
func (x *Activation) Platform(ctx context.Context, ticker string) (Coin, error) {
	a, key := x.active, Canonical(ticker)
	err := a.acquire(ctx, x.claim, func() (request, error) {
		d := request{shared: []string{key}}
		s := a.slots[key]
		if s != nil && s.exclusive != nil {
			return d, nil
		}
		if !s.active() && !(x.restore && s != nil && s.live != nil) {
			return d, &PlatformError{Platform: ticker}
		}
		x.platform = s.live
		return d, nil
	})
	if err != nil {
		return nil, err
	}
	return x.platform, nil
}

// errItems means that a caller commits other coins than the coins of its activation.
var errItems = errors.New("the coins to commit are not those of the activation")

// Commit makes the coins active. It expects one item for each ticker of Begin. When it returns, the
// activation survives a crash; coins that were replaced have stopped, other tokens of a replaced
// platform are active on the new one, and the new coins have started. If it fails, nothing has
// changed.
func (x *Activation) Commit(ctx context.Context, items ...Item) error {
	if x.ended {
		return fmt.Errorf("%w: the activation has ended", errItems)
	}
	defer x.Abort()
	records, coins, err := x.check(items)
	if err != nil {
		return err
	}
	if err := x.active.keep(ctx, records, nil); err != nil {
		return err
	}
	x.active.replace(records, coins, x.restore)
	return nil
}

// check validates the items of Commit and numbers the records.
func (x *Activation) check(items []Item) ([]record, []Coin, error) {
	byKey := make(map[string]Item)
	for _, item := range items {
		byKey[Canonical(item.Coin.Ticker())] = item
	}
	if len(items) != len(x.keys) {
		return nil, nil, fmt.Errorf("%w: %d items for %d tickers", errItems, len(items), len(x.keys))
	}
	a := x.active
	a.mu.Lock()
	defer a.mu.Unlock()
	var records []record
	var coins []Coin
	for n, key := range x.keys {
		item, ok := byKey[key]
		if !ok {
			return nil, nil, fmt.Errorf("%w: %s is missing", errItems, clip(key))
		}
		r := record{Key: key, Ticker: item.Coin.Ticker(), Params: item.Params, Entry: savedEntry(item.Coin)}
		if item.Params == nil {
			r.Params = json.RawMessage("null")
		}
		if !json.Valid(r.Params) {
			return nil, nil, fmt.Errorf("%w: parameters of %s are invalid JSON", errItems, clip(key))
		}
		if token, is := item.Coin.(Token); is {
			r.Platform = Canonical(token.Platform())
		}
		if err := x.checkPlatform(n, r.Platform); err != nil {
			return nil, nil, err
		}
		if old := a.slots[key].record; old != nil {
			r.Number, r.Passive = old.Number, old.Passive && x.restore
		} else {
			a.next++
			r.Number = a.next
		}
		records, coins = append(records, r), append(coins, item.Coin)
	}
	return records, coins, nil
}

// checkPlatform returns an error if an item's platform is not the locked one.
func (x *Activation) checkPlatform(n int, platform string) error {
	want := ""
	switch {
	case n > 0:
		want = x.keys[0]
	case x.platform != nil:
		want = Canonical(x.platform.Ticker())
	}
	if platform != want {
		return fmt.Errorf("%w: %s is on the platform %q, not %q", errItems, clip(x.keys[n]), clip(platform), clip(want))
	}
	return nil
}

// Abort ends an activation without changing anything.
func (x *Activation) Abort() {
	if x.ended {
		return
	}
	x.ended = true
	x.active.release(x.claim)
	x.stop(nil)
}

// End calls Abort. Deferred in a user's activation, it replaces the error of a cancelled activation
// with ErrDisabled.
func (x *Activation) End(err *error) {
	if *err != nil && errors.Is(context.Cause(x.work), ErrDisabled) {
		*err = ErrDisabled
	}
	x.Abort()
}

// RestoreWith restores a coin that Saved lists. It calls restore, which makes the coin, with the
// context and the activation that Restore returns. It fails with ErrPreempted if restore failed
// because it was preempted, and otherwise with the errors of Restore, restore and Commit.
func (a *Active) RestoreWith(ctx context.Context, ticker string, restore func(context.Context, *Activation) (Item, error)) error {
	work, x, err := a.Restore(ctx, ticker)
	if err != nil {
		return err
	}
	defer x.Abort()
	item, err := restore(work, x)
	if err == nil {
		err = x.Commit(work, item)
	}
	if err != nil && errors.Is(context.Cause(work), ErrPreempted) {
		return ErrPreempted
	}
	return err
}

package coin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Activation is the right to activate some coins, from Begin or Restore until Commit
// or Abort. It belongs to one goroutine.
type Activation struct {
	active   *Active
	claim    *claim
	work     context.Context
	stop     context.CancelCauseFunc
	keys     []string // canonical tickers: the coin that was asked for, then the tokens with it
	restore  bool
	existing Coin // a passive platform that is switched on again
	platform Coin // of a token
	ended    bool
}

// Item is a coin that was made, with what it was made from.
type Item struct {
	Coin   Coin
	Params json.RawMessage // kept for the next start and given to whoever restores it; any JSON
}

// Begin claims a coin for activation, alone or with tokens on it, all of them or none.
// Whoever else activates or disables one of them now is waited for until ctx ends;
// restorations are preempted. It fails with ErrAlreadyActive if the coin was
// activated in this run, even by the call that was waited for. Tokens that are active
// already are no error: Commit replaces them.
//
// The caller has to end it with Commit, Abort or End; Abort after Commit does nothing.
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
		if s.record.Platform != "" { // which must not change meanwhile
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

// Context is for the work of the activation: it ends, with ErrDisabled as its cause, when
// Disable of the coin that was asked for cancels it, and when it is over.
func (x *Activation) Context() context.Context { return x.work }

// distinct gives canonical tickers, each once.
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

// Restore is Begin for a coin that Saved lists, without its tokens. The context that it
// returns is for the work of restoring: it ends, with ErrPreempted as its cause, when a
// user enables or disables the coin or its platform meanwhile, and when the activation
// is over. Restore fails with ErrAlreadyActive if the coin is active or passive, with
// ErrNotSaved if it was disabled, and with a *PlatformError if it is a token whose
// platform is not there yet.
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

// Existing is the coin that Disable made passive and that this activation switches on
// again, or nil. It goes on with the nodes that it has: Commit takes the very same.
func (x *Activation) Existing() Coin { return x.existing }

// LeaveOut removes a token from the activation: Commit takes no item for it.
func (x *Activation) LeaveOut(ticker string) {
	x.keys = slices.DeleteFunc(slices.Clone(x.keys), func(key string) bool { return key == Canonical(ticker) && key != x.keys[0] })
}

// Platform finds the platform of a token and keeps it as it is until the activation is
// over. An activation of the platform that is at work is waited for until ctx ends. It
// fails with a *PlatformError if the platform is inactive or passive.
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

// errItems says that a caller commits something else than it began.
var errItems = errors.New("the coins to commit are not those of the activation")

// Commit makes the coins active: one item for each ticker that was begun, the coin that
// was asked for and its tokens. When it returns, the activation survives a crash; coins
// that were replaced have ended their work, other tokens of a replaced platform are
// active on the new one, and the new coins begin theirs. If it fails nothing has
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

// check finds what a caller did wrong, and numbers the records.
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

// checkPlatform compares an item's platform with the one that is held.
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

// Abort ends an activation that came to nothing: everything is as before.
func (x *Activation) Abort() {
	if x.ended {
		return
	}
	x.ended = true
	x.active.release(x.claim)
	x.stop(nil)
}

// End is Abort as the deferred call of a user's activation. What a cancelled one failed
// with becomes ErrDisabled.
func (x *Activation) End(err *error) {
	if *err != nil && errors.Is(context.Cause(x.work), ErrDisabled) {
		*err = ErrDisabled
	}
	x.Abort()
}

// RestoreWith restores a coin that Saved lists: restore makes it, with the context and the
// activation that Restore gives. It fails with ErrPreempted if that is why restore failed,
// and otherwise with the errors of Restore, of restore and of Commit.
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

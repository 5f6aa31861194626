package coin

import (
	"context"
	"encoding/json"
	"fmt"
)

// Disabled is the result of Disable.
type Disabled struct {
	Ticker  string   // ticker by which the coin was activated
	Passive bool     // whether the coin keeps running for its tokens; it is reported as inactive
	Tokens  []string // tokens that were disabled with it
}

// Disable makes a coin inactive. A platform with tokens becomes passive, unless force is set;
// then the platform and its tokens become inactive. A passive platform stops with force, or
// with its last token. Coins that wait to be restored are disabled in the same way. A user's
// activation of the coin is cancelled, and restorations of it are preempted; Disable waits for
// other activations that hold the coin, until ctx ends.
//
// When it returns, the change survives a crash and the coins have stopped. It fails with
// ErrNotActive.
func (a *Active) Disable(ctx context.Context, ticker string, force bool) (Disabled, error) {
	c, key := &claim{}, Canonical(ticker)
	var cancelled *claim
	err := a.acquire(ctx, c, func() (request, error) {
		d := request{exclusive: []string{key}}
		s := a.slots[key]
		switch by := s.activation(key); {
		case s == nil || s.exclusive == nil:
		case by == nil || by == cancelled:
			return d, nil
		case cancelled == nil:
			cancelled = by
			by.cancel()
			return d, nil
		default: // it began after this call, which must not cancel it
			return d, fmt.Errorf("%s: %w", clip(ticker), ErrNotActive)
		}
		if s == nil || s.record == nil || s.record.Passive && !force {
			return d, fmt.Errorf("%s: %w", clip(ticker), ErrNotActive)
		}
		d.exclusive = append(d.exclusive, a.tokens(key)...)
		switch p := a.slots[s.record.Platform]; {
		case p == nil || p.record == nil:
		case p.record.Passive:
			d.exclusive = append(d.exclusive, s.record.Platform)
		default:
			d.shared = []string{s.record.Platform}
		}
		return d, nil
	})
	if err != nil {
		return Disabled{}, err
	}
	defer a.release(c)
	done, put, drop := a.plan(key, force)
	if err := a.keep(ctx, put, drop); err != nil {
		return Disabled{}, err
	}
	a.remove(put, drop)
	return done, nil
}

// activation returns the user's activation of the coin that holds its slot, or nil.
func (s *slot) activation(key string) *claim {
	if s == nil || s.exclusive == nil || s.exclusive.cancel == nil || s.exclusive.key != key {
		return nil
	}
	return s.exclusive
}

// plan returns the records to change. The caller holds their slots.
func (a *Active) plan(key string, force bool) (done Disabled, put, drop []record) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r, tokens := *a.slots[key].record, a.tokens(key)
	done.Ticker = r.Ticker
	if len(tokens) > 0 && !force {
		r.Passive, done.Passive = true, true
		return done, []record{r}, nil
	}
	drop = []record{r}
	for _, token := range tokens {
		drop = append(drop, *a.slots[token].record)
		done.Tokens = append(done.Tokens, a.slots[token].record.Ticker)
	}
	p := a.slots[r.Platform]
	if p != nil && p.record != nil && p.record.Passive && len(a.tokens(r.Platform)) == 1 {
		drop = append(drop, *p.record)
	}
	return done, nil, drop
}

// remove applies the result of plan.
func (a *Active) remove(put, drop []record) {
	a.mu.Lock()
	for _, r := range put {
		a.slots[r.Key].record = &r
	}
	var changes []change
	for _, r := range drop {
		s := a.slots[r.Key]
		changes = append(changes, change{ended: s.task})
		s.record, s.live, s.restored, s.task = nil, nil, false, nil
	}
	a.mu.Unlock()
	a.settle(changes)
}

// SavedCoin is a coin that was active when the node last ran, and is not yet restored.
type SavedCoin struct {
	Ticker   string
	Platform string          // ticker of the platform; "" if the coin is not a token
	Passive  bool            // whether it is restored only for its tokens
	Params   json.RawMessage // parameters that were passed to Commit
	Entry    *Entry          // entry of a coin that is in no coins file; nil means the entry of the Registry
}

// Saved lists the coins that wait to be restored, in the order of their activation, so
// that platforms come before their tokens.
func (a *Active) Saved() []SavedCoin {
	var coins []SavedCoin
	for _, s := range a.ordered((*slot).saved) {
		r := s.record
		coins = append(coins, SavedCoin{Ticker: r.Ticker, Platform: r.Platform, Passive: r.Passive, Params: r.Params, Entry: custom(r.Entry)})
	}
	return coins
}

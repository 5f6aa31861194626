package coin

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"obverse/core/guard"
)

// Pauses between two attempts to restore a coin, each twice as long as the one before.
const (
	firstPause = 2 * time.Second
	lastPause  = 5 * time.Minute
)

// ErrNoRestore means that coins of a protocol cannot be restored.
var ErrNoRestore = errors.New("coins of this protocol cannot be restored")

// Restorer restores, in the background, the coins that were active when the node last ran. It
// retries failures with growing pauses, since nodes may come back. A coin that is no longer in the
// coins file waits until the user disables it.
type Restorer struct {
	Active   *Active
	Registry *Registry
	// Kinds has, for each protocol, the function that restores one coin, from Active.Restore to
	// Commit. It returns the errors of Active.Restore, of the coin's entry and of its nodes.
	Kinds map[ProtocolType]func(context.Context, SavedCoin) error
	// Started is called with the coins that Run restores, if there are any. Restored is called
	// with each coin that is active again. Failed is called with each failure, once if it
	// repeats. Each function may be nil.
	Started  func(tickers []string)
	Restored func(ticker string)
	Failed   func(ticker string, err error)
}

// Run restores the coins until all are active or ctx ends: platforms concurrently, and a platform's
// tokens after it.
func (r *Restorer) Run(ctx context.Context) error {
	var group sync.WaitGroup
	defer group.Wait()
	all := r.Active.Saved()
	r.begun(all)
	for _, saved := range all {
		if saved.Platform == "" {
			group.Go(func() { r.family(ctx, Canonical(saved.Ticker)) })
		}
	}
	return nil
}

func (r *Restorer) begun(all []SavedCoin) {
	if r.Started == nil || len(all) == 0 {
		return
	}
	tickers := make([]string, len(all))
	for n, saved := range all {
		tickers[n] = saved.Ticker
	}
	r.Started(tickers)
}

// family restores a platform and its tokens.
func (r *Restorer) family(ctx context.Context, platform string) {
	reported := make(map[string]string) // last failure by ticker
	for pause := firstPause; ctx.Err() == nil; pause = min(2*pause, lastPause) {
		members := r.members(platform)
		if len(members) == 0 {
			return
		}
		before := r.Active.lives(platform)
		for _, saved := range members {
			err := guard.Do(ctx, "restoring a coin", func() error { return r.one(ctx, saved) })
			r.Active.attempted(saved.Ticker, err)
			if err != nil && ctx.Err() == nil && r.Failed != nil && reported[saved.Ticker] != err.Error() {
				reported[saved.Ticker] = err.Error()
				r.Failed(saved.Ticker, err)
			}
			if err != nil && saved.Platform == "" {
				break
			}
		}
		if !before {
			r.Active.rest(ctx, platform, pause)
			continue
		}
		timer := time.NewTimer(pause) // the platform is active, so that there is no event to wait for
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
	}
}

// attempted records why a coin could not be restored. It does nothing if err is nil.
func (a *Active) attempted(ticker string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.slots[Canonical(ticker)]; s != nil && err != nil {
		s.problem = err.Error()
	}
}

// Waiting lists the coins that List lacks because they are not restored yet. Err is the error of
// the last attempt.
func (a *Active) Waiting() (gaps []Gap) {
	for _, s := range a.ordered((*slot).saved) {
		if !s.record.Passive {
			gaps = append(gaps, Gap{Part: s.record.Ticker, Reason: GapRestoring, Err: s.problem})
		}
	}
	return gaps
}

// members returns the platform and its tokens, as far as they are still to be restored.
func (r *Restorer) members(platform string) (members []SavedCoin) {
	for _, saved := range r.Active.Saved() {
		if saved.Platform == platform || saved.Platform == "" && Canonical(saved.Ticker) == platform {
			members = append(members, saved)
		}
	}
	return members
}

// one restores a coin. It returns nil if another call activates or disables the coin, or has done
// so.
func (r *Restorer) one(ctx context.Context, saved SavedCoin) error {
	entry, err := saved.Entry, error(nil)
	if entry == nil {
		entry, err = r.Registry.Lookup(saved.Ticker)
	}
	if err != nil {
		return err
	}
	protocol, err := entry.Protocol()
	if err != nil {
		return err
	}
	restore := r.Kinds[protocol.Type]
	if restore == nil {
		return fmt.Errorf("%s: %w", protocol.Type, ErrNoRestore)
	}
	err = restore(ctx, saved)
	if err == nil && r.Restored != nil {
		r.Restored(saved.Ticker)
	}
	var platform *PlatformError
	if errors.Is(err, ErrAlreadyActive) || errors.Is(err, ErrNotSaved) || errors.Is(err, ErrPreempted) || errors.As(err, &platform) {
		return nil
	}
	return err
}

// lives reports whether a platform is active in this run, or passive.
func (a *Active) lives(platform string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.slots[platform] != nil && a.slots[platform].live != nil
}

// rest waits for a pause, or less if the platform becomes active, so that its tokens can be
// restored.
func (a *Active) rest(ctx context.Context, platform string, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		a.mu.Lock()
		changed := a.changed
		a.mu.Unlock()
		if a.lives(platform) {
			return
		}
		select {
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		case <-changed:
		}
	}
}

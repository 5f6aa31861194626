package keyring

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"time"

	"obverse/core/chain/wire"
)

// lock is whether secrets may be used. It is a rule and no encryption: the node goes on to
// hold its key, with which it makes blocks.
type lock struct {
	on    bool      // locking is in use
	until time.Time // the secrets may be used before it; zero: never
	ever  bool      // they may be used until Lock
}

func (l lock) locked(now time.Time) bool { return l.on && !l.ever && !now.Before(l.until) }

// Locked reports whether secrets are refused.
func (r *Ring) Locked() bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.lock.locked(r.now())
}

// Lock refuses secrets until Unlock.
func (r *Ring) Lock() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lock = lock{on: true}
}

// Unlock allows secrets until then, and fills the lookahead.
func (r *Ring) Unlock(until time.Time) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lock = lock{on: true, until: until}
	return r.extend()
}

// UnlockedUntil returns when secrets are refused again; zero: they are now. limited reports
// whether there is such a time.
func (r *Ring) UnlockedUntil() (until time.Time, limited bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.lock.locked(r.now()) {
		return time.Time{}, r.lock.on
	}
	return r.lock.until, r.lock.on
}

// coinLocks are coins that payments must not take. They end with the process.
type coinLocks map[wire.OutPoint]bool

// LockCoin keeps payments from taking a coin, or allows it again.
func (r *Ring) LockCoin(out wire.OutPoint, locked bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !locked {
		delete(r.coinLocks, out)
		return
	}
	if r.coinLocks == nil {
		r.coinLocks = coinLocks{}
	}
	r.coinLocks[out] = true
}

// UnlockCoins allows all coins again.
func (r *Ring) UnlockCoins() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.coinLocks = nil
}

// CoinLocked reports whether payments must not take a coin.
func (r *Ring) CoinLocked(out wire.OutPoint) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.coinLocks[out]
}

// LockedCoins lists the coins that payments must not take, by txid bytes and index.
func (r *Ring) LockedCoins() []wire.OutPoint {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.SortedFunc(maps.Keys(r.coinLocks), func(a, b wire.OutPoint) int {
		return cmp.Or(bytes.Compare(a.Hash[:], b.Hash[:]), cmp.Compare(a.Index, b.Index))
	})
}

// SetFeeRate sets the fee of payments until the process ends, in satoshis for 1000 bytes; 0 is the
// automatic one.
func (r *Ring) SetFeeRate(rate int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.feeRate = rate
}

// FeeRate returns what SetFeeRate set.
func (r *Ring) FeeRate() int64 {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.feeRate
}

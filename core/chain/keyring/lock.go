package keyring

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"time"

	"obverse/core/chain/wire"
)

// lock determines whether secrets may be used. It does not encrypt them, since the node keeps
// using its key to make blocks.
type lock struct {
	on    bool      // whether locking is in use
	until time.Time // time until which the secrets may be used; zero means never
	ever  bool      // whether they may be used until Lock
}

func (l lock) locked(now time.Time) bool { return l.on && !l.ever && !now.Before(l.until) }

// Locked reports whether secrets must not be used.
func (r *Ring) Locked() bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.lock.locked(r.now())
}

// Lock prevents the use of secrets until Unlock.
func (r *Ring) Lock() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lock = lock{on: true}
}

// Unlock allows the use of secrets until the given time, and fills the lookahead.
func (r *Ring) Unlock(until time.Time) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lock = lock{on: true, until: until}
	return r.extend()
}

// UnlockedUntil returns the time until which secrets may be used, or zero if they must not be
// used now. limited reports whether there is such a time.
func (r *Ring) UnlockedUntil() (until time.Time, limited bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.lock.locked(r.now()) {
		return time.Time{}, r.lock.on
	}
	return r.lock.until, r.lock.on
}

// coinLocks holds the coins that payments must not spend. It is kept only in memory.
type coinLocks map[wire.OutPoint]bool

// LockCoin prevents or allows the spending of a coin in payments.
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

// UnlockCoins allows the spending of all coins.
func (r *Ring) UnlockCoins() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.coinLocks = nil
}

// CoinLocked reports whether payments must not spend a coin.
func (r *Ring) CoinLocked(out wire.OutPoint) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.coinLocks[out]
}

// LockedCoins returns the coins that payments must not spend, sorted by txid bytes and index.
func (r *Ring) LockedCoins() []wire.OutPoint {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.SortedFunc(maps.Keys(r.coinLocks), func(a, b wire.OutPoint) int {
		return cmp.Or(bytes.Compare(a.Hash[:], b.Hash[:]), cmp.Compare(a.Index, b.Index))
	})
}

// SetFeeRate sets the fee rate of payments until the process ends, in satoshis per 1000 bytes.
// 0 means the automatic fee.
func (r *Ring) SetFeeRate(rate int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.feeRate = rate
}

// FeeRate returns the fee rate that SetFeeRate has set.
func (r *Ring) FeeRate() int64 {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.feeRate
}

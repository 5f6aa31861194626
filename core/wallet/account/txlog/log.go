package txlog

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"obverse/core/store"
	"obverse/core/wallet/coin"
)

// Config is what a Log needs.
type Config struct {
	Store   store.KV
	Prefix  string // of its keys
	Chain   string // chain id
	Address string // of the account
	Now     func() time.Time
	FeeType string
	// Height is the newest block's.
	Height func(context.Context) (uint64, error)
	// TokenID is that of a denom which is not the chain's own.
	TokenID func(denom string) string
	// Gaps are the family's own reasons for which a coin's list may lack transactions; nil: there are
	// none.
	Gaps func(context.Context, View) ([]coin.Gap, error)
	// Load loads what is missing, and reports whether there was anything new.
	Load func(context.Context) (found bool, err error)
	// Passing reports whether an error is one of a node that lags a little behind the last one;
	// nil: there are none.
	Passing error
	Delay   time.Duration // after a wake: nodes index a block a little later than they announce it
	// Interval is the time between looks without a wake. 0: five minutes.
	Interval time.Duration
}

// Log is the history of an account, of all its denoms. It may be used from many
// goroutines; one at a time may write the history of an account.
type Log struct {
	Tables
	Account string // begins its keys
	c       Config

	failures int // of Run, in a row

	wake chan struct{}

	mu       sync.Mutex
	state    coin.SyncStatus
	since    uint64    // lowest block that nodes have; 0: not known
	checked  time.Time // when the nodes had nothing new; zero: not in this run
	watchers map[*watcher]struct{}
}

// New makes a Log. It reads and starts nothing.
func New(c Config) *Log {
	return &Log{Tables: NewTables(c.Prefix), Account: accountKey(c.Chain, c.Address), c: c, wake: make(chan struct{}, 1),
		state: coin.SyncStatus{State: coin.SyncNotStarted}, watchers: make(map[*watcher]struct{})}
}

// Times of loading.
const (
	Again      = 5 * time.Second  // after a wake that found nothing
	Interval   = 5 * time.Minute  // between looks without a wake
	Stale      = 30 * time.Second // a read of a history that was checked longer ago than this wakes
	firstRetry = 2 * time.Second  // after the first failure, twice as long after each further one
	MaxRetry   = 5 * time.Minute  // between attempts
)

// MaxLagFailures is how many failures in a row may be due to a node that lags behind, and
// MaxAloneFailures how many there are, in two minutes, before one server is believed alone that
// something arrived, while all others are silent.
const (
	MaxLagFailures   = 3
	MaxAloneFailures = 6
)

// Wake announces that there may be new transactions. It waits for nothing, and any number
// of calls before the nodes are asked are one.
func (l *Log) Wake() {
	select {
	case l.wake <- struct{}{}:
	default: // it is awake
	}
}

// Status reports how far the history is loaded.
func (l *Log) Status() coin.SyncStatus {
	s, _ := l.Loaded()
	return s
}

// Loaded is Status, and the lowest block that nodes still have; 0: all, or it is not known.
func (l *Log) Loaded() (s coin.SyncStatus, startsAt uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.since > 1 {
		startsAt = l.since
	}
	return l.state, startsAt
}

// refresh wakes if the last look was long ago.
func (l *Log) refresh() {
	l.mu.Lock()
	old := !l.checked.IsZero() && l.c.Now().Sub(l.checked) >= Stale
	l.mu.Unlock()
	if old {
		l.Wake()
	}
}

// Run loads what is missing, and then what is new, until ctx ends. A failure of nodes
// or of the store shows in Status and is tried again, ever more rarely.
func (l *Log) Run(ctx context.Context) error {
	woken := false
	for {
		found, err := l.c.Load(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			// A node that lags a little behind the last one is no news.
			if l.failures >= MaxLagFailures || l.c.Passing == nil || !errors.Is(err, l.c.Passing) {
				l.Set(coin.SyncStatus{State: coin.SyncFailed, Message: err.Error()})
			}
			Sleep(ctx, backoff(l.failures), nil)
			l.failures++
			continue
		}
		l.failures = 0
		wait := cmp.Or(l.c.Interval, Interval)
		if woken && !found {
			wait = Again
		}
		if woken = Sleep(ctx, wait, l.wake); woken {
			Sleep(ctx, l.c.Delay, nil)
			select {
			case <-l.wake: // meanwhile: it is the same
			default:
			}
		}
	}
}

// backoff is the time to wait after a failure that n others came before.
func backoff(n int) time.Duration {
	return min(firstRetry<<min(n, 16), MaxRetry)
}

// Sleep waits, and reports whether it was woken.
func Sleep(ctx context.Context, d time.Duration, wake <-chan struct{}) (woken bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-wake:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// Set changes what Status reports.
func (l *Log) Set(s coin.SyncStatus) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state = s
	if s.State == coin.SyncFinished {
		l.checked = l.c.Now()
	}
}

// Progress is Set while the history is loaded: one that was finished stays so while nothing
// is known to be missing.
func (l *Log) Progress(left uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if left > 0 || l.state.State != coin.SyncFinished {
		l.state = coin.SyncStatus{State: coin.SyncInProgress, Left: left}
	}
}

// Blocks is Progress for those who search blocks: how many are left.
func (l *Log) Blocks(left uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state = coin.SyncStatus{State: coin.SyncInProgress, Blocks: left}
}

// StartsAt sets the lowest block that nodes still have; 0: all, or it is not known.
func (l *Log) StartsAt(height uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.since = height
}

// Failures are those of Run in a row; Load may ask.
func (l *Log) Failures() int { return l.failures }

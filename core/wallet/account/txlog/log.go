package txlog

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"obverse/core/store"
	"obverse/core/store/table"
	"obverse/core/wallet/coin"
)

// Config configures a Log.
type Config struct {
	Store   store.KV
	Prefix  string // of its keys
	Chain   string // chain id
	Address string // of the account
	Now     func() time.Time
	FeeType string
	// Height returns the height of the newest block.
	Height func(context.Context) (uint64, error)
	// TokenID returns the id of a denom other than the chain's own.
	TokenID func(denom string) string
	// Gaps, if not nil, returns the family's own reasons for which a coin's list may lack
	// transactions.
	Gaps func(context.Context, View) ([]coin.Gap, error)
	// Load loads missing transactions, and reports whether it found any.
	Load func(context.Context) (found bool, err error)
	// Passing, if not nil, is the error of a node that lags a little behind the node that was
	// queried before. Run does not report it until it repeats.
	Passing error
	Delay   time.Duration // time to wait after a wake, since nodes index a block a little later than they announce it
	// Interval is the time between two loads without a wake. 0 means five minutes.
	Interval time.Duration
}

// Log is the history of an account, with all its denoms. It is safe for concurrent use, but only
// one goroutine at a time may write the history of an account.
type Log struct {
	Tables
	Account string // prefix of its keys
	c       Config

	failures int // number of failures of Run in a row

	wake chan struct{}

	mu       sync.Mutex
	state    coin.SyncStatus
	since    uint64    // lowest block that nodes have; 0 means unknown
	checked  time.Time // when the nodes last had nothing new; zero if not in this run
	watchers map[*watcher]struct{}
}

// New returns a Log. It neither reads the store nor starts loading.
func New(c Config) *Log {
	return &Log{Tables: NewTables(c.Prefix), Account: accountKey(c.Chain, c.Address), c: c, wake: make(chan struct{}, 1),
		state: coin.SyncStatus{State: coin.SyncNotStarted}, watchers: make(map[*watcher]struct{})}
}

// Times of loading.
const (
	Again      = 5 * time.Second  // after a wake that found nothing
	Interval   = 5 * time.Minute  // between two loads without a wake
	Stale      = 30 * time.Second // a read of a history that was checked longer ago wakes Run
	firstRetry = 2 * time.Second  // after the first failure, twice as long after each further one
	MaxRetry   = 5 * time.Minute  // between attempts
)

// MaxLagFailures is the number of failures in a row that may be due to a node that lags behind.
// MaxAloneFailures is the number of failures, over two minutes, after which a single server is
// believed that something arrived while all others are silent.
const (
	MaxLagFailures   = 3
	MaxAloneFailures = 6
)

// Wake announces that there may be new transactions. It does not block. Calls before the next load
// are combined.
func (l *Log) Wake() {
	select {
	case l.wake <- struct{}{}:
	default: // Run is awake already
	}
}

// Status returns the state of loading the history.
func (l *Log) Status() coin.SyncStatus {
	s, _ := l.Loaded()
	return s
}

// Loaded returns the Status, and the lowest block that nodes still have; 0 means all, or unknown.
func (l *Log) Loaded() (s coin.SyncStatus, startsAt uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.since > 1 {
		startsAt = l.since
	}
	return l.state, startsAt
}

// refresh wakes Run if the last load was long ago.
func (l *Log) refresh() {
	l.mu.Lock()
	old := !l.checked.IsZero() && l.c.Now().Sub(l.checked) >= Stale
	l.mu.Unlock()
	if old {
		l.Wake()
	}
}

// Run loads missing and then new transactions until ctx ends. Status reports a failure of nodes or
// of the store, and Run retries with growing pauses.
func (l *Log) Run(ctx context.Context) error {
	woken := false
	for {
		found, err := l.c.Load(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			// A node that lags a little behind the previous one is not reported.
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
			case <-l.wake: // discard a wake during the load
			default:
			}
		}
	}
}

// backoff returns the time to wait after n+1 failures in a row.
func backoff(n int) time.Duration {
	return min(firstRetry<<min(n, 16), MaxRetry)
}

// Sleep waits for a time, or until ctx ends, and reports whether it was woken.
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

// Set sets the Status.
func (l *Log) Set(s coin.SyncStatus) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state = s
	if s.State == coin.SyncFinished {
		l.checked = l.c.Now()
	}
}

// Progress sets the Status while the history is loaded. A finished history stays finished while no
// transaction is known to be missing.
func (l *Log) Progress(left uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if left > 0 || l.state.State != coin.SyncFinished {
		l.state = coin.SyncStatus{State: coin.SyncInProgress, Left: left}
	}
}

// Blocks is like Progress for families that search blocks, with the number of blocks left.
func (l *Log) Blocks(left uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state = coin.SyncStatus{State: coin.SyncInProgress, Blocks: left}
}

// StartsAt sets the lowest block that nodes still have; 0 means all, or unknown.
func (l *Log) StartsAt(height uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.since = height
}

// Failures returns the number of failures of Run in a row. It is for Load.
func (l *Log) Failures() int { return l.failures }

// watcher receives new transactions of a coin.
type watcher struct {
	view   View
	report func(tx coin.Transaction, height uint64)
}

// Watch calls report with each transaction of a coin once it is stored, until stop is called.
// report must not block, since loading waits for it.
func (l *Log) Watch(v View, report func(tx coin.Transaction, height uint64)) (stop func()) {
	w := &watcher{v, report}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watchers[w] = struct{}{}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.watchers, w)
	}
}

func (l *Log) watching() (list []*watcher) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for w := range l.watchers {
		list = append(list, w)
	}
	return list
}

// Notify passes stored transactions to the watchers, the oldest first. It skips transactions
// that cannot be read now, since clients find them in the history.
func (l *Log) Notify(ctx context.Context, txs []Record) {
	watchers := l.watching()
	if len(watchers) == 0 || len(txs) == 0 {
		return
	}
	height, err := l.c.Height(ctx)
	if err != nil {
		return
	}
	for _, tx := range txs {
		entries, err := l.Entries.List(ctx, l.c.Store, table.Prefixed(ByPlace, l.Account+place(tx.Height, tx.Index)))
		if err != nil {
			return
		}
		for _, e := range entries {
			for _, w := range watchers {
				if w.view.Denom != e.Denom {
					continue
				}
				if tx, err := l.show(ctx, l.c.Store, w.view, e); err == nil {
					w.report(tx, height)
				}
			}
		}
	}
}

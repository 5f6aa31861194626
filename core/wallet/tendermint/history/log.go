package history

import (
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
	Source  Source
	Chain   string // chain id
	Address string // of the account, in bech32
	Now     func() time.Time
}

// Log is the history of an account, of all its denoms. It may be used from many
// goroutines; one at a time may write the history of an account.
type Log struct {
	c       Config
	account string
	t       tables
	size    int           // transactions of a page of a search
	pause   time.Duration // between pages

	failures int // of Run, in a row

	wake chan struct{}

	mu      sync.Mutex
	state   coin.SyncStatus
	since   uint64    // lowest block that nodes have; 0: not known
	asked   bool      // for it, in this run
	checked time.Time // when the nodes had nothing new; zero: not in this run

	watchers map[*watcher]struct{}
}

// New makes a Log. It reads and starts nothing.
func New(c Config) *Log {
	return &Log{c: c, account: account(c.Chain, c.Address), t: newTables(), size: perPage, pause: pause, wake: make(chan struct{}, 1),
		watchers: map[*watcher]struct{}{}, state: coin.SyncStatus{State: coin.SyncNotStarted}}
}

// Times of loading.
const (
	pause      = 200 * time.Millisecond // between pages
	indexDelay = time.Second            // after a wake: nodes index a block a little later than they tell of it
	again      = 5 * time.Second        // after a wake that found nothing
	interval   = 5 * time.Minute        // between looks when nobody wakes
	stale      = 30 * time.Second       // whoever reads a history that was checked longer ago than this wakes
	firstRetry = 2 * time.Second        // after the first failure, twice as long after each further one
	maxRetry   = 5 * time.Minute        // between attempts
)

const (
	maxParallel    = 3 // times of blocks that are asked for at once
	maxLagFailures = 3 // failures in a row that may be due to a node that lags behind
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
	s, _ := l.status()
	return s
}

func (l *Log) status() (s coin.SyncStatus, startsAt uint64) {
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
	old := !l.checked.IsZero() && l.c.Now().Sub(l.checked) >= stale
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
		found, err := l.load(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			// A node that lags a little behind the last one is no news.
			if l.failures >= maxLagFailures || !errors.Is(err, errBehind) {
				l.set(coin.SyncStatus{State: coin.SyncFailed, Message: err.Error()})
			}
			l.sleep(ctx, backoff(l.failures), nil)
			l.failures++
			continue
		}
		l.failures = 0
		wait := interval
		if woken && !found {
			wait = again
		}
		if woken = l.sleep(ctx, wait, l.wake); woken {
			l.sleep(ctx, indexDelay, nil)
			select {
			case <-l.wake: // meanwhile: it is the same
			default:
			}
		}
	}
}

// backoff is the time to wait after a failure that n others came before.
func backoff(n int) time.Duration {
	return min(firstRetry<<min(n, 16), maxRetry)
}

// sleep waits, and reports whether it was woken.
func (*Log) sleep(ctx context.Context, d time.Duration, wake <-chan struct{}) (woken bool) {
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

func (l *Log) set(s coin.SyncStatus) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state = s
	if s.State == coin.SyncFinished {
		l.checked = l.c.Now()
	}
}

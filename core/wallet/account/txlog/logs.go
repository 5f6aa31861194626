package txlog

import (
	"context"
	"fmt"
	"sync"

	"obverse/core/guard"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/hd"
)

// MaxLogs limits the histories of a Logs, since each of them is loaded all the time.
const MaxLogs = 100

// ErrTooManyLogs means that the limit of histories is reached.
var ErrTooManyLogs = fmt.Errorf("histories of %d addresses are loaded, which is the limit", MaxLogs)

// Logs holds the histories of the addresses of an HD wallet other than the coin's own. Each
// history is opened on first use, and loaded from then on while Run runs. It is safe for
// concurrent use.
type Logs struct {
	open  func(address string) *Log
	added chan struct{} // holds one if begun is not empty

	mu    sync.Mutex
	logs  map[string]*Log // by address
	begun []*Log          // to be run by Run
}

// NewLogs returns a Logs that opens histories with open.
func NewLogs(open func(address string) *Log) *Logs {
	return &Logs{open: open, added: make(chan struct{}, 1), logs: map[string]*Log{}}
}

// Log returns the history of an address. The error is ErrTooManyLogs.
func (s *Logs) Log(address string) (*Log, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.logs[address]; l != nil {
		return l, nil
	}
	if len(s.logs) >= MaxLogs {
		return nil, ErrTooManyLogs
	}
	l := s.open(address)
	s.logs[address], s.begun = l, append(s.begun, l)
	select {
	case s.added <- struct{}{}:
	default: // Run is notified already
	}
	return l, nil
}

// History returns a page of the history of a known address of an HD wallet.
func (s *Logs) History(ctx context.Context, wallet hd.View, from coin.From, v View, ask coin.HistoryQuery) (coin.History, error) {
	address, err := wallet.AddressAt(ctx, from)
	if err != nil {
		return coin.History{}, err
	}
	log, err := s.Log(address)
	if err != nil {
		return coin.History{}, &coin.InvalidError{Field: coin.FieldFrom, Reason: err}
	}
	return log.History(ctx, v, ask)
}

// Wake calls Log.Wake for all histories.
func (s *Logs) Wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.logs {
		l.Wake()
	}
}

// Run loads the histories until ctx ends.
func (s *Logs) Run(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	for {
		for _, l := range s.take() {
			running.Go(func() { _ = guard.Do(ctx, "a history", func() error { return l.Run(ctx) }) }) // guard reports a panic
		}
		select {
		case <-s.added:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *Logs) take() []*Log {
	s.mu.Lock()
	defer s.mu.Unlock()
	begun := s.begun
	s.begun = nil
	return begun
}

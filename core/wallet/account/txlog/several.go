package txlog

import (
	"context"
	"fmt"
	"sync"

	"obverse/core/guard"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/hd"
)

// MaxSeveral bounds the histories of a Several: each is loaded from nodes all the time.
const MaxSeveral = 100

// ErrSeveral says that there are as many histories as there may be.
var ErrSeveral = fmt.Errorf("histories of %d addresses are loaded, which is the limit", MaxSeveral)

// Several are the histories of addresses of an HD wallet beside the coin's own. Each is made when
// it is asked for, and loaded from then on while Run runs. It may be used from many goroutines.
type Several struct {
	open  func(address string) *Log
	added chan struct{} // holds one if begun is not empty

	mu    sync.Mutex
	logs  map[string]*Log // by address
	begun []*Log          // which Run has to run
}

// NewSeveral makes them of what opens one.
func NewSeveral(open func(address string) *Log) *Several {
	return &Several{open: open, added: make(chan struct{}, 1), logs: map[string]*Log{}}
}

// Of is the history of an address. The error is ErrSeveral.
func (s *Several) Of(address string) (*Log, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.logs[address]; l != nil {
		return l, nil
	}
	if len(s.logs) >= MaxSeveral {
		return nil, ErrSeveral
	}
	l := s.open(address)
	s.logs[address], s.begun = l, append(s.begun, l)
	select {
	case s.added <- struct{}{}:
	default: // Run looks anyway
	}
	return l, nil
}

// History reads the history of a known address of an HD wallet.
func (s *Several) History(ctx context.Context, wallet hd.View, of coin.From, v View, ask coin.HistoryQuery) (coin.History, error) {
	address, err := wallet.AddressAt(ctx, of)
	if err != nil {
		return coin.History{}, err
	}
	log, err := s.Of(address)
	if err != nil {
		return coin.History{}, &coin.InvalidError{Field: coin.FieldFrom, Reason: err}
	}
	return log.History(ctx, v, ask)
}

// Wake is Log.Wake of all.
func (s *Several) Wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.logs {
		l.Wake()
	}
}

// Run loads the histories until ctx ends.
func (s *Several) Run(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	for {
		for _, l := range s.take() {
			running.Go(func() { _ = guard.Do(ctx, "a history", func() error { return l.Run(ctx) }) }) // a panic is reported by guard
		}
		select {
		case <-s.added:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *Several) take() []*Log {
	s.mu.Lock()
	defer s.mu.Unlock()
	begun := s.begun
	s.begun = nil
	return begun
}

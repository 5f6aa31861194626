package nodepool

import (
	"context"
	"errors"
	"fmt"
	"time"

	"obverse/core/net/fetch"
)

const (
	// firstRest is how long a node rests after its first fault; after each more in a
	// row it is twice as long, up to longestRest.
	firstRest   = 2 * time.Second
	longestRest = 5 * time.Minute
	// foreignRest is that of a node on another chain, which rarely changes its mind.
	foreignRest = 10 * time.Minute
	// longestWait is the most that a node may ask to be left alone.
	longestWait = time.Hour
	// stale is the age at which a height says nothing any more.
	stale = time.Minute
	// heardFor is how long nodes should know of a block that an event told of.
	heardFor = 30 * time.Second
)

// node is a node and what is known of it. The pool's mutex guards what changes.
type node struct {
	Node
	place    int // in the user's order
	at       Endpoint
	socketAt Endpoint

	verified bool     // it has said that it is on the chain, and has not failed since
	standing Standing // when it was verified
	checked  time.Time
	fault    error // why it rests; nil: it is sound, or nothing is known
	faults   int   // in a row
	rest     time.Time
	asked    bool      // rest is the node's own wish
	sighting           // what it told last, unless it cannot be true
	past     sighting  // one that it has fallen back from
	told     int64     // the last height that it told
	rose     time.Time // when that was higher than before, or the first
	grown    bool      // it was the former
	rank     rank      // what the others make of it
	doubt    string    // why, for people; "": nothing is wrong
	pace     pace
	single   bool // it takes no batches
}

// succeed notes an answer.
func (p *Pool) succeed(n *node, q Question, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n.fault, n.faults, n.rest, n.asked = nil, 0, time.Time{}, false
	if q.Hedge == 0 {
		n.pace.note(took)
	}
}

// fail notes that a node gave no answer.
func (p *Pool) fail(n *node, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	rest := min(firstRest<<min(n.faults, 10), longestRest)
	n.faults++
	n.fault, n.verified, n.asked = err, false, false
	var status *StatusError
	var foreign *WrongChainError
	switch {
	case errors.As(err, &foreign):
		rest = foreignRest
	case errors.As(err, &status) && (status.Wait > 0 || status.Status == 429):
		rest, n.asked = min(max(rest, status.Wait), longestWait), true
	}
	n.rest = p.config.Now().Add(rest)
	p.look()
}

// look makes Run look at the nodes again.
func (p *Pool) look() {
	select {
	case p.soon <- struct{}{}:
	default:
	}
}

// abandon notes that an answer was not waited for any longer.
func (p *Pool) abandon(n *node, q Question, after time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if q.Hedge == 0 && after >= n.pace.hedge() {
		n.pace.note(after)
	}
}

// verify asks a node for its chain. Those who ask at the same time share the answer.
func (p *Pool) verify(ctx context.Context, n *node) error {
	_, err := p.cache.Get(ctx, fetch.Question{Quantity: "verify", Key: n.at.URL + " " + n.at.Authorization}, 0, func(ctx context.Context) (any, error) {
		q := p.config.Greeting
		q.Refine = func(refused *RPCError) (any, error) { // which is no answer to whoever asks something else
			return nil, fmt.Errorf("%w: method %s: %v", ErrAnswer, q.Method, refused)
		}
		answer, err := p.time(ctx, n, q)
		if err != nil {
			return nil, err
		}
		standing, is := answer.value.(Standing)
		if !is {
			err := fmt.Errorf("%w: it has no health status", ErrAnswer)
			p.fail(n, err)
			return nil, err
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		n.verified, n.standing, n.checked = true, standing, p.config.Now()
		p.judge(n.checked)
		return nil, nil
	})
	return err
}

// answered is what a node answered.
type answered struct {
	value any
	rank  rank // of the node, by the height that it answers with
	told  bool // it was asked, and not only for its chain
}

// time asks one node and notes how it does.
func (p *Pool) time(ctx context.Context, n *node, q Question) (answered, error) {
	begin := p.config.Now()
	limited, cancel := context.WithTimeout(ctx, q.Patience)
	defer cancel()
	value, height, err := p.exchange(limited, n, q)
	took := p.config.Now().Sub(begin)
	switch {
	case err != nil && ctx.Err() != nil:
		p.abandon(n, q, took)
		return answered{}, err
	case err != nil && !isAnswer(err):
		p.fail(n, err)
		return answered{}, err
	}
	p.succeed(n, q, took)
	return answered{value: value, rank: p.see(n, height)}, err
}

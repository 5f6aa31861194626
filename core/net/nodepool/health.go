package nodepool

import (
	"context"
	"errors"
	"fmt"
	"time"

	"obverse/core/net/fetch"
)

const (
	// minPause is how long a node rests after its first fault; after each more in a
	// row it is twice as long, up to maxPause.
	minPause = 2 * time.Second
	maxPause = 5 * time.Minute
	// wrongChainPause is that of a node on another chain, which rarely changes its mind.
	wrongChainPause = 10 * time.Minute
	// maxRetryAfter is the most that a node may ask to be left alone.
	maxRetryAfter = time.Hour
	// stale is the age at which a height says nothing any more.
	stale = time.Minute
	// announcedTTL is how long nodes should know of a block that an event told of.
	announcedTTL = 30 * time.Second
)

// node is a node and what is known of it. The pool's mutex guards what changes.
type node struct {
	Node
	place    int // in the user's order
	at       Endpoint
	socketAt Endpoint

	verified      bool   // it has said that it is on the chain, and has not failed since
	standing      Health // when it was verified
	checked       time.Time
	fault         error // why it rests; nil: it is sound, or nothing is known
	faults        int   // in a row
	retryAt       time.Time
	asked         bool        // rest is the node's own wish
	observation               // what it told last, unless it cannot be true
	past          observation // one that it has fallen back from
	reported      int64       // the last height that it told
	advancedAt    time.Time   // when that was higher than before, or the first
	advanced      bool        // it was the former
	rank          rank        // what the others make of it
	heightProblem string      // why, for people; "": nothing is wrong
	pace          pace
	single        bool // it takes no batches
}

// succeed notes an answer.
func (p *Pool) succeed(n *node, q Question, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n.fault, n.faults, n.retryAt, n.asked = nil, 0, time.Time{}, false
	if q.Hedge == 0 {
		n.pace.note(took)
	}
}

// fail notes that a node gave no answer.
func (p *Pool) fail(n *node, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	rest := min(minPause<<min(n.faults, 10), maxPause)
	n.faults++
	n.fault, n.verified, n.asked = err, false, false
	var status *StatusError
	var foreign *WrongChainError
	switch {
	case errors.As(err, &foreign):
		rest = wrongChainPause
	case errors.As(err, &status) && (status.Wait > 0 || status.Status == 429):
		rest, n.asked = min(max(rest, status.Wait), maxRetryAfter), true
	}
	n.retryAt = p.config.Now().Add(rest)
	p.wake()
}

// wake makes Run look at the nodes again.
func (p *Pool) wake() {
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
		q := p.config.HealthCheck
		q.Refine = func(refused *RPCError) (any, error) { // which is no answer to whoever asks something else
			return nil, fmt.Errorf("%w: method %s: %v", ErrAnswer, q.Method, refused)
		}
		answer, err := p.time(ctx, n, q)
		if err != nil {
			return nil, err
		}
		standing, is := answer.value.(Health)
		if !is {
			err := fmt.Errorf("%w: it has no health status", ErrAnswer)
			p.fail(n, err)
			return nil, err
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		n.verified, n.standing, n.checked = true, standing, p.config.Now()
		p.rankNodes(n.checked)
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
	limited, cancel := context.WithTimeout(ctx, q.Timeout)
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
	return answered{value: value, rank: p.recordHeight(n, height)}, err
}

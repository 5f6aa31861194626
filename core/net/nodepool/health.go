package nodepool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"obverse/core/net/fetch"
)

const (
	// minPause is how long a node is not asked after its first fault; each further one in
	// a row doubles the pause, up to maxPause.
	minPause = 2 * time.Second
	maxPause = 5 * time.Minute
	// wrongChainPause is the pause of a node on another chain, which rarely changes.
	wrongChainPause = 10 * time.Minute
	// maxRetryAfter is the longest Retry-After that is respected, and maxLoneRetryAfter
	// the longest one of a node that no other can replace.
	maxRetryAfter     = time.Hour
	maxLoneRetryAfter = 5 * time.Minute
	// stale is the age from which a height is ignored.
	stale = time.Minute
	// announcedTTL is how long nodes are expected to have a block that an event announced.
	announcedTTL = 30 * time.Second
)

// node is a node and its state. The pool's mutex guards the state.
type node struct {
	Node
	index    int    // in the user's order
	server   string // see Endpoint.server
	at       Endpoint
	socketAt Endpoint
	sockets  sockets // to at, of a node with a websocket for JSON-RPC

	verified      bool   // it passed the health check, and has not failed since
	health        Health // when it was verified
	checked       time.Time
	fault         error     // why it is paused; nil: it is healthy or unknown
	faults        int       // in a row
	failing       time.Time // of the first of them
	retryAt       time.Time
	suspended     bool        // the node asked for the pause (Retry-After)
	observation               // last height, unless implausible
	previous      observation // higher one, before its height went down
	reported      int64       // last height that it reported
	advancedAt    time.Time   // when reported last increased, or was first set
	advanced      bool        // reported has increased since
	rank          rank        // by the heights of the others
	heightProblem string      // reason for the rank, for people; "": none
	pace          pace
	single        bool               // it supports no batches
	refusing      map[string]refusal // by method and quantity
}

// succeed records an answer.
func (p *Pool) succeed(n *node, q Question, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n.fault, n.faults, n.retryAt, n.suspended = nil, 0, time.Time{}, false
	if q.Hedge == 0 {
		n.pace.note(took)
	}
}

// fail records a fault. A StatusError then has the pause that is kept.
func (p *Pool) fail(n *node, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	rest := min(minPause<<min(n.faults, 10), maxPause)
	if n.faults++; n.faults == 1 {
		n.failing = p.config.Now()
	}
	n.fault, n.verified, n.suspended = err, false, false
	var status *StatusError
	var limit *LimitError
	var foreign *WrongChainError
	switch {
	case errors.As(err, &foreign):
		rest = wrongChainPause
	case errors.As(err, &limit):
		n.suspended = true
	case errors.As(err, &status) && (status.Wait > 0 || status.Status == 429):
		longest := maxLoneRetryAfter
		if slices.ContainsFunc(p.nodes, func(other *node) bool { return other != n && other.fault == nil }) {
			longest = maxRetryAfter
		}
		rest, n.suspended = min(max(rest, status.Wait), longest), true
		if status.Wait > 0 {
			status.Wait = rest
		}
	}
	n.retryAt = p.config.Now().Add(rest)
	p.wake()
}

// wake makes Run check the nodes.
func (p *Pool) wake() {
	select {
	case p.wakeUp <- struct{}{}:
	default:
	}
}

// abandon records that the pool stopped waiting for an answer.
func (p *Pool) abandon(n *node, q Question, after time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if q.Hedge == 0 && after >= n.pace.hedge() {
		n.pace.note(after)
	}
}

// verify runs the health check of a node. Concurrent callers share one.
func (p *Pool) verify(ctx context.Context, n *node) error {
	_, err := p.cache.Get(ctx, fetch.Question{Quantity: "verify", Key: n.at.URL + " " + n.at.Authorization}, 0, func(ctx context.Context) (any, error) {
		q := p.config.HealthCheck
		q.Refine = func(refused *RPCError) (any, error) { // which does not answer other questions
			return nil, fmt.Errorf("%w: method %s: %v", ErrAnswer, q.Method, refused)
		}
		answer, err := p.ask(ctx, n, q)
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
		n.verified, n.health, n.checked = true, standing, p.config.Now()
		p.rankNodes(n.checked)
		return nil, nil
	})
	return err
}

// answered is the answer of a node.
type answered struct {
	value any
	rank  rank // of the node, by the height that it answers with
	sent  bool // the question itself was sent, not only the health check
}

// ask asks one node and records the result.
func (p *Pool) ask(ctx context.Context, n *node, q Question) (answered, error) {
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

// Probe asks every node, side by side, for its chain, and waits until all have answered,
// or for a second after the first good answer. It gives the nodes that are left out,
// with the reasons: those that did not answer, those on another chain and those whose URLs
// cannot be used. If all are
// left out it fails with an *UnreachableError.
func (p *Pool) Probe(ctx context.Context) ([]Attempt, error) {
	probing, cancel := context.WithCancel(ctx)
	defer cancel() // late requests; the nodes are asked again when needed, or by Run
	results := make(chan error, len(p.nodes))
	for _, n := range p.nodes {
		go func() { results <- p.verify(probing, n) }()
	}
	var late <-chan time.Time
	for range p.nodes {
		select {
		case err := <-results:
			if err == nil && late == nil {
				late = time.After(grace)
			}
			continue
		case <-late:
		case <-ctx.Done():
		}
		break
	}
	var out []Attempt
	sound := false
	for i, s := range p.states() {
		if s.Healthy {
			sound = true
			continue
		}
		out = append(out, p.left()[i])
	}
	for _, bad := range p.bad {
		out = append(out, Attempt{bad.URL, bad.Reason, bad})
	}
	if !sound {
		return nil, &UnreachableError{out, ctx.Err()}
	}
	return out, nil
}

// Run checks the nodes until ctx ends: failed ones after their pause, and from time to time
// those with a height that the others contradict or that is stale. Without Run they are asked
// again only when no better node is left.
func (p *Pool) Run(ctx context.Context) error {
	for {
		due, next := p.due()
		var checks sync.WaitGroup
		for _, n := range due {
			checks.Go(func() { _ = p.verify(ctx, n) }) // verify records the result
		}
		checks.Wait()
		if len(due) > 0 && ctx.Err() == nil {
			continue
		}
		timer := time.NewTimer(next)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-p.wakeUp:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// due returns the nodes to check now, and when to check again.
func (p *Pool) due() (due []*node, next time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, next := p.config.Now(), never
	doubted := slices.ContainsFunc(p.nodes, func(n *node) bool { return n.rank != level })
	for _, n := range p.nodes {
		var at time.Time
		switch {
		case !n.verified:
			at = n.retryAt
		case n.rank != level || doubted && now.Sub(n.observation.at) >= stale:
			at = n.checked.Add(stale)
		default:
			continue
		}
		if wait := at.Sub(now); wait > 0 {
			next = min(next, wait)
		} else {
			due = append(due, n)
		}
	}
	return due, next
}

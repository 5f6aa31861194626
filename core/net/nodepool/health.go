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
	// minPause is the pause of a node after its first fault. Each further consecutive fault
	// doubles the pause, up to maxPause.
	minPause = 2 * time.Second
	maxPause = 5 * time.Minute
	// wrongChainPause is the pause of a node on another chain, which rarely changes.
	wrongChainPause = 10 * time.Minute
	// maxRetryAfter is the longest Retry-After that is respected, and maxLoneRetryAfter the
	// longest one of a node that no other node can replace.
	maxRetryAfter     = time.Hour
	maxLoneRetryAfter = 5 * time.Minute
	// stale is the age from which a height is ignored.
	stale = time.Minute
	// announcedTTL is how long nodes are expected to have a block that an event announced.
	announcedTTL = 30 * time.Second
)

// node is a node with its state, which the pool's mutex guards.
type node struct {
	Node
	index    int    // index in the user's order
	server   string // result of Endpoint.server
	at       Endpoint
	socketAt Endpoint
	sockets  sockets // connections for JSON-RPC, if at is a websocket URL

	reached       bool   // whether it has ever responded to a request, even with an error
	verified      bool   // whether it has passed the health check and has not failed since
	health        Health // result of the last health check
	checked       time.Time
	behindSince   time.Time // when it began to lack blocks, if it does
	fault         error     // reason for the pause; nil if the node is healthy or unknown
	faults        int       // number of consecutive faults
	failing       time.Time // time of the first of these faults, or of the first one after a silence of the time outage
	failed        time.Time // time of the last of these faults
	retryAt       time.Time
	suspended     bool        // whether the node requested the pause (Retry-After)
	observation               // last height, unless it is implausible
	previous      observation // last higher height, before the height decreased
	reported      int64       // last height in a response
	advancedAt    time.Time   // time when reported last increased, or was first set
	advanced      bool        // whether reported has increased since then
	rank          rank        // by the heights of the other nodes
	heightProblem string      // reason for the rank, or ""
	pace          pace
	single        bool               // it supports no batches
	refusing      map[string]refusal // by method and quantity
}

// succeed records a successful response.
func (p *Pool) succeed(n *node, q Question, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n.fault, n.faults, n.retryAt, n.suspended, n.reached = nil, 0, time.Time{}, false, true
	if q.Hedge == 0 {
		n.pace.note(took)
	}
}

// fail records a fault. It sets the pause in a StatusError to the one that is used.
func (p *Pool) fail(n *node, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	rest := min(minPause<<min(n.faults, 10), maxPause)
	now := p.config.Now()
	if n.faults++; n.faults == 1 || now.Sub(n.retryAt) >= outage || now.Before(n.failed) { // or the clock was set back
		n.failing = now
	}
	n.failed = now
	n.fault, n.verified, n.suspended = err, false, false
	n.reached = n.reached || !errors.Is(err, fetch.ErrUnreachable)
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
	n.retryAt = now.Add(rest)
	p.wake()
}

// hasOutage reports whether the node is known to have been failing for the time outage. A node
// that requested a pause is not asked during the pause, and may be well again after it.
func (n *node) hasOutage(now time.Time) bool {
	known := n.failed
	if !n.suspended {
		known = n.retryAt
		if now.Before(known) {
			known = now
		}
	}
	return known.Sub(n.failing) >= outage
}

// isSyncing reports whether the node lacks blocks, and is not known to have lacked some for the
// time outage.
func (n *node) isSyncing() bool {
	return n.health.Behind && n.checked.Sub(n.behindSince) < outage
}

// wake wakes Run to check the nodes.
func (p *Pool) wake() {
	select {
	case p.wakeUp <- struct{}{}:
	default:
	}
}

// abandon records that the pool stopped waiting for a node.
func (p *Pool) abandon(n *node, q Question, after time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if q.Hedge == 0 && after >= n.pace.hedge() {
		n.pace.note(after)
	}
}

// verify runs the health check of a node. Concurrent callers share one check.
func (p *Pool) verify(ctx context.Context, n *node) error {
	_, err := p.cache.Get(ctx, fetch.Question{Quantity: "verify", Key: n.at.URL + " " + n.at.Authorization}, 0, func(ctx context.Context) (any, error) {
		q := p.config.HealthCheck
		q.Refine = func(refused *RPCError) (any, error) { // a node that refuses the health check cannot be used
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
		now := p.config.Now()
		if standing.Behind && (!n.health.Behind || now.Sub(n.checked) >= outage) { // it may have had all blocks in between
			n.behindSince = now
		}
		n.verified, n.health, n.checked = true, standing, now
		p.rankNodes(n.checked)
		return nil, nil
	})
	return err
}

// answered is the answer of a node.
type answered struct {
	value any
	rank  rank // rank of the node, based on the height in the answer
	sent  bool // whether the question itself was sent, not only the health check
}

// ask sends a question to one node and records the result.
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

// Probe runs the health checks of all nodes concurrently, and waits until all have answered, or
// for one second after the first good answer. It returns the excluded nodes with the reasons:
// nodes that did not answer, nodes on another chain, and nodes with unusable URLs. If all nodes
// are excluded, Probe returns an *UnreachableError.
func (p *Pool) Probe(ctx context.Context) ([]Attempt, error) {
	probing, cancel := context.WithCancel(ctx)
	defer cancel() // cancels late requests; these nodes are asked again when needed, or by Run
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

// Run checks the nodes until ctx ends: failed nodes after their pause, and periodically the
// nodes with a height that is stale or that other nodes contradict. Without Run, such nodes are
// asked again only if no better node is left.
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

// due returns the nodes to check now, and the time until the next check.
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

package nodepool

import (
	"context"
	"slices"
	"sync"
	"time"
)

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
// those whose height the others contradict, together with those whose height is stale.
// Without Run they are asked again only when no better node is left.
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

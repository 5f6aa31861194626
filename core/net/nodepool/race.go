package nodepool

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// grace is the time to wait for better answers once there is an acceptable one.
const grace = time.Second

// race asks the nodes one question in turn. It asks the next node if one fails or is slow. The
// first good answer wins. A write that a node has accepted is also sent to all other nodes,
// without waiting for them, since the acceptance by one node does not prove that the node
// forwards the write.
type race struct {
	pool         *Pool
	q            Question
	untried      []*node // not asked yet, best first
	pending      int     // number of nodes that were asked and have not answered
	last         *node   // node that was asked last
	results      chan outcome
	asking       context.Context // context of the requests
	best         *outcome        // best answer so far that is not final
	failed       []Attempt
	maybeWritten bool // whether a node failed after the write was sent to it, and may have executed the write
}

// outcome is the answer or error of a node.
type outcome struct {
	node *node
	answered
	err error
}

func (p *Pool) race(ctx context.Context, q Question) (any, error) {
	asking, cancel := context.WithCancel(context.WithoutCancel(ctx))
	unlink := context.AfterFunc(ctx, cancel)
	may, not := p.order()
	r := race{pool: p, q: q, untried: may, failed: not, results: make(chan outcome, len(may)), asking: asking}
	answer, err := r.run(ctx)
	if q.Writes && err == nil && unlink() {
		go r.spread(cancel)
		return answer, nil
	}
	cancel() // cancels the requests that are still running
	return answer, err
}

func (r *race) run(ctx context.Context) (any, error) {
	r.start()
	for r.pending > 0 {
		timer := time.NewTimer(r.wait())
		select {
		case o := <-r.results:
			r.pending--
			if r.take(o) {
				timer.Stop()
				return r.result(o)
			}
			r.start()
		case <-timer.C:
			if r.hasFallback() {
				return r.result(*r.best)
			}
			r.start()
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
		timer.Stop()
	}
	if r.best != nil {
		return r.result(*r.best)
	}
	return nil, &UnreachableError{Attempts: r.failed}
}

// spread sends an accepted write to the nodes that were not asked, and waits for all pending
// nodes, at most for the question's timeout.
func (r *race) spread(done context.CancelFunc) {
	defer done()
	for len(r.untried) > 0 {
		r.start()
	}
	for ; r.pending > 0; r.pending-- {
		<-r.results
	}
}

// result returns the result of the race for an outcome. The error for a refused write reports
// if another node may have executed it.
func (r *race) result(o outcome) (any, error) {
	if o.err == nil || !r.q.Writes || !r.maybeWritten {
		return o.value, o.err
	}
	return nil, &UnreachableError{Attempts: append(r.failed, NewAttempt(o.node.at, o.err, r.q.Timeout))}
}

// hasFallback reports whether there is an answer that limits the wait for other answers to
// grace. A refusal by a node counts only if all nodes have been asked, and never for a write.
func (r *race) hasFallback() bool {
	return r.best != nil && (r.best.err == nil || !r.q.Writes && len(r.untried) == 0)
}

// start asks the next node, if there is one.
func (r *race) start() {
	if len(r.untried) == 0 {
		return
	}
	n := r.untried[0]
	r.untried, r.last = r.untried[1:], n
	r.pending++
	go func() {
		answer, err := r.pool.try(r.asking, n, r.q)
		r.results <- outcome{n, answer, err}
	}()
}

// try asks a node, after verifying that it is on the chain.
func (p *Pool) try(ctx context.Context, n *node, q Question) (answered, error) {
	p.mu.Lock()
	verified := n.verified
	p.mu.Unlock()
	if !verified {
		if err := p.verify(ctx, n); err != nil {
			return answered{}, err
		}
	}
	a, err := p.ask(ctx, n, q)
	a.sent = true
	return a, err
}

// never is longer than any wait.
const never = 24 * time.Hour

// wait returns how long to wait for the next event.
func (r *race) wait() time.Duration {
	switch {
	case r.hasFallback():
		return grace
	case len(r.untried) == 0:
		return never
	case r.q.Hedge > 0:
		return r.q.Hedge
	}
	r.pool.mu.Lock()
	defer r.pool.mu.Unlock()
	return r.last.pace.hedge()
}

// take reports whether an outcome is final, and records it otherwise.
func (r *race) take(o outcome) bool {
	switch {
	case o.err != nil && !isAnswer(o.err):
		r.failed = append(r.failed, NewAttempt(o.node.at, o.err, r.q.Timeout))
		r.maybeWritten = r.maybeWritten || o.sent && !rejectedUnread(o.err)
		return false
	case o.rank == level && final(o.err) && (o.err == nil || !r.q.Writes || r.pending == 0):
		return true
	}
	if r.best == nil || o.betterThan(*r.best) {
		if o.err != nil { // adds the name of the node to the error
			o.err = fmt.Errorf("%s: %w", o.node.at.Label, o.err)
		}
		r.best = &o
	}
	return false
}

// betterThan reports whether an outcome is preferred to another one. Answers win over refusals,
// and then better ranks win. Of nodes that disagree, the first in the user's order wins, not
// the fastest.
func (o outcome) betterThan(held outcome) bool {
	if (o.err == nil) != (held.err == nil) {
		return o.err == nil
	}
	if o.rank == disputed && held.rank == disputed {
		return o.node.index < held.node.index
	}
	return o.rank < held.rank
}

// rejectedUnread reports whether a server rejected a request without reading it.
func rejectedUnread(err error) bool {
	var status *StatusError
	var limit *LimitError
	return errors.As(err, &status) && status.Status < 500 || errors.As(err, &limit)
}

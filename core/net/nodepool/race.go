package nodepool

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// grace is how long better answers are waited for when there is one that will do.
const grace = time.Second

// race is one question on its way through the nodes: the next one is asked when one
// fails, and also when one is slow. The first good answer wins.
type race struct {
	pool    *Pool
	q       Question
	left    []*node // not asked yet, the best first
	flying  int     // asked, without an answer yet
	last    *node   // that was asked
	results chan outcome
	held    *outcome // the best answer so far that another node may better
	failed  []Attempt
	unclear bool // a node failed that was told what is to be written: it may have done so
}

// outcome is what came of asking a node.
type outcome struct {
	node *node
	answered
	err error
}

func (p *Pool) race(ctx context.Context, q Question) (any, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // those who lost
	may, not := p.order()
	r := race{pool: p, q: q, left: may, failed: not, results: make(chan outcome, len(may))}
	return r.run(ctx)
}

func (r *race) run(ctx context.Context) (any, error) {
	r.start(ctx)
	for r.flying > 0 {
		timer := time.NewTimer(r.wait())
		select {
		case o := <-r.results:
			r.flying--
			if r.take(o) {
				timer.Stop()
				return r.settle(o)
			}
			r.start(ctx)
		case <-timer.C:
			if r.rests() {
				return r.settle(*r.held)
			}
			r.start(ctx)
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
		timer.Stop()
	}
	if r.held != nil {
		return r.settle(*r.held)
	}
	return nil, &UnreachableError{Attempts: r.failed}
}

// settle is an outcome as it is told. That a node refuses to write something is not all
// that there is to say when another one may have written it.
func (r *race) settle(o outcome) (any, error) {
	if o.err == nil || !r.q.Writes || !r.unclear {
		return o.value, o.err
	}
	return nil, &UnreachableError{Attempts: append(r.failed, NewAttempt(o.node.at, o.err, r.q.Patience))}
}

// rests reports whether there is an answer with which others are waited for no longer than
// grace. With a refusal to write they are waited for to their end.
func (r *race) rests() bool { return r.held != nil && (r.held.err == nil || !r.q.Writes) }

// start asks the next node, if there is one.
func (r *race) start(ctx context.Context) {
	if len(r.left) == 0 {
		return
	}
	n := r.left[0]
	r.left, r.last = r.left[1:], n
	r.flying++
	go func() {
		answer, err := r.pool.try(ctx, n, r.q)
		r.results <- outcome{n, answer, err}
	}()
}

// try asks a node that is on the chain.
func (p *Pool) try(ctx context.Context, n *node, q Question) (answered, error) {
	p.mu.Lock()
	verified := n.verified
	p.mu.Unlock()
	if !verified {
		if err := p.verify(ctx, n); err != nil {
			return answered{}, err
		}
	}
	a, err := p.time(ctx, n, q)
	a.told = true
	return a, err
}

// never is longer than anybody waits.
const never = 24 * time.Hour

// wait is how long nothing may happen before something is done.
func (r *race) wait() time.Duration {
	switch {
	case r.rests():
		return grace
	case len(r.left) == 0:
		return never
	case r.q.Hedge > 0:
		return r.q.Hedge
	}
	r.pool.mu.Lock()
	defer r.pool.mu.Unlock()
	return r.last.pace.hedge()
}

// take reports whether an outcome is final, and keeps it if not.
func (r *race) take(o outcome) bool {
	switch {
	case o.err != nil && !isAnswer(o.err):
		r.failed = append(r.failed, NewAttempt(o.node.at, o.err, r.q.Patience))
		r.unclear = r.unclear || o.told && !turnedAway(o.err)
		return false
	case o.rank == level && final(o.err) && (o.err == nil || !r.q.Writes || r.flying == 0):
		return true
	}
	if r.held == nil || o.betters(*r.held) {
		if o.err != nil { // which node it was says what is wrong with it
			o.err = fmt.Errorf("%s: %w", o.node.at.Shown, o.err)
		}
		r.held = &o
	}
	return false
}

// betters reports whether an outcome is to be held in the place of another one: any answer
// goes before a refusal, and then it is about who tells it. Of nodes that disagree the
// first in the user's order is believed, and not the fastest.
func (o outcome) betters(held outcome) bool {
	if (o.err == nil) != (held.err == nil) {
		return o.err == nil
	}
	if o.rank == disputed && held.rank == disputed {
		return o.node.place < held.node.place
	}
	return o.rank < held.rank
}

// turnedAway reports whether a server has not read what it was asked.
func turnedAway(err error) bool {
	var status *StatusError
	return errors.As(err, &status) && status.Status < 500
}

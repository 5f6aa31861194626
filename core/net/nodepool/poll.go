package nodepool

import (
	"context"
	"time"
)

// Vote is the answer of one node.
type Vote struct {
	URL    string // without credentials
	Answer any
}

// Poll asks every healthy node in parallel and returns the answers in the user's order, for
// questions that must not depend on a single node. It waits until all have answered, or for
// the given time after the first answer. Errors are not votes. If no node is known to be
// healthy, all are asked. Its error is a node's, if that is its answer, an
// *UnreachableError, and that of ctx.
func (p *Pool) Poll(ctx context.Context, q Question, wait time.Duration) ([]Vote, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // late requests
	asked, failed := p.voters()
	type outcome struct {
		place int
		answered
		err error
	}
	results := make(chan outcome, len(asked))
	for i, n := range asked {
		go func() {
			answer, err := p.try(ctx, n, q)
			results <- outcome{i, answer, err}
		}()
	}
	votes := make([]*Vote, len(asked))
	var refusal error
	var late <-chan time.Time
	for range asked {
		select {
		case o := <-results:
			switch {
			case o.err == nil:
				votes[o.place] = &Vote{asked[o.place].at.Shown, o.value}
				if late == nil {
					late = time.After(wait)
				}
			case isAnswer(o.err):
				refusal = o.err
			default:
				failed = append(failed, NewAttempt(asked[o.place].at, o.err, q.Timeout))
			}
			continue
		case <-late:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		break
	}
	var all []Vote
	for _, v := range votes {
		if v != nil {
			all = append(all, *v)
		}
	}
	switch {
	case len(all) > 0:
		return all, nil
	case refusal != nil:
		return nil, refusal
	}
	return nil, &UnreachableError{Attempts: failed}
}

// voters are the healthy nodes in the user's order, or, if there are none, all that may be
// asked, and the faults of the others.
func (p *Pool) voters() (may []*node, not []Attempt) {
	p.mu.Lock()
	for _, n := range p.nodes {
		if n.verified {
			may = append(may, n)
		}
	}
	p.mu.Unlock()
	if len(may) > 0 {
		return may, nil
	}
	return p.order()
}

package nodepool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Call is a call in a batch.
type Call struct {
	Method string `json:"method"`
	Params any    `json:"params"`
}

// Outcome is the result or the error of a call.
type Outcome struct {
	Result json.RawMessage
	Err    *RPCError // nil if there is a result
}

// exchangeAll sends the calls of a batch to one node.
func (p *Pool) exchangeAll(ctx context.Context, n *node, q Question) (any, int64, error) {
	p.mu.Lock()
	single := n.single
	p.mu.Unlock()
	var outcomes []Outcome
	var err error
	if !single {
		outcomes, err = p.batch(ctx, n, q)
		if single = err != nil && refusesBatches(err); single {
			p.mu.Lock()
			n.single = true
			p.mu.Unlock()
		}
	}
	if single {
		outcomes, err = p.oneByOne(ctx, n, q)
	}
	if err != nil {
		return nil, 0, err
	}
	return q.ReadAll(outcomes)
}

// refusesBatches reports whether an error suggests that a node supports no batches, or only
// smaller ones: an error for the whole batch, a response that is not a list, a 4xx status that is
// not about the rate of requests, or any text that mentions batches.
func refusesBatches(err error) bool {
	if strings.Contains(strings.ToLower(spoken(err)), "batch") {
		return true
	}
	var status *StatusError
	if errors.As(err, &status) {
		return status.Status >= 400 && status.Status < 500 && status.Wait == 0 && status.Status != 429
	}
	return isAnswer(err) || errors.Is(err, errNoList)
}

var errNoList = fmt.Errorf("%w: want an array of responses to a batch", ErrAnswer)

// batch sends the calls in a single request.
func (p *Pool) batch(ctx context.Context, n *node, q Question) ([]Outcome, error) {
	requests := make([]json.RawMessage, len(q.Batch))
	places := make(map[string]int)
	for i, call := range q.Batch {
		id := p.id()
		places[id] = i
		var err error
		if requests[i], err = (Question{Method: call.Method, Params: call.Params}).Request(id); err != nil {
			return nil, err
		}
	}
	body, err := json.Marshal(requests)
	if err != nil {
		return nil, err
	}
	response, err := p.post(ctx, n, q, body)
	if err != nil {
		return nil, err
	}
	var list []envelope
	if json.Unmarshal(response.Body, &list) != nil || list == nil {
		_, err := open(response, "", Question{}, p.config.Now())
		if err == nil || errors.Is(err, ErrOtherID) || response.Status == 200 && errors.Is(err, errForm) {
			err = errNoList
		}
		return nil, n.at.mask(err)
	}
	if err := faulty(response, p.config.Now()); err != nil {
		return nil, n.at.mask(err)
	}
	if response.Status != 200 {
		return nil, &StatusError{Status: response.Status}
	}
	outcomes, err := sorted(list, places, q)
	for _, o := range outcomes {
		if o.Err != nil {
			_ = n.at.mask(o.Err)
		}
	}
	return outcomes, n.at.mask(err)
}

// sorted returns the responses, which arrive in any order, in the order of the calls.
func sorted(list []envelope, places map[string]int, q Question) ([]Outcome, error) {
	outcomes := make([]Outcome, len(places))
	var last *RPCError
	for _, e := range list {
		id := string(e.ID)
		i, ours := places[id]
		if !ours {
			id = e.numericID()
			i, ours = places[id]
		}
		if !ours {
			if e.failed() && unassignedIDs(e.ID) { // the node has not read the calls
				return nil, e.refusal(q)
			}
			return nil, because(ErrOtherID, line(message(e.Error)))
		}
		delete(places, id)
		if e.failed() {
			err := e.refusal(q)
			refused, is := err.(*RPCError)
			if !is { // the node is faulty
				return nil, err
			}
			outcomes[i].Err, last = refused, refused
			continue
		}
		var err error
		if outcomes[i].Result, err = e.result(q.Nullable); err != nil {
			return nil, err
		}
	}
	if len(places) > 0 && last != nil { // go-ethereum answers only the first call if there are too many
		return nil, last
	}
	if len(places) > 0 {
		return nil, fmt.Errorf("%w: no response to %d calls of a batch", ErrAnswer, len(places))
	}
	return outcomes, nil
}

// oneByOne makes the calls one after another.
func (p *Pool) oneByOne(ctx context.Context, n *node, q Question) ([]Outcome, error) {
	outcomes := make([]Outcome, len(q.Batch))
	for i, call := range q.Batch {
		one := q
		one.Method, one.Params = call.Method, call.Params
		result, err := p.call(ctx, n, one)
		refused, is := err.(*RPCError)
		switch {
		case is:
			outcomes[i].Err = refused
		case err != nil:
			return nil, err
		default:
			outcomes[i].Result = result
		}
	}
	return outcomes, nil
}

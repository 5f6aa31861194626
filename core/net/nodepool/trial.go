package nodepool

import (
	"context"
	"errors"
	"time"

	"obverse/core/text"
)

// Trial is how a node does when it is asked for its health once.
type Trial struct {
	URL     string        // without credentials
	Chain   string        // id of the chain that the node says it is on; "": unknown
	Height  int64         // of its newest block; 0: unknown
	Latency time.Duration // of its answer
	Behind  bool          // it does not have the newest blocks yet
	Reason  string        // why it cannot be used; "": it can
}

// Try asks the first node of a pool whose nodes have to be on the chain. The error is of ctx.
func (p *Pool) Try(ctx context.Context, chain string) (Trial, error) {
	n := p.nodes[0]
	begin := p.config.Now()
	err := p.verify(ctx, n)
	if ctx.Err() != nil {
		return Trial{}, ctx.Err()
	}
	t := Trial{URL: n.at.Shown, Latency: p.config.Now().Sub(begin)}
	var foreign *WrongChainError
	switch {
	case errors.As(err, &foreign):
		t.Chain, t.Reason = text.Clip(foreign.Got, 100), p.failed(n, err).Reason
	case err != nil:
		t.Reason = p.failed(n, err).Reason
	default:
		t.Chain = chain
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	t.Height, t.Behind = n.reported, n.health.Behind
	return t, nil
}

package node

import (
	"context"
	"encoding/json"

	"obverse/core/net/nodepool"
)

// Forward passes a call that only reads on to the nodes, and gives a node's result as it
// is. Errors are a *nodepool.RPCError, as the node worded it, and those of the pool.
func (p *Pool) Forward(ctx context.Context, method string, params []json.RawMessage) (json.RawMessage, error) {
	q := one("", method, func(result json.RawMessage) (any, int64, error) { return result, 0, nil })
	q.Nullable = true
	q.Params = append([]json.RawMessage{}, params...)
	q.Refine = func(e *nodepool.RPCError) (any, error) {
		err := refusal(e)
		if _, is := err.(*RevertError); is {
			return nil, revert{e}
		}
		return nil, err
	}
	return get[json.RawMessage](ctx, p, q)
}

// revert is the answer of a contract, which all nodes give.
type revert struct{ *nodepool.RPCError }

// Final implements nodepool.Verdict.
func (revert) Final() bool { return true }

// Unwrap gives the node's error.
func (r revert) Unwrap() error { return r.RPCError }

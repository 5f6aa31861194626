package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"time"

	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/net/proxyauth"
	"obverse/core/text"
	"obverse/core/wallet/evm/address"
)

// Config holds the parts and settings of a pool.
type Config struct {
	Nodes    []nodepool.Node // in the order in which equally good nodes are queried
	ChainID  uint64
	Block    time.Duration // approximate time between two blocks
	Fetcher  fetch.Fetcher
	Dialer   fetch.Dialer     // for nodes with a websocket; nil means that this platform has no websockets
	Identity proxyauth.Signer // for nodes behind a gateway; may be nil without such nodes
	Now      func() time.Time
}

// Pool holds the nodes of a network. Its methods are safe for concurrent use.
type Pool struct {
	*nodepool.Pool
	now func() time.Time
}

// Quantities of answers, for Invalidate.
const (
	quantityHeight   = "height"
	quantityHoldings = "holdings"
	quantityParts    = "holdings of which some are unknown"
	quantityFees     = "fees"
)

// lag is how long a node may be behind the others.
const lag = 12 * time.Second

// New returns a pool, which sends no requests by itself. Its errors are the errors of
// nodepool.New.
func New(c Config) (*Pool, error) {
	pool, err := nodepool.New(nodepool.Config{Nodes: c.Nodes, Fetcher: c.Fetcher, Dialer: c.Dialer, Identity: c.Identity, Now: c.Now,
		HealthCheck: greeting(c.ChainID), MaxLag: max(2, int64(lag/max(c.Block, time.Millisecond))), Block: c.Block, NumericIDs: true,
		TTL: map[string]time.Duration{quantityHeight: time.Second, quantityHoldings: 2 * time.Second, quantityParts: 2 * time.Second, quantityFees: 5 * time.Second}})
	if err != nil {
		return nil, err
	}
	return &Pool{pool, c.Now}, nil
}

// Ask asks a question. It returns the errors of Failed.
func Ask[T any](ctx context.Context, p *Pool, q nodepool.Question) (T, error) {
	answer, err := p.Ask(ctx, q)
	value, _ := answer.(T) // zero if there is an error
	return value, Failed(err)
}

// batch returns a question with several calls, which a node answers together.
func batch(about string, calls []nodepool.Call, read func([]nodepool.Outcome) (any, int64, error)) nodepool.Question {
	q := nodepool.Light("", nil)
	q.Quantity, q.Batch, q.ReadAll = about, calls, read
	return q
}

// Past returns a question about old blocks, of several calls. Its answers may be large and slow, and
// some nodes answer null for an empty list.
func Past(calls []nodepool.Call, read func([]nodepool.Outcome) (any, int64, error)) nodepool.Question {
	q := batch("", calls, read)
	q.Limit, q.Timeout, q.Nullable = 16<<20, 30*time.Second, true
	return q
}

// one returns a question with one call.
func one(about, method string, read func(json.RawMessage) (any, int64, error), params ...any) nodepool.Question {
	q := nodepool.Light(method, read)
	q.Quantity, q.Params = about, list(params...)
	q.Refine = func(e *nodepool.RPCError) (any, error) { return nil, Refusal(e) }
	return q
}

// list returns a list of parameters, [] for no parameters.
func list(params ...any) []any { return append([]any{}, params...) }

// Request returns a call of a method.
func Request(method string, params ...any) nodepool.Call {
	return nodepool.Call{Method: method, Params: list(params...)}
}

// greeting returns the question of the health check: the node's network, its newest block, and
// whether it is syncing.
func greeting(chain uint64) nodepool.Question {
	calls := []nodepool.Call{Request("eth_chainId"), Request("eth_blockNumber"), Request("eth_syncing")}
	q := batch("", calls, func(o []nodepool.Outcome) (any, int64, error) {
		for i, outcome := range o[:2] {
			if outcome.Err != nil { // the other calls have no answers then
				return nil, 0, fmt.Errorf("%w: method %s: %s", nodepool.ErrAnswer, calls[i].Method, outcome.Err)
			}
		}
		id, err := quantity(o[0].Result, wholeBits)
		if err != nil {
			return nil, 0, err
		}
		if want := strconv.FormatUint(chain, 10); id.String() != want {
			return nil, 0, &nodepool.WrongChainError{Got: id.String(), Want: want}
		}
		newest, err := height(o[1].Result)
		syncing := o[2].Err == nil && string(o[2].Result) != "false" && string(o[2].Result) != "null"
		return nodepool.Health{Behind: syncing}, nodepool.ReportedHeight(newest), err
	})
	q.Nullable = true
	return q
}

// Height returns the height of the newest block.
func (p *Pool) Height(ctx context.Context) (uint64, error) {
	newest, err := Ask[int64](ctx, p, one(quantityHeight, "eth_blockNumber", func(result json.RawMessage) (any, int64, error) {
		n, err := height(result)
		return n, nodepool.ReportedHeight(n), err
	}))
	return uint64(newest), err
}

// AgreedHeight returns the height of the newest block that more than half of the nodes have. It
// fails with nodepool.ErrAlone if too few servers answer.
func (p *Pool) AgreedHeight(ctx context.Context) (uint64, error) {
	q := one("", "eth_blockNumber", func(result json.RawMessage) (any, int64, error) {
		n, err := height(result)
		return n, nodepool.ReportedHeight(n), err
	})
	reached, _, alone, err := p.ReachedAlone(ctx, q, func(answer any) *big.Int { return big.NewInt(answer.(int64)) })
	if err == nil && alone {
		err = fmt.Errorf("the newest block: %w", nodepool.ErrAlone)
	}
	if err != nil {
		return 0, Failed(err)
	}
	return reached[0].Uint64(), nil
}

// Agreed returns the result of a contract's function on which more than half of the nodes
// agree, for data on which payments depend. It returns nil if the address is not a contract or
// the function reverts. Errors are a *nodepool.DisagreementError, nodepool.ErrAlone and the errors
// of the pool.
func (p *Pool) Agreed(ctx context.Context, contract address.Address, input []byte) ([]byte, error) {
	returned, _, err := p.agreed(ctx, contract, input)
	return returned, err
}

// agreed is like Agreed, but also returns why the function reverts, in the words of one of the
// nodes.
func (p *Pool) agreed(ctx context.Context, contract address.Address, input []byte) (returned []byte, reverts *RevertError, err error) {
	type said struct {
		returned []byte
		reverts  *RevertError
	}
	q := one("", "eth_call", func(result json.RawMessage) (any, int64, error) {
		b, err := ReadBytes(result)
		return said{returned: b}, 0, err
	}, map[string]string{"to": contract.Plain(), "data": text.Hex(input)}, "latest")
	q.Refine = func(e *nodepool.RPCError) (any, error) {
		err := Refusal(e)
		if reverted, is := errors.AsType[*RevertError](err); is {
			return said{reverts: reverted}, nil
		}
		return nil, err
	}
	answer, err := p.Majority(ctx, "the contract "+contract.String(), q, func(answer any) any { return text.Hex(answer.(said).returned) })
	got, _ := answer.(said)
	return got.returned, got.reverts, Failed(err)
}

// Forward passes a read-only call to the nodes and returns the result of a node unchanged.
// Errors are a *nodepool.RPCError with the text of the node, and the errors of the pool.
func (p *Pool) Forward(ctx context.Context, method string, params []json.RawMessage) (json.RawMessage, error) {
	q := one("", method, func(result json.RawMessage) (any, int64, error) { return result, 0, nil })
	q.Nullable = true
	q.Params = append([]json.RawMessage{}, params...)
	q.Refine = func(e *nodepool.RPCError) (any, error) {
		err := Refusal(e)
		if _, is := err.(*RevertError); is {
			return nil, revert{e}
		}
		return nil, err
	}
	return Ask[json.RawMessage](ctx, p, q)
}

// revert is an error of a contract, which all nodes return.
type revert struct{ *nodepool.RPCError }

// Final implements nodepool.Verdict.
func (revert) Final() bool { return true }

// Unwrap returns the node's error.
func (r revert) Unwrap() error { return r.RPCError }

package node

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"time"

	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/net/proxyauth"
)

// Config is what a pool works with.
type Config struct {
	Nodes    []nodepool.Node // in the order in which they are asked while they are equally good
	ChainID  uint64
	Block    time.Duration // between two blocks, about
	Fetcher  fetch.Fetcher
	Dialer   fetch.Dialer     // for nodes with a websocket; nil: this platform has none
	Identity proxyauth.Signer // for nodes behind a gateway; may be nil when there are none
	Now      func() time.Time
}

// Pool is the nodes of a network. Its methods may be called by many goroutines.
type Pool struct {
	*nodepool.Pool
	now func() time.Time
}

// What answers are about, for Invalidate.
const (
	quantityHeight   = "height"
	quantityHoldings = "holdings"
	quantityParts    = "holdings of which some are unknown"
	quantityFees     = "fees"
)

// lag is for how long a node may be behind the others.
const lag = 12 * time.Second

// New makes a pool, which asks nobody before it is asked. Its errors are nodepool.New's.
func New(c Config) (*Pool, error) {
	pool, err := nodepool.New(nodepool.Config{Nodes: c.Nodes, Fetcher: c.Fetcher, Dialer: c.Dialer, Identity: c.Identity, Now: c.Now,
		HealthCheck: greeting(c.ChainID), MaxLag: max(2, int64(lag/max(c.Block, time.Millisecond))), Block: c.Block, NumericIDs: true,
		TTL: map[string]time.Duration{quantityHeight: time.Second, quantityHoldings: 2 * time.Second, quantityParts: 2 * time.Second, quantityFees: 5 * time.Second}})
	if err != nil {
		return nil, err
	}
	return &Pool{pool, c.Now}, nil
}

// get asks a question. Errors are failed's.
func get[T any](ctx context.Context, p *Pool, q nodepool.Question) (T, error) {
	answer, err := p.Ask(ctx, q)
	value, _ := answer.(T) // zero if there is an error
	return value, failed(err)
}

// batch is a question of several calls, which each node answers at once.
func batch(about string, calls []nodepool.Call, read func([]nodepool.Outcome) (any, int64, error)) nodepool.Question {
	q := nodepool.Light("", nil)
	q.Quantity, q.Batch, q.ReadAll = about, calls, read
	return q
}

// one is a question of one call.
func one(about, method string, read func(json.RawMessage) (any, int64, error), params ...any) nodepool.Question {
	q := nodepool.Light(method, read)
	q.Quantity, q.Params = about, list(params...)
	q.Refine = func(e *nodepool.RPCError) (any, error) { return nil, refusal(e) }
	return q
}

// list is a list of parameters, which is [] if there are none.
func list(params ...any) []any { return append([]any{}, params...) }

func call(method string, params ...any) nodepool.Call {
	return nodepool.Call{Method: method, Params: list(params...)}
}

// greeting asks a node for its network, its newest block, and whether it has them all.
func greeting(chain uint64) nodepool.Question {
	calls := []nodepool.Call{call("eth_chainId"), call("eth_blockNumber"), call("eth_syncing")}
	q := batch("", calls, func(o []nodepool.Outcome) (any, int64, error) {
		for i, outcome := range o[:2] {
			if outcome.Err != nil { // which is no answer to whoever asks something else
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

// Height is the number of the newest block.
func (p *Pool) Height(ctx context.Context) (uint64, error) {
	newest, err := get[int64](ctx, p, one(quantityHeight, "eth_blockNumber", func(result json.RawMessage) (any, int64, error) {
		n, err := height(result)
		return n, nodepool.ReportedHeight(n), err
	}))
	return uint64(newest), err
}

// AgreedHeight returns the number of the newest block that more than half of the nodes have.
func (p *Pool) AgreedHeight(ctx context.Context) (uint64, error) {
	q := one("", "eth_blockNumber", func(result json.RawMessage) (any, int64, error) {
		n, err := height(result)
		return n, nodepool.ReportedHeight(n), err
	})
	reached, _, err := p.Reached(ctx, q, func(answer any) *big.Int { return big.NewInt(answer.(int64)) })
	if err != nil {
		return 0, failed(err)
	}
	return reached[0].Uint64(), nil
}

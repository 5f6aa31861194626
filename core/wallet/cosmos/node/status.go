package node

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"obverse/core/net/nodepool"
)

// Quantities that are not paths of queries, for TTL and Invalidate.
const (
	QuantityHeight = "abci_info"
	QuantityStatus = "status"
	QuantityHealth = "health"
	QuantitySearch = "tx_search"
	QuantityTx     = "tx"
	QuantityBlock  = "block"
)

// Status is the status that a node reports.
type Status struct {
	ChainID        string
	Version        string    // version of Tendermint or CometBFT, "0.34.14"
	Height         int64     // height of its newest block
	Time           time.Time // time of its newest block; zero if not reported
	EarliestHeight int64     // height of the oldest block that it has
	CatchingUp     bool      // whether it lacks the chain's newest block
}

func statusQuestion() nodepool.Question {
	return nodepool.Light("status", func(result json.RawMessage) (any, int64, error) {
		var r struct {
			Node struct{ Network, Version string } `json:"node_info"`
			Sync struct {
				Height   count  `json:"latest_block_height"`
				Time     moment `json:"latest_block_time"`
				Earliest count  `json:"earliest_block_height"`
				Behind   bool   `json:"catching_up"`
			} `json:"sync_info"`
		}
		err := nodepool.Read(result, &r)
		if err == nil && r.Node.Network == "" {
			err = fmt.Errorf("%w: no chain id", nodepool.ErrAnswer)
		}
		s := r.Sync
		return Status{r.Node.Network, r.Node.Version, int64(s.Height), time.Time(s.Time), int64(s.Earliest), s.Behind}, int64(s.Height), err
	})
}

// Status returns the status of one of the nodes.
func (p *Pool) Status(ctx context.Context) (Status, error) {
	return nodepool.Get[Status](ctx, p.Pool, statusQuestion())
}

// Health returns nil if a node answers.
func (p *Pool) Health(ctx context.Context) error {
	_, err := nodepool.Get[struct{}](ctx, p.Pool, nodepool.Light("health", func(result json.RawMessage) (any, int64, error) {
		var r struct{}
		err := nodepool.Read(result, &r)
		return r, 0, err
	}))
	return err
}

// Height returns the height of the newest block whose state can be queried. It is 0 before the
// first block.
func (p *Pool) Height(ctx context.Context) (int64, error) {
	return nodepool.Get[int64](ctx, p.Pool, nodepool.Light("abci_info", func(result json.RawMessage) (any, int64, error) {
		var r struct {
			Response *struct {
				Height count `json:"last_block_height"`
			}
		}
		err := nodepool.Read(result, &r)
		if err == nil && r.Response == nil {
			err = fmt.Errorf("%w: no response member", nodepool.ErrAnswer)
		}
		if err != nil {
			return nil, 0, err
		}
		return int64(r.Response.Height), nodepool.ReportedHeight(int64(r.Response.Height)), nil
	}))
}

// BlockTime returns the time in the header of a block. It fails with ErrNoBlock.
func (p *Pool) BlockTime(ctx context.Context, height int64) (time.Time, error) {
	q := nodepool.Light("block", func(result json.RawMessage) (any, int64, error) {
		var r struct {
			Block struct {
				Header struct {
					Height count
					Time   moment
				}
			}
		}
		err := nodepool.Read(result, &r)
		if err == nil && int64(r.Block.Header.Height) != height {
			err = fmt.Errorf("%w: got block %d", nodepool.ErrOtherID, r.Block.Header.Height)
		}
		at := time.Time(r.Block.Header.Time)
		if err == nil && at.IsZero() {
			err = fmt.Errorf("%w: a block without a time", nodepool.ErrAnswer)
		}
		return at, 0, err
	})
	q.Params = struct {
		Height integer `json:"height,string"`
	}{integer(height)}
	q.Limit = 32 << 20 // a block with all its transactions
	q.Refine = refusedAs(ErrNoBlock, "height", "block")
	return nodepool.Get[time.Time](ctx, p.Pool, q)
}

// Earliest returns the height of the lowest block that a node has.
func (p *Pool) Earliest(ctx context.Context) (int64, error) {
	status, err := p.Status(ctx)
	if err != nil {
		return 0, err
	}
	earliest := status.EarliestHeight
	for _, s := range p.Nodes() {
		if s.Healthy {
			earliest = min(earliest, s.EarliestHeight)
		}
	}
	return earliest, nil
}

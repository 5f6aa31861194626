package cometbft

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	cmtjson "github.com/cometbft/cometbft/libs/json"
	"github.com/cometbft/cometbft/node"
	rpchttp "github.com/cometbft/cometbft/rpc/client/http"
	"github.com/cometbft/cometbft/rpc/core"
	"github.com/cometbft/cometbft/types"

	"obverse/core/chain/engine"
	"obverse/core/chain/statetree"
	"obverse/core/clock"
	"obverse/core/daemon/proof"
	"obverse/core/store"
)

// headers returns the headers that the validators signed, from a CometBFT in this or another process.
type headers interface {
	// height returns the newest height, or 0.
	height(ctx context.Context) (int64, error)
	// at returns the light block of a height, or ErrNoHeight.
	at(ctx context.Context, height int64) (*types.LightBlock, error)
}

// inside implements headers for the CometBFT in this process.
type inside struct {
	engine *Engine

	mu   sync.Mutex
	node *node.Node // of env, which is cached because creating it asks the signer for its key
	env  *core.Environment
}

// environment returns the environment of CometBFT's RPC methods.
func (i *inside) environment() (*core.Environment, error) {
	n := i.engine.Node()
	if n == nil {
		return nil, ErrNotRunning
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.node == n {
		return i.env, nil
	}
	env, err := n.ConfigureRPC()
	if err != nil {
		return nil, err
	}
	i.node, i.env = n, env
	return env, nil
}

func (i *inside) height(context.Context) (int64, error) {
	env, err := i.environment()
	if err != nil {
		return 0, err
	}
	return env.BlockStore.Height(), nil
}

func (i *inside) at(_ context.Context, height int64) (*types.LightBlock, error) {
	env, err := i.environment()
	if err != nil {
		return nil, err
	}
	meta := env.BlockStore.LoadBlockMeta(height)
	commit := env.BlockStore.LoadBlockCommit(height)
	if commit == nil { // the next block, which contains the commit, does not exist yet
		commit = env.BlockStore.LoadSeenCommit(height)
	}
	if meta == nil || commit == nil {
		return nil, fmt.Errorf("%w: %d, it has %d to %d", ErrNoHeight, height, env.BlockStore.Base(), env.BlockStore.Height())
	}
	validators, err := env.StateStore.LoadValidators(height)
	if err != nil {
		return nil, err
	}
	return &types.LightBlock{SignedHeader: &types.SignedHeader{Header: &meta.Header, Commit: commit}, ValidatorSet: validators}, nil
}

// outside implements headers for a CometBFT in another process, with its RPC methods.
type outside struct{ client func() (*rpchttp.HTTP, error) }

// rpcTimeout limits the time for an answer of CometBFT's RPC, in seconds.
const rpcTimeout = 5

func newOutside(address string) outside {
	return outside{sync.OnceValues(func() (*rpchttp.HTTP, error) {
		return rpchttp.NewWithTimeout("http://"+address, "/websocket", rpcTimeout)
	})}
}

func (o outside) height(ctx context.Context) (int64, error) {
	client, err := o.client()
	if err != nil {
		return 0, err
	}
	status, err := client.Status(ctx)
	if err != nil {
		return 0, fmt.Errorf("query the height of CometBFT: %w", err)
	}
	return status.SyncInfo.LatestBlockHeight, nil
}

// validatorsPage is the maximum number of validators in one answer of CometBFT.
const validatorsPage = 100

func (o outside) at(ctx context.Context, height int64) (*types.LightBlock, error) {
	client, err := o.client()
	if err != nil {
		return nil, err
	}
	signed, err := client.Commit(ctx, &height)
	if err != nil {
		return nil, fmt.Errorf("%w: %d: %w", ErrNoHeight, height, err)
	}
	var validators []*types.Validator
	for page, size := 1, validatorsPage; ; page++ {
		list, err := client.Validators(ctx, &height, &page, &size)
		if err != nil {
			return nil, fmt.Errorf("query CometBFT for the validators of height %d: %w", height, err)
		}
		validators = append(validators, list.Validators...)
		if len(validators) >= list.Total || len(list.Validators) == 0 {
			break
		}
	}
	set, err := types.ValidatorSetFromExistingValidators(validators)
	if err != nil {
		return nil, fmt.Errorf("validators of height %d: %w", height, err)
	}
	return &types.LightBlock{SignedHeader: &signed.SignedHeader, ValidatorSet: set}, nil
}

// Commits returns headers that the validators have signed. It implements proof.Commits.
type Commits struct {
	headers headers
	store   store.KV // of the chain
}

var _ proof.Commits = (*Commits)(nil)

// ErrNotRunning means that CometBFT does not run in this process.
var ErrNotRunning = errors.New("CometBFT does not run in this process")

// ErrNoHeight means that the node does not have the header of a height.
var ErrNoHeight = errors.New("the node has no signed header of this height")

// waitSigned limits the wait for the header with the newest app hash. This is the header of the next block,
// which CometBFT makes at once.
const (
	waitSigned = 3 * time.Second
	waitStep   = 20 * time.Millisecond
)

// Signed implements proof.Commits.
func (c *Commits) Signed(ctx context.Context, appHash statetree.Hash, height int) (json.RawMessage, error) {
	at, err := engine.EngineHeight(ctx, c.store, height)
	if err != nil {
		return nil, err
	}
	newest, err := c.reach(ctx, at+1)
	if err != nil || newest <= at {
		return nil, err
	}
	for _, h := range []int64{newest, at + 1} { // newest has the app hash if nothing has changed since
		block, err := c.headers.at(ctx, h)
		if err != nil {
			return nil, err
		}
		if bytes.Equal(block.AppHash, appHash[:]) {
			return cmtjson.Marshal(block)
		}
	}
	return nil, nil
}

// reach waits for a short time until the chain has a height, and returns the newest height.
func (c *Commits) reach(ctx context.Context, height int64) (newest int64, err error) {
	for waited := time.Duration(0); ; waited += waitStep {
		if newest, err = c.headers.height(ctx); err != nil || newest >= height || waited >= waitSigned {
			return newest, err
		}
		if err := clock.Sleep(ctx, waitStep); err != nil {
			return 0, err
		}
	}
}

// LightBlock implements proof.Commits.
func (c *Commits) LightBlock(ctx context.Context, height int64) (json.RawMessage, error) {
	if height == 0 {
		newest, err := c.headers.height(ctx)
		if err != nil {
			return nil, err
		}
		height = newest
	}
	block, err := c.headers.at(ctx, height)
	if err != nil {
		return nil, err
	}
	return cmtjson.Marshal(block)
}

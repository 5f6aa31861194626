package cometbft

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	cmtjson "github.com/cometbft/cometbft/libs/json"
	rpccore "github.com/cometbft/cometbft/rpc/core"
	"github.com/cometbft/cometbft/types"

	"obverse/core/chain/engine"
	"obverse/core/chain/statetree"
	"obverse/core/daemon/proof"
	"obverse/core/store"
	"obverse/core/task/clock"
)

// Commits are the headers that the validators have signed, from the engine's own store.
type Commits struct {
	Engine *Engine
	Store  store.KV // of the chain
}

var _ proof.Commits = (*Commits)(nil)

// ErrNotRunning says that CometBFT does not run in this process.
var ErrNotRunning = errors.New("CometBFT does not run in this process")

// ErrNoHeight says that a height is not stored here.
var ErrNoHeight = errors.New("the node has no signed header of this height")

func (c *Commits) stores() (*rpccore.Environment, error) {
	n := c.Engine.Node()
	if n == nil {
		return nil, ErrNotRunning
	}
	return n.ConfigureRPC()
}

// waitSigned is how long the header may take that has the newest app hash: it is that of
// the next block, which CometBFT makes at once for it.
const (
	waitSigned = 3 * time.Second
	waitStep   = 20 * time.Millisecond
)

// Signed implements proof.Commits.
func (c *Commits) Signed(ctx context.Context, appHash statetree.Hash, height int) (json.RawMessage, error) {
	env, err := c.stores()
	if err != nil {
		return nil, err
	}
	at, err := engine.EngineHeight(ctx, c.Store, height)
	if err != nil {
		return nil, err
	}
	first := at + 1
	for waited := time.Duration(0); env.BlockStore.Height() < first; waited += waitStep {
		if waited >= waitSigned {
			return nil, nil
		}
		if err := clock.Sleep(ctx, waitStep); err != nil {
			return nil, err
		}
	}
	for _, h := range []int64{env.BlockStore.Height(), first} { // the newest, if nothing has changed since
		meta := env.BlockStore.LoadBlockMeta(h)
		if meta != nil && bytes.Equal(meta.Header.AppHash, appHash[:]) {
			return lightBlock(env, h)
		}
	}
	return nil, nil
}

// LightBlock implements proof.Commits.
func (c *Commits) LightBlock(_ context.Context, height int64) (json.RawMessage, error) {
	env, err := c.stores()
	if err != nil {
		return nil, err
	}
	if height == 0 {
		height = env.BlockStore.Height()
	}
	return lightBlock(env, height)
}

func lightBlock(env *rpccore.Environment, height int64) (json.RawMessage, error) {
	meta := env.BlockStore.LoadBlockMeta(height)
	if meta == nil {
		return nil, fmt.Errorf("%w: %d, it has %d to %d", ErrNoHeight, height, env.BlockStore.Base(), env.BlockStore.Height())
	}
	commit := env.BlockStore.LoadBlockCommit(height)
	if commit == nil { // the next block, which has it, is not there yet
		commit = env.BlockStore.LoadSeenCommit(height)
	}
	validators, err := env.StateStore.LoadValidators(height)
	if err != nil {
		return nil, err
	}
	if commit == nil {
		return nil, fmt.Errorf("%w: %d", ErrNoHeight, height)
	}
	return cmtjson.Marshal(&types.LightBlock{SignedHeader: &types.SignedHeader{Header: &meta.Header, Commit: commit}, ValidatorSet: validators})
}

package cometbft

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"

	cmtjson "github.com/cometbft/cometbft/libs/json"

	"obverse/core/chain/engine"
	"obverse/core/chain/statetree"
	"obverse/core/clock"
	"obverse/core/daemon/proof"
	"obverse/core/store"
)

// Commits are the headers that the validators have signed.
type Commits struct {
	headers headers
	store   store.KV // of the chain
}

var _ proof.Commits = (*Commits)(nil)

// ErrNotRunning says that CometBFT does not run in this process.
var ErrNotRunning = errors.New("CometBFT does not run in this process")

// ErrNoHeight says that a height is not stored here.
var ErrNoHeight = errors.New("the node has no signed header of this height")

// waitSigned limits the wait for the header with the newest app hash. That is the next block's
// header; CometBFT makes that block at once.
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
	for _, h := range []int64{newest, at + 1} { // the newest, if nothing has changed since
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

// reach waits a moment for a height, and returns the newest.
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

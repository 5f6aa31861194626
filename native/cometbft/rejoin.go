package cometbft

import (
	"errors"
	"fmt"

	dbm "github.com/cometbft/cometbft-db"
	cfg "github.com/cometbft/cometbft/config"
	sm "github.com/cometbft/cometbft/state"
	"github.com/cometbft/cometbft/store"
)

// resumeJoin lets a node start that was stopped after its snapshot and before the first block
// that followed: CometBFT has a state then and no block, which it takes for damage unless the
// height is recorded as one of a snapshot. The commit of that height shows which it is.
func resumeJoin(config *cfg.Config) (err error) {
	blocks, closeBlocks, err := opened(config, "blockstore")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeBlocks()) }()
	blockStore := store.NewBlockStore(blocks)
	if blockStore.Height() > 0 {
		return nil
	}
	states, closeStates, err := opened(config, "state")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeStates()) }()
	stateStore := sm.NewStore(states, sm.StoreOptions{})
	state, err := stateStore.Load()
	if err != nil || state.LastBlockHeight == 0 || blockStore.LoadSeenCommit(state.LastBlockHeight) == nil {
		return err
	}
	return stateStore.SetOfflineStateSyncHeight(state.LastBlockHeight)
}

// opened opens a database by CometBFT's name of it.
func opened(config *cfg.Config, id string) (db dbm.DB, end func() error, err error) {
	if db, err = openDatabase(&cfg.DBContext{ID: id, Config: config}); err != nil {
		return nil, nil, fmt.Errorf("open CometBFT's %s: %w", id, err)
	}
	return db, db.Close, nil
}

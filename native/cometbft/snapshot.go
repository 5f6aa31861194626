package cometbft

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	dbm "github.com/cometbft/cometbft-db"
	abci "github.com/cometbft/cometbft/abci/types"
	cfg "github.com/cometbft/cometbft/config"
	sm "github.com/cometbft/cometbft/state"
	"github.com/cometbft/cometbft/store"

	"obverse/core/chain/engine"
)

// snapshotFormat is the format of chunks. Those of format 1 had heights of the engine.
const snapshotFormat = 2

// offered returns a snapshot in the form that CometBFT passes on.
func offered(s engine.Snapshot) (*abci.Snapshot, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	hash := sha256.Sum256(text)
	return &abci.Snapshot{Height: uint64(s.Engine), Format: snapshotFormat, Chunks: uint32(s.Chunks), Hash: hash[:], Metadata: text}, nil
}

// ListSnapshots lists what a joining node can start from.
func (a *App) ListSnapshots(ctx context.Context, _ *abci.RequestListSnapshots) (*abci.ResponseListSnapshots, error) {
	all, err := a.shared.Snapshots(ctx)
	if err != nil {
		return nil, err
	}
	response := &abci.ResponseListSnapshots{}
	for _, s := range all {
		cuts, err := a.cuts(ctx, s)
		if err != nil {
			return nil, err
		}
		s.Chunks = len(cuts) - 1
		one, err := offered(s)
		if err != nil {
			return nil, err
		}
		response.Snapshots = append(response.Snapshots, one)
	}
	return response, nil
}

// maxCuts limits the snapshots that cuts remembers. The chain's older snapshots are deleted.
const maxCuts = 50

// cuts finds where a snapshot's chunks begin, which takes long on a long chain, once.
func (a *App) cuts(ctx context.Context, s engine.Snapshot) ([]int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if cuts, known := a.cut[s.Engine]; known {
		return cuts, nil
	}
	cuts, err := a.shared.Cut(ctx, s)
	if err == nil {
		if len(a.cut) > maxCuts {
			clear(a.cut)
		}
		a.cut[s.Engine] = cuts
	}
	return cuts, err
}

// LoadSnapshotChunk gives a chunk to a node that joins.
func (a *App) LoadSnapshotChunk(ctx context.Context, r *abci.RequestLoadSnapshotChunk) (*abci.ResponseLoadSnapshotChunk, error) {
	all, err := a.shared.Snapshots(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		if uint64(s.Engine) != r.Height || r.Format != snapshotFormat {
			continue
		}
		cuts, err := a.cuts(ctx, s)
		if err != nil || int(r.Chunk) >= len(cuts)-1 {
			return &abci.ResponseLoadSnapshotChunk{}, err
		}
		chunk, err := a.shared.Chunk(ctx, cuts[r.Chunk], cuts[r.Chunk+1])
		return &abci.ResponseLoadSnapshotChunk{Chunk: chunk}, err
	}
	return &abci.ResponseLoadSnapshotChunk{}, nil
}

// OfferSnapshot judges a snapshot that another node offers.
func (a *App) OfferSnapshot(ctx context.Context, r *abci.RequestOfferSnapshot) (*abci.ResponseOfferSnapshot, error) {
	if r.Snapshot == nil || r.Snapshot.Format != snapshotFormat {
		return &abci.ResponseOfferSnapshot{Result: abci.ResponseOfferSnapshot_REJECT_FORMAT}, nil
	}
	var s engine.Snapshot
	if json.Unmarshal(r.Snapshot.Metadata, &s) != nil || uint64(s.Engine) != r.Snapshot.Height || uint32(s.Chunks) != r.Snapshot.Chunks {
		return &abci.ResponseOfferSnapshot{Result: abci.ResponseOfferSnapshot_REJECT_SENDER}, nil
	}
	err := a.shared.Offered(ctx, s, r.AppHash)
	switch {
	case errors.Is(err, engine.ErrNotNew):
		return nil, a.fail("join by a snapshot", err)
	case errors.Is(err, engine.ErrSnapshot):
		return &abci.ResponseOfferSnapshot{Result: abci.ResponseOfferSnapshot_REJECT}, nil
	case err != nil:
		return nil, a.fail("join by a snapshot", err)
	}
	a.mu.Lock()
	a.joining, a.chunks = s, make([][]byte, s.Chunks)
	a.mu.Unlock()
	return &abci.ResponseOfferSnapshot{Result: abci.ResponseOfferSnapshot_ACCEPT}, nil
}

// ApplySnapshotChunk keeps a chunk, and makes all of them the chain once the last one is there.
func (a *App) ApplySnapshotChunk(ctx context.Context, r *abci.RequestApplySnapshotChunk) (*abci.ResponseApplySnapshotChunk, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if int(r.Index) >= len(a.chunks) {
		return &abci.ResponseApplySnapshotChunk{Result: abci.ResponseApplySnapshotChunk_ABORT}, nil
	}
	if len(r.Chunk) > engine.MaxChunk {
		a.log.Warn("refused a snapshot", "sender", r.Sender, "error", fmt.Sprintf("chunk %d has %d bytes, want at most %d", r.Index, len(r.Chunk), engine.MaxChunk))
		a.chunks = nil
		return &abci.ResponseApplySnapshotChunk{Result: abci.ResponseApplySnapshotChunk_REJECT_SNAPSHOT, RejectSenders: []string{r.Sender}}, nil
	}
	a.chunks[r.Index] = r.Chunk
	if int(r.Index) < len(a.chunks)-1 { // CometBFT gives them in order
		return &abci.ResponseApplySnapshotChunk{Result: abci.ResponseApplySnapshotChunk_ACCEPT}, nil
	}
	err := a.shared.Restore(ctx, a.joining, a.chunks)
	a.chunks = nil
	if errors.Is(err, engine.ErrSnapshot) {
		return &abci.ResponseApplySnapshotChunk{Result: abci.ResponseApplySnapshotChunk_REJECT_SNAPSHOT, RejectSenders: []string{r.Sender}}, nil
	}
	if err != nil {
		return nil, a.fail("join by a snapshot", err)
	}
	a.log.Info("restored a snapshot, the blocks after it follow", "blocks", a.joining.Height, "height", a.joining.Engine)
	return &abci.ResponseApplySnapshotChunk{Result: abci.ResponseApplySnapshotChunk_ACCEPT}, nil
}

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

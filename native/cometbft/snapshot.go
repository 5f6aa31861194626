package cometbft

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	dbm "github.com/cometbft/cometbft-db"
	abci "github.com/cometbft/cometbft/abci/types"
	cfg "github.com/cometbft/cometbft/config"
	sm "github.com/cometbft/cometbft/state"
	"github.com/cometbft/cometbft/store"

	"obverse/core/chain/engine"
)

// snapshotFormat is the format of snapshots. Chunks of format 1 had heights of the engine,
// metadata of format 2 did not say how chunks end, and format 3 began with the oldest blocks.
const snapshotFormat = 4

// offered returns a snapshot in the form that CometBFT passes on.
func offered(s engine.Snapshot) (*abci.Snapshot, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	hash := sha256.Sum256(text)
	return &abci.Snapshot{Height: uint64(s.Engine), Format: snapshotFormat, Chunks: uint32(len(s.Ends)), Hash: hash[:], Metadata: text}, nil
}

// ListSnapshots lists what a joining node can start from.
func (a *App) ListSnapshots(ctx context.Context, _ *abci.RequestListSnapshots) (*abci.ResponseListSnapshots, error) {
	all, err := a.shared.Snapshots(ctx)
	if err != nil {
		return nil, err
	}
	response := &abci.ResponseListSnapshots{}
	for _, s := range all {
		parts, err := a.parts(ctx, s)
		if err != nil {
			return nil, err
		}
		for _, part := range parts {
			s.Ends = append(s.Ends, part.End)
		}
		one, err := offered(s)
		if err != nil {
			return nil, err
		}
		response.Snapshots = append(response.Snapshots, one)
	}
	return response, nil
}

// maxCut limits the snapshots whose chunks are remembered. The chain's older snapshots are deleted.
const maxCut = 50

// parts finds the chunks of a snapshot, which takes long on a long chain, once.
func (a *App) parts(ctx context.Context, s engine.Snapshot) ([]engine.Part, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if parts, known := a.cut[s.Engine]; known {
		return parts, nil
	}
	parts, err := a.shared.Cut(ctx, s)
	if err == nil {
		if len(a.cut) > maxCut {
			clear(a.cut)
		}
		a.cut[s.Engine] = parts
	}
	return parts, err
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
		parts, err := a.parts(ctx, s)
		if err != nil || int(r.Chunk) >= len(parts) {
			return &abci.ResponseLoadSnapshotChunk{}, err
		}
		chunk, err := a.shared.Chunk(ctx, parts[r.Chunk].From, parts[r.Chunk].To)
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
	if json.Unmarshal(r.Snapshot.Metadata, &s) != nil || uint64(s.Engine) != r.Snapshot.Height || uint32(len(s.Ends)) != r.Snapshot.Chunks {
		return &abci.ResponseOfferSnapshot{Result: abci.ResponseOfferSnapshot_REJECT_SENDER}, nil
	}
	err := a.shared.Offered(ctx, s, r.AppHash)
	switch {
	case errors.Is(err, engine.ErrNotNew):
		return nil, a.fail("join by a snapshot", err)
	case errors.Is(err, engine.ErrSnapshot):
		a.log.Warn("refused a snapshot", "height", s.Engine, "error", err.Error())
		return &abci.ResponseOfferSnapshot{Result: abci.ResponseOfferSnapshot_REJECT}, nil
	case err != nil:
		return nil, a.fail("join by a snapshot", err)
	}
	a.mu.Lock()
	a.joining, a.applied, a.blocks = s, 0, nil
	a.mu.Unlock()
	return &abci.ResponseOfferSnapshot{Result: abci.ResponseOfferSnapshot_ACCEPT}, nil
}

// ApplySnapshotChunk keeps a chunk, and makes all of them the chain once the last one is there. Of one
// that is not the snapshot's the sender alone is refused, and another node is asked for it.
func (a *App) ApplySnapshotChunk(ctx context.Context, r *abci.RequestApplySnapshotChunk) (*abci.ResponseApplySnapshotChunk, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if int(r.Index) != a.applied || a.applied >= len(a.joining.Ends) { // CometBFT gives them in order
		return &abci.ResponseApplySnapshotChunk{Result: abci.ResponseApplySnapshotChunk_ABORT}, nil
	}
	blocks, err := a.shared.Unpack(a.joining, a.applied, r.Chunk)
	if err != nil {
		a.log.Warn("refused a chunk of a snapshot", "sender", r.Sender, "error", err.Error())
		return &abci.ResponseApplySnapshotChunk{Result: abci.ResponseApplySnapshotChunk_RETRY, RefetchChunks: []uint32{r.Index}, RejectSenders: []string{r.Sender}}, nil
	}
	slices.Reverse(blocks)
	a.blocks = append(a.blocks, blocks...) // the newest first
	if a.applied++; a.applied < len(a.joining.Ends) {
		return &abci.ResponseApplySnapshotChunk{Result: abci.ResponseApplySnapshotChunk_ACCEPT}, nil
	}
	slices.Reverse(a.blocks)
	err = a.shared.Restore(ctx, a.joining, a.blocks)
	a.blocks = nil
	if errors.Is(err, engine.ErrSnapshot) {
		return &abci.ResponseApplySnapshotChunk{Result: abci.ResponseApplySnapshotChunk_REJECT_SNAPSHOT}, nil
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

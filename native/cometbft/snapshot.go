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

// snapshotFormat is the format of snapshots. In format 1 chunks had heights of the engine, in
// format 2 the metadata lacked the ends of chunks, and in format 3 chunks began with the oldest blocks.
const snapshotFormat = 4

// offered returns a snapshot in CometBFT's form.
func offered(s engine.Snapshot) (*abci.Snapshot, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	hash := sha256.Sum256(text)
	return &abci.Snapshot{Height: uint64(s.Engine), Format: snapshotFormat, Chunks: uint32(len(s.Ends)), Hash: hash[:], Metadata: text}, nil
}

// ListSnapshots returns the snapshots from which another node can join.
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

// maxCut limits the snapshots with cached chunks. The chain deletes older snapshots.
const maxCut = 50

// parts returns the chunks of a snapshot. It caches them, because finding them takes long on a long chain.
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

// LoadSnapshotChunk returns a chunk for a node that joins.
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

// OfferSnapshot decides whether to use a snapshot that another node offers.
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

// ApplySnapshotChunk stores a chunk, and makes the chain from all chunks once the last one has arrived. If a chunk does
// not belong to the snapshot, only its sender is refused, and another node is asked for the chunk.
func (a *App) ApplySnapshotChunk(ctx context.Context, r *abci.RequestApplySnapshotChunk) (*abci.ResponseApplySnapshotChunk, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if int(r.Index) != a.applied || a.applied >= len(a.joining.Ends) { // CometBFT passes the chunks in order
		return &abci.ResponseApplySnapshotChunk{Result: abci.ResponseApplySnapshotChunk_ABORT}, nil
	}
	blocks, err := a.shared.Unpack(a.joining, a.applied, r.Chunk)
	if err != nil {
		a.log.Warn("refused a chunk of a snapshot", "sender", r.Sender, "error", err.Error())
		return &abci.ResponseApplySnapshotChunk{Result: abci.ResponseApplySnapshotChunk_RETRY, RefetchChunks: []uint32{r.Index}, RejectSenders: []string{r.Sender}}, nil
	}
	slices.Reverse(blocks)
	a.blocks = append(a.blocks, blocks...) // newest first
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
	a.log.Info("restored a snapshot, loading the blocks after it", "blocks", a.joining.Height, "height", a.joining.Engine)
	return &abci.ResponseApplySnapshotChunk{Result: abci.ResponseApplySnapshotChunk_ACCEPT}, nil
}

// resumeJoin allows a node to start that was stopped after its snapshot and before the first
// block after it. CometBFT then has a state and no block, which it takes for damage unless the
// height is recorded as that of a snapshot. The commit of this height shows that it is.
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

// opened opens the database with an id of CometBFT.
func opened(config *cfg.Config, id string) (db dbm.DB, end func() error, err error) {
	if db, err = openDatabase(&cfg.DBContext{ID: id, Config: config}); err != nil {
		return nil, nil, fmt.Errorf("open CometBFT's %s: %w", id, err)
	}
	return db, db.Close, nil
}

package cometbft

import (
	"context"
	"log/slog"
	"testing"
	"time"

	abci "github.com/cometbft/cometbft/abci/types"
	"github.com/stretchr/testify/require"

	"obverse/core/chain/engine"
)

// TestJoinBySnapshot has a node join that never executes the first blocks: it takes a snapshot
// of another one, checks it against a header that its operator trusts, and follows from there.
func TestJoinBySnapshot(t *testing.T) {
	if testing.Short() {
		t.Skip("makes 60 blocks")
	}
	w := newNetwork(t, testOptions(t), 3)
	w.genesis.Validators = w.genesis.Validators[:1]
	late := w.nodes[2]
	for i := range w.nodes {
		w.settings[i].serve(freeAddress(t))
		w.nodes[i].inMemory(t)
	}
	w.nodes = w.nodes[:2]
	w.begin(t)
	from := w.nodes[0].premine(t)
	const blocks = 60 // one or two of CometBFT's heights each, so that there is a snapshot at height 50
	for height := 2; height <= blocks; height++ {
		tx := w.nodes[0].payment(t, from, 1_000)
		require.NoError(t, w.nodes[0].send(tx.Encode()))
		w.agree(t, height)
		from = tx
	}
	header := w.nodes[0].engine.Node().BlockStore().LoadBlockMeta(1)
	settings := w.settings[2]
	settings.Peers = []string{string(w.nodes[0].engine.Node().NodeInfo().ID()) + "@" + w.settings[0].Listen}
	settings.Trust = Trust{Height: 1, Hash: header.BlockID.Hash.String(), Servers: []string{"http://" + w.settings[0].RPC, "http://" + w.settings[1].RPC}}
	require.NoError(t, w.genesis.Save(late.home))
	late.interrupted(t, w, settings)
	late.start(t, settings)
	t.Cleanup(func() { late.end(t) })
	w.nodes = append(w.nodes, late)
	w.agree(t, blocks)
	require.Greater(t, late.engine.Node().BlockStore().Base(), int64(50), "CometBFT's first blocks were not fetched")
	tx := late.payment(t, from, 1_000)
	require.NoError(t, late.send(tx.Encode()))
	w.agree(t, blocks+1)

	late.end(t) // a restart continues without a snapshot, whatever the settings say
	late.start(t, settings)
	tx = late.payment(t, tx, 1_000)
	require.NoError(t, late.send(tx.Encode()))
	w.agree(t, blocks+2)
}

// TestLargeChunk refuses a snapshot with a chunk that no honest node sends, before it fills the memory.
func TestLargeChunk(t *testing.T) {
	app := NewApp(slog.New(slog.DiscardHandler), "c", nil, func(error) {})
	app.chunks = make([][]byte, 2)
	apply := func(size int) *abci.ResponseApplySnapshotChunk {
		r, err := app.ApplySnapshotChunk(t.Context(), &abci.RequestApplySnapshotChunk{Chunk: make([]byte, size), Sender: "liar"})
		require.NoError(t, err)
		return r
	}
	require.Equal(t, abci.ResponseApplySnapshotChunk_ACCEPT, apply(engine.MaxChunk).Result)
	require.Equal(t, &abci.ResponseApplySnapshotChunk{Result: abci.ResponseApplySnapshotChunk_REJECT_SNAPSHOT, RejectSenders: []string{"liar"}}, apply(engine.MaxChunk+1))
	require.Empty(t, app.chunks, "what came before is forgotten")
}

// interrupted has a node restore a snapshot, and stops it before the first block that follows:
// its only peer is gone as soon as it has all of the snapshot.
func (v *validator) interrupted(t *testing.T, w *network, s Settings) {
	const id = 41 // with the @
	r := newRelay(t, s.Peers[0][id:], 0, time.Millisecond, time.Hour)
	s.Peers = []string{s.Peers[0][:id] + r.listener.Addr().String()}
	v.wrap = func(app abci.Application) abci.Application { return &restored{app, r.cut} }
	v.open(t, w)
	v.start(t, s)
	restoredTo := func() int64 {
		height, _, err := v.shared.Standing(t.Context())
		require.NoError(t, err)
		return height
	}
	require.Eventually(t, func() bool {
		height := restoredTo()
		return height > 0 && v.engine.Node().BlockStore().LoadSeenCommit(height) != nil
	}, soon, 5*time.Millisecond)
	require.Zero(t, v.engine.Node().BlockStore().Height(), "it has no block")
	v.end(t)
}

// restored is an application that says when it has restored a snapshot.
type restored struct {
	abci.Application
	then func()
}

func (r *restored) ApplySnapshotChunk(ctx context.Context, chunk *abci.RequestApplySnapshotChunk) (*abci.ResponseApplySnapshotChunk, error) {
	response, err := r.Application.ApplySnapshotChunk(ctx, chunk)
	r.then()
	return response, err
}

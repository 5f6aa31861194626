package cometbft

import (
	"bytes"
	"context"
	"encoding/binary"
	"log/slog"
	"testing"
	"time"

	abci "github.com/cometbft/cometbft/abci/types"
	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/engine"
	"obverse/core/chain/script"
	"obverse/core/chain/wire"
)

// TestJoinBySnapshot joins a node that never executes the first blocks. It restores a snapshot of
// another node, checks it against a header that its operator trusts, and follows the chain from
// there.
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

	late.end(t) // a restart continues without a snapshot, regardless of the settings
	late.start(t, settings)
	tx = late.payment(t, tx, 1_000)
	require.NoError(t, late.send(tx.Encode()))
	w.agree(t, blocks+2)
}

// large returns a transaction that spends output 0 of another one, with about 190 kB of data.
func (v *validator) large(t *testing.T, from *wire.Tx) *wire.Tx {
	tx := v.payment(t, from, 200_000)
	for range 19 {
		tx.Outputs = append(tx.Outputs, chaintest.Pay(append([]byte{script.OpReturn}, make([]byte, 9_990)...), 0))
	}
	return chaintest.Sign(t, tx, v.Manager.Params().BranchID(v.tip(t).Height+1), []chaintest.Coin{chaintest.Output(from, 0)}, chaintest.Key(t, 3))
}

// TestChunksOfALiar joins with a snapshot of multiple chunks. A peer that sends a wrong chunk is
// rejected, and the node requests the chunk from other peers. It abandons neither the snapshot nor
// an honest peer.
func TestChunksOfALiar(t *testing.T) {
	w := newNetwork(t, testOptions(t), 2)
	var apps []*App
	for _, v := range w.nodes {
		v.inMemory(t)
		v.open(t, w)
		apps = append(apps, NewApp(slog.New(slog.DiscardHandler), w.genesis.ChainID, v.shared, func(error) {}))
	}
	old, late := w.nodes[0], w.nodes[1]
	_, err := old.shared.Begin(t.Context(), w.genesis.Time)
	require.NoError(t, err)
	from := old.premine(t)
	for height := int64(1); height <= 50; height++ {
		from = old.large(t, from)
		out, err := old.shared.Finalize(t.Context(), engine.Round{Height: height, Time: w.genesis.Time.Add(time.Duration(height) * time.Second), Txs: [][]byte{from.Encode()}})
		require.NoError(t, err)
		require.NoError(t, out.Verdicts[0])
		require.NoError(t, old.shared.Commit(t.Context()))
	}
	_, signed, err := old.shared.Standing(t.Context())
	require.NoError(t, err)

	list, err := apps[0].ListSnapshots(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, list.Snapshots, 1)
	offer := list.Snapshots[0]
	require.EqualValues(t, 3, offer.Chunks)
	chunk := func(index uint32) []byte {
		r, err := apps[0].LoadSnapshotChunk(t.Context(), &abci.RequestLoadSnapshotChunk{Height: offer.Height, Format: offer.Format, Chunk: index})
		require.NoError(t, err)
		return r.Chunk
	}
	offered, err := apps[1].OfferSnapshot(t.Context(), &abci.RequestOfferSnapshot{Snapshot: offer, AppHash: signed})
	require.NoError(t, err)
	require.Equal(t, abci.ResponseOfferSnapshot_ACCEPT, offered.Result)
	apply := func(index uint32, chunk []byte, sender string) *abci.ResponseApplySnapshotChunk {
		r, err := apps[1].ApplySnapshotChunk(t.Context(), &abci.RequestApplySnapshotChunk{Index: index, Chunk: chunk, Sender: sender})
		require.NoError(t, err)
		return r
	}
	for index := range offer.Chunks {
		whole := chunk(index)
		first := int(binary.BigEndian.Uint32(whole)) + 4
		flipped := bytes.Clone(whole)
		flipped[len(flipped)/2] ^= 1
		for name, wrong := range map[string][]byte{
			"nothing": {}, "a bit": flipped, "truncated": whole[:len(whole)-1], "without its first block": whole[first:], "its first block alone": whole[:first],
			"another": chunk((index + 1) % offer.Chunks), "too large": make([]byte, engine.MaxChunk+1),
		} {
			require.Equal(t, &abci.ResponseApplySnapshotChunk{Result: abci.ResponseApplySnapshotChunk_RETRY, RefetchChunks: []uint32{index}, RejectSenders: []string{"liar"}},
				apply(index, wrong, "liar"), name)
		}
		require.Equal(t, &abci.ResponseApplySnapshotChunk{Result: abci.ResponseApplySnapshotChunk_ACCEPT}, apply(index, whole, "honest"))
	}
	height, hash, err := late.shared.Standing(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, offer.Height, height)
	require.Equal(t, signed, hash)
	require.Equal(t, old.tip(t), late.tip(t))
}

// interrupted returns a node that has restored a snapshot and was stopped before the first block
// after it. Its only peer stops as soon as the node has the whole snapshot.
func (v *validator) interrupted(t *testing.T, w *network, s Settings) {
	const id = 41 // length including the @
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

// restored is an application that reports when it has restored a snapshot.
type restored struct {
	abci.Application
	then func()
}

func (r *restored) ApplySnapshotChunk(ctx context.Context, chunk *abci.RequestApplySnapshotChunk) (*abci.ResponseApplySnapshotChunk, error) {
	response, err := r.Application.ApplySnapshotChunk(ctx, chunk)
	r.then()
	return response, err
}

package engine

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"obverse/core/chain"
	"obverse/core/chain/consensus"
	"obverse/core/chain/wire"
	"obverse/core/store"
)

// Snapshot is a state of the chain that a new node can start from. It consists of the chain's
// blocks. The validators signed their hashes and everything derived from them, so no peer has
// to be trusted, and neither scripts nor the engine's blocks are verified again.
type Snapshot struct {
	Engine int64     `json:"engine"` // the engine's height
	Height int       `json:"height"` // of the last block
	Tip    wire.Hash `json:"tip"`
	Root   [32]byte  `json:"root"` // of the state
	Chunks int       `json:"chunks"`
}

const (
	keySnapshot = "ivsnap" // and 8 bytes, the engine's height → Snapshot as JSON

	// snapshotEvery is the number of engine heights between two snapshots, and
	// maxSnapshots limits how many are stored: a joining node needs one a few blocks old, and
	// time to fetch it.
	snapshotEvery = 50
	maxSnapshots  = 20

	// chunkSize is about what a chunk has, in bytes; CometBFT takes 16 MB.
	chunkSize = 4 << 20
	// MaxChunk bounds a chunk of another node: chunkSize, and what Chunk writes before each block.
	MaxChunk = chunkSize + chunkSize/4
	// maxChunks bounds what a new node keeps in memory of a snapshot, some gigabytes.
	maxChunks = 1024
)

// Errors of Restore.
var (
	ErrSnapshot = errors.New("invalid snapshot")
	ErrNotNew   = errors.New("only a new node can begin with a snapshot, and this one has another or a longer chain")
)

func snapshotKey(engine int64) string { return keySnapshot + EncodeHeight(engine) }

// snapshots lists the stored ones, oldest first.
func (s *Shared) snapshots(ctx context.Context) (all []Snapshot, err error) {
	entries, err := s.kv.Scan(ctx, keySnapshot, "", 2*maxSnapshots)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		var one Snapshot
		if err := json.Unmarshal([]byte(e.Data), &one); err != nil {
			return nil, fmt.Errorf("read the store: snapshot: %w", err)
		}
		all = append(all, one)
	}
	return all, nil
}

// Snapshots lists what a new node can begin with.
func (s *Shared) Snapshots(ctx context.Context) ([]Snapshot, error) { return s.snapshots(ctx) }

// remember keeps the state after a planned block as a snapshot, if the last one is old enough.
func (s *Shared) remember(ctx context.Context, st *step, root [32]byte) error {
	all, err := s.snapshots(ctx)
	if err != nil {
		return err
	}
	if n := len(all); n > 0 && st.height/snapshotEvery == all[n-1].Engine/snapshotEvery || st.height < snapshotEvery {
		return nil
	}
	one := Snapshot{Engine: st.height, Height: st.plan.Height(), Tip: st.plan.Hash, Root: root}
	text, err := json.Marshal(one)
	if err != nil {
		return err
	}
	st.plan.Keep(snapshotKey(st.height), string(text))
	if len(all) >= maxSnapshots {
		st.plan.Drop(snapshotKey(all[0].Engine))
	}
	return nil
}

// Cut finds where a snapshot's chunks begin: at which heights, and behind the last one.
func (s *Shared) Cut(ctx context.Context, snap Snapshot) (cuts []int, err error) {
	err = s.manager.Read(ctx, func(v *chain.View) error {
		size := chunkSize
		for height := 1; height <= snap.Height; height++ {
			hash, err := v.HashAt(height)
			if err != nil {
				return err
			}
			r, err := v.Record(hash)
			if err != nil {
				return err
			}
			if size += r.Size; size >= chunkSize {
				cuts, size = append(cuts, height), r.Size
			}
		}
		return nil
	})
	return append(cuts, snap.Height+1), err
}

// Chunk is the blocks from a height on up to another: of each its size, 4 bytes, and the block.
// The engine's heights are left out: no hash covers them, so that a peer could make them up.
func (s *Shared) Chunk(ctx context.Context, from, to int) (chunk []byte, err error) {
	for height := from; height < to; height++ {
		var raw []byte
		err := s.manager.Read(ctx, func(v *chain.View) error {
			hash, err := v.HashAt(height)
			if err == nil {
				raw, err = v.RawBlock(hash)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		chunk = append(binary.BigEndian.AppendUint32(chunk, uint32(len(raw))), raw...)
	}
	return chunk, nil
}

// NeedsNone reports whether the store has the blocks that the validators' chain continues, so
// that a snapshot would bring nothing that the engine does not give.
func (s *Shared) NeedsNone(ctx context.Context) (bool, error) {
	tip, err := s.tip(ctx)
	return s.terms.From > 1 && tip.Height == s.terms.From-1 && tip.Hash == s.terms.Tip, err
}

// Offered validates a snapshot before its chunks are fetched. appHash is the hash that the
// validators signed at its height.
func (s *Shared) Offered(ctx context.Context, snap Snapshot, appHash []byte) error {
	sum := s.hash(snap.Tip, snap.Height, snap.Root)
	if string(sum[:]) != string(appHash) {
		return fmt.Errorf("%w: the validators signed %x at height %d, and it has %x", ErrSnapshot, appHash, snap.Engine, sum)
	}
	if snap.Chunks < 1 || snap.Chunks > maxChunks {
		return fmt.Errorf("%w: it has %d chunks, want 1 to %d", ErrSnapshot, snap.Chunks, maxChunks)
	}
	tip, err := s.tip(ctx)
	if err == nil && tip.Height > snap.Height {
		return fmt.Errorf("%w of %d blocks", ErrNotNew, tip.Height)
	}
	return err
}

// Restore makes a snapshot that was Offered the node's chain. Chunks that are not the
// snapshot's change nothing. What a Restore that was cut off left of the blocks stays.
func (s *Shared) Restore(ctx context.Context, snap Snapshot, chunks [][]byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	blocks, err := s.unpack(snap, chunks)
	if err != nil {
		return err
	}
	from, err := s.begun(ctx, blocks)
	if err != nil {
		return err
	}
	const together = 500
	for i := from; i < len(blocks); i += together {
		if err := s.manager.Adopt(ctx, blocks[i:min(i+together, len(blocks))]); err != nil {
			return fmt.Errorf("restore a snapshot: %w", err)
		}
	}
	terms, err := json.Marshal(s.terms)
	if err != nil {
		return err
	}
	var batch store.Batch
	batch.Put(keyTerms, string(terms))
	batch.Put(keyHeight, EncodeHeight(snap.Engine))
	batch.Put(atKey(snap.Height), EncodeHeight(snap.Engine)) // the validators signed the tip at this height
	return store.Apply(ctx, s.kv, batch)
}

// begun is how many of a snapshot's blocks the chain has.
func (s *Shared) begun(ctx context.Context, blocks [][]byte) (int, error) {
	tip, err := s.tip(ctx)
	if err != nil || tip.Height == 0 {
		return 0, err
	}
	if tip.Height <= len(blocks) {
		if b, err := consensus.DecodeBlock(blocks[tip.Height-1]); err == nil && b.Hash == tip.Hash {
			return tip.Height, nil
		}
	}
	return 0, fmt.Errorf("%w: block %d is %v", ErrNotNew, tip.Height, tip.Hash)
}

// unpack takes chunks apart, and follows the blocks' hashes from the tip to the genesis.
func (s *Shared) unpack(snap Snapshot, chunks [][]byte) (blocks [][]byte, err error) {
	for _, chunk := range chunks {
		for len(chunk) > 0 {
			if len(chunk) < 4 || uint64(binary.BigEndian.Uint32(chunk)) > uint64(len(chunk)-4) {
				return nil, fmt.Errorf("%w: a chunk is truncated", ErrSnapshot)
			}
			size := int(binary.BigEndian.Uint32(chunk))
			blocks = append(blocks, chunk[4:4+size])
			chunk = chunk[4+size:]
		}
	}
	if len(blocks) != snap.Height {
		return nil, fmt.Errorf("%w: it has %d blocks, want %d", ErrSnapshot, len(blocks), snap.Height)
	}
	want := snap.Tip
	for i := len(blocks) - 1; i >= 0; i-- {
		b, err := consensus.DecodeBlock(blocks[i])
		if err != nil || b.Hash != want {
			return nil, fmt.Errorf("%w: block %d is not %v", ErrSnapshot, i+1, want)
		}
		if root, repeated := wire.MerkleRoot(b.IDs); root != b.MerkleRoot || repeated {
			return nil, fmt.Errorf("%w: block %d has other transactions than its header", ErrSnapshot, i+1)
		}
		want = b.Prev
	}
	if _, genesis := s.manager.Params().Genesis(); want != genesis {
		return nil, fmt.Errorf("%w: its blocks begin after %v, want %v", ErrSnapshot, want, genesis)
	}
	return blocks, nil
}

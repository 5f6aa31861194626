package engine

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"obverse/core/chain"
	"obverse/core/chain/consensus"
	"obverse/core/chain/wire"
	"obverse/core/store"
)

// Snapshot is a state of the chain that a new node can start from. It consists of the chain's
// blocks. The validators signed their hashes and everything derived from them, so no peer has
// to be trusted, and neither scripts nor the engine's blocks are verified again.
type Snapshot struct {
	Engine int64     `json:"engine"` // height of the engine
	Height int       `json:"height"` // height of the last block
	Tip    wire.Hash `json:"tip"`
	Root   [32]byte  `json:"root"` // root of the state

	// Ends lists the last block of each chunk, in the order of the chunks, which starts with
	// the newest blocks. With Ends, a node can determine which chunk does not belong to the
	// snapshot, and reject only the sender of that chunk. Ends is not stored.
	Ends []wire.Hash `json:"ends,omitempty"`
}

// Part is the range of blocks in a chunk.
type Part struct {
	From, To int // heights; To is exclusive
	End      wire.Hash
}

const (
	keySnapshot = "ivsnap" // followed by 8 bytes, the engine's height → Snapshot as JSON

	// snapshotEvery is the number of engine heights between two snapshots, and maxSnapshots
	// limits how many are stored: a joining node needs a recent one, and time to fetch it.
	snapshotEvery = 50
	maxSnapshots  = 20

	// chunkSize is the approximate size of a chunk in bytes; CometBFT accepts up to 16 MB.
	chunkSize = 4 << 20
	// MaxChunk limits a chunk from another node: chunkSize, and the sizes that Chunk writes
	// before each block.
	MaxChunk = chunkSize + chunkSize/4
	// maxChunks limits the chunks of a snapshot that a new node holds in memory; together they
	// contain its whole chain.
	maxChunks = 1024
)

// Errors of Offered, Unpack and Restore.
var (
	ErrSnapshot = errors.New("invalid snapshot")
	ErrNotNew   = errors.New("only a new node can begin with a snapshot, and this one has another or a longer chain")
)

func snapshotKey(engine int64) string { return keySnapshot + EncodeHeight(engine) }

// snapshots returns the stored snapshots, oldest first.
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

// Snapshots returns the snapshots from which a new node can start.
func (s *Shared) Snapshots(ctx context.Context) ([]Snapshot, error) { return s.snapshots(ctx) }

// remember stores the state after a planned block as a snapshot, if the last snapshot is old
// enough.
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

// Cut divides a snapshot's blocks into chunks, and returns their parts, starting with the
// newest blocks. It reads the chain in short steps, so that blocks can be written in between.
func (s *Shared) Cut(ctx context.Context, snap Snapshot) (parts []Part, err error) {
	const together = 1000
	size := chunkSize
	for from := 1; from <= snap.Height; from += together {
		err := s.manager.Read(ctx, func(v *chain.View) error {
			for height := from; height < from+together && height <= snap.Height; height++ {
				hash, err := v.HashAt(height)
				if err != nil {
					return err
				}
				r, err := v.Record(hash)
				if err != nil {
					return err
				}
				if size += r.Size; size >= chunkSize {
					parts, size = append(parts, Part{From: height}), r.Size
				}
				last := &parts[len(parts)-1]
				last.To, last.End = height+1, hash
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Reverse(parts)
	return parts, nil
}

// Chunk returns the blocks in the range from (inclusive) to to (exclusive). Each block is
// preceded by its size in 4 bytes. The engine's heights are not included: no hash covers them,
// so a peer could forge them.
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

// NeedsNone reports whether the store already contains the blocks that the validators' chain
// continues. In this case, the engine provides everything that a snapshot would.
func (s *Shared) NeedsNone(ctx context.Context) (bool, error) {
	tip, err := s.tip(ctx)
	return s.terms.From > 1 && tip.Height == s.terms.From-1 && tip.Hash == s.terms.Tip, err
}

// Offered validates a snapshot before its chunks are fetched. The argument appHash is the hash
// that the validators signed at the snapshot's height.
func (s *Shared) Offered(ctx context.Context, snap Snapshot, appHash []byte) error {
	sum := s.hash(snap.Tip, snap.Height, snap.Root)
	if string(sum[:]) != string(appHash) {
		return fmt.Errorf("%w: the validators signed %x at height %d, and it has %x", ErrSnapshot, appHash, snap.Engine, sum)
	}
	if n := len(snap.Ends); n < 1 || n > min(maxChunks, snap.Height) {
		return fmt.Errorf("%w: it has %d chunks, want 1 to %d", ErrSnapshot, n, min(maxChunks, snap.Height))
	}
	if end := snap.Ends[0]; end != snap.Tip {
		return fmt.Errorf("%w: its chunks end with %v, want %v", ErrSnapshot, end, snap.Tip)
	}
	tip, err := s.tip(ctx)
	if err == nil && tip.Height > snap.Height {
		return fmt.Errorf("%w of %d blocks", ErrNotNew, tip.Height)
	}
	return err
}

// Restore makes an accepted snapshot the node's chain. The argument blocks has the blocks that
// Unpack returned for all its chunks, by height. Blocks that an interrupted Restore has written
// are kept.
func (s *Shared) Restore(ctx context.Context, snap Snapshot, blocks [][]byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(blocks) != snap.Height {
		return fmt.Errorf("%w: it has %d blocks, want %d", ErrSnapshot, len(blocks), snap.Height)
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
	batch.Put(atKey(snap.Height), EncodeHeight(snap.Engine)) // the validators signed the tip at this engine height
	return store.Apply(ctx, s.kv, batch)
}

// begun returns the number of a snapshot's blocks that the chain already contains.
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

// Unpack decodes the chunk with the given index and returns its blocks by height. It returns
// ErrSnapshot unless the blocks form a chain from the end of the chunk with the preceding
// blocks, or from the genesis block, to the last block in snap.Ends[index]. The validators
// signed the end of chunk 0, so a caller that unpacks the chunks in order of their index only
// receives blocks of the validators' chain. The first block of a longer forged chain is
// detected.
func (s *Shared) Unpack(snap Snapshot, index int, chunk []byte) (blocks [][]byte, err error) {
	if len(chunk) > MaxChunk {
		return nil, fmt.Errorf("%w: chunk %d has %d bytes, want at most %d", ErrSnapshot, index, len(chunk), MaxChunk)
	}
	_, last := s.manager.Params().Genesis()
	if index < len(snap.Ends)-1 {
		last = snap.Ends[index+1]
	}
	for len(chunk) > 0 {
		if len(chunk) < 4 || uint64(binary.BigEndian.Uint32(chunk)) > uint64(len(chunk)-4) {
			return nil, fmt.Errorf("%w: chunk %d is truncated", ErrSnapshot, index)
		}
		size := int(binary.BigEndian.Uint32(chunk))
		raw := chunk[4 : 4+size]
		b, err := consensus.DecodeBlock(raw)
		if err != nil || b.Prev != last {
			return nil, fmt.Errorf("%w: block %d of chunk %d does not follow %v", ErrSnapshot, len(blocks), index, last)
		}
		if root, repeated := wire.MerkleRoot(b.IDs); root != b.MerkleRoot || repeated {
			return nil, fmt.Errorf("%w: block %v: the transactions do not match the header", ErrSnapshot, b.Hash)
		}
		blocks, last, chunk = append(blocks, raw), b.Hash, chunk[4+size:]
	}
	if last != snap.Ends[index] {
		return nil, fmt.Errorf("%w: chunk %d ends with %v, want %v", ErrSnapshot, index, last, snap.Ends[index])
	}
	return blocks, nil
}

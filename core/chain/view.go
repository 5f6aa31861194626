package chain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"obverse/core/chain/consensus"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
	"obverse/core/store"
)

// ErrNotFound reports that the chain does not contain the requested object.
var ErrNotFound = errors.New("not found in the chain")

// View is a snapshot of the chain during one Read or Update: all its results refer to the same
// tip. It must not be used after the call has ended.
type View struct {
	m *Manager
	o *overlay
}

// Read calls look while the chain does not change. Multiple readers may run concurrently, and a
// change waits for them, so look should be short and must not wait for the disk.
func (m *Manager) Read(ctx context.Context, look func(*View) error) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return look(&View{m, newOverlay(ctx, m.kv)})
}

// Update is like Read, but no other reader and no change runs during the call. It is for
// callers that change data belonging to the chain (the mempool).
func (m *Manager) Update(ctx context.Context, change func(*View) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return change(&View{m, newOverlay(ctx, m.kv)})
}

// Stage writes a batch; see store.KV.
func (v *View) Stage(b store.Batch) (store.Durable, error) { return v.o.kv.Stage(v.o.ctx, b) }

// Tip returns the last block.
func (v *View) Tip() Tip { return v.m.tip }

// NextBits returns the bits that the next block should have. Call Err afterwards.
func (v *View) NextBits() uint32 {
	return v.m.headerRules.NextBits(v.o.stamps(v.m.tip.Hash), v.m.params)
}

// Coins returns unspent outputs of the chain; ok reports which of them exist.
func (v *View) Coins(outs ...wire.OutPoint) (coins []consensus.Coin, ok []bool, err error) {
	keys := make([]string, len(outs))
	for i := range outs {
		keys[i] = outKey(tableCoin, outs[i])
	}
	v.o.fetch(keys...)
	coins, ok = make([]consensus.Coin, len(outs)), make([]bool, len(outs))
	for i := range outs {
		coins[i], ok[i] = v.o.coin(outs[i])
	}
	return coins, ok, v.o.err
}

// HasCoins reports whether a transaction in the chain has an unspent output.
func (v *View) HasCoins(id wire.Hash) (bool, error) {
	found, err := v.o.kv.Scan(v.o.ctx, hashKey(tableCoin, id), "", 1)
	return len(found) > 0, err
}

// Creation returns a token's creation, and whether it is in the chain.
func (v *View) Creation(id wire.Hash) (token.Creation, bool) { return v.o.creation(id) }

// HashAt returns the hash of the chain's block at a height.
func (v *View) HashAt(height int) (hash wire.Hash, err error) {
	found := store.Value{}
	if height >= 0 {
		found = v.o.get(heightKey(height))
	}
	if !found.Present {
		return hash, cmp.Or(v.o.err, ErrNotFound)
	}
	if len(found.Data) != len(hash) {
		return hash, corrupt("height index", fmt.Errorf("height %d has a hash of %d bytes", height, len(found.Data)))
	}
	copy(hash[:], found.Data)
	return hash, nil
}

// Record returns the metadata of a block, whether or not it is in the active chain.
func (v *View) Record(hash wire.Hash) (Record, error) {
	r, ok := v.o.record(hash)
	if !ok {
		return r, cmp.Or(v.o.err, ErrNotFound)
	}
	return r, nil
}

// InChain reports whether a block is part of the chain.
func (v *View) InChain(hash wire.Hash, r Record) bool { return v.o.inChain(hash, r.Height) }

// RawBlock returns a block's bytes, whether or not it is in the active chain.
func (v *View) RawBlock(hash wire.Hash) ([]byte, error) {
	found := v.o.get(hashKey(tableBlock, hash))
	if !found.Present {
		return nil, cmp.Or(v.o.err, ErrNotFound)
	}
	return []byte(found.Data), v.o.err
}

// MedianTime returns the median time past of a block: the median of its time and the times of
// the ten blocks before it.
func (v *View) MedianTime(hash wire.Hash, r Record) (uint32, error) {
	tip := v.o.tipOf(hash, r)
	return tip.MedianTime, v.o.err
}

// Located is a transaction of the chain with its place.
type Located struct {
	Raw      []byte
	Height   int
	Position int // index in its block
	Block    wire.Hash
}

// Tx returns a transaction of the chain.
func (v *View) Tx(id wire.Hash) (Located, error) {
	found := v.o.get(hashKey(tableTx, id))
	if !found.Present {
		return Located{}, cmp.Or(v.o.err, ErrNotFound)
	}
	at, err := decodePlace(found.Data)
	if err != nil {
		return Located{}, corrupt("transaction index", err)
	}
	hash, err := v.HashAt(at.height)
	if err != nil {
		return Located{}, err
	}
	block := v.o.get(hashKey(tableBlock, hash)).Data
	end := uint64(at.span.Offset) + uint64(at.span.Size)
	if end > uint64(len(block)) {
		return Located{}, corrupt("transaction index", fmt.Errorf("%v is outside block %v", id, hash))
	}
	raw := []byte(block[at.span.Offset:end])
	if found := wire.HashOf(raw); found != id && v.o.err == nil {
		return Located{}, corrupt("transaction index", fmt.Errorf("%v is where %v should be, in block %v", found, id, hash))
	}
	return Located{raw, at.height, at.position, hash}, v.o.err
}

// HasTx reports whether the chain contains a transaction.
func (v *View) HasTx(id wire.Hash) (bool, error) {
	found := v.o.get(hashKey(tableTx, id))
	return found.Present, v.o.err
}

// Spender returns the input that spent an output of the chain, if any.
func (v *View) Spender(out wire.OutPoint) (s Spender, spent bool, err error) {
	found := v.o.get(outKey(tableSpent, out))
	if !found.Present || v.o.err != nil {
		return s, false, v.o.err
	}
	if s, err = decodeSpender(found.Data); err != nil {
		return s, false, corrupt("spender", err)
	}
	return s, true, nil
}

// Balance returns the sum of an address's unspent outputs, and the sum of all outputs it ever
// received, in satoshis. The second sum is capped at 2^63-1, because coins that are moved often
// add up to more than exist.
func (v *View) Balance(a Address) (balance, received int64, err error) {
	sums := v.o.amounts(addressKey(tableBalance, a))
	return sums[0], saturated(sums[1]), v.o.err
}

// saturated converts a sum that is stored as an unsigned number, and caps it at 2^63-1.
func saturated(stored int64) int64 {
	if stored < 0 {
		return math.MaxInt64
	}
	return stored
}

// Leaf is a block without a child: the end of a branch.
type Leaf struct {
	Hash   wire.Hash
	Record Record
}

// Leaves returns the ends of all branches.
func (m *Manager) Leaves() []Leaf {
	m.writing.Lock()
	defer m.writing.Unlock()
	leaves := make([]Leaf, 0, len(m.leaves))
	for hash, r := range m.leaves {
		leaves = append(leaves, Leaf{hash, r})
	}
	return leaves
}

package chain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/big"
	"sync"
	"time"

	"obverse/core/chain/consensus"
	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/wire"
	"obverse/core/store"
)

// Errors of Submit and related methods, in addition to *consensus.Rejection.
var (
	ErrKnownBlock    = errors.New("block is known")
	ErrKnownInvalid  = errors.New("block is known to be invalid")
	ErrUnknownParent = errors.New("block's parent is not known")
	ErrBadParent     = errors.New("block's parent is invalid")
	ErrUnknownBlock  = errors.New("block is not known")
	ErrGenesis       = errors.New("the genesis block cannot be changed")
)

// HeaderRules decide who may make a block: proof of work, a producer's signature, or anyone.
// Package engine implements them.
type HeaderRules interface {
	// Check validates a header's bits, nonce and solution. The stamps before are the input of
	// params.NextBits; the last one is that of the parent. Check returns a *consensus.Rejection
	// if the header is invalid.
	Check(h *wire.Header, height int, before []params.Stamp) error
	// NextBits returns the bits of the block that follows the given blocks. The argument before
	// is the same as in Check.
	NextBits(before []params.Stamp, p *params.Params) uint32
}

// Follower maintains data that depends on the chain. Its methods are never called concurrently.
type Follower interface {
	// Prepare is called before a change and returns the operations to write in the same batch.
	Prepare(c *Change) []store.Op
	// Changed is called once the change is visible in the store, while readers are blocked, so
	// that a reader sees either both changes or neither. The view v shows the chain after the
	// change and remains valid after the caller's context has ended.
	Changed(v *View, c *Change)
	// Settled is called after readers have been unblocked, before the call that caused the
	// change returns.
	Settled(ctx context.Context, c *Change)
}

// Change is a step from one tip to another.
type Change struct {
	Tip          Tip
	Disconnected []*wire.Block // blocks in descending order, starting at the old tip
	Connected    []*wire.Block // blocks in ascending order, starting after the fork
}

// Tip describes the last block of the chain.
type Tip struct {
	Hash       wire.Hash
	Height     int
	Time       uint32
	MedianTime uint32 // median of the last 11 block times; the next block's time must be greater
	Bits       uint32
	Work       *big.Int
}

// Config holds the dependencies and settings of a Manager.
type Config struct {
	Store       store.KV
	Params      *params.Params
	HeaderRules HeaderRules
	Now         func() time.Time
	Cache       *script.SigCache // shared with the mempool, so that connecting a block verifies few signatures
	State       StateTree        // nil if the state is not hashed
	// Progress, if not nil, is called with the last block whose indexes are filled, and the last
	// block of the chain, while Open upgrades the store of an older version.
	Progress func(block, last int)
}

// Manager maintains one chain. Its methods are safe for concurrent use.
type Manager struct {
	kv          store.KV
	params      *params.Params
	headerRules HeaderRules
	now         func() time.Time
	cache       *script.SigCache
	state       StateTree // nil if the state is not hashed
	progress    func(block, last int)

	writing sync.Mutex // held during a change
	leaves  map[wire.Hash]Record
	arrived uint64

	// Readers hold mu while they read. A change holds it only while it becomes visible.
	mu        sync.RWMutex
	tip       Tip
	followers []Follower
}

// Open loads the chain from the store, or creates it with the genesis block.
func Open(ctx context.Context, c Config) (*Manager, error) {
	m := &Manager{kv: c.Store, params: c.Params, headerRules: c.HeaderRules, now: c.Now, cache: c.Cache, state: c.State, progress: c.Progress,
		leaves: map[wire.Hash]Record{}}
	if err := m.loadLeaves(ctx); err != nil {
		return nil, fmt.Errorf("load chain: %w", err)
	}
	if len(m.leaves) == 0 {
		if err := m.begin(ctx); err != nil {
			return nil, fmt.Errorf("write genesis block: %w", err)
		}
	}
	if err := m.loadTip(ctx); err != nil {
		return nil, fmt.Errorf("load chain: %w", err)
	}
	if err := m.reindex(ctx); err != nil {
		return nil, fmt.Errorf("upgrade the indexes: %w", err)
	}
	return m, nil
}

// Follow adds a follower. Call it before the first change.
func (m *Manager) Follow(f Follower) { m.followers = append(m.followers, f) }

// Params returns the chain's parameters.
func (m *Manager) Params() *params.Params { return m.params }

// Cache returns the cache of verified signatures.
func (m *Manager) Cache() *script.SigCache { return m.cache }

const pageSize = 1000

func (m *Manager) loadLeaves(ctx context.Context) error {
	o := newOverlay(ctx, m.kv)
	prefix := string([]byte{tableLeaf})
	for after := ""; ; {
		page, err := m.kv.Scan(ctx, prefix, after, pageSize)
		if err != nil {
			return err
		}
		for _, entry := range page {
			if want := len(prefix) + len(wire.Hash{}); len(entry.Key) != want {
				return corrupt("leaf", fmt.Errorf("key has %d bytes, want %d", len(entry.Key), want))
			}
			hash := wire.Hash([]byte(entry.Key[1:]))
			record, ok := o.record(hash)
			if !ok {
				return cmp.Or(o.err, corrupt("leaf", ErrUnknownBlock))
			}
			m.leaves[hash] = record
			m.arrived = max(m.arrived, record.Sequence)
			after = entry.Key
		}
		if len(page) < pageSize {
			return nil
		}
	}
}

// begin stores the genesis block. Its outputs never become coins.
func (m *Manager) begin(ctx context.Context) error {
	raw, hash := m.params.Genesis()
	b, err := consensus.DecodeBlock(raw)
	if err != nil {
		return err
	}
	r := Record{Time: b.Time, Bits: b.Bits, Work: params.Work(b.Bits), Size: len(raw), Totals: Totals{Known: true}}
	o := newOverlay(ctx, m.kv)
	o.put(heightKey(0), string(hash[:]))
	o.put(tipKey, string(hash[:]))
	o.put(keyIndexes, indexed)
	m.keep(o, b, r)
	if err := store.Apply(ctx, m.kv, o.batch()); err != nil {
		return err
	}
	m.addLeaf(hash, r)
	return nil
}

// tipKey is the key of the hash of the chain's last block.
const tipKey = "itip"

func (m *Manager) loadTip(ctx context.Context) error {
	o := newOverlay(ctx, m.kv)
	var hash wire.Hash
	copy(hash[:], o.get(tipKey).Data)
	r, ok := o.record(hash)
	if !ok {
		return cmp.Or(o.err, corrupt("tip", ErrUnknownBlock))
	}
	m.tip = o.tipOf(hash, r)
	if err := cmp.Or(o.err, m.audit(ctx, r)); err != nil {
		return err
	}
	if err := m.loadState(o); err != nil {
		return fmt.Errorf("state: %w", err)
	}
	return nil
}

// tipOf returns the Tip for a block.
func (o *overlay) tipOf(hash wire.Hash, r Record) Tip {
	return Tip{Hash: hash, Height: r.Height, Time: r.Time, Bits: r.Bits, Work: r.Work,
		MedianTime: params.MedianTime(o.stamps(hash))}
}

// stamps returns the stamps of the last blocks up to and including hash, in height order. The
// difficulty and time rules need them.
func (o *overlay) stamps(hash wire.Hash) []params.Stamp {
	var stamps []params.Stamp
	for len(stamps) < params.WorkWindow {
		r, ok := o.record(hash)
		if !ok {
			o.fail(corrupt("branch", ErrUnknownBlock))
			break
		}
		stamps = append(stamps, params.Stamp{Time: r.Time, Bits: r.Bits})
		if r.Height == 0 {
			break
		}
		hash = r.Prev
	}
	for i, j := 0, len(stamps)-1; i < j; i, j = i+1, j-1 {
		stamps[i], stamps[j] = stamps[j], stamps[i]
	}
	return stamps
}

// keep adds a block's bytes and record to the overlay and marks the block as a leaf.
func (m *Manager) keep(o *overlay, b *consensus.Block, r Record) {
	o.put(hashKey(tableBlock, b.Hash), string(b.Raw))
	o.put(hashKey(tableRecord, b.Hash), r.encode())
	o.put(hashKey(tableLeaf, b.Hash), "")
	if r.Height > 0 {
		o.del(hashKey(tableLeaf, r.Prev))
	}
}

// StateTree hashes the state of the chain, so that its parts can be proven to anyone who knows
// the hash. Package statetree implements it; a chain with a single producer does not need it.
// Load and Stage are never called concurrently.
type StateTree interface {
	// Load reads the state that v shows, and returns the operations for the records that the
	// tree stores about itself. It returns ErrCorrupt if the state does not match these
	// records.
	Load(v *View) ([]store.Op, error)
	// Stage computes the state after changes of records. The view v shows the result of the
	// changes, and tip is the last block after them. Stage changes nothing; the caller applies
	// the result with Publish.
	Stage(v *View, tip Tip, changed []store.Op) (StagedState, error)
	// Root returns the hash of the last published state.
	Root() [32]byte
}

// StagedState is the state after a change that has not been written yet.
type StagedState struct {
	Root    [32]byte
	Ops     []store.Op // operations to write in the same batch as the change
	Publish func()     // called while readers are blocked, once the change is visible
}

// The state consists of the records of these tables. The constants are the first bytes of their
// keys.
const (
	StateCoins    = tableCoin         // txid, index → coin
	StateTokens   = tableToken        // token id → supply, kind
	StateBalances = tableTokenBalance // token id, address → sum
)

// CoinKey returns the key of an unspent output's record.
func CoinKey(out wire.OutPoint) string { return outKey(StateCoins, out) }

// TokenKey returns the key of a token's record.
func TokenKey(id wire.Hash) string { return hashKey(StateTokens, id) }

// TokenBalanceKey returns the key of an address's balance record of a token.
func TokenBalanceKey(id wire.Hash, a Address) string { return tokenBalanceKey(id, a) }

// StateRecords iterates over the records of the state. Call Err after the iteration.
func (v *View) StateRecords() iter.Seq[store.Entry] {
	tables := []struct {
		table byte
		tail  int
	}{{StateCoins, outPointSize}, {StateTokens, len(wire.Hash{})}, {StateBalances, len(wire.Hash{}) + 1 + len(Address{}.Hash)}}
	return func(yield func(store.Entry) bool) {
		for _, t := range tables {
			for entry := range v.scan(string([]byte{t.table}), "", t.tail) {
				if !yield(entry) {
					return
				}
			}
		}
	}
}

// Stored returns a record that a StateTree has stored about itself.
func (v *View) Stored(key string) (store.Value, error) { return v.o.get(key), v.o.err }

// StateRoot returns the hash of the state, or zero if the chain does not hash its state.
func (v *View) StateRoot() [32]byte {
	if v.m.state == nil {
		return [32]byte{}
	}
	return v.m.state.Root()
}

// loadState passes the current state to the state tree.
func (m *Manager) loadState(o *overlay) error {
	if m.state == nil {
		return nil
	}
	ops, err := m.state.Load(&View{m, o})
	if err != nil || len(ops) == 0 {
		return err
	}
	return store.Apply(o.ctx, m.kv, store.Batch{Ops: ops})
}

// stageState stages the state after a batch, and adds the records of the state tree to the
// batch.
func (m *Manager) stageState(o *overlay, tip Tip, batch *store.Batch) (publish func(), err error) {
	if m.state == nil {
		return func() {}, nil
	}
	staged, err := m.state.Stage(&View{m, o}, tip, batch.Ops)
	if err != nil {
		return nil, fmt.Errorf("state after block %v: %w", tip.Hash, err)
	}
	batch.Ops = append(batch.Ops, staged.Ops...)
	return staged.Publish, nil
}

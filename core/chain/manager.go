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

// Errors of Submit and related methods, in addition to consensus.Rejection.
var (
	ErrKnownBlock    = errors.New("block is known")
	ErrKnownInvalid  = errors.New("block is known to be invalid")
	ErrUnknownParent = errors.New("block's parent is not known")
	ErrBadParent     = errors.New("block's parent is invalid")
	ErrUnknownBlock  = errors.New("block is not known")
	ErrGenesis       = errors.New("the genesis block cannot be changed")
)

// HeaderRules decide who may make a block: proof of work, a producer's signature, or no
// restriction. Package engine has the implementations.
type HeaderRules interface {
	// Check validates a header's bits, nonce and solution. before are the blocks
	// that params.NextBits wants, the last one being the parent. A refusal is a
	// *consensus.Rejection.
	Check(h *wire.Header, height int, before []params.Stamp) error
	// NextBits returns the bits of the block that follows those, before as for Check.
	NextBits(before []params.Stamp, p *params.Params) uint32
}

// Follower keeps something that depends on the chain. Calls come one at a time.
type Follower interface {
	// Prepare is called before a change and returns the operations that the store must write in
	// the same batch.
	Prepare(c *Change) []store.Op
	// Changed is called once the change is visible in the store and while no
	// reader can look, so that readers see both changes or neither. v shows the
	// chain after the change, and does not end with the caller's context.
	Changed(v *View, c *Change)
	// Settled is called when readers may look again, before the call that caused
	// the change returns.
	Settled(ctx context.Context, c *Change)
}

// Change is a step from one tip to another.
type Change struct {
	Tip          Tip
	Disconnected []*wire.Block // from the old tip down
	Connected    []*wire.Block // from the fork up
}

// Tip is the last block of the chain.
type Tip struct {
	Hash       wire.Hash
	Height     int
	Time       uint32
	MedianTime uint32 // of its last 11 blocks: the next one must be later
	Bits       uint32
	Work       *big.Int
}

// Config holds the dependencies and settings of a Manager.
type Config struct {
	Store       store.KV
	Params      *params.Params
	HeaderRules HeaderRules
	Now         func() time.Time
	Cache       *script.SigCache // shared with the mempool, so that blocks verify little
	State       StateTree        // nil: the state is not hashed
}

// Manager keeps one chain. Its methods may be called by several goroutines.
type Manager struct {
	kv          store.KV
	params      *params.Params
	headerRules HeaderRules
	now         func() time.Time
	cache       *script.SigCache
	state       StateTree // nil: none

	writing sync.Mutex // one change at a time
	leaves  map[wire.Hash]Record
	arrived uint64

	// mu is held by readers while they look and by a change only for the moment
	// in which it becomes visible.
	mu        sync.RWMutex
	tip       Tip
	followers []Follower
}

// Open loads the chain from the store, or begins it with the genesis block.
func Open(ctx context.Context, c Config) (*Manager, error) {
	m := &Manager{kv: c.Store, params: c.Params, headerRules: c.HeaderRules, now: c.Now, cache: c.Cache, state: c.State,
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
	m.keep(o, b, r)
	if err := store.Apply(ctx, m.kv, o.batch()); err != nil {
		return err
	}
	m.addLeaf(hash, r)
	return nil
}

// tipKey names the last block of the chain.
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

// tipOf describes a block as the tip.
func (o *overlay) tipOf(hash wire.Hash, r Record) Tip {
	return Tip{Hash: hash, Height: r.Height, Time: r.Time, Bits: r.Bits, Work: r.Work,
		MedianTime: params.MedianTime(o.stamps(hash))}
}

// stamps lists what the difficulty and time rules read: the last blocks up to and
// with hash, in height order.
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

// keep stores a block's bytes and record and makes it a leaf in the overlay.
func (m *Manager) keep(o *overlay, b *consensus.Block, r Record) {
	o.put(hashKey(tableBlock, b.Hash), string(b.Raw))
	o.put(hashKey(tableRecord, b.Hash), r.encode())
	o.put(hashKey(tableLeaf, b.Hash), "")
	if r.Height > 0 {
		o.del(hashKey(tableLeaf, r.Prev))
	}
}

// StateTree hashes the state of the chain, so that parts of it can be proven to anyone who
// knows the hash. Package statetree has the implementation; a chain of one producer needs none.
// Load and Stage are never called concurrently.
type StateTree interface {
	// Load reads the state that v shows, and returns what the store has to keep of it.
	// It fails with ErrCorrupt if the state is not what the store has kept.
	Load(v *View) ([]store.Op, error)
	// Stage computes the state after a change of the records, whose result v shows: tip
	// is the last block then. It changes nothing until Publish is called.
	Stage(v *View, tip Tip, changed []store.Op) (StagedState, error)
	// Root returns the hash of the state that was published last.
	Root() [32]byte
}

// StagedState is the state after a change that may still fail.
type StagedState struct {
	Root    [32]byte
	Ops     []store.Op // what the store keeps along with the change, in the same batch
	Publish func()     // called while no reader looks, once the change is visible
}

// What the state consists of: the first bytes of its records' keys.
const (
	StateCoins    = tableCoin         // txid, index → coin
	StateTokens   = tableToken        // token id → supply, kind
	StateBalances = tableTokenBalance // token id, address → sum
)

// CoinKey returns the key of an unspent output's record.
func CoinKey(out wire.OutPoint) string { return outKey(StateCoins, out) }

// TokenKey returns the key of a token's record.
func TokenKey(id wire.Hash) string { return hashKey(StateTokens, id) }

// TokenBalanceKey returns the key of the record of what an address holds of a token.
func TokenBalanceKey(id wire.Hash, a Address) string { return tokenBalanceKey(id, a) }

// StateRecords goes through the records of the state. Ask Err afterwards.
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

// Stored reads the record that a StateTree keeps of itself.
func (v *View) Stored(key string) (store.Value, error) { return v.o.get(key), v.o.err }

// StateRoot returns the hash of the state; zero if the chain keeps none.
func (v *View) StateRoot() [32]byte {
	if v.m.state == nil {
		return [32]byte{}
	}
	return v.m.state.Root()
}

// loadState gives the state tree the state as it stands.
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

// stageState adds to a batch what the store keeps of the state after it.
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

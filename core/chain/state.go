package chain

import (
	"fmt"
	"iter"

	"obverse/core/chain/wire"
	"obverse/core/store"
)

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
	// Root is the hash of the state that was published last.
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

// CoinKey is the key of an unspent output's record.
func CoinKey(out wire.OutPoint) string { return outKey(StateCoins, out) }

// TokenKey is the key of a token's record.
func TokenKey(id wire.Hash) string { return hashKey(StateTokens, id) }

// TokenBalanceKey is the key of the record of what an address holds of a token.
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

// StateRoot is the hash of the state; zero if the chain keeps none.
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

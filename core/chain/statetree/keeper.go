package statetree

import (
	"cmp"
	"fmt"

	"obverse/core/chain"
	"obverse/core/chain/wire"
	"obverse/core/store"
)

// rootKey is the key of the record with the last block and the root of the state after it.
const rootKey = "istateroot"

// maxVersions is the number of versions that can be proven. Validators sign a state a moment
// after it was computed, and other states may follow in the meantime.
const maxVersions = 8

// Version is the state after a block.
type Version struct {
	Tip    wire.Hash
	Height int
	Tree
}

// AppHash returns the hash that validators sign for the version.
func (s Version) AppHash() Hash { return AppHash(s.Tip, s.Height, s.Root()) }

// Keeper implements chain.StateTree for one Manager. Callers must hold a View of that Manager.
type Keeper struct {
	versions []Version // newest first
	staged   Version   // last staged version, since a block is often staged a second time, when it is written
}

var _ chain.StateTree = (*Keeper)(nil)

// New returns a keeper. It is loaded when a chain is opened with it (chain.Config).
func New() *Keeper { return &Keeper{} }

// Root implements chain.StateTree.
func (k *Keeper) Root() Hash { return k.versions[0].Root() }

// Versions returns the states that can be proven, starting with the tip's. The View must be
// that of the chain. The caller may retain the result.
func (k *Keeper) Versions(*chain.View) []Version { return k.versions }

// Load implements chain.StateTree. If the store has no root, or the root of another block, the
// state of its chain was not hashed so far.
func (k *Keeper) Load(v *chain.View) ([]store.Op, error) {
	var changes []Change
	for e := range v.StateRecords() {
		value, err := valueOf(v, e.Key, e.Data)
		if err != nil {
			return nil, err
		}
		changes = append(changes, Change{Leaf: Leaf{KeyOf(e.Key), value}})
	}
	last, err := v.Stored(rootKey)
	if err := cmp.Or(v.Err(), err); err != nil {
		return nil, err
	}
	now := Version{v.Tip().Hash, v.Tip().Height, Tree{}.Apply(changes)}
	k.versions = []Version{now}
	record := rootRecord(now)
	if last.Data == record {
		return nil, nil
	}
	if len(last.Data) == len(record) && last.Data[:len(now.Tip)] == record[:len(now.Tip)] {
		return nil, fmt.Errorf("%w: the records of block %d hash to state root %x, the store has kept %x",
			chain.ErrCorrupt, now.Height, now.Root(), last.Data[len(now.Tip):])
	}
	return []store.Op{{Key: rootKey, Data: record}}, nil
}

// Stage implements chain.StateTree.
func (k *Keeper) Stage(v *chain.View, tip chain.Tip, changed []store.Op) (chain.StagedState, error) {
	if k.staged.Tip != tip.Hash { // the state follows from the tip
		changes, err := changesOf(v, changed)
		if err != nil {
			return chain.StagedState{}, err
		}
		k.staged = Version{tip.Hash, tip.Height, k.versions[0].Apply(changes)}
	}
	next := k.staged
	return chain.StagedState{
		Root:    next.Root(),
		Ops:     []store.Op{{Key: rootKey, Data: rootRecord(next)}},
		Publish: func() { k.publish(next) },
	}, nil
}

// changesOf returns the changes of the state that a batch makes.
func changesOf(v *chain.View, changed []store.Op) (changes []Change, err error) {
	for _, op := range changed {
		switch op.Key[0] {
		case chain.StateCoins, chain.StateTokens, chain.StateBalances:
		default:
			continue
		}
		c := Change{Leaf: Leaf{Key: KeyOf(op.Key)}, Delete: op.Delete}
		if !op.Delete {
			if c.Value, err = valueOf(v, op.Key, op.Data); err != nil {
				return nil, err
			}
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// publish replaces the list of versions by a new one, since readers may still use the old list.
func (k *Keeper) publish(next Version) {
	last := k.versions
	k.versions = append(make([]Version, 0, maxVersions), next)
	k.versions = append(k.versions, last[:min(len(last), maxVersions-1)]...)
}

func rootRecord(s Version) string {
	root := s.Root()
	return string(append(s.Tip[:], root[:]...))
}

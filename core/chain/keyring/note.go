package keyring

import (
	"context"
	"encoding/json"
	"fmt"

	"obverse/core/chain/wire"
	"obverse/core/store"
)

// Note holds the data that the wallet adds to a transaction.
type Note struct {
	Time    int64  `json:"time"`            // when it came, Unix seconds
	Order   uint64 `json:"order"`           // of transactions that came in the same second
	Account string `json:"account"`         // that pays
	Texts   []Text `json:"texts,omitempty"` // in the order of their names
}

// Text is a named text in a note: comment, to.
type Text struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Note stores a note. It does not wait until it is durable: what it says of a transaction that a
// crash loses does not matter.
func (r *Ring) Note(ctx context.Context, id wire.Hash, n Note) (store.Durable, error) {
	op, err := r.vault.seal(kindNote, id.String(), n)
	if err != nil {
		return nil, err
	}
	return r.vault.kv.Stage(ctx, store.Batch{Ops: []store.Op{op}})
}

// Notes finds notes, in the order of the ids; nil for those that have none.
func (r *Ring) Notes(ctx context.Context, ids ...wire.Hash) ([]*Note, error) {
	places := make([]string, len(ids))
	for i, id := range ids {
		places[i] = r.vault.place(kindNote, id.String())
	}
	found, err := r.vault.kv.Get(ctx, places...)
	if err != nil {
		return nil, fmt.Errorf("read notes of transactions: %w", err)
	}
	notes := make([]*Note, len(ids))
	for i := range found {
		if !found[i].Present {
			continue
		}
		row, err := r.vault.open(kindNote, places[i], found[i].Data)
		if err != nil {
			return nil, fmt.Errorf("note of transaction %v: %w", ids[i], err)
		}
		notes[i] = new(Note)
		if err := json.Unmarshal(row.Data, notes[i]); err != nil {
			return nil, fmt.Errorf("note of transaction %v: %w", ids[i], ErrDamaged)
		}
	}
	return notes, nil
}

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
	Time    int64  `json:"time"`            // time of arrival in Unix seconds
	Order   uint64 `json:"order"`           // order of transactions that arrived in the same second
	Account string `json:"account"`         // account that pays
	Texts   []Text `json:"texts,omitempty"` // in the order of their names
}

// Text is a named text in a note, such as comment or to.
type Text struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Note stores a note. It does not wait until the note is durable, because the note is useless
// if a crash loses the transaction.
func (r *Ring) Note(ctx context.Context, id wire.Hash, n Note) (store.Durable, error) {
	op, err := r.vault.seal(kindNote, id.String(), n)
	if err != nil {
		return nil, err
	}
	return r.vault.kv.Stage(ctx, store.Batch{Ops: []store.Op{op}})
}

// Notes returns the notes of transactions, in the order of their ids. The note is nil for a
// transaction without one.
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

package table

import (
	"context"
	"errors"
	"maps"
	"slices"

	"obverse/core/store"
)

// Tx is a change in the making. It sees the store as it is and its own changes on top,
// and whatever it has read must still be so when the change is made. It belongs to one
// goroutine, and to the call of Change that made it.
type Tx struct {
	kv    store.KV
	batch store.Batch
	known map[string]store.Value // what was read or written here
}

// Get implements Reader.
func (x *Tx) Get(ctx context.Context, keys ...string) ([]store.Value, error) {
	var missing []string
	for _, key := range keys {
		if _, known := x.known[key]; !known {
			missing = append(missing, key)
		}
	}
	found, err := x.kv.Get(ctx, missing...)
	if err != nil {
		return nil, err
	}
	for i, key := range missing {
		x.known[key] = found[i]
		x.batch.Guards = append(x.batch.Guards, store.Guard{Key: key, Want: found[i]})
	}
	values := make([]store.Value, len(keys))
	for i, key := range keys {
		values[i] = x.known[key]
	}
	return values, nil
}

// Put sets a key of the store to data. Tables use it, and callers that store plain keys next to
// them.
func (x *Tx) Put(key, data string) {
	x.known[key] = store.Value{Data: data, Present: true}
	x.batch.Put(key, data)
}

// Delete removes a key of the store.
func (x *Tx) Delete(key string) {
	x.known[key] = store.Value{}
	x.batch.Delete(key)
}

// Change runs fn and applies its changes as one batch, which is durable when Change returns. If
// another change touched data that fn has read, fn runs again from the start with a new Tx: it
// must only change its Tx and variables that it sets each time. If fn fails, its error is
// returned and nothing changes.
func Change(ctx context.Context, kv store.KV, fn func(*Tx) error) error {
	durable, err := Stage(ctx, kv, fn)
	if err != nil {
		return err
	}
	return durable(ctx)
}

// Stage is Change without the wait: every later read sees the changes, and the Durable
// waits until they survive a crash.
func Stage(ctx context.Context, kv store.KV, fn func(*Tx) error) (store.Durable, error) {
	for {
		tx := &Tx{kv: kv, known: map[string]store.Value{}}
		failed := fn(tx)
		if failed != nil {
			tx.batch.Ops = nil // what fn has seen must hold all the same, or its error means nothing
		}
		durable, err := kv.Stage(ctx, tx.batch)
		switch {
		case errors.Is(err, store.ErrConflict):
		case failed != nil:
			return nil, failed
		default:
			return durable, err
		}
	}
}

// Read runs fn, whose reads are as they all were at one moment: if something that fn has read
// was changed meanwhile, fn runs again from the start. It must have no other effect than on
// variables that it sets again. An error of fn is returned.
func Read(ctx context.Context, kv store.KV, fn func(Reader) error) error {
	for {
		tx := &Tx{kv: kv, known: map[string]store.Value{}}
		failed := fn(tx)
		keys := slices.Collect(maps.Keys(tx.known))
		values, err := kv.Get(ctx, keys...)
		if err != nil {
			return err
		}
		changed := slices.ContainsFunc(keys, func(key string) bool {
			was := tx.known[key]
			is := values[0]
			values = values[1:]
			return is != was
		})
		if !changed {
			return failed
		}
	}
}

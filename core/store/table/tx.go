package table

import (
	"context"
	"errors"
	"maps"
	"slices"

	"obverse/core/store"
)

// Tx is a change in preparation. It reads the store with its own changes applied, and
// everything that it has read must be unchanged when the change is made. It must be used by one
// goroutine, and only during the call of Change that made it.
type Tx struct {
	kv    store.KV
	batch store.Batch
	known map[string]store.Value // values that were read or written by this Tx
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

// Put sets a key of the store to data. It is used by tables, and by callers that store plain
// keys in the same batch.
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
// another change touched data that fn has read, fn runs again with a new Tx, so that it may
// only change its Tx and variables that it sets on every run. If fn fails, Change returns its
// error and changes nothing.
func Change(ctx context.Context, kv store.KV, fn func(*Tx) error) error {
	durable, err := Stage(ctx, kv, fn)
	if err != nil {
		return err
	}
	return durable(ctx)
}

// Stage is like Change but does not wait: every later read sees the changes, and the Durable
// waits until they survive a crash.
func Stage(ctx context.Context, kv store.KV, fn func(*Tx) error) (store.Durable, error) {
	for {
		tx := &Tx{kv: kv, known: map[string]store.Value{}}
		failed := fn(tx)
		if failed != nil {
			tx.batch.Ops = nil // even the reads of a failed fn must be of one moment, or its error would be meaningless
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

// Read runs fn, which sees the store as it was at one moment. If data that fn has read was
// changed meanwhile, fn runs again, so that it may only change variables that it sets on every
// run. Read returns the error of fn.
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

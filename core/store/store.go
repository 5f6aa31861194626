// Package store defines the contract between the node and the storage of its state, such as
// buntdb with a file, a Durable Object or a SQL database. A store is a sorted map from keys to
// data. It is changed by guarded batches and not by interactive transactions, since a remote
// store cannot execute a closure.
//
// A store has no tables, types, expiry or format version.
//
// Invariant: every read returns the result of a whole number of batches, even after a crash.
package store

import (
	"context"
	"errors"
)

// Errors of all backends, for errors.Is.
var (
	// ErrConflict reports that a guard of the batch does not hold. Nothing was changed.
	ErrConflict = errors.New("store has changed")
	// ErrClosed reports that the store was closed before the call.
	ErrClosed = errors.New("store is closed")
	// ErrFailed reports that the disk (or the remote side) refused a write. Reads still work,
	// and every later Stage fails with this error until the store is opened again. After that,
	// the first refused batch is present either entirely or not at all.
	ErrFailed = errors.New("the store takes no more writes until the node is started again")
	// ErrMaybeStored accompanies ErrFailed from Stage if the disk may contain the refused batch,
	// so that it may be present when the store is opened again. Otherwise, it is not.
	ErrMaybeStored = errors.New("the change may be stored nevertheless")
	// ErrEmptyKey reports that an operation or a guard has an empty key.
	ErrEmptyKey = errors.New("empty key")
)

// KV is a sorted map from keys to data.
//
// Keys are arbitrary nonempty byte strings, and data is an arbitrary byte string. Both are Go
// strings because they are immutable. Keys are ordered bytewise. An absent key differs from one
// with empty data.
//
// All methods are safe for concurrent use. If a context has ended before the call, the call
// fails with the context's error and has no effect. If it ends during Stage, the batch may have
// been staged, unless Stage returned an error before.
type KV interface {
	// Get returns one Value for each key, in the order of the keys, all read from the same
	// state. A key may be listed twice. The Value of an absent key, and of the empty key, is
	// zero.
	Get(ctx context.Context, keys ...string) ([]Value, error)

	// Scan returns the first entries, at most limit, with keys that begin with prefix and are
	// greater than after (a complete key, or "" for the start), in ascending order of their
	// keys, all read from the same state. If there are fewer than limit, there are no more; a
	// limit below 1 returns none. The pages of one listing are separate reads: a batch staged
	// between them is visible in the later page.
	Scan(ctx context.Context, prefix, after string, limit int) ([]Entry, error)

	// Stage checks the guards and applies the changes as one step, either all of them or none.
	// When it returns without an error, every later read sees the batch, but a crash may still
	// lose it. The returned Durable waits until that is impossible. Batches reach the disk in
	// the order in which they were staged, so that a crash loses only the last ones. The
	// Durable need not be called: the batch becomes durable with a later one, or when the store
	// is closed.
	//
	// Stage returns ErrConflict if a guard does not hold, ErrEmptyKey, ErrClosed or ErrFailed.
	// In these cases, it has not changed anything that a read can see. It does not retain the
	// batch, which the caller may modify once Stage has returned.
	Stage(ctx context.Context, b Batch) (Durable, error)
}

// Durable waits until its batch, and every batch staged before it, survives a crash of the
// machine. It may be called repeatedly and concurrently; concurrent calls share the work. Its
// error is that of the context (the batch remains staged and may still become durable) or
// ErrFailed (the batch is visible until the store is closed, and may be lost when it is opened
// again).
type Durable func(ctx context.Context) error

// Value is the result of Get for a key.
type Value struct {
	Data    string
	Present bool // distinguishes empty data from an absent key
}

// Entry is a key with its data, as returned by Scan.
type Entry struct {
	Key, Data string
}

// Apply stages the batch and waits until it is durable. It returns the errors of Stage and
// Durable.
func Apply(ctx context.Context, kv KV, b Batch) error {
	durable, err := kv.Stage(ctx, b)
	if err != nil {
		return err
	}
	return durable(ctx)
}

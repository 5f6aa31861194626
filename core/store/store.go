// Package store is the contract between the node and the storage of its state: buntdb on a
// file, a Durable Object, a SQL database. It is a sorted map from key to data that is changed
// by guarded batches and not by interactive transactions, since a remote store cannot hold a
// closure open.
//
// It is not a database: it has no tables, types, expiry or format version.
//
// Invariant: every read sees the result of a whole number of batches, also after a crash.
package store

import (
	"context"
	"errors"
)

// Errors of every backend, to be tested with errors.Is.
var (
	// ErrConflict says that a guard of the batch does not hold. Nothing was changed.
	ErrConflict = errors.New("store has changed")
	// ErrClosed says that the store was closed before the call.
	ErrClosed = errors.New("store is closed")
	// ErrFailed says that the disk (or the remote side) refused a write. Reading goes
	// on, every later Stage fails with it, and only opening the store again mends it.
	// Whether the refused batch is there after opening again is not known; that it is
	// there whole or not at all is.
	ErrFailed = errors.New("the store takes no more writes until the node is started again")
	// ErrEmptyKey says that an operation or a guard names the empty key.
	ErrEmptyKey = errors.New("empty key")
)

// KV is a sorted map from key to data.
//
// Keys are any bytes but the empty string, data is any bytes; both are held in strings
// because they are never changed. Keys are ordered bytewise. Empty data is present: it
// is not the same as an absent key.
//
// All methods may be called from many goroutines at once. A context that has ended
// before the call makes it fail with the context's error and without effect; one that
// ends during a Stage leaves it open whether the batch was staged, unless Stage returned
// without an error.
type KV interface {
	// Get returns one Value for each key, in the order of the keys, as they all were
	// at one moment. A key may be asked for twice. An absent key, and the empty key, is
	// the zero Value and no error.
	Get(ctx context.Context, keys ...string) ([]Value, error)

	// Scan returns the first entries, at most limit, whose keys begin with prefix and
	// are greater than after (a whole key, "" for the start), in ascending order of
	// their keys, as they all were at one moment. Fewer than limit means that there are
	// no more; a limit below 1 returns none. Pages of one listing are separate reads:
	// a batch staged between them shows in the later page.
	Scan(ctx context.Context, prefix, after string, limit int) ([]Entry, error)

	// Stage checks the guards and makes the changes as one step: all of them or none.
	// When it returns without an error, every later read by anyone sees the batch,
	// though it may yet be lost in a crash; the Durable waits until it no longer can
	// be. Batches reach the disk in the order in which they were staged, so that a
	// crash loses only the last ones. The Durable need not be called: the batch then
	// becomes durable with a later one, or when the store is closed.
	//
	// It fails with ErrConflict when a guard does not hold, ErrEmptyKey, ErrClosed or
	// ErrFailed, and has then changed nothing that a read can see. The batch is not
	// kept: the caller may change it once Stage has returned.
	Stage(ctx context.Context, b Batch) (Durable, error)
}

// Durable waits until the batch that it came from, and every batch staged before it,
// survives a crash of the machine. It may be called any number of times and from many
// goroutines; calls that wait together share the work. An error is the context's (the
// batch stays staged and may still become durable) or ErrFailed (it stays visible until
// the store is closed, and may be gone when it is opened again).
type Durable func(ctx context.Context) error

// Value is the result of Get for a key.
type Value struct {
	Data    string
	Present bool // distinguishes empty data from an absent key
}

// Entry is a key and its data, as Scan finds them.
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

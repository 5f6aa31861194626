// Package bunt implements store.KV with buntdb's in-memory tree and with buntdb's file format
// on disk. The tree contains pages of rows (page.go, table.go), because the overhead of an item
// in the tree is large. Each batch in the file has a checksum, which distinguishes damage from
// an unfinished write.
//
// It does not use buntdb's own file handling. buntdb writes the commands of a transaction in
// the random order of a Go map, so a cut file opens with half of a batch; it panics with its
// lock held when a write cannot be rolled back; and it syncs under the lock that readers need.
// So buntdb runs in memory, and this package writes the log in buntdb's format (format.go,
// frame.go), which plain buntdb can read. Commands that buntdb appends have no seal and are
// ignored; a file written by buntdb alone is read as format 1.
//
// Source: github.com/tidwall/buntdb v1.3.0, buntdb.go (Commit, readLoad).
//
// Invariant: the table is the result of the batches in the log, in order. After a crash, the
// log opens as the state after a whole number of batches, which include all acknowledged ones.
// A file with other damage is refused, unless the damage has no effect.
package bunt

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/tidwall/buntdb"

	"obverse/core/store"
)

// Memory is the path of an in-memory store. Its batches count as durable immediately.
const Memory = ":memory:"

// DB is a store.KV. Readers never wait for the disk. Writers wait for one another and for the
// write, but not for a sync.
//
// A file must not be opened twice at the same time; DB does not prevent a second process from
// opening it.
type DB struct {
	table *table
	log   *log // nil for an in-memory store
	found Findings

	mu        sync.Mutex // serialises batches, since the log and the table change together
	closed    bool
	shrinking sync.Mutex
}

// Findings describes the file as found by Open, and the repairs made by Open.
type Findings struct {
	Created  bool // whether there was no file
	Upgraded bool // whether the file had an older format and was replaced
	Cut      Cut
}

// Open opens or creates (with mode 0600) the file at path, or an in-memory store if path is
// Memory. It removes an unfinished write at the end of the file; see Findings. If acknowledged
// data is damaged, Open returns ErrCorrupt, and for a file of a newer format ErrNewer.
func Open(path string) (*DB, error) { return OpenOn(path, Files) }

// Medium describes the effect of a crash on files.
type Medium int

const (
	// Files may retain any part of the data written since the last sync, in any order.
	Files Medium = iota
	// Transactions retain all data written before the last completed sync, and either all or
	// none of the data written since then: each sync is a transaction.
	Transactions
)

// OpenOn is like Open, for files on the given medium.
func OpenOn(path string, m Medium) (*DB, error) {
	if path != Memory {
		path = File(path)
	}
	return openOn(path, osDisk{}, m)
}

func openOn(path string, d disk, m Medium) (*DB, error) {
	table, err := newTable()
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	db := &DB{table: table}
	if path == Memory {
		return db, nil
	}
	if db.log, db.found, err = openLog(path, d, table); err != nil {
		return nil, errors.Join(fmt.Errorf("open store: %w", err), table.Close())
	}
	db.log.medium = m
	if db.found.Upgraded {
		if err := db.Shrink(context.Background()); err != nil {
			return nil, errors.Join(fmt.Errorf("open store: %s: upgrade to format %d: %w", path, sealedFormat, err), db.log.file.Close(), table.Close())
		}
	}
	return db, nil
}

// Close makes every staged batch durable and releases the file. Every later call fails with
// store.ErrClosed. Close returns the error of Healthy, if any.
func (d *DB) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return store.ErrClosed
	}
	d.closed = true
	var err error
	if d.log != nil {
		err = d.log.close()
	}
	return errors.Join(err, d.table.Close())
}

// Findings returns the findings of Open.
func (d *DB) Findings() Findings { return d.found }

// Healthy returns nil while the store accepts writes. Otherwise it returns an error that wraps
// store.ErrFailed and the error of the disk.
func (d *DB) Healthy() error {
	if d.log == nil {
		return nil
	}
	return d.log.failure()
}

// Failed returns a channel that is closed when the store stops accepting writes; Healthy
// returns the reason. For an in-memory store, the channel is nil.
func (d *DB) Failed() <-chan struct{} {
	if d.log == nil {
		return nil
	}
	return d.log.failed
}

// Get implements store.KV.
func (d *DB) Get(ctx context.Context, keys ...string) ([]store.Value, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	values := make([]store.Value, len(keys))
	err := d.table.view(func(tx *buntdb.Tx) (err error) {
		for i, key := range keys {
			if values[i], err = get(tx, key); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return values, nil
}

// Scan implements store.KV.
func (d *DB) Scan(ctx context.Context, prefix, after string, limit int) ([]store.Entry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return d.table.scan(prefix, after, limit)
}

// Stage implements store.KV.
func (d *DB) Stage(ctx context.Context, b store.Batch) (store.Durable, error) {
	if err := errors.Join(ctx.Err(), b.Check()); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.writable(); err != nil {
		return nil, err
	}
	if err := d.checkGuards(b.Guards); err != nil {
		return nil, err
	}
	if d.log == nil {
		return durableAtOnce, d.table.change(b.Ops)
	}
	ticket := d.log.last()
	if len(b.Ops) > 0 {
		var err error
		if ticket, err = d.log.append(b.Ops); err == nil {
			err = d.table.change(b.Ops)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", d.log.fail(err), store.ErrMaybeStored)
		}
	}
	return func(ctx context.Context) error { return d.log.wait(ctx, ticket) }, nil
}

func durableAtOnce(context.Context) error { return nil }

// writable returns the reason why no batch can be staged, or nil.
func (d *DB) writable() error {
	if d.closed {
		return store.ErrClosed
	}
	return d.Healthy()
}

// checkGuards returns store.ErrConflict unless all guards hold. Only batches change the table,
// and the caller holds d.mu, so the guards still hold when the batch is applied.
func (d *DB) checkGuards(guards []store.Guard) error {
	if len(guards) == 0 {
		return nil
	}
	return d.table.view(func(tx *buntdb.Tx) error {
		for i := range guards {
			value, err := get(tx, guards[i].Key)
			if err != nil {
				return err
			}
			if value != guards[i].Want {
				return fmt.Errorf("%w: key %q", store.ErrConflict, guards[i].Key)
			}
		}
		return nil
	})
}

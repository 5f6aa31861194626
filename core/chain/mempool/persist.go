package mempool

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"obverse/core/chain"
	"obverse/core/store"
)

// The pool has one table, with keys that consist of 'y' and an 8-byte big-endian sequence
// number, and raw transactions as values. Package chain does not use this prefix.
const (
	table   = "y"
	keySize = len(table) + 8
)

// middle is the first sequence number. New transactions count up from it. Transactions of
// disconnected blocks count down, since others in the pool may depend on them.
const middle = 1 << 63

// ErrCorrupt reports a record that is not a transaction.
var ErrCorrupt = errors.New("mempool record is damaged")

const pageSize = 1000

func (e *Entry) key() string {
	return string(binary.BigEndian.AppendUint64([]byte(table), e.sequence))
}

func (e *Entry) record() store.Op { return store.Op{Key: e.key(), Data: string(e.Raw)} }

// Stored reports whether a store contains transactions of a pool.
func Stored(ctx context.Context, kv store.KV) (bool, error) {
	records, err := kv.Scan(ctx, table, "", 1)
	return len(records) > 0, err
}

// load adds the stored transactions to the pool, in the order of their records.
func (p *Pool) load(ctx context.Context) error {
	p.first, p.next = middle, middle
	var entries []*Entry
	for after := ""; ; {
		page, err := p.kv.Scan(ctx, table, after, pageSize)
		if err != nil {
			return err
		}
		for _, record := range page {
			e, err := p.loadEntry(record)
			if err != nil {
				return err
			}
			entries = append(entries, e)
			after = record.Key
		}
		if len(page) < pageSize {
			break
		}
	}
	if len(entries) > 0 {
		p.first, p.next = entries[0].sequence, entries[len(entries)-1].sequence+1
	}
	err := p.manager.Update(ctx, func(v *chain.View) error {
		p.height = v.Tip().Height
		defer func() { p.notifier.set(len(p.entries) > 0) }()
		return p.readmit(v, entries)
	})
	if err != nil {
		return err
	}
	if err := p.reverify(ctx); err != nil {
		return err
	}
	return p.forget(ctx)
}

func (p *Pool) loadEntry(record store.Entry) (*Entry, error) {
	e, err := newEntry([]byte(record.Data))
	if err != nil || len(record.Key) != keySize || len(e.Raw) != len(record.Data) {
		return nil, fmt.Errorf("%w: %x", ErrCorrupt, record.Key)
	}
	e.sequence = binary.BigEndian.Uint64([]byte(record.Key[len(table):]))
	e.Time = p.now()
	return e, nil
}

// forget deletes the records of transactions that have left the pool. It does not wait for the
// disk: a record that survives a crash is dropped when the pool is loaded.
func (p *Pool) forget(ctx context.Context) error {
	if len(p.staleKeys) == 0 {
		return nil
	}
	var batch store.Batch
	for _, key := range p.staleKeys {
		batch.Delete(key)
	}
	if _, err := p.kv.Stage(ctx, batch); err != nil {
		return err
	}
	p.staleKeys = nil
	return nil
}

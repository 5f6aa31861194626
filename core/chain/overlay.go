package chain

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"obverse/core/chain/consensus"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
	"obverse/core/store"
)

// ErrCorrupt reports that records of the store contradict each other.
var ErrCorrupt = errors.New("chain data is damaged")

// overlay collects changes on top of the store, so that blocks can be connected one after
// another before anything is written. Its first error is kept in err.
type overlay struct {
	ctx     context.Context // context of the call that created the overlay
	kv      store.KV
	changed map[string]store.Value // like read below, nil until the first entry
	read    map[string]store.Value
	bytes   int // size of the data in read
	err     error
}

func newOverlay(ctx context.Context, kv store.KV) *overlay {
	return &overlay{ctx: ctx, kv: kv}
}

func (o *overlay) fail(err error) {
	if o.err == nil {
		o.err = err
	}
}

// fetch reads keys in one round trip and caches them for get.
func (o *overlay) fetch(keys ...string) {
	wanted := keys[:0:0]
	for _, key := range keys {
		_, changed := o.changed[key]
		_, known := o.read[key]
		if !changed && !known {
			wanted = append(wanted, key)
		}
	}
	if len(wanted) > 0 {
		o.load(wanted...)
	}
}

// load reads keys from the store into the cache.
func (o *overlay) load(keys ...string) {
	if o.err != nil {
		return
	}
	values, err := o.kv.Get(o.ctx, keys...)
	if err != nil {
		o.fail(fmt.Errorf("read chain data: %w", err))
		return
	}
	if o.read == nil {
		o.read = make(map[string]store.Value, len(keys))
	}
	for i, key := range keys {
		o.read[key] = values[i]
		o.bytes += len(values[i].Data)
	}
}

func (o *overlay) get(key string) store.Value {
	if v, ok := o.changed[key]; ok {
		return v
	}
	if v, ok := o.read[key]; ok {
		return v
	}
	o.load(key)
	return o.read[key]
}

func (o *overlay) put(key, data string) { o.set(key, store.Value{Data: data, Present: true}) }

func (o *overlay) del(key string) { o.set(key, store.Value{}) }

func (o *overlay) set(key string, v store.Value) {
	if o.changed == nil {
		o.changed = map[string]store.Value{}
	}
	o.changed[key] = v
}

// reserve allocates space for n changes. Call it before the first change.
func (o *overlay) reserve(n int) {
	if o.changed == nil {
		o.changed = make(map[string]store.Value, n)
	}
}

// batch returns the changes in key order.
func (o *overlay) batch() store.Batch {
	keys := make([]string, 0, len(o.changed))
	for key := range o.changed {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	b := store.Batch{Ops: make([]store.Op, len(keys))}
	for i, key := range keys {
		v := o.changed[key]
		b.Ops[i] = store.Op{Key: key, Data: v.Data, Delete: !v.Present}
	}
	return b
}

// coin returns an unspent output, including the changes of the overlay.
func (o *overlay) coin(out wire.OutPoint) (c consensus.Coin, ok bool) {
	v := o.get(outKey(tableCoin, out))
	if !v.Present || o.err != nil {
		return c, false
	}
	c, err := decodeCoin(v.Data)
	if err != nil {
		o.fail(corrupt("coin", err))
	}
	return c, err == nil
}

// creation returns a token's creation.
func (o *overlay) creation(id wire.Hash) (token.Creation, bool) {
	v := o.get(hashKey(tableToken, id))
	if !v.Present || o.err != nil {
		return token.Creation{}, false
	}
	t, err := decodeToken(v.Data)
	if err != nil {
		o.fail(corrupt("token", err))
	}
	return t.creation, err == nil
}

func (o *overlay) record(hash wire.Hash) (r Record, ok bool) {
	v := o.get(hashKey(tableRecord, hash))
	if !v.Present || o.err != nil {
		return r, false
	}
	r, err := decodeRecord(v.Data)
	if err != nil {
		o.fail(corrupt("block record", err))
	}
	return r, err == nil
}

// amounts returns the sums under key, which are zero if the record is missing.
func (o *overlay) amounts(key string) (a [2]int64) {
	if v := o.get(key); v.Present {
		if len(v.Data) != 16 {
			o.fail(corrupt(fmt.Sprintf("sums %x", key), fmt.Errorf("record has %d bytes, want 16", len(v.Data))))
			return a
		}
		a[0], _ = int64At(v.Data, 0)
		a[1], _ = int64At(v.Data, 8)
	}
	return a
}

func corrupt(what string, err error) error { return fmt.Errorf("%w: %s: %w", ErrCorrupt, what, err) }

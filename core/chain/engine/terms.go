package engine

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"obverse/core/chain/token"
	"obverse/core/chain/wire"
	"obverse/core/store"
)

// Terms are the settings that validators agreed on before their first block. The genesis of
// their engine contains them.
type Terms struct {
	Payee token.Key // compressed public key that receives subsidies and fees
	From  int       // height of the validators' first block: 1, or the height after a solo chain
	Tip   wire.Hash // block before the validators' first block, if From is above 1
}

// Difference describes the first difference between the terms of the store, t, and other terms.
func (t Terms) Difference(other Terms) string {
	switch {
	case t.From != other.From:
		return fmt.Sprintf("they began at block %d, and these begin at block %d", t.From, other.From)
	case t.Payee != other.Payee:
		return fmt.Sprintf("they pay to the key %x, and these to %x", t.Payee, other.Payee)
	}
	return fmt.Sprintf("they continue block %v, and these %v", t.Tip, other.Tip)
}

// Role is a node's role among validators. The package that runs the engine provides it.
type Role struct {
	Terms Terms
	Hash  AppHash
	// Announce offers a transaction of the mempool to other nodes. It may be called
	// concurrently, and retries by itself.
	Announce func(raw []byte)
	// MaxWaiting limits the number of transactions in the mempool; 0 means the default.
	MaxWaiting int
}

// Keys of the records of a Shared. Package chain does not use them.
const (
	keyTerms  = "ivalidators" // Terms as JSON, once the chain is the validators'
	keyHeight = "ivalidated"  // height of the engine that was executed last, 8 bytes
	keyAt     = "ivheight"    // followed by 4 bytes, a block's height → the engine's height, 8 bytes
)

// ErrTerms reports that a store belongs to other validators, or to a solo chain.
var ErrTerms = errors.New("the data folder belongs to other validators")

// StoredTerms returns the terms of the store's chain; found is false on a
// solo chain.
func StoredTerms(ctx context.Context, kv store.KV) (t Terms, found bool, err error) {
	values, err := kv.Get(ctx, keyTerms)
	if err != nil || !values[0].Present {
		return t, false, err
	}
	if err := json.Unmarshal([]byte(values[0].Data), &t); err != nil {
		return t, false, fmt.Errorf("read the store: terms of the validators: %w", err)
	}
	return t, true, nil
}

// EncodeHeight encodes an engine height for the store.
func EncodeHeight(height int64) string {
	return string(binary.BigEndian.AppendUint64(nil, uint64(height)))
}

func decodeHeight(v store.Value) (int64, error) {
	if !v.Present {
		return 0, nil
	}
	if len(v.Data) != 8 {
		return 0, fmt.Errorf("read the store: height of the validators' engine has %d bytes, want 8", len(v.Data))
	}
	return int64(binary.BigEndian.Uint64([]byte(v.Data))), nil
}

func atKey(height int) string {
	return string(binary.BigEndian.AppendUint32([]byte(keyAt), uint32(height)))
}

// EngineHeight returns the height at which the validators' engine executed a block, or 0 if the
// block was not made by the validators.
func EngineHeight(ctx context.Context, kv store.KV, height int) (int64, error) {
	values, err := kv.Get(ctx, atKey(height))
	if err != nil {
		return 0, err
	}
	return decodeHeight(values[0])
}

// Forget converts the validators' chain in a store to a solo chain, which continues after its
// last block. It deletes the engine's heights too, because the engine of other validators
// starts at 1.
func Forget(ctx context.Context, kv store.KV) error {
	for _, prefix := range []string{keyAt, keySnapshot} {
		if err := deleteAll(ctx, kv, prefix); err != nil {
			return err
		}
	}
	var batch store.Batch
	batch.Delete(keyTerms)
	batch.Delete(keyHeight)
	return store.Apply(ctx, kv, batch)
}

// deleteAll deletes all keys with a prefix.
func deleteAll(ctx context.Context, kv store.KV, prefix string) error {
	const together = 1000
	for {
		entries, err := kv.Scan(ctx, prefix, "", together)
		if err != nil || len(entries) == 0 {
			return err
		}
		var batch store.Batch
		for _, e := range entries {
			batch.Delete(e.Key)
		}
		if _, err := kv.Stage(ctx, batch); err != nil {
			return err
		}
	}
}

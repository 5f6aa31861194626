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
	Payee token.Key // gets subsidies and fees: a compressed public key
	From  int       // height of the first block that is theirs: 1, or what follows a solo chain
	Tip   wire.Hash // the block before that, when From is above 1
}

// Difference says in what other terms differ from those that the store has.
func (t Terms) Difference(other Terms) string {
	switch {
	case t.From != other.From:
		return fmt.Sprintf("they began at block %d, and these begin at block %d", t.From, other.From)
	case t.Payee != other.Payee:
		return fmt.Sprintf("they pay to the key %x, and these to %x", t.Payee, other.Payee)
	}
	return fmt.Sprintf("they continue block %v, and these %v", t.Tip, other.Tip)
}

// Role is a node's part among validators. The package that runs the engine fills it in.
type Role struct {
	Terms Terms
	Hash  AppHash
	// Announce offers other nodes a transaction that is in the mempool here. It may be
	// called at any time, and tries again by itself what does not succeed.
	Announce func(raw []byte)
	// MaxWaiting bounds the transactions of the mempool; 0: its default.
	MaxWaiting int
}

// Keys of what a Shared keeps. Package chain keeps nothing under them.
const (
	keyTerms  = "ivalidators" // Terms as JSON, once the chain is the validators'
	keyHeight = "ivalidated"  // the engine's height that is executed, 8 bytes
	keyAt     = "ivheight"    // and 4 bytes, a block's height → the engine's height, 8 bytes
)

// ErrTerms says that a store belongs to other validators, or to a solo chain.
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

// EncodeHeight returns a height of the engine as the store has it.
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

// EngineHeight returns the height at which the validators' engine executed a block; 0 if the
// block is not theirs.
func EngineHeight(ctx context.Context, kv store.KV, height int) (int64, error) {
	values, err := kv.Get(ctx, atKey(height))
	if err != nil {
		return 0, err
	}
	return decodeHeight(values[0])
}

// Forget makes the validators' chain in a store a solo chain again, which continues after its
// last block. Heights of the engine go too: other validators' engine begins at 1 again.
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

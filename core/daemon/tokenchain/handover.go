package tokenchain

import (
	"context"
	"errors"
	"fmt"
	"time"

	"obverse/core/chain"
	"obverse/core/chain/engine"
	"obverse/core/chain/params"
	"obverse/core/chain/pin"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/store"
)

// ErrNoProducer says that a chain has no blocks yet.
var ErrNoProducer = errors.New("the chain has no producer yet, so that there is nothing to hand over: `obverse testnet` begins a chain of validators")

// SoloTip returns the last block of the solo chain in a store, and the key of its producer.
func SoloTip(ctx context.Context, kv store.KV, o params.Options) (tip chain.Tip, producer token.Key, err error) {
	if _, found, err := engine.StoredTerms(ctx, kv); err != nil || found {
		return tip, producer, errors.Join(err, errValidators)
	}
	p, err := params.New(o)
	if err != nil {
		return tip, producer, fmt.Errorf("chain: %w", err)
	}
	if producer, err = pin.Store(ctx, kv, o, producer); err != nil {
		return tip, producer, err
	}
	if producer == (token.Key{}) {
		return tip, producer, ErrNoProducer
	}
	now := func() time.Time { return time.Unix(0, 0) } // no block is made
	m, err := chain.Open(ctx, chain.Config{Store: kv, Params: p, Now: now, Cache: script.NewSigCache(1, nil),
		HeaderRules: engine.Solo{Producer: producer, Now: now}})
	if err != nil {
		return tip, producer, err
	}
	if err := m.Resume(ctx); err != nil {
		return tip, producer, err
	}
	err = m.Read(ctx, func(v *chain.View) error {
		tip = v.Tip()
		return nil
	})
	return tip, producer, err
}

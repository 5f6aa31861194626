package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"obverse/core/chain"
	"obverse/core/chain/params"
	"obverse/core/chain/pin"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/store"
)

// Rules binds a store to a chain, or returns an error if the store belongs to another chain. It
// returns the header rules: on regtest anyone may make blocks, otherwise the validators of role
// or, if role is nil, the single producer that the store is pinned to. The argument producer is
// the node's public key, or zero if the node has no key.
func Rules(ctx context.Context, kv store.KV, p *params.Params, producer [33]byte, role *Role, now func() time.Time) (chain.HeaderRules, error) {
	switch {
	case p.Regtest:
		producer = [33]byte{}
	case role != nil:
		producer = role.Terms.Payee
	}
	stored, shared, err := StoredTerms(ctx, kv)
	switch {
	case err != nil:
		return nil, err
	case shared && role == nil:
		return nil, errValidators
	case shared && stored != role.Terms:
		return nil, fmt.Errorf("%w: %s", ErrTerms, stored.Difference(role.Terms))
	}
	pinned, err := pin.Store(ctx, kv, p.Options(), producer)
	if err != nil {
		return nil, err
	}
	switch {
	case role != nil:
		return Validators{From: role.Terms.From}, nil
	case p.Regtest:
		return AnyProducer{}, nil
	}
	return Solo{Producer: pinned, Now: now}, nil
}

// errValidators is returned to a solo producer on a chain with validators, where its blocks
// would form a branch.
var errValidators = fmt.Errorf("%w: several validators make its blocks; start it with `obverse validator`, or hand it back with `obverse validator migrate --back`", pin.ErrOtherChain)

// ErrNoProducer reports that a chain has no blocks yet.
var ErrNoProducer = errors.New("the chain has no producer yet, so that there is nothing to hand over: `obverse testnet` begins a chain of validators")

// SoloTip returns the last block of the solo chain in a store, and the key of its producer.
func SoloTip(ctx context.Context, kv store.KV, o params.Options) (tip chain.Tip, producer token.Key, err error) {
	if _, found, err := StoredTerms(ctx, kv); err != nil || found {
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
	now := func() time.Time { return time.Unix(0, 0) } // not used, since no block is made
	m, err := chain.Open(ctx, chain.Config{Store: kv, Params: p, Now: now, Cache: script.NewSigCache(1, nil),
		HeaderRules: Solo{Producer: producer, Now: now}})
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

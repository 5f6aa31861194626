// Package pin binds a store to one chain and its producer, so that data written for one chain
// is never read as the data of another.
//
// Invariant: a store that is refused is not changed.
package pin

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"obverse/core/chain/params"
	"obverse/core/store"
)

// version is the format of the store. Increase it with every change that older programs would
// misread, and migrate the data of earlier versions.
//
// Version 2 introduced files with checksums (package bunt), because a program of version 1
// would append records without them. Version 3 introduced tables of holders, token transactions
// and public keys, which older programs would not update. Package chain fills them.
const version = 3

// Keys of the records that a store is pinned to. KeyProducer exists once a node with a key has
// made a block.
const (
	keyVersion  = "iversion"
	keyChain    = "ichain"
	KeyProducer = "iproducer"
)

// Reasons why a store is refused.
var (
	ErrNewerStore = errors.New("the data folder was written by a newer version")
	ErrOtherChain = errors.New("the data folder holds another chain")
)

// Store binds an empty store to the chain and its producer, or checks that it is bound to them.
// With a zero producer it accepts any pinned producer and pins none. It returns the pinned
// producer.
func Store(ctx context.Context, kv store.KV, options params.Options, producer [33]byte) ([33]byte, error) {
	found, err := kv.Get(ctx, keyVersion, keyChain, KeyProducer)
	if err != nil {
		return producer, fmt.Errorf("read the store: %w", err)
	}
	var batch store.Batch
	if found[0].Present {
		if err := check(found[0].Data, found[1].Data, options); err != nil {
			return producer, err
		}
		if now := strconv.Itoa(version); found[0].Data != now {
			batch.Put(keyVersion, now)
		}
	} else {
		chain, err := json.Marshal(options)
		if err != nil {
			return producer, fmt.Errorf("chain options: %w", err)
		}
		batch.Put(keyVersion, strconv.Itoa(version))
		batch.Put(keyChain, string(chain))
	}
	pinned := found[2]
	switch {
	case producer == [33]byte{}:
		copy(producer[:], pinned.Data)
	case !pinned.Present:
		batch.Put(KeyProducer, string(producer[:]))
	case pinned.Data != string(producer[:]):
		return producer, fmt.Errorf("%w: its blocks are made by the key %s, and the passphrase gives %s; start with the passphrase (and enable_hd) that it was made with, or use another data folder",
			ErrOtherChain, hex.EncodeToString([]byte(pinned.Data)), hex.EncodeToString(producer[:]))
	}
	if len(batch.Ops) == 0 {
		return producer, nil
	}
	return producer, store.Apply(ctx, kv, batch)
}

// Name returns the name of the chain that a store is bound to, or "" for an empty store.
func Name(ctx context.Context, kv store.KV) (string, error) {
	found, err := kv.Get(ctx, keyChain)
	if err != nil || !found[0].Present {
		return "", err
	}
	o := params.Defaults()
	if err := json.Unmarshal([]byte(found[0].Data), &o); err != nil {
		return "", fmt.Errorf("read the store: chain options: %w", err)
	}
	return o.Name, nil
}

// Producer returns the public key that makes the blocks of a store's chain, in hexadecimal, or
// "" if the chain has no producer.
func Producer(ctx context.Context, kv store.KV) (string, error) {
	found, err := kv.Get(ctx, KeyProducer)
	if err != nil {
		return "", err
	}
	return hex.EncodeToString([]byte(found[0].Data)), nil
}

func check(format, chain string, options params.Options) error {
	if n, err := strconv.Atoi(format); err != nil || n > version {
		return fmt.Errorf("%w: format %q, this program knows up to %d", ErrNewerStore, format, version)
	}
	pinned := params.Defaults()
	if err := json.Unmarshal([]byte(chain), &pinned); err != nil {
		return fmt.Errorf("read the store: chain options: %w", err)
	}
	if field, differs := params.Diff(pinned, options); differs {
		return fmt.Errorf("%w: chain.%s is %q there and %q in the settings; start with%s, or use another data folder",
			ErrOtherChain, field, pinned.Value(field), options.Value(field), chainSettings(pinned))
	}
	return nil
}

// chainSettings returns the settings of a chain in the form of command-line options. A name
// alone would set all other options to komodod's defaults.
func chainSettings(o params.Options) (line string) {
	for _, key := range params.Keys() {
		if value := o.Value(key); value != params.Defaults().Value(key) {
			line += " chain." + key + "=" + value
		}
	}
	return line
}

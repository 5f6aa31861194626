// Package walletstest provides an in-memory store of wallet files for tests.
package walletstest

import (
	"context"
	"maps"
	"slices"

	"obverse/core/key/walletfile"
	"obverse/core/key/wallets"
)

// Cheap holds fast key derivation parameters for tests.
var Cheap = walletfile.Params{Memory: 8, Passes: 1, Lanes: 1}

// Store is an in-memory wallets.Store. It is not safe for concurrent use.
type Store map[string][]byte

// Names implements wallets.Store.
func (s Store) Names(context.Context) ([]string, error) { return slices.Collect(maps.Keys(s)), nil }

// Read implements wallets.Store.
func (s Store) Read(_ context.Context, name string) ([]byte, error) {
	if text, found := s[name]; found {
		return text, nil
	}
	return nil, wallets.ErrNotFound
}

// Create implements wallets.Store.
func (s Store) Create(_ context.Context, name string, text []byte) error {
	if _, found := s[name]; found {
		return wallets.ErrExists
	}
	s[name] = text
	return nil
}

// Replace implements wallets.Store.
func (s Store) Replace(_ context.Context, name string, text []byte) error {
	s[name] = text
	return nil
}

// Remove implements wallets.Store.
func (s Store) Remove(_ context.Context, name string) error {
	delete(s, name)
	return nil
}

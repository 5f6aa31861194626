package wallets

import (
	"context"
	"errors"
	"strings"
	"unicode"
)

// Store keeps wallet files by the names of their wallets. Its methods may be called by
// several goroutines; what they did is durable when they return.
type Store interface {
	// Names lists the wallets, in any order.
	Names(ctx context.Context) ([]string, error)
	// Read gives a file, or ErrNotFound.
	Read(ctx context.Context, name string) ([]byte, error)
	// Create stores a new file, or gives ErrExists.
	Create(ctx context.Context, name string, text []byte) error
	// Replace puts a file in the place of the one that was there, whole or not at all.
	Replace(ctx context.Context, name string, text []byte) error
	// Remove deletes a file, or gives ErrNotFound.
	Remove(ctx context.Context, name string) error
}

// Errors of a Store.
var (
	ErrNotFound = errors.New("wallet not found")
	ErrExists   = errors.New("a wallet with this name already exists")
)

// ErrName says that a text cannot name a wallet.
var ErrName = errors.New("invalid wallet name: want 1 to 100 bytes of letters, digits, spaces, hyphens and underscores")

const maxName = 100

// Name is the name that a text stands for, without the spaces around it.
func Name(text string) (string, error) {
	name := strings.TrimSpace(text)
	outside := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_ ", r)
	}
	if name == "" || len(name) > maxName || strings.ContainsFunc(name, outside) {
		return "", ErrName
	}
	return name, nil
}

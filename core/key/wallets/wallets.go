// Package wallets opens named wallets. A named wallet is a recovery phrase encrypted with the
// wallet's password. The package does not keep the keys of open wallets, and has no methods.
//
// Source: Komodo DeFi Framework mm2_main/src/lp_wallet.rs, for the effects of a config with a
// name, a password and a passphrase, and for error texts on which clients rely.
//
// Invariant: a wallet's file is replaced entirely or not at all, and nothing is removed or
// changed without the wallet's password.
package wallets

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"obverse/core/key/walletfile"
)

// Config holds the dependencies and settings of Wallets.
type Config struct {
	Store  Store
	Random io.Reader
	Cost   walletfile.Params           // cost parameters of new files
	Policy func(password string) error // password policy of new files
	KDF    walletfile.KDF              // nil means walletfile.Argon2id
}

// New returns the wallets of a store. No wallet is open.
func New(c Config) *Wallets {
	if c.KDF == nil {
		c.KDF = walletfile.Argon2id
	}
	return &Wallets{c: c, turn: make(chan struct{}, 1)}
}

// wait waits until no other goroutine derives keys. The caller must call done afterwards.
// Deriving the keys of a password needs 64 MiB, and a second change of a password must see the
// result of the first.
func (w *Wallets) wait(ctx context.Context) (done func(), err error) {
	select {
	case w.turn <- struct{}{}:
		return func() { <-w.turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Errors of the methods below.
var (
	// ErrNoneActive reports that the node was started without a named wallet.
	ErrNoneActive = errors.New("`wallet_name` cannot be None!")
	// ErrActive reports that the wallet is the one with which the node was started.
	ErrActive = errors.New("wallet is currently active")
)

// Active returns the name of the wallet that Open opened, or "".
func (w *Wallets) Active() string { return w.active }

// Names returns the sorted names of all wallets.
func (w *Wallets) Names(ctx context.Context) ([]string, error) {
	names, err := w.c.Store.Names(ctx)
	slices.Sort(names)
	return names, err
}

// Encrypted returns the file of the active wallet.
func (w *Wallets) Encrypted(ctx context.Context) (json.RawMessage, error) {
	text, err := w.read(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := walletfile.Parse(text); err != nil {
		return nil, err
	}
	return text, nil
}

// Phrase returns the phrase of the active wallet.
func (w *Wallets) Phrase(ctx context.Context, password []byte) (string, error) {
	done, err := w.wait(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	return w.phrase(ctx, password)
}

func (w *Wallets) phrase(ctx context.Context, password []byte) (string, error) {
	text, err := w.read(ctx)
	if err != nil {
		return "", err
	}
	return w.decrypt(ctx, text, password)
}

func (w *Wallets) read(ctx context.Context) ([]byte, error) {
	if w.active == "" {
		return nil, ErrNoneActive
	}
	return w.c.Store.Read(ctx, w.active)
}

// ChangePassword encrypts the active wallet with another password.
func (w *Wallets) ChangePassword(ctx context.Context, current, next []byte, weak bool) error {
	if err := w.checkPolicy(Login{Password: next, Weak: weak}); err != nil {
		return err
	}
	if len(next) == 0 {
		return ErrNoPassword
	}
	done, err := w.wait(ctx)
	if err != nil {
		return err
	}
	defer done()
	phrase, err := w.phrase(ctx, current)
	if err != nil {
		return err
	}
	text, err := w.encrypt(ctx, phrase, next)
	if err != nil {
		return err
	}
	return w.c.Store.Replace(ctx, w.active, text)
}

// Delete removes the file of an inactive wallet. It does not remove the wallet's data.
func (w *Wallets) Delete(ctx context.Context, name string, password []byte) error {
	name, err := Name(name)
	if err != nil {
		return err
	}
	if name == w.active {
		return fmt.Errorf("%w: %q", ErrActive, name)
	}
	done, err := w.wait(ctx)
	if err != nil {
		return err
	}
	defer done()
	text, err := w.c.Store.Read(ctx, name)
	if err != nil {
		return err
	}
	if _, err := w.decrypt(ctx, text, password); err != nil {
		return err
	}
	return w.c.Store.Remove(ctx, name)
}

// Store stores wallet files by the names of their wallets. It must be safe for concurrent use,
// and changes must be durable when its methods return.
type Store interface {
	// Names returns the names of all wallets, in any order.
	Names(ctx context.Context) ([]string, error)
	// Read returns a file, or ErrNotFound.
	Read(ctx context.Context, name string) ([]byte, error)
	// Create stores a new file, or returns ErrExists.
	Create(ctx context.Context, name string, text []byte) error
	// Replace replaces a file, entirely or not at all.
	Replace(ctx context.Context, name string, text []byte) error
	// Remove deletes a file, or returns ErrNotFound.
	Remove(ctx context.Context, name string) error
}

// Errors of a Store.
var (
	ErrNotFound = errors.New("wallet not found")
	ErrExists   = errors.New("a wallet with this name already exists")
)

// ErrName reports a text that is not a valid wallet name.
var ErrName = errors.New("invalid wallet name: want 1 to 100 bytes of letters, digits, spaces, hyphens and underscores")

const maxName = 100

// Name returns the wallet name in a text, without surrounding spaces.
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

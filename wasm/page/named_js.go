package main

import (
	"context"
	"encoding/json"
	"fmt"

	"obverse/core/config"
	"obverse/core/key/walletfile"
	"obverse/core/key/wallets"
	"obverse/wasm/jsval"
	"obverse/wasm/session"
)

// walletFiles stores wallet files in the host, see host.
type walletFiles struct{ object jsval.Value }

var _ wallets.Store = walletFiles{}

// do calls a function of the host and waits for its answer.
func (f walletFiles) do(ctx context.Context, function string, args ...any) (jsval.Value, error) {
	answer, err := f.object.Call(function, args...)
	if err == nil {
		answer, err = jsval.Await(ctx, answer)
	}
	if err != nil {
		return jsval.Value{}, fmt.Errorf("wallet files: %s: %w", function, err)
	}
	return answer, nil
}

// Names implements wallets.Store.
func (f walletFiles) Names(ctx context.Context) (names []string, err error) {
	answer, err := f.do(ctx, "names")
	if err != nil {
		return nil, err
	}
	return names, json.Unmarshal([]byte(answer.TextOr("")), &names)
}

// Read implements wallets.Store.
func (f walletFiles) Read(ctx context.Context, name string) ([]byte, error) {
	answer, err := f.do(ctx, "read", name)
	if err != nil {
		return nil, err
	}
	if answer.Missing() {
		return nil, wallets.ErrNotFound
	}
	text, err := answer.Text()
	return []byte(text), err
}

// Create implements wallets.Store.
func (f walletFiles) Create(ctx context.Context, name string, text []byte) error {
	return f.change(ctx, wallets.ErrExists, "create", name, string(text))
}

// Replace implements wallets.Store.
func (f walletFiles) Replace(ctx context.Context, name string, text []byte) error {
	_, err := f.do(ctx, "replace", name, string(text))
	return err
}

// Remove implements wallets.Store.
func (f walletFiles) Remove(ctx context.Context, name string) error {
	return f.change(ctx, wallets.ErrNotFound, "remove", name)
}

// change calls a function of the host that returns whether it was successful.
func (f walletFiles) change(ctx context.Context, otherwise error, function string, args ...any) error {
	answer, err := f.do(ctx, function, args...)
	if err == nil && !answer.Is() {
		err = otherwise
	}
	return err
}

// signIn opens the wallet that the config names. The recovery phrase of the wallet becomes the node's passphrase,
// and the wallet has its own store, in the folder of the store of a node without a wallet.
func (b *bridge) signIn(ctx context.Context, s *session.Settings) error {
	c := &s.Config
	files := walletFiles{b.host.object.Get("walletFiles")}
	if files.object.Missing() {
		return nil
	}
	named := wallets.New(wallets.Config{Store: files, Random: s.Platform.Random, Cost: walletfile.DefaultParams, Policy: config.CheckPassword, KDF: b.host.kdf})
	s.Platform.NamedWallets = named
	if c.WalletName == "" {
		return nil
	}
	s.Log.Info("opening the wallet", "wallet", c.WalletName)
	b.host.call("opening", c.WalletName)
	phrase, folder, err := named.SignIn(ctx, c.Login())
	if err != nil {
		s.Log.Error(err.Error()) // clients of Komodo DeFi Framework look for this line in the log
		return session.Fail(session.WalletError, err)
	}
	c.Passphrase, c.EncryptedPhrase = config.NewSecret(phrase), nil
	s.Log = session.NewLogger(b.host.log, c.LogLevel, c.Secrets()...)
	if err := c.Validate(); err != nil { // daemon.pubkey may belong to another key
		return session.Fail(session.ConfigError, err)
	}
	path, err := files.do(ctx, "store", folder)
	if err == nil {
		s.Path, err = path.Text()
	}
	return session.Fail(session.StoreError, err)
}

package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"obverse/core/config"
	"obverse/core/key/walletfile"
	"obverse/core/key/wallets"
	"obverse/native/node"
	"obverse/native/settings"
	"obverse/native/walletdir"
)

// signIn opens the wallet that the config names. Its recovery phrase is the node's passphrase from
// then on. Its store is in a folder of its own, named by the key as in KDF.
func signIn(ctx context.Context, s *settings.Settings) error {
	c := &s.Config
	s.Wallets = wallets.New(wallets.Config{
		Store: walletdir.New(s.DataDir, settings.FileName), Random: rand.Reader, Cost: walletfile.DefaultParams, Policy: config.CheckPassword,
	})
	s.StoreDir = s.DataDir
	if c.WalletName == "" {
		return nil
	}
	if _, err := walletFile(ctx, s, c.WalletName); errors.Is(err, wallets.ErrNotFound) {
		if err := node.RefuseNewWallet(s); err != nil {
			return err
		}
	}
	phrase, folder, err := s.Wallets.SignIn(ctx, c.Login())
	var open wallets.OpenError
	if errors.As(err, &open) && errors.Is(err, wallets.ErrName) { // no wallet has it
		return settings.ConfigError{Err: fmt.Errorf("wallet_name: %w", open.Cause)}
	}
	if err != nil {
		return err
	}
	c.Passphrase, c.EncryptedPhrase = config.NewSecret(phrase), nil
	s.StoreDir = filepath.Join(s.DataDir, folder)
	if err := c.Validate(); err != nil { // daemon.pubkey may be another key
		return settings.ConfigError{Err: err}
	}
	return os.MkdirAll(s.StoreDir, 0o700)
}

package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"obverse/core/chain/script"
	"obverse/core/config"
	"obverse/core/key"
	"obverse/core/key/walletfile"
	"obverse/core/key/wallets"
	"obverse/native/settings"
	"obverse/native/walletdir"
)

// badWallet is a wallet that cannot be opened. Its text begins as KDF's: the SDK recognises a wrong
// password by it.
type badWallet struct{ error }

func (e badWallet) Error() string {
	return "Error generating or decrypting mnemonic: " + e.error.Error()
}

func (e badWallet) Unwrap() error { return e.error }

// signIn opens the wallet that the config names, whose phrase is the node's passphrase from
// then on. Its store is in a folder of its own, named by the key as KDF names it.
func signIn(ctx context.Context, s *settings.Settings) error {
	c := &s.Config
	s.Wallets = wallets.New(wallets.Config{
		Store: walletdir.New(s.DataDir, settings.FileName), Random: rand.Reader, Cost: walletfile.DefaultParams, Policy: config.CheckPassword,
	})
	s.StoreDir = s.DataDir
	if c.WalletName == "" {
		return nil
	}
	phrase, err := s.Wallets.Open(ctx, c.Login())
	if err != nil {
		return badWallet{err}
	}
	c.Passphrase, c.EncryptedPhrase = config.NewSecret(phrase), nil
	ring, err := key.Open(phrase, c.EnableHD)
	if err != nil {
		return badWallet{fmt.Errorf("wallet %q: %w", s.Wallets.Active(), err)}
	}
	defer ring.Wipe()
	public := ring.Node().PublicKey()
	hash := script.Hash160(public[:])
	s.StoreDir = filepath.Join(s.DataDir, hex.EncodeToString(hash[:]))
	if err := c.Validate(); err != nil { // daemon.pubkey may be another key
		return badConfig{err}
	}
	return os.MkdirAll(s.StoreDir, 0o700)
}

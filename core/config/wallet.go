package config

import (
	"errors"

	"obverse/core/key/wallets"
)

// Errors of a named wallet's keys.
var (
	errNeedsPassword = errors.New("is missing: the wallet that wallet_name names is encrypted with it")
	errNeedsName     = errors.New("is missing: wallet_password and an encrypted passphrase are those of a wallet")
)

func isWalletName(text string) bool {
	_, err := wallets.Name(text)
	return text == "" || err == nil
}

func (c *Config) checkWallet() error {
	switch named := c.WalletName != ""; {
	case named && !c.WalletPassword.IsSet():
		return wrong("wallet_password", errNeedsPassword)
	case !named && len(c.EncryptedPhrase) > 0:
		return wrong("wallet_name", errNeedsName)
	}
	return nil
}

// Login returns the wallet settings of the config.
func (c *Config) Login() wallets.Login {
	return wallets.Login{
		Name: c.WalletName, Password: []byte(c.WalletPassword.Reveal()), Passphrase: c.Passphrase.Reveal(), Encrypted: c.EncryptedPhrase,
		Words: c.WordCount, Register: c.AllowRegistration, Weak: c.AllowWeakPassword, HD: c.EnableHD,
	}
}

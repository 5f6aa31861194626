package config

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"obverse/core/chain/params"
	"obverse/core/key"
	"obverse/core/key/wallets"
	"obverse/core/rpc/auth"
)

// Validate checks the constraints on values that their types do not express. The error is an
// *Error for the first invalid key.
func (c *Config) Validate() error {
	for _, k := range settings() {
		value := c.at(k).Interface()
		if k.allows(value) {
			continue
		}
		where := ""
		if list, is := value.([]string); is {
			if n := slices.IndexFunc(list, func(one string) bool { return !k.allows([]string{one}) }); n >= 0 {
				value, where = list[n], fmt.Sprintf(" at index %d", n)
			}
		}
		text, err := json.Marshal(value)
		if err != nil {
			return err
		}
		return mustBe(k, text, where)
	}
	if err := c.checkPorts(); err != nil {
		return err
	}
	if err := c.checkPassword(); err != nil {
		return err
	}
	if err := c.checkKey(); err != nil {
		return err
	}
	if _, err := params.New(c.Chain.Options); err != nil {
		return chainError(err)
	}
	return c.checkWallet() // checked last, so that all other settings are valid when the user is asked for a password
}

// checkPorts returns an error if both interfaces would listen on the same port.
func (c *Config) checkPorts() error {
	d := c.Daemon
	if c.RPCPort == 0 || c.RPCPort != d.RPCPort || !overlap(c.RPCIP, d.RPCIP) {
		return nil
	}
	text := fmt.Sprintf("daemon.rpcport is %d, rpcport is %d too, and each interface needs its own port", d.RPCPort, c.RPCPort)
	return &Error{"daemon.rpcport", text, ErrNotAllowed}
}

func overlap(a, b string) bool {
	first, err := netip.ParseAddr(a)
	second, err2 := netip.ParseAddr(b)
	return err == nil && err2 == nil && (first.Unmap() == second.Unmap() || first.IsUnspecified() || second.IsUnspecified())
}

func (c *Config) checkPassword() error {
	if c.AllowWeakPassword {
		return nil
	}
	if err := CheckPassword(c.RPCPassword.Reveal()); err != nil {
		return wrong("rpc_password", fmt.Errorf("is too weak: %w (allow_weak_password lifts the rules)", err))
	}
	password := c.Daemon.RPCPassword
	if !password.IsSet() || auth.Strong(password.Reveal()) { // komodod generates long passwords that consist of hexadecimal digits only
		return nil
	}
	if err := CheckPassword(password.Reveal()); err != nil {
		return wrong("daemon.rpcpassword", fmt.Errorf("is too weak: %w, or be random and of 32 characters or more (allow_weak_password lifts the rules)", err))
	}
	return nil
}

// checkKey returns an error for a passphrase that does not yield a key, and for a public key
// that does not match it. With such settings, komodod would start and then fail to sign.
func (c *Config) checkKey() error {
	if !c.Passphrase.IsSet() {
		return nil
	}
	ring, err := key.Open(c.Passphrase.Reveal(), c.EnableHD)
	if err != nil {
		reason := strings.TrimPrefix(err.Error(), "Error parsing passphrase: ")
		return &Error{"passphrase", "passphrase is invalid: " + reason, err}
	}
	defer ring.Wipe()
	pub := ring.Node().PublicKey()
	if want := hex.EncodeToString(pub[:]); c.Daemon.PubKey != "" && !strings.EqualFold(c.Daemon.PubKey, want) {
		text := fmt.Sprintf("daemon.pubkey (-pubkey) must be the key of the passphrase, %s, got %s: leave it out, "+
			"or give the WIF of the other key as passphrase (komodod's dumpprivkey shows it)", want, c.Daemon.PubKey)
		return &Error{"daemon.pubkey", text, ErrNotAllowed}
	}
	return nil
}

// Errors of the settings of a named wallet.
var (
	errNeedsPassword = errors.New("is missing: the wallet that wallet_name names is encrypted with it")
	errNeedsName     = errors.New("is missing: wallet_password and an encrypted passphrase belong to a wallet")
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

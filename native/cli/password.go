package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"obverse/core/config"
	"obverse/core/key/walletfile"
	"obverse/core/key/wallets"
	"obverse/native/instance"
	"obverse/native/settings"
	"obverse/native/walletdir"
)

// newWallet is the name of the wallet of a config that is written.
const newWallet = "wallet"

// passwords completes settings with the password of their wallet.
type passwords func(ctx context.Context, s *settings.Settings) error

// forNewWallet has a new config name a wallet, which keeps the phrase encrypted, if there is
// a password for it. Without one, as in scripts, the phrase is in the config.
func (p *program) forNewWallet(ctx context.Context, s *settings.Settings) error {
	if !s.IsNew() || s.HasGivenKey() {
		return p.forWallet(ctx, s)
	}
	c := &s.Config
	if c.WalletName != "" || c.WalletPassword.IsSet() {
		s.NameWallet(cmp.Or(c.WalletName, newWallet))
		if err := checkGiven(ctx, s); err != nil {
			return settings.ConfigError{Err: err}
		}
		return p.forWallet(ctx, s)
	}
	if t, found := p.findTerminal(); found {
		return t.choose(ctx, s)
	}
	return nil
}

// checkGiven refuses a password that is too weak for a wallet that is to be made.
func checkGiven(ctx context.Context, s *settings.Settings) error {
	c := &s.Config
	if _, err := walletFile(ctx, s, c.WalletName); !errors.Is(err, wallets.ErrNotFound) || !c.WalletPassword.IsSet() || c.AllowWeakPassword {
		return nil
	}
	if err := config.CheckPassword(c.WalletPassword.Reveal()); err != nil {
		return fmt.Errorf("wallet_password is too weak: %w", err)
	}
	return nil
}

// walletFile reads a wallet's file, or gives wallets.ErrNotFound.
func walletFile(ctx context.Context, s *settings.Settings, name string) ([]byte, error) {
	return walletdir.New(s.DataDir, settings.FileName).Read(ctx, name)
}

// choose asks at a first start whether the phrase shall be encrypted.
func (t terminal) choose(ctx context.Context, s *settings.Settings) error {
	if err := refuseRunning(s); err != nil {
		return err
	}
	password, err := t.passwordOf(ctx, s, newWallet, true)
	if err != nil || password == "" {
		return err
	}
	s.NameWallet(newWallet)
	s.Config.WalletPassword = config.NewSecret(password)
	s.AskAgain = t.again(s)
	return nil
}

// forWallet asks for the password of the wallet that the config names, if it is not given.
func (p *program) forWallet(ctx context.Context, s *settings.Settings) error {
	c := &s.Config
	if c.WalletName == "" || c.WalletPassword.IsSet() {
		return nil
	}
	t, found := p.findTerminal()
	if !found {
		return nil // Validate refuses it
	}
	if err := refuseRunning(s); err != nil {
		return err
	}
	password, err := t.passwordOf(ctx, s, c.WalletName, false)
	c.WalletPassword = config.NewSecret(password)
	s.AskAgain = t.again(s)
	return err
}

// again asks for the password of a wallet that exists once more.
func (t terminal) again(s *settings.Settings) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		fmt.Fprintln(t.out, "Wrong password.")
		return t.passwordOf(ctx, s, s.Config.WalletName, false)
	}
}

// maxAttempts limits how often a person may type a password.
const maxAttempts = 3

// openWallet opens the wallet that the config names. A wrong password that was typed can be typed
// again.
func openWallet(ctx context.Context, s *settings.Settings) error {
	for attempt := 1; ; attempt++ {
		err := signIn(ctx, s)
		if !errors.Is(err, walletfile.ErrPassword) || s.AskAgain == nil || attempt == maxAttempts {
			return err
		}
		password, err := s.AskAgain(ctx)
		if err != nil {
			return err
		}
		s.Config.WalletPassword = config.NewSecret(password)
	}
}

// passwordOf asks for the password of a wallet: twice if the wallet is to be made.
func (t terminal) passwordOf(ctx context.Context, s *settings.Settings, name string, optional bool) (string, error) {
	_, err := walletFile(ctx, s, name)
	if err == nil {
		password, err := t.hidden(ctx, fmt.Sprintf("Password of the wallet %q: ", name))
		if err == nil && password == "" { // which would be taken for a new wallet without one
			err = errNoAnswer
		}
		return password, err
	}
	if !errors.Is(err, wallets.ErrNotFound) {
		return "", wallets.OpenError{Cause: err}
	}
	fmt.Fprintf(t.out, "The wallet %q is new. Choose a password, with which its recovery phrase is encrypted.\n", name)
	if optional {
		fmt.Fprintf(t.out, "Without one (press Enter) the phrase is stored unencrypted in %s.\n", s.ConfigFile)
	}
	allowed := func(string) error { return nil }
	if !s.Config.AllowWeakPassword {
		allowed = config.CheckPassword
		fmt.Fprintln(t.out, config.PasswordRules)
	}
	return t.newPassword(ctx, optional, allowed)
}

// refuseRunning reports a node that runs in the data folder before a person types a
// password in vain.
func refuseRunning(s *settings.Settings) error {
	if _, running := instance.Find(s.DataDir); !running {
		return nil
	}
	lock, err := instance.Acquire(s.DataDir)
	if err != nil {
		return err
	}
	return lock.Release() // it has just ended
}

// isUnasked reports whether the one fault of a config is that there was no prompt for its wallet's
// password.
func isUnasked(s *settings.Settings, err error) bool {
	bad, is := errors.AsType[*config.Error](err)
	return is && bad.Key == "wallet_password" && !s.Config.WalletPassword.IsSet()
}

package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/term"

	"obverse/core/config"
	"obverse/core/key/walletfile"
	"obverse/core/key/wallets"
	"obverse/native/datalock"
	"obverse/native/node"
	"obverse/native/settings"
	"obverse/native/walletdir"
)

// signIn opens the wallet in the config. Its recovery phrase becomes the node's passphrase. Its
// store is in a separate folder named after the key, as in KDF.
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
	if errors.As(err, &open) && errors.Is(err, wallets.ErrName) { // no wallet can have this name
		return settings.ConfigError{Err: fmt.Errorf("wallet_name: %w", open.Cause)}
	}
	if err != nil {
		return err
	}
	c.Passphrase, c.EncryptedPhrase = config.NewSecret(phrase), nil
	s.StoreDir = filepath.Join(s.DataDir, folder)
	if err := c.Validate(); err != nil { // daemon.pubkey may be of another key
		return settings.ConfigError{Err: err}
	}
	return os.MkdirAll(s.StoreDir, 0o700)
}

// newWallet is the name of the wallet in a new config.
const newWallet = "wallet"

// passwords adds the password of the wallet to settings.
type passwords func(ctx context.Context, s *settings.Settings) error

// forNewWallet sets a wallet with the encrypted phrase in a new config, if there is a password for
// it. Without a password, as in scripts, the config contains the phrase.
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

// checkGiven returns an error for a password that is too weak for a new wallet.
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

// walletFile reads the file of a wallet, or returns wallets.ErrNotFound.
func walletFile(ctx context.Context, s *settings.Settings, name string) ([]byte, error) {
	return walletdir.New(s.DataDir, settings.FileName).Read(ctx, name)
}

// choose prompts at a first start for a password that encrypts the phrase.
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

// forWallet prompts for the password of the wallet in the config, if it is not set.
func (p *program) forWallet(ctx context.Context, s *settings.Settings) error {
	c := &s.Config
	if c.WalletName == "" || c.WalletPassword.IsSet() {
		return nil
	}
	t, found := p.findTerminal()
	if !found {
		return nil // Validate returns an error
	}
	if err := refuseRunning(s); err != nil {
		return err
	}
	password, err := t.passwordOf(ctx, s, c.WalletName, false)
	c.WalletPassword = config.NewSecret(password)
	s.AskAgain = t.again(s)
	return err
}

// again prompts again for the password of an existing wallet.
func (t terminal) again(s *settings.Settings) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		fmt.Fprintln(t.out, "Wrong password.")
		return t.passwordOf(ctx, s, s.Config.WalletName, false)
	}
}

// maxAttempts is the maximum number of times that a user may type a password.
const maxAttempts = 3

// openWallet opens the wallet in the config. A user can repeat a wrong password.
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

// passwordOf prompts for the password of a wallet: twice if the wallet is new.
func (t terminal) passwordOf(ctx context.Context, s *settings.Settings, name string, optional bool) (string, error) {
	_, err := walletFile(ctx, s, name)
	if err == nil {
		password, err := t.hidden(ctx, fmt.Sprintf("Password of the wallet %q: ", name))
		if err == nil && password == "" { // an empty password would mean a new wallet without a password
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

// refuseRunning returns an error if a node runs in the data folder, before the user types a
// password in vain.
func refuseRunning(s *settings.Settings) error {
	if _, running := datalock.Find(s.DataDir); !running {
		return nil
	}
	lock, err := datalock.Acquire(s.DataDir)
	if err != nil {
		return err
	}
	return lock.Release() // it has just stopped
}

// isUnasked reports whether the only error of a config is a missing password for which there was no
// prompt.
func isUnasked(s *settings.Settings, err error) bool {
	bad, is := errors.AsType[*config.Error](err)
	return is && bad.Key == "wallet_password" && !s.Config.WalletPassword.IsSet()
}

// terminal is a terminal with a user who can answer prompts.
type terminal struct{ in, out *os.File }

// findTerminal returns the terminal at which the program was started. Both input and output must be
// terminals, since a prompt in a file is invisible.
func (p *program) findTerminal() (t terminal, found bool) {
	in, readable := p.stdin.(*os.File)
	out, writable := p.stderr.(*os.File)
	if !readable || !writable || !term.IsTerminal(int(in.Fd())) || !term.IsTerminal(int(out.Fd())) {
		return t, false
	}
	return terminal{in, out}, true
}

// errNoAnswer reports a prompt that was ended with Ctrl-C, Ctrl-D or a signal.
var errNoAnswer = errors.New("no password was given")

// hidden prompts for a line without echo.
func (t terminal) hidden(ctx context.Context, question string) (string, error) {
	before, err := term.MakeRaw(int(t.in.Fd()))
	if err != nil {
		return "", err
	}
	defer term.Restore(int(t.in.Fd()), before)
	type line struct {
		text string
		err  error
	}
	read := make(chan line, 1)
	go func() {
		text, err := term.NewTerminal(struct {
			io.Reader
			io.Writer
		}{t.in, t.out}, "").ReadPassword(question)
		read <- line{text, err}
	}()
	select {
	case l := <-read:
		if l.err != nil {
			fmt.Fprint(t.out, "\r\n")
			return "", errNoAnswer
		}
		return l.text, nil
	case <-ctx.Done():
		fmt.Fprint(t.out, "\r\n")
		return "", errNoAnswer
	}
}

// newPassword prompts twice for a password until it is valid, at most maxAttempts times. It returns
// "" if the password is optional and the user chooses none.
func (t terminal) newPassword(ctx context.Context, optional bool, allowed func(string) error) (string, error) {
	for range maxAttempts {
		password, err := t.hidden(ctx, "New password: ")
		if err != nil || password == "" && optional {
			return "", err
		}
		if err := allowed(password); err != nil {
			fmt.Fprintf(t.out, "%s.\n", err)
			continue
		}
		again, err := t.hidden(ctx, "The same again: ")
		if err != nil {
			return "", err
		}
		if again == password {
			return password, nil
		}
		fmt.Fprintln(t.out, "The passwords differ.")
	}
	return "", errNoAnswer
}

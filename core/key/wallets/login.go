package wallets

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"obverse/core/chain/script"
	"obverse/core/key"
	"obverse/core/key/walletfile"
)

// Login holds the wallet settings of a config.
type Login struct {
	Name     string // empty if the config has no named wallet
	Password []byte
	// Passphrase is the plain passphrase. Encrypted is a wallet file that replaces it.
	Passphrase string
	Encrypted  json.RawMessage
	Words      int  // number of words in a generated phrase
	Register   bool // whether a missing wallet may be created
	Weak       bool // whether weak passwords are allowed
	HD         bool // whether a new wallet's phrase must be a mnemonic
}

// Errors of Open.
var (
	// ErrNoName reports an encrypted passphrase without a wallet name.
	ErrNoName = errors.New("missing wallet_name: an encrypted passphrase needs one")
	// ErrNoPassword reports a named wallet without a password.
	ErrNoPassword = errors.New("`wallet_password` cannot be empty")
	// ErrLongPassword reports a new password that is too long to be entered again as an
	// argument, in a file or at a terminal.
	ErrLongPassword = errors.New("the password is too long: want at most 1024 bytes")
	// ErrMismatch reports that another phrase is stored under the name.
	ErrMismatch = errors.New("passphrase does not match the stored one: use another wallet_name for a new wallet")
	// ErrRegister reports that new wallets are not allowed. The beginning of its text is that
	// of Komodo DeFi Framework, which clients recognise.
	ErrRegister = errors.New("Wallet does not exist, and wallet creation is disabled (allow_registrations is false)")
)

// Wallets provides the wallets in a store.
type Wallets struct {
	c      Config
	active string
	turn   chan struct{} // held by the goroutine that derives keys
}

// Open returns the phrase of the wallet that l describes, or "" if l does not name a wallet. It
// creates the wallet if it does not exist. It returns the errors above, ErrName, a
// PasswordError of the policy, and the errors of package walletfile and of the store.
func (w *Wallets) Open(ctx context.Context, l Login) (phrase string, err error) {
	if l.Name == "" {
		if len(l.Encrypted) > 0 {
			return "", ErrNoName
		}
		return l.Passphrase, nil
	}
	name, err := Name(l.Name)
	if err != nil {
		return "", err
	}
	if len(l.Password) == 0 {
		return "", ErrNoPassword
	}
	text, err := w.c.Store.Read(ctx, name)
	switch {
	case errors.Is(err, ErrNotFound):
		phrase, err = w.register(ctx, name, l)
	case err == nil:
		phrase, err = w.signIn(ctx, text, l)
	}
	if err != nil {
		return "", fmt.Errorf("wallet %q: %w", name, err)
	}
	w.active = name
	return phrase, nil
}

// signIn decrypts a wallet's file. A passphrase that is given with the name must match the
// stored one.
func (w *Wallets) signIn(ctx context.Context, text []byte, l Login) (string, error) {
	phrase, err := w.decrypt(ctx, text, l.Password)
	if err != nil {
		return "", err
	}
	given := l.Passphrase
	if len(l.Encrypted) > 0 {
		if given, err = w.decrypt(ctx, l.Encrypted, l.Password); err != nil {
			return "", fmt.Errorf("passphrase: %w", err)
		}
	}
	if given != "" && given != phrase {
		return "", ErrMismatch
	}
	return phrase, nil
}

// register stores a new wallet. It stores an encrypted passphrase unchanged, and encrypts a
// plain or generated one.
func (w *Wallets) register(ctx context.Context, name string, l Login) (phrase string, err error) {
	if !l.Register {
		return "", ErrRegister
	}
	if len(l.Encrypted) > 0 {
		if phrase, err = w.decrypt(ctx, l.Encrypted, l.Password); err != nil {
			return "", fmt.Errorf("passphrase: %w", err)
		}
		return phrase, w.create(ctx, name, phrase, l.Encrypted, l.HD)
	}
	if err := w.checkPolicy(l); err != nil {
		return "", err
	}
	if phrase = l.Passphrase; phrase == "" {
		if phrase, err = key.NewMnemonic(w.c.Random, l.Words); err != nil {
			return "", err
		}
	}
	text, err := w.encrypt(ctx, phrase, l.Password)
	if err != nil {
		return "", err
	}
	return phrase, w.create(ctx, name, phrase, text, l.HD)
}

// create stores a wallet, unless no key can be derived from its phrase.
func (w *Wallets) create(ctx context.Context, name, phrase string, text []byte, hd bool) error {
	ring, err := key.Open(phrase, hd)
	if err != nil {
		return err
	}
	ring.Wipe()
	return w.c.Store.Create(ctx, name, text)
}

// maxPassword limits the length of a new password in bytes.
const maxPassword = 1024

func (w *Wallets) checkPolicy(l Login) error {
	if len(l.Password) > maxPassword {
		return ErrLongPassword
	}
	if l.Weak {
		return nil
	}
	return w.c.Policy(string(l.Password))
}

func (w *Wallets) encrypt(ctx context.Context, phrase string, password []byte) ([]byte, error) {
	file, err := walletfile.Encrypt(ctx, w.c.Random, phrase, password, w.c.Cost, w.c.KDF)
	if err != nil {
		return nil, err
	}
	return json.Marshal(file)
}

func (w *Wallets) decrypt(ctx context.Context, text, password []byte) (string, error) {
	file, err := walletfile.Parse(text)
	if err != nil {
		return "", err
	}
	return file.Decrypt(ctx, password, w.c.KDF)
}

// OpenError reports that a wallet cannot be opened. The beginning of its text is that of Komodo
// DeFi Framework, by which clients recognise a wrong password.
type OpenError struct{ Cause error }

func (e OpenError) Error() string {
	return "Error generating or decrypting mnemonic: " + e.Cause.Error()
}

// Unwrap returns the cause.
func (e OpenError) Unwrap() error { return e.Cause }

// SignIn opens the wallet that l names, like Open, and derives the key of its phrase. The
// result folder is the name of the folder for the wallet's data. As in Komodo DeFi Framework,
// it is the hash of the public key. The error is an OpenError.
func (w *Wallets) SignIn(ctx context.Context, l Login) (phrase, folder string, err error) {
	phrase, err = w.Open(ctx, l)
	if err != nil {
		return "", "", OpenError{err}
	}
	ring, err := key.Open(phrase, l.HD)
	if err != nil {
		return "", "", OpenError{fmt.Errorf("wallet %q: %w", w.active, err)}
	}
	defer ring.Wipe()
	public := ring.Node().PublicKey()
	hash := script.Hash160(public[:])
	return phrase, hex.EncodeToString(hash[:]), nil
}

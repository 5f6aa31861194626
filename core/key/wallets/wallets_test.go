package wallets_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/key/walletfile"
	"obverse/core/key/wallets"
	"obverse/core/key/wallets/walletstest"
)

const (
	phrase   = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"
	password = "Correct1!horse"
)

var errWeak = errors.New("too weak")

func open(s walletstest.Store) *wallets.Wallets {
	return wallets.New(wallets.Config{Store: s, Random: rand.Reader, Cost: walletstest.Cheap, Policy: func(p string) error {
		if p == "weak" {
			return errWeak
		}
		return nil
	}})
}

func encrypted(t *testing.T, phrase, password string) json.RawMessage {
	file, err := walletfile.Encrypt(t.Context(), rand.Reader, phrase, []byte(password), walletstest.Cheap, walletfile.Argon2id)
	require.NoError(t, err)
	text, err := json.Marshal(file)
	require.NoError(t, err)
	return text
}

// named returns a Login with the correct password that permits registration.
func named(name string) wallets.Login {
	return wallets.Login{Name: name, Password: []byte(password), Words: 12, Register: true}
}

func TestWithoutName(t *testing.T) {
	s := walletstest.Store{}
	w := open(s)
	got, err := w.Open(t.Context(), wallets.Login{})
	require.NoError(t, err)
	require.Empty(t, got, "a start without any key")
	got, err = w.Open(t.Context(), wallets.Login{Passphrase: "text"})
	require.NoError(t, err)
	require.Equal(t, "text", got)
	_, err = w.Open(t.Context(), wallets.Login{Encrypted: encrypted(t, phrase, password), Password: []byte(password)})
	require.ErrorIs(t, err, wallets.ErrNoName)
	require.Empty(t, w.Active())
	require.Empty(t, s)
}

func TestRegisterAndSignIn(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*wallets.Login)
		phrase string // empty for a generated phrase
	}{
		"generated": {func(*wallets.Login) {}, ""},
		"24 words":  {func(l *wallets.Login) { l.Words = 24 }, ""},
		"plain":     {func(l *wallets.Login) { l.Passphrase = phrase }, phrase},
		"any text":  {func(l *wallets.Login) { l.Passphrase = "not a mnemonic" }, "not a mnemonic"},
		"encrypted": {func(l *wallets.Login) { l.Encrypted = encrypted(t, phrase, password) }, phrase},
	} {
		t.Run(name, func(t *testing.T) {
			s, l := walletstest.Store{}, named(" my wallet ")
			c.change(&l)
			w := open(s)
			got, err := w.Open(t.Context(), l)
			require.NoError(t, err)
			require.Equal(t, "my wallet", w.Active())
			if c.phrase != "" {
				require.Equal(t, c.phrase, got)
			} else {
				require.Len(t, strings.Fields(got), l.Words)
				_, err := key.Open(got, true)
				require.NoError(t, err)
			}
			require.NotContains(t, string(s["my wallet"]), got)
			again := wallets.Login{Name: "my wallet", Password: []byte(password)}
			signedIn, err := open(s).Open(t.Context(), again)
			require.NoError(t, err)
			require.Equal(t, got, signedIn)
			again.Passphrase = got
			_, err = open(s).Open(t.Context(), again)
			require.NoError(t, err)
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*wallets.Login)
		want   error
	}{
		"wrong password":        {func(l *wallets.Login) { l.Password = []byte("other") }, walletfile.ErrPassword},
		"no password":           {func(l *wallets.Login) { l.Password = nil }, wallets.ErrNoPassword},
		"another passphrase":    {func(l *wallets.Login) { l.Passphrase = "other" }, wallets.ErrMismatch},
		"another encrypted one": {func(l *wallets.Login) { l.Encrypted = encrypted(t, "other", password) }, wallets.ErrMismatch},
		"not to be decrypted":   {func(l *wallets.Login) { l.Encrypted = encrypted(t, phrase, "other") }, walletfile.ErrPassword},
		"no encrypted one":      {func(l *wallets.Login) { l.Encrypted = json.RawMessage(`{}`) }, walletfile.ErrFormat},
		"unknown":               {func(l *wallets.Login) { l.Name, l.Register = "other", false }, wallets.ErrRegister},
		"a weak password":       {func(l *wallets.Login) { l.Name, l.Password = "other", []byte("weak") }, errWeak},
		"a path":                {func(l *wallets.Login) { l.Name = "../other" }, wallets.ErrName},
		"spaces":                {func(l *wallets.Login) { l.Name = "   " }, wallets.ErrName},
		"a long name":           {func(l *wallets.Login) { l.Name = strings.Repeat("x", 101) }, wallets.ErrName},
		"a count of words":      {func(l *wallets.Login) { l.Name, l.Words = "other", 13 }, key.ErrWordCount},
		"not HD":                {func(l *wallets.Login) { l.Name, l.Passphrase, l.HD = "other", "no mnemonic", true }, key.ErrWordCount},
		"encrypted, not HD": {func(l *wallets.Login) {
			l.Name, l.Encrypted, l.HD = "other", encrypted(t, "no mnemonic", password), true
		}, key.ErrWordCount},
		"registered, other pass": {func(l *wallets.Login) { l.Name, l.Encrypted = "other", encrypted(t, phrase, "other") }, walletfile.ErrPassword},
	} {
		t.Run(name, func(t *testing.T) {
			s := walletstest.Store{"mine": encrypted(t, phrase, password)}
			l := named("mine")
			c.change(&l)
			w := open(s)
			got, err := w.Open(t.Context(), l)
			require.ErrorIs(t, err, c.want)
			require.Empty(t, got)
			require.Empty(t, w.Active())
			require.Len(t, s, 1, "nothing was stored")
		})
	}
	l := named("mine")
	l.Password, l.Weak = []byte("weak"), true
	_, err := open(walletstest.Store{}).Open(t.Context(), l)
	require.NoError(t, err, "the policy is lifted")
}

func TestMethodsOfTheActiveWallet(t *testing.T) {
	s := walletstest.Store{"b": encrypted(t, "another", password), "a": encrypted(t, phrase, password)}
	w := open(s)
	_, err := w.Encrypted(t.Context())
	require.ErrorIs(t, err, wallets.ErrNoneActive)
	_, err = w.Phrase(t.Context(), []byte(password))
	require.ErrorIs(t, err, wallets.ErrNoneActive)
	names, err := w.Names(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, names)

	_, err = w.Open(t.Context(), named("a"))
	require.NoError(t, err)
	text, err := w.Encrypted(t.Context())
	require.NoError(t, err)
	require.Equal(t, string(s["a"]), string(text))
	got, err := w.Phrase(t.Context(), []byte(password))
	require.NoError(t, err)
	require.Equal(t, phrase, got)
	_, err = w.Phrase(t.Context(), []byte("other"))
	require.ErrorIs(t, err, walletfile.ErrPassword)
}

func TestChangePassword(t *testing.T) {
	s := walletstest.Store{"a": encrypted(t, phrase, password)}
	w := open(s)
	_, err := w.Open(t.Context(), named("a"))
	require.NoError(t, err)
	before := string(s["a"])
	for _, c := range []struct {
		current, next string
		want          error
	}{{password, "weak", errWeak}, {password, "", wallets.ErrNoPassword}, {password, strings.Repeat("aA1!", 257), wallets.ErrLongPassword}, {"other", "Next1!", walletfile.ErrPassword}} {
		require.ErrorIs(t, w.ChangePassword(t.Context(), []byte(c.current), []byte(c.next), false), c.want)
		require.Equal(t, before, string(s["a"]))
	}
	require.NoError(t, w.ChangePassword(t.Context(), []byte(password), []byte("Next1!"), false))
	_, err = w.Phrase(t.Context(), []byte(password))
	require.ErrorIs(t, err, walletfile.ErrPassword)
	got, err := w.Phrase(t.Context(), []byte("Next1!"))
	require.NoError(t, err)
	require.Equal(t, phrase, got)
	require.NoError(t, w.ChangePassword(t.Context(), []byte("Next1!"), []byte("weak"), true))
	require.ErrorIs(t, w.ChangePassword(t.Context(), []byte("weak"), make([]byte, 1025), true), wallets.ErrLongPassword)
}

// TestChangesTakeTurns changes the password from several goroutines. All changes but one must
// fail, and keys must never be derived concurrently.
func TestChangesTakeTurns(t *testing.T) {
	s := walletstest.Store{"a": encrypted(t, phrase, password)}
	var deriving atomic.Int32
	w := wallets.New(wallets.Config{
		Store: s, Random: rand.Reader, Cost: walletstest.Cheap, Policy: func(string) error { return nil },
		KDF: func(ctx context.Context, password []byte, salts [2][]byte, p walletfile.Params) ([2][]byte, error) {
			assert.EqualValues(t, 1, deriving.Add(1))
			defer deriving.Add(-1)
			runtime.Gosched()
			return walletfile.Argon2id(ctx, password, salts, p)
		},
	})
	_, err := w.Open(t.Context(), named("a"))
	require.NoError(t, err)
	results := make([]error, 8)
	var all sync.WaitGroup
	for i := range results {
		all.Go(func() {
			results[i] = w.ChangePassword(t.Context(), []byte(password), fmt.Appendf(nil, "next %d", i), false)
		})
	}
	all.Wait()
	for i, err := range results {
		_, opened := w.Phrase(t.Context(), fmt.Appendf(nil, "next %d", i))
		require.ErrorIs(t, err, opened, "what was confirmed opens the wallet")
	}
	changed := func(err error) bool { return err == nil }
	require.True(t, slices.ContainsFunc(results, changed))

	left, leave := context.WithCancel(t.Context())
	leave()
	_, err = w.Phrase(left, []byte(password))
	require.ErrorIs(t, err, context.Canceled)
}

func TestDelete(t *testing.T) {
	s := walletstest.Store{"a": encrypted(t, phrase, password), "b": encrypted(t, "another", password)}
	w := open(s)
	_, err := w.Open(t.Context(), named("a"))
	require.NoError(t, err)
	require.ErrorIs(t, w.Delete(t.Context(), "a", []byte(password)), wallets.ErrActive)
	require.ErrorIs(t, w.Delete(t.Context(), "c", []byte(password)), wallets.ErrNotFound)
	require.ErrorIs(t, w.Delete(t.Context(), "../b", []byte(password)), wallets.ErrName)
	require.ErrorIs(t, w.Delete(t.Context(), "b", []byte("other")), walletfile.ErrPassword)
	require.Len(t, s, 2)
	require.NoError(t, w.Delete(t.Context(), "b", []byte(password)))
	require.Len(t, s, 1)
}

// TestSignIn compares the folder with that of Komodo DeFi Framework for the same phrase.
func TestSignIn(t *testing.T) {
	l := named("bob")
	l.Passphrase = "bob passphrase"
	w := open(walletstest.Store{})
	got, folder, err := w.SignIn(t.Context(), l)
	require.NoError(t, err)
	require.Equal(t, l.Passphrase, got)
	require.Equal(t, "b506088aa2a3b4bb1da3a29bf00ce1a550ea1df9", folder)

	l.Password = []byte("other")
	_, _, err = w.SignIn(t.Context(), l)
	require.ErrorAs(t, err, new(wallets.OpenError))
	require.ErrorIs(t, err, walletfile.ErrPassword)
	require.ErrorContains(t, err, "Error generating or decrypting mnemonic: wallet \"bob\"")
	l.Password, l.HD = []byte(password), true
	_, _, err = w.SignIn(t.Context(), l)
	require.ErrorIs(t, err, key.ErrWordCount, "a wallet that was made without HD")
}

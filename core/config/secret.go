package config

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
)

const redacted = "[secret]"

// Secret is a text that cannot be printed, logged or marshaled: only Reveal returns it. The
// zero value is an unset secret.
type Secret struct {
	// The text is behind a pointer because fmt ignores the methods of unexported fields in
	// other structs, and would print the text.
	text *string
}

// NewSecret returns a secret with a text. An empty text results in an unset secret.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{&text}
}

// Reveal returns the text. Call it only where the text is used.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// IsSet reports whether the secret has a value.
func (s Secret) IsSet() bool { return s.text != nil }

// String returns a placeholder.
func (s Secret) String() string { return redacted }

// GoString returns a placeholder.
func (s Secret) GoString() string { return redacted }

// Format prints a placeholder for every verb.
func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, redacted) }

// MarshalText returns a placeholder.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// UnmarshalText sets the secret to a text. Package encoding/json calls it only for JSON
// strings.
func (s *Secret) UnmarshalText(text []byte) error {
	*s = NewSecret(string(text))
	return nil
}

// ErrNoRandom reports that the source of randomness is unusable.
var ErrNoRandom = errors.New("cannot make a secret: the source of randomness fails or repeats itself")

// secretBytes is the number of random bytes in a generated secret, which has 256 bits.
const secretBytes = 32

// FillSecrets generates a value for each unset secret that a new config includes. The values
// satisfy the password policy; the passphrase is a text for key.FromPassphrase.
func (c *Config) FillSecrets(random io.Reader) error {
	for _, k := range SecretKeys() {
		s := c.at(k).Addr().Interface().(*Secret)
		if k.written == "" || s.IsSet() {
			continue
		}
		text, err := randomText(random)
		if err != nil {
			return err
		}
		*s = NewSecret(text)
	}
	return nil
}

// randomText draws texts until one satisfies the policy, which takes about three attempts on
// average. The only special characters of the alphabet are - and _, which have no meaning in
// conf files and shells. A passphrase must not start with 0x, which would mean hexadecimal; it
// is too short to be a WIF key.
func randomText(random io.Reader) (string, error) {
	var raw [secretBytes]byte
	for range 100 {
		if _, err := io.ReadFull(random, raw[:]); err != nil {
			return "", fmt.Errorf("%w: %w", ErrNoRandom, err)
		}
		text := base64.RawURLEncoding.EncodeToString(raw[:])
		if !strings.HasPrefix(text, "0x") && CheckPassword(text) == nil {
			return text, nil
		}
	}
	return "", ErrNoRandom
}

// PasswordError is a violation of the password policy, without the password.
type PasswordError string

func (e PasswordError) Error() string { return string(e) }

// PasswordRules describes the rules of CheckPassword.
const PasswordRules = "A password has at least 8 characters, among them a digit, a lowercase letter, an uppercase letter and a special character. " +
	"It does not contain the word \"password\", nor a character 3 times in a row."

// CheckPassword checks a password with Komodo DeFi Framework's policy, in the same order and
// with the same texts (common/password_policy.rs). The error is a PasswordError.
func CheckPassword(password string) error {
	const digits, lower, upper = "0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	switch {
	case strings.Contains(strings.ToLower(password), "password"):
		return PasswordError("Password can't contain the word password")
	case len([]rune(password)) < 8:
		return PasswordError("Password length should be at least 8 characters long")
	case !strings.ContainsAny(password, digits):
		return PasswordError("Password should contain at least 1 digit")
	case !strings.ContainsAny(password, lower):
		return PasswordError("Password should contain at least 1 lowercase character")
	case !strings.ContainsAny(password, upper):
		return PasswordError("Password should contain at least 1 uppercase character")
	case strings.Trim(password, digits+lower+upper) == "":
		return PasswordError("Password should contain at least 1 special character")
	case hasTriple(password):
		return PasswordError("Password can't contain the same character 3 times in a row")
	}
	return nil
}

func hasTriple(s string) bool {
	r := []rune(s)
	for i := 2; i < len(r); i++ {
		if r[i] == r[i-1] && r[i] == r[i-2] {
			return true
		}
	}
	return false
}

// IsSecret reports whether the value of a config key is a secret, which must not appear on a
// command line. This includes keys of Komodo DeFi Framework that have no effect here.
func IsSecret(key string) bool {
	switch key {
	case "prometheus_credentials", "userpass":
		return true
	}
	k, known := Find(key)
	return known && k.Secret
}

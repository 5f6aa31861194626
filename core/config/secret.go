package config

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
)

const redacted = "[secret]"

// Secret is a text that nothing prints, logs or marshals: only Reveal gives it.
// The zero value is an unset secret.
type Secret struct {
	// Behind a pointer, because fmt ignores methods on the unexported fields of
	// other structs and would print what it finds there.
	text *string
}

// NewSecret wraps text; an empty text is an unset secret.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{&text}
}

// Reveal returns the text itself, for the one place that needs it.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// IsSet reports whether the secret has a value.
func (s Secret) IsSet() bool { return s.text != nil }

// String shows no secret.
func (s Secret) String() string { return redacted }

// GoString shows no secret.
func (s Secret) GoString() string { return redacted }

// Format shows no secret, whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, redacted) }

// MarshalText shows no secret.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// UnmarshalText takes the text; encoding/json calls it for JSON strings only.
func (s *Secret) UnmarshalText(text []byte) error {
	*s = NewSecret(string(text))
	return nil
}

// ErrNoRandom reports whether the source of randomness gives nothing usable.
var ErrNoRandom = errors.New("cannot make a secret: the source of randomness fails or repeats itself")

// secretBytes is how much randomness a generated secret has: 256 bits.
const secretBytes = 32

// FillSecrets gives a new value to each secret that is unset and stands in a new config. They obey the
// password policy; the passphrase is text for key.FromPassphrase.
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

// randomText draws until the policy is content, about three times on average: the
// alphabet's only special characters are - and _, which conf files and shells
// leave alone. As a passphrase it is a text to be hashed: 0x at the start would mean
// hexadecimal, and a WIF is longer.
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

// PasswordError is a violation that CheckPassword found, without the password.
type PasswordError string

func (e PasswordError) Error() string { return string(e) }

// PasswordRules says in one sentence what CheckPassword wants.
const PasswordRules = "A password has at least 8 characters, among them a digit, a lowercase letter, an uppercase letter and a special character. " +
	"It does not contain the word \"password\", nor a character 3 times in a row."

// CheckPassword applies Komodo DeFi Framework's password policy, in its order and
// with its texts (common/password_policy.rs); the error is a PasswordError.
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

// IsSecret reports whether the value of a config key is a secret, which must not
// appear on a command line. Keys of Komodo DeFi Framework that have no effect here
// are among them.
func IsSecret(key string) bool {
	switch key {
	case "prometheus_credentials", "userpass":
		return true
	}
	k, known := Find(key)
	return known && k.Secret
}

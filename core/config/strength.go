package config

import (
	"strings"
	"unicode"

	"obverse/core/key"
)

// Minimum number of random words, or of random characters in one word, for a passphrase that
// cannot be guessed. Attackers try the phrases that people choose.
const (
	strongWords     = 12
	strongLength    = 20 // with three of: lower case, upper case, digits, others
	strongHex       = 32 // with two of them
	strongDifferent = 10 // different words or characters
)

// weakPassphrase reports whether the passphrase can be guessed, which would expose the coins.
func (c *Config) weakPassphrase() bool {
	text := c.Passphrase.Reveal()
	_, notWIF := key.ParseWIF(text)
	if text == "" || c.EnableHD || notWIF == nil || strings.HasPrefix(text, "0x") {
		return false
	}
	if words := strings.Fields(text); len(words) > 1 {
		return len(words) < strongWords || different(words) < strongDifferent
	}
	n, letters := classes(text), []rune(text)
	long := len(letters) >= strongLength && n >= 3 || len(letters) >= strongHex && n >= 2
	return !long || different(letters) < strongDifferent
}

func different[T comparable](all []T) int {
	seen := map[T]bool{}
	for _, one := range all {
		seen[one] = true
	}
	return len(seen)
}

// classes counts the kinds of characters in a text.
func classes(text string) int {
	seen := map[int]bool{}
	for _, r := range text {
		switch {
		case unicode.IsLower(r):
			seen[0] = true
		case unicode.IsUpper(r):
			seen[1] = true
		case unicode.IsDigit(r):
			seen[2] = true
		default:
			seen[3] = true
		}
	}
	return len(seen)
}

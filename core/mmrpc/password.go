package mmrpc

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"io"

	"obverse/core/rpc/auth"
)

// Password is the RPC credential of the node API. It stores only a digest. The zero value
// matches no password.
type Password struct {
	digest [sha256.Size]byte
	set    bool
	strong bool // result of auth.Strong
}

// NewPassword returns a Password for a text. If the text is empty, it matches no password.
func NewPassword(text string) Password {
	return Password{digest: sha256.Sum256([]byte(text)), set: text != "", strong: auth.Strong(text)}
}

// Format prints a fixed text for every verb, since even the digest would help an attacker.
func (Password) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "[password]") }

// Matches reports whether given is the password. It compares digests, so that its duration
// reveals nothing about the password or its length.
func (p Password) Matches(given string) bool {
	digest := sha256.Sum256([]byte(given))
	return subtle.ConstantTimeCompare(digest[:], p.digest[:]) == 1 && p.set
}

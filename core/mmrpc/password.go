package mmrpc

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"io"

	"obverse/core/rpc/auth"
)

// Password is the RPC credential of the node API. It keeps no more than a digest. The
// zero value matches nothing.
type Password struct {
	digest [sha256.Size]byte
	set    bool
	strong bool // see auth.Strong
}

// NewPassword makes one of its text; the empty text gives one that matches nothing.
func NewPassword(text string) Password {
	return Password{digest: sha256.Sum256([]byte(text)), set: text != "", strong: auth.Strong(text)}
}

// Format prints a fixed word whatever the verb: even a digest is of use to a guesser.
func (Password) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "[password]") }

// Matches compares digests, so that the time it takes reveals nothing about the password
// or its length.
func (p Password) Matches(given string) bool {
	digest := sha256.Sum256([]byte(given))
	return subtle.ConstantTimeCompare(digest[:], p.digest[:]) == 1 && p.set
}

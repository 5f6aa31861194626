package cli

import (
	"crypto/pbkdf2"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"strings"

	"obverse/core/key"
	"obverse/native/settings"
)

// secretsOf lists the forms in which a secret of the config could reach a log.
func secretsOf(s *settings.Settings) []string {
	c, a := &s.Config, s.Credential()
	node, daemon := c.RPCPassword.Reveal(), a.Password
	forms := []string{daemon, base64.StdEncoding.EncodeToString([]byte(a.User + ":" + daemon))}
	for _, s := range c.Secrets() {
		forms = append(forms, s.Reveal())
	}
	forms = append(append(forms, inBase64(node)...), inBase64(daemon)...)
	ring, err := key.Open(c.Passphrase.Reveal(), c.EnableHD)
	if err != nil {
		return forms
	}
	defer ring.Wipe()
	secret := ring.Node().Secret()
	forms = append(forms, ring.Node().WIF(), hex.EncodeToString(secret[:]))
	if ring.IsHD() {
		forms = append(forms, mnemonicForms(c.Passphrase.Reveal())...)
	}
	return forms
}

// inBase64 lists the three texts of which one is in the base64 of whatever ends with
// the password, as a Basic credential of any user does: the digits that the password
// alone decides.
func inBase64(password string) (forms []string) {
	for before := range 3 {
		text := base64.RawStdEncoding.EncodeToString([]byte("::"[:before] + password))
		first := (before*8 + 5) / 6
		forms = append(forms, text[first:max(first, (before+len(password))*8/6)])
	}
	return forms
}

// mnemonicForms are a mnemonic with single spaces and the seed of BIP 39 that comes
// of it.
func mnemonicForms(mnemonic string) []string {
	words := strings.Join(strings.Fields(mnemonic), " ")
	seed, err := pbkdf2.Key(sha512.New, words, []byte("mnemonic"), 2048, 64)
	if err != nil { // these lengths are never refused
		return []string{words}
	}
	return []string{words, hex.EncodeToString(seed)}
}

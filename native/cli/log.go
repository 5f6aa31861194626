package cli

import (
	"bufio"
	"bytes"
	"crypto/pbkdf2"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"obverse/core/key"
	"obverse/native/cometbft"
	"obverse/native/datalock"
	"obverse/native/node"
	"obverse/native/settings"
	"obverse/native/walletdir"
)

// checkLogFile returns an error for a log file with another use, which log lines would damage. A
// file of the data folder that the node or CometBFT reads is rejected even if it does not exist.
// Any other file is rejected if its content is not a log.
func checkLogFile(path string, s *settings.Settings) error {
	if name, is := nodeFile(path, s); is {
		return fmt.Errorf("log_file: %s is the node's %s: choose another name", path, name)
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil // opening it returns the error
	}
	for _, file := range []string{s.ConfigFile, s.CoinsFile, filepath.Join(s.DataDir, node.StoreFile), filepath.Join(s.DataDir, datalock.FileName)} {
		if other, err := os.Stat(file); err == nil && os.SameFile(info, other) {
			return fmt.Errorf("log_file: %s is the node's %s: choose another name", path, filepath.Base(file))
		}
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrPermission) { // it may still be writable
		return nil
	}
	if err != nil {
		return fmt.Errorf("log_file: %w", err)
	}
	defer file.Close()
	if !beginsLog(file) {
		return fmt.Errorf("log_file: %s is not a log: its first line has no time. Choose another name, or move the file away", path)
	}
	return nil
}

// timeOfDay matches the beginning of the first line of logs of this program and of Komodo DeFi
// Framework.
var timeOfDay = regexp.MustCompile(`^[^{\[*].{0,40}\d\d:\d\d:\d\d`)

// beginsLog reports whether a file begins with a log line.
func beginsLog(file io.Reader) bool {
	const maxStart = 256
	start, _ := bufio.NewReaderSize(file, maxStart).Peek(maxStart)
	line, _, _ := bytes.Cut(start, []byte{'\n'})
	return timeOfDay.Match(line)
}

// ownFile reports whether a path is a file of the data folder that the node or CometBFT reads.
func nodeFile(path string, s *settings.Settings) (name string, is bool) {
	folder := resolved(s.DataDir)
	inside, err := filepath.Rel(folder, filepath.Join(resolved(filepath.Dir(path)), filepath.Base(path)))
	if err != nil || strings.HasPrefix(inside, "..") {
		return "", false
	}
	first, rest, nested := strings.Cut(inside, string(filepath.Separator))
	switch {
	case nested && (walletdir.IsFolder(first) || first == filepath.Base(cometbft.Home(folder))):
		return inside, true
	case nested || rest != "":
		return "", false
	}
	switch first {
	case curlName, cookieName, datalock.FileName, node.StoresFile, "coins":
		return first, true
	}
	return first, filepath.Ext(first) == ".json" || strings.HasPrefix(first, node.StoreFile)
}

// resolved returns the path of a folder without symbolic links.
func resolved(folder string) string {
	if path, err := filepath.EvalSymlinks(folder); err == nil {
		return path
	}
	return folder
}

// secretsOf returns the forms in which a secret of the config could appear in the log.
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

// inBase64 returns three texts, one of which is part of the base64 encoding of any text that ends
// with the password, such as a Basic credential. They consist of the digits that depend only on the
// password.
func inBase64(password string) (forms []string) {
	for before := range 3 {
		text := base64.RawStdEncoding.EncodeToString([]byte("::"[:before] + password))
		first := (before*8 + 5) / 6
		forms = append(forms, text[first:max(first, (before+len(password))*8/6)])
	}
	return forms
}

// mnemonicForms returns a mnemonic with single spaces, and the BIP 39 seed that is derived from it.
func mnemonicForms(mnemonic string) []string {
	words := strings.Join(strings.Fields(mnemonic), " ")
	seed, err := pbkdf2.Key(sha512.New, words, []byte("mnemonic"), 2048, 64)
	if err != nil { // these lengths are always valid
		return []string{words}
	}
	return []string{words, hex.EncodeToString(seed)}
}

package cli

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"obverse/core/config"
	"obverse/native/settings"
	"obverse/native/wholefile"
)

// The cookie is the daemon API's credential if the config has no password for it. Each start
// writes a new one. Its name, user and form are those of bitcoind and komodod, whose programs
// read it from the data folder.
const (
	cookieName  = ".cookie"
	cookieBytes = 32
)

// drawCookie makes a cookie if the config has no password for the daemon API.
func drawCookie(s *settings.Settings, random io.Reader) error {
	if s.Config.Daemon.RPCPassword.IsSet() {
		return nil
	}
	var secret [cookieBytes]byte
	if _, err := io.ReadFull(random, secret[:]); err != nil {
		return fmt.Errorf("make a cookie for the daemon API: %w", err)
	}
	s.Cookie = config.NewSecret(hex.EncodeToString(secret[:]))
	return nil
}

// writeCookie writes the cookie where clients look for it, or removes one that a killed
// node has left. The file has its mode before it has its name, and a link in its place is
// replaced, not followed.
func writeCookie(s *settings.Settings) error {
	path := filepath.Join(s.DataDir, cookieName)
	if !s.Cookie.IsSet() {
		return removeCookie(s)
	}
	if err := wholefile.Replace(path, []byte(settings.CookieUser+":"+s.Cookie.Reveal())); err != nil {
		return fmt.Errorf("write the cookie of the daemon API: %w", err)
	}
	return nil
}

// removeCookie removes a cookie that is good for nothing any more.
func removeCookie(s *settings.Settings) error {
	err := os.Remove(filepath.Join(s.DataDir, cookieName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// maxCookie is more than a cookie has, in bytes.
const maxCookie = 4096

// readCookie finds the cookie of a running node, for its clients.
func readCookie(s *settings.Settings) error {
	if s.Config.Daemon.RPCPassword.IsSet() {
		return nil
	}
	path := filepath.Join(s.DataDir, cookieName)
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("no credential for the daemon API: the config has no daemon.rpcpassword, and a running node writes the cookie %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxCookie))
	if err != nil {
		return err
	}
	secret, ok := strings.CutPrefix(strings.TrimSpace(string(text)), settings.CookieUser+":")
	if !ok || secret == "" {
		return fmt.Errorf("the cookie %s must be %s: and a secret: the node writes a new one at its next start", path, settings.CookieUser)
	}
	s.Cookie = config.NewSecret(secret)
	return nil
}

package cli

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"obverse/core/config"
	"obverse/native/atomicfile"
	"obverse/native/datalock"
	"obverse/native/settings"
)

// Name of the cookie file, and number of random bytes. The cookie is the credential of the daemon
// API if the config has no password for it. Each start writes a new one. bitcoind
// and komodod use the same name, user and format, so that their clients can read it from the data
// folder.
const (
	cookieName  = ".cookie"
	cookieBytes = 32
)

// drawCookie generates a cookie if the config has no password for the daemon API.
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

// writeCookie writes the cookie to the data folder, or removes the cookie of a killed node. The
// file gets its mode before its name. A symbolic link in its place is replaced and not followed.
func writeCookie(s *settings.Settings) error {
	path := filepath.Join(s.DataDir, cookieName)
	if !s.Cookie.IsSet() {
		return removeCookie(s)
	}
	if err := atomicfile.Replace(path, []byte(settings.CookieUser+":"+s.Cookie.Reveal())); err != nil {
		return fmt.Errorf("write the cookie of the daemon API: %w", err)
	}
	return nil
}

// removeCookie removes a cookie that is no longer valid.
func removeCookie(s *settings.Settings) error {
	err := os.Remove(filepath.Join(s.DataDir, cookieName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// maxCookie is an upper bound of the size of a cookie, in bytes.
const maxCookie = 4096

// readCookie returns the cookie of a running node, for its clients.
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

// curlName is the name of a file in the data folder with which curl sends the credential of the
// daemon API (`curl -K file …`), so that command lines contain no password.
const curlName = "daemon.curl"

const curlStart, curlEnd = `user = "`, "\"\n"

// writeCurl rewrites the file at each start, since the credential may have changed.
func writeCurl(s *settings.Settings) (path string, err error) {
	c := s.Credential()
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	line := curlStart + quote.Replace(c.User+":"+c.Password) + curlEnd
	path = filepath.Join(s.DataDir, curlName)
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return "", fmt.Errorf("write %s: %w", curlName, err)
	}
	if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
		return "", fmt.Errorf("write %s: %w", curlName, err)
	}
	return path, nil
}

// removeCurl removes the file of a stopped node. Otherwise curl would send the credential to any
// program that listens on the node's port.
func removeCurl(s *settings.Settings) error {
	err := os.Remove(filepath.Join(s.DataDir, curlName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// readCurl returns the credential with which the node in a data folder was started. The command
// line or the environment may have overridden the one in the config.
func readCurl(dir string) (c settings.Credential, found bool) {
	text, err := os.ReadFile(filepath.Join(dir, curlName))
	line, starts := strings.CutPrefix(string(text), curlStart)
	line, ends := strings.CutSuffix(line, curlEnd)
	if err != nil || !starts || !ends {
		return c, false
	}
	unquote := strings.NewReplacer(`\\`, `\`, `\"`, `"`)
	c.User, c.Password, found = strings.Cut(unquote.Replace(line), ":")
	return c, found
}

// ownConf is the first line of a conf file that was written by a node, which may replace it.
const confHeader = "# Written by obverse at each start (daemon.komodo_conf): changes are lost.\n"

// writeKomodoConf writes the file in which clients of komodod look for the address and the
// credential of a chain's daemon.
func writeKomodoConf(home string, c *config.Config, where datalock.Running) (path string, err error) {
	name := c.Chain.Options.Name
	if home == "" || !filepath.IsLocal(name) || filepath.Base(name) != name {
		return "", fmt.Errorf("no place for the conf file of chain %q: HOME is %q", name, home)
	}
	text, err := komodoConf(c, where)
	if err != nil {
		return "", err
	}
	path = filepath.Join(home, ".komodo", name, name+".conf")
	if err := ownedConf(path); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	return path, atomicfile.Replace(path, text)
}

// komodoConf returns a conf file with the options that komodod writes. A value cannot contain # or
// begin or end with spaces.
func komodoConf(c *config.Config, where datalock.Running) ([]byte, error) {
	password := c.Daemon.RPCPassword.Reveal()
	if password == "" {
		return nil, errors.New("daemon.rpcpassword is not set, and clients of komodod need one")
	}
	for key, value := range map[string]string{"daemon.rpcuser": c.Daemon.RPCUser, "daemon.rpcpassword": password} {
		if strings.ContainsAny(value, "#\r\n") || strings.TrimSpace(value) != value {
			return nil, fmt.Errorf("%s has a character that a conf file cannot hold: #, a line break, or a space at an end", key)
		}
	}
	daemon, err := url.Parse(where.Daemon)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "%srpcuser=%s\nrpcpassword=%s\nrpcport=%s\nrpcbind=%s\nserver=1\ntxindex=1\naddressindex=1\nspentindex=1\n",
		confHeader, c.Daemon.RPCUser, password, daemon.Port(), daemon.Hostname()), nil
}

// ownedConf returns an error for a file that this program did not write, since it may contain the
// settings of komodod.
func ownedConf(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var text []byte
	if info.Mode().IsRegular() {
		text, err = os.ReadFile(path)
	}
	if err == nil && !bytes.HasPrefix(text, []byte(confHeader)) {
		err = fmt.Errorf("%s was not written by obverse and was not changed: move it away, or start with --conf %s", path, path)
	}
	return err
}

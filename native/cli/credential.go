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

// The cookie is the daemon API's credential if the config has no password for it. Each start
// writes a new one. It has the name, user and form of the cookie of bitcoind and komodod, whose
// programs read it from the data folder.
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
	if err := atomicfile.Replace(path, []byte(settings.CookieUser+":"+s.Cookie.Reveal())); err != nil {
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

// curlName is a file in the data folder that gives curl the credential of
// the daemon API (`curl -K file …`), so that no password stands in a command line.
const curlName = "daemon.curl"

const curlStart, curlEnd = `user = "`, "\"\n"

// writeCurl rewrites the file, since the credential may have changed.
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

// removeCurl removes the file of a node that has ended: curl would give the credential to any
// program that takes the node's port.
func removeCurl(s *settings.Settings) error {
	err := os.Remove(filepath.Join(s.DataDir, curlName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// readCurl returns the credential that the node in a data folder was started with, which its
// command line or environment may have set in place of its config.
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

// ownConf is the first line of a conf file that a node has written and may replace.
const confHeader = "# Written by obverse at each start (daemon.komodo_conf): changes are lost.\n"

// writeKomodoConf writes the file in which clients of komodod look for address and
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

// komodoConf has the options that komodod writes. A conf file has no way to write # or
// spaces at the ends of a value.
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

// ownedConf refuses to replace a file that this program did not write: komodod keeps its
// settings there.
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
		err = fmt.Errorf("%s was not written by obverse and is left as it is: move it away, or start with --conf %s", path, path)
	}
	return err
}

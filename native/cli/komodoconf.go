package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"obverse/core/config"
	"obverse/native/instance"
	"obverse/native/wholefile"
)

// ownConf is the first line of a conf file that a node has written and may replace.
const ownConf = "# Written by obverse at each start (daemon.komodo_conf): changes are lost.\n"

// writeKomodoConf writes the file in which clients of komodod look for address and
// credential of a chain's daemon.
func writeKomodoConf(home string, c *config.Config, where instance.Running) (path string, err error) {
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
	return path, wholefile.Replace(path, text)
}

// komodoConf has the options that komodod writes. A conf file has no way to write # or
// spaces at the ends of a value.
func komodoConf(c *config.Config, where instance.Running) ([]byte, error) {
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
		ownConf, c.Daemon.RPCUser, password, daemon.Port(), daemon.Hostname()), nil
}

// ownedConf refuses to replace what is not this program's: komodod keeps its settings there.
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
	if err == nil && !bytes.HasPrefix(text, []byte(ownConf)) {
		err = fmt.Errorf("%s was not written by obverse and is left as it is: move it away, or start with --conf %s", path, path)
	}
	return err
}

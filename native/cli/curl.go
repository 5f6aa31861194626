package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"obverse/native/settings"
)

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

// readCurl gives the credential that the node in a data folder was started with, which its
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

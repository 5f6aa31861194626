package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"obverse/native/settings"
)

// curlName is a file in the data folder that gives curl the credential of
// interface A (`curl -K file …`), so that no password stands in a command line.
const curlName = "daemon.curl"

// writeCurl writes the file anew, since the credential may have changed.
func writeCurl(s *settings.Settings) (path string, err error) {
	c := credentialOf(s)
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	line := fmt.Sprintf("user = \"%s\"\n", quote.Replace(c.user+":"+c.password))
	path = filepath.Join(s.DataDir, curlName)
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return "", fmt.Errorf("write %s: %w", curlName, err)
	}
	if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
		return "", fmt.Errorf("write %s: %w", curlName, err)
	}
	return path, nil
}

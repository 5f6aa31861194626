// Package recording finds vectors and recordings for tests: those of a package, and additional
// ones. Only tests use it.
//
// Invariant: additional recordings are used if they match and never required, so that the same
// list can be used for every package.
package recording

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Read returns the contents of the files with a name, which is a path with slashes: the file in
// folder, which must exist, and those found with the colon-separated list in an environment
// variable. An item of the list is a folder with the same layout, the folder with which name
// begins, or a file with that name.
func Read(t testing.TB, folder, variable, name string) [][]byte {
	t.Helper()
	first, err := os.ReadFile(filepath.Join(folder, name))
	require.NoError(t, err)
	files := [][]byte{first}
	for _, place := range Places(variable) {
		for _, path := range candidates(filepath.ToSlash(place), name) {
			if b, err := os.ReadFile(path); err == nil {
				files = append(files, b)
			}
		}
	}
	return files
}

// Places returns the paths of the colon-separated list in an environment variable.
func Places(variable string) (paths []string) {
	for path := range strings.SplitSeq(os.Getenv(variable), ":") {
		if path != "" {
			paths = append(paths, path)
		}
	}
	return paths
}

func candidates(place, name string) []string {
	folder, base, nested := strings.Cut(name, "/")
	switch {
	case nested && filepath.Base(place) == folder:
		return []string{place + "/" + base}
	case !nested && filepath.Base(place) == name:
		return []string{place}
	}
	return []string{place + "/" + name}
}

// regtestGenesis is the hash of regtest's genesis block. All other chains share another one.
const regtestGenesis = "029f11d80ef9765602235e1bc9727e3eb6ba20839319f761fee920d63401e327"

// IsRegtest reports whether a recorded chain with this genesis block is regtest. Some
// recordings do not list the flag, or list it in another form.
func IsRegtest(genesis string) bool { return genesis == regtestGenesis }

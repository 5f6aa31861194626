// Package recording finds vectors and recordings for tests: a package's own, and
// those that others bring along. Only tests use it.
//
// Invariant: what others bring is used where it fits and never missed where it
// does not, so that one list serves every package.
package recording

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Read returns the contents of the files called name, a path with slashes: that in
// the folder own, which must be there, and those that the colon-separated list in
// an environment variable leads to. An item of the list is a folder laid out like
// own; the very folder that name begins with; or a file of that name.
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

// regtestGenesis is the genesis block of a chain with regtest; all others share one.
const regtestGenesis = "029f11d80ef9765602235e1bc9727e3eb6ba20839319f761fee920d63401e327"

// IsRegtest reports whether a recorded chain that begins with this block had regtest. Not
// every recording lists that flag, and some list it otherwise.
func IsRegtest(genesis string) bool { return genesis == regtestGenesis }

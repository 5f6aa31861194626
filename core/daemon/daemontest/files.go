package daemontest

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Recordings returns the files below the folder dir that pass, and those in additional folders:
// OBVERSE_KOMODOD is a colon-separated list of folders and single files.
func Recordings(t testing.TB, dir string, pass func(path string) bool) (paths []string) {
	t.Helper()
	for _, root := range append([]string{dir}, strings.Split(os.Getenv("OBVERSE_KOMODOD"), ":")...) {
		if _, err := os.Stat(root); err != nil {
			continue
		}
		require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && pass(path) {
				paths = append(paths, path)
			}
			return err
		}))
	}
	require.NotEmpty(t, paths)
	return paths
}

// Named returns a function that reports whether a file has one of the given names.
func Named(names ...string) func(path string) bool {
	return func(path string) bool { return slices.Contains(names, filepath.Base(path)) }
}

// ReadFile reads the exchanges of a file.
func ReadFile(t testing.TB, path string) []Exchange {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	exchanges, err := Read(file)
	require.NoError(t, err, path)
	return exchanges
}

// ReadJSON decodes a JSON file.
func ReadJSON(t testing.TB, path string, into any) {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(content, into), path)
}

// readIfThere is like ReadJSON, but ignores a missing file.
func readIfThere(t testing.TB, path string, into any) {
	t.Helper()
	if _, err := os.Stat(path); err == nil {
		ReadJSON(t, path, into)
	}
}

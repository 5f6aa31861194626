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

// Recordings lists those files below the folder own that pass, and those that others
// bring: OBVERSE_KOMODOD is a colon-separated list of folders and single files.
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

// Named passes files of these names.
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

// ReadJSON reads a file of another form.
func ReadJSON(t testing.TB, path string, into any) {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(content, into), path)
}

// readIfThere is ReadJSON for a file that not every recording has.
func readIfThere(t testing.TB, path string, into any) {
	t.Helper()
	if _, err := os.Stat(path); err == nil {
		ReadJSON(t, path, into)
	}
}

package core

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRecordingsAreUntouched compares every vector and recording with its checksum.
// They are evidence: no test may be made to pass by changing one, and no editor or
// line-ending filter may do so by accident, not even where a package uses only part
// of a file. After adding a file, from the top of the repository:
//
//	find core native -path '*/testdata/*' -type f ! -path '*/fuzz/*' ! -name recordings.sha256 | LC_ALL=C sort | xargs sha256sum > core/testdata/recordings.sha256
func TestRecordingsAreUntouched(t *testing.T) {
	want := checksums(t)
	got := map[string]string{}
	for _, top := range []string{"core", "native"} {
		err := filepath.WalkDir(filepath.Join("..", top), func(path string, d fs.DirEntry, err error) error {
			name := strings.TrimPrefix(filepath.ToSlash(path), "../")
			if err != nil || d.IsDir() || !strings.Contains(name, "/testdata/") || strings.Contains(name, "/fuzz/") ||
				d.Name() == "recordings.sha256" {
				return err
			}
			data, err := os.ReadFile(path)
			sum := sha256.Sum256(data)
			got[name] = hex.EncodeToString(sum[:])
			return err
		})
		require.NoError(t, err)
	}
	require.Equal(t, want, got)
}

func checksums(t *testing.T) map[string]string {
	file, err := os.Open(filepath.Join("testdata", "recordings.sha256"))
	require.NoError(t, err)
	defer file.Close()
	sums := map[string]string{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		sum, name, ok := strings.Cut(lines.Text(), "  ")
		require.True(t, ok, lines.Text())
		sums[name] = sum
	}
	return sums
}

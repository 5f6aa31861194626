package core

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRecordingsAreUntouched compares every vector and recording with its checksum. The
// recordings are evidence: no test may be made to pass by changing one, and no editor or
// line-ending filter may change one by accident, even if a package uses only a part of the
// file. The command in recordSums updates the checksums after a file has been added.
func TestRecordingsAreUntouched(t *testing.T) {
	want := checksums(t)
	got := map[string]string{}
	for _, top := range []string{"core", "native"} {
		err := filepath.WalkDir(filepath.Join("..", top), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && d.Name() == "node_modules" {
				return fs.SkipDir // tens of thousands of files of other projects
			}
			name := strings.TrimPrefix(filepath.ToSlash(path), "../")
			if err != nil || d.IsDir() || !strings.Contains(name, "/testdata/") || strings.Contains(name, "/fuzz/") || strings.HasSuffix(name, ".txtar") || // scripts of tests
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
	if names := differences(want, got); len(names) > 0 {
		t.Errorf("not as core/rpc/recording/testdata/recordings.sha256 has them: %s\nIf that is meant, from the top of the repository:\n%s", strings.Join(names, ", "), recordSums)
	}
}

// recordSums is the command that updates the checksums.
const recordSums = "find core native -path '*/testdata/*' -type f ! -path '*/fuzz/*' ! -name '*.txtar' ! -name recordings.sha256 | LC_ALL=C sort | " +
	"xargs sha256sum > core/rpc/recording/testdata/recordings.sha256"

// differences returns the names of the changed, new and missing files, sorted.
func differences(want, got map[string]string) (names []string) {
	for name, sum := range got {
		switch {
		case want[name] == "":
			names = append(names, name+" (new)")
		case want[name] != sum:
			names = append(names, name+" (changed)")
		}
	}
	for name := range want {
		if got[name] == "" {
			names = append(names, name+" (missing)")
		}
	}
	slices.Sort(names)
	return names
}

func TestDifferences(t *testing.T) {
	want := map[string]string{"same": "1", "other": "2", "gone": "3"}
	require.Empty(t, differences(want, want))
	require.Equal(t, []string{"gone (missing)", "more (new)", "other (changed)"}, differences(want, map[string]string{"same": "1", "other": "4", "more": "5"}))
}

func checksums(t *testing.T) map[string]string {
	file, err := os.Open(filepath.Join("rpc", "recording", "testdata", "recordings.sha256"))
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

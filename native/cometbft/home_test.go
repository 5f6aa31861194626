package cometbft

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDamagedKeys checks that damaged keys, with which CometBFT would panic, are reported with the
// name of the file.
func TestDamagedKeys(t *testing.T) {
	value := regexp.MustCompile(`"value": ?"[^"]{80,}"`)
	for _, name := range []string{nodeKeyFile, signKeyFile} {
		home := t.TempDir()
		_, err := Prepare(home)
		require.NoError(t, err)
		path := filepath.Join(home, name)
		whole, err := os.ReadFile(path)
		require.NoError(t, err)
		short := value.ReplaceAll(whole, []byte(`"value":"AAAA"`))
		require.NotEqual(t, whole, short)
		for _, damaged := range [][]byte{short, []byte("{}"), nil} {
			require.NoError(t, os.WriteFile(path, damaged, 0o600))
			_, err = Prepare(home)
			require.ErrorContains(t, err, path, "%s", damaged)
		}
	}
}

// TestResetAgain makes a reset fail half way. The genesis must still exist, so that the operator
// can repeat the reset, and the keys must be usable afterwards.
func TestResetAgain(t *testing.T) {
	home := t.TempDir()
	_, err := Prepare(home)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(GenesisFile(home), []byte("{}"), 0o600))
	path := filepath.Join(home, signKeyFile)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte("{}"), 0o600))
	_, err = Reset(home)
	require.ErrorContains(t, err, path)
	require.FileExists(t, GenesisFile(home))

	require.NoError(t, os.WriteFile(path, whole, 0o600))
	renamedFiles, err := Reset(home)
	require.NoError(t, err)
	require.Contains(t, renamedFiles, GenesisFile(home)+".before-1")
	require.NoFileExists(t, GenesisFile(home))
	_, err = Prepare(home)
	require.NoError(t, err)
}

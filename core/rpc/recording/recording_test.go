package recording

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRead(t *testing.T) {
	folder, brought := t.TempDir(), t.TempDir()
	for _, root := range []string{folder, brought} {
		require.NoError(t, os.Mkdir(filepath.Join(root, "chain"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(root, "a.json"), []byte(root), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(root, "chain", "b.json"), []byte(root), 0o600))
	}
	for name, c := range map[string]struct {
		list, file string
		found      int
	}{
		"nothing":             {"", "a.json", 0},
		"a folder":            {brought, "a.json", 1},
		"a folder, nested":    {brought, "chain/b.json", 1},
		"the nested folder":   {brought + "/chain", "chain/b.json", 1},
		"a file":              {brought + "/a.json", "a.json", 1},
		"another file":        {brought + "/chain/b.json", "a.json", 0},
		"several":             {strings.Join([]string{"/nowhere", brought, "", brought + "/a.json"}, ":"), "a.json", 2},
		"a file for a folder": {brought + "/a.json", "chain/b.json", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("LIST", c.list)
			files := Read(t, folder, "LIST", c.file)
			require.Len(t, files, 1+c.found)
			require.Equal(t, folder, string(files[0]))
			for _, b := range files[1:] {
				require.Equal(t, brought, string(b))
			}
		})
	}
}

func TestIsRegtest(t *testing.T) {
	require.True(t, IsRegtest("029f11d80ef9765602235e1bc9727e3eb6ba20839319f761fee920d63401e327"))
	require.False(t, IsRegtest("027e3758c3a65b12aa1046462b486d0a63bfa1beae327897f56c5cfb7daaae71"))
}

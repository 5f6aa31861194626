package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/event"
)

// Every event of the hub must have a type in the declarations.
func TestEventTypes(t *testing.T) {
	text := nodeAPI()
	for _, typ := range []string{event.HeartbeatID, event.TypeLagged, event.TypeForgotten, event.TypeTakenOver} {
		require.Contains(t, text, `| { _type: "`+typ+`"; message: `)
	}
}

// If the declarations do not change, a build does not rebuild what depends on them.
func TestFilesAreNotTouched(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, write(folder))
	old := time.Unix(1, 0)
	same, changed := filepath.Join(folder, "mmrpc.d.ts"), filepath.Join(folder, "daemon.d.ts")
	require.NoError(t, os.WriteFile(changed, nil, 0o600))
	for _, path := range []string{same, changed} {
		require.NoError(t, os.Chtimes(path, old, old))
	}
	require.NoError(t, write(folder))

	info, err := os.Stat(same)
	require.NoError(t, err)
	require.Equal(t, old, info.ModTime())
	have, err := os.ReadFile(changed)
	require.NoError(t, err)
	require.Equal(t, daemonAPI(), string(have))
}

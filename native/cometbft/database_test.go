package cometbft

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	cfg "github.com/cometbft/cometbft/config"
	"github.com/stretchr/testify/require"
)

// TestDamagedData checks that the error contains advice if a table is damaged that CometBFT reads
// only while it runs.
func TestDamagedData(t *testing.T) {
	c := &cfg.DBContext{ID: "blockstore", Config: cfg.DefaultConfig().SetRoot(t.TempDir())}
	c.Config.DBBackend = "goleveldb"
	db, err := openDatabase(c)
	require.NoError(t, err)
	require.NoError(t, db.Set([]byte("key"), []byte(strings.Repeat("value", 1_000))))
	require.NoError(t, db.Compact(nil, nil))
	require.NoError(t, db.Close())
	tables, err := filepath.Glob(filepath.Join(c.Config.DBDir(), "blockstore.db", "*.ldb"))
	require.NoError(t, err)
	require.NotEmpty(t, tables) // the older one may not have been deleted yet
	for _, table := range tables {
		content, err := os.ReadFile(table)
		require.NoError(t, err)
		content[20] ^= 1
		require.NoError(t, os.WriteFile(table, content, 0o600))
	}

	var lines strings.Builder
	db, err = reporting(slog.New(slog.NewTextHandler(&lines, nil)))(c)
	require.NoError(t, err)
	_, err = db.Get([]byte("key"))
	require.ErrorContains(t, err, "corruption")
	require.Contains(t, lines.String(), "delete obverse.db")
	require.Contains(t, lines.String(), "database=blockstore")
	require.NoError(t, db.Close())
}

package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
	"obverse/core/store/bunt"
	"obverse/native/node"
)

func TestStoreCommands(t *testing.T) {
	dir := t.TempDir()
	n := start(t, dir)
	run := func(args ...string) (code int, text string) {
		cmd := obverse(dir, append([]string{"store"}, args...)...)
		out, _ := cmd.CombinedOutput() // the code says it
		return cmd.ProcessState.ExitCode(), string(out)
	}
	backup := filepath.Join(t.TempDir(), "copy")

	code, text := run("check")
	require.Zero(t, code, text)
	require.Contains(t, text, "format        2\n")
	require.Contains(t, text, "a node is running, pid "+strconv.Itoa(n.ready.PID))
	code, text = run("backup", backup)
	require.Zero(t, code, text)
	require.Contains(t, text, backup+": ")
	code, text = run("backup", backup)
	require.Equal(t, exitFailure, code)
	require.Contains(t, text, "exists already; --force replaces it")
	code, text = run("backup", backup, "--force")
	require.Zero(t, code, text)
	code, text = run("restore", backup)
	require.Equal(t, exitFailure, code)
	require.Contains(t, text, "already running")

	require.NoError(t, n.process.Process.Kill())
	_ = n.process.Wait()
	path := filepath.Join(dir, node.StoreFile)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	data[len(data)-100] ^= 2
	require.NoError(t, os.WriteFile(path, data, 0o600))
	code, text = run("check")
	require.Equal(t, exitFailure, code)
	require.Contains(t, text, "damaged, and was acknowledged")
	out, err := obverse(dir, "serve", "rpcport=0", "daemon.rpcport=0", "-regtest").CombinedOutput()
	require.Error(t, err)
	for _, said := range []string{path + ": at byte ", "corrupt store file", "obverse store check", "obverse store restore FILE"} {
		require.Contains(t, string(out), said)
	}
	code, text = run("restore", backup)
	require.Zero(t, code, text)
	require.Contains(t, text, path+".replaced-1")
	code, text = run("check")
	require.Zero(t, code, text)
	start(t, dir)
}

func TestStoreUsage(t *testing.T) {
	for _, args := range [][]string{
		{"store", "mend"}, {"store", "backup"}, {"store", "check", "x", "y"}, {"store", "backup", "a", "--all"}, {"store", "restore", "a", "--chain"}, {"store", "restore", "a", "b"},
		{"store", "restore", "a", "--force"}, {"store", "backup", "a", "--fore"},
	} {
		out := newCommand(t).do(args...)
		require.Equal(t, exitUsage, out.code, "%v: %s", args, out.stderr)
	}
	require.Equal(t, outcome{0, helpStore, ""}, newCommand(t).do("store"))
	out := newCommand(t).do("store", "check")
	require.Equal(t, exitFailure, out.code)
	require.Contains(t, out.stderr, "no such file")
}

// TestRestoreOfAnotherChain says that the node cannot go on with a chain of another key.
func TestRestoreOfAnotherChain(t *testing.T) {
	first, second, backup := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "copy")
	begun(t, obverse(first, "serve", "rpcport=0", "daemon.rpcport=0", "-ac_name=TST", "-ac_cc=2")).stop(t)
	require.NoError(t, obverse(second, "init", "-ac_name=TST", "-ac_cc=2").Run())
	require.NoError(t, obverse(first, "store", "backup", "--chain", backup).Run())
	for dir, said := range map[string]bool{first: false, second: true} {
		out, err := obverse(dir, "store", "restore", backup).CombinedOutput()
		require.NoError(t, err, string(out))
		require.Equal(t, said, strings.Contains(string(out), "makes the blocks of this chain, and it is not this node's"), string(out))
	}
}

// TestDamagedStoresFile names the file, and what to do.
func TestDamagedStoresFile(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, obverse(dir, "init", "-regtest").Run())
	for _, text := range []string{"", "[]", "{"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, node.StoresFile), []byte(text), 0o600))
		out, err := obverse(dir, "serve", "rpcport=0", "daemon.rpcport=0").CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(out), filepath.Join(dir, node.StoresFile)+" is damaged: restore it from a copy, or write {} into it if the store is in its place")
	}
}

// TestStoreNextToANewConfig: a store put next to a config that has had none is someone else's,
// though its rows name no owner.
func TestStoreNextToANewConfig(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, obverse(dir, "init", "-regtest").Run())
	path := filepath.Join(dir, node.StoreFile)
	const row = "N/coin/X"
	db, err := bunt.Open(path)
	require.NoError(t, err)
	var b store.Batch
	b.Put(row, "{}")
	require.NoError(t, store.Apply(t.Context(), db, b))
	require.NoError(t, db.Close())

	n := start(t, dir)
	require.NoError(t, n.process.Process.Signal(syscall.SIGTERM))
	require.NoError(t, n.process.Wait())
	for file, there := range map[string]bool{path: false, path + ".replaced-1": true} {
		db, err = bunt.Open(file)
		require.NoError(t, err)
		found, err := db.Get(t.Context(), row)
		require.NoError(t, errors.Join(err, db.Close()))
		require.Equal(t, there, found[0].Present, file)
	}
}

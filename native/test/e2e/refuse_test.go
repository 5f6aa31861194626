package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
	"obverse/core/store/bunt"
)

// TestSecondInstance starts a second node in a data folder.
func TestSecondInstance(t *testing.T) {
	t.Parallel()
	l := newLaunch(t)
	first := l.start(t)
	got := l.run(t, l.serve())
	require.Equal(t, 1, got.code)
	require.Contains(t, got.stderr, fmt.Sprintf("already running, pid %d", first.cmd.Process.Pid))
	require.Empty(t, got.stdout)
	first.requireReady()

	first.kill()
	l.start(t).requireReady() // the lock of an ended process is released
}

// TestBadSettings checks that a start with invalid settings fails with one line that names the
// error.
func TestBadSettings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args  []string
		names string
	}{
		"port":           {[]string{"daemon.rpcport=80"}, "daemon.rpcport"},
		"block interval": {[]string{"chain.blockinterval=-1"}, "chain.blockinterval"},
		"chain option":   {[]string{"-ac_supply=abc"}, "ac_supply"},
		"unknown key":    {[]string{"nosuchkey=1"}, "nosuchkey"},
		"https":          {[]string{"https=true"}, "https"},
		"secret":         {[]string{"rpc_password=" + rpcPassword}, "rpc_password"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLaunch(t)
			got := l.run(t, l.serve(c.args...))
			require.Equal(t, 2, got.code, got.stderr)
			require.Contains(t, got.stderr, c.names)
			require.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
			require.Empty(t, got.stdout)
		})
	}
}

// TestBadFile does the same for the contents of the config file.
func TestBadFile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, names string }{
		"no JSON":       {`{"rpcport":`, "obverse.json"},
		"wrong type":    {`{"daemon":{"rpcuser":5}}`, "daemon.rpcuser"},
		"weak password": {`{"rpc_password":"weak"}`, "rpc_password"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLaunch(t)
			require.NoError(t, os.WriteFile(filepath.Join(l.dir, "obverse.json"), []byte(c.text), 0o600))
			cmd := l.command("serve")
			cmd.Env = []string{"HOME=" + l.dir, "OBVERSE_DATADIR=" + l.dir}
			got := l.run(t, cmd)
			require.Equal(t, 2, got.code, got.stderr)
			require.Contains(t, got.stderr, c.names)
			require.Empty(t, got.stdout)
		})
	}
}

// TestOtherChain starts an existing data folder with the parameters of another chain.
func TestOtherChain(t *testing.T) {
	t.Parallel()
	l := newLaunch(t)
	n := l.start(t)
	code, _ := n.stop()
	require.Zero(t, code)

	for name, c := range map[string]struct {
		args  []string
		env   string
		names string
	}{
		"name":     {[]string{"-ac_name=ANOTHER"}, "", "ac_name"},
		"supply":   {[]string{"chain.ac_supply=5"}, "", "ac_supply"},
		"regtest":  {[]string{"-regtest"}, "", "regtest"},
		"producer": {nil, "OBVERSE_PASSPHRASE=another node", pubHex(signer(t))},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := l.serve(c.args...)
			cmd.Env = append(cmd.Env, c.env)
			got := l.run(t, cmd)
			require.Equal(t, 1, got.code, got.stderr)
			require.Contains(t, got.stderr, "the data folder holds another chain")
			require.Contains(t, got.stderr, c.names)
			require.Empty(t, got.stdout)
		})
	}
	l.start(t).requireReady() // and the folder was not changed
}

// TestNewerStore checks that a store of a later version is refused.
func TestNewerStore(t *testing.T) {
	t.Parallel()
	l := newLaunch(t)
	l.start(t).stop()
	db, err := bunt.Open(filepath.Join(l.dir, "obverse.db"))
	require.NoError(t, err)
	var batch store.Batch
	batch.Put("iversion", "1000")
	require.NoError(t, store.Apply(t.Context(), db, batch))
	require.NoError(t, db.Close())

	got := l.run(t, l.serve())
	require.Equal(t, 1, got.code)
	require.Contains(t, got.stderr, "newer version")
	require.Contains(t, got.stderr, "1000")
}

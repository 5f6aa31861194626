package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/config"
	"obverse/native/datalock"
	"obverse/native/node"
	"obverse/native/settings"
)

// until waits until a file contains a text.
func until(t *testing.T, path, says string) {
	t.Helper()
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(path)
		return err == nil && strings.Contains(string(text), says)
	}, 30*time.Second, 5*time.Millisecond, "%s in %s", says, path)
}

func TestHangupReloads(t *testing.T) {
	dir := t.TempDir()
	log, config := filepath.Join(dir, "node.log"), filepath.Join(dir, settings.FileName)
	set := func(more string) {
		t.Helper()
		require.NoError(t, os.WriteFile(config, []byte(`{"rpc_password":"`+password+`","passphrase":"`+bobWIF+`","daemon":{"rpcpassword":"`+password+`"}`+more+`}`), 0o600))
	}
	set(`,"log_file":"node.log"`)
	n := start(t, dir)
	hangup := func(says string) {
		t.Helper()
		require.NoError(t, n.process.Process.Signal(syscall.SIGHUP))
		until(t, log, says)
	}
	until(t, log, "msg=ready")

	require.NoError(t, os.Rename(log, log+".1"))
	set(`,"log_file":"node.log","log_level":"debug","rpccors":"https://a.example"`)
	hangup("reloaded the config")
	until(t, log, "changed settings take effect at the next start\" keys=rpccors")
	until(t, log, "log_level=debug")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "coins"), []byte(`[{"coin":"NEWCOIN","mm2":1,"protocol":{"type":"TENDERMINT"}}]`), 0o600))
	hangup("reloaded the coins file")
	out, err := obverse(dir, "call", "enable_tendermint_with_assets", `{"ticker":"NEWCOIN","nodes":[],"tokens_params":[]}`).CombinedOutput()
	require.Error(t, err)
	require.NotContains(t, string(out), "NoSuchCoin")
	require.NotContains(t, string(out), "not found in config")

	for what, bad := range map[string]func(){
		"obverse.json:1:": func() { set(`,"log_level":"loud"`) },
		"must be a JSON":  func() { require.NoError(t, os.WriteFile(config, []byte(`{`), 0o600)) },
		"no config file":  func() { require.NoError(t, os.Remove(config)) },
		"log_file":        func() { set(`,"log_file":"."`) },
	} {
		bad()
		hangup(what)
	}
	set(`,"log_file":"node.log"`)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "coins"), []byte(`{}`), 0o600))
	hangup("must hold a list of coins")
	require.NoError(t, obverse(dir, "call", "getblockcount").Run())
	require.NoError(t, n.process.Process.Signal(syscall.SIGTERM))
	require.NoError(t, n.process.Wait())
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	require.Equal(t, 5, strings.Count(string(text), "reloading the config failed, nothing changed"))
	require.NotContains(t, string(text), password)
}

// A hangup during the start of the node does not end it.
func TestHangupWhileStarting(t *testing.T) {
	dir := t.TempDir()
	cmd := obverse(dir, "serve", "rpcport=0", "daemon.rpcport=0", "-regtest", "log_file="+filepath.Join(dir, "log"))
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill() })
	require.Eventually(t, func() bool { _, err := os.Stat(filepath.Join(dir, "obverse.lock")); return err == nil }, 30*time.Second, time.Millisecond)
	for range 20 {
		require.NoError(t, cmd.Process.Signal(syscall.SIGHUP))
	}
	until(t, filepath.Join(dir, "log"), "msg=ready")
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, cmd.Wait())
}

// Clients of komodod find the port and the password in the file that komodod would write.
func TestKomodoConf(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	path := filepath.Join(home, ".komodo", "TOKTEST", "TOKTEST.conf")
	require.NoError(t, obverse(dir, "init", "--komodo-conf", "-ac_name=TOKTEST", "-ac_cc=2").Run())
	begin := func() *nodeProcess {
		cmd := obverse(dir, "serve", "rpcport=0", "daemon.rpcport=0")
		return begun(t, cmd)
	}
	n := begin()
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var config struct {
		Daemon struct{ RPCUser, RPCPassword string }
	}
	raw, err := os.ReadFile(filepath.Join(dir, settings.FileName))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &config))
	_, port, _ := strings.Cut(strings.TrimPrefix(n.ready.Daemon, "http://"), ":")
	for _, line := range []string{"rpcuser=obverse", "rpcpassword=" + config.Daemon.RPCPassword, "rpcport=" + port, "rpcbind=127.0.0.1", "server=1", "txindex=1"} {
		require.Contains(t, string(text), line+"\n")
	}
	empty := t.TempDir()
	require.NoError(t, obverse(empty, "call", "--conf", path, "getblockcount").Run(), "it is enough for a client")
	files, err := os.ReadDir(empty)
	require.NoError(t, err)
	require.Empty(t, files)

	require.NoError(t, n.process.Process.Kill())
	n.process.Wait()
	n = begin() // a file that the node wrote itself is replaced
	n.process.Process.Kill()
	n.process.Wait()
	again, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotEqual(t, string(text), string(again), "the port is another one")

	require.NoError(t, os.WriteFile(path, []byte("rpcuser=komodod\n"), 0o600))
	begin()
	left, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "rpcuser=komodod\n", string(left), "another program's file stays")
}

func TestInvalidKomodoConf(t *testing.T) {
	where := datalock.Running{Daemon: "http://127.0.0.1:7771"}
	for name, c := range map[string]struct {
		change func(c *config.Config, home *string)
		says   string
	}{
		"no home":          {func(_ *config.Config, home *string) { *home = "" }, "HOME"},
		"a name of folder": {func(c *config.Config, _ *string) { c.Chain.Options.Name = "../X" }, "no place"},
		"a comment":        {func(c *config.Config, _ *string) { c.Daemon.RPCPassword = config.NewSecret("s3cret#word") }, "daemon.rpcpassword has a character"},
		"a space":          {func(c *config.Config, _ *string) { c.Daemon.RPCPassword = config.NewSecret("s3cret ") }, "a space at an end"},
		"no password":      {func(c *config.Config, _ *string) { c.Daemon.RPCPassword = config.Secret{} }, "is not set"},
		"a link": {func(c *config.Config, home *string) {
			require.NoError(t, os.MkdirAll(filepath.Join(*home, ".komodo", "OBVERSE"), 0o700))
			require.NoError(t, os.Symlink("elsewhere", filepath.Join(*home, ".komodo", "OBVERSE", "OBVERSE.conf")))
		}, "was not written by obverse"},
	} {
		t.Run(name, func(t *testing.T) {
			changed, home := config.Default(), t.TempDir()
			changed.Daemon.RPCPassword = config.NewSecret(password)
			c.change(&changed, &home)
			_, err := writeKomodoConf(home, &changed, where)
			require.ErrorContains(t, err, c.says)
			require.NotContains(t, err.Error(), "s3cret")
		})
	}
}

// TestLogFileOfAnotherUse checks that files with another use, which log lines would damage, are
// refused as log files.
func TestLogFileOfAnotherUse(t *testing.T) {
	dir := t.TempDir()
	serve := func(log string) *exec.Cmd {
		return obverse(dir, "serve", "rpcport=0", "daemon.rpcport=0", "log_file="+log)
	}
	hash := strings.Repeat("0a", 20)
	for _, name := range []string{node.StoreFile, settings.FileName, "obverse.lock", "daemon.curl", ".cookie", node.StoresFile, "alice.json", "coins", node.StoreFile + ".replaced-1",
		hash + "/" + node.StoreFile, "cometbft/config/genesis.json", "cometbft/data/state.db/LOG"} {
		out := requireExit(t, exitUsage, serve(filepath.Join(dir, name)))
		require.Contains(t, out, "log_file: ")
		require.Contains(t, out, "is the node's "+name)
		text, _ := os.ReadFile(filepath.Join(dir, name)) // most of them do not exist
		require.NotContains(t, string(text), "msg=")
	}
	elsewhere := t.TempDir()
	for name, text := range map[string]string{
		"wallet": `{"version":1,"time":"10:20:30"}`, "key": "L1aW4aubDFB7yfras2S1mN3bqg9nwySY8nkoLmJebSLD5BWv3ENZ\n", "store": "*1\r\n10:20:30", "a space": " ",
	} {
		path := filepath.Join(elsewhere, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		require.NoError(t, os.Symlink(path, path+" link"))
		require.NoError(t, os.Symlink(path, filepath.Join(dir, name)))
		for _, log := range []string{path, path + " link", filepath.Join(dir, name)} {
			out := requireExit(t, exitUsage, serve(log))
			require.Contains(t, out, "is not a log")
			left, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, text, string(left))
		}
	}
	for name, text := range map[string]string{
		"of this program": "time=2026-11-27T06:51:41.093Z level=INFO msg=starting\n", "of KDF": "04 12:30:10, mm2:123] INFO AtomicDEX API 2.0\n", "empty": "",
	} {
		path := filepath.Join(elsewhere, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		file, err := os.Open(path)
		require.NoError(t, err)
		require.Equal(t, text != "", beginsLog(file))
		require.NoError(t, file.Close())
		require.NoError(t, checkLogFile(path, &settings.Settings{DataDir: dir}))
	}
}

package cli

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/config"
	"obverse/native/node"
	"obverse/native/settings"
)

// requireExit runs a process, checks its exit code, and returns its output.
func requireExit(t *testing.T, code int, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit, string(out))
	require.Equal(t, code, exit.ExitCode(), string(out))
	return string(out)
}

// A new config next to the store of a wallet is refused if the file of the wallet is also missing,
// and so is a new config without the recorded store. Either would begin another chain with a new
// key.
func TestWalletStoreWithoutConfig(t *testing.T) {
	cmd := newCommand(t)
	config, folder := filepath.Join(cmd.dir, settings.FileName), filepath.Join(cmd.dir, strings.Repeat("ab", 20))
	store := filepath.Join(folder, node.StoreFile)
	require.NoError(t, os.Mkdir(folder, 0o700))
	require.NoError(t, os.WriteFile(store, []byte("*1"), 0o600))
	made := node.Stores{Made: []string{filepath.Join(filepath.Base(folder), node.StoreFile)}}
	require.NoError(t, made.Save(cmd.dir))
	cmd.env["OBVERSE_WALLET_PASSWORD"] = "Passw0rd!x"
	refused := func(says ...string) {
		t.Helper()
		for _, command := range []string{"serve", "init"} {
			out := cmd.do(command)
			requireRefused(t, out)
			for _, text := range append(says, config, store) {
				require.Contains(t, out.stderr, text)
			}
			require.NoFileExists(t, config)
			require.NoFileExists(t, filepath.Join(cmd.dir, newWallet+".json"))
		}
	}
	refused("the wallet's file", "OBVERSE_PASSPHRASE", "obverse store restore "+store)

	require.NoError(t, os.RemoveAll(folder))
	refused("--new-chain")
	require.Zero(t, cmd.do("serve", "--new-chain").code)
}

// A config that is written again keeps the record of the stores, so that a start still reports
// missing stores.
func TestNewConfigKeepsTheRecordOfStores(t *testing.T) {
	cmd := newCommand(t)
	made := node.Stores{Made: []string{node.StoreFile}}
	require.NoError(t, made.Save(cmd.dir))
	cmd.env["OBVERSE_PASSPHRASE"] = "the passphrase of that store"
	require.Zero(t, cmd.do("init").code)
	stores, err := node.ReadStores(cmd.dir)
	require.NoError(t, err)
	require.Equal(t, made, stores)
}

// The store belongs to the chain of the first start, so the config must name that chain.
func TestFirstStartWritesItsChain(t *testing.T) {
	for _, args := range [][]string{
		{"serve", "-ac_name=OTHER", "-ac_cc=2", "-ac_supply=7", "-regtest", "rpcport=0"},
		{"init", "-ac_name=OTHER", "-ac_cc=2", "-ac_supply=7", "-regtest"},
	} {
		cmd := newCommand(t)
		var got *settings.Settings
		cmd.run = func(_ context.Context, s *settings.Settings, _ *slog.Logger, _ func(node, daemon string) error) error {
			got = s
			return nil
		}
		out := cmd.do(args...)
		require.Zero(t, out.code, out.stderr)
		out = cmd.do("serve")
		require.Zero(t, out.code, out.stderr)
		chain := got.Config.Chain.Options
		require.Equal(t, "OTHER", chain.Name)
		require.EqualValues(t, 2, chain.CC)
		require.EqualValues(t, 7, chain.Supply)
		require.True(t, chain.Regtest)
		require.Empty(t, chain.NK, "komodod's default, as at the first start")
		require.Equal(t, 7783, got.Config.RPCPort, "other keys are for one run")
	}
	cmd := newCommand(t)
	for _, bad := range []string{"-ac_supply=x", "-ac_staked=50", "-rpcport=7000"} {
		requireRefused(t, cmd.do("init", bad))
	}
	require.NoFileExists(t, filepath.Join(cmd.dir, settings.FileName))
}

// Of two concurrent starts, one runs, and the other one reports it. There is one config.
func TestStartsAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	const many = 4
	outputs := make(chan string, many)
	for range many {
		cmd := obverse(dir, "serve", "rpcport=0", "daemon.rpcport=0", "-regtest")
		go func() {
			out, _ := cmd.CombinedOutput()
			outputs <- string(out)
		}()
	}
	for range many - 1 {
		require.Contains(t, <-outputs, "already running, pid ")
	}
	require.Eventually(t, func() bool { return obverse(dir, "call", "stop").Run() == nil }, 30*time.Second, 50*time.Millisecond)
	require.Contains(t, <-outputs, `"event":"ready"`)
	left, err := filepath.Glob(filepath.Join(dir, "."+settings.FileName+"*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// A first start that is killed at any time can be repeated.
func TestFirstStartIsKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("starts forty nodes: left to make test")
	}
	for at := time.Duration(0); at < 120*time.Millisecond; at += 6 * time.Millisecond {
		dir := filepath.Join(t.TempDir(), "new")
		cmd := obverse(dir, "serve", "rpcport=0", "daemon.rpcport=0", "-regtest")
		require.NoError(t, cmd.Start())
		time.Sleep(at)
		require.NoError(t, cmd.Process.Kill())
		cmd.Wait()
		n := start(t, dir)
		require.NoError(t, n.process.Process.Kill())
		left, err := filepath.Glob(filepath.Join(dir, "."+settings.FileName+"*"))
		require.NoError(t, err)
		require.Empty(t, left, "half a config with secrets")
	}
}

// The usual command lines of komodod start a node. Each option is applied, or a warning gives the
// reason why not.
func TestStartLikeKomodod(t *testing.T) {
	for _, c := range []struct {
		args  string
		check func(t *testing.T, c *config.Config)
		says  []string
	}{
		{"-ac_name=TOKTEST -ac_supply=100000 -ac_reward=100000000 -ac_cc=2 -addressindex=1 -spentindex=1 -txindex -server -printtoconsole -ac_sapling=1",
			func(t *testing.T, c *config.Config) { require.Equal(t, "TOKTEST", c.Chain.Options.Name) }, nil},
		{"-addnode=192.0.2.1 -addnode=192.0.2.2 -connect=x -daemon -gen -genproclimit=1 -listen=0 -port=7770 -maxconnections=8", nil,
			[]string{"-addnode has no effect", "-connect has", "-daemon has no effect: the node stays in the foreground", "-gen has", "-genproclimit has", "-listen has", "-port has", "-maxconnections has"}},
		{"-rpcuser=me -rpcport=7000 -rpcbind=127.0.0.2 -rpcallowip=127.0.0.1 -rpcworkqueue=256",
			func(t *testing.T, c *config.Config) {
				require.Equal(t, config.Daemon{RPCUser: "me", RPCPort: 7000, RPCIP: "127.0.0.2", RPCPassword: c.Daemon.RPCPassword}, c.Daemon)
				require.Equal(t, 7783, c.RPCPort)
			}, []string{"-rpcallowip has no effect: daemon.rpcip", "-rpcworkqueue has"}},
		{"-rpcbind=127.0.0.1:7001", func(t *testing.T, c *config.Config) {
			require.Equal(t, []any{"127.0.0.1", 7001}, []any{c.Daemon.RPCIP, c.Daemon.RPCPort})
		}, nil},
		{"-rpcbind=::1", func(t *testing.T, c *config.Config) { require.Equal(t, "::1", c.Daemon.RPCIP) }, nil},
		{"--rpcport=7002", func(t *testing.T, c *config.Config) { require.Equal(t, 7002, c.Daemon.RPCPort) }, []string{"--rpcport is komodod's option"}},
		{"-debug", func(t *testing.T, c *config.Config) { require.Equal(t, "debug", c.LogLevel) }, nil},
		{"-debug=cctokens -datacarriersize=9000", func(t *testing.T, c *config.Config) {
			require.Equal(t, []any{"debug", 9000}, []any{c.LogLevel, c.Chain.DataCarrierSize})
		}, nil},
		{"-debug=0 -nolisten -noserver -txindex=0", func(t *testing.T, c *config.Config) { require.Equal(t, "info", c.LogLevel) },
			[]string{"-listen has no effect", "-server is always on", "-txindex is always on"}},
		{"-zmqpubhashblock=tcp://127.0.0.1:1 -blocknotify=touch -testnet -disablewallet -reindex -rescan -notary -exchange -dbcache=9 -rest -bootstrap=1", nil,
			[]string{"-zmqpubhashblock has", "-blocknotify has", "-testnet has", "-disablewallet has", "-reindex has", "-rescan has", "-notary has", "-exchange has", "-dbcache has", "-rest has", "-bootstrap has"}},
	} {
		name, _, _ := strings.Cut(c.args, "=")
		t.Run(name, func(t *testing.T) {
			cmd := newCommand(t)
			cmd.run = func(_ context.Context, s *settings.Settings, _ *slog.Logger, _ func(node, daemon string) error) error {
				if c.check != nil {
					c.check(t, &s.Config)
				}
				return nil
			}
			out := cmd.do(append([]string{"serve"}, strings.Fields(c.args)...)...)
			require.Zero(t, out.code, out.stderr)
			for _, says := range c.says {
				require.Equal(t, 1, strings.Count(out.stderr, says), "%s\n%s", says, out.stderr)
			}
			if c.says == nil {
				require.Equal(t, strings.Count(out.stderr, "level=WARN"), strings.Count(out.stderr, "is a chain of your own nodes"), out.stderr)
			}
			require.NotContains(t, out.stderr, "192.0.2.1", "values may be secrets")
		})
	}
}

// A node that is started with options of komodod reports which of them it does not support.
func TestRisksAreLogged(t *testing.T) {
	cmd := newCommand(t)
	cmd.env["OBVERSE_PASSPHRASE"] = "a"
	out := cmd.do("serve", "-ac_name=TOKEL", "rpcip=0.0.0.0", "daemon.rpcip=::")
	require.Zero(t, out.code)
	for _, says := range []string{"passphrase is weak", "chain.ac_name TOKEL is a chain of your own nodes", "rpcip 0.0.0.0 accepts", "daemon.rpcip :: accepts"} {
		require.Regexp(t, "level=WARN msg=\"[^\n]*"+says, out.stderr)
	}
}

func TestRestoredCoinsAreLogged(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	n := start(t, dir, "log_file="+log)
	require.NoError(t, obverse(dir, "call", "task::enable_lightning::init", `{"ticker":"tBTC-lightning","activation_params":{"name":"mine"}}`).Run())
	require.Eventually(t, func() bool {
		out, err := obverse(dir, "call", "task::enable_lightning::status", `{"task_id":1,"forget_if_finished":false}`).Output()
		return err == nil && strings.Contains(string(out), `"Ok"`)
	}, 30*time.Second, 20*time.Millisecond)
	require.NoError(t, n.process.Process.Kill())
	n.process.Wait()
	require.NoError(t, os.Remove(log))
	start(t, dir, "log_file="+log)
	until(t, log, `msg="restoring active coins" count=1 coins=tBTC-lightning`)
	until(t, log, `msg="restored a coin" coin=tBTC-lightning`)
}

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/native/settings"
)

func serveArgs(more ...string) []string {
	return append([]string{"serve", "rpcport=0", "daemon.rpcport=0", "-regtest"}, more...)
}

func configText(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, settings.FileName))
	require.NoError(t, err)
	return string(text)
}

// TestNewWalletWithoutATerminal reads the password from a file.
func TestNewWalletWithoutATerminal(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "password")
	given := func(args ...string) *exec.Cmd {
		cmd := obverse(dir, args...)
		cmd.Env = append(cmd.Env, "OBVERSE_WALLET_PASSWORD_FILE="+file)
		return cmd
	}
	require.NoError(t, os.WriteFile(file, []byte("weak\n"), 0o600))
	for _, command := range [][]string{{"init"}, serveArgs()} {
		require.Contains(t, requireExit(t, exitUsage, given(command...)), "wallet_password is too weak: ")
		require.NoFileExists(t, filepath.Join(dir, settings.FileName))
	}
	require.NoError(t, os.WriteFile(file, []byte(walletWord+"\n"), 0o600))
	out, err := given("init").CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), `the recovery phrase is in the wallet "wallet", encrypted`)
	require.FileExists(t, filepath.Join(dir, "wallet.json"))
	requireNowhere(t, dir, walletWord)

	n := begun(t, given(serveArgs()...))
	key, err := obverse(dir, "call", "get_public_key").Output()
	require.NoError(t, err)
	n.stop(t)
	says := requireExit(t, exitUsage, obverse(dir, serveArgs()...))
	require.Contains(t, says, "wallet_password is missing")
	require.Contains(t, says, "set OBVERSE_WALLET_PASSWORD_FILE")

	require.NoError(t, os.Remove(filepath.Join(dir, settings.FileName)))
	for _, command := range [][]string{{"init"}, serveArgs()} {
		require.Contains(t, requireExit(t, exitUsage, obverse(dir, command...)), `the data folder has the wallet "wallet"`)
		require.NoFileExists(t, filepath.Join(dir, settings.FileName))
	}
	n = begun(t, given(serveArgs()...))
	again, err := obverse(dir, "call", "get_public_key").Output()
	require.NoError(t, err)
	require.Equal(t, string(key), string(again))
	n.stop(t)
	require.Contains(t, configText(t, dir), `"wallet_name": "wallet"`)
}

package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/native/node"
	"obverse/native/settings"
	"obverse/native/test/porttest"
	"obverse/native/test/sdktest"
)

// kdf returns a command that starts the program under the name kdf in a folder.
func kdf(folder string, args ...string) *exec.Cmd {
	cmd := obverse("")
	cmd.Args, cmd.Dir = append([]string{"kdf"}, args...), folder
	cmd.Env = append(os.Environ(), asProgramEnv+"=1", "HOME="+folder)
	return cmd
}

// sdkConfig returns the config with which the KDF SDK starts a node, with further members.
func sdkConfig(port int, more string) string { return sdktest.Config(port, password, more) }

// ended calls stop and waits until the process has ended.
func (n *nodeProcess) ended(t *testing.T) {
	t.Helper()
	response, err := http.Post(n.ready.Node, "", strings.NewReader(`{"userpass":"`+password+`","method":"stop"}`))
	require.NoError(t, err)
	answer, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.JSONEq(t, `{"result":"success"}`, string(answer))
	require.NoError(t, n.process.Wait())
}

// TestKDFSession repeats a session of the SDK: a start without a key, a registration, a sign-out, a
// sign-in.
func TestKDFSession(t *testing.T) {
	folder, port := t.TempDir(), porttest.Free(t)
	n := begun(t, kdf(folder, sdkConfig(port, "")))
	require.JSONEq(t, `{"wallet_names":[],"activated_wallet":null}`, string(n.ask(t, "get_wallet_names", "null").Result))
	require.Equal(t, "InternalError", n.ask(t, "get_public_key", "{}").Type, "there is no key")
	n.ended(t)

	const login = `,"wallet_name":"my wallet","wallet_password":"` + walletWord + `","enable_hd":true`
	n = begun(t, kdf(folder, sdkConfig(port, login+`,"allow_registrations":true`)))
	require.Equal(t, fmt.Sprintf("http://127.0.0.1:%d", port), n.ready.Node, "the same port at once")
	cmdline, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", n.process.Process.Pid))
	require.NoError(t, err)
	require.NotContains(t, string(cmdline), walletWord, "other users see no password in the list of processes")
	require.NotContains(t, string(cmdline), password)
	var phrase struct{ Mnemonic string }
	require.NoError(t, json.Unmarshal(n.ask(t, "get_mnemonic", `{"format":"plaintext","password":"`+walletWord+`"}`).Result, &phrase))
	public := n.ask(t, "get_public_key", "{}").Result
	n.ended(t)
	require.FileExists(t, filepath.Join(folder, "data", "my wallet.json"))

	n = begun(t, kdf(folder, sdkConfig(port, login)))
	require.JSONEq(t, `{"wallet_names":["my wallet"],"activated_wallet":"my wallet"}`, string(n.ask(t, "get_wallet_names", "null").Result))
	require.Equal(t, string(public), string(n.ask(t, "get_public_key", "{}").Result))
	require.Contains(t, requireExit(t, KDFAlreadyRunning, kdf(folder, sdkConfig(port, login))), "already running")
	require.Contains(t, requireExit(t, KDFAlreadyRunning, kdf(t.TempDir(), sdkConfig(port, ""))), "is in use by another program")
	n.ended(t)

	imported := begun(t, kdf(folder, sdkConfig(port, `,"wallet_name":"imported","wallet_password":"`+walletWord+`","enable_hd":true,"allow_registrations":true,"passphrase":"`+phrase.Mnemonic+`"`)))
	require.Equal(t, string(public), string(imported.ask(t, "get_public_key", "{}").Result))
	imported.ended(t)
	requireNowhere(t, folder, phrase.Mnemonic)
}

func TestKDFThatDoesNotStart(t *testing.T) {
	folder, port := t.TempDir(), porttest.Free(t)
	const login = `,"wallet_name":"w","allow_registrations":true,"wallet_password":"`
	begun(t, kdf(folder, sdkConfig(port, login+walletWord+`"`))).ended(t)
	for name, c := range map[string]struct {
		code int
		args []string
		says string
	}{
		"wrong password": {KDFInitError, []string{sdkConfig(port, login+`other"`)}, "Error generating or decrypting mnemonic"},
		"unknown wallet": {KDFInitError, []string{sdkConfig(port, `,"wallet_name":"v","wallet_password":"x"`)}, "Wallet does not exist"},
		"its own file":   {KDFInvalidConfig, []string{sdkConfig(port, `,"wallet_name":"obverse","wallet_password":"x"`)}, `wallet_name: wallet "obverse": the name is reserved for the node's own file obverse.json`},
		"case alone":     {KDFInitError, []string{sdkConfig(port, strings.Replace(login, `"w"`, `"W"`, 1)+walletWord+`"`)}, `a wallet with this name already exists, as "w"`},
		"two arguments":  {KDFInvalidParams, []string{"{}", "{}"}, "kdf takes one argument"},
		"no object":      {KDFInvalidParams, []string{"serve"}, "has to be the config"},
		"no JSON":        {KDFInvalidConfig, []string{"{"}, "config argument:1:2: the config must be a JSON object"},
		"a bad value":    {KDFInvalidConfig, []string{sdkConfig(1, "")}, "rpcport must be"},
		"no file":        {KDFInvalidConfig, nil, "MM2.json: no config file"},
	} {
		t.Run(name, func(t *testing.T) {
			out := requireExit(t, c.code, kdf(folder, c.args...))
			require.Contains(t, out, c.says)
			require.NotContains(t, out, walletWord)
		})
	}
}

// TestKDFReadsFiles reads the config from files, as KDF does.
func TestKDFReadsFiles(t *testing.T) {
	folder, port := t.TempDir(), porttest.Free(t)
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	write("MM2.json", sdkConfig(port, ""))
	n := begun(t, kdf(folder))
	n.ended(t)
	require.FileExists(t, filepath.Join(folder, "data", node.StoreFile), "dbdir begins at the config's folder")

	cmd := kdf(t.TempDir())
	cmd.Env = append(cmd.Env, "MM_CONF_PATH="+write("other.json", strings.NewReplacer(`"dbdir":"data",`, "", `"coins":[],`, "").Replace(sdkConfig(port, ""))),
		"MM_COINS_PATH="+write("list", `[{"coin":"X"}]`), "MM_LOG="+filepath.Join(folder, "log"))
	n = begun(t, cmd)
	n.ended(t)
	require.FileExists(t, filepath.Join(cmd.Dir, kdfFolder, node.StoreFile), "without dbdir the data are in DB")
	require.Eventually(t, func() bool {
		log, err := os.ReadFile(filepath.Join(folder, "log"))
		return err == nil && strings.Contains(string(log), "read the coins file")
	}, 10*time.Second, 10*time.Millisecond)
	require.NoFileExists(t, filepath.Join(folder, settings.FileName))

	for _, option := range []string{"--version", "-v", "--help"} {
		out, err := kdf(folder, option).Output()
		require.NoError(t, err)
		require.NotEmpty(t, out)
	}
}

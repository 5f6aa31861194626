package cli

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/native/node"
	"obverse/native/settings"
)

const walletWord = "Its-a-W4llet!"

// writeConfig writes the config of a node with a wallet.
func writeConfig(t *testing.T, dir, more string) {
	t.Helper()
	text := `{"rpc_password":"` + password + `","wallet_password":"` + walletWord + `"` + more + `}`
	require.NoError(t, os.WriteFile(filepath.Join(dir, settings.FileName), []byte(text), 0o600))
}

// ask calls a method of the node API.
func (n *nodeProcess) ask(t *testing.T, method, params string) (answer struct {
	Result json.RawMessage
	Type   string `json:"error_type"`
}) {
	t.Helper()
	body := `{"userpass":"` + password + `","mmrpc":"2.0","method":"` + method + `","params":` + params + `}`
	response, err := http.Post(n.ready.Node, "application/json", strings.NewReader(body))
	require.NoError(t, err)
	defer response.Body.Close()
	require.NoError(t, json.NewDecoder(response.Body).Decode(&answer))
	return answer
}

func (n *nodeProcess) stop(t *testing.T) {
	t.Helper()
	require.NoError(t, n.process.Process.Signal(os.Interrupt))
	require.NoError(t, n.process.Wait())
}

// TestNamedWallet creates a wallet, opens it again, and checks that the disk contains its phrase
// only in encrypted form.
func TestNamedWallet(t *testing.T) {
	dir := t.TempDir()
	writeConfig(t, dir, `,"wallet_name":"my wallet","enable_hd":true,"word_count":24`)
	n := start(t, dir)
	require.JSONEq(t, `{"wallet_names":["my wallet"],"activated_wallet":"my wallet"}`, string(n.ask(t, "get_wallet_names", "null").Result))
	var answer struct{ Mnemonic string }
	require.NoError(t, json.Unmarshal(n.ask(t, "get_mnemonic", `{"format":"plaintext","password":"`+walletWord+`"}`).Result, &answer))
	require.Len(t, strings.Fields(answer.Mnemonic), 24)
	public := n.ask(t, "get_public_key", "{}").Result
	require.Equal(t, "InvalidPassword", n.ask(t, "get_mnemonic", `{"format":"plaintext","password":"x"}`).Type)
	require.JSONEq(t, "null", string(n.ask(t, "change_mnemonic_password", `{"current_password":"`+walletWord+`","new_password":"An0ther-one!"}`).Result))
	n.stop(t)
	stores, err := filepath.Glob(filepath.Join(dir, strings.Repeat("[0-9a-f]", 40), node.StoreFile))
	require.NoError(t, err)
	require.Len(t, stores, 1, "the wallet has its own store")
	requireNowhere(t, dir, answer.Mnemonic)
	requireNowhere(t, dir, strings.Fields(answer.Mnemonic)[0]+" "+strings.Fields(answer.Mnemonic)[1])

	requireExit(t, exitWallet, obverse(dir, "serve", "rpcport=0", "daemon.rpcport=0"))
	again := obverse(dir, "serve", "rpcport=0", "daemon.rpcport=0", "-regtest")
	again.Env = append(again.Env, "OBVERSE_WALLET_PASSWORD=An0ther-one!")
	n = begun(t, again)
	require.Equal(t, string(public), string(n.ask(t, "get_public_key", "{}").Result))
	n.stop(t)
}

// requireNowhere checks that no file in a folder contains a text.
func requireNowhere(t *testing.T, dir, text string) {
	t.Helper()
	files := 0
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files++
		content, err := os.ReadFile(path)
		require.NotContains(t, string(content), text, path)
		return err
	}))
	require.NotZero(t, files)
}

func TestWalletsThatDoNotOpen(t *testing.T) {
	dir := t.TempDir()
	made := obverse(dir, "serve", "rpcport=0", "daemon.rpcport=0", "-regtest")
	writeConfig(t, dir, `,"wallet_name":"bob","passphrase":"the passphrase of bob, long enough for anyone"`)
	n := begun(t, made)
	n.stop(t)
	for name, c := range map[string]struct{ more, says string }{
		"another phrase": {`,"wallet_name":"bob","passphrase":"another"`, `wallet "bob": passphrase does not match the stored one`},
		"not HD":         {`,"wallet_name":"bob","enable_hd":true`, `wallet "bob": Error parsing passphrase: an HD wallet needs a BIP39 mnemonic`},
		"unknown":        {`,"wallet_name":"eve","allow_registrations":false`, `Error generating or decrypting mnemonic: wallet "eve": Wallet does not exist, and wallet creation is disabled`},
	} {
		t.Run(name, func(t *testing.T) {
			writeConfig(t, dir, c.more)
			out := requireExit(t, exitWallet, obverse(dir, "serve", "rpcport=0", "daemon.rpcport=0", "-regtest"))
			require.Contains(t, out, c.says)
			require.NotContains(t, out, "the passphrase of bob")
			require.NoFileExists(t, filepath.Join(dir, "eve.json"))
		})
	}
	file := filepath.Join(dir, "bob.json")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	text[len(text)/2] ^= 1
	require.NoError(t, os.WriteFile(file, text, 0o600))
	writeConfig(t, dir, `,"wallet_name":"bob"`)
	requireExit(t, exitWallet, obverse(dir, "serve", "rpcport=0", "daemon.rpcport=0", "-regtest"))
}

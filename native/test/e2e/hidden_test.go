package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGeneratedSecrets starts a node without secrets. The generated secrets must appear only in its
// config and in the file for curl.
func TestGeneratedSecrets(t *testing.T) {
	t.Parallel()
	l := newLaunch(t)
	l.env = nil
	n := l.start(t)
	phrase, nodePass, user, daemonPass := configSecrets(t, l.dir)
	l.seen.hide(formsOf(t, phrase, false, nodePass, daemonUser, daemonPass))
	l.seen.hide(formsOf(t, phrase, false, nodePass, user, daemonPass))
	n.client.password = daemonPass
	n.exercise(nodePass)
	defer n.stop()
	for _, name := range []string{"obverse.json", "daemon.curl"} {
		info, err := os.Stat(filepath.Join(l.dir, name))
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, name)
	}
}

// exercise makes successful and failing calls on both ports.
func (n *node) exercise(nodePass string) {
	n.t.Helper()
	n.raw("getinfo")
	n.send(n.build("tokencreate", "HIDE", "0.00001", ""))
	for _, body := range []string{"", "[", `{"method":"nosuch"}`, `{"method":"tokeninfo","params":["` + n.client.password + `"]}`} {
		_, _, err := n.client.post([]byte(body))
		require.NoError(n.t, err)
	}
	for _, body := range []string{
		`{"mmrpc":"2.0","userpass":"` + nodePass + `","method":"get_public_key"}`,
		`{"mmrpc":"2.0","userpass":"` + nodePass + `","method":"nosuch","params":{"a":1}}`,
		`{"mmrpc":"2.0","userpass":"wrong","method":"get_public_key"}`,
		`{"userpass":"` + nodePass + `","method":"my_balance","coin":"X"}`, `{`, `[]`,
	} {
		response, err := n.client.http.Post(n.ready.Node+"/", "application/json", strings.NewReader(body))
		require.NoError(n.t, err)
		require.NoError(n.t, response.Body.Close())
	}
	for _, path := range []string{"/livez", "/readyz", "/metrics", "/nothing", "/event-stream?ticket=0123456789abcdef"} {
		request, err := http.NewRequest(http.MethodGet, n.ready.Node+path, nil)
		require.NoError(n.t, err)
		request.Header.Set("X-Forwarded-For", "192.0.2.1")
		request.SetBasicAuth("u", nodePass+"x")
		response, err := n.client.http.Do(request)
		require.NoError(n.t, err)
		require.NoError(n.t, response.Body.Close())
	}
}

// TestMnemonicStaysHidden tests an HD wallet.
func TestMnemonicStaysHidden(t *testing.T) {
	t.Parallel()
	const mnemonic = "emerge canoe salmon dolphin glow priority random become gasp sell blade argue"
	l := newLaunch(t, "enable_hd=true")
	l.env = []string{"OBVERSE_PASSPHRASE=" + mnemonic, "OBVERSE_RPC_PASSWORD=" + rpcPassword, "OBVERSE_DAEMON_RPCPASSWORD=" + daemonPassword}
	l.seen.hide(formsOf(t, mnemonic, true, rpcPassword, daemonUser, daemonPassword))
	n := l.start(t, "log_level=debug")
	n.exercise(rpcPassword)
	n.stop()

	l.env[0] = "OBVERSE_PASSPHRASE=" + strings.Replace(mnemonic, "salmon", "salmons", 1)
	got := l.run(t, l.serve())
	require.Equal(t, 2, got.code)
	require.Contains(t, got.stderr, "passphrase is invalid: word 3 of 12: ")
	for _, word := range strings.Fields(mnemonic) {
		require.NotContains(t, got.stderr, word+" ", "no word of a misspelt mnemonic is shown")
	}
}

// TestLogLevels tests all log levels.
func TestLogLevels(t *testing.T) {
	t.Parallel()
	for level, want := range map[string][]string{
		"error": {}, "warn": {}, "info": {"INFO"}, "debug": {"INFO", "DEBUG"},
	} {
		l := newLaunch(t)
		n := l.start(t, "log_level="+level)
		n.raw("getinfo")
		n.get("/livez", "")
		n.stop()
		var got []string
		for _, name := range []string{"INFO", "DEBUG"} {
			if strings.Contains(n.stderr.text(), "level="+name) {
				got = append(got, name)
			}
		}
		require.ElementsMatch(t, want, got, level)
		lines := strings.Count(n.stderr.text(), "msg=request ")
		require.Equal(t, map[string]int{"error": 0, "warn": 0, "info": 1, "debug": 2}[level], lines, n.stderr.text())
	}
}

// TestForeignFolder starts a node in a folder of Komodo DeFi Framework with MM2.json and coins.
func TestForeignFolder(t *testing.T) {
	t.Parallel()
	const walletPassword = "Wallet-5ecret+word"
	l := newLaunch(t)
	config := filepath.Join(l.dir, "MM2.json")
	require.NoError(t, os.WriteFile(config, []byte(`{"gui":"theirs","netid":8762,"rpc_password":"`+rpcPassword+`","passphrase":"`+passphrase+`",
		"rpcport":"0","dbdir":"DB","seednodes":["seed.example"],"i_am_seed":false,"wallet_password":"`+walletPassword+`","rpc_passwrd":"`+walletPassword+`",
		"event_streaming_configuration":{"access_control_allow_origin":"*"},"daemon":{"rpcport":0,"rpcuser":"`+daemonUser+`"}}`), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(l.dir, "coins"), []byte(`[{"coin":"MINE","protocol":{"type":"ETH","protocol_data":{"chain_id":1}},"mm2":1},{"coin":7}]`), 0o600))
	l.seen.hide(map[string]string{"password of the wallet": walletPassword})
	l.env = []string{"OBVERSE_DATADIR=", "MM_CONF_PATH=" + config}
	n := l.start(t)
	cookie, err := os.ReadFile(filepath.Join(l.dir, "DB", ".cookie")) // the daemon API has no password
	require.NoError(t, err)
	n.client.user, n.client.password, _ = strings.Cut(string(cookie), ":")
	l.seen.hide(map[string]string{"cookie": n.client.password})
	n.raw("getinfo")
	n.stop()
	require.FileExists(t, filepath.Join(l.dir, "DB", "obverse.db"))
	log := n.stderr.text()
	for _, line := range []string{
		"keys of Komodo DeFi Framework that have no effect here: i_am_seed, seednodes",
		"unknown keys, which have no effect: rpc_passwrd (did you mean rpc_password?)",
		`is taken as none`, `msg="read the coins file" file=` + filepath.Join(l.dir, "coins"), `msg="skipped an invalid entry of the coins file"`,
	} {
		require.Equal(t, 1, strings.Count(log, line), "%s\n%s", line, log)
	}
}

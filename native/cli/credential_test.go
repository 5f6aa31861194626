package cli

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/config"
	"obverse/native/settings"
)

// Without a password for the daemon API, there is a cookie while the node runs. The password of the
// node API is never accepted.
func TestCookie(t *testing.T) {
	cmd := newCommand(t)
	cmd.config(t, `{"rpc_password":"`+password+`","passphrase":"`+bobWIF+`","daemon":{"rpcuser":"u"}}`)
	path := filepath.Join(cmd.dir, cookieName)
	require.NoError(t, os.WriteFile(filepath.Join(cmd.dir, "elsewhere"), []byte("kept"), 0o644))
	require.NoError(t, os.Symlink("elsewhere", path))
	var secrets []string
	cmd.run = func(_ context.Context, s *settings.Settings, log *slog.Logger, ready func(node, daemon string) error) error {
		info, err := os.Lstat(path)
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o600), info.Mode())
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Regexp(t, "^__cookie__:[0-9a-f]{64}$", string(text))
		_, secret, _ := strings.Cut(string(text), ":")
		require.Equal(t, settings.Credential{User: "__cookie__", Password: secret}, s.Credential())
		secrets = append(secrets, secret, base64.StdEncoding.EncodeToString(text))
		require.NoError(t, ready("127.0.0.1:1", "127.0.0.1:2"))
		curl, err := os.ReadFile(filepath.Join(cmd.dir, curlName))
		require.NoError(t, err)
		require.Equal(t, "user = \""+string(text)+"\"\n", string(curl))
		log.Info(strings.Join(secrets, " "), "settings", s)
		return errors.New(strings.Join(secrets, " "))
	}
	for range 2 {
		out := cmd.do("serve")
		require.Equal(t, exitFailure, out.code)
		for _, secret := range secrets[max(0, len(secrets)-2):] {
			require.NotContains(t, out.stdout+out.stderr, secret)
		}
		require.NoFileExists(t, path, "removed at the end")
	}
	require.Len(t, secrets, 4)
	require.NotEqual(t, secrets[0], secrets[2], "new at each start")
	target, err := os.ReadFile(filepath.Join(cmd.dir, "elsewhere"))
	require.NoError(t, err)
	require.Equal(t, "kept", string(target), "a link is replaced, and not followed")
	files, err := filepath.Glob(path + "*")
	require.NoError(t, err)
	require.Empty(t, files, "no other file is left")
}

// With a password, there is no cookie, and the cookie of a killed node is removed.
func TestNoCookie(t *testing.T) {
	s := &settings.Settings{DataDir: t.TempDir(), Config: config.Default()}
	s.Config.Daemon.RPCPassword = config.NewSecret(password)
	require.NoError(t, os.WriteFile(filepath.Join(s.DataDir, cookieName), []byte("__cookie__:old"), 0o600))
	require.NoError(t, drawCookie(s, rand.Reader))
	require.NoError(t, writeCookie(s))
	require.NoFileExists(t, filepath.Join(s.DataDir, cookieName))
	require.Equal(t, settings.Credential{User: "obverse", Password: password}, s.Credential())
	require.NoError(t, readCookie(s))
	require.NoError(t, writeCookie(s))
}

func TestCallWithCookie(t *testing.T) {
	b := serveBoth(t)
	cmd := newCommand(t)
	_, port, err := net.SplitHostPort(b.address)
	require.NoError(t, err)
	cmd.config(t, fmt.Sprintf(`{"rpc_password":%q,"daemon":{"rpcport":%s}}`, password, port))
	cmd.hold(t, b)
	b.answer, b.status = `{"result":1,"error":null}`, http.StatusOK
	require.NoError(t, os.WriteFile(filepath.Join(cmd.dir, cookieName), []byte("__cookie__:c00k1e\n"), 0o600))
	out := cmd.do("call", "getinfo")
	require.Zero(t, out.code, out.stderr)
	require.Equal(t, [2]string{"__cookie__", "c00k1e"}, [2]string{b.user, b.password})

	require.NoError(t, os.Remove(filepath.Join(cmd.dir, cookieName)))
	b.status = http.StatusUnauthorized
	out = cmd.do("call", "getinfo")
	require.Contains(t, out.stderr, "no credential for the daemon API: the config has no daemon.rpcpassword")
	require.Empty(t, b.password, "never the one of the node API")

	for _, text := range []string{"", "c00k1e", "user:c00k1e", "__cookie__:"} {
		require.NoError(t, os.WriteFile(filepath.Join(cmd.dir, cookieName), []byte(text), 0o600))
		out = cmd.do("call", "getinfo")
		require.Equal(t, exitFailure, out.code)
		require.Contains(t, out.stderr, "the cookie "+filepath.Join(cmd.dir, cookieName)+" must be __cookie__: and a secret")
		require.NotContains(t, out.stderr, "c00k1e")
	}
}

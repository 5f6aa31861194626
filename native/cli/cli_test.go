package cli

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/config"
	"obverse/core/key"
	"obverse/native/settings"
)

const (
	password = "Ent3r_Un1Qu3-X"
	bobWIF   = "UvCjJf4dKSs2vFGVtCnUTAhR5FTZGdg43DDRa9s7s5DV1sSDX14g"
	bobHex   = "b8c774f071de08c7fd8f62b97f1a5726f6ce9f1bcf141b70b86689254ed6714e"
)

// outcome is the exit code and the output of a command.
type outcome struct {
	code           int
	stdout, stderr string
}

// command runs the program in this process, in a new data folder unless args name one.
type command struct {
	dir   string
	env   map[string]string
	stdin string
	run   runner
}

func newCommand(t *testing.T) *command {
	t.Helper()
	return &command{
		dir: t.TempDir(), env: map[string]string{},
		run: func(context.Context, *settings.Settings, *slog.Logger, func(node, daemon string) error) error {
			return nil
		},
	}
}

func (c *command) do(args ...string) outcome {
	var stdout, stderr strings.Builder
	p := &program{stdin: strings.NewReader(c.stdin), stdout: &stdout, stderr: &stderr, run: c.run, getenv: func(name string) string {
		if name == settings.DataDirEnv {
			return c.dir
		}
		return c.env[name]
	}}
	code := p.main(args)
	return outcome{code, stdout.String(), stderr.String()}
}

// config writes the config file.
func (c *command) config(t *testing.T, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(c.dir, settings.FileName), []byte(text), 0o600))
}

// requireRefused requires the exit code 2 and an error of one line.
func requireRefused(t *testing.T, out outcome) {
	t.Helper()
	require.Equal(t, exitUsage, out.code, out.stderr)
	require.Empty(t, out.stdout)
	require.Equal(t, 1, strings.Count(out.stderr, "\n"), out.stderr)
	require.True(t, strings.HasPrefix(out.stderr, "obverse: "), out.stderr)
}

func TestCommandLineReachesTheConfig(t *testing.T) {
	cmd := newCommand(t)
	var got *settings.Settings
	cmd.run = func(_ context.Context, s *settings.Settings, _ *slog.Logger, _ func(node, daemon string) error) error {
		got = s
		return nil
	}
	other := filepath.Join(t.TempDir(), "data")
	out := cmd.do("serve", "--datadir", other, "gui=a=b", "-ac_name=TOKTEST", "-ac_cc=2", "-regtest", "daemon.rpcport=0",
		"chain.blockinterval=0", "--conf="+conf(t), "-pubkey=")
	require.Zero(t, out.code, out.stderr)
	require.Equal(t, other, got.DataDir)
	require.Equal(t, "a=b", got.Config.GUI)
	require.Equal(t, "TOKTEST", got.Config.Chain.Options.Name)
	require.True(t, got.Config.Chain.Options.Regtest)
	require.Zero(t, got.Config.Daemon.RPCPort)
	require.Zero(t, got.Config.Chain.BlockInterval)
	require.Equal(t, "conf-user", got.Config.Daemon.RPCUser)
	require.Contains(t, out.stderr, "addnode has no effect: one node makes all blocks")
	require.NotContains(t, out.stderr, "txindex", "which is always there")
}

func conf(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "TOKTEST.conf")
	require.NoError(t, os.WriteFile(path, []byte("rpcuser=conf-user\ntxindex=1\naddnode=192.0.2.1\n"), 0o600))
	return path
}

func TestReadyLine(t *testing.T) {
	cmd := newCommand(t)
	cmd.run = func(_ context.Context, _ *settings.Settings, _ *slog.Logger, ready func(node, daemon string) error) error {
		return ready("0.0.0.0:7783", "[::1]:7771")
	}
	out := cmd.do("serve")
	require.Zero(t, out.code, out.stderr)
	var line map[string]any
	require.NoError(t, json.Unmarshal([]byte(out.stdout), &line), "one line of JSON and nothing else")
	require.True(t, strings.HasPrefix(out.stdout, `{"event":"ready","node":"http://127.0.0.1:7783","daemon":"http://[::1]:7771","pid":`), out.stdout)
	require.EqualValues(t, os.Getpid(), line["pid"])
}

func TestNothingTellsTheSecrets(t *testing.T) {
	cmd := newCommand(t)
	cmd.config(t, `{"rpc_password":"`+password+`","passphrase":"`+bobWIF+`","daemon":{"rpcuser":"u","rpcpassword":"d4emon-Pass"}}`)
	hidden := []string{password, bobWIF, bobHex, "d4emon-Pass", "dTpkNGVtb24tUGFzcw=="}
	all := strings.Join(hidden, " ")
	cmd.run = func(_ context.Context, s *settings.Settings, log *slog.Logger, ready func(node, daemon string) error) error {
		log.Info(all, "all", all, "config", s.Config, "settings", s)
		return errors.Join(ready("127.0.0.1:1", "127.0.0.1:2"), errors.New(all))
	}
	out := cmd.do("serve")
	require.Equal(t, exitFailure, out.code)
	for _, h := range hidden {
		require.NotContains(t, out.stdout+out.stderr, h)
	}
	require.Contains(t, out.stderr, "obverse: [secret] [secret]")
}

// The config of an HD wallet has a further secret: the seed of all its keys.
func TestNothingTellsTheMnemonic(t *testing.T) {
	const (
		mnemonic = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"
		seed     = "5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc19a5ac40b389cd370d086206dec8aa6c43daea6690f20ad3d8d48b2d2ce9e38e4"
	)
	c := config.Default()
	c.EnableHD, c.Passphrase, c.RPCPassword = true, config.NewSecret(" "+strings.ReplaceAll(mnemonic, " ", "  ")), config.NewSecret(password)
	forms := secretsOf(&settings.Settings{Config: c})
	require.Subset(t, forms, []string{mnemonic, seed, c.Passphrase.Reveal(), password})
	ring, err := key.Open(mnemonic, true)
	require.NoError(t, err)
	secret := ring.Node().Secret()
	require.Subset(t, forms, []string{ring.Node().WIF(), hex.EncodeToString(secret[:])})

	cmd := newCommand(t)
	cmd.config(t, `{"rpc_password":"`+password+`","enable_hd":true,"passphrase":"`+mnemonic+`"}`)
	cmd.run = func(_ context.Context, _ *settings.Settings, log *slog.Logger, _ func(node, daemon string) error) error {
		log.Info("words "+mnemonic, "seed", seed)
		return errors.New(mnemonic)
	}
	out := cmd.do("serve")
	require.Contains(t, out.stderr, `msg="words [secret]" seed=[secret]`)
	require.Contains(t, out.stderr, "obverse: [secret]\n")
}

// The password of the node is valid with any user.
func TestCredentialsAreHidden(t *testing.T) {
	forms := inBase64(password)
	for _, user := range []string{"", "u", "us", "use", "a longer user", "é"} {
		basic := base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
		require.True(t, slices.ContainsFunc(forms, func(f string) bool { return strings.Contains(basic, f) }), user)
	}
	other := base64.StdEncoding.EncodeToString([]byte("u:another-Passw0rd"))
	for _, f := range forms {
		require.Greater(t, len(f), len(password))
		require.NotContains(t, other, f)
	}
	for _, short := range []string{"", "a", "ab"} {
		require.Len(t, inBase64(short), 3)
	}
}

func TestInit(t *testing.T) {
	cmd := newCommand(t)
	path := filepath.Join(cmd.dir, settings.FileName)
	out := cmd.do("init")
	require.Equal(t, outcome{0, path + "\n", ""}, out)
	before, err := os.ReadFile(path)
	require.NoError(t, err)

	out = cmd.do("init")
	require.Equal(t, exitFailure, out.code)
	require.Contains(t, out.stderr, path+" already exists and was not changed")
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.Zero(t, cmd.do("serve").code, "what init wrote is a good config")

	named := filepath.Join(t.TempDir(), "mine.json")
	require.Equal(t, outcome{0, named + "\n", ""}, cmd.do("init", "--config", named))
}

package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/config"
	"obverse/native/settings"
)

// Each key is printed with its value and its origin; secrets are printed without a value.
func TestConfigIsPrinted(t *testing.T) {
	cmd := newCommand(t)
	cmd.config(t, `{"rpc_password":"`+password+`","passphrase":"`+bobWIF+`","rpcport":8001,"gui":"mine","daemon":{"rpcuser":"u","rpcport":8002},"nft":{"private_hosts":["a","b"]}}`)
	file := filepath.Join(cmd.dir, settings.FileName)
	cmd.env["OBVERSE_DAEMON_RPCPASSWORD"] = "d4emon-Pass"
	secret := filepath.Join(cmd.dir, "passphrase")
	require.NoError(t, os.WriteFile(secret, []byte("another phrase\n"), 0o600))
	cmd.env["OBVERSE_PASSPHRASE_FILE"] = secret
	conf := conf(t)
	for _, flag := range [][]string{nil, {"--show"}} {
		out := cmd.do(append(append([]string{"config"}, flag...), "--conf", conf, "gui=x y", "-ac_name=TOKTEST", "-ac_cc=2")...)
		require.Zero(t, out.code, out.stderr)
		for key, want := range map[string]string{
			"rpc_password": `\(hidden\)  +` + regexp.QuoteMeta(file), "passphrase": `\(hidden\)  +OBVERSE_PASSPHRASE_FILE`,
			"daemon.rpcpassword": `\(hidden\)  +OBVERSE_DAEMON_RPCPASSWORD`, "rpcport": `8001  +` + regexp.QuoteMeta(file),
			"daemon.rpcport": `8002  +` + regexp.QuoteMeta(file), "daemon.rpcuser": `"conf-user"  +` + regexp.QuoteMeta(conf),
			"gui": `"x y"  +command line`, "netid": `8762  +default`, "chain.ac_name": `"TOKTEST"  +command line`,
			"nft.private_hosts": `\["a","b"\]  +` + regexp.QuoteMeta(file), "nft.ipfs_gateways": `\(not set\)  +default`,
		} {
			require.Regexp(t, `(?m)^`+regexp.QuoteMeta(key)+` +`+want+`$`, out.stdout)
		}
		require.Contains(t, out.stdout, "config file: "+file+"\ndata folder: "+cmd.dir+"\n")
		require.Contains(t, out.stderr, "warning: "+conf+": addnode has no effect: one node")
		for _, hidden := range []string{password, bobWIF, "d4emon-Pass", "another phrase"} {
			require.NotContains(t, out.stdout+out.stderr, hidden)
		}
	}
}

// Without a config, the defaults are printed, and no config is written.
func TestConfigBeforeTheFirstStart(t *testing.T) {
	cmd := newCommand(t)
	out := cmd.do("config")
	require.Zero(t, out.code, "a start makes the secrets that are missing")
	require.Contains(t, out.stdout, "config file: none yet: `obverse init` writes one")
	require.Regexp(t, `(?m)^rpc_password +\(not set\) +default$`, out.stdout)
	for _, key := range config.Keys() {
		if regexp.MustCompile(`^chain\.(ac_|regtest)`).MatchString(key.Name) {
			continue // the chain options with a value
		}
		require.Contains(t, out.stdout, "\n"+key.Name+" ")
	}
	require.Equal(t, exitUsage, cmd.do("config", "rpcport=80").code)
	require.NoFileExists(t, filepath.Join(cmd.dir, settings.FileName))
	requireRefused(t, cmd.do("config", "--config", filepath.Join(cmd.dir, "none.json")))

	conf := filepath.Join(cmd.dir, "X.conf")
	require.NoError(t, os.WriteFile(conf, []byte("rpcport=28771\n"), 0o600))
	out = cmd.do("config", "--conf", conf)
	require.Zero(t, out.code, out.stderr)
	require.Contains(t, out.stdout, "config file: none yet")
	require.Regexp(t, `(?m)^daemon.rpcport +28771 `, out.stdout)
	requireRefused(t, cmd.do("config", "--conf", conf, "--config", filepath.Join(cmd.dir, "none.json")))
}

// Errors that prevent a start are printed here too, with the same exit code.
func TestConfigThatIsRefused(t *testing.T) {
	cmd := newCommand(t)
	cmd.config(t, `{"rpc_password":"`+password+`","rpcport":80}`)
	out := cmd.do("config")
	require.Equal(t, exitUsage, out.code)
	require.Regexp(t, `(?m)^rpcport +80 `, out.stdout)
	require.Contains(t, out.stderr, "a start with these settings is refused: rpcport must be")
	cmd.config(t, `{"rpc_password":`)
	requireRefused(t, cmd.do("config"))
}

// Every key can be set on the command line, regardless of the length of its name.
func TestEveryKeyOnTheCommandLine(t *testing.T) {
	cmd := newCommand(t)
	for _, key := range config.Keys() {
		out := cmd.do("config", key.Name+"="+key.Default)
		require.NotContains(t, out.stderr, "settings are given as key=value", key.Name)
	}
	out := cmd.do("config", "event_streaming_configuration.access_control_allow_origin=https://wallet.example")
	require.Zero(t, out.code, out.stderr)
	require.Regexp(t, `(?m)^event_streaming_configuration\.access_control_allow_origin +"https://wallet\.example" +command line$`, out.stdout)
}

package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/config"
)

// Every command has a help of its own, by both ways to ask for it, and the list names it.
func TestHelpOfEveryCommand(t *testing.T) {
	all := newCommand(t).do("--help").stdout
	for _, v := range verbs() {
		require.True(t, strings.HasPrefix(v.help, "obverse "+v.name), v.name)
		require.Contains(t, all, "\n  obverse "+v.name, v.name)
		want := outcome{0, v.help, ""}
		for _, flag := range []string{"--help", "-help", "-h"} {
			require.Equal(t, want, newCommand(t).do(v.name, flag), "%s %s", v.name, flag)
		}
		out := newCommand(t).do("help", v.name)
		require.Zero(t, out.code)
		require.True(t, strings.HasPrefix(out.stdout, v.help), v.name)
	}
	require.Contains(t, all, "obverse help COMMAND|METHOD|KEY")
	for _, args := range [][]string{{"help"}, {"help", "--help"}} {
		require.Equal(t, outcome{0, all, ""}, newCommand(t).do(args...), args)
	}
}

// Methods are explained without a node and without a config.
func TestHelpOfMethods(t *testing.T) {
	for _, i := range interfaces() {
		for _, m := range i.table.Methods() {
			out := newCommand(t).do("help", m.Name)
			require.Zero(t, out.code, m.Name)
			require.Contains(t, out.stdout, "The "+i.name+": "+m.Usage()+"\n", m.Name)
			require.Contains(t, out.stdout, m.Doc.Summary, m.Name)
		}
	}
	both := newCommand(t).do("help", "stop").stdout
	require.Contains(t, both, "The daemon API: stop")
	require.Contains(t, both, "The node API: stop")
	require.Contains(t, newCommand(t).do("help", "tokentransfer").stdout, "amount (", "arguments too, where komodod is terse")
	for name, says := range map[string]string{
		"getinf": "did you mean getinfo?", "my_balanc": "did you mean my_balance?", "serv": "did you mean serve?", "L3aked-value": "`obverse call help`",
	} {
		out := newCommand(t).do("help", name)
		require.Equal(t, exitFailure, out.code)
		require.Empty(t, out.stdout)
		require.Contains(t, out.stderr, says)
		require.NotContains(t, out.stderr, "L3aked")
	}
}

// Settings are explained too, and none shows what it is set to.
func TestHelpOfKeys(t *testing.T) {
	for _, key := range config.Keys() {
		out := newCommand(t).do("help", key.Name)
		require.Zero(t, out.code, key.Name)
		require.Contains(t, out.stdout, "Setting "+key.Name+": ")
		require.Contains(t, out.stdout, key.Doc)
	}
	require.Equal(t, "Setting daemon.rpcport: port of the daemon API\nIt is 0 (any free port) or a port from 1024 to 65535; without it: 7771\n",
		newCommand(t).do("help", "daemon.rpcport").stdout)
	cc := newCommand(t).do("help", "chain.ac_cc").stdout
	require.Equal(t, "Setting chain.ac_cc: 0: no crypto-conditions, hence no tokens; any other number enables them\n"+
		"It is komodod's -ac_cc, a whole number from 0 to 65535; without it: 2, or 0 with chain.ac_name\n", cc)
	require.Equal(t, cc, newCommand(t).do("help", "ac_cc").stdout)
	require.Contains(t, newCommand(t).do("help", "ac_staked").stdout, "; without it: 0\n")
	require.Equal(t, cc, newCommand(t).do("help", "-ac_cc").stdout)
	require.Contains(t, newCommand(t).do("help", "rpcuser").stdout, "Setting daemon.rpcuser: ")
	require.Contains(t, newCommand(t).do("help", "rpcprt").stderr, "did you mean rpcport?")
	require.Contains(t, newCommand(t).do("help", "sendmany").stderr, "this method of komodod is not available: sendtoaddress pays one address")
	require.Contains(t, newCommand(t).do("serve", "--help").stdout, "each also with _FILE for the path of a file that holds the secret:\n  OBVERSE_RPC_PASSWORD\n  OBVERSE_PASSPHRASE\n  OBVERSE_WALLET_PASSWORD\n  OBVERSE_DAEMON_RPCPASSWORD\n")
}

// A running node lists the methods of both interfaces.
func TestCallHelp(t *testing.T) {
	dir := t.TempDir()
	start(t, dir)
	out, err := obverse(dir, "call", "help").Output()
	require.NoError(t, err)
	for _, i := range interfaces() {
		require.Contains(t, string(out), "The "+i.name+":\n")
		for _, m := range i.table.Methods() {
			require.Contains(t, string(out), "\n"+m.Usage()+"\n", m.Name)
		}
	}
	require.NoError(t, obverse(dir, "call", "generate", "2").Run())
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"help", "nosuchmethod"}, "error -32601: unknown method"},
		{[]string{"help", "no_such_method"}, "error NoSuchMethod: "},
		{[]string{"getinfo", "1"}, "error -1: getinfo takes no parameters\n"},
		{[]string{"tokentransfer"}, "error -1: wrong number of parameters\nusage: tokentransfer tokenid destpubkey amount\n"},
		{[]string{"my_balance", `{"coin":"ATOM"}`}, "error NoSuchCoin: "},
		{[]string{"tokentransfer", strings.Repeat("ab", 32), "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798", "5"},
			"error: no token inputs (no transaction of this chain has this id; tokenlist lists the tokens)\n"},
		{[]string{"getbalanc"}, "(did you mean getbalance of the daemon API?)"},
		{[]string{"getpublickey"}, "the node API has get_public_key"},
		{[]string{"--node", "getinfo"}, "the daemon API has getinfo"},
	} {
		command := obverse(dir, append([]string{"call"}, c.args...)...)
		var stderr strings.Builder
		command.Stderr = &stderr
		out, err := command.Output()
		require.Error(t, err)
		require.Equal(t, exitFailure, command.ProcessState.ExitCode(), c.args)
		require.Empty(t, out)
		require.Contains(t, stderr.String(), c.says)
	}
}

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/config"
)

// completionTests are command lines up to the cursor, and some of the words that can follow.
var completionTests = []struct {
	line      string
	has, lack []string
}{
	{"obverse ", []string{"serve", "call", "config", "completion", "help"}, []string{"getinfo"}},
	{"obverse ca", []string{"call"}, []string{"config", "serve"}},
	{"obverse call get", []string{"getinfo", "get_public_key", "getblock"}, []string{"tokenlist", "serve"}},
	{"obverse call --d", []string{"--daemon", "--datadir"}, []string{"getinfo"}},
	{"obverse call --node my_b", []string{"my_balance"}, []string{"getinfo"}},
	{"obverse call --datadir /tmp tokenl", []string{"tokenlist"}, []string{"getinfo"}},
	{"obverse call daemon.rpcp", []string{"daemon.rpcport="}, []string{"daemon.rpcpassword="}},
	{"obverse call help tokent", []string{"tokentransfer"}, []string{"tokenlist"}},
	{"obverse call getinfo g", nil, []string{"getinfo", "getblock"}},
	{"obverse help tokenc", []string{"tokencreate"}, []string{"tokenlist"}},
	{"obverse serve log_", []string{"log_level="}, []string{"getinfo"}},
	{"obverse serve -ac_n", []string{"-ac_name="}, []string{"getinfo"}},
	{"obverse config --h", []string{"--help"}, nil},
	{"obverse completion ", []string{"bash", "zsh", "fish"}, []string{"getinfo"}},
	{"obverse init --k", []string{"--komodo-conf"}, []string{"--daemon"}},
	{"obverse rpcport=1 daemon.rpcu", []string{"daemon.rpcuser="}, []string{"getinfo"}},
	{"obverse version --", []string{"--help"}, []string{"--node"}},
	{"obverse token ", []string{"list", "airdrop", "history"}, []string{"getinfo", "--coins"}},
	{"obverse token airdrop --", []string{"--coins", "--report", "--yes", "--datadir"}, []string{"--csv"}},
	{"obverse token --datadir /tmp holders --", []string{"--csv", "--json"}, []string{"--coins"}},
	{"obverse init -", []string{"--datadir", "--config"}, []string{"--daemon"}},
}

// Methods of the node API have :: in their names. bash completes the text after the last colon,
// because it treats that as a separate word.
var colons = []struct {
	line      string
	has, lack []string
}{{"obverse call lightning::nodes::con", []string{"lightning::nodes::connect_to_node"}, []string{"getinfo"}}}

const (
	// inBash completes the line in $1 as bash does.
	inBash = `eval "$("$0" completion bash)"; COMP_LINE=$1; COMP_POINT=${#COMP_LINE}
_obverse; for word in "${COMPREPLY[@]}"; do echo "$word"; done`
	// inZsh calls the function with a replacement for zsh's compadd.
	inZsh = `compdef() { }; compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -rl -- $@ }
eval "$("$0" completion zsh)"; words=(${(z)1}); [[ $1 = *" " ]] && words+=(""); CURRENT=$#words
_obverse | while read -r word; do [[ $word = ${words[CURRENT]}* ]] && print -r -- $word; done; true`
	inFish = `$program completion fish | source; complete -C $line | cut -f 1`
)

// bash is always tested; zsh and fish are tested if they are installed.
func TestCompletion(t *testing.T) {
	for shell, script := range map[string]string{"bash": inBash, "zsh": inZsh, "fish": inFish} {
		program, err := exec.LookPath(shell)
		if err != nil && shell != "bash" {
			t.Logf("%s is not installed: its completion was not tried", shell)
			continue
		}
		require.NoError(t, err)
		t.Run(shell, func(t *testing.T) {
			cases := append(slices.Clone(completionTests), colons...)
			if shell == "bash" {
				cases[len(cases)-1].has = []string{"connect_to_node"}
			}
			for _, c := range cases {
				words := complete(t, program, script, c.line)
				require.Subset(t, words, append([]string{}, c.has...), c.line)
				for _, word := range c.lack {
					require.NotContains(t, words, word, c.line)
				}
			}
		})
	}
}

// complete returns the words that a shell offers at the end of a line.
func complete(t *testing.T, shell, script, line string) []string {
	t.Helper()
	args := []string{"--norc", "-c", script, os.Args[0], line}
	switch filepath.Base(shell) {
	case "zsh":
		args[0] = "-f"
	case "fish":
		args = []string{"--no-config", "-c", "set program " + os.Args[0] + "; set line '" + line + "'; " + script}
	}
	command := exec.Command(shell, args...)
	command.Env = append(obverse(t.TempDir()).Env, "HOME="+t.TempDir())
	var stderr strings.Builder
	command.Stderr = &stderr
	out, err := command.Output()
	require.NoError(t, err, "%s: %s", line, stderr.String())
	require.Empty(t, stderr.String(), line)
	return strings.Fields(string(out))
}

// Names of files may contain spaces.
func TestCompletionOfFiles(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "my config.json"), nil, 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "my data"), 0o700))
	for option, want := range map[string][]string{"--config": {"my config.json", "my data"}, "--datadir": {"my data"}} {
		command := exec.Command("bash", "--norc", "-c", inBash, os.Args[0], "obverse serve "+option+" my")
		command.Env, command.Dir = obverse(dir).Env, dir
		out, err := command.Output()
		require.NoError(t, err)
		require.ElementsMatch(t, want, strings.Split(strings.TrimSpace(string(out)), "\n"), option)
	}
}

// The scripts must contain every command, method and key, and no secret.
func TestCompletionKnowsAll(t *testing.T) {
	for _, shell := range shells() {
		out := newCommand(t).do("completion", shell)
		require.Zero(t, out.code)
		require.NotRegexp(t, "@[A-Z]+@", out.stdout, "nothing is left to fill in")
		words := strings.FieldsFunc(out.stdout, func(r rune) bool { return strings.ContainsRune(" \n'\"()", r) })
		require.Subset(t, words, verbNames(), shell)
		for _, i := range interfaces() {
			require.Subset(t, words, i.names(), shell)
		}
		for _, key := range config.Keys() {
			require.Equal(t, !key.Secret, slices.Contains(words, key.Name+"="), "%s in %s", key.Name, shell)
		}
	}
}

// Every command must have help, requested in either way, and a line in the list of commands.
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

// Methods are described without a node and without a config.
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

// Settings are described too, without their values.
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
	require.Contains(t, newCommand(t).do("help", "getdifficulty").stderr, "this method of komodod is not available: getinfo shows the difficulty")
	require.Contains(t, newCommand(t).do("serve", "--help").stdout, "These are the variables; each also exists with _FILE at its end, for the path\nof a file with the secret:\n  OBVERSE_RPC_PASSWORD\n  OBVERSE_PASSPHRASE\n  OBVERSE_WALLET_PASSWORD\n  OBVERSE_DAEMON_RPCPASSWORD\n")
}

// A running node lists the methods of both APIs.
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

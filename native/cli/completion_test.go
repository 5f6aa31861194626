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
	{"obverse init -", []string{"--datadir", "--config"}, []string{"--daemon"}},
}

// Methods of the node API have :: in their names. bash completes what is behind the last
// colon, since it takes that for a word of its own.
var colons = []struct {
	line      string
	has, lack []string
}{{"obverse call lightning::nodes::con", []string{"lightning::nodes::connect_to_node"}, []string{"getinfo"}}}

const (
	// inBash does what bash does with the line in $1.
	inBash = `eval "$("$0" completion bash)"; COMP_LINE=$1; COMP_POINT=${#COMP_LINE}
_obverse; for word in "${COMPREPLY[@]}"; do echo "$word"; done`
	// inZsh asks the function with compadd in the place of zsh's own.
	inZsh = `compdef() { }; compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -rl -- $@ }
eval "$("$0" completion zsh)"; words=(${(z)1}); [[ $1 = *" " ]] && words+=(""); CURRENT=$#words
_obverse | while read -r word; do [[ $word = ${words[CURRENT]}* ]] && print -r -- $word; done; true`
	inFish = `$program completion fish | source; complete -C $line | cut -f 1`
)

// bash is always tried; zsh and fish where they are installed.
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

// complete gives the words that a shell offers behind a line.
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

// Names of files may have spaces.
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

// The scripts have every command, method and key, and no secret.
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

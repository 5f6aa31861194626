package e2e

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReadmeTour types the token tour of the README and the first calls of the node
// interface into a shell, with a home folder of its own and free ports.
func TestReadmeTour(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	_, text1, found := strings.Cut(string(text), "\n## A tour\n")
	require.True(t, found)
	tokens, rest, found := strings.Cut(text1, "\n### The node interface\n")
	require.True(t, found)
	node, _, found := strings.Cut(rest, "**Events**")
	require.True(t, found)

	home := t.TempDir()
	l := newLaunch(t)
	l.dir, l.env = filepath.Join(home, ".obverse"), []string{"HOME=" + home}
	n := l.start(t, "daemon.rpcuser=obverse")
	phrase, nodePass, user, daemonPass := configSecrets(t, l.dir)
	l.seen.hide(formsOf(t, phrase, false, nodePass, user, daemonPass))
	shell := tourShell{t, home, ""}
	blocks := shellBlocks(tokens)
	killed := len(blocks) - 1
	require.Contains(t, blocks[killed], "kill -9")
	shell.types(n, blocks[:killed]...)
	for _, part := range []string{`{"result":1,"error":null,"id":null}`, `"name":"MYTOKEN","supply":"0.00010000"`, `"balance":10000}`, `"balance":2500}`} {
		require.Contains(t, shell.said, part)
	}
	shell.types(n, blocks[killed])
	<-n.ended

	n = l.start(t, "daemon.rpcuser=obverse")
	defer n.stop()
	shell.said = ""
	shell.types(n, append(append([]string{}, blocks[0]), shellBlocks(node)...)...)
	require.Contains(t, shell.said, `"public_key": "`)
	require.Contains(t, shell.said, `"12D3Koo`)
}

// shellBlocks are the commands of a part of the README.
func shellBlocks(text string) (blocks []string) {
	for _, b := range regexp.MustCompile("(?s)```sh\n(.*?)```\n").FindAllStringSubmatch(text, -1) {
		blocks = append(blocks, b[1])
	}
	return blocks
}

// tourShell types blocks; what they print is in said.
type tourShell struct {
	t    *testing.T
	home string
	said string
}

func (s *tourShell) types(n *node, blocks ...string) {
	s.t.Helper()
	port := func(url string) string {
		_, port, err := net.SplitHostPort(strings.TrimPrefix(url, "http://"))
		require.NoError(s.t, err)
		return port
	}
	text := strings.NewReplacer("bin/obverse", binary, ":7771", ":"+port(n.ready.Daemon), ":7783", ":"+port(n.ready.Node)).Replace(strings.Join(blocks, "\n"))
	shell := exec.Command("bash", "--norc", "-c", "set -eo pipefail\n"+text)
	shell.Env, shell.Dir = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.home}, s.home
	out, err := shell.CombinedOutput()
	require.NoError(s.t, err, "%s\n%s", text, out)
	s.said += string(out)
}

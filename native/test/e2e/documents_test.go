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

// document reads a page of the documentation.
func document(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{"..", "..", ".."}, path...)...))
	require.NoError(t, err)
	return string(text)
}

// TestTokenTour runs the commands of the tour in a shell, with a separate home folder and free
// ports.
func TestTokenTour(t *testing.T) {
	t.Parallel()
	tokens, node, found := strings.Cut(document(t, "native", "docs", "tour.md"), "\n## The node API\n")
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
	ids := regexp.MustCompile(`\{"result":"([0-9a-f]{64})"`).FindAllStringSubmatch(shell.said, -1)
	require.Len(t, ids, 2, "the transfer and the non-fungible token")
	require.Contains(t, shell.said, `{"result":["`+ids[0][1]+`"],"error":null`, "the history of the receiver")
	shell.types(n, blocks[killed])
	<-n.ended

	n = l.start(t, "daemon.rpcuser=obverse")
	defer n.stop()
	shell.said = ""
	shell.types(n, append(append([]string{}, blocks[0]), shellBlocks(node)...)...)
	require.Contains(t, shell.said, `"public_key": "`)
	require.Contains(t, shell.said, `"12D3Koo`)
}

// TestFirstCommands runs the other commands of the README and the page about events, which need
// only a node.
func TestFirstCommands(t *testing.T) {
	t.Parallel()
	readme, events := document(t, "README.md"), document(t, "native", "docs", "events.md")
	_, first, found := strings.Cut(readme, "\n## First commands\n")
	require.True(t, found)
	streams := shellBlocks(events)
	require.Len(t, streams, 5)
	require.Contains(t, streams[1], "curl -N")

	home := t.TempDir()
	l := newLaunch(t)
	l.dir, l.env = filepath.Join(home, ".obverse"), []string{"HOME=" + home}
	n := l.start(t, "daemon.rpcuser=obverse")
	phrase, nodePass, user, daemonPass := configSecrets(t, l.dir)
	l.seen.hide(formsOf(t, phrase, false, nodePass, user, daemonPass))
	shell := tourShell{t, home, ""}
	shell.types(n, shellBlocks(first)...)
	require.Regexp(t, `(?m)^\[\n  "[0-9a-f]{64}"\n\]$`, shell.said, "the first token is listed")
	for _, part := range []string{`"blocks": 1`, `"isvalid": true`, `"public_key": "`, `"12D3Koo`} {
		require.Contains(t, shell.said, part)
	}
	listen := "{ " + strings.Replace(strings.TrimSpace(streams[1]), "curl -N", "curl -sN --max-time 4", 1) + " || true; } & sleep 1"
	shell.types(n, streams[0], listen, streams[2], "wait", streams[3], streams[0]+"b remove_node_from_version_stat '{\"name\":\"seed1\"}'", streams[4])
	require.Contains(t, shell.said, `data: {"_type":"HEARTBEAT","message":{}}`)
}

// shellBlocks returns the commands of a page.
func shellBlocks(text string) (blocks []string) {
	for _, b := range regexp.MustCompile("(?s)```sh\n(.*?)```\n").FindAllStringSubmatch(text, -1) {
		blocks = append(blocks, b[1])
	}
	return blocks
}

// tourShell is a shell that runs blocks of commands; said contains their output.
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

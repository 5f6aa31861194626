package e2e

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMigrate hands a solo chain over to validators, back, and over again. The history must stay,
// and each time only nodes with the chain may continue it.
func TestMigrate(t *testing.T) {
	l := newLaunch(t)
	v := &validators{t: t, launches: []launch{l}, nodes: []*node{l.start(t)}}
	var sent []string
	pay := func() {
		t.Helper()
		n, id := v.nodes[0], ""
		height := n.height()
		n.call(&id, "sendtoaddress", n.address(), 1)
		sent = append(sent, id)
		v.reach(height+1, 0)
		n.requireStored(sent)
	}
	migrate := func(options ...string) string {
		t.Helper()
		code, _ := v.nodes[0].stop()
		require.Zero(t, code)
		out := l.run(t, l.command(append([]string{"validator", "migrate"}, options...)...))
		require.Zero(t, out.code, out.stderr)
		return out.stdout
	}
	start := func(verb string) {
		t.Helper()
		v.launches[0].verb = verb
		v.launches[0].args = []string{fmt.Sprintf("validator.listen=127.0.0.1:%d", freePorts(t, 1))}
		v.start(0)
	}
	pay()
	first := v.nodes[0].raw("getblockhash", 1)
	for range 2 {
		require.Contains(t, migrate(), "handed over after block")
		start("validator")
		pay()
		pay()
		code, _ := v.nodes[0].stop()
		require.Zero(t, code)
		out := l.run(t, l.serve())
		require.NotZero(t, out.code)
		require.Contains(t, out.stderr, "several validators make its blocks")
		start("validator")
		require.Contains(t, migrate("--back"), "taken back")
		start("serve")
		pay()
		require.Equal(t, first, v.nodes[0].raw("getblockhash", 1))
	}
	// A block that the node makes alone in between requires another genesis.
	migrate()
	start("serve")
	pay()
	require.Contains(t, migrate("--back"), "renamed ")
	require.Contains(t, l.run(t, l.command("validator", "migrate")).stdout, "handed over after block")
	out := l.run(t, l.command("validator", "migrate"))
	require.Contains(t, out.stderr, "migrate --back")
	start("validator")
	pay()
	migrate("--back")
	out = l.run(t, l.command("validator", "migrate", "--back"))
	require.NotZero(t, out.code)
	require.Contains(t, out.stderr, "made by one node already")
}

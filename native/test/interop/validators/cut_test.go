// Package validators_test tests validators in network namespaces of Linux, where links can be cut.
// It needs root.
package validators_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	count  = 4
	soon   = 2 * time.Minute
	bridge = "obversebr"
)

func link(i int) string      { return fmt.Sprintf("obverse%d", i) }
func namespace(i int) string { return fmt.Sprintf("obverse-node%d", i) }
func address(i int) string   { return fmt.Sprintf("10.213.77.%d", i+1) }

func run(t *testing.T, words ...string) string {
	t.Helper()
	out, err := exec.Command(words[0], words[1:]...).CombinedOutput()
	require.NoError(t, err, "%v: %s", words, out)
	return string(out)
}

func ip(t *testing.T, words string) {
	t.Helper()
	run(t, append([]string{"ip"}, strings.Fields(words)...)...)
}

// network creates a namespace for each node, all of them connected to one bridge.
func network(t *testing.T) {
	require.Zero(t, os.Geteuid(), "network namespaces need root")
	remove := func() {
		for i := range count {
			_ = exec.Command("ip", "link", "del", link(i)).Run()
			_ = exec.Command("ip", "netns", "del", namespace(i)).Run()
		}
		_ = exec.Command("ip", "link", "del", bridge).Run()
	}
	remove() // of a run that was killed
	t.Cleanup(remove)
	ip(t, "link add "+bridge+" type bridge")
	ip(t, "link set "+bridge+" up")
	for i := range count {
		ip(t, "netns add "+namespace(i))
		ip(t, "link add "+link(i)+" type veth peer name eth0 netns "+namespace(i))
		ip(t, "link set "+link(i)+" master "+bridge+" up")
		inside := "netns exec " + namespace(i) + " ip "
		ip(t, inside+"addr add "+address(i)+"/24 dev eth0")
		ip(t, inside+"link set eth0 up")
		ip(t, inside+"link set lo up")
	}
}

// nodes are the processes of the validators.
type nodes struct {
	t       *testing.T
	program string
	dir     string
	peers   string // value of the setting
}

// newNodes builds the program and writes the folders of the nodes.
func newNodes(t *testing.T) *nodes {
	n := &nodes{t: t, dir: filepath.Join(t.TempDir(), "net")}
	n.program = filepath.Join(t.TempDir(), "obverse")
	run(t, "go", "build", "-buildvcs=false", "-o", n.program, "obverse/native")
	t.Setenv("OBVERSE_PASSPHRASE", "seldom wooden harbour lends nine lanterns to a fox") // all nodes have the same key, so that each can pay
	run(t, n.program, "testnet", "--output", n.dir)
	n.ids(t)
	return n
}

func (n *nodes) folder(i int) string { return filepath.Join(n.dir, fmt.Sprintf("node%d", i)) }

// start starts a node in its namespace.
func (n *nodes) start(i int) {
	n.t.Helper()
	cmd := exec.Command("ip", "netns", "exec", namespace(i), n.program, "validator", "--datadir", n.folder(i),
		"validator.listen="+address(i)+":26656", "validator.peers="+n.peers, "log_level=warn")
	out, err := cmd.StdoutPipe()
	require.NoError(n.t, err)
	require.NoError(n.t, cmd.Start())
	n.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line := make([]byte, 4096)
	_, err = out.Read(line) // the ready line
	require.NoError(n.t, err)
}

// call calls a node.
func (n *nodes) call(i int, words ...string) string {
	n.t.Helper()
	return strings.TrimSpace(run(n.t, n.asking(i, words...)...))
}

func (n *nodes) asking(i int, words ...string) []string {
	return append([]string{"ip", "netns", "exec", namespace(i), n.program, "call", "--datadir", n.folder(i)}, words...)
}

// confirmed reports whether a node has a transaction in a block. The node may not know the
// transaction.
func (n *nodes) confirmed(i int, id string) bool {
	words := n.asking(i, "getrawtransaction", id, "1")
	out, err := exec.Command(words[0], words[1:]...).Output()
	return err == nil && strings.Contains(string(out), "blockhash")
}

// pay sends coins to the node's own address and returns the transaction.
func (n *nodes) pay(i int, coins string) string {
	n.t.Helper()
	var answer struct {
		Address string `json:"myaddress"`
	}
	require.NoError(n.t, json.Unmarshal([]byte(n.call(i, "tokenaddress")), &answer))
	return strings.Trim(n.call(i, "sendtoaddress", answer.Address, coins), `"`)
}

func (n *nodes) reach(height string, among ...int) {
	n.t.Helper()
	for _, i := range among {
		require.Eventually(n.t, func() bool { return n.call(i, "getblockcount") == height }, soon, 100*time.Millisecond, "block %s at node %d", height, i)
	}
}

// ids returns the nodes' ids, which it finds by their ports in the peers of the other nodes.
func (n *nodes) ids(t *testing.T) {
	ids := map[string]string{}
	for i := range count {
		content, err := os.ReadFile(filepath.Join(n.folder(i), "obverse.json"))
		require.NoError(t, err)
		var config struct{ Validator struct{ Peers []string } }
		require.NoError(t, json.Unmarshal(content, &config))
		for _, peer := range config.Validator.Peers {
			id, at, _ := strings.Cut(peer, "@")
			ids[at] = id
		}
	}
	var peers []string
	for i := range count {
		peers = append(peers, ids[fmt.Sprintf("127.0.0.1:%d", 26656+10*i)]+"@"+address(i)+":26656")
	}
	text, err := json.Marshal(peers)
	require.NoError(t, err)
	n.peers = string(text)
}

// TestCutOff cuts the links of one of four validators, then of two, and connects them again. One
// validator alone must not make blocks, three must. If two and two are separated, neither side must
// make blocks. Together, all must agree.
func TestCutOff(t *testing.T) {
	network(t)
	n := newNodes(t)
	for i := range count {
		n.start(i)
	}
	n.pay(0, "1")
	n.reach("2", 0, 1, 2, 3)

	ip(t, "link set "+link(3)+" down")
	first := n.pay(0, "1")
	n.reach("3", 0, 1, 2)
	lost := n.pay(3, "2") // spends a coin that is already spent on the other nodes' chain
	require.Equal(t, "2", n.call(3, "getblockcount"))
	ip(t, "link set "+link(3)+" up")
	n.reach("3", 3)
	n.call(3, "getrawtransaction", first, "1")
	require.NotContains(t, n.call(3, "getrawmempool"), lost)

	for _, i := range []int{2, 3} {
		ip(t, "link set "+link(i)+" down")
	}
	before := n.call(0, "getblockcount")
	waiting := n.pay(0, "1")
	require.Never(t, func() bool { return n.call(0, "getblockcount") != before }, 5*time.Second, 200*time.Millisecond, "two of four are not enough")
	for _, i := range []int{2, 3} {
		ip(t, "link set "+link(i)+" up")
	}
	for i := range count {
		require.Eventually(t, func() bool { return n.confirmed(i, waiting) }, soon, 200*time.Millisecond, "node %d", i)
	}
	for i := range count {
		require.Eventually(t, func() bool { return n.call(i, "getbestblockhash") == n.call(0, "getbestblockhash") }, soon, 200*time.Millisecond)
	}
}

package e2e

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// validators are nodes that make blocks together, each in a process.
type validators struct {
	t        testing.TB
	launches []launch
	nodes    []*node
}

// newValidators writes the folders of a network and starts all nodes. All have the same key, so
// that each can spend the same coins.
func newValidators(t testing.TB, count int) *validators {
	t.Helper()
	v := &validators{t: t, nodes: make([]*node, count)}
	l := newLaunch(t)
	out := l.run(t, l.command("testnet", "--validators", fmt.Sprint(count), "--output", filepath.Join(l.dir, "net"), "--port", fmt.Sprint(freePorts(t, count))))
	require.Zero(t, out.code, out.stderr)
	for i := range count {
		one := l
		one.verb, one.dir = "validator", filepath.Join(l.dir, "net", fmt.Sprintf("node%d", i))
		v.launches = append(v.launches, one)
	}
	for i := range count {
		v.start(i)
	}
	return v
}

// freePorts returns free ports for the nodes of a network. The ports of consecutive nodes differ by
// 10.
func freePorts(t testing.TB, count int) int {
	t.Helper()
	for range 100 {
		base, free := 20000+rand.IntN(10000), true
		for i := range count {
			for _, port := range []int{base + 10*i, base + 10*i + 1} {
				l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
				if free = free && err == nil; err == nil {
					require.NoError(t, l.Close())
				}
			}
		}
		if free {
			return base
		}
	}
	require.FailNow(t, "no free ports")
	return 0
}

func (v *validators) start(i int) {
	v.t.Helper()
	v.nodes[i] = v.launches[i].start(v.t)
}

func (n *node) height() (height int) {
	n.call(&height, "getblockcount")
	return height
}

// reach waits until nodes have a height.
func (v *validators) reach(height int, nodes ...int) {
	v.t.Helper()
	for _, i := range nodes {
		require.Eventually(v.t, func() bool { return v.nodes[i].height() >= height }, timeout, 20*time.Millisecond, "block %d at node %d", height, i)
	}
}

// agree waits until all nodes have the same tip and empty mempools.
func (v *validators) agree() {
	v.t.Helper()
	for i, n := range v.nodes {
		n.waitConfirmed()
		require.Eventually(v.t, func() bool { return n.raw("getbestblockhash") == v.nodes[0].raw("getbestblockhash") }, timeout, 20*time.Millisecond, "node %d", i)
	}
}

// load sends payments to a node until it is stopped, and records the ids of the acknowledged ones.
type load struct {
	mu    sync.Mutex
	acked []string
	stop  chan struct{}
	done  chan struct{}
}

func (n *node) load() *load {
	l := &load{stop: make(chan struct{}), done: make(chan struct{})}
	body := request("sendtoaddress", n.address(), 0.001)
	go func() {
		defer close(l.done)
		for {
			select {
			case <-l.stop:
				return
			default:
			}
			r, err := n.client.try(body)
			if err == nil && r.Error == nil {
				l.mu.Lock()
				l.acked = append(l.acked, strings.Trim(string(r.Result), `"`))
				l.mu.Unlock()
			}
		}
	}()
	return l
}

func (l *load) end() []string {
	close(l.stop)
	<-l.done
	return l.acked
}

// address is an address of the node's key.
func (n *node) address() string {
	var printed struct {
		Address string `json:"myaddress"`
	}
	n.call(&printed, "tokenaddress")
	return printed.Address
}

// requireKept checks that transactions are in a node's chain.
func (n *node) requireStored(ids []string) {
	n.t.Helper()
	for _, id := range ids {
		var tx struct{ BlockHash string }
		n.call(&tx, "getrawtransaction", id, 1)
		require.NotEmpty(n.t, tx.BlockHash, "transaction %s is in no block", id)
	}
}

// TestValidatorsKillOne kills one of four validators under load. The others must continue, and it
// must catch up after its restart.
func TestValidatorsKillOne(t *testing.T) {
	v := newValidators(t, 4)
	l := v.nodes[0].load()
	v.reach(5, 0, 1, 2, 3)
	v.nodes[3].kill()
	height, killed := v.nodes[0].height(), time.Now()
	v.reach(height+2, 0)
	t.Logf("two blocks %v after the kill", time.Since(killed).Round(time.Millisecond))
	v.reach(height+5, 0, 1, 2)
	started := time.Now()
	v.start(3)
	v.reach(v.nodes[0].height(), 3)
	t.Logf("caught up %v after the start", time.Since(started).Round(time.Millisecond))
	acked := l.end()
	v.agree()
	v.nodes[3].requireStored(acked)
	t.Logf("%d payments", len(acked))
}

// TestValidatorsKillTwo kills two of four validators. Until one is started again, no transactions
// are confirmed, and the nodes report this.
func TestValidatorsKillTwo(t *testing.T) {
	v := newValidators(t, 4)
	v.nodes[2].kill()
	v.nodes[3].kill()
	height := v.nodes[0].height()
	var id string
	v.nodes[0].call(&id, "sendtoaddress", v.nodes[0].address(), 1)
	require.Never(t, func() bool { return v.nodes[0].height() > height }, 4*time.Second, 100*time.Millisecond, "two of four are not enough")
	var reported string
	t.Cleanup(func() { t.Log(reported) })
	require.Eventually(t, func() bool {
		var status int
		status, reported = v.nodes[0].get("/readyz", "")
		return status == 503 && strings.Contains(reported, "stalled: no block") && strings.Contains(reported, "missing are node2, node3")
	}, timeout, 100*time.Millisecond)
	out := v.launches[0].run(t, v.launches[0].command("call", "sendtoaddress", v.nodes[0].address(), "1"))
	require.Zero(t, out.code, out.stderr)
	require.Contains(t, out.stderr, "warning: stalled: no block")
	require.Contains(t, out.stderr, "do not send it again")
	v.start(2)
	v.reach(height+1, 0, 1, 2)
	require.Eventually(t, func() bool { status, _ := v.nodes[0].get("/readyz", ""); return status == 200 }, timeout, 100*time.Millisecond)
	v.start(3)
	v.agree()
	v.nodes[3].requireStored([]string{id})
}

// TestValidatorsKillAll kills all nodes under load. After their restart, they must continue the
// chain, which must contain all acknowledged transactions.
func TestValidatorsKillAll(t *testing.T) {
	v := newValidators(t, 4)
	var acked []string
	for range 2 {
		l := v.nodes[1].load()
		v.reach(v.nodes[1].height()+4, 0, 1, 2, 3)
		for _, n := range v.nodes {
			_ = n.cmd.Process.Kill()
		}
		for _, n := range v.nodes {
			n.kill()
		}
		acked = append(acked, l.end()...)
		for i := range v.nodes {
			v.start(i)
		}
	}
	v.agree()
	for _, n := range v.nodes {
		n.requireStored(acked)
	}
	t.Logf("%d payments", len(acked))
}

// TestValidatorRefusesDamage starts a validator with damaged or missing data. The start must fail
// with advice.
func TestValidatorRefusesDamage(t *testing.T) {
	v := newValidators(t, 1)
	var id string
	for height := 2; height < 12; height++ {
		v.nodes[0].call(&id, "sendtoaddress", v.nodes[0].address(), 1)
		v.reach(height, 0)
	}
	code, _ := v.nodes[0].stop()
	require.Zero(t, code)
	dir := v.launches[0].dir
	for name, c := range map[string]struct {
		damage func(t *testing.T)
		want   string
	}{
		"store": {func(t *testing.T) { flip(t, filepath.Join(dir, "obverse.db")) }, "obverse store restore"},
		"CometBFT's store": {func(t *testing.T) {
			require.NoError(t, os.RemoveAll(filepath.Join(dir, "cometbft", "data", "state.db")))
		}, "restore both from one backup"},
		"what was signed": {func(t *testing.T) {
			require.NoError(t, os.Remove(filepath.Join(dir, "cometbft", "data", "priv_validator_state.json")))
		}, "the validator's last signature"},
		"half a key": {func(t *testing.T) { halve(t, filepath.Join(dir, "cometbft", "config", "priv_validator_key.json")) }, "is damaged"},
		"genesis":    {func(t *testing.T) { halve(t, filepath.Join(dir, "cometbft", "config", "genesis.json")) }, "invalid genesis"},
		"another chain": {func(t *testing.T) {
			replace(t, filepath.Join(dir, "cometbft", "config", "genesis.json"), "OBVERSE", "OTHER")
		}, "chain.ac_name"},
	} {
		t.Run(name, func(t *testing.T) {
			whole := filepath.Join(t.TempDir(), "whole")
			require.NoError(t, os.CopyFS(whole, os.DirFS(dir)))
			c.damage(t)
			out := v.launches[0].run(t, v.launches[0].serve())
			require.NotZero(t, out.code, out.stderr)
			require.Contains(t, out.stderr, c.want)
			t.Log(lastLine(out.stderr))
			require.NoError(t, os.RemoveAll(dir))
			require.NoError(t, os.CopyFS(dir, os.DirFS(whole)))
			require.NoError(t, os.Chmod(dir, 0o700))
		})
	}
	// A missing store is not damage, since CometBFT has the blocks.
	require.NoError(t, os.Remove(filepath.Join(dir, "obverse.db")))
	v.start(0)
	v.nodes[0].requireStored([]string{id})
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

func flip(t *testing.T, path string) {
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	content[len(content)/2] ^= 0x40
	require.NoError(t, os.WriteFile(path, content, 0o600))
}

func halve(t *testing.T, path string) {
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(path, info.Size()/2))
}

func replace(t *testing.T, path, from, to string) {
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(content), from, to)), 0o600))
}

// TestValidatorsUpgrade replaces the program of one node after the other under load, and then
// restores one from a backup that was made while it ran. No acknowledged transaction may be lost,
// and all nodes must agree.
func TestValidatorsUpgrade(t *testing.T) {
	v := newValidators(t, 4)
	upgraded := filepath.Join(t.TempDir(), "upgraded")
	require.NoError(t, build(upgraded, "-ldflags=-X obverse/native/node.Version=upgraded"))
	l := v.nodes[0].load()
	for _, i := range []int{3, 2, 1} {
		v.upgrade(i, upgraded)
	}
	backup := filepath.Join(t.TempDir(), "store")
	out := v.launches[1].run(t, v.launches[1].command("store", "backup", backup))
	require.Zero(t, out.code, out.stderr)
	acked := l.end()
	v.agree() // so that the next node does not spend the same coins
	l = v.nodes[1].load()
	v.upgrade(0, upgraded)
	acked = append(acked, l.end()...)

	v.nodes[1].waitConfirmed() // a restore drops transactions that are not in a block
	code, _ := v.nodes[1].stop()
	require.Zero(t, code)
	out = v.launches[1].run(t, v.launches[1].command("store", "restore", backup))
	require.Zero(t, out.code, out.stderr)
	v.start(1)
	v.agree()
	for _, n := range v.nodes {
		require.Equal(t, upgraded, n.cmd.Path)
		n.requireStored(acked)
	}
	t.Logf("%d payments", len(acked))
}

// upgrade restarts a node with another program, and waits until it has the height of the others.
func (v *validators) upgrade(i int, program string) {
	v.t.Helper()
	code, _ := v.nodes[i].stop()
	require.Zero(v.t, code)
	v.launches[i].program = program
	v.start(i)
	v.reach(v.nodes[(i+1)%len(v.nodes)].height(), i)
}

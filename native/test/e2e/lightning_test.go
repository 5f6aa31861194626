package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"obverse/native/test/porttest"
)

// lightningPeers is a program with an active Lightning coin.
type lightningPeers struct {
	*callee
	id        string // id of its node
	listening string // host:port
}

const tBTC = `{"coin":"tBTC-lightning"}`

// lightning starts the program and activates the coin, unless it is active.
func (l launch) lightning(t *testing.T, port int) *lightningPeers {
	t.Helper()
	p := &lightningPeers{callee: l.callee(t)}
	var started struct {
		ID int `json:"task_id"`
	}
	require.NoError(t, json.Unmarshal(p.succeeds("task::enable_lightning::init",
		fmt.Sprintf(`{"ticker":"tBTC-lightning","activation_params":{"name":"mine","listening_port":%d}}`, port)), &started))
	var status struct {
		Status  string
		Details json.RawMessage
	}
	require.Eventually(t, func() bool {
		require.NoError(t, json.Unmarshal(p.succeeds("task::enable_lightning::status", fmt.Sprintf(`{"task_id":%d}`, started.ID)), &status))
		return status.Status != "InProgress"
	}, timeout, 10*time.Millisecond)
	require.Equal(t, "Ok", status.Status, "%s", status.Details)
	var done struct{ Address, Listening string }
	require.NoError(t, json.Unmarshal(status.Details, &done))
	p.id, p.listening = done.Address, done.Listening
	return p
}

// state returns a peer's state, or "" if it is not a peer.
func (p *lightningPeers) state(id string) string {
	var list struct {
		Peers []struct {
			ID    string `json:"node_id"`
			State string
		}
	}
	require.NoError(p.t, json.Unmarshal(p.succeeds("lightning::nodes::list_peers", tBTC), &list))
	for _, peer := range list.Peers {
		if peer.ID == id {
			return peer.State
		}
	}
	return ""
}

func (p *lightningPeers) becomes(id, state string) {
	p.t.Helper()
	require.Eventually(p.t, func() bool { return p.state(id) == state }, timeout, 10*time.Millisecond, "%s", state)
}

// connectsTogether makes multiple calls for one node at the same time, which must result in one
// connection.
func (p *lightningPeers) connectsTogether(count int, address string) {
	p.t.Helper()
	answers := make(chan string, count)
	for range count {
		go func() {
			var a nodeAnswer
			defer func() { answers <- string(a.Result) }() // even if the call fails the test
			a = p.askNode("lightning::nodes::connect_to_node", `{"coin":"tBTC-lightning","node_address":"`+address+`"}`)
		}()
	}
	succeeded := 0
	for range count {
		switch answer := <-answers; answer {
		case `"Connected successfully to node : ` + address + `"`:
			succeeded++
		default:
			require.Equal(p.t, `"Already connected to node : `+address+`"`, answer, "one that came late")
		}
	}
	require.Positive(p.t, succeeded)
	require.Equal(p.t, 1, strings.Count(string(p.succeeds("lightning::nodes::list_peers", tBTC)), `"node_id"`))
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	return listener
}

// TestLightningPeers connects two programs and kills one. After its restart, the coin must be
// active again, and the programs must be connected.
func TestLightningPeers(t *testing.T) {
	t.Parallel()
	calling, called := newLaunch(t), newLaunch(t, "lightning_ip=127.0.0.1")
	const other = "another passphrase for Lightning"
	called.env[0] = "OBVERSE_PASSPHRASE=" + other
	called.seen.hide(formsOf(t, other, false, rpcPassword, daemonUser, daemonPassword))
	a := calling.lightning(t, 9735)
	require.Empty(t, a.listening, "it listens only if the request says so")
	port := porttest.Free(t)
	b := called.lightning(t, port)
	require.Equal(t, fmt.Sprintf("127.0.0.1:%d", port), b.listening)
	require.NotEqual(t, a.id, b.id)

	address := b.id + "@" + b.listening
	a.connectsTogether(4, address)
	b.becomes(a.id, "connected")
	require.Contains(t, string(b.succeeds("lightning::nodes::list_peers", tBTC)), `"inbound":true`)
	b.succeeds("lightning::nodes::add_trusted_node", `{"coin":"tBTC-lightning","node_id":"`+a.id+`"}`)
	b.kill()
	a.becomes(b.id, "waiting")

	again := &lightningPeers{callee: called.callee(t), id: b.id}
	again.enabled(1)
	a.becomes(b.id, "connected")
	again.becomes(a.id, "connected")
	require.JSONEq(t, `{"trusted_nodes":["`+a.id+`"]}`, string(again.succeeds("lightning::nodes::list_trusted_nodes", tBTC)))
	require.Contains(t, string(again.succeeds("my_balance", tBTC)), b.id, "it is the same node")

	a.succeeds("lightning::nodes::disconnect", `{"coin":"tBTC-lightning","node_id":"`+b.id+`"}`)
	again.becomes(a.id, "")
	for _, c := range []*callee{a.callee, again.callee} {
		code, _ := c.stop()
		require.Zero(t, code)
	}
}

// TestLightningPortInUse checks that the activation reports a used port, and succeeds with another
// port.
func TestLightningPortInUse(t *testing.T) {
	t.Parallel()
	taken := listen(t)
	t.Cleanup(func() { _ = taken.Close() })
	c := newLaunch(t, "lightning_ip=127.0.0.1").callee(t)
	c.succeeds("task::enable_lightning::init",
		fmt.Sprintf(`{"ticker":"tBTC-lightning","activation_params":{"name":"mine","listening_port":%d}}`, taken.Addr().(*net.TCPAddr).Port))
	var status string
	require.Eventually(t, func() bool {
		status = string(c.succeeds("task::enable_lightning::status", `{"task_id":1,"forget_if_finished":false}`))
		return !strings.Contains(status, "InProgress")
	}, timeout, 10*time.Millisecond)
	require.Contains(t, status, `"error_type":"IOError"`)
	require.Contains(t, status, "address already in use (listening_port sets the port)")
	require.JSONEq(t, `{"coins":[]}`, string(c.succeeds("get_enabled_coins", `{}`)))
	c.succeeds("task::enable_lightning::init", `{"ticker":"tBTC-lightning","activation_params":{"name":"mine","listening_port":0}}`)
	c.enabled(1)
}

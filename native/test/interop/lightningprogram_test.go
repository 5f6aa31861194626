package interop_test

import (
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/native/test/interop"
)

// peerView is an entry of the program's list of peers.
type peerView struct {
	Node    string `json:"node_id"`
	State   string
	Inbound bool
}

// peer returns the program's entry for lnd, or the zero value if lnd is not a peer.
func (p *program) peer(id string) peerView {
	p.t.Helper()
	var list struct{ Peers []peerView }
	p.succeeds(&list, "lightning::nodes::list_peers", `{"coin":"tBTC-lightning"}`)
	for _, peer := range list.Peers {
		if peer.Node == id {
			return peer
		}
	}
	return peerView{}
}

// enableLightning activates the coin, and returns the id and the address of its node.
func (p *program) enableLightning(port int) (id, listening string) {
	p.t.Helper()
	var started struct {
		ID int `json:"task_id"`
	}
	p.succeeds(&started, "task::enable_lightning::init", fmt.Sprintf(`{"ticker":"tBTC-lightning","activation_params":{"name":"mine","listening_port":%d}}`, port))
	var status struct {
		Status  string
		Details json.RawMessage
	}
	require.Eventually(p.t, func() bool {
		p.succeeds(&status, "task::enable_lightning::status", fmt.Sprintf(`{"task_id":%d}`, started.ID))
		return status.Status != "InProgress"
	}, timeout, 10*time.Millisecond)
	require.Equal(p.t, "Ok", status.Status, "%s", status.Details)
	var done struct{ Address, Listening string }
	require.NoError(p.t, json.Unmarshal(status.Details, &done))
	return done.Address, done.Listening
}

// TestLightningProgram tests the connections of the built program with an lnd.
func TestLightningProgram(t *testing.T) {
	l, err := interop.StartLND(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Stop()) })
	p := buildProgram(t, "[]", "lightning interop seed")
	p.start("lightning_ip=::1")
	id, listening := p.enableLightning(0)
	connect := func(address string) string {
		return fmt.Sprintf(`{"coin":"tBTC-lightning","node_address":%q}`, address)
	}
	state := func(want string) {
		t.Helper()
		require.Eventually(t, func() bool { return p.peer(l.ID).State == want }, timeout, 50*time.Millisecond, "%q", want)
	}
	sees := func(want bool) {
		t.Helper()
		require.Eventually(t, func() bool {
			text, err := l.CLI(t.Context(), "listpeers")
			return err == nil && strings.Contains(text, id) == want
		}, timeout, 100*time.Millisecond)
	}
	const method = "lightning::nodes::connect_to_node"
	address := l.ID + "@" + l.Place
	var text string
	p.succeeds(&text, method, connect(address))
	require.Equal(t, "Connected successfully to node : "+address, text)
	p.succeeds(&text, method, connect(l.ID+"@127.0.0.1:1"))
	require.Equal(t, "Already connected to node : "+l.ID+"@127.0.0.1:1", text)
	sees(true)

	const other = "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5"
	refused := p.refuses(500, "ConnectionError", method, connect(other+"@"+l.Place))
	require.JSONEq(t, `"Handshake error: Node `+other+` disconnected before finishing the handshake"`, string(refused.Data))
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, silent.Close()) })
	refused = p.refuses(500, "ConnectionError", method, fmt.Sprintf(`{"coin":"tBTC-lightning","node_address":"%s@%s","timeout":1}`, other, silent.Addr()))
	require.JSONEq(t, `"Timeout error: Failed to connect to node: `+other+`"`, string(refused.Data))

	require.NoError(t, l.Kill())
	state("waiting")
	require.NoError(t, l.Restart(t.Context()))
	state("connected")
	sees(true)
	var done struct {
		Node string `json:"disconnected_node"`
	}
	p.succeeds(&done, "lightning::nodes::disconnect", fmt.Sprintf(`{"coin":"tBTC-lightning","node_id":%q}`, l.ID))
	require.Equal(t, l.ID, done.Node)
	sees(false)
	refused = p.refuses(400, "NotConnected", "lightning::nodes::disconnect", fmt.Sprintf(`{"coin":"tBTC-lightning","node_id":%q}`, l.ID))
	require.JSONEq(t, fmt.Sprintf("%q", l.ID), string(refused.Data))

	_, err = l.CLI(t.Context(), "connect", id+"@"+listening)
	require.NoError(t, err)
	state("connected")
	require.True(t, p.peer(l.ID).Inbound)
	p.stop()
	sees(false)
}

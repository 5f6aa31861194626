package worker

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/lightning/wire"
	"obverse/native/lightning/npmpeer"
)

const (
	tBTC = `{"coin":"tBTC-lightning"}`
	bob  = "028d7500dd4c12685d1f568b4c2b5048e8534b873319f3a8daa612b469132ec7f7" // id of the npm peer
)

// lightning activates the coin and returns the id of its node.
func (n *node) lightning() (id string) {
	n.t.Helper()
	var started struct {
		ID int `json:"task_id"`
	}
	require.NoError(n.t, json.Unmarshal([]byte(n.succeeds("task::enable_lightning::init", `{"ticker":"tBTC-lightning","activation_params":{"name":"mine"}}`)), &started))
	var status struct {
		Status  string
		Details json.RawMessage
	}
	require.Eventually(n.t, func() bool {
		require.NoError(n.t, json.Unmarshal([]byte(n.succeeds("task::enable_lightning::status", fmt.Sprintf(`{"task_id":%d}`, started.ID))), &status))
		return status.Status != "InProgress"
	}, timeout, 20*time.Millisecond)
	require.Equal(n.t, "Ok", status.Status, "%s", status.Details)
	var done struct{ Address string }
	require.NoError(n.t, json.Unmarshal(status.Details, &done))
	return done.Address
}

// lightningPeers returns the states of the node's peers by their ids.
func (n *node) lightningPeers() map[string]string {
	n.t.Helper()
	var list struct {
		Peers []struct {
			ID    string `json:"node_id"`
			State string
		}
	}
	require.NoError(n.t, json.Unmarshal([]byte(n.succeeds("lightning::nodes::list_peers", tBTC)), &list))
	states := map[string]string{}
	for _, peer := range list.Peers {
		states[peer.ID] = peer.State
	}
	return states
}

// TestConnectToAnNpmPeer connects to another implementation over a socket of the Worker, and again
// after the object was evicted.
func TestConnectToAnNpmPeer(t *testing.T) {
	t.Parallel()
	peer := npmpeer.Start(t, "--pings", "1")
	n := openEdge(t).node(t, map[string]any{"passphrase": "a Lightning node at the edge"})
	id := n.lightning()
	require.Empty(t, n.lightningPeers())
	connect := fmt.Sprintf(`{"coin":"tBTC-lightning","node_address":"%s@127.0.0.1:%d"}`, bob, peer.Port)
	require.Contains(t, n.succeeds("lightning::nodes::connect_to_node", connect), "Connected successfully to node")
	require.Equal(t, id, peer.Next(t, func(l npmpeer.Line) bool { return l.Ready != "" }).Ready)
	message, err := hex.DecodeString(peer.Next(t, func(l npmpeer.Line) bool { return l.Init != "" }).Init)
	require.NoError(t, err)
	hello, err := wire.DecodeInit(message[2:])
	require.NoError(t, err)
	require.Equal(t, wire.LocalFeatures(), hello.Features)
	require.Equal(t, 1, peer.Next(t, func(l npmpeer.Line) bool { return l.Pongs > 0 }).Pongs)
	require.Equal(t, map[string]string{bob: "connected"}, n.lightningPeers())
	require.Contains(t, n.succeeds("lightning::nodes::connect_to_node", connect), "Already connected to node")

	n.evict()
	require.Contains(t, n.succeeds("get_enabled_coins", `{}`), "tBTC-lightning")
	peer = npmpeer.Start(t) // the previous peer treats a reset connection as an error
	connect = fmt.Sprintf(`{"coin":"tBTC-lightning","node_address":"%s@127.0.0.1:%d"}`, bob, peer.Port)
	require.Contains(t, n.succeeds("lightning::nodes::connect_to_node", connect), "Connected successfully to node")
	require.Equal(t, id, peer.Next(t, func(l npmpeer.Line) bool { return l.Ready != "" }).Ready)

	n.succeeds("lightning::nodes::disconnect", `{"coin":"tBTC-lightning","node_id":"`+bob+`"}`)
	peer.Next(t, func(l npmpeer.Line) bool { return l.Closed != "" })
	require.Empty(t, n.lightningPeers())
}

package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/native/versionprobe/npmpeer"
)

func (n *node) statSucceeds(method, params string) {
	n.t.Helper()
	a := n.askNode(method, params)
	require.Equal(n.t, `"success"`, string(a.Result), "%s: %s", method, a.Error)
	require.Equal(n.t, 200, a.Status)
}

func (n *node) statFails(method, params string, status int, kind, data string) {
	n.t.Helper()
	a := n.askNode(method, params)
	require.Equal(n.t, kind, a.Type, "%s: %s", method, a.Error)
	require.Equal(n.t, status, a.Status)
	require.Equal(n.t, data, string(a.Data))
}

// stats returns rows as "name|version|error".
func (n *node) stats(params string) (rows []string) {
	n.t.Helper()
	var page struct {
		Stats []struct{ Name, Version, Error string }
	}
	require.NoError(n.t, json.Unmarshal(n.askNode("get_version_stat", params).Result, &page))
	for _, s := range page.Stats {
		rows = append(rows, s.Name+"|"+s.Version+"|"+s.Error)
	}
	return rows
}

func statNode(name, address, id string) string {
	return fmt.Sprintf(`{"name":"%s","address":"%s","peer_id":"%s"}`, name, address, id)
}

// TestVersionStatistics adds nodes, queries a foreign libp2p peer and an unreachable one, and
// checks that the results are stored after a kill.
func TestVersionStatistics(t *testing.T) {
	t.Parallel()
	const (
		add, remove                    = "add_node_to_version_stat", "remove_node_from_version_stat"
		start, update, stop            = "start_version_stat_collection", "update_version_stat_collection", "stop_version_stat_collection"
		every, dead                    = `{"interval":1}`, "12D3KooWEsuiKcQaBaKEzuMtT6uFjs89P1E8MK3wGRZbeuCbCw6P"
		samePeer, sameName, wrongState = `"UNIQUE constraint failed: nodes.peer_id"`, `"UNIQUE constraint failed: nodes.name"`, ""
	)
	peer := npmpeer.Start(t, "--version", "2.5.0-beta")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	closed := listener.Addr().String()
	require.NoError(t, listener.Close())

	l := newLaunch(t)
	n := l.start(t)
	n.statSucceeds(add, statNode("foreign", peer.Address, peer.ID))
	n.statSucceeds(add, statNode("dead", closed, dead))
	n.statFails(add, statNode("dead", closed, dead), 500, "DatabaseError", samePeer)
	n.statFails(add, statNode("dead", closed, "QmcgpsyWgH8Y8ajJz1Cu72KnS5uo2Aa2LpzU7kinSupNKC"), 500, "DatabaseError", sameName)
	n.statFails(add, statNode("x", closed, "12D3"), 400, "PeerIdParseError", `["12D3","invalid multihash"]`)
	n.statFails(update, every, 405, "NotRunning", wrongState)
	n.statFails(stop, `{}`, 405, "NotRunning", wrongState)
	n.statFails(start, `{"interval":0}`, 400, "InvalidRequest",
		"\"invalid value: integer `0`, expected a number of seconds from 1 to 2592000\"")

	n.statSucceeds(start, every)
	n.statFails(start, every, 405, "AlreadyRunning", wrongState)
	n.statSucceeds(update, `{"interval":1.5}`)
	want := []string{
		"dead||Error on request the peer PeerId(\"" + dead + "\"): \"Canceled\". Request next peer (dial tcp " + closed + ": connect: connection refused)",
		"foreign|2.5.0-beta|",
	}
	require.Eventually(t, func() bool { return len(n.stats(`{}`)) >= 4 }, timeout, 50*time.Millisecond)
	require.Equal(t, want, n.stats(`{"limit":2}`))
	n.kill()

	n = l.start(t)
	require.Subset(t, want, n.stats(`{}`))
	n.statFails(stop, `{}`, 405, "NotRunning", wrongState)
	n.statSucceeds(remove, `{"name":"dead"}`)
	n.statSucceeds(remove, `{"name":"dead"}`)
	n.statSucceeds(start, `{"interval":3600}`)
	n.statSucceeds(stop, `{}`)
	require.NotEmpty(t, n.stats(`{"name":"dead"}`), "what it answered stays")
	code, _ := n.stop()
	require.Zero(t, code)
}

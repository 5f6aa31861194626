package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"obverse/core/net/peerid"
)

// peer returns a distinct id for each number.
func peer(number uint64) string {
	var public [32]byte
	for i := range 8 {
		public[i] = byte(number >> (8 * i))
	}
	return peerid.FromEd25519(public).String()
}

func (c *callee) succeeds(method, params string) json.RawMessage {
	c.t.Helper()
	a := c.askNode(method, params)
	require.Equal(c.t, http.StatusOK, a.Status, "%s: %s", method, a.Error)
	return a.Result
}

// refuses calls a method that must fail, and returns the type and the data of the error.
func (c *callee) refuses(method, params string) (kind, data string) {
	c.t.Helper()
	a := c.askNode(method, params)
	require.NotEmpty(c.t, a.Type, "%s: %s", method, a.Result)
	return a.Type, string(a.Data)
}

// TestNodeAfterKill kills a node during all kinds of background work of the node API. Stored data
// must survive, and all other state is empty after the restart.
func TestNodeAfterKill(t *testing.T) {
	t.Parallel()
	const samePeer = `"UNIQUE constraint failed: nodes.peer_id"`
	const heartbeat = `{"client_id":7,"config":{"stream_interval_seconds":0.1}}`
	const banned = `{"mmrpc":"2.0","userpass":"wrong","method":"stop"}`
	l := newLaunch(t)
	l.args = []string{"rpc_local_only=false"}
	c := l.callee(t)
	identity, public := c.succeeds("get_my_peer_id", `{}`), c.succeeds("get_public_key", `{}`)
	dead := statNode("dead", c.Dead, peer(1))
	c.succeeds("add_node_to_version_stat", dead)
	c.succeeds("add_node_to_version_stat", statNode("gone", c.Dead, peer(2)))
	c.succeeds("start_version_stat_collection", `{"interval":3600}`)
	require.Eventually(t, func() bool { return len(c.stats(`{}`)) == 2 }, timeout, 20*time.Millisecond)
	rows := c.succeeds("get_version_stat", `{}`)
	c.succeeds("remove_node_from_version_stat", `{"name":"gone"}`)
	stream := c.Open(7)
	c.succeeds("stream::heartbeat::enable", heartbeat)
	require.JSONEq(t, `{"_type":"HEARTBEAT","message":{}}`, stream.Next())
	var ticket struct{ Ticket string }
	require.NoError(t, json.Unmarshal(c.succeeds("stream::ticket", `{"client_id":8}`), &ticket))
	l.seen.hideTicket(ticket.Ticket)
	for range 10 {
		require.Equal(t, 403, c.Call(false, []byte(banned)).Status)
	}
	require.Positive(t, c.Call(false, []byte(banned)).RetryAfter)
	c.kill()

	c = l.callee(t)
	require.JSONEq(t, string(public), string(c.succeeds("get_public_key", `{}`)), "the key is kept")
	require.JSONEq(t, string(identity), string(c.succeeds("get_my_peer_id", `{}`)), "the identity is kept")
	require.Equal(t, string(rows), string(c.succeeds("get_version_stat", `{}`)), "the rows are kept, those of a removed node too")
	kind, data := c.refuses("add_node_to_version_stat", dead)
	require.Equal(t, []string{"DatabaseError", samePeer}, []string{kind, data}, "the list is kept")
	c.succeeds("add_node_to_version_stat", statNode("gone", c.Dead, peer(2)))
	kind, _ = c.refuses("stop_version_stat_collection", `{}`)
	require.Equal(t, "NotRunning", kind, "whether it collected is not kept")
	kind, data = c.refuses("stream::heartbeat::enable", heartbeat)
	require.Equal(t, []string{"EnableError", `"UnknownClient"`}, []string{kind, data}, "no client is kept")
	require.Equal(t, http.StatusUnauthorized, c.openAway(8, ticket.Ticket), "no ticket is kept")
	c.Open(7)
	c.succeeds("stream::heartbeat::enable", heartbeat)
	code, _ := c.stop()
	require.Zero(t, code)
}

// openAway opens an event stream as from another machine, and closes it.
func (c *callee) openAway(client uint64, ticket string) (status int) {
	c.t.Helper()
	request, err := http.NewRequest(http.MethodGet, fmt.Sprintf("%s/event-stream?id=%d&ticket=%s", c.ready.Node, client, ticket), nil)
	require.NoError(c.t, err)
	request.Header.Set("X-Forwarded-For", "203.0.113.5")
	response, err := c.client.http.Do(request)
	require.NoError(c.t, err)
	require.NoError(c.t, response.Body.Close())
	return response.StatusCode
}

// TestKillWhileListing kills a node repeatedly while clients add nodes to its list. Acknowledged
// nodes must be in the list once.
func TestKillWhileListing(t *testing.T) {
	t.Parallel()
	const rounds, clients = 5, 4
	l := newLaunch(t)
	var acknowledged []uint64
	next := uint64(0)
	for range rounds {
		c := l.callee(t)
		added := make([][]uint64, clients)
		done := make(chan int)
		for client := range clients {
			first := next
			go func() {
				defer func() { done <- client }()
				for i := first + uint64(client); ; i += clients {
					body := fmt.Appendf(nil, `{"mmrpc":"2.0","userpass":%q,"method":"add_node_to_version_stat","params":%s}`,
						rpcPassword, statNode(fmt.Sprintf("node %d", i), "192.0.2.1", peer(i)))
					r, err := askNode(c.client.http, c.ready.Node, body)
					if err != nil || !assert.Equal(t, http.StatusOK, r.status, r.text) {
						return // an error means that the node was killed
					}
					added[client] = append(added[client], i)
				}
			}()
		}
		time.Sleep(time.Duration(20+rand.IntN(80)) * time.Millisecond)
		c.kill()
		for range clients {
			<-done
		}
		for _, numbers := range added {
			acknowledged = append(acknowledged, numbers...)
		}
		next = slices.Max(append(acknowledged, next)) + 2*clients // after the numbers in flight
	}
	c := l.callee(t)
	for _, i := range acknowledged {
		kind, data := c.refuses("add_node_to_version_stat", statNode(fmt.Sprintf("again %d", i), "192.0.2.1", peer(i)))
		require.Equal(t, []string{"DatabaseError", `"UNIQUE constraint failed: nodes.peer_id"`}, []string{kind, data}, "node %d of %v", i, acknowledged)
	}
	require.Greater(t, len(acknowledged), rounds, "the load is no load")
	t.Logf("%d additions were acknowledged", len(acknowledged))
}

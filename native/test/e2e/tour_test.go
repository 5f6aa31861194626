package e2e

import (
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
)

// tokens returns the number of tokens of a key.
func (n *node) tokens(id string, owner chaintest.Signer) int64 {
	n.t.Helper()
	var held struct {
		Result  string `json:"result"`
		Balance int64  `json:"balance"`
	}
	n.call(&held, "tokenbalance", id, pubHex(owner))
	require.Equal(n.t, "success", held.Result)
	return held.Balance
}

func pubHex(owner chaintest.Signer) string {
	pub := owner.PublicKey()
	return hex.EncodeToString(pub[:])
}

// build calls a method that returns a signed transaction.
func (n *node) build(method string, params ...any) (hex string) {
	n.t.Helper()
	var built struct {
		Result string `json:"result"`
		Hex    string `json:"hex"`
	}
	n.call(&built, method, params...)
	require.Equal(n.t, "success", built.Result, method)
	return built.Hex
}

// TestTour creates a token and transfers some, as a user would, and checks that the responses after
// a kill are the same.
func TestTour(t *testing.T) {
	t.Parallel()
	l := newLaunch(t)
	n := l.start(t, "chain.blockinterval=0.1")
	n.requireReady()

	id := n.send(n.build("tokencreate", "TOUR", "0.00001", "made by a test"))
	n.waitConfirmed()
	var listed []string
	n.call(&listed, "tokenlist")
	require.Equal(t, []string{id}, listed)
	var info map[string]string
	n.call(&info, "tokeninfo", id)
	require.Equal(t, map[string]string{
		"result": "success", "tokenid": id, "owner": pubHex(signer(t)), "name": "TOUR", "supply": "0.00001000",
		"description": "made by a test",
	}, info)
	require.EqualValues(t, 1000, n.tokens(id, signer(t)))

	n.send(n.build("tokentransfer", id, pubHex(other(t)), "300"))
	n.waitConfirmed()
	require.EqualValues(t, 700, n.tokens(id, signer(t)))
	require.EqualValues(t, 300, n.tokens(id, other(t)))

	before := n.answers(id)
	n.kill()
	again := l.start(t, "chain.blockinterval=0.1")
	again.requireReady()
	require.Equal(t, before, again.answers(id))
}

// answers returns the responses to all calls with results that must not change.
func (n *node) answers(id string) map[string]string {
	n.t.Helper()
	all := map[string]string{
		"tokenlist": n.raw("tokenlist"), "tokeninfo": n.raw("tokeninfo", id),
		"own tokens": n.raw("tokenbalance", id), "other tokens": n.raw("tokenbalance", id, pubHex(other(n.t))),
		"address": n.raw("tokenaddress"), "count": n.raw("getblockcount"), "best": n.raw("getbestblockhash"),
		"transaction": n.raw("getrawtransaction", id, 1), "balance": n.raw("getbalance"), "unspent": n.raw("listunspent"),
	}
	var count int
	require.NoError(n.t, json.Unmarshal([]byte(all["count"]), &count))
	all["last block"] = n.raw("getblock", strings.Trim(all["best"], `"`), 2)
	require.Positive(n.t, count)
	return all
}

// TestReadyLine starts a node with ports that the kernel chooses. Standard output must contain only
// the ready line, until the end.
func TestReadyLine(t *testing.T) {
	t.Parallel()
	n := newLaunch(t).start(t)
	for _, url := range []string{n.ready.Node, n.ready.Daemon} {
		require.Regexp(t, `^http://127\.0\.0\.1:[1-9][0-9]+$`, url)
	}
	require.NotEqual(t, n.ready.Node, n.ready.Daemon)
	n.send(n.build("tokencreate", "LINE", "1", ""))
	n.waitConfirmed()
	n.stop()
	lines := n.stdout.lines()
	require.Len(t, lines, 1)
	for key := range n.members(lines[0]) {
		require.Contains(t, []string{"event", "node", "daemon", "pid"}, key)
	}
}

func (n *node) members(object string) (members map[string]json.RawMessage) {
	n.t.Helper()
	require.NoError(n.t, json.Unmarshal([]byte(object), &members))
	return members
}

// TestEnd stops nodes in the two ordinary ways, with open connections and a slow request in flight.
func TestEnd(t *testing.T) {
	t.Run("SIGTERM", func(t *testing.T) {
		n := newLaunch(t).start(t)
		n.requireReady()
		slow := make(chan struct{})
		go func() {
			defer close(slow)
			_, _ = n.wrongPassword() // the response may be late or missing
		}()
		time.Sleep(50 * time.Millisecond)
		code, took := n.stop()
		require.Zero(t, code, n.stderr.text())
		require.Less(t, took, 5*time.Second)
		<-slow
	})
	t.Run("stop", func(t *testing.T) {
		n := newLaunch(t).start(t)
		n.raw("stop")
		select {
		case <-n.ended:
		case <-time.After(5 * time.Second):
			require.FailNow(t, "the node does not stop")
		}
		require.Zero(t, n.cmd.ProcessState.ExitCode(), n.stderr.text())
	})
}

// wrongPassword makes a call that is rejected after a delay.
func (n *node) wrongPassword() (status int, err error) {
	call, err := http.NewRequest(http.MethodPost, n.ready.Daemon+"/", strings.NewReader(string(request("tokenlist"))))
	if err != nil {
		return 0, err
	}
	call.SetBasicAuth(daemonUser, "not the password")
	response, err := n.client.http.Do(call)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

// TestOperations makes the calls of an operator, and calls that must be rejected.
func TestOperations(t *testing.T) {
	t.Parallel()
	n := newLaunch(t).start(t)
	for path, want := range map[string]string{
		"/livez": `"alive"`, "/readyz": `"ready"`, "/metrics": "obverse_chain_height_blocks 1",
	} {
		status, body := n.get(path, "")
		require.Equal(t, http.StatusOK, status, path)
		require.Contains(t, body, want, path)
	}
	for _, base := range []string{n.ready.Node + "/livez", n.ready.Daemon + "/"} {
		status, body := n.fetch(base, "rebound.example")
		require.Equal(t, http.StatusForbidden, status, base)
		require.Contains(t, body, "rebound.example", base)
	}
	status, header := n.anonymous(request("tokenlist"))
	require.Equal(t, http.StatusUnauthorized, status)
	require.Equal(t, `Basic realm="jsonrpc"`, header.Get("WWW-Authenticate"))
	status, err := n.wrongPassword()
	require.NoError(t, err)
	require.Equal(t, http.StatusUnauthorized, status)

	for _, body := range []string{"", "{", `{"method":"no such"}`, `{"method":"tokeninfo","params":["zz"]}`,
		`{"method":"sendrawtransaction","params":["00"]}`, `[]`} {
		_, _, err := n.client.post([]byte(body)) // the response is added to the record
		require.NoError(t, err)
	}
}

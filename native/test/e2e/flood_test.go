package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// nodeReply is a response of the node API.
type nodeReply struct {
	status int
	header http.Header
	text   string
	Result json.RawMessage `json:"result"`
	Error  string          `json:"error"`
	Type   string          `json:"error_type"`
	Data   json.RawMessage `json:"error_data"`
}

// askNode posts a body to the node API at a base URL. It returns only errors of the connection.
func askNode(c *http.Client, url string, body []byte) (r nodeReply, err error) {
	response, err := c.Post(url+"/", "application/json", bytes.NewReader(body))
	if err != nil {
		return r, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return r, err
	}
	r.status, r.header, r.text = response.StatusCode, response.Header, string(text)
	if strings.HasPrefix(r.text, "{") {
		err = json.Unmarshal(text, &r)
	}
	return r, err
}

// nodeRequest returns a call of the node API without parameters.
func nodeRequest(method, userpass string) []byte {
	return fmt.Appendf(nil, `{"mmrpc":"2.0","userpass":%q,"method":%q,"params":{}}`, userpass, method)
}

// otherAddress returns an address of this machine other than loopback, or "". Connections to it
// have it as their source.
func otherAddress(t *testing.T) string {
	t.Helper()
	all, err := net.InterfaceAddrs()
	require.NoError(t, err)
	for _, a := range all {
		if network, ok := a.(*net.IPNet); ok && network.IP.IsGlobalUnicast() && network.IP.To4() != nil {
			return network.IP.String()
		}
	}
	return ""
}

// TestFloodOfWrongPasswords sends wrong passwords from one address over many connections. The node
// must delay that address, and respond to others meanwhile.
func TestFloodOfWrongPasswords(t *testing.T) {
	const flooders, guesses = 8, 6
	l := newLaunch(t)
	n := l.start(t, "rpcip=0.0.0.0", "rpc_local_only=false")
	port := n.ready.Node[strings.LastIndexByte(n.ready.Node, ':'):]
	here, elsewhere := "http://127.0.0.1"+port, "http://"+otherAddress(t)+port

	var mu sync.Mutex
	var left []string
	waits := 0
	var flood sync.WaitGroup
	for range flooders {
		c := newClient(here, l.seen)
		flood.Go(func() {
			for i := range guesses {
				r, err := askNode(c.http, here, nodeRequest("get_public_key", "guess "+strconv.Itoa(i)))
				assert.NoError(t, err)
				assert.Equal(t, http.StatusForbidden, r.status)
				mu.Lock()
				switch r.Type {
				case "UserpassIsInvalid":
					left = append(left, string(r.Data))
				case "Banned":
					waits++
					wait, err := strconv.Atoi(r.header.Get("Retry-After"))
					assert.NoError(t, err)
					assert.True(t, 0 < wait && wait <= 600, wait)
				default:
					assert.Fail(t, "another answer", r.text)
				}
				mu.Unlock()
			}
		})
	}
	if otherAddress(t) != "" {
		for range 100 {
			r, err := askNode(n.client.http, elsewhere, nodeRequest("get_public_key", rpcPassword))
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, r.status, r.text)
		}
	}
	flood.Wait()

	var want []string
	for i := range 10 {
		want = append(want, fmt.Sprintf(`{"error_type":"NbAttemptsLeft","error_data":%d}`, i))
	}
	require.ElementsMatch(t, want, left, "each attempt that is left is counted down once")
	require.Equal(t, flooders*guesses-10, waits)
	r, err := askNode(n.client.http, here, nodeRequest("get_public_key", rpcPassword))
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, r.status, "the right one passes: %s", r.text)
	require.JSONEq(t, `1`, n.raw("getblockcount"), "the other interface is not closed by it")

	status, figures := n.get("/metrics", "")
	require.Equal(t, http.StatusOK, status)
	for _, line := range []string{
		`obverse_rpc_calls_total{interface="node",method="get_public_key",status="UserpassIsInvalid"} 10`,
		fmt.Sprintf(`obverse_rpc_calls_total{interface="node",method="get_public_key",status="Banned"} %d`, flooders*guesses-10),
	} {
		require.Contains(t, figures, line+"\n")
	}
}

// TestSlowClients opens many connections with slow or missing requests. The node must respond to
// other clients meanwhile.
func TestSlowClients(t *testing.T) {
	const each, rounds = 200, 10 // few, since the node closes a connection without a request after 5 s
	l := newLaunch(t)
	n := l.start(t)
	address := strings.TrimPrefix(n.ready.Node, "http://")
	var open []net.Conn
	for _, beginning := range []string{
		"", "POST / HT", "POST / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
		"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n{",
	} {
		for range each {
			conn, err := net.Dial("tcp", address)
			require.NoError(t, err)
			defer conn.Close()
			_, err = io.WriteString(conn, beginning)
			require.NoError(t, err)
			open = append(open, conn)
		}
	}
	for i := range rounds {
		for _, conn := range open[each:] { // sends another byte on each
			_, err := io.WriteString(conn, "x")
			require.NoError(t, err)
		}
		r, err := askNode(n.client.http, n.ready.Node, nodeRequest("get_public_key", rpcPassword))
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, r.status, "%d: %s", i, r.text)
	}
	_, figures := n.get("/metrics", "")
	require.Regexp(t, `obverse_http_connections\{interface="node"\} 80[1-9]\n`, figures)
	require.Regexp(t, `obverse_http_requests_in_flight\{interface="node"\} 201\n`, figures)
	code, took := n.stop()
	require.Zero(t, code, "the node ends in spite of the guesses")
	require.Less(t, took, 5*time.Second)
}

// TestBadBodies sends invalid requests and checks the responses.
func TestBadBodies(t *testing.T) {
	t.Parallel()
	l := newLaunch(t)
	n := l.start(t, "max_request_bytes=1048576")
	right := `"mmrpc":"2.0","userpass":"` + rpcPassword + `"`
	batch := func(many int) string {
		return "[" + strings.Join(slices.Repeat([]string{`{` + right + `,"method":"get_public_key","params":{}}`}, many), ",") + "]"
	}
	for name, c := range map[string]struct {
		body   string
		status int
		kind   string // error_type; "" for a response outside the envelope
		says   string
	}{
		"nothing":             {"", 500, "", "EOF while parsing a value at line 1 column 0"},
		"cut":                 {`{"mmrpc":`, 500, "", "EOF while parsing"},
		"no JSON":             {"hello", 500, "", "at line 1 column"},
		"more after it":       {"{} {}", 500, "", "trailing characters at line 1 column 4"},
		"invalid UTF-8":       {`{"method":"` + "\xff" + `"}`, 500, "", "invalid unicode code point at line 1 column 13"},
		"deep":                {strings.Repeat("[", 513) + strings.Repeat("]", 513), 500, "", "recursion limit exceeded"},
		"deep objects":        {strings.Repeat(`{"a":`, 100000) + "1" + strings.Repeat("}", 100000), 500, "", "recursion limit exceeded"},
		"a number":            {"7", 400, "InvalidRequest", "expected struct MmRpcRequest"},
		"large":               {`{"method":"` + strings.Repeat("x", 1<<20) + `"}`, 413, "", "request body too large: the limit is 1048576 bytes"},
		"large batch":         {batch(101), 400, "InvalidRequest", "a batch may hold 100 requests at most"},
		"duplicate key":       {`{` + right + `,"method":"version","method":"version"}`, 400, "InvalidRequest", "duplicate field `method`"},
		"duplicate password":  {`{"userpass":"x",` + right + `,"method":"version"}`, 400, "InvalidRequest", "duplicate field `userpass`"},
		"duplicate parameter": {`{` + right + `,"method":"stream::disable","params":{"streamer_id":"a","streamer_id":"a"}}`, 400, "InvalidRequest", "streamer_id"},
		"unknown key":         {`{` + right + `,"method":"version","par":{}}`, 400, "InvalidRequest", "unknown field `par`"},
		"unknown method":      {`{` + right + `,"method":"get_publickey","params":{}}`, 400, "NoSuchMethod", "get_public_key"},
		"wrong type":          {`{` + right + `,"method":"stream::disable","params":{"streamer_id":5}}`, 400, "InvalidRequest", "expected a string"},
		"wrong version":       {`{"mmrpc":"3.0","method":"version"}`, 400, "InvalidMmRpcVersion", "unknown variant `3.0`"},
		"no password":         {`{"mmrpc":"2.0","method":"get_public_key"}`, 403, "UserpassIsNotSet", "Userpass is not set!"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := askNode(n.client.http, n.ready.Node, []byte(c.body))
			require.NoError(t, err)
			require.Equal(t, c.status, r.status, "%.300s", r.text)
			require.Equal(t, "application/json", r.header.Get("Content-Type"))
			require.Equal(t, c.kind, r.Type)
			require.Contains(t, r.Error, c.says)
			require.Equal(t, c.kind != "", strings.HasPrefix(r.text, `{"mmrpc":"2.0","error":`))
		})
	}
	r, err := askNode(n.client.http, n.ready.Node, []byte(batch(100)))
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, r.status)
	require.Equal(t, 100, strings.Count(r.text, `"public_key"`), "a batch of as many as may be")
	r, err = askNode(n.client.http, n.ready.Node, nodeRequest("get_public_key", rpcPassword))
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, r.status, "and nothing of it did harm")
}

// TestForeignPage sends the requests that a browser sends for a page of another site.
func TestForeignPage(t *testing.T) {
	t.Parallel()
	n := newLaunch(t).start(t, "rpccors=https://wallet.example")
	for origin, want := range map[string]int{"https://wallet.example": 200, n.ready.Node: 200, "https://evil.example": 403, "null": 403} {
		request, err := http.NewRequest(http.MethodPost, n.ready.Node+"/", bytes.NewReader(nodeRequest("get_public_key", rpcPassword)))
		require.NoError(t, err)
		request.Header.Set("Origin", origin)
		request.Header.Set("Content-Type", "text/plain")
		response, err := n.client.http.Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, want, response.StatusCode, origin)
	}
}

package worker

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// refused is the response to a request that is rejected.
type refused struct {
	name, method, path string
	headers            []header
	body               string
	status             int
	contentType, want  string
	has                header // header of the response
}

// TestRefusals sends requests that a node must reject. The node must keep working with its data.
func TestRefusals(t *testing.T) {
	t.Parallel()
	const json, html = "application/json", "text/html; charset=ISO-8859-1"
	const call = `{"mmrpc":"2.0","userpass":"` + rpcPassword + `","method":"get_public_key"}`
	right, asDaemon := basic("any", rpcPassword), basic(daemonUser, daemonPassword)
	foreign, realm := header{"Origin", "https://evil.example"}, header{"Www-Authenticate", `Basic realm="jsonrpc"`}
	n := openEdge(t).node(t, map[string]any{"passphrase": "refusals", "max_request_bytes": 4096})
	key := n.succeeds("get_public_key", "{}")
	large := string(bytes.Repeat([]byte(" "), 4097))
	for _, c := range []refused{
		{"too large", "POST", "/", nil, large, 413, json, `{"error":"request body too large: the limit is 4096 bytes"}` + "\n", header{}},
		{"as large as may be", "POST", "/", nil, call + large[:4096-len(call)], 200, json, "", header{}},
		{"too large for the daemon API", "POST", "/daemon", []header{asDaemon}, large, 413, json, `{"result":null,"error":{"code":-32600,"message":"request body too large: the limit is 4096 bytes"},"id":null}` + "\n", header{}},
		{"no credential for the daemon API", "POST", "/daemon", nil, `{}`, 401, html, "", realm},
		{"the wrong credential for the daemon API", "POST", "/daemon", []header{right}, `{}`, 401, html, "", realm},
		{"the other credential for metrics", "GET", "/metrics", []header{asDaemon}, "", 401, json, "", realm},
		{"no credential for metrics", "GET", "/metrics", nil, "", 401, json, `{"error":"metrics need the RPC password (Basic authentication, any user)"}` + "\n", realm},
		{"no credential for events", "GET", "/event-stream", nil, "", 401, json, `{"error":"events need the RPC password (Basic authentication, any user), ` +
			`or as the parameter ticket an unused one that stream::ticket gave for this client"}` + "\n", realm},
		{"a wrong client", "GET", "/event-stream?id=x", []header{right}, "", 400, json, "", header{}},
		{"no credential for a backup", "GET", "/backup", nil, "", 401, json, "", realm},
		{"no credential for a restore", "PUT", "/backup", nil, "any", 401, json, "", realm},
		{"a foreign page calls", "POST", "/", []header{foreign}, call, 403, json, "", header{}},
		{"a foreign page calls the daemon API", "POST", "/daemon", []header{foreign, asDaemon}, "{}", 403, json, "", header{}},
		{"a foreign page reads events", "GET", "/event-stream", []header{foreign, right}, "", 403, json, "", header{}},
		{"a preflight", "OPTIONS", "/", []header{foreign, {"Access-Control-Request-Method", "POST"}}, "", 200, json, "", header{"Access-Control-Allow-Origin", ""}},
		{"nothing there", "GET", "/nothing", nil, "", 404, json, "", header{}},
		{"nothing there, without a body", "HEAD", "/nothing", nil, "", 404, json, "", header{}},
		{"another verb", "DELETE", "/", nil, "", 405, json, "", header{"Allow", "GET, HEAD, POST, OPTIONS"}},
		{"another verb at the daemon API", "GET", "/daemon", nil, "", 405, html, "JSONRPC server handles only POST requests", header{}},
		{"no body at the daemon API", "HEAD", "/daemon", nil, "", 405, html, "", header{}},
		{"alive", "GET", "/livez", nil, "", 200, json, `{"status":"alive"}` + "\n", header{"Cache-Control", "no-store"}},
		{"ready", "GET", "/readyz", nil, "", 200, json, `{"status":"ready"}` + "\n", header{"Cache-Control", "no-store"}},
		{"ready, without a body", "HEAD", "/readyz", nil, "", 200, json, "", header{"Cache-Control", "no-store"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			response, body := n.ask(c.method, c.path, []byte(c.body), c.headers...)
			require.Equal(t, c.status, response.StatusCode, string(body))
			require.Equal(t, c.contentType, response.Header.Get("Content-Type"))
			if c.want != "" {
				require.Equal(t, c.want, string(body))
			}
			if c.method == http.MethodHead {
				require.Empty(t, body)
			}
			require.Equal(t, c.has[1], response.Header.Get(c.has[0]))
			require.NotContains(t, string(body), rpcPassword)
			require.NotContains(t, string(body), daemonPassword)
		})
	}
	require.Equal(t, key, n.succeeds("get_public_key", "{}"))
}

// TestWrongPasswordsCountTogether sends wrong RPC passwords in a header and in bodies, and from two
// addresses.
func TestWrongPasswordsCountTogether(t *testing.T) {
	t.Parallel()
	n := openEdge(t).node(t, nil)
	guess := func(place string) string {
		response, answer := n.ask(http.MethodPost, "/", []byte(`{"mmrpc":"2.0","userpass":"wrong","method":"rpc.discover"}`), header{"Cf-Connecting-Ip", place})
		require.Equal(t, http.StatusForbidden, response.StatusCode)
		return string(answer)
	}
	for left := 9; left > 0; left -= 2 {
		require.Contains(t, guess("203.0.113.5"), fmt.Sprintf("attempts left: %d", left))
		response, _ := n.ask(http.MethodGet, "/metrics", nil, basic("any", "wrong"), header{"Cf-Connecting-Ip", "203.0.113.5"})
		require.Equal(t, http.StatusUnauthorized, response.StatusCode)
	}
	require.Contains(t, guess("203.0.113.5"), "banned")
	require.Contains(t, guess("203.0.113.6"), "attempts left: 9", "another address is not banned")
	require.NotEmpty(t, n.succeeds("get_enabled_coins", "{}"))
}

// TestUnknownObject checks that a request with an unconfigured name starts no object.
func TestUnknownObject(t *testing.T) {
	t.Parallel()
	e := openEdge(t)
	for _, name := range []string{"unknown", "", "n0%00", "N0", "__proto__", "n0%2f"} {
		n := &node{e, t, name}
		for _, path := range []string{"/", "/livez", "/backup", "/__settings"} {
			response, body := n.ask(http.MethodGet, path, nil, basic("any", rpcPassword))
			require.Equal(t, http.StatusNotFound, response.StatusCode, "%s %s", name, body)
			require.JSONEq(t, `{"error":"there is no node of this name"}`, string(body))
		}
	}
}

// TestObjectsAreApart checks that an object has no access to the data of another one.
func TestObjectsAreApart(t *testing.T) {
	t.Parallel()
	e := openEdge(t)
	chain := func(name string) map[string]any {
		return map[string]any{"ac_name": name, "ac_cc": 2, "ac_supply": 1000, "blockinterval": 0}
	}
	one := e.node(t, map[string]any{"passphrase": "one of two objects", "chain": chain("ONE")})
	two := e.node(t, map[string]any{"passphrase": "the other object", "chain": chain("TWO"), "rpc_password": "Another-5ecret"})
	var created struct{ Error, Hex string }
	one.call(&created, "tokencreate", "ALONE", "0.5", "of one object")
	require.Empty(t, created.Error)
	var id string
	one.call(&id, "sendrawtransaction", created.Hex)
	var tokens []string
	require.Eventually(t, func() bool {
		one.call(&tokens, "tokenlist")
		return len(tokens) == 1
	}, timeout, 20*time.Millisecond)
	require.Equal(t, []string{id}, tokens)
	two.call(&tokens, "tokenlist")
	require.Empty(t, tokens)
	status, answer := two.daemon(request(t, "getrawtransaction", id))
	require.NotEqual(t, http.StatusOK, status, string(answer))
	status, answer = two.rpc("get_public_key", "{}")
	require.Equal(t, http.StatusForbidden, status, string(answer))
	key := func(password string, n *node) string {
		_, answer := n.do("/", fmt.Appendf(nil, `{"mmrpc":"2.0","userpass":%q,"method":"get_public_key"}`, password))
		require.Contains(t, string(answer), `"public_key":"0`)
		return string(answer)
	}
	require.NotEqual(t, key(rpcPassword, one), key("Another-5ecret", two))
	one.evict()
	two.call(&tokens, "tokenlist")
	require.Empty(t, tokens)
	one.call(&tokens, "tokenlist")
	require.Equal(t, []string{id}, tokens)
}

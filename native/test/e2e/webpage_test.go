package e2e

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fetch requests a path on the port of the node API. headers have the form "Name: value".
func (n *node) ask(verb, path, body string, headers ...string) (*http.Response, string) {
	n.t.Helper()
	request, err := http.NewRequestWithContext(n.t.Context(), verb, n.ready.Node+path, strings.NewReader(body))
	require.NoError(n.t, err)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		request.Header.Set(name, value)
		if name == "Host" {
			request.Host = value
		}
	}
	response, err := n.client.http.Do(request)
	require.NoError(n.t, err)
	text, err := io.ReadAll(response.Body)
	require.NoError(n.t, err)
	require.NoError(n.t, response.Body.Close())
	return response, string(text)
}

// The program may be built without the page. In both cases, a browser gets a page at the printed
// address, and the node reports whether it contains the page.
func TestWalletPage(t *testing.T) {
	t.Parallel()
	n := newLaunch(t).start(t)
	response, text := n.ask(http.MethodGet, "/", "")
	log := n.stderr.text()
	switch response.StatusCode {
	case http.StatusOK:
		require.Contains(t, log, "wallet page: "+n.ready.Node+"/\n")
		require.True(t, strings.HasPrefix(strings.ToLower(text), "<!doctype html>"), text)
		require.Equal(t, "text/html; charset=utf-8", response.Header.Get("Content-Type"))
		_, cached := n.ask(http.MethodGet, "/", "", "If-None-Match: *")
		require.Empty(t, cached)
	case http.StatusNotFound:
		require.Contains(t, log, "this program was built without the wallet page")
		require.Contains(t, text, "built without the wallet page")
	default:
		require.FailNow(t, "neither the page nor words", "%d %s", response.StatusCode, text)
	}
	policy := response.Header.Get("Content-Security-Policy")
	require.Contains(t, policy, "default-src 'none'; script-src 'self' 'wasm-unsafe-eval';")
	require.Contains(t, policy, "frame-ancestors 'none'")
	require.Empty(t, response.Header.Get("Cross-Origin-Opener-Policy"))

	head, none := n.ask(http.MethodHead, "/", "")
	require.Equal(t, response.StatusCode, head.StatusCode)
	require.Empty(t, none)
	elsewhere, text := n.ask(http.MethodGet, "/somewhere", "")
	require.Equal(t, http.StatusNotFound, elsewhere.StatusCode)
	require.Equal(t, `{"error":"there is nothing at this path"}`+"\n", text)
	rebound, text := n.ask(http.MethodGet, "/", "", "Host: evil.example")
	require.Equal(t, http.StatusForbidden, rebound.StatusCode)
	require.Contains(t, text, "this Host is not in allowed_hosts")
}

// The test makes the calls of a browser from the page, on loopback, by name and behind a proxy with
// TLS, and calls from a page of another site.
func TestCallsOfThePage(t *testing.T) {
	t.Parallel()
	n := newLaunch(t).start(t, `allowed_hosts=["wallet.example"]`)
	const call = `{"mmrpc":"2.0","userpass":"` + rpcPassword + `","method":"get_public_key","params":{},"id":1}`
	port := n.ready.Node[strings.LastIndex(n.ready.Node, ":"):]
	for name, c := range map[string]struct {
		headers []string
		status  int
	}{
		"page":               {[]string{"Origin: " + n.ready.Node, "Sec-Fetch-Site: same-origin"}, 200},
		"page at localhost":  {[]string{"Host: localhost" + port, "Origin: http://localhost" + port, "Sec-Fetch-Site: same-origin"}, 200},
		"older browser":      {[]string{"Origin: " + n.ready.Node}, 200},
		"behind TLS":         {[]string{"Host: wallet.example", "Origin: https://wallet.example", "Sec-Fetch-Site: same-origin"}, 200},
		"behind TLS, older":  {[]string{"Host: wallet.example", "Origin: https://wallet.example"}, 200},
		"page elsewhere":     {[]string{"Origin: https://evil.example", "Sec-Fetch-Site: cross-site"}, 403},
		"another port":       {[]string{"Origin: http://127.0.0.1:1", "Sec-Fetch-Site: same-site"}, 403},
		"elsewhere, older":   {[]string{"Origin: https://evil.example"}, 403},
		"name that rebounds": {[]string{"Host: evil.example" + port, "Origin: http://evil.example" + port, "Sec-Fetch-Site: same-origin"}, 403},
	} {
		t.Run(name, func(t *testing.T) {
			response, text := n.ask(http.MethodPost, "/", call, append(c.headers, "Content-Type: application/json")...)
			require.Equal(t, c.status, response.StatusCode, text)
			require.Empty(t, response.Header.Get("Access-Control-Allow-Origin"))
		})
	}
}

// If the page is disabled, there is no page, and the output does not mention it.
func TestNoWalletPage(t *testing.T) {
	t.Parallel()
	n := newLaunch(t).start(t, "wallet_page=false")
	response, text := n.ask(http.MethodGet, "/", "")
	require.Equal(t, http.StatusNotFound, response.StatusCode)
	require.Equal(t, `{"error":"there is nothing at this path"}`+"\n", text)
	require.NotContains(t, n.stderr.text(), "wallet page")
	require.Equal(t, http.StatusOK, n.askNode("get_public_key", "{}").Status)
}

package cometbft

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRPCFromWebPages keeps web pages of others from CometBFT's own interface: by DNS rebinding,
// by a cross-site request, and by a websocket, which browsers open across sites.
func TestRPCFromWebPages(t *testing.T) {
	w := newNetwork(t, testOptions(t), 1)
	w.nodes[0].inMemory(t)
	w.settings[0].serve(freeAddress(t))
	w.begin(t)
	at := w.settings[0].RPC
	for name, c := range map[string]struct {
		verb, path, header string
		status             int
	}{
		"a tool":                    {"GET", "/status", "", 200},
		"a tool that calls":         {"POST", "/", "", 200},
		"by name":                   {"GET", "/status", "Host: localhost:26657", 200},
		"a rebound name":            {"GET", "/status", "Host: evil.example", 403},
		"a rebound name that calls": {"POST", "/", "Host: evil.example", 403},
		"another origin":            {"POST", "/", "Origin: https://evil.example", 403},
		"another site":              {"POST", "/", "Sec-Fetch-Site: cross-site", 403},
		"another site's image":      {"GET", "/broadcast_tx_async?tx=0x00", "Sec-Fetch-Site: cross-site", 403},
		"another site's websocket":  {"GET", "/websocket", "Origin: https://evil.example", 403},
		"a websocket":               {"GET", "/websocket", "Origin: http://" + at, 101},
	} {
		request, err := http.NewRequestWithContext(t.Context(), c.verb, "http://"+at+c.path, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"status","params":{}}`))
		require.NoError(t, err)
		if c.verb == "GET" {
			request.Body, request.ContentLength = http.NoBody, 0
		}
		request.Header.Set("Content-Type", "text/plain")
		if c.path == "/websocket" {
			request.Header.Set("Connection", "Upgrade")
			request.Header.Set("Upgrade", "websocket")
			request.Header.Set("Sec-WebSocket-Version", "13")
			request.Header.Set("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
		}
		if field, value, has := strings.Cut(c.header, ": "); has {
			request.Header.Set(field, value)
			if field == "Host" {
				request.Host = value
			}
		}
		response, err := http.DefaultTransport.RoundTrip(request)
		require.NoError(t, err, name)
		require.Equal(t, c.status, response.StatusCode, name)
		if c.status != http.StatusSwitchingProtocols {
			text, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			require.Equal(t, c.status == 200, strings.Contains(string(text), "node_info"), name)
		}
		require.NoError(t, response.Body.Close())
	}
}

package httpd

import (
	"net"
	"net/http"
	"testing"

	"github.com/julienschmidt/httprouter"
	"github.com/stretchr/testify/require"
)

// A browser lets a page call the daemon API if the answers name the page's origin.
func TestPagesThatCallTheDaemon(t *testing.T) {
	const configured = "https://wallet.example"
	mount := func(*httprouter.Router) {}
	s, _ := start(t, Config{Hosts: []string{"node.local"}, Node: Node{Serve: echo, Origin: configured, Mount: mount}})
	alone, _ := start(t, Config{Node: Node{Serve: echo}})
	_, port, err := net.SplitHostPort(s.NodeAddress())
	require.NoError(t, err)
	_, daemon, err := net.SplitHostPort(s.DaemonAddress())
	require.NoError(t, err)
	for name, c := range map[string]struct {
		server *Server
		origin string
		may    bool
	}{
		"configured":                 {s, configured, true},
		"wallet page":                {s, "http://" + s.NodeAddress(), true},
		"wallet page at localhost":   {s, "http://localhost:" + port, true},
		"wallet page at ::1":         {s, "http://[::1]:" + port, true},
		"wallet page by name":        {s, "http://node.local:" + port, true},
		"not encrypted as it should": {s, "http://wallet.example", false},
		"another site":               {s, "https://evil.example", false},
		"another site on that port":  {s, "http://evil.example:" + port, false},
		"another port":               {s, "http://127.0.0.1:" + daemon, false},
		"no port":                    {s, "http://127.0.0.1", false},
		"another scheme":             {s, "https://127.0.0.1:" + port, false},
		"a file":                     {s, "null", false},
		"no URL":                     {s, "http://[:" + port, false},
		"none":                       {s, "", false},
		"no wallet page":             {alone, "http://" + alone.NodeAddress(), false},
	} {
		t.Run(name, func(t *testing.T) {
			want := ""
			if c.may {
				want = c.origin
			}
			from := []string{"X-None: "}
			if c.origin != "" {
				from = []string{"Origin: " + c.origin}
			}
			for _, credential := range []string{right, "Basic d3Jvbmc="} {
				answer, _ := ask(t, http.MethodPost, c.server.DaemonAddress(), "/", "{}", append(from, "Authorization: "+credential)...)
				require.Equal(t, want, answer.Header.Get("Access-Control-Allow-Origin"), "status %d", answer.StatusCode)
				require.Equal(t, "Origin", answer.Header.Get("Vary"))
				require.Empty(t, answer.Header.Get("Access-Control-Allow-Credentials"))
			}
			first, _ := ask(t, http.MethodOptions, c.server.DaemonAddress(), "/", "", append(from, "Access-Control-Request-Method: POST")...)
			require.Equal(t, want, first.Header.Get("Access-Control-Allow-Origin"))
			if !c.may {
				require.Equal(t, http.StatusMethodNotAllowed, first.StatusCode)
				return
			}
			require.Equal(t, http.StatusOK, first.StatusCode)
			require.Equal(t, "POST", first.Header.Get("Access-Control-Allow-Methods"))
			require.Equal(t, "Authorization, Content-Type", first.Header.Get("Access-Control-Allow-Headers"))
			put, _ := ask(t, http.MethodOptions, c.server.DaemonAddress(), "/", "", append(from, "Access-Control-Request-Method: PUT")...)
			require.Equal(t, http.StatusMethodNotAllowed, put.StatusCode)
			require.Empty(t, put.Header.Get("Access-Control-Allow-Origin"))
		})
	}
}

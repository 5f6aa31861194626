package httpd

import (
	"context"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/julienschmidt/httprouter"
	"github.com/stretchr/testify/require"

	"obverse/core/daemon"
	"obverse/core/event"
	"obverse/core/net/route"
	"obverse/core/rpc"
	"obverse/core/rpc/auth"
	"obverse/native/onetime"
)

// A browser allows a page to call the daemon API if the responses contain the page's origin.
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

// elsewhere is a listener with clients on another machine.
type elsewhere struct{ net.Listener }

func (l elsewhere) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return elsewhereConn{c}, err
}

type elsewhereConn struct{ net.Conn }

func (elsewhereConn) RemoteAddr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(203, 0, 113, 5), Port: 4711}
}

// fromElsewhere gives the clients of both ports addresses of another machine.
func fromElsewhere(s *Server) {
	for _, p := range []*port{&s.daemon, &s.node} {
		p.listener.Listener = elsewhere{p.listener.Listener}
	}
}

// TestRoutes tests all routes of both ports with callers on this machine, callers through a proxy
// on this machine, and callers on other machines. All of them have the passwords.
func TestRoutes(t *testing.T) {
	const call = `{"method":"getinfo"}`
	callers := map[string]struct {
		local  bool
		header string
		setup  func(*Server)
	}{
		"local":                      {true, "", func(*Server) {}},
		"forwarded":                  {false, "X-Forwarded-For: 203.0.113.5", func(*Server) {}},
		"forwarded, Via":             {false, "Via: 1.1 proxy", func(*Server) {}},
		"behind a silent proxy":      {false, "", func(s *Server) { s.gate.behindProxy = true }},
		"elsewhere":                  {false, "", fromElsewhere},
		"elsewhere, claims loopback": {false, "X-Real-Ip: 127.0.0.1", fromElsewhere},
	}
	for name, from := range callers {
		for _, localOnly := range []bool{true, false} {
			var seen []rpc.Caller
			link := onetime.New("s3cret", time.Now)
			token := link.Token()
			c := Config{
				Daemon: Daemon{Serve: func(_ context.Context, caller rpc.Caller, body []byte) (int, []byte) {
					seen = append(seen, caller)
					return http.StatusOK, body
				}},
				Node: Node{LocalOnly: localOnly, Link: link, Events: Events{Hub: func() *event.Hub { return newHub(t, event.Config{}) }},
					Credentials: daemon.NewPasswordAuthorizer("p", auth.New(false, patientClock{}))},
			}
			c.Node.Serve = c.Daemon.Serve
			s, _ := startAs(t, c, from.setup)
			request := func(verb, address, path, body string, headers ...string) int {
				if from.header != "" {
					headers = append(headers, from.header)
				}
				response, _ := ask(t, verb, address, path, body, headers...)
				return response.StatusCode
			}
			// get returns the statuses of a route without the password and with it.
			get := func(r route.Route) [2]int {
				return [2]int{request(http.MethodHead, s.NodeAddress(), r.Path, ""), request(http.MethodHead, s.NodeAddress(), r.Path, "", "Authorization: "+right)}
			}
			open, guarded := [2]int{200, 200}, [2]int{401, 200}
			if from.local {
				guarded = open
			}
			walk := map[string]func() (got, want any){
				route.Live.Path:    func() (got, want any) { return get(route.Live), open },
				route.Ready.Path:   func() (got, want any) { return get(route.Ready), open },
				route.Metrics.Path: func() (got, want any) { return get(route.Metrics), guarded },
				route.Events.Path:  func() (got, want any) { return get(route.Events), guarded },
				route.Backup.Path:  func() (got, want any) { return get(route.Backup), [2]int{404, 404} }, // only at the edge
				route.Link.Path: func() (got, want any) {
					want = http.StatusForbidden
					if from.local {
						want = http.StatusOK
					}
					return request(http.MethodPost, s.NodeAddress(), route.Link.Path, `{"token":"`+token+`"}`), want
				},
				route.Daemon.Path: func() (got, want any) {
					want = http.StatusForbidden
					if from.local || !localOnly {
						want = http.StatusOK
					}
					return request(http.MethodPost, s.NodeAddress(), route.Daemon.Path, call, "Authorization: "+right), want
				},
			}
			for _, r := range route.All() {
				require.Contains(t, walk, r.Path, "a route without a test of its callers")
				got, want := walk[r.Path]()
				require.Equal(t, want, got, "%s, rpc_local_only=%v: %s", name, localOnly, r.Path)
			}
			// The APIs receive the properties of the caller and decide themselves.
			require.Equal(t, 200, request(http.MethodPost, s.NodeAddress(), "/", call), name)
			require.Equal(t, from.local, seen[len(seen)-1].Local, name)
			require.Equal(t, 200, request(http.MethodPost, s.DaemonAddress(), "/", call, "Authorization: "+right), name)
			require.Equal(t, from.local, seen[len(seen)-1].Local, name)
		}
	}
}

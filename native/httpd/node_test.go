package httpd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/julienschmidt/httprouter"
	"github.com/stretchr/testify/require"

	"obverse/core/daemon"
	"obverse/core/event"
	"obverse/core/metrics"
	"obverse/core/net/route"
	"obverse/core/rpc"
	"obverse/core/rpc/auth"
	"obverse/native/limit"
	"obverse/native/onetime"
)

func TestNodeRoutes(t *testing.T) {
	const nothing = `{"error":"there is nothing at this path"}` + "\n"
	s, _ := start(t, Config{Node: Node{Serve: echo, Mount: func(router *httprouter.Router) {
		for _, path := range []string{"/", "/event-stream", "/assets/a.js"} {
			router.GET(path, func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
				_, _ = io.WriteString(w, "mounted "+path)
			})
		}
	}}})
	for name, c := range map[string]struct {
		verb, path string
		status     int
		body       string
	}{
		"call":                  {"POST", "/", 200, "x"},
		"call on a deep path":   {"POST", "/a/b?c=d", 200, "x"},
		"call on a double path": {"POST", "//", 200, "x"},
		"call where GET is":     {"POST", "/livez", 200, "x"},
		"mounted":               {"GET", "/event-stream", 200, "mounted /event-stream"},
		"page":                  {"GET", "/", 200, "mounted /"},
		"page with a query":     {"GET", "/?a=b", 200, "mounted /"},
		"of the page":           {"GET", "/assets/a.js", 200, "mounted /assets/a.js"},
		"call where a file is":  {"POST", "/assets/a.js", 200, "x"},
		"not of the page":       {"GET", "/assets/b.js", 404, nothing},
		"no redirect":           {"GET", "/livez/", 404, nothing},
		"no correction":         {"GET", "/LIVEZ", 404, nothing},
		"alive":                 {"GET", "/livez", 200, `{"status":"alive"}` + "\n"},
		"alive, HEAD":           {"HEAD", "/livez", 200, ""},
		"ready":                 {"GET", "/readyz", 200, `{"status":"ready"}` + "\n"},
		"other verbs":           {"PUT", "/", 405, `{"error":"only POST requests are calls"}` + "\n"},
		"preflight":             {"OPTIONS", "/", 200, ""},
	} {
		t.Run(name, func(t *testing.T) {
			response, body := ask(t, c.verb, s.NodeAddress(), c.path, "x")
			require.Equal(t, c.status, response.StatusCode)
			require.Equal(t, c.body, body)
			require.Empty(t, response.Header.Values("Access-Control-Allow-Origin"))
		})
	}
}

func TestNodeWithoutMethodsOrPage(t *testing.T) {
	s, _ := start(t, Config{})
	response, body := ask(t, http.MethodPost, s.NodeAddress(), "/", "{}")
	require.Equal(t, http.StatusNotImplemented, response.StatusCode)
	require.Equal(t, jsonType, response.Header.Get("Content-Type"))
	require.Equal(t, `{"error":"this build has no node methods; the token methods are on the daemon port"}`+"\n", body)
	response, body = ask(t, http.MethodGet, s.NodeAddress(), "/", "")
	require.Equal(t, http.StatusNotFound, response.StatusCode)
	require.Equal(t, `{"error":"there is nothing at this path"}`+"\n", body)
}

func TestOrigin(t *testing.T) {
	s, _ := start(t, Config{Node: Node{Serve: echo, Origin: "https://wallet.example"}})
	response, _ := ask(t, http.MethodOptions, s.NodeAddress(), "/", "")
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin": "https://wallet.example", "Access-Control-Allow-Methods": "POST, OPTIONS",
		"Access-Control-Allow-Headers": "Content-Type", "Access-Control-Max-Age": "3600",
	} {
		require.Equal(t, want, response.Header.Get(name), name)
	}
	response, _ = ask(t, http.MethodPost, s.NodeAddress(), "/", "{}")
	require.Equal(t, "https://wallet.example", response.Header.Get("Access-Control-Allow-Origin"))
	response, _ = ask(t, http.MethodPost, s.DaemonAddress(), "/", "{}", "Authorization: "+right)
	require.Empty(t, response.Header.Get("Access-Control-Allow-Origin"))
}

// Pages of other sites can make browsers send requests without a preflight.
func TestForeignPages(t *testing.T) {
	const configured = "https://wallet.example"
	book := &logBook{}
	s, _ := start(t, Config{Log: book.logger(), Node: Node{Serve: echo, Origin: configured}})
	open, _ := start(t, Config{Node: Node{Serve: echo}})
	for name, c := range map[string]struct {
		address string
		headers []string
		status  int
	}{
		"no browser":                    {s.NodeAddress(), nil, 200},
		"configured":                    {s.NodeAddress(), []string{"Origin: " + configured, "Sec-Fetch-Site: cross-site"}, 200},
		"configured, old browser":       {s.NodeAddress(), []string{"Origin: " + configured}, 200},
		"own page":                      {s.NodeAddress(), []string{"Origin: http://" + s.NodeAddress(), "Sec-Fetch-Site: same-origin"}, 200},
		"own page, old browser":         {s.NodeAddress(), []string{"Origin: http://" + s.NodeAddress()}, 200},
		"own page behind a proxy":       {s.NodeAddress(), []string{"Origin: https://node.example", "Sec-Fetch-Site: same-origin"}, 200},
		"another site":                  {s.NodeAddress(), []string{"Origin: https://evil.example", "Sec-Fetch-Site: cross-site", "Content-Type: text/plain"}, 403},
		"another site, old browser":     {s.NodeAddress(), []string{"Origin: https://evil.example"}, 403},
		"another port of this machine":  {s.NodeAddress(), []string{"Origin: http://127.0.0.1:3000", "Sec-Fetch-Site: same-site"}, 403},
		"a file, or a frame in sandbox": {s.NodeAddress(), []string{"Origin: null", "Sec-Fetch-Site: cross-site"}, 403},
		"another origin configured":     {open.NodeAddress(), []string{"Origin: " + configured, "Sec-Fetch-Site: cross-site"}, 403},
	} {
		t.Run(name, func(t *testing.T) {
			response, body := ask(t, http.MethodPost, c.address, "/", "{}", c.headers...)
			require.Equal(t, c.status, response.StatusCode)
			if c.status == 200 {
				require.Equal(t, "{}", body)
				return
			}
			require.Equal(t, jsonType, response.Header.Get("Content-Type"))
			require.Contains(t, body, "pages of this web origin may not call the node")
			require.Empty(t, response.Header.Get("Access-Control-Allow-Origin"))
		})
	}
	response, _ := ask(t, http.MethodGet, s.NodeAddress(), "/livez", "", "Origin: https://evil.example", "Sec-Fetch-Site: cross-site")
	require.Equal(t, http.StatusOK, response.StatusCode, "what changes nothing may be asked, and not read")
	require.NotContains(t, book.String(), "evil.example")
}

// A page that reads events with a credential sends a preflight request.
func TestPreflightOfEvents(t *testing.T) {
	s, _ := start(t, Config{Node: Node{Serve: echo, Origin: "https://calls.example", Events: Events{Origin: "https://events.example"}}})
	for name, c := range map[string]struct{ path, method, origin, methods, headers string }{
		"call":              {"/", "POST", "https://calls.example", "POST, OPTIONS", "Content-Type"},
		"events":            {"/event-stream", "GET", "https://events.example", "GET, OPTIONS", "Authorization, Last-Event-ID"},
		"call on that path": {"/event-stream", "POST", "https://calls.example", "POST, OPTIONS", "Content-Type"},
	} {
		t.Run(name, func(t *testing.T) {
			response, _ := ask(t, http.MethodOptions, s.NodeAddress(), c.path+"?id=1", "", "Access-Control-Request-Method: "+c.method)
			require.Equal(t, http.StatusOK, response.StatusCode)
			require.Equal(t, c.origin, response.Header.Get("Access-Control-Allow-Origin"))
			require.Equal(t, c.methods, response.Header.Get("Access-Control-Allow-Methods"))
			require.Equal(t, c.headers, response.Header.Get("Access-Control-Allow-Headers"))
		})
	}
}

// A caller that is rejected for a time receives the duration.
func TestRetryAfter(t *testing.T) {
	var wait atomic.Int64
	var status atomic.Int64
	s, _ := start(t, Config{Node: Node{
		Serve: func(context.Context, rpc.Caller, []byte) (int, []byte) { return int(status.Load()), nil },
		RetryAfter: func(caller rpc.Caller) time.Duration {
			require.Equal(t, "127.0.0.1", caller.Address)
			return time.Duration(wait.Load())
		},
	}})
	for _, c := range []struct {
		status int64
		wait   time.Duration
		want   string
	}{
		{403, 0, ""}, {403, -time.Second, ""}, {403, 1, "1"}, {403, time.Second, "1"}, {403, 599*time.Second + 1, "600"},
		{500, time.Minute, "60"}, {200, time.Minute, ""},
	} {
		wait.Store(int64(c.wait))
		status.Store(c.status)
		response, _ := ask(t, http.MethodPost, s.NodeAddress(), "/", "{}")
		require.EqualValues(t, c.status, response.StatusCode)
		require.Equal(t, c.want, response.Header.Get("Retry-After"), c)
	}
}

// Responses to unsupported verbs name the supported ones.
func TestOtherVerbs(t *testing.T) {
	s, _ := start(t, Config{Node: Node{Serve: echo}})
	for _, verb := range []string{"PUT", "PATCH", "DELETE", "TRACE", "BREW"} {
		for _, path := range []string{"/", "/livez", "/a/b"} {
			response, body := ask(t, verb, s.NodeAddress(), path, "")
			require.Equal(t, http.StatusMethodNotAllowed, response.StatusCode, verb+path)
			require.Equal(t, "GET, HEAD, POST, OPTIONS", response.Header.Get("Allow"))
			require.Equal(t, jsonType, response.Header.Get("Content-Type"))
			require.Equal(t, `{"error":"only POST requests are calls"}`+"\n", body)
		}
	}
}

func TestReadiness(t *testing.T) {
	var trouble atomic.Value
	s, _ := start(t, Config{Ready: func() error { err, _ := trouble.Load().(error); return err }})
	response, _ := ask(t, http.MethodGet, s.NodeAddress(), "/readyz", "")
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, "no-store", response.Header.Get("Cache-Control"))

	trouble.Store(errors.New("disk full at /data"))
	response, body := ask(t, http.MethodGet, s.NodeAddress(), "/readyz", "")
	require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
	require.Equal(t, `{"reason":"disk full at /data","status":"unavailable"}`+"\n", body)
	_, body = ask(t, http.MethodGet, s.NodeAddress(), "/readyz", "", "X-Forwarded-For: 1.2.3.4")
	require.Equal(t, `{"status":"unavailable"}`+"\n", body)
	response, _ = ask(t, http.MethodGet, s.NodeAddress(), "/livez", "")
	require.Equal(t, http.StatusOK, response.StatusCode)
}

func TestMetrics(t *testing.T) {
	m := NewMetrics(Build{Version: "1.2.3", Commit: "abc"})
	m.Watch(metrics.Gauge{Name: "chain_height", Help: "Height of the tip.", Read: func() float64 { return 42 }})
	server := daemon.New(daemon.Options{Calls: m}, emptyChain()...)
	s, _ := start(t, Config{
		Metrics: m, Daemon: Daemon{Serve: server.Serve},
		Node: Node{Credentials: daemon.NewPasswordAuthorizer("p", auth.New(false, patientClock{}))},
	})
	post(t, s.DaemonAddress(), `[{"method":"tokenlist"},{"method":"evil"},{"method":"tokeninfo"}]`)
	post(t, s.DaemonAddress(), `{"method":"tokenlist"}`)

	response, body := ask(t, http.MethodGet, s.NodeAddress(), "/metrics", "")
	require.Equal(t, http.StatusOK, response.StatusCode)
	for _, line := range []string{
		`obverse_build_info{commit="abc",version="1.2.3"} 1`,
		`obverse_chain_height 42`,
		`obverse_http_requests_total{interface="daemon",status="200"} 2`,
		`obverse_rpc_calls_total{interface="daemon",method="tokenlist",status="ok"} 2`,
		`obverse_rpc_calls_total{interface="daemon",method="tokeninfo",status="-1"} 1`,
		`obverse_rpc_calls_total{interface="daemon",method="unknown",status="-32601"} 1`,
		`obverse_rpc_call_seconds_count{interface="daemon",method="tokenlist"} 2`,
		`go_goroutines `,
	} {
		require.Contains(t, body, line)
	}
	require.NotContains(t, body, "evil")
	require.Panics(t, func() { m.Watch(metrics.Gauge{Name: "chain_height"}) })
}

func TestMetricsAddress(t *testing.T) {
	const proxied = "X-Forwarded-For: 1.2.3.4"
	s, _ := start(t, Config{Node: Node{Credentials: daemon.NewPasswordAuthorizer("p", auth.New(false, patientClock{}))}})
	response, body := ask(t, http.MethodGet, s.NodeAddress(), "/metrics", "", proxied)
	require.Equal(t, http.StatusUnauthorized, response.StatusCode)
	require.Equal(t, `Basic realm="jsonrpc"`, response.Header.Get("WWW-Authenticate"))
	require.Contains(t, body, "metrics need the RPC password")
	response, _ = ask(t, http.MethodGet, s.NodeAddress(), "/metrics", "", proxied, "Authorization: "+right)
	require.Equal(t, http.StatusOK, response.StatusCode)
	response, _ = ask(t, http.MethodHead, s.NodeAddress(), "/metrics", "")
	require.Equal(t, http.StatusOK, response.StatusCode)

	s, _ = start(t, Config{})
	response, _ = ask(t, http.MethodGet, s.NodeAddress(), "/metrics", "", proxied, "Authorization: "+right)
	require.Equal(t, http.StatusUnauthorized, response.StatusCode, "without a credential to compare with no caller passes")
}

func TestHostCheck(t *testing.T) {
	s, _ := start(t, Config{Hosts: []string{"Wallet.lan", "proxy.lan:8080"}, Node: Node{Serve: echo}})
	allowed := map[string]bool{
		"localhost": true, "LOCALHOST:1": true, "localhost.": true, "127.0.0.1": true, "127.9.9.9:1": true, "[::1]:80": true, "[::1]": true,
		"[::ffff:127.0.0.1]:1": true, "wallet.lan": true, "wallet.LAN:99": true, "proxy.lan": true,
		"evil.example": false, "localhost.evil.example": false, "127.0.0.1.evil.example": false, "192.168.1.1": false, "0.0.0.0": false,
		"[::2]:80": false, "2130706433": false, "127.0.0.1.": true,
		"localhost%evil.com": false, "localhost%25evil.com": false, "evil.com%localhost": false, "127.0.0.1%evil.com": false,
		"localhost..": false, ".localhost": false, "localhost:0": false, "localhost:65536": false, "localhost:": false,
		"localhost:80:80": false, "localhost:+80": false, "localhost:x": false, "[localhost]": false, "[127.0.0.1]": false,
		"[::1]x": false, "[::1]:": false, "::1": false,
	}
	for host, ok := range allowed {
		t.Run(host, func(t *testing.T) {
			for _, address := range []string{s.DaemonAddress(), s.NodeAddress()} {
				response, body := ask(t, http.MethodPost, address, "/", "{}", "Host: "+host, "Authorization: "+right)
				require.Equal(t, ok, response.StatusCode == http.StatusOK)
				if response.StatusCode == http.StatusBadRequest {
					continue // the HTTP library rejects it
				}
				if !ok {
					require.Equal(t, http.StatusForbidden, response.StatusCode)
					require.Equal(t, jsonType, response.Header.Get("Content-Type"))
					require.Contains(t, body, "this Host is not in allowed_hosts of the node's config")
					require.Contains(t, body, fmt.Sprintf("%.10s", strings.Trim(host, "[]")))
				}
			}
			response, _ := ask(t, http.MethodGet, s.NodeAddress(), "/livez", "", "Host: "+host)
			require.Equal(t, ok, response.StatusCode == http.StatusOK)
		})
	}
}

// Current browsers always send a Host. A request without one is rejected like one with another
// name.
func TestNoHost(t *testing.T) {
	s, _ := start(t, Config{})
	conn := dial(t, s.NodeAddress(), "GET /livez HTTP/1.0\r\n\r\n")
	response, _ := receive(t, conn, http.MethodGet)
	require.Equal(t, http.StatusForbidden, response.StatusCode)
}

func TestHostNames(t *testing.T) {
	for host, want := range map[string]string{
		"": "", ":80": "", "A.b:80": "a.b", "[fe80::1%eth0]:80": "fe80::1", "::1": "::1", "[::1]": "::1", "x.": "x",
	} {
		require.Equal(t, want, configuredName(host), host)
	}
	for host, want := range map[string]string{
		"A.b:80": "a.b", "[fe80::1]:80": "fe80::1", "[::1]": "::1", "x.": "x", "x_y-1": "x_y-1", "127.0.0.1:65535": "127.0.0.1",
	} {
		name, ok := hostName(host)
		require.True(t, ok, host)
		require.Equal(t, want, name)
	}
	for _, host := range []string{
		"", ".", ":80", "::1", "[::1", "::1]", "[]", "[x]", "[1.2.3.4]", "[::1%lo]", "[::1%25lo]:80", "x..", "a..b", ".x", "user@localhost",
		"localhost@evil.com", "localhost:80@evil.com", "localhost%evil.com", "localhost/", "local host", "localhost#", "localhost?", "localhost\\",
		"localhost:", "localhost:0", "localhost:65536", "localhost:99999999999999999999", "localhost:-1", "localhost:+1", "localhost: 1",
		"[::1]1", "[::1]:0", "[[::1]]", "löcalhost", "localhost\x00",
	} {
		_, ok := hostName(host)
		require.False(t, ok, host)
	}
	list := newHostList("node.lan:7783", nil)
	require.True(t, list["node.lan"])
	require.Len(t, newHostList(":7783", nil), 1, "all addresses, no name")
}

// The delays of an IPv6 address apply to its whole network.
func TestPeers(t *testing.T) {
	for remote, want := range map[string][2]string{
		"1.2.3.4:5":                {"1.2.3.4", "1.2.3.4"},
		"[::ffff:1.2.3.4]:5":       {"1.2.3.4", "1.2.3.4"},
		"[2001:db8:1:2:3:4:5:6]:7": {"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"},
		"[fe80::1%eth0]:7":         {"fe80::1", "fe80::/64"},
		"@":                        {"invalid IP", "invalid IP"},
	} {
		r := &http.Request{RemoteAddr: remote}
		require.Equal(t, want[0], peer(r).String(), remote)
		require.Equal(t, sender{address: want[0], origin: want[1]}, new(gate).senderOf(r), remote)
		r.Header = http.Header{"Via": {"1.1 x"}}
		require.Equal(t, sender{address: want[0], origin: want[1]}, new(gate).senderOf(r), "a header does not change the sender: %s", remote)
	}
}

// Callers behind a proxy on this machine are not local.
func TestForwarded(t *testing.T) {
	for _, name := range append([]string{"X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port", "X-Forwarded-Server", "X-Forwarded",
		"X-Forwarded-Prefix"}, forwarding...) {
		require.Equal(t, http.CanonicalHeaderKey(name), name)
		for remote, want := range map[string]string{"127.0.0.1:5": "127.0.0.1", "127.9.9.9:5": "127.9.9.9", "[::ffff:127.0.0.1]:5": "127.0.0.1", "[::1]:5": "::1"} {
			r := &http.Request{RemoteAddr: remote}
			require.Equal(t, sender{address: want, origin: want, local: true}, new(gate).senderOf(r), remote)
			r.Header = http.Header{name: {"for=1.2.3.4"}}
			require.Equal(t, sender{address: forwarded, origin: forwarded}, new(gate).senderOf(r), remote)
		}
	}
}

// Behind a proxy that sends no headers about itself, no caller is local.
func TestBehindProxy(t *testing.T) {
	var got rpc.Caller
	keep := func(_ context.Context, caller rpc.Caller, _ []byte) (int, []byte) {
		got = caller
		return http.StatusOK, nil
	}
	h := newHub(t, event.Config{})
	s, _ := startStreaming(t, h, Config{BehindProxy: true, Daemon: Daemon{Serve: keep}, Node: Node{Serve: keep}, Ready: func() error { return errors.New("why") }})
	response, _ := ask(t, http.MethodPost, s.NodeAddress(), "/", "{}")
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, rpc.Caller{Address: forwarded}, got)
	status, _ := post(t, s.DaemonAddress(), "{}")
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, rpc.Caller{Address: forwarded, Authorized: true}, got)
	response, _ = ask(t, http.MethodPost, s.DaemonAddress(), "/", `{"method":"rpc.discover"}`)
	require.Equal(t, http.StatusUnauthorized, response.StatusCode)
	for _, path := range []string{"/metrics", route.Events.Path} {
		response, _ = ask(t, http.MethodGet, s.NodeAddress(), path, "")
		require.Equal(t, http.StatusUnauthorized, response.StatusCode, path)
	}
	_, body := ask(t, http.MethodGet, s.NodeAddress(), "/readyz", "")
	require.NotContains(t, body, "why")
}

// The daemon API rejects pages of other sites before it checks their credentials.
func TestForeignPagesOfTheDaemon(t *testing.T) {
	const configured = "https://wallet.example"
	s, _ := start(t, Config{Node: Node{Serve: echo, Origin: configured, Mount: func(*httprouter.Router) {}}, Daemon: Daemon{Credentials: never{t}}})
	for name, c := range map[string][]string{
		"another site":             {"Origin: https://evil.example", "Sec-Fetch-Site: cross-site", "Content-Type: text/plain"},
		"another, an old browser":  {"Origin: https://evil.example"},
		"another port":             {"Origin: http://127.0.0.1:3000", "Sec-Fetch-Site: same-site"},
		"a file":                   {"Origin: null", "Sec-Fetch-Site: cross-site"},
		"a form without an origin": {"Sec-Fetch-Site: cross-site"},
	} {
		t.Run(name, func(t *testing.T) {
			response, body := ask(t, http.MethodPost, s.DaemonAddress(), "/", "{}", append(c, "Authorization: Basic x")...)
			require.Equal(t, http.StatusForbidden, response.StatusCode)
			require.Contains(t, body, "pages of this web origin may not call the node")
			require.Empty(t, response.Header.Get("Access-Control-Allow-Origin"))
			response, _ = ask(t, http.MethodPost, s.DaemonAddress(), "/", "{}", c...)
			require.Equal(t, http.StatusForbidden, response.StatusCode, "without a guess too")
		})
	}
	s, _ = start(t, Config{Node: Node{Serve: echo, Origin: configured, Mount: func(*httprouter.Router) {}}})
	for _, origin := range []string{configured, "http://" + s.NodeAddress(), strings.Replace("http://"+s.NodeAddress(), "127.0.0.1", "localhost", 1)} {
		response, _ := ask(t, http.MethodPost, s.DaemonAddress(), "/", "{}", "Authorization: "+right, "Origin: "+origin, "Sec-Fetch-Site: same-site")
		require.Equal(t, http.StatusOK, response.StatusCode, origin)
		require.Equal(t, origin, response.Header.Get("Access-Control-Allow-Origin"))
	}
}

// never is a set of credentials that must not be used.
type never struct{ t *testing.T }

func (n never) Check(context.Context, string, []string) error {
	n.t.Error("a credential was looked at")
	return daemon.ErrWrongCredential
}

func TestStatuses(t *testing.T) {
	for err, want := range map[error][2]int{
		errHost:              {403, 403},
		errTooLarge:          {413, 413},
		auth.ErrBusy:         {429, 429},
		errSlow:              {408, 408},
		errCut:               {400, 400},
		limit.ErrBusy:        {503, 500},
		limit.ErrClosing:     {503, 503},
		errPage:              {403, 403},
		errInternal:          {500, 500},
		errors.New("others"): {400, 400},
	} {
		wrapped := fmt.Errorf("here: %w", err)
		node, _ := nodeRefusal(wrapped)
		daemon, _ := daemonRefusal(wrapped)
		require.Equal(t, want, [2]int{node, daemon}, err)
	}
}

// A page exchanges the token of a link for the password once, on the port that serves the page.
func TestLink(t *testing.T) {
	log := &logBook{}
	link := onetime.New("s3cret", time.Now)
	token := link.Token()
	s, _ := start(t, Config{Node: Node{Serve: echo, Link: link, Origin: "https://wallet.example"}, Log: slog.New(slog.NewTextHandler(log, nil))})
	at, body := s.NodeAddress(), `{"token":"`+token+`"}`
	for name, c := range map[string]struct {
		body, header string
		status       int
		says         string
	}{
		"wrong":          {`{"token":"guess"}`, "", 403, "this link is not the one"},
		"no token":       {`{}`, "", 400, "the body must be"},
		"no JSON":        {`token`, "", 400, "the body must be"},
		"large":          {`{"token":"` + strings.Repeat("x", 2000) + `"}`, "", 400, "the body must be"},
		"another site":   {body, "Sec-Fetch-Site: cross-site", 403, "pages of this web origin may not call"},
		"another origin": {body, "Origin: https://evil.example", 403, "pages of this web origin may not call"},
		"another host":   {body, "Host: evil.example", 403, "allowed_hosts"},
		"by a proxy":     {body, "X-Forwarded-For: 192.0.2.1", 403, "one-time links work from localhost only"},
	} {
		headers := []string{"Content-Type: application/json"}
		if c.header != "" {
			headers = append(headers, c.header)
		}
		response, text := ask(t, http.MethodPost, at, "/link", c.body, headers...)
		require.Equal(t, c.status, response.StatusCode, name)
		require.Contains(t, text, c.says, name)
		require.NotContains(t, text, "s3cret", name)
	}
	response, text := ask(t, http.MethodPost, at, "/link", body, "Origin: http://"+at, "Sec-Fetch-Site: same-origin")
	require.Equal(t, 200, response.StatusCode, text)
	require.Equal(t, `{"userpass":"s3cret"}`+"\n", text)
	require.Equal(t, "no-store", response.Header.Get("Cache-Control"))
	require.Empty(t, response.Header.Get("Access-Control-Allow-Origin"))
	response, text = ask(t, http.MethodPost, at, "/link", body)
	require.Equal(t, 403, response.StatusCode)
	require.Contains(t, text, "this link was used already")
	for range 20 {
		response, _ = ask(t, http.MethodPost, at, "/link", `{"token":"guess"}`)
	}
	require.Equal(t, 429, response.StatusCode)
	require.Equal(t, "60", response.Header.Get("Retry-After"))
	require.Contains(t, log.String(), "connected a page by the one-time link")
	require.NotContains(t, log.String(), token)
	require.NotContains(t, log.String(), "s3cret")
}

// Without a link, the path is the path of a call, like any other.
func TestNoLink(t *testing.T) {
	s, _ := start(t, Config{Node: Node{Serve: echo}})
	response, text := ask(t, http.MethodPost, s.NodeAddress(), "/link", "hello")
	require.Equal(t, 200, response.StatusCode)
	require.Equal(t, "hello", text)
}

// The port of the node API also serves the daemon API, with the password of the node API.
func TestDaemonOnTheOtherPort(t *testing.T) {
	const password = "Basic b2J2ZXJzZTpzM2NyZXQ=" // obverse:s3cret
	c := Config{Daemon: Daemon{Serve: func(_ context.Context, caller rpc.Caller, body []byte) (int, []byte) {
		if !caller.Authorized {
			return http.StatusUnauthorized, nil
		}
		return http.StatusOK, body
	}}, Node: Node{Serve: withoutMethods, Credentials: daemon.NewPasswordAuthorizer("s3cret", auth.New(false, patientClock{}))}}
	s, _ := start(t, c)
	for name, one := range map[string]struct {
		headers []string
		status  int
	}{
		"the password":           {[]string{"Authorization: " + password}, 200},
		"that of the daemon API": {[]string{"Authorization: " + right}, 401},
		"none":                   {nil, 401},
		"a page of the port":     {[]string{"Authorization: " + password, "Origin: http://" + s.NodeAddress()}, 200},
		"a page of other port":   {[]string{"Authorization: " + password, "Origin: http://127.0.0.1:1"}, 403},
		"a page of elsewhere":    {[]string{"Authorization: " + password, "Sec-Fetch-Site: cross-site"}, 403},
	} {
		response, text := ask(t, http.MethodPost, s.NodeAddress(), "/daemon", `{"method":"getinfo"}`, one.headers...)
		require.Equal(t, one.status, response.StatusCode, name)
		if one.status == 200 {
			require.Equal(t, `{"method":"getinfo"}`, text, name)
		}
	}
	response, _ := ask(t, http.MethodPost, s.NodeAddress(), "/daemon/x", "{}")
	require.Equal(t, http.StatusNotImplemented, response.StatusCode, "other paths are calls of the node API")
}

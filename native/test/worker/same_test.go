package worker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/daemon/daemontest"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/native/test/vectorservers"
)

// answered holds the compared parts of a response.
type answered struct {
	status      int
	contentType string
	body        string
}

// vary matches parts of responses that depend on the time, the build, the test or randomness, but
// not on the kind of node.
var vary = []struct{ what, pattern string }{
	{"times", `"(datetime|timestamp|timereceived|blocktime|time|retry_at|connected_since|keypoololdest)":("[^"]*"|\d+)`},
	{"tickets", `"ticket":"[^"]*"`},
	{"a made-up node", `127\.0\.0\.1:\d+`},
	{"the identity that a store was given", `12D3KooW[1-9A-Za-z]{44}`},
}

// excuse describes responses that differ at the edge.
type excuse struct {
	why  string
	is   func(body []byte, edge answered) bool // reports whether the responses may differ; nil means always
	part string                                // pattern of the only parts that may differ; "" means any
}

var excuses = []excuse{
	{"no peers are asked for their version", func(body []byte, edge answered) bool {
		return bytes.Contains(body, []byte("_version_stat")) && edge.status == 405 && strings.Contains(edge.body, `"UnsupportedMode"`)
	}, ""},
	{"fetch and connect do not say why a connection fails", nil, `unreachable: [^"]*?(connection refused|no such host|no connection|cannot connect to the specified address)`},
	{"the native node knows more tokens, and suggests one of them", nil, ", did you mean `[^`]*`\\?"},
}

// without removes the parts of a response that match a pattern.
func (a answered) without(pattern, what string) answered {
	a.body = regexp.MustCompile(pattern).ReplaceAllString(a.body, what)
	return a
}

// plain returns a response without the parts that vary.
func (a answered) plain() answered {
	for _, v := range vary {
		a = a.without(v.pattern, v.what)
	}
	return a
}

// excused returns the reason why two responses to a body may differ, or "".
func excused(body []byte, native, edge answered) string {
	for _, x := range excuses {
		if x.is != nil && x.is(body, edge) || x.part != "" && native.without(x.part, "") == edge.without(x.part, "") {
			return x.why
		}
	}
	return ""
}

// twice is a node that runs both natively and at the edge.
type twice struct {
	t        *testing.T
	native   *nativeNode
	edge     *node
	versions string // pattern of the versions, since the builds differ
	compared int
	excused  found
}

func (w *twice) compare(name string, path string, native, edge []byte, headers ...header) {
	w.t.Helper()
	url := w.native.ready.Node + path
	if path == "/daemon" {
		url = w.native.ready.Daemon + "/"
	}
	asks := append([]header{{"X-Forwarded-For", "203.0.113.5"}}, headers...) // like every caller of the edge
	response, text := w.native.ask(http.MethodPost, url, native, asks...)
	want := answered{response.StatusCode, response.Header.Get("Content-Type"), string(text)}.without(w.versions, "a version").plain()
	response, text = w.edge.ask(http.MethodPost, path, edge, headers...)
	got := answered{response.StatusCode, response.Header.Get("Content-Type"), string(text)}.without(w.versions, "a version").plain()
	w.compared++
	if want == got {
		return
	}
	why := excused(native, want, got)
	if why == "" {
		require.Equal(w.t, want, got, "%s: %.1000s", name, native)
	}
	w.excused[why]++
}

// buildPattern matches the versions of both programs, and the ports, which do not exist at the
// edge.
func (w *twice) buildPattern() string {
	w.t.Helper()
	body := fmt.Appendf(nil, `{"userpass":%q,"method":"version"}`, rpcPassword)
	_, one := w.native.ask(http.MethodPost, w.native.ready.Node+"/", body)
	_, other := w.edge.ask(http.MethodPost, "/", body)
	var a, b struct{ Result string }
	require.NoError(w.t, json.Unmarshal(one, &a))
	require.NoError(w.t, json.Unmarshal(other, &b))
	return regexp.QuoteMeta(a.Result) + "|" + regexp.QuoteMeta(b.Result) + `|"(rpc|p2p)port":\d+`
}

// TestSameBytes sends the requests of the vectors and of the recordings to a native node and to a
// node at the edge with the same config, and compares status, media type and every byte.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	states := mmrpctest.ReadStates(t, filepath.Join(vectors, "states.json"))
	config := map[string]any{"passphrase": states.Passphrase, "rpc_local_only": false, "log_level": "error", "chain": map[string]any{"ac_name": "SAME", "ac_cc": 2, "regtest": true}}
	w := &twice{t: t, native: startNative(t, t.TempDir(), config), edge: openEdge(t).node(t, config), excused: found{}}
	w.versions = w.buildPattern()
	here, there := vectorservers.Start(t, rpcPassword), vectorservers.Start(t, rpcPassword)
	for _, s := range states.Sequences {
		for _, v := range s.Steps {
			if body := string(v.Bytes()); v.Bytes() != nil && !strings.Contains(body, `"stop"`) {
				w.compare(s.Name, "/", []byte(here.Fill(body)), []byte(there.Fill(body)))
			}
		}
	}
	for _, path := range daemontest.Recordings(t, recordings, daemontest.Named("transcript.jsonl")) {
		for _, x := range daemontest.ReadFile(t, path) {
			if x.Request.Method == http.MethodPost && !strings.Contains(x.Request.Body, `"stop"`) {
				w.compare(x.Name(), "/daemon", x.Request.Bytes(), x.Request.Bytes(), basic(daemonUser, daemonPassword))
			}
		}
	}
	t.Logf("%d answers compared; not equal: %v", w.compared, w.excused)
	require.GreaterOrEqual(t, w.compared, 1300)
	require.Equal(t, found{excuses[0].why: 79, excuses[1].why: 5, excuses[2].why: 13}, w.excused)
}

package worker

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var root = filepath.Join("..", "..", "..")

// Credentials of the nodes.
const (
	rpcPassword    = "Vector-5ide_secret"
	daemonUser     = "tester"
	daemonPassword = "Daemon-Side_5ecret+word"
)

// patience is how long anything may take before a test gives up on it.
const timeout = 3 * time.Minute

// edge is a workerd with the Worker.
type edge struct {
	folder string // of the objects' data
	url    string
	client *http.Client
	cmd    *exec.Cmd
	input  io.Closer
	nodes  *atomic.Int32 // that have a name
}

// idle are the workerds that no test uses now: one that runs has compiled the node already.
var idle struct {
	sync.Mutex
	edges []*edge
}

// openEdge lends a workerd to a test, which has it alone while it runs. Nodes that other
// tests have made there have other names, and are ended.
func openEdge(t testing.TB) *edge {
	t.Helper()
	e := takeIdle()
	if e == nil {
		folder, err := os.MkdirTemp(suiteFolder, "objects-")
		require.NoError(t, err)
		e = startEdge(t, folder, new(atomic.Int32))
	}
	e.client = newClient()
	t.Cleanup(func() {
		if t.Failed() {
			e.close() // whatever state it is in, no other test sees it
			return
		}
		idle.Lock()
		defer idle.Unlock()
		idle.edges = append(idle.edges, e)
	})
	return e
}

func takeIdle() *edge {
	idle.Lock()
	defer idle.Unlock()
	last := len(idle.edges) - 1
	if last < 0 {
		return nil
	}
	e := idle.edges[last]
	idle.edges = idle.edges[:last]
	return e
}

// openOwnEdge starts a workerd on an empty folder, and ends it after the test.
func openSeparateEdge(t testing.TB) *edge {
	t.Helper()
	e := startEdge(t, t.TempDir(), new(atomic.Int32))
	t.Cleanup(e.close)
	return e
}

// newClient makes a connection for each request: workerd ends one that it has not heard of for
// 5 s, also when it was itself too busy to listen, which a request on it would meet.
func newClient() *http.Client {
	return &http.Client{Timeout: timeout, Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// startEdge starts a workerd, which its caller closes.
func startEdge(t testing.TB, folder string, nodes *atomic.Int32) *edge {
	t.Helper()
	cmd := exec.Command("node", filepath.Join("workerd", "host.js"), folder)
	cmd.Stderr = os.Stderr
	input, err := cmd.StdinPipe()
	require.NoError(t, err)
	output, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	e := &edge{folder, "", newClient(), cmd, input, nodes}
	var ready struct{ URL string }
	if err := json.NewDecoder(output).Decode(&ready); err != nil {
		e.close()
		require.NoError(t, err, "workerd's host did not start: make peer and make worker build what it needs")
	}
	e.url = ready.URL
	return e
}

// close ends workerd. It can be called again.
func (e *edge) close() {
	_ = e.input.Close() // which ends it
	_ = e.cmd.Wait()    // it may have been killed
}

// node is an object with its node.
type node struct {
	*edge
	t    testing.TB
	name string
}

// node begins an object that has no data, with a config. It ends with the test.
func (e *edge) node(t testing.TB, config map[string]any) *node {
	t.Helper()
	n := &node{e, t, fmt.Sprintf("n%d", e.nodes.Add(1)-1)}
	n.configure(config)
	t.Cleanup(func() { _, _, _ = n.try(http.MethodPost, "/__evict", nil) }) // workerd may have been killed
	return n
}

// configure sets the config with which the object starts.
func (n *node) configure(config map[string]any) {
	n.t.Helper()
	status, answer := n.do("/__settings", toJSON(n.t, map[string]string{"CONFIG": string(toJSON(n.t, withCredentials(config)))}))
	require.Equal(n.t, http.StatusOK, status, string(answer))
}

// withCredentials returns a config with those of the tests, unless it has its own.
func withCredentials(config map[string]any) map[string]any {
	all := map[string]any{"rpc_password": rpcPassword, "daemon": map[string]any{"rpcuser": daemonUser, "rpcpassword": daemonPassword}}
	maps.Copy(all, config)
	return all
}

// evict ends the object as the platform does, during whatever it does. The next
// request starts it again.
func (n *node) evict() {
	n.t.Helper()
	status, answer := n.do("/__evict", nil)
	require.Equal(n.t, http.StatusInternalServerError, status, string(answer))
}

// do posts a body to a path of the object.
func (n *node) do(path string, body []byte) (status int, answer []byte) {
	n.t.Helper()
	response, answer := n.ask(http.MethodPost, path, body)
	return response.StatusCode, answer
}

// header is a name and a value.
type header [2]string

// ask makes a request.
func (n *node) ask(method, path string, body []byte, headers ...header) (*http.Response, []byte) {
	n.t.Helper()
	response, answer, err := n.try(method, path, body, headers...)
	require.NoError(n.t, err, "%s %s", method, path)
	return response, answer
}

// try makes a request of an edge that may be killed meanwhile.
func (n *node) try(method, path string, body []byte, headers ...header) (*http.Response, []byte, error) {
	request, err := http.NewRequest(method, n.url+"/n/"+n.name+path, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	for _, h := range headers {
		if h[0] != "" {
			request.Header.Set(h[0], h[1])
		}
	}
	response, err := n.client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	return response, answer, err
}

// basic returns the header with a credential.
func basic(user, password string) header {
	return header{"Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))}
}

// daemon posts a body to the daemon API.
func (n *node) daemon(body []byte) (status int, answer []byte) {
	n.t.Helper()
	response, answer := n.ask(http.MethodPost, "/daemon", body, basic(daemonUser, daemonPassword))
	return response.StatusCode, answer
}

// call calls a method of the daemon API, which must succeed, and reads its result.
func (n *node) call(result any, method string, params ...any) {
	n.t.Helper()
	status, answer := n.daemon(request(n.t, method, params...))
	require.Equal(n.t, http.StatusOK, status, "%s: %s", method, answer)
	var reply struct{ Result json.RawMessage }
	require.NoError(n.t, json.Unmarshal(answer, &reply))
	require.NoError(n.t, json.Unmarshal(reply.Result, result), "%s: %s", method, answer)
}

// request returns the body of one call of the daemon API.
func request(t testing.TB, method string, params ...any) []byte {
	t.Helper()
	if params == nil {
		params = []any{}
	}
	return toJSON(t, map[string]any{"id": 1, "method": method, "params": params})
}

// rpc calls a method of the node API.
func (n *node) rpc(method, params string) (status int, answer []byte) {
	n.t.Helper()
	return n.do("/", fmt.Appendf(nil, `{"mmrpc":"2.0","userpass":%q,"method":%q,"params":%s}`, rpcPassword, method, params))
}

// succeeds calls a method of the node API, and gives its result.
func (n *node) succeeds(method, params string) string {
	n.t.Helper()
	status, answer := n.rpc(method, params)
	require.Equal(n.t, http.StatusOK, status, "%s: %s", method, answer)
	var reply struct{ Result json.RawMessage }
	require.NoError(n.t, json.Unmarshal(answer, &reply))
	return string(reply.Result)
}

func toJSON(t testing.TB, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return text
}

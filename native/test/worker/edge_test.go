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

// patience is the maximum time for which a test waits.
const timeout = 3 * time.Minute

// edge is a workerd that runs the Worker.
type edge struct {
	folder string // folder of the objects' data
	url    string
	client *http.Client
	cmd    *exec.Cmd
	input  io.Closer
	nodes  *atomic.Int32 // number of named nodes
}

// idle holds the workerds that no test uses. A running workerd has already compiled the node.
var idle struct {
	sync.Mutex
	edges []*edge
}

// openEdge returns a workerd for exclusive use by a test. Nodes of earlier tests have other names,
// and have ended.
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
			e.close() // its state is unknown, so no other test gets it
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

// openOwnEdge starts a workerd with an empty folder, and ends it after the test.
func openSeparateEdge(t testing.TB) *edge {
	t.Helper()
	e := startEdge(t, t.TempDir(), new(atomic.Int32))
	t.Cleanup(e.close)
	return e
}

// newClient opens a connection for each request. workerd closes a connection that was idle for 5 s,
// even if workerd itself was too busy to read it, so a request on an old connection could fail.
func newClient() *http.Client {
	return &http.Client{Timeout: timeout, Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// startEdge starts a workerd, which the caller must close.
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

// close ends workerd. It may be called more than once.
func (e *edge) close() {
	_ = e.input.Close() // ends workerd
	_ = e.cmd.Wait()    // it may have been killed
}

// node is an object with its node.
type node struct {
	*edge
	t    testing.TB
	name string
}

// node starts an object without data, with a config. It ends with the test.
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

// withCredentials returns a config with the credentials of the tests, unless it has credentials.
func withCredentials(config map[string]any) map[string]any {
	all := map[string]any{"rpc_password": rpcPassword, "daemon": map[string]any{"rpcuser": daemonUser, "rpcpassword": daemonPassword}}
	maps.Copy(all, config)
	return all
}

// evict ends the object as the platform does, at any time. The next request starts it again.
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

// header is the name and the value of a header.
type header [2]string

// ask sends a request.
func (n *node) ask(method, path string, body []byte, headers ...header) (*http.Response, []byte) {
	n.t.Helper()
	response, answer, err := n.try(method, path, body, headers...)
	require.NoError(n.t, err, "%s %s", method, path)
	return response, answer
}

// try sends a request to an edge that may be killed meanwhile.
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

// call calls a method of the daemon API, which must succeed, and decodes its result.
func (n *node) call(result any, method string, params ...any) {
	n.t.Helper()
	status, answer := n.daemon(request(n.t, method, params...))
	require.Equal(n.t, http.StatusOK, status, "%s: %s", method, answer)
	var reply struct{ Result json.RawMessage }
	require.NoError(n.t, json.Unmarshal(answer, &reply))
	require.NoError(n.t, json.Unmarshal(reply.Result, result), "%s: %s", method, answer)
}

// request returns the body of a call of the daemon API.
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

// succeeds calls a method of the node API, and returns its result.
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

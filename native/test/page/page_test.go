package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc/mmrpctest"
)

var root = filepath.Join("..", "..", "..")

// browser is a Chromium with a page that runs nodes.
type browser struct {
	url    string
	client *http.Client
}

// openBrowser starts web/test/host.js, and ends it after the test.
func openBrowser(t *testing.T) *browser {
	t.Helper()
	host := exec.Command("node", filepath.Join(root, "web", "test", "host.js"))
	host.Stderr = os.Stderr
	input, err := host.StdinPipe()
	require.NoError(t, err)
	output, err := host.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, host.Start())
	t.Cleanup(func() {
		require.NoError(t, input.Close()) // ends the host
		require.NoError(t, host.Wait())
	})
	var ready struct{ URL string }
	require.NoError(t, json.NewDecoder(output).Decode(&ready), "the page's host did not start: make page builds what it needs")
	return &browser{ready.URL, &http.Client{Timeout: 2 * time.Minute}}
}

// post sends a request to the host.
func (b *browser) post(t testing.TB, path string, body []byte) (status int, answer []byte) {
	t.Helper()
	response, err := b.client.Post(b.url+path, "application/json", bytes.NewReader(body))
	require.NoError(t, err)
	defer response.Body.Close()
	answer, err = io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NotEqual(t, 599, response.StatusCode, "%s: %s", path, answer)
	return response.StatusCode, answer
}

// start runs a node until the test ends.
func (b *browser) start(t *testing.T, config map[string]any) *pageNode {
	t.Helper()
	_, number := b.post(t, "/start", toJSON(t, config))
	n := &pageNode{browser: b, t: t, at: "/" + string(number)}
	t.Cleanup(func() { n.do("/stop", nil) })
	return n
}

func toJSON(t testing.TB, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return text
}

// pageNode is a node in the page.
type pageNode struct {
	*browser
	t  *testing.T
	at string // path of the node
}

func (n *pageNode) do(what string, body []byte) (status int, answer []byte) {
	n.t.Helper()
	return n.post(n.t, n.at+what, body)
}

// stream is the event stream of a client.
type stream struct {
	node   *pageNode
	client uint64
}

func (n *pageNode) Open(client uint64) mmrpctest.Stream {
	n.t.Helper()
	s := stream{n, client}
	s.do("open")
	return s
}

func (s stream) do(what string) string {
	s.node.t.Helper()
	_, answer := s.node.do(fmt.Sprintf("/%s/%d", what, s.client), nil)
	return string(answer)
}

func (s stream) Next() string { return s.do("next") }

func (s stream) Close() { s.do("close") }

package worker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// suiteFolder contains the native program and the objects' data, which all tests share.
var suiteFolder string

// binary returns the path of the native program, which is built once.
var binary = sync.OnceValues(func() (path string, err error) {
	path = filepath.Join(suiteFolder, "obverse")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", path, "obverse/native")
	build.Stderr = os.Stderr
	return path, build.Run()
})

// TestMain ends the shared processes and removes the shared files.
func TestMain(m *testing.M) { os.Exit(runInFolder(m)) }

func runInFolder(m *testing.M) int {
	var err error
	suiteFolder, err = os.MkdirTemp("", "obverse-worker-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(suiteFolder)
	code := m.Run()
	for _, e := range idle.edges {
		e.close()
	}
	return code
}

// nativeNode is the native program with a data folder.
type nativeNode struct {
	t     testing.TB
	dir   string
	cmd   *exec.Cmd
	ready struct{ Node, Daemon string }
}

// program returns the native program with a data folder and a config.
func program(t testing.TB, dir string, config map[string]any, args ...string) *exec.Cmd {
	t.Helper()
	path, err := binary()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "obverse.json"), toJSON(t, withCredentials(config)), 0o600))
	cmd := exec.Command(path, args...)
	cmd.Env = []string{"HOME=" + dir, "OBVERSE_DATADIR=" + dir}
	cmd.Stderr = os.Stderr
	return cmd
}

// startNative runs a node until the test ends.
func startNative(t testing.TB, dir string, config map[string]any) *nativeNode {
	t.Helper()
	n := &nativeNode{t: t, dir: dir, cmd: program(t, dir, config, "serve", "rpcport=0", "daemon.rpcport=0", "log_level=warn")}
	output, err := n.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, n.cmd.Start())
	t.Cleanup(n.stop)
	require.NoError(t, json.NewDecoder(output).Decode(&n.ready))
	return n
}

// stop stops the program. It may be called more than once.
func (n *nativeNode) stop() {
	_ = n.cmd.Process.Signal(os.Interrupt) // it may have ended
	_ = n.cmd.Wait()
}

// ask sends a request to the node API or to the daemon API.
func (n *nativeNode) ask(method, url string, body []byte, headers ...header) (*http.Response, []byte) {
	n.t.Helper()
	request, err := http.NewRequest(method, url, bytes.NewReader(body))
	require.NoError(n.t, err)
	for _, h := range headers {
		request.Header.Set(h[0], h[1])
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(n.t, err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	require.NoError(n.t, err)
	return response, answer
}

func (n *nativeNode) daemon(body []byte) (status int, answer []byte) {
	n.t.Helper()
	response, answer := n.ask(http.MethodPost, n.ready.Daemon+"/", body, basic(daemonUser, daemonPassword))
	return response.StatusCode, answer
}

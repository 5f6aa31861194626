package cli

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// peak returns the maximum memory that a process has used, in bytes.
func peak(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(text), "VmHWM:")
	require.True(t, found)
	kilobytes, err := strconv.Atoi(strings.Fields(rest)[0])
	require.NoError(t, err)
	return kilobytes << 10
}

// stuck opens a connection and sends bytes, but reads nothing.
func stuck(t *testing.T, url, text string) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.(*net.TCPConn).SetReadBuffer(4096))
	_, _ = io.WriteString(conn, text) // the connection may be closed already
}

func posted(body string) string {
	return fmt.Sprintf("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

// Clients that request much and read nothing use little memory, do not block other clients, and do
// not delay the stop. The same is true for clients that send nothing or half a request.
func TestStopUnderStuckClients(t *testing.T) {
	dir := t.TempDir()
	n := start(t, dir)
	documents := "[" + strings.TrimSuffix(strings.Repeat(`{"mmrpc":"2.0","method":"rpc.discover"},`, 100), ",") + "]"
	for range 260 {
		stuck(t, n.ready.Node, posted(documents))
	}
	for _, url := range []string{n.ready.Node, n.ready.Daemon} {
		for range 20 {
			stuck(t, url, strings.Repeat(posted(`{"method":"rpc.discover"}`), 50))
			stuck(t, url, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8000000\r\n\r\n"+strings.Repeat("x", 1<<20))
			stuck(t, url, "POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n")
			stuck(t, url, "GET / HTTP/1.1\r\nHo")
			stuck(t, url, "")
		}
	}
	for id := range 50 {
		stuck(t, n.ready.Node, fmt.Sprintf("GET /event-stream?id=%d HTTP/1.1\r\nHost: localhost\r\n\r\n", id))
	}
	out, err := obverse(dir, "call", "getblockcount").CombinedOutput()
	require.NoError(t, err, string(out))
	require.NotEmpty(t, strings.TrimSpace(string(out)))
	out, err = obverse(dir, "call", "get_public_key").CombinedOutput()
	require.NoError(t, err, string(out))

	began := time.Now()
	require.NoError(t, n.process.Process.Signal(syscall.SIGTERM))
	memory := peak(t, n.process.Process.Pid)
	require.NoError(t, n.process.Wait(), "the end was a good one")
	t.Logf("ended in %s, at most %d MiB", time.Since(began), memory>>20)
	require.Less(t, memory, 700<<20)
}

// held starts a node that waits during its start for its coins file, which is a pipe.
func held(t *testing.T, dir string) (process *exec.Cmd, coins *os.File) {
	t.Helper()
	pipe := filepath.Join(t.TempDir(), "coins")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	process = obverse(dir, "serve", "rpcport=0", "daemon.rpcport=0", "-regtest", "coins="+pipe)
	require.NoError(t, process.Start())
	t.Cleanup(func() { process.Process.Kill(); process.Wait() })
	coins, err := os.OpenFile(pipe, os.O_WRONLY, 0) // returns once the node reads it
	require.NoError(t, err)
	t.Cleanup(func() { coins.Close() })
	return process, coins
}

// A signal during the start of the node ends it as usual.
func TestStopWhileStarting(t *testing.T) {
	for _, end := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		dir := t.TempDir()
		process, coins := held(t, dir)
		require.NoError(t, process.Process.Signal(end))
		_, err := coins.WriteString("[]")
		require.NoError(t, errors.Join(err, coins.Close()))
		require.NoError(t, process.Wait(), "%s is a good end", end)
		require.NoFileExists(t, filepath.Join(dir, cookieName))
	}
	for range 10 {
		dir := t.TempDir()
		process := obverse(dir, "serve", "rpcport=0", "daemon.rpcport=0", "-regtest")
		require.NoError(t, process.Start())
		require.Eventually(t, func() bool { _, err := os.Stat(filepath.Join(dir, "obverse.lock")); return err == nil }, 30*time.Second, time.Millisecond)
		require.NoError(t, process.Process.Signal(syscall.SIGTERM))
		require.NoError(t, process.Wait())
	}
}

// A second signal kills a node that does not stop.
func TestSecondSignalKills(t *testing.T) {
	process, _ := held(t, t.TempDir())
	ended := make(chan error, 1)
	go func() { ended <- process.Wait() }()
	require.Eventually(t, func() bool {
		_ = process.Process.Signal(syscall.SIGTERM) // it may have ended
		return len(ended) > 0
	}, 30*time.Second, 10*time.Millisecond)
	var exit *exec.ExitError
	require.ErrorAs(t, <-ended, &exit)
	require.Equal(t, syscall.SIGTERM, exit.Sys().(syscall.WaitStatus).Signal())
}

// A program that sends the signal to the process and to its group does not kill the node.
func TestSignalSentTwice(t *testing.T) {
	dir := t.TempDir()
	process, coins := held(t, dir)
	for _, s := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		require.NoError(t, process.Process.Signal(s))
		time.Sleep(20 * time.Millisecond) // so that both are delivered
	}
	_, err := coins.WriteString("[]")
	require.NoError(t, errors.Join(err, coins.Close()))
	require.NoError(t, process.Wait())
	require.NoFileExists(t, filepath.Join(dir, cookieName))
}

// Clients with an event stream receive an event with the reason of the stop before the stream ends.
func TestStopIsReported(t *testing.T) {
	for want, end := range map[string]func(*testing.T, *nodeProcess){
		"SIGTERM": func(t *testing.T, n *nodeProcess) { require.NoError(t, n.process.Process.Signal(syscall.SIGTERM)) },
		"SIGINT":  func(t *testing.T, n *nodeProcess) { require.NoError(t, n.process.Process.Signal(syscall.SIGINT)) },
		"stop":    func(t *testing.T, n *nodeProcess) { n.ask(t, "stop", "{}") },
	} {
		t.Run(want, func(t *testing.T) {
			dir := t.TempDir()
			writeConfig(t, dir, "")
			n := start(t, dir)
			response, err := http.Get(n.ready.Node + "/event-stream?id=0")
			require.NoError(t, err)
			defer func() { require.NoError(t, response.Body.Close()) }()
			require.JSONEq(t, `{"streamer_id":"SHUTDOWN_SIGNAL"}`, string(n.ask(t, "stream::shutdown_signal::enable", "{}").Result))
			end(t, n)
			text, err := io.ReadAll(response.Body)
			require.NoError(t, err, "the stream ends as it should")
			require.Contains(t, string(text), `data: {"_type":"SHUTDOWN_SIGNAL","message":"`+want+`"}`)
			require.NoError(t, n.process.Wait())
		})
	}
}

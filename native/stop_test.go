package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// peak is the most memory that a process has had, in bytes.
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

// stuck opens a connection, sends bytes and reads nothing.
func stuck(t *testing.T, url, text string) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.(*net.TCPConn).SetReadBuffer(4096))
	_, _ = io.WriteString(conn, text) // it may be cut off already
}

func posted(body string) string {
	return fmt.Sprintf("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

// Clients that ask for much and read nothing take little memory, keep nobody out, and do
// not hold up the end, nor do those that say nothing, or half of it.
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
	_, err = obverse(dir, "call", "get_public_key").Output()
	require.NoError(t, err)

	began := time.Now()
	require.NoError(t, n.process.Process.Signal(syscall.SIGTERM))
	most := peak(t, n.process.Process.Pid)
	require.NoError(t, n.process.Wait(), "the end was a good one")
	t.Logf("ended in %s, at most %d MiB", time.Since(began), most>>20)
	require.Less(t, most, 700<<20)
}

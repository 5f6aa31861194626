package e2e

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
)

// Number of clients, each with a heartbeat per second, for OBVERSE_STREAM_SECONDS.
const (
	loadClients = 1000
	loadMemory  = 100 << 20 // maximum memory of the process
)

// TestThousandStreams opens streams of a thousand clients and calls methods meanwhile. No client
// may miss an event, and the memory of the node must stay small.
func TestThousandStreams(t *testing.T) {
	seconds := fromEnv(t, "OBVERSE_STREAM_SECONDS", 3)
	requireFiles(t, loadClients+200)
	n := newLaunch(t, "log_level=warn").start(t)
	idle := n.peakMemory()
	load := &streamLoad{enough: uint64(seconds), clients: make([]loadClient, loadClients), done: make(chan struct{})}
	address := strings.TrimPrefix(n.ready.Node, "http://")
	readers, ctx := errgroup.WithContext(t.Context())
	for id := range load.clients {
		require.NoError(t, load.open(address, id))
		readers.Go(func() error { return load.clients[id].read(load) })
	}
	t.Cleanup(load.close)
	for id := range load.clients {
		a := n.askNode("stream::heartbeat::enable", fmt.Sprintf(`{"client_id":%d,"config":{"stream_interval_seconds":1}}`, id))
		require.Equal(t, enabled, string(a.Result), a.Error)
	}
	calls := load.callMeanwhile(t, ctx, n, time.Duration(seconds)*time.Second+timeout)

	_, scrape := n.get("/metrics", "")
	require.Contains(t, scrape, fmt.Sprintf("\nobverse_event_streams_open %d\n", loadClients))
	require.Contains(t, scrape, fmt.Sprintf("\nobverse_event_clients_subscribed %d\n", loadClients))
	require.Contains(t, scrape, "\nobverse_event_dropped_events_total 0\n")
	peak := n.peakMemory()
	code, took := n.stop()
	require.Zero(t, code, n.stderr.text())
	require.Less(t, took, 5*time.Second)
	require.NoError(t, readers.Wait())
	t.Logf("%d clients, %d events, %d calls meanwhile; memory at most %d MiB, %d MiB before; ended in %v",
		loadClients, load.events.Load(), calls, peak>>20, idle>>20, took.Round(time.Millisecond))
	require.GreaterOrEqual(t, load.events.Load(), uint64(loadClients*seconds))
	require.Less(t, peak, loadMemory)
}

// streamLoad holds the state that all clients share.
type streamLoad struct {
	enough  uint64 // number of events that each client reads
	clients []loadClient
	events  atomic.Uint64
	content atomic.Int32  // number of clients that have read them
	done    chan struct{} // closed when all clients have read them
}

// loadClient is the client of one stream.
type loadClient struct {
	conn net.Conn
	body *bufio.Reader
	last uint64 // id of the last event
}

func (s *streamLoad) open(address string, id int) error {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	s.clients[id].conn = conn
	if _, err := fmt.Fprintf(conn, "GET /event-stream?id=%d HTTP/1.1\r\nHost: %s\r\n\r\n", id, address); err != nil {
		return err
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: http.MethodGet})
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	s.clients[id].body = bufio.NewReaderSize(response.Body, 256)
	return nil
}

func (s *streamLoad) close() {
	for _, c := range s.clients {
		_ = c.conn.Close()
	}
}

// read reads until the node ends the stream. The stream must contain only heartbeats with
// consecutive ids, and comments.
func (c *loadClient) read(s *streamLoad) error {
	for first := true; ; first = false {
		var lines []string
		for {
			line, err := c.body.ReadString('\n')
			if err == io.EOF && line == "" && len(lines) == 0 {
				return nil
			}
			if err != nil {
				return fmt.Errorf("after event %d: %w", c.last, err)
			}
			if line == "\n" {
				break
			}
			lines = append(lines, line)
		}
		block := strings.Join(lines, "")
		switch {
		case first && block == "retry: 2000\nid: 0\n", block == ": keep-alive\n":
		case block == fmt.Sprintf("id: %d\ndata: {\"_type\":\"HEARTBEAT\",\"message\":{}}\n", c.last+1):
			c.last++
			s.events.Add(1)
			if c.last == s.enough && s.content.Add(1) == loadClients {
				close(s.done)
			}
		default:
			return fmt.Errorf("after event %d: %q", c.last, block)
		}
	}
}

// callMeanwhile calls both APIs until all clients have read their events, and returns the number of
// calls.
func (s *streamLoad) callMeanwhile(t *testing.T, ctx context.Context, n *node, limit time.Duration) (calls int) {
	t.Helper()
	late := time.After(limit)
	for ; ; calls += 2 {
		select {
		case <-s.done:
			return calls
		case <-ctx.Done():
			require.FailNow(t, "a stream ended", "%v", context.Cause(ctx))
		case <-late:
			require.FailNow(t, "events do not come", "%d of %d", s.events.Load(), s.enough*loadClients)
		case <-time.After(20 * time.Millisecond):
		}
		require.Equal(t, http.StatusOK, n.askNode("get_public_key", `{}`).Status)
		n.raw("getinfo")
	}
}

// requireFiles fails the test if the process may open fewer files.
func requireFiles(t *testing.T, files uint64) {
	t.Helper()
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	require.GreaterOrEqual(t, limit.Max, files, "too few files may be open here: ulimit -Hn %d", files)
}

var peakLine = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peakMemory returns the maximum memory of the process, in bytes.
func (n *node) peakMemory() int {
	n.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", n.cmd.Process.Pid))
	require.NoError(n.t, err)
	found := peakLine.FindSubmatch(status)
	require.NotNil(n.t, found, "%s", status)
	kilobytes, err := strconv.Atoi(string(found[1]))
	require.NoError(n.t, err)
	return kilobytes << 10
}

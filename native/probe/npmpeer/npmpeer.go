// Package npmpeer starts a peer of the network that is not ours, for tests: js-libp2p
// under Node, see peer.mjs. Its npm packages come from `make peer`.
//
// Invariant: the peer's process does not outlive the test that started it.
package npmpeer

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Line is what the peer writes: one of the fields is set.
type Line struct {
	PeerID    string   `json:"peer_id"`
	Addresses []string `json:"addresses"`
	Asked     string   `json:"asked"`   // a request, in hexadecimal
	Time      uint64   `json:"time"`    // what we answered to the time query
	Dropped   string   `json:"dropped"` // why it hung up
}

// Peer is a running peer.
type Peer struct {
	ID      string
	Address string // host:port
	lines   <-chan Line
}

// patience bounds waits for the peer; a loaded machine may need seconds to start Node.
const patience = time.Minute

// Start runs a peer until the test ends; peer.mjs lists the arguments. Without its
// packages the test fails.
func Start(t testing.TB, arguments ...string) *Peer {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	folder := filepath.Dir(here)
	_, err := os.Stat(filepath.Join(folder, "node_modules", "libp2p"))
	require.NoError(t, err, "the npm packages of the test's peer are missing: run `make peer`")
	lines := run(t, folder, arguments)
	p := &Peer{lines: lines}
	first := p.Next(t, func(l Line) bool { return l.PeerID != "" })
	p.ID = first.PeerID
	require.Len(t, first.Addresses, 1)
	part := strings.Split(first.Addresses[0], "/") // "", ip4, host, tcp, port, p2p, id
	require.Greater(t, len(part), 4, first.Addresses[0])
	p.Address = net.JoinHostPort(part[2], part[4])
	return p
}

func run(t testing.TB, folder string, arguments []string) <-chan Line {
	t.Helper()
	command := exec.Command("node", append([]string{"peer.mjs"}, arguments...)...)
	command.Dir, command.Stderr = folder, os.Stderr
	_, err := command.StdinPipe() // the peer ends with it, should we be killed
	require.NoError(t, err)
	output, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start(), "Node 20 or newer runs the test's peer")
	lines := make(chan Line, 1024)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer close(lines)
		read(output, lines)
	}()
	t.Cleanup(func() {
		_ = command.Process.Kill()
		<-ended
		_ = command.Wait()
	})
	return lines
}

// read passes lines on; those that nobody waits for are lost beyond the buffer.
func read(output io.Reader, lines chan<- Line) {
	scanner := bufio.NewScanner(output)
	for scanner.Scan() {
		var l Line
		if json.Unmarshal(scanner.Bytes(), &l) != nil {
			continue
		}
		select {
		case lines <- l:
		default:
		}
	}
}

// Next waits for a line of the kind that is wanted and skips others.
func (p *Peer) Next(t testing.TB, wanted func(Line) bool) Line {
	t.Helper()
	late := time.After(patience)
	for {
		select {
		case l, open := <-p.lines:
			require.True(t, open, "the peer ended")
			if wanted(l) {
				return l
			}
		case <-late:
			require.Fail(t, "the peer did not say what was waited for")
		}
	}
}

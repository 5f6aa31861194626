// Package npmpeer starts a Lightning peer that is not ours, for tests: @node-dlc/noise
// under Node, see peer.mjs. Its npm packages come from `make peer`.
//
// Invariant: the peer's process does not outlive the test that started it.
package npmpeer

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Line is what the peer writes: one of the fields is set.
type Line struct {
	Port    uint16 `json:"port"`
	Ready   string `json:"ready"`   // who has shaken hands
	Init    string `json:"init"`    // as the rest in hexadecimal
	Message string `json:"message"` // any other
	Pongs   int    `json:"pongs"`
	Closed  string `json:"closed"`
	Error   string `json:"error"`
}

// Peer is a running peer.
type Peer struct {
	Port  uint16 // 0: it connects by itself
	lines <-chan Line
}

// patience bounds waits for the peer; a loaded machine may need seconds to start Node.
const patience = time.Minute

// Start runs a peer until the test ends; peer.mjs lists the arguments. Without its
// packages the test fails.
func Start(t testing.TB, arguments ...string) *Peer {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	folder := filepath.Dir(here)
	_, err := os.Stat(filepath.Join(folder, "node_modules", "@node-dlc", "noise"))
	require.NoError(t, err, "the npm packages of the test's peer are missing: run `make peer`")
	p := &Peer{lines: run(t, folder, arguments)}
	for _, argument := range arguments {
		if argument == "--connect" {
			return p
		}
	}
	p.Port = p.Next(t, func(l Line) bool { return l.Port != 0 }).Port
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
	lines := make(chan Line, 4096)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer close(lines)
		read(output, lines)
	}()
	t.Cleanup(func() {
		_ = command.Process.Kill() // it may be gone
		<-ended
		_ = command.Wait() // by the signal
	})
	return lines
}

// read passes lines on; those that nobody waits for are lost beyond the buffer.
func read(output io.Reader, lines chan<- Line) {
	scanner := bufio.NewScanner(output)
	scanner.Buffer(nil, 1<<20)
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
			require.Empty(t, l.Error)
			if wanted(l) {
				return l
			}
		case <-late:
			require.Fail(t, "the peer did not say what was waited for")
		}
	}
}

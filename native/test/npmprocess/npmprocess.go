// Package npmprocess runs foreign peers under Node for tests. `make peer` installs their npm
// packages.
//
// Invariant: a process does not outlive the test that started it.
package npmprocess

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Process is a running program that writes lines of JSON.
type Process[Line any] struct{ lines <-chan Line }

// patience is the maximum time to wait for the peer. A loaded machine may need seconds to start
// Node.
const timeout = time.Minute

// Start runs peer.mjs in a folder below native until the test ends. The test fails if the npm
// package that the program imports is missing.
func Start[Line any](t testing.TB, folder, npmPackage string, arguments ...string) *Process[Line] {
	t.Helper()
	if testing.Short() {
		t.Skip("a short run starts no npm program")
	}
	folder = Folder(t, folder, npmPackage)
	command := exec.Command("node", append([]string{"peer.mjs"}, arguments...)...)
	command.Dir, command.Stderr = folder, os.Stderr
	_, err := command.StdinPipe() // the peer ends when its standard input is closed, even if this process is killed
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
		_ = command.Process.Kill() // the process may have ended
		<-ended
		_ = command.Wait() // the error reports the signal
	})
	return &Process[Line]{lines}
}

// Folder returns a folder below native that contains npm packages. They must be installed.
func Folder(t testing.TB, folder, npmPackage string) string {
	t.Helper()
	root, err := os.Getwd() // the folder of the test's package
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		require.NotEqual(t, filepath.Dir(root), root, "the test does not run in the repository")
		root = filepath.Dir(root)
	}
	folder = filepath.Join(root, "native", filepath.FromSlash(folder))
	_, err = os.Stat(filepath.Join(folder, "node_modules", filepath.FromSlash(npmPackage)))
	require.NoError(t, err, "npm packages of the test's peer are missing: run `make peer`")
	return folder
}

// read passes lines on. Lines beyond the buffer are dropped if no caller waits.
func read[Line any](output io.Reader, lines chan<- Line) {
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

// Next waits for a line of a kind and skips other lines.
func (p *Process[Line]) Next(t testing.TB, wanted func(Line) bool) Line {
	t.Helper()
	late := time.After(timeout)
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

package cli

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"obverse/native/datalock"
)

const asProgramEnv = "OBVERSE_TEST_AS_PROGRAM"

// TestMain allows the test program to run as obverse in a separate process.
func TestMain(m *testing.M) {
	if os.Getenv(asProgramEnv) != "" {
		os.Exit(Main())
	}
	testscript.Main(m, map[string]func(){"obverse": func() { os.Exit(Main()) }})
}

func obverse(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgramEnv+"=1", "OBVERSE_DATADIR="+dir)
	return cmd
}

// nodeProcess is a started process with its ready line.
type nodeProcess struct {
	process *exec.Cmd
	stdout  *bufio.Reader
	ready   datalock.Running
}

func start(t *testing.T, dir string, more ...string) *nodeProcess {
	t.Helper()
	return begun(t, obverse(dir, append([]string{"serve", "rpcport=0", "daemon.rpcport=0", "-regtest"}, more...)...))
}

// begun starts the process of a node and waits until it is ready.
func begun(t *testing.T, cmd *exec.Cmd) *nodeProcess {
	t.Helper()
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	n := &nodeProcess{process: cmd, stdout: bufio.NewReader(out)}
	line, err := n.stdout.ReadString('\n')
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal([]byte(line), &n.ready))
	return n
}

func TestProcess(t *testing.T) {
	dir := t.TempDir()
	for _, end := range []os.Signal{os.Interrupt, syscall.SIGTERM, os.Kill} {
		n := start(t, dir)
		require.Equal(t, n.process.Process.Pid, n.ready.PID)

		out, err := obverse(dir, "call", "getblockcount").Output()
		require.NoError(t, err)
		require.NotEmpty(t, strings.TrimSpace(string(out)))

		second, err := obverse(dir, "rpcport=0", "daemon.rpcport=0", "-regtest").CombinedOutput()
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit)
		require.Equal(t, exitFailure, exit.ExitCode())
		require.Contains(t, string(second), "already running, pid "+strconv.Itoa(n.ready.PID))

		began := time.Now()
		require.NoError(t, n.process.Process.Signal(end))
		rest, err := io.ReadAll(n.stdout)
		require.NoError(t, err)
		require.Empty(t, rest, "standard output has the ready line alone")
		err = n.process.Wait()
		if end != os.Kill {
			require.NoError(t, err, "%s is a good end", end)
		}
		require.Less(t, time.Since(began), 5*time.Second)
	}
}

func TestPortInUse(t *testing.T) {
	n := start(t, t.TempDir())
	_, port, ok := strings.Cut(strings.TrimPrefix(n.ready.Daemon, "http://"), ":")
	require.True(t, ok)
	for key, other := range map[string]string{"daemon.rpcport": "rpcport", "rpcport": "daemon.rpcport"} {
		out := requireExit(t, exitFailure, obverse(t.TempDir(), "serve", other+"=0", key+"="+port))
		require.Contains(t, out, "obverse: "+key+" "+port+" is in use by another program (127.0.0.1)")
	}
}

// TestMakeRunDatadir checks that make run refuses a relative folder before it builds anything. make
// runs in the clone, so secrets would be written into it.
func TestMakeRunDatadir(t *testing.T) {
	const folder = "relative-datadir"
	run := exec.Command("make", "run", "DATADIR="+folder, "GO=/nonexistent/go")
	run.Dir = root
	run.Env = append(os.Environ(), "MAKEFLAGS=", "MFLAGS=", "MAKELEVEL=")
	out, err := run.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "DATADIR must be an absolute path, got "+folder)
	require.NotContains(t, string(out), "is missing", "a build would miss Go")
	require.NoDirExists(t, filepath.Join(root, folder))
	for _, absolute := range []string{"", "/srv/a node"} {
		check := exec.Command("make", "absolute-datadir", "DATADIR="+absolute)
		check.Dir, check.Env = run.Dir, run.Env
		out, err := check.CombinedOutput()
		require.NoError(t, err, string(out))
	}
}

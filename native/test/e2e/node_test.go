package e2e

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Secrets of every node that the tests start. They are in its environment, and must not appear in
// its output or files.
const (
	passphrase     = "seldom wooden harbour lends nine lanterns to a fox"
	rpcPassword    = "Node-Side_5ecret+word"
	daemonUser     = "tester"
	daemonPassword = "Daemon-Side_5ecret+word"
)

// binary is the path of the program, which is built once. compacting is a program that compacts its
// store continuously. It is built if OBVERSE_COMPACT is set.
var binary, compacting string

// TestMain skips all tests in a short run, since they start programs.
func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		fmt.Println("native/test/e2e: skipped in a short run")
		return
	}
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "obverse-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "obverse")
	err = build(binary)
	if pause := os.Getenv("OBVERSE_COMPACT"); pause != "" && err == nil {
		compacting = binary + "-compacting"
		err = build(compacting, "-ldflags=-X obverse/native/node.compactEvery="+pause)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "build the program:", err)
		return 1
	}
	code := m.Run()
	if err := searchSuite(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return max(code, 1)
	}
	return code
}

func build(path string, flags ...string) error {
	build := exec.Command("go", append(append([]string{"build", "-buildvcs=false"}, flags...), "-o", path, "obverse/native")...)
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	return build.Run()
}

// launch holds the options of a node. Zero values mean the defaults of the tests: the secrets above
// and free ports.
type launch struct {
	program string   // binary if ""
	verb    string   // serve if ""
	dir     string   // data folder
	args    []string // further arguments of serve
	env     []string // the secrets and other variables, in addition to a minimal environment
	seen    *record  // visible output of the run, in which secrets are searched
}

// newLaunch returns a launch with an empty folder. All output is searched for secrets when the test
// ends.
func newLaunch(t testing.TB, args ...string) launch {
	t.Helper()
	l := launch{dir: t.TempDir(), args: args, seen: newRecord(), env: []string{"OBVERSE_PASSPHRASE=" + passphrase,
		"OBVERSE_RPC_PASSWORD=" + rpcPassword, "OBVERSE_DAEMON_RPCPASSWORD=" + daemonPassword}}
	l.seen.hide(formsOf(t, passphrase, false, rpcPassword, daemonUser, daemonPassword))
	t.Cleanup(func() { l.seen.requireClean(t) })
	return l
}

// command returns the program with the options of the launch and the arguments.
func (l launch) command(args ...string) *exec.Cmd {
	cmd := exec.Command(cmp.Or(l.program, binary), args...)
	cmd.Env = append([]string{"HOME=" + l.dir, "OBVERSE_DATADIR=" + l.dir}, l.env...)
	return cmd
}

func (l launch) serve(args ...string) *exec.Cmd {
	free := []string{cmp.Or(l.verb, "serve"), "rpcport=0", "daemon.rpcport=0", "daemon.rpcuser=" + daemonUser}
	return l.command(append(append(free, l.args...), args...)...)
}

// timeout is the maximum time to wait for an event.
const timeout = 2 * time.Minute

// node is a running program.
type node struct {
	t      testing.TB
	launch launch
	cmd    *exec.Cmd
	stdout *output
	stderr *output
	ended  chan struct{} // closed when the process has ended
	ready  readyLine
	client *client
}

// readyLine is the line that the program prints when it is ready.
type readyLine struct {
	Event  string `json:"event"`
	Node   string `json:"node"`
	Daemon string `json:"daemon"`
	PID    int    `json:"pid"`
}

// start starts a node and waits until it is ready.
func (l launch) start(t testing.TB, args ...string) *node {
	t.Helper()
	n := l.begin(t, args...)
	n.waitReady()
	return n
}

// begin starts a node without waiting for it. The node ends with the test.
func (l launch) begin(t testing.TB, args ...string) *node {
	t.Helper()
	n := &node{t: t, launch: l, cmd: l.serve(args...), stdout: newOutput(l.seen), stderr: newOutput(l.seen), ended: make(chan struct{})}
	n.cmd.Stdout, n.cmd.Stderr = n.stdout, n.stderr
	require.NoError(t, n.cmd.Start())
	go func() {
		defer close(n.ended)
		_ = n.cmd.Wait() // the error is in ProcessState
		n.stdout.end()
		n.stderr.end()
	}()
	t.Cleanup(n.kill)
	return n
}

func (n *node) waitReady() {
	n.t.Helper()
	select {
	case line := <-n.stdout.first:
		require.NoError(n.t, json.Unmarshal(line, &n.ready), "the first line of standard output is %q", line)
	case <-n.ended:
		require.FailNow(n.t, "the node ended before it was ready", "%s%s", n.stdout.text(), n.stderr.text())
	case <-time.After(timeout):
		require.FailNow(n.t, "the node does not get ready", n.stderr.text())
	}
	require.Equal(n.t, "ready", n.ready.Event)
	require.Equal(n.t, n.cmd.Process.Pid, n.ready.PID)
	n.client = newClient(n.ready.Daemon, n.launch.seen)
}

// kill sends SIGKILL and waits until the process has ended.
func (n *node) kill() {
	_ = n.cmd.Process.Kill() // it may have ended
	<-n.ended
	if n.client != nil {
		n.client.http.CloseIdleConnections()
	}
}

// stop ends the process as an init system does, and returns its exit code and the duration.
func (n *node) stop() (code int, took time.Duration) {
	n.t.Helper()
	start := time.Now()
	require.NoError(n.t, n.cmd.Process.Signal(syscall.SIGTERM))
	select {
	case <-n.ended:
	case <-time.After(timeout):
		require.FailNow(n.t, "the node does not end")
	}
	return n.cmd.ProcessState.ExitCode(), time.Since(start)
}

// outcome is the result of a command other than serve.
type outcome struct {
	code           int
	stdout, stderr string
}

// run runs a command and waits until it ends.
func (l launch) run(t testing.TB, cmd *exec.Cmd) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Start())
	late := time.AfterFunc(timeout, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait() // the exit code is sufficient
	require.True(t, late.Stop(), "%v does not end", cmd.Args)
	l.seen.say(stdout.Bytes())
	l.seen.say(stderr.Bytes())
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// output stores the output of a process, and passes its first line to the waiting caller.
type output struct {
	seen  *record
	first chan []byte

	mu       sync.Mutex
	all      bytes.Buffer
	recorded int // number of bytes that were added to the record
	sent     bool
}

func newOutput(seen *record) *output { return &output{seen: seen, first: make(chan []byte, 1)} }

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all.Write(p)
	if whole := bytes.LastIndexByte(o.all.Bytes(), '\n') + 1; whole > o.recorded {
		o.keep(whole)
	}
	if line, _, whole := bytes.Cut(o.all.Bytes(), []byte("\n")); whole && !o.sent {
		o.sent = true
		o.first <- bytes.Clone(line)
	}
	return len(p), nil
}

// keep adds the output up to an offset to the record.
func (o *output) keep(end int) {
	o.seen.say(o.all.Bytes()[o.recorded:end])
	o.recorded = end
}

// end is called when the output is complete.
func (o *output) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.keep(o.all.Len())
}

func (o *output) text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all.String()
}

// lines returns the complete lines of the output.
func (o *output) lines() (lines []string) {
	scanner := bufio.NewScanner(strings.NewReader(o.text()))
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	return lines
}

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

// Secrets of every node that is started here. They appear in its environment and
// must appear in nothing that it writes.
const (
	passphrase     = "seldom wooden harbour lends nine lanterns to a fox"
	rpcPassword    = "Node-Side_5ecret+word"
	daemonUser     = "tester"
	daemonPassword = "Daemon-Side_5ecret+word"
)

// binary is the program, built once. compacting is one that compacts its store all the
// time, built when OBVERSE_COMPACT asks for it.
var binary, compacting string

// TestMain runs nothing in a short run: all of these tests start programs.
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

// launch says how to start a node. The zero value of a field is the tests'
// default: the secrets above, free ports.
type launch struct {
	program string   // "" for binary
	verb    string   // "" for serve
	dir     string   // data folder
	args    []string // further arguments of serve
	env     []string // the secrets, and whatever else differs from a bare environment
	seen    *record  // what the run shows to others, checked for secrets
}

// newLaunch returns a launch on an empty folder. All its output is searched for secrets
// when the test ends.
func newLaunch(t testing.TB, args ...string) launch {
	t.Helper()
	l := launch{dir: t.TempDir(), args: args, seen: newRecord(), env: []string{"OBVERSE_PASSPHRASE=" + passphrase,
		"OBVERSE_RPC_PASSWORD=" + rpcPassword, "OBVERSE_DAEMON_RPCPASSWORD=" + daemonPassword}}
	l.seen.hide(formsOf(t, passphrase, false, rpcPassword, daemonUser, daemonPassword))
	t.Cleanup(func() { l.seen.requireClean(t) })
	return l
}

// command returns the program with the launch's options and the arguments.
func (l launch) command(args ...string) *exec.Cmd {
	cmd := exec.Command(cmp.Or(l.program, binary), args...)
	cmd.Env = append([]string{"HOME=" + l.dir, "OBVERSE_DATADIR=" + l.dir}, l.env...)
	return cmd
}

func (l launch) serve(args ...string) *exec.Cmd {
	free := []string{cmp.Or(l.verb, "serve"), "rpcport=0", "daemon.rpcport=0", "daemon.rpcuser=" + daemonUser}
	return l.command(append(append(free, l.args...), args...)...)
}

// timeout limits all that tests wait for.
const timeout = 2 * time.Minute

// node is a running program.
type node struct {
	t      testing.TB
	launch launch
	cmd    *exec.Cmd
	stdout *output
	stderr *output
	ended  chan struct{} // closed when the process is gone
	ready  readyLine
	client *client
}

// readyLine is the line that the program prints when it answers.
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

// begin starts a node and waits for nothing. The test's end is its end.
func (l launch) begin(t testing.TB, args ...string) *node {
	t.Helper()
	n := &node{t: t, launch: l, cmd: l.serve(args...), stdout: newOutput(l.seen), stderr: newOutput(l.seen), ended: make(chan struct{})}
	n.cmd.Stdout, n.cmd.Stderr = n.stdout, n.stderr
	require.NoError(t, n.cmd.Start())
	go func() {
		defer close(n.ended)
		_ = n.cmd.Wait() // ProcessState says what there is to say
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

// kill ends the process as a power cut would end it, and waits until it is gone.
func (n *node) kill() {
	_ = n.cmd.Process.Kill() // it may have ended by itself
	<-n.ended
	if n.client != nil {
		n.client.http.CloseIdleConnections()
	}
}

// stop ends the process as an init system does, and returns its exit code and the
// time that it took.
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

// outcome is the result of a command other than a running node.
type outcome struct {
	code           int
	stdout, stderr string
}

// run runs a command to its end.
func (l launch) run(t testing.TB, cmd *exec.Cmd) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Start())
	late := time.AfterFunc(timeout, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait() // the code says it
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
	recorded int // bytes of all that the record has
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

// keep puts what was written up to there into the record.
func (o *output) keep(end int) {
	o.seen.say(o.all.Bytes()[o.recorded:end])
	o.recorded = end
}

// end is called when nothing more is written.
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

// lines returns the whole lines written so far.
func (o *output) lines() (lines []string) {
	scanner := bufio.NewScanner(strings.NewReader(o.text()))
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	return lines
}

package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"obverse/native/datalock"
)

// TestScripts runs the scripts in testdata/script. Each script begins in a separate home folder. In
// addition to the commands of testscript, there are:
//
//	refused obverse …    requires the exit code 2 and an error of one line after log lines
//	failed obverse …     requires the exit code 1
//	node NAME ARGS…      starts `obverse serve ARGS…` on free ports and waits until it is ready;
//	                     $NAME_port is the port of its daemon API
//	shutdown NAME        interrupts the node and requires the exit code 0
//	kill9 NAME           kills the node
//	flip FILE N          flips a bit of the byte N bytes before the end of the file
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Deadline:            time.Now().Add(2 * time.Minute),
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			e.Values[nodesOfScript{}] = map[string]*exec.Cmd{}
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"refused": func(ts *testscript.TestScript, _ bool, args []string) { refuse(ts, args) },
			"failed":  func(ts *testscript.TestScript, _ bool, args []string) { requireCode(ts, exitFailure, args) },
			"node":    func(ts *testscript.TestScript, _ bool, args []string) { startNode(ts, args) },
			"shutdown": func(ts *testscript.TestScript, _ bool, args []string) {
				n := takeNode(ts, args)
				ts.Check(n.Process.Signal(os.Interrupt))
				ts.Check(n.Wait())
			},
			"kill9": func(ts *testscript.TestScript, _ bool, args []string) {
				n := takeNode(ts, args)
				ts.Check(n.Process.Signal(syscall.SIGKILL))
				_ = n.Wait() // killed, so it returns an error
			},
			"flip": func(ts *testscript.TestScript, _ bool, args []string) { flip(ts, args) },
		},
	})
}

// requireCode runs a command and checks its exit code.
func requireCode(ts *testscript.TestScript, code int, args []string) {
	if len(args) == 0 {
		ts.Fatalf("no command")
	}
	err := ts.Exec(args[0], args[1:]...)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != code {
		ts.Fatalf("%s: %v, want exit code %d", strings.Join(args, " "), err, code)
	}
}

func refuse(ts *testscript.TestScript, args []string) {
	requireCode(ts, exitUsage, args)
	explained := 0
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("standard output is not empty: %s", out)
	}
	for line := range strings.Lines(ts.ReadFile("stderr")) {
		if strings.HasPrefix(line, "obverse: ") {
			explained++
		} else if !strings.HasPrefix(line, "time=") {
			ts.Fatalf("standard error has a line that is not a log line: %s", line)
		}
	}
	if explained != 1 {
		ts.Fatalf("%d lines of explanation, want 1", explained)
	}
}

// nodesOfScript is the key of the nodes that a script has started, by name.
type nodesOfScript struct{}

func startNode(ts *testscript.TestScript, args []string) {
	if len(args) == 0 {
		ts.Fatalf("node needs a name")
	}
	nodes := ts.Value(nodesOfScript{}).(map[string]*exec.Cmd)
	if nodes[args[0]] != nil {
		ts.Fatalf("node %s is running", args[0])
	}
	cmd := exec.Command(os.Args[0], append([]string{"serve", "rpcport=0", "daemon.rpcport=0"}, args[1:]...)...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), asProgramEnv+"=1")
	for _, name := range []string{"HOME", "OBVERSE_DATADIR", "OBVERSE_PASSPHRASE", "OBVERSE_WALLET_PASSWORD"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Defer(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	nodes[args[0]] = cmd
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = cmd.Wait()
		}
		ts.Fatalf("node %s: %v: %s%s", args[0], err, line, stderr.String())
	}
	var ready datalock.Running
	ts.Check(json.Unmarshal([]byte(line), &ready))
	address, err := url.Parse(ready.Daemon)
	ts.Check(err)
	ts.Setenv(args[0]+"_port", address.Port())
}

// takeNode returns a running node, which the caller must end.
func takeNode(ts *testscript.TestScript, args []string) *exec.Cmd {
	if len(args) != 1 {
		ts.Fatalf("want the name of a node")
	}
	nodes := ts.Value(nodesOfScript{}).(map[string]*exec.Cmd)
	n := nodes[args[0]]
	if n == nil {
		ts.Fatalf("node %s is not running", args[0])
	}
	delete(nodes, args[0])
	return n
}

func flip(ts *testscript.TestScript, args []string) {
	if len(args) != 2 {
		ts.Fatalf("want a file and a number")
	}
	back, err := strconv.Atoi(args[1])
	ts.Check(err)
	path := ts.MkAbs(args[0])
	data, err := os.ReadFile(path)
	ts.Check(err)
	if back < 1 || back > len(data) {
		ts.Fatalf("%s has %d bytes", args[0], len(data))
	}
	data[len(data)-back] ^= 2
	ts.Check(os.WriteFile(path, data, 0o600))
}

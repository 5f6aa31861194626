package cli

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs the scripts in testdata/script, each on a home folder of its own, which is
// also the folder it begins in. Besides the commands of testscript they have:
//
//	refused obverse …    the command ends with code 2 and one line of explanation
//	failed obverse …     the command ends with code 1
//	node NAME ARGS…      starts `obverse serve ARGS…` on free ports and waits until it is ready
//	stop NAME            interrupts the node, which has to end with code 0
//	kill NAME            kills it
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			e.Values[nodesOfScript{}] = map[string]*exec.Cmd{}
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"refused": func(ts *testscript.TestScript, _ bool, args []string) { refuse(ts, args) },
			"failed":  func(ts *testscript.TestScript, _ bool, args []string) { requireCode(ts, exitFailure, args) },
			"node":    func(ts *testscript.TestScript, _ bool, args []string) { startNode(ts, args) },
			"stop": func(ts *testscript.TestScript, _ bool, args []string) {
				n := takeNode(ts, args)
				ts.Check(n.Process.Signal(os.Interrupt))
				ts.Check(n.Wait())
			},
			"kill": func(ts *testscript.TestScript, _ bool, args []string) {
				n := takeNode(ts, args)
				ts.Check(n.Process.Signal(syscall.SIGKILL))
				_ = n.Wait() // it was killed
			},
		},
	})
}

// requireCode runs a command that has to end with the code.
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
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("standard output is not empty: %s", out)
	}
	if text := ts.ReadFile("stderr"); strings.Count(text, "\n") != 1 || !strings.HasPrefix(text, "obverse: ") {
		ts.Fatalf("standard error is not one line of obverse's: %s", text)
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
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		if errors.Is(err, io.EOF) {
			err = cmd.Wait()
		}
		ts.Fatalf("node %s: %v: %s%s", args[0], err, line, stderr.String())
	}
}

// takeNode returns a node that runs, which the caller ends.
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

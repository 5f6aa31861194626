package cli

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/native/settings"
)

// If the reader of the output closes it, the program ends without an error, whether or not SIGPIPE
// is ignored.
func TestUnreadOutput(t *testing.T) {
	dir := t.TempDir()
	start(t, dir)
	for name, script := range map[string]string{
		"as usual":        `"$0" call rpc.discover | head -1`,
		"SIGPIPE ignored": `trap "" PIPE; "$0" call rpc.discover | head -1`,
		"help":            `trap "" PIPE; "$0" help call | head -1`,
		"list of methods": `trap "" PIPE; "$0" call help | head -1`,
		"config":          `trap "" PIPE; "$0" config | head -1`,
		"completion":      `trap "" PIPE; "$0" completion zsh | head -1`,
	} {
		t.Run(name, func(t *testing.T) {
			command := exec.Command("sh", "-c", script, os.Args[0])
			command.Env = obverse(dir).Env
			var stdout, stderr bytes.Buffer
			command.Stdout, command.Stderr = &stdout, &stderr
			require.NoError(t, command.Run())
			require.Equal(t, 1, bytes.Count(stdout.Bytes(), []byte("\n")), stdout.String())
			require.Empty(t, stderr.String())
		})
	}
}

// A lost connection is reported.
func TestLostConnectionIsReported(t *testing.T) {
	cmd := newCommand(t)
	cmd.run = func(context.Context, *settings.Settings, *slog.Logger, func(node, daemon string) error) error {
		return &net.OpError{Op: "write", Net: "tcp", Err: os.NewSyscallError("write", syscall.EPIPE)}
	}
	out := cmd.do("serve")
	require.Equal(t, exitFailure, out.code)
	require.Contains(t, out.stderr, "obverse: write tcp: write: broken pipe")
}

// Ctrl-C ends a call that waits for its input or for the node.
func TestInterruptedCall(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer silent.Close()
	accepted := make(chan net.Conn, 1)
	go func() {
		c, err := silent.Accept()
		if err == nil {
			_, _ = c.Read(make([]byte, 1))
			accepted <- c
		}
	}()
	cmd := newCommand(t)
	cmd.config(t, `{"rpc_password":"`+password+`"}`)
	_, port, err := net.SplitHostPort(silent.Addr().String())
	require.NoError(t, err)
	call := obverse(cmd.dir, "call", "rpcport="+port, "my_balance", "-")
	input, err := call.StdinPipe()
	require.NoError(t, err)
	stderr := new(bytes.Buffer)
	call.Stderr = stderr
	require.NoError(t, call.Start())
	_, err = io.WriteString(input, `{"coin":"ATOM"}`)
	require.NoError(t, err)
	require.NoError(t, input.Close())
	defer (<-accepted).Close()
	require.NoError(t, call.Process.Signal(os.Interrupt))
	require.Error(t, call.Wait())
	require.Equal(t, exitFailure, call.ProcessState.ExitCode())
	require.Equal(t, "obverse: interrupted before the node responded; the call may have taken effect\n", stderr.String())

	waiting := obverse(cmd.dir, "call", "rpcport="+port, "my_balance", "-")
	input, err = waiting.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, waiting.Start())
	_, err = input.Write([]byte("{"))
	require.NoError(t, err)
	require.NoError(t, waiting.Process.Signal(os.Interrupt))
	require.Error(t, waiting.Wait(), "it does not wait for the end of its input")
}

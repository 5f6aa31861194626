package instance

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

const holdEnv = "INSTANCE_TEST_HOLD"

// TestMain makes the test program the other process too: it locks the folder named
// in the environment, says so and waits to be killed.
func TestMain(m *testing.M) {
	dir := os.Getenv(holdEnv)
	if dir == "" {
		os.Exit(m.Run())
	}
	lock, err := Acquire(dir)
	if err == nil {
		err = lock.Publish(Running{PID: os.Getpid(), Node: "http://node", Daemon: "http://daemon"})
	}
	if err != nil {
		os.Stdout.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
	os.Stdout.WriteString("locked\n")
	select {}
}

// hold starts the other process and waits until it has said what became of it.
func hold(t *testing.T, dir string) (process *exec.Cmd, says string) {
	t.Helper()
	process = exec.Command(os.Args[0])
	process.Env = append(os.Environ(), holdEnv+"="+dir)
	out, err := process.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, process.Start())
	t.Cleanup(func() { process.Process.Kill(); process.Wait() })
	says, err = bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	return process, says
}

func TestTwoProcesses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "by it")
	other, says := hold(t, dir)
	require.Equal(t, "locked\n", says)

	_, err := Acquire(dir)
	require.ErrorIs(t, err, ErrRunning)
	require.ErrorContains(t, err, "already running, pid "+strconv.Itoa(other.Process.Pid))
	r, running := Find(dir)
	require.True(t, running)
	require.Equal(t, Running{PID: other.Process.Pid, Node: "http://node", Daemon: "http://daemon"}, r)

	require.NoError(t, other.Process.Kill())
	require.Error(t, other.Wait())
	_, running = Find(dir)
	require.False(t, running, "what a killed process wrote is not believed")
	lock, err := Acquire(dir)
	require.NoError(t, err, "a killed process leaves no lock")
	_, says = hold(t, dir)
	require.Contains(t, says, "already running, pid "+strconv.Itoa(os.Getpid()))
	require.NoError(t, lock.Release())
	_, says = hold(t, dir)
	require.Equal(t, "locked\n", says)
}

func TestFindWithoutFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	_, running := Find(dir)
	require.False(t, running)
	require.NoDirExists(t, dir)
}

func TestAcquireNamesAFolderThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := Acquire(file)
	require.ErrorContains(t, err, file)
}

func TestFindReadsHalfAFile(t *testing.T) {
	dir := t.TempDir()
	_, says := hold(t, dir)
	require.Equal(t, "locked\n", says)
	require.NoError(t, os.WriteFile(filepath.Join(dir, lockName), []byte(`{"pid":12,"no`), 0o600))
	r, running := Find(dir)
	require.True(t, running)
	require.Zero(t, r)
}

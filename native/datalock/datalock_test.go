package datalock

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const holdEnv = "INSTANCE_TEST_HOLD"

// TestMain lets the test program also run as the other process, which locks the folder in the
// environment, reports it and waits to be killed.
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
	for {
		time.Sleep(time.Hour) // without cgo, select {} would end the program as a deadlock
	}
}

// hold starts the other process and waits for its report.
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

func TestAcquireNamesInvalidFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := Acquire(file)
	require.ErrorContains(t, err, file)
}

func TestFindReadsHalfAFile(t *testing.T) {
	dir := t.TempDir()
	_, says := hold(t, dir)
	require.Equal(t, "locked\n", says)
	require.NoError(t, os.WriteFile(filepath.Join(dir, FileName), []byte(`{"pid":12,"no`), 0o600))
	r, running := Find(dir)
	require.True(t, running)
	require.Zero(t, r)
}

// A lock file that is a link or not a regular file is refused and not changed.
func TestLockIsNotAFile(t *testing.T) {
	for name, make := range map[string]func(t *testing.T, lock, target string){
		"a link":            func(t *testing.T, lock, target string) { require.NoError(t, os.Symlink(target, lock)) },
		"a link to nothing": func(t *testing.T, lock, target string) { require.NoError(t, os.Symlink(target+"x", lock)) },
		"a folder":          func(t *testing.T, lock, _ string) { require.NoError(t, os.Mkdir(lock, 0o700)) },
		"a pipe":            func(t *testing.T, lock, _ string) { require.NoError(t, syscall.Mkfifo(lock, 0o600)) },
	} {
		t.Run(name, func(t *testing.T) {
			dir, elsewhere := t.TempDir(), t.TempDir()
			target := filepath.Join(elsewhere, "precious")
			require.NoError(t, os.WriteFile(target, []byte("keep me"), 0o600))
			make(t, filepath.Join(dir, FileName), target)
			_, err := Acquire(dir)
			require.ErrorContains(t, err, filepath.Join(dir, FileName))
			require.ErrorContains(t, err, "regular file")
			_, running := Find(dir)
			require.False(t, running)
			text, err := os.ReadFile(target)
			require.NoError(t, err)
			require.Equal(t, "keep me", string(text))
			require.NoFileExists(t, target+"x")
		})
	}
}

// Locking must not truncate a file that is a hard link to another file.
func TestLockOfTwoNames(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(t.TempDir(), "precious")
	require.NoError(t, os.WriteFile(target, []byte("keep me"), 0o600))
	require.NoError(t, os.Link(target, filepath.Join(dir, FileName)))
	_, err := Acquire(dir)
	require.ErrorContains(t, err, "another name")
	text, err := os.ReadFile(target)
	require.NoError(t, err)
	require.Equal(t, "keep me", string(text))
}

// Users who can write to the folder could replace the node's files.
func TestFolderOfOthers(t *testing.T) {
	for _, c := range []struct {
		mode    os.FileMode
		refused string
		warns   string
	}{
		{0o700, "", ""},
		{0o755, "", ""},
		{0o770, "", "group"},
		{0o707, "chmod o-w", ""},
		{0o777, "chmod o-w", ""},
		{0o777 | os.ModeSticky, "", "every user"},
	} {
		dir := filepath.Join(t.TempDir(), "data")
		require.NoError(t, os.Mkdir(dir, 0o700))
		require.NoError(t, os.Chmod(dir, c.mode))
		lock, err := Acquire(dir)
		if c.refused != "" {
			require.ErrorContains(t, err, c.refused)
			require.ErrorContains(t, err, dir)
			require.NoFileExists(t, filepath.Join(dir, FileName))
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.warns == "", len(lock.Warnings()) == 0, c.mode)
		require.Contains(t, strings.Join(lock.Warnings(), ""), c.warns)
		require.NoError(t, lock.Release())
	}
	if os.Geteuid() != 0 {
		return // the other cases have unsafe folders
	}
	dir := t.TempDir()
	require.NoError(t, os.Chown(dir, 4242, 4242))
	lock, err := Acquire(dir)
	require.NoError(t, err)
	require.Contains(t, strings.Join(lock.Warnings(), ""), "belongs to another user (uid 4242)")
	require.NoError(t, lock.Release())
}

func TestReleaseEmptiesTheLock(t *testing.T) {
	dir := t.TempDir()
	lock, err := Acquire(dir)
	require.NoError(t, err)
	require.NoError(t, lock.Publish(Running{PID: 1, Node: "a long address that a shorter text replaces"}))
	require.NoError(t, lock.Publish(Running{PID: 2}))
	text, err := os.ReadFile(filepath.Join(dir, FileName))
	require.NoError(t, err)
	require.Equal(t, "{\"pid\":2}\n", string(text))
	require.NoError(t, lock.Release())
	text, err = os.ReadFile(filepath.Join(dir, FileName))
	require.NoError(t, err)
	require.Empty(t, text)
}

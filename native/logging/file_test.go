package logging

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// Like logrotate, the test renames the file, and the next line is written to a new file.
func TestFileIsReopened(t *testing.T) {
	var other strings.Builder
	f := NewFile(&other)
	path := filepath.Join(t.TempDir(), "log")
	fmt.Fprintln(f, "one")
	require.NoError(t, f.Open(path))
	fmt.Fprintln(f, "two")
	require.NoError(t, os.Rename(path, path+".1"))
	fmt.Fprintln(f, "three")
	require.NoError(t, f.Open(path))
	fmt.Fprintln(f, "four")
	require.NoError(t, f.Open(path))
	fmt.Fprintln(f, "five")
	require.NoError(t, f.Open(""))
	fmt.Fprintln(f, "six")
	require.Equal(t, "one\nsix\n", other.String())
	require.Equal(t, "two\nthree\n", read(t, path+".1"))
	require.Equal(t, "four\nfive\n", read(t, path), "lines are added")
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestUnwritableFile(t *testing.T) {
	var other strings.Builder
	f := NewFile(&other)
	dir := t.TempDir()
	good, pipe := filepath.Join(dir, "log"), filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	require.NoError(t, f.Open(good))
	for _, bad := range []string{dir, pipe, filepath.Join(dir, "no", "folder"), "/dev/null"} {
		require.ErrorContains(t, f.Open(bad), bad)
		require.ErrorContains(t, f.Open(bad), "log_file")
	}
	fmt.Fprintln(f, "goes on")
	require.Equal(t, "goes on\n", read(t, good))
	require.NoError(t, f.file.Close())
	fmt.Fprintln(f, "a full disk")
	require.Equal(t, "a full disk\n", other.String(), "no line is lost")
}

func TestFileIsOpenedWhileItIsWritten(t *testing.T) {
	var other strings.Builder
	f := NewFile(&other)
	dir := t.TempDir()
	require.NoError(t, f.Open(filepath.Join(dir, "0")))
	level := NewLevel("info")
	log := NewAt(f, level)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 100 {
				log.Info("line")
				log.Debug("hidden")
			}
		})
	}
	for n := range 20 {
		require.NoError(t, f.Open(filepath.Join(dir, fmt.Sprint(n))))
	}
	group.Wait()
	all := ""
	for n := range 20 {
		all += read(t, filepath.Join(dir, fmt.Sprint(n)))
	}
	require.Equal(t, 400, strings.Count(all, "msg=line\n"))
	require.NotContains(t, all, "hidden")
	level.Set("debug")
	log.Debug("shown")
	require.Contains(t, read(t, filepath.Join(dir, "19")), "msg=shown\n")
	require.Empty(t, other.String())
}

// book collects lines from multiple goroutines.
type book struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *book) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *book) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func (b *book) Reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text.Reset()
}

// Buffered lines are written with the next line that is not buffered, in order.
func TestLinesWaitForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var other book
		f := NewFile(&other)
		log := New(Redact(f, "a very long secret"), "info").Handler().(*lines)
		request := func(n int) slog.Record {
			return line(time.Now(), slog.LevelInfo, "request", slog.Int("n", n), slog.String("path", "/"))
		}
		written := func(want ...string) {
			t.Helper()
			var found []string
			for text := range strings.Lines(other.String()) {
				_, message, _ := strings.Cut(text, "msg=")
				found = append(found, strings.TrimSpace(message))
			}
			require.Equal(t, want, found)
		}
		require.NoError(t, log.HandleLater(t.Context(), request(1)))
		require.NoError(t, log.HandleLater(t.Context(), request(2)))
		require.Empty(t, other.String())
		slog.New(log).Info("at once")
		written("request n=1 path=/", "request n=2 path=/", `"at once"`)

		require.NoError(t, log.HandleLater(t.Context(), request(3)))
		require.NoError(t, log.HandleLater(t.Context(), line(time.Now(), slog.LevelWarn, "warning")))
		written("request n=1 path=/", "request n=2 path=/", `"at once"`, "request n=3 path=/", "warning")

		other.Reset()
		for n := range 2 { // the timer is started again
			require.NoError(t, log.HandleLater(t.Context(), request(n)))
			time.Sleep(heldTime - time.Nanosecond)
			synctest.Wait()
			require.NotContains(t, other.String(), fmt.Sprintf("n=%d", n))
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			require.Contains(t, other.String(), fmt.Sprintf("n=%d", n))
		}
		require.NoError(t, log.HandleLater(t.Context(), line(time.Now(), slog.LevelInfo, "m", slog.String("a", "a very long secret"))))
		require.NoError(t, f.Flush())
		require.NoError(t, f.Flush())
		require.Contains(t, other.String(), `msg=m a="[secret]"`+"\n")
	})
}

// Buffered lines belong to the file of their time, and their number is limited.
func TestHeldLinesOfAnotherFile(t *testing.T) {
	var other strings.Builder
	f := NewFile(&other)
	dir := t.TempDir()
	require.NoError(t, f.Open(filepath.Join(dir, "0")))
	_, err := f.Later([]byte("first\n"))
	require.NoError(t, err)
	require.NoError(t, f.Open(filepath.Join(dir, "1")))
	require.Equal(t, "first\n", read(t, filepath.Join(dir, "0")))
	long := strings.Repeat("x", maxHeld/2) + "\n"
	for range 2 {
		require.Empty(t, read(t, filepath.Join(dir, "1")))
		_, err := f.Later([]byte(long))
		require.NoError(t, err)
	}
	require.Equal(t, long+long, read(t, filepath.Join(dir, "1")))
	_, err = f.Later([]byte("of a full disk\n"))
	require.NoError(t, err)
	require.NoError(t, f.file.Close())
	require.NoError(t, f.Flush())
	require.Equal(t, "of a full disk\n", other.String())
}

// If the disk is full while buffered lines are written, each line is complete in one place.
func TestLinesOfAFullDisk(t *testing.T) {
	var other strings.Builder
	f := NewFile(&other)
	path := filepath.Join(t.TempDir(), "log")
	require.NoError(t, f.Open(path))
	for n := range 4 {
		_, err := f.Later(fmt.Appendf(nil, "line %d\n", n))
		require.NoError(t, err)
	}
	fileSizeLimit(t, uint64(len("line 0\nline 1\nli")))
	require.NoError(t, f.Flush())
	require.Equal(t, "line 0\nline 1\nli", read(t, path))
	require.Equal(t, "line 2\nline 3\n", other.String())
}

// fileSizeLimit limits the size of files until the end of the test.
func fileSizeLimit(t *testing.T, bytes uint64) {
	t.Helper()
	var before syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before))
	t.Cleanup(func() { require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before)) })
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: before.Max}))
}

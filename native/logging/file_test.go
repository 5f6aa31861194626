package logging

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// What logrotate does: the file gets another name, and the next line is in a new one.
func TestFileIsOpenedAnew(t *testing.T) {
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

package interop

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// ErrModules reports that Go could not download the modules of a program.
var ErrModules = errors.New("modules could not be fetched")

// Build returns the path of the program of a kind. It builds the program if it is not in the user's
// cache folder, which all copies of the repository share. This takes some minutes on two cores; the
// progress is printed on standard error. Concurrent processes build a program once.
func Build(ctx context.Context, kind Kind) (path string, err error) {
	p, err := programOf(kind)
	if err != nil {
		return "", err
	}
	return p.build(ctx, os.Stderr)
}

func (p program) build(ctx context.Context, progress io.Writer) (path string, err error) {
	key, err := p.key()
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("a folder to keep %s in: %w", p.name, err)
	}
	dir := filepath.Join(cache, "obverse-interop", key)
	path = filepath.Join(dir, p.name)
	if err := os.MkdirAll(dir, 0o755); err != nil || isFile(path) {
		return path, err
	}
	lock := flock.New(filepath.Join(dir, "lock"))
	if free, err := lock.TryLock(); err != nil || !free {
		fmt.Fprintf(progress, "interop: another process builds %s %s; waiting for it\n", p.name, p.version)
		if _, err := lock.TryLockContext(ctx, time.Second/4); err != nil {
			return "", fmt.Errorf("waiting for another build of %s: %w", p.name, err)
		}
	}
	defer lock.Unlock()
	if isFile(path) {
		return path, nil
	}
	return path, p.buildAt(ctx, path, progress)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// buildAt builds a program at path. The file is complete or absent.
func (p program) buildAt(ctx context.Context, path string, progress io.Writer) error {
	work, err := os.MkdirTemp(filepath.Dir(path), "build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := p.recipe(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(work, name), text, 0o644); err != nil {
			return err
		}
	}
	start := time.Now()
	fmt.Fprintf(progress, "interop: building %s %s, once, into %s: this takes some minutes\n", p.name, p.version, path)
	if err := p.compile(ctx, work, progress); err != nil {
		return fmt.Errorf("%s %s cannot be built: %w", p.name, p.version, err)
	}
	if err := os.Rename(filepath.Join(work, p.name), path); err != nil {
		return err
	}
	fmt.Fprintf(progress, "interop: built %s %s in %s\n", p.name, p.version, time.Since(start).Round(time.Second))
	return nil
}

// compile runs go build in the folder work and prints its progress every half minute.
func (p program) compile(ctx context.Context, work string, progress io.Writer) error {
	cmd := exec.CommandContext(ctx, "go", append(p.arguments(), "-o", p.name, p.main)...)
	cmd.Dir = work
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOTOOLCHAIN=local", "CGO_ENABLED=0", "GOOS=", "GOARCH=")
	said := new(saying)
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("run the go command: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	start, tick := time.Now(), time.NewTicker(30*time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			fmt.Fprintf(progress, "interop: still building %s, %s: %s\n", p.name, time.Since(start).Round(time.Second), said.last())
		case err := <-ended:
			if err != nil && ctx.Err() == nil {
				return explain(said.text(), err)
			}
			return errors.Join(err, ctx.Err())
		}
	}
}

// moduleTrouble matches the go command's errors about missing modules. Errors of the compiler start
// with a package or a file, and contain no version.
var moduleTrouble = regexp.MustCompile(`(?m)^.*(?:module lookup disabled|@v\S+: |cannot find module|unrecognized import path).*$`)

// explain returns the relevant part of the output of a failed go build.
func explain(words string, err error) error {
	wrong := moduleTrouble.FindAllString(words, 3)
	if len(wrong) == 0 {
		return fmt.Errorf("%w: %s", err, tail(words, 2000))
	}
	return fmt.Errorf("%w: %s. They are needed once, through the module proxy that 'go env GOPROXY' names", ErrModules,
		strings.Join(wrong, "; "))
}

func tail(text string, length int) string {
	return strings.TrimSpace(text[max(0, len(text)-length):])
}

// saying is a writer that stores the output of a command.
type saying struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (s *saying) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.Write(p)
}

func (s *saying) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.String()
}

func (s *saying) last() string {
	lines := strings.Split(strings.TrimSpace(s.text()), "\n")
	return lines[len(lines)-1]
}

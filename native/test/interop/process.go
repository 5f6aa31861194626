package interop

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ErrNotRunning reports that the process of a chain has ended before.
var ErrNotRunning = errors.New("the chain does not run")

// process is a running program. A watcher process ends the program when this process ends for any
// reason, since the watcher's standard input is closed then.
type process struct {
	cmd     *exec.Cmd
	log     string        // path of the log
	ended   chan struct{} // closed when the process has ended
	watcher *exec.Cmd
	leash   io.Closer // the watcher's standard input
}

func startProcess(log, program string, arguments ...string) (*process, error) {
	file, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer file.Close() // the program has a copy
	p := &process{cmd: exec.Command(program, arguments...), log: log, ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = file, file
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait() // the error does not matter
	}()
	if err := p.watch(); err != nil {
		return nil, errors.Join(err, p.end(syscall.SIGKILL))
	}
	return p, nil
}

func (p *process) watch() error {
	watcher := exec.Command("sh", "-c", `cat >/dev/null; kill -9 "$0" 2>/dev/null`, strconv.Itoa(p.cmd.Process.Pid))
	leash, err := watcher.StdinPipe()
	if err != nil {
		return err
	}
	if err := watcher.Start(); err != nil {
		return err
	}
	p.watcher, p.leash = watcher, leash
	return nil
}

// end sends a signal and waits until the process has ended. After a while, it sends SIGKILL.
func (p *process) end(signal syscall.Signal) error {
	if p.watcher != nil {
		// The watcher is stopped first. Once the program has been waited for, another process may
		// have its id.
		_ = p.watcher.Process.Kill()
		_ = p.leash.Close()
		_ = p.watcher.Wait()
		p.watcher = nil
	}
	late := time.AfterFunc(10*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer late.Stop()
	if err := p.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-p.ended
	return nil
}

// lastWords returns the end of the output of the process.
func (p *process) lastWords() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	words := string(text)
	if n := strings.LastIndex(words, "\nError: "); n >= 0 {
		words, _, _ = strings.Cut(words[n+1:], "\nUsage:")
	}
	return tail(words, 2000)
}

func (c *Chain) running() *process {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.process
}

// take removes the process from the chain and returns it.
func (c *Chain) take() *process {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.process
	c.process = nil
	return p
}

// Stop stops the chain and removes its folder. It may be called more than once.
func (c *Chain) Stop() error {
	var err error
	if p := c.take(); p != nil {
		// A frozen process would not receive the signal to stop.
		_ = p.cmd.Process.Signal(syscall.SIGCONT)
		err = p.end(syscall.SIGTERM)
	}
	return errors.Join(err, os.RemoveAll(c.Dir))
}

// Kill ends the process with SIGKILL. Restart starts the chain again.
func (c *Chain) Kill() error {
	if p := c.take(); p != nil {
		return p.end(syscall.SIGKILL)
	}
	return ErrNotRunning
}

// Freeze stops the process without ending it. Connections are accepted, but requests get no
// response until Thaw.
func (c *Chain) Freeze() error { return c.signal(syscall.SIGSTOP) }

// Thaw undoes Freeze.
func (c *Chain) Thaw() error { return c.signal(syscall.SIGCONT) }

func (c *Chain) signal(signal syscall.Signal) error {
	p := c.running()
	if p == nil {
		return ErrNotRunning
	}
	return p.cmd.Process.Signal(signal)
}

// Restart starts a killed chain on the same address, and returns when it has a new block.
func (c *Chain) Restart(ctx context.Context) error {
	if c.running() != nil {
		return errors.New("the chain runs")
	}
	return c.begin(ctx)
}

// Rewind kills the chain and starts it from its genesis on the same address. It then has the same
// chain id, fewer blocks, and none of its transactions.
func (c *Chain) Rewind(ctx context.Context) error {
	if err := c.Kill(); err != nil && !errors.Is(err, ErrNotRunning) {
		return err
	}
	if err := os.RemoveAll(c.path("data")); err != nil {
		return err
	}
	if err := os.Mkdir(c.path("data"), 0o700); err != nil {
		return err
	}
	const unsigned = `{"height":"0","round":0,"step":0}`
	if err := os.WriteFile(c.path("data", "priv_validator_state.json"), []byte(unsigned), 0o600); err != nil {
		return err
	}
	c.mu.Lock()
	c.height = 0
	c.mu.Unlock()
	return c.begin(ctx)
}

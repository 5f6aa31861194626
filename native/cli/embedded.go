//go:build libkdf

package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"obverse/native/node"
)

// This file runs the node in the process of another program, which receives the log and keeps its
// own signals and output. Source: Komodo DeFi Framework mm2_bin_lib, for the numbers.

// Results of Embedded.Start in addition to those of kdf, and results of Embedded.Stop.
const (
	stopNotRunning = 1
	stopAlready    = 3
)

// States of Embedded.Status.
const (
	statusNotRunning = 0
	statusStarting   = 1
	statusRunning    = 3
)

// Embedded is the only node of a process. Its methods may be called by any thread.
type Embedded struct {
	mu       sync.Mutex
	state    int
	stopping bool
	cancel   context.CancelCauseFunc
	ended    chan struct{} // closed when the node has ended
	out      *lines        // output for the host
}

// Start runs a node with a config, a JSON object. It returns when the node is ready or has failed.
// The result is an exit code of kdf, or KDFInitError if the node was stopped before it was ready.
func (e *Embedded) Start(config string, log func(line string)) int {
	ready := make(chan struct{})
	ended := make(chan struct{})
	e.mu.Lock()
	if e.state != statusNotRunning {
		e.mu.Unlock()
		return KDFAlreadyRunning
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	out := newHostLines(log)
	e.state, e.stopping, e.cancel, e.ended, e.out = statusStarting, false, cancel, ended, out
	e.mu.Unlock()
	p := &program{stdin: strings.NewReader(""), getenv: os.Getenv, run: runAlone, stderr: out}
	p.stdout = onFirst(sync.OnceFunc(func() {
		e.set(statusRunning)
		close(ready)
	}))
	code := 0
	go func() {
		code = p.embed(ctx, config)
		cancel(nil)
		out.close()
		e.set(statusNotRunning)
		close(ended)
	}()
	select {
	case <-ready:
		return 0
	case <-ended:
	}
	out.finish()
	select {
	case <-ready: // it has ended since then
		return 0
	default:
	}
	if code == 0 { // it was stopped before it was ready
		return KDFInitError
	}
	return code
}

// set is called only by the node.
func (e *Embedded) set(state int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.state = state
}

// Status returns the state of the node: 0 without a node, 1 while it starts, 3 while it is ready.
func (e *Embedded) Status() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.state
}

// Stop stops the node and returns when it has ended. The result is 0, or the reason why there was
// nothing to stop.
func (e *Embedded) Stop() int {
	e.mu.Lock()
	if e.state == statusNotRunning {
		e.mu.Unlock()
		return stopNotRunning
	}
	if e.stopping {
		e.mu.Unlock()
		return stopAlready
	}
	e.stopping = true
	cancel, ended, out := e.cancel, e.ended, e.out
	e.mu.Unlock()
	cancel(node.Ending("stop"))
	<-ended // the node ends within stopTime
	out.finish()
	return 0
}

// embed is like kdf, with the config as an argument and without signals.
func (p *program) embed(ctx context.Context, config string) int {
	src, err := p.kdfSources([]string{config})
	src.Warnings = nil // the config is not visible in the list of processes
	if err == nil {
		err = p.serveUntil(ctx, nil, src, p.forWallet, p.run)
	}
	if err != nil {
		fmt.Fprintln(p.stderr, "kdf:", oneLine(err))
	}
	return kdfCode(err)
}

// onFirst is a writer that calls a function at the first write.
type onFirst func()

// Write implements io.Writer.
func (f onFirst) Write(b []byte) (int, error) {
	f()
	return len(b), nil
}

// lines passes output to the host line by line, in a separate goroutine. The host may do anything
// in its callback, such as stopping the node, and may take any time.
type lines struct {
	line  func(string)
	queue chan string
	done  chan struct{} // closed when no more lines are passed to the host
	over  atomic.Bool   // waiting lines are dropped

	mu      sync.Mutex
	rest    []byte
	dropped int
	closed  bool
}

// maxQueued is the maximum number of waiting lines.
const maxQueued = 4096

// maxDelivery is the maximum time for which a stopping node waits until the host has received the
// last lines.
const maxDelivery = 500 * time.Millisecond

func newHostLines(line func(string)) *lines {
	l := &lines{line: line, queue: make(chan string, maxQueued), done: make(chan struct{})}
	go l.deliver()
	return l
}

// Write implements io.Writer. It never waits for the host.
func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest = append(l.rest, b...)
	for {
		line, rest, whole := bytes.Cut(l.rest, []byte{'\n'})
		if !whole {
			return len(b), nil
		}
		l.put(string(line))
		l.rest = append([]byte(nil), rest...)
	}
}

// put adds a line. The caller must hold the lock.
func (l *lines) put(line string) {
	if l.closed {
		return
	}
	if l.dropped > 0 && len(l.queue) < maxQueued-1 {
		l.queue <- fmt.Sprintf("%d log lines were dropped: the host takes them too slowly", l.dropped)
		l.dropped = 0
	}
	select {
	case l.queue <- line:
	default:
		l.dropped++
	}
}

func (l *lines) deliver() {
	defer close(l.done)
	for line := range l.queue {
		if !l.over.Load() {
			l.line(line)
		}
	}
}

// close rejects further lines.
func (l *lines) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	close(l.queue)
}

// finish waits for the host, for a limited time since the host may be waiting for its caller.
// Afterwards no further call of the host's callback begins.
func (l *lines) finish() {
	select {
	case <-l.done:
	case <-time.After(maxDelivery):
		l.over.Store(true)
	}
}

//go:build libkdf

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
)

// The node inside another program's process, which takes its log and keeps its own signals and
// output. Source: Komodo DeFi Framework mm2_bin_lib, for the numbers.

// Results of embedded.start beyond those of kdf, and of embedded.stop.
const (
	stopNotRunning = 1
	stopAlready    = 3
)

// States of embedded.status.
const (
	statusNotRunning = 0
	statusStarting   = 1
	statusRunning    = 3
)

// embedded is a node of which a process has one. Its methods may be called by any thread.
type embedded struct {
	mu       sync.Mutex
	state    int
	stopping bool
	cancel   context.CancelCauseFunc
	ended    chan struct{} // closed when the node is gone
}

// start runs a node with a config, a JSON object, and returns when it answers, or is not to. The
// result is one of kdf's exit codes.
func (e *embedded) start(config string, log func(line string)) int {
	p := &program{stdin: strings.NewReader(""), getenv: os.Getenv, run: run, stderr: &lines{line: log}}
	ready := make(chan struct{})
	p.stdout = onFirst(sync.OnceFunc(func() {
		e.set(statusRunning)
		close(ready)
	}))
	ended := make(chan struct{})
	e.mu.Lock()
	if e.state != statusNotRunning {
		e.mu.Unlock()
		return kdfAlreadyRunning
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	e.state, e.stopping, e.cancel, e.ended = statusStarting, false, cancel, ended
	e.mu.Unlock()
	code := 0
	go func() {
		code = p.embed(ctx, config)
		cancel(nil)
		e.set(statusNotRunning)
		close(ended)
	}()
	select {
	case <-ready:
		return 0
	case <-ended:
		return code
	}
}

// set is called by the node alone.
func (e *embedded) set(state int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.state = state
}

func (e *embedded) status() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.state
}

// stop ends the node and returns when it is gone: 0, or why it does nothing.
func (e *embedded) stop() int {
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
	cancel, ended := e.cancel, e.ended
	e.mu.Unlock()
	cancel(ending("stop"))
	<-ended // it has stopTime
	return 0
}

// embed is kdf with a config and without signals.
func (p *program) embed(ctx context.Context, config string) int {
	src, err := p.kdfSources([]string{config})
	src.Warnings = nil // this argument is not shown
	if err == nil {
		err = p.serveUntil(ctx, nil, src, p.forWallet, p.run)
	}
	if err != nil {
		fmt.Fprintln(p.stderr, "kdf:", oneLine(err))
	}
	return kdfCode(err)
}

// onFirst is a writer that calls a function when something is written.
type onFirst func()

// Write implements io.Writer.
func (f onFirst) Write(b []byte) (int, error) {
	f()
	return len(b), nil
}

// lines passes on what is written line by line.
type lines struct {
	mu   sync.Mutex
	rest []byte
	line func(string)
}

var _ io.Writer = (*lines)(nil)

// Write implements io.Writer.
func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest = append(l.rest, b...)
	for {
		line, rest, whole := bytes.Cut(l.rest, []byte{'\n'})
		if !whole {
			return len(b), nil
		}
		l.line(string(line))
		l.rest = append([]byte(nil), rest...)
	}
}

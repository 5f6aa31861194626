package httpd

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// Limits of the log lines of equal refusals.
const (
	foldTime = time.Second
	maxEqual = 20 // in each foldTime
)

// refusals limits the log lines of equal refusals and writes how many it left out. A client
// needs no credential to be refused, and would fill the disk.
type refusals struct {
	port  string
	write func(context.Context, slog.Record) error

	mu   sync.Mutex
	seen map[refusal]int // how many there were in the current foldTime
}

// refusal is what lines are equal by: few values, whatever clients send.
type refusal struct {
	status  int
	outcome string
}

func newRefusals(port string, write func(context.Context, slog.Record) error) *refusals {
	return &refusals{port: port, write: write, seen: map[refusal]int{}}
}

// isFolded reports whether the line of a refusal is left out.
func (f *refusals) isFolded(status int, outcome string) bool {
	if status < http.StatusBadRequest || status >= http.StatusInternalServerError {
		return false
	}
	kind := refusal{status, outcome}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.seen[kind] == 0 {
		time.AfterFunc(foldTime, func() { f.report(kind) })
	}
	f.seen[kind]++
	return f.seen[kind] > maxEqual
}

// report writes how many lines were left out.
func (f *refusals) report(kind refusal) {
	f.mu.Lock()
	count := f.seen[kind] - maxEqual
	delete(f.seen, kind)
	f.mu.Unlock()
	if count <= 0 {
		return
	}
	line := slog.NewRecord(time.Now(), slog.LevelInfo, "requests", 0)
	line.AddAttrs(slog.String("interface", f.port), slog.Int("status", kind.status), slog.Int("more", count))
	if kind.outcome != "" {
		line.AddAttrs(slog.String("outcome", kind.outcome))
	}
	_ = f.write(context.Background(), line) // a failing log has no other place to report to
}

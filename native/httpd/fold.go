package httpd

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// foldTime is how long lines of equal refusals are counted for one line.
const foldTime = time.Second

// refusals writes one line of equal refusals a second, and how many there were: a client needs no
// credential to be refused, and would fill the disk.
type refusals struct {
	port  string
	write func(context.Context, slog.Record) error

	mu   sync.Mutex
	seen map[refusal]int // how many lines were left out since the first
}

// refusal is what lines are equal by: few values, whatever clients send.
type refusal struct {
	status  int
	outcome string
}

func newRefusals(port string, write func(context.Context, slog.Record) error) *refusals {
	return &refusals{port: port, write: write, seen: map[refusal]int{}}
}

// isFolded reports whether the line of a refusal is left out. The first of its kind is not.
func (f *refusals) isFolded(status int, outcome string) bool {
	if status < http.StatusBadRequest || status >= http.StatusInternalServerError {
		return false
	}
	kind := refusal{status, outcome}
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, counting := f.seen[kind]; counting {
		f.seen[kind]++
		return true
	}
	f.seen[kind] = 0
	time.AfterFunc(foldTime, func() { f.tell(kind) })
	return false
}

// tell writes how many lines were left out.
func (f *refusals) tell(kind refusal) {
	f.mu.Lock()
	count := f.seen[kind]
	delete(f.seen, kind)
	f.mu.Unlock()
	if count == 0 {
		return
	}
	line := slog.NewRecord(time.Now(), slog.LevelInfo, "requests", 0)
	line.AddAttrs(slog.String("interface", f.port), slog.Int("status", kind.status), slog.Int("more", count))
	if kind.outcome != "" {
		line.AddAttrs(slog.String("outcome", kind.outcome))
	}
	_ = f.write(context.Background(), line) // a failing log has no other place to report to
}

package httpd

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// Limits of the log lines of equal answers.
const (
	foldTime = time.Second
	maxEqual = 20 // in each foldTime
)

// folded limits the log lines of equal answers to clients without a credential, and of equal
// refusals, and writes how many it left out. Otherwise anyone could fill the disk.
type folded struct {
	port  string
	write func(context.Context, slog.Record) error

	mu   sync.Mutex
	seen map[outcome]int // how many there were in the current foldTime
}

// outcome is what lines are equal by: few values, whatever clients send.
type outcome struct {
	status int
	call   string // the outcome of the first call that failed, if one was made
}

func newFolded(port string, write func(context.Context, slog.Record) error) *folded {
	return &folded{port: port, write: write, seen: map[outcome]int{}}
}

// leavesOut reports whether the line of an answer is left out. proven says that the client has
// shown a credential.
func (f *folded) leavesOut(kind outcome, proven bool) bool {
	refused := kind.status >= http.StatusBadRequest && kind.status < http.StatusInternalServerError
	if proven && !refused {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.seen[kind] == 0 {
		time.AfterFunc(foldTime, func() { f.report(kind) })
	}
	f.seen[kind]++
	return f.seen[kind] > maxEqual
}

// report writes how many lines were left out.
func (f *folded) report(kind outcome) {
	f.mu.Lock()
	count := f.seen[kind] - maxEqual
	delete(f.seen, kind)
	f.mu.Unlock()
	if count <= 0 {
		return
	}
	line := slog.NewRecord(time.Now(), slog.LevelInfo, "requests", 0)
	line.AddAttrs(slog.String("interface", f.port), slog.Int("status", kind.status), slog.Int("more", count))
	if kind.call != "" {
		line.AddAttrs(slog.String("outcome", kind.call))
	}
	_ = f.write(context.Background(), line) // a failing log has no other place to report to
}

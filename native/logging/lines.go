package logging

import (
	"context"
	"io"
	"log/slog"
	"strconv"
	"sync"
)

// lines writes slog's text lines. It formats records of plain values itself, such as the one of every
// request, in the same form but faster. Other records go to slog's own
// handler.
type lines struct {
	slog.Handler
	w     io.Writer
	later func(p []byte) (int, error) // of w, if it buffers lines
	free  sync.Pool                   // of *[]byte
}

// later is a writer that can buffer lines, to write them together; *File implements it.
type later interface {
	Later(p []byte) (int, error)
}

func newLines(w io.Writer, level slog.Leveler) *lines {
	return &lines{Handler: slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}), w: w, later: laterOf(w)}
}

// laterOf returns the function of w that buffers a line, or w.Write if w has no such function.
func laterOf(w io.Writer) func(p []byte) (int, error) {
	if l, is := w.(later); is {
		return l.Later
	}
	return w.Write
}

// Handle implements slog.Handler.
func (l *lines) Handle(ctx context.Context, r slog.Record) error { return l.handle(ctx, r, l.w.Write) }

// HandleLater is Handle for frequent records, whose lines may be buffered. A
// record that is not plain, or is a warning, is written at once.
func (l *lines) HandleLater(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn {
		return l.Handle(ctx, r)
	}
	return l.handle(ctx, r, l.later)
}

func (l *lines) handle(ctx context.Context, r slog.Record, write func([]byte) (int, error)) error {
	buffer, _ := l.free.Get().(*[]byte)
	if buffer == nil {
		buffer = new([]byte)
	}
	defer l.free.Put(buffer)
	text, plain := appendLine((*buffer)[:0], r)
	*buffer = text
	if !plain {
		return l.Handler.Handle(ctx, r)
	}
	_, err := write(text)
	return err
}

const (
	timeForm = "2006-01-02T15:04:05.000Z07:00" // slog's
	maxPlain = 1 << 12                         // limit of a value, in bytes, because buffers are reused
)

// appendLine appends a record if all of its values are plain.
func appendLine(dst []byte, r slog.Record) (line []byte, plain bool) {
	if r.Time.IsZero() || !isPlain(r.Message) {
		return dst, false
	}
	dst = append(dst, "time="...)
	dst = r.Time.AppendFormat(dst, timeForm)
	dst = append(append(dst, " level="...), r.Level.String()...)
	dst = append(append(dst, " msg="...), r.Message...)
	plain = true
	r.Attrs(func(a slog.Attr) bool {
		dst, plain = appendAttr(dst, a)
		return plain
	})
	return append(dst, '\n'), plain
}

func appendAttr(dst []byte, a slog.Attr) (line []byte, plain bool) {
	if !isPlain(a.Key) {
		return dst, false
	}
	dst = append(append(append(dst, ' '), a.Key...), '=')
	switch a.Value.Kind() {
	case slog.KindString:
		if text := a.Value.String(); isPlain(text) {
			return append(dst, text...), true
		}
	case slog.KindInt64:
		return strconv.AppendInt(dst, a.Value.Int64(), 10), true
	}
	return dst, false
}

// isPlain reports whether text needs no quotes because it has only visible ASCII characters.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c >= 0x7f || c == '=' || c == '"' {
			return false
		}
	}
	return text != "" && len(text) <= maxPlain
}

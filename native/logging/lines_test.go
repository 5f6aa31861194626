package logging

import (
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// both returns the line of a record as this package writes it, and as slog does.
func both(t testing.TB, r slog.Record) (ours, theirs string, plain bool) {
	t.Helper()
	var a, b strings.Builder
	require.NoError(t, newLines(&a, slog.LevelDebug).Handle(t.Context(), r))
	require.NoError(t, slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug}).Handle(t.Context(), r))
	_, plain = appendLine(nil, r)
	return a.String(), b.String(), plain
}

func line(at time.Time, level slog.Level, message string, attrs ...slog.Attr) slog.Record {
	r := slog.NewRecord(at, level, message, 0)
	r.AddAttrs(attrs...)
	return r
}

func TestLinesAreSlogs(t *testing.T) {
	at := time.Date(2026, 11, 21, 5, 5, 29, 769_999_999, time.UTC)
	east := at.In(time.FixedZone("east", 5*3600+1800))
	for name, c := range map[string]struct {
		record slog.Record
		plain  bool
	}{
		"request": {line(at, slog.LevelInfo, "request", slog.String("verb", "POST"), slog.String("path", "/a-b_c.d"), slog.Int("status", 200),
			slog.Int64("bytes", -1), slog.String("seconds", "0.000123"), slog.String("peer", "2001:db8::1"), slog.String("method", "lightning::nodes::list_peers")), true},
		"bare":             {line(at, slog.LevelError, "stop"), true},
		"other zone":       {line(east, slog.LevelDebug, "request"), true},
		"level between":    {line(at, slog.LevelInfo+1, "request"), true},
		"backslash":        {line(at, slog.LevelInfo, `C:\dir`, slog.String("a", `\`)), true},
		"whole second":     {line(at.Truncate(time.Second), slog.LevelInfo, "request"), true},
		"no time":          {line(time.Time{}, slog.LevelInfo, "request"), false},
		"words":            {line(at, slog.LevelInfo, "wrote a config"), false},
		"empty message":    {line(at, slog.LevelInfo, ""), false},
		"empty value":      {line(at, slog.LevelInfo, "m", slog.String("a", "")), false},
		"equals":           {line(at, slog.LevelInfo, "m", slog.String("a", "b=c")), false},
		"quote":            {line(at, slog.LevelInfo, "m", slog.String("a", `"`)), false},
		"line break":       {line(at, slog.LevelInfo, "m", slog.String("a", "b\nlevel=ERROR")), false},
		"letter":           {line(at, slog.LevelInfo, "m", slog.String("a", "é…")), false},
		"no UTF-8":         {line(at, slog.LevelInfo, "m", slog.String("a", "\xff")), false},
		"delete character": {line(at, slog.LevelInfo, "m", slog.String("a", "\x7f")), false},
		"key":              {line(at, slog.LevelInfo, "m", slog.String("a b", "c")), false},
		"no key":           {line(at, slog.LevelInfo, "m", slog.String("", "c")), false},
		"float":            {line(at, slog.LevelInfo, "m", slog.Float64("a", 1.5)), false},
		"duration":         {line(at, slog.LevelInfo, "m", slog.Duration("a", time.Second)), false},
		"error":            {line(at, slog.LevelInfo, "m", slog.Any("a", errors.New("x y"))), false},
		"group":            {line(at, slog.LevelInfo, "m", slog.Group("g", slog.Int("a", 1))), false},
		"empty group":      {line(at, slog.LevelInfo, "m", slog.Attr{}), false},
		"long":             {line(at, slog.LevelInfo, "m", slog.String("a", strings.Repeat("x", maxPlain+1))), false},
		"plain, then not":  {line(at, slog.LevelInfo, "m", slog.String("a", "b"), slog.String("c", "d e")), false},
	} {
		t.Run(name, func(t *testing.T) {
			ours, theirs, plain := both(t, c.record)
			require.Equal(t, theirs, ours)
			require.Equal(t, c.plain, plain)
			require.Equal(t, 1, strings.Count(ours, "\n"))
		})
	}
}

// Loggers with attributes or a group use the encoder of slog.
func TestLinesWithAttrs(t *testing.T) {
	var out strings.Builder
	New(&out, "info").With("a", 1).WithGroup("g").Info("m", "b", 2)
	require.Contains(t, out.String(), "level=INFO msg=m a=1 g.b=2\n")
}

func TestLinesOfManyStayWhole(t *testing.T) {
	pieces := &slowly{}
	log := New(Redact(pieces), "info")
	done := make(chan struct{})
	const writers, each = 8, 200
	for range writers {
		go func() {
			for i := range each {
				log.Info("plain", "a", "value")
				log.Info("not plain", "i", i)
			}
			done <- struct{}{}
		}()
	}
	for range writers {
		<-done
	}
	for text := range strings.Lines(pieces.String()) {
		require.Regexp(t, `^time=\S+ level=INFO msg=(plain a=value|"not plain" i=\d+)\n$`, text)
	}
	require.Equal(t, 2*writers*each, strings.Count(pieces.String(), "\n"))
}

// slowly accepts a line one byte at a time.
type slowly struct{ strings.Builder }

func (s *slowly) Write(p []byte) (int, error) {
	for _, b := range p {
		s.WriteByte(b)
	}
	return len(p), nil
}

func TestLinesTellWriteErrors(t *testing.T) {
	h := newLines(failing{}, slog.LevelInfo)
	require.ErrorIs(t, h.Handle(t.Context(), line(time.Now(), slog.LevelInfo, "plain")), errFull)
	require.ErrorIs(t, h.Handle(t.Context(), line(time.Now(), slog.LevelInfo, "not plain")), errFull)
}

func FuzzLinesAreSlogs(f *testing.F) {
	f.Add("request", "path", "/a=b", int64(5), int64(0))
	f.Add("a b", "", "\x00é", int64(-1), int64(1<<40))
	f.Fuzz(func(t *testing.T, message, key, value string, number, seconds int64) {
		ours, theirs, _ := both(t, line(time.Unix(seconds%1e10, number%1e9), slog.Level(number%20), message, slog.String(key, value), slog.Int64(value, number)))
		require.Equal(t, theirs, ours)
	})
}

// BenchmarkLine logs a request, with the secrets of a node to search for.
func BenchmarkLine(b *testing.B) {
	secrets := []string{strings.Repeat("a", 43), strings.Repeat("b", 43), strings.Repeat("c", 43), strings.Repeat("d", 52), strings.Repeat("e", 64), strings.Repeat("f", 60)}
	w := Redact(io.Discard, secrets...)
	r := line(time.Now(), slog.LevelInfo, "request", slog.String("interface", "daemon"), slog.String("verb", "POST"),
		slog.String("path", "/"), slog.Int("status", 200), slog.Int64("bytes", 250), slog.String("seconds", "0.000123"),
		slog.String("peer", "127.0.0.1"), slog.String("method", "tokenbalance"), slog.String("outcome", "ok"))
	for name, h := range map[string]slog.Handler{"own": newLines(w, slog.LevelInfo), "slog": slog.NewTextHandler(w, nil)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = h.Handle(b.Context(), r)
			}
		})
	}
}

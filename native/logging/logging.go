// Package logging makes the logger of a native node. It decides how lines look and
// keeps secrets out of them; it does not decide what is logged.
//
// Invariant: none of the secrets it was given appears in what it writes, whether
// they came in a message, an attribute, an error or a type's own formatting.
package logging

import (
	"bytes"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"
)

// mark stands where a secret was.
const mark = "[secret]"

// shortest is the length from which a text is taken for a secret. Replacing every
// "a" would destroy the log and hide nothing.
const shortest = 4

// New returns a logger of text lines from a level on, which is a value of `log_level`.
func New(w io.Writer, level string) *slog.Logger {
	return slog.New(newLines(w, levelOf(level)))
}

func levelOf(name string) (level slog.Level) {
	if level.UnmarshalText([]byte(name)) != nil {
		return slog.LevelInfo
	}
	return level
}

// Redact returns a writer that replaces the secrets in each line given to it. It
// sees whole lines, because slog and fmt write a line at a time; so it also sees
// what a redacting slog.Handler would miss, the texts inside errors and structs.
func Redact(w io.Writer, secrets ...string) io.Writer {
	var pairs []string
	var forms [][]byte
	add := func(form string) {
		pairs = append(pairs, form, mark)
		forms = append(forms, []byte(form))
	}
	for _, s := range secrets {
		if len(s) < shortest {
			continue
		}
		add(s)
		if quoted := strings.Trim(strconv.Quote(s), `"`); quoted != s {
			add(quoted)
		}
	}
	return &redactor{w, forms, strings.NewReplacer(pairs...)}
}

type redactor struct {
	w        io.Writer
	secrets  [][]byte
	replacer *strings.Replacer
}

// Write reports the length that it was given, as io.Writer asks.
func (r *redactor) Write(p []byte) (int, error) {
	if !r.suspects(p) {
		return r.w.Write(p)
	}
	if _, err := r.replacer.WriteString(r.w, string(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// suspects searches a line first: nearly every one has no secret and needs no copy.
func (r *redactor) suspects(p []byte) bool {
	return slices.ContainsFunc(r.secrets, func(s []byte) bool { return bytes.Contains(p, s) })
}

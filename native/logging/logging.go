// Package logging makes the logger of a native node. It decides how lines look and
// keeps secrets out of them; it does not decide what is logged.
//
// Invariant: none of the secrets it was given appears in what it writes, whether
// they came in a message, an attribute, an error or a type's own formatting.
package logging

import (
	"io"
	"log/slog"
	"strconv"
	"strings"
)

// mark stands where a secret was.
const mark = "[secret]"

// shortest is the length from which a text is taken for a secret. Replacing every
// "a" would destroy the log and hide nothing.
const shortest = 4

// New returns a logger of text lines.
func New(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }

// Redact returns a writer that replaces the secrets in each line given to it. It
// sees whole lines, because slog and fmt write a line at a time; so it also sees
// what a redacting slog.Handler would miss, the texts inside errors and structs.
func Redact(w io.Writer, secrets ...string) io.Writer {
	var pairs []string
	for _, s := range secrets {
		if len(s) < shortest {
			continue
		}
		pairs = append(pairs, s, mark)
		if quoted := strings.Trim(strconv.Quote(s), `"`); quoted != s {
			pairs = append(pairs, quoted, mark)
		}
	}
	return &redactor{w, strings.NewReplacer(pairs...)}
}

type redactor struct {
	w        io.Writer
	replacer *strings.Replacer
}

// Write reports the length that it was given, as io.Writer asks.
func (r *redactor) Write(p []byte) (int, error) {
	if _, err := r.replacer.WriteString(r.w, string(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

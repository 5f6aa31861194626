// Package logging makes the logger of a native node. It decides how lines look and
// keeps secrets out of them; it does not decide what is logged.
//
// Invariant: no secret that was passed to it appears in its output, whether it came in a
// message, an attribute, an error or a type's own formatting; short ones as far as Redact says.
package logging

import (
	"bytes"
	"cmp"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// mark stands where a secret was.
const mark = "[secret]"

// Lengths of secrets, in bytes. Replacing every "a" would destroy the log and hide
// nothing; a passphrase that is a short word is part of other words.
const (
	shortest = 4  // from here on a text is taken for a secret that stands alone
	anywhere = 8  // from here on also inside of words
	sentence = 16 // from here on also if it has only letters: a shorter one may be a word of a message
)

// New returns a logger of text lines from a level on, which is a value of `log_level`. w
// gets lines from several goroutines at a time; what Redact returns keeps them apart.
func New(w io.Writer, level string) *slog.Logger { return NewAt(w, NewLevel(level)) }

// NewAt is New with a level that can change.
func NewAt(w io.Writer, level *Level) *slog.Logger { return slog.New(newLines(w, &level.v)) }

// Level is the least level that is logged. It may be set while lines are logged.
type Level struct{ v slog.LevelVar }

// NewLevel makes one of a value of `log_level`.
func NewLevel(name string) *Level {
	l := new(Level)
	l.Set(name)
	return l
}

// Set takes a value of `log_level`.
func (l *Level) Set(name string) { l.v.Set(levelOf(name)) }

func levelOf(name string) (level slog.Level) {
	if level.UnmarshalText([]byte(name)) != nil {
		return slog.LevelInfo
	}
	return level
}

// Redact returns a writer that replaces the secrets in each line given to it, and writes
// the lines of several goroutines one after another. It sees whole lines, because slog
// and fmt write a line at a time; so it also sees what a redacting slog.Handler would
// miss, the texts inside errors and structs.
//
// Secrets of fewer than 4 bytes are left; those of fewer than 8 are replaced where they
// stand alone, not inside of words. One of fewer than 16 bytes with nothing but letters, as
// "mnemonic", is replaced where it is a value, as in password=mnemonic, not in sentences, which
// clients search for words.
func Redact(w io.Writer, secrets ...string) io.Writer {
	var forms [][]byte
	for _, s := range secrets {
		if len(s) < shortest {
			continue
		}
		forms = append(forms, []byte(s))
		if quoted := strings.Trim(strconv.Quote(s), `"`); quoted != s {
			forms = append(forms, []byte(quoted))
		}
	}
	// The longest first: of two that begin at one place, the shorter one would leave
	// the end of the other.
	slices.SortStableFunc(forms, func(a, b []byte) int { return cmp.Compare(len(b), len(a)) })
	return &redactor{secrets: forms, w: w, later: laterOf(w)}
}

type redactor struct {
	secrets [][]byte

	mu    sync.Mutex // after the search for secrets, which needs no lock
	w     io.Writer
	later func(p []byte) (int, error)
}

// Write reports the length that it was given, as io.Writer asks.
func (r *redactor) Write(p []byte) (int, error) { return r.pass(p, r.w.Write) }

// Later passes a line on that may wait, if the writer behind can wait.
func (r *redactor) Later(p []byte) (int, error) { return r.pass(p, r.later) }

func (r *redactor) pass(p []byte, write func([]byte) (int, error)) (int, error) {
	clean := p
	if r.suspects(p) {
		clean = r.redacted(p)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := write(clean); err != nil {
		return 0, err
	}
	return len(p), nil
}

// suspects searches a line first: nearly every one has no secret and needs no copy.
func (r *redactor) suspects(p []byte) bool {
	return slices.ContainsFunc(r.secrets, func(s []byte) bool { return bytes.Contains(p, s) })
}

func (r *redactor) redacted(p []byte) []byte {
	clean := make([]byte, 0, len(p))
	for at := 0; at < len(p); {
		n := r.secretAt(p, at)
		if n > 0 {
			clean = append(clean, mark...)
			at += n
			continue
		}
		clean = append(clean, p[at])
		at++
	}
	return clean
}

// secretAt returns the length of the secret that begins there, or 0.
func (r *redactor) secretAt(p []byte, at int) int {
	for _, s := range r.secrets {
		if bytes.HasPrefix(p[at:], s) && shows(p, s, at) {
			return len(s)
		}
	}
	return 0
}

// shows reports whether the text at a place of a line is the secret, and not a word or a part of one.
func shows(p, secret []byte, at int) bool {
	switch end := at + len(secret); {
	case len(secret) < sentence && isWord(secret):
		return alone(p, at, end) && isValue(p[:at], p[end:])
	case len(secret) < anywhere:
		return alone(p, at, end)
	}
	return true
}

func isWord(secret []byte) bool {
	return !bytes.ContainsFunc(secret, func(r rune) bool { return !unicode.IsLetter(r) })
}

// isValue reports whether what stands between two parts of a line is a value: the whole line, or
// behind a sign that introduces values and before one that ends them.
func isValue(before, after []byte) bool {
	after = bytes.TrimRight(after, "\n")
	if len(before) == 0 {
		return len(after) == 0
	}
	if len(after) > 0 && !bytes.ContainsAny(after[:1], " \"'`,;)]}&@/\\") {
		return false
	}
	switch sign := before[len(before)-1]; sign {
	case '=', '{', '[': // the last two where Go prints a struct or a list
		return true
	case '"', '\'', '`': // the whole text in quotes, which is not the name of a value
		rest, ends := bytes.CutPrefix(bytes.TrimPrefix(after, []byte(`\`)), []byte{sign})
		return ends && !bytes.HasPrefix(rest, []byte(":"))
	case ' ':
		return bytes.ContainsAny(last(before[:len(before)-1]), ":=") && !bytes.HasPrefix(after, []byte(" "))
	}
	return bytes.ContainsAny(last(before), ":(/,@") && !bytes.HasPrefix(after, []byte(" "))
}

// last returns the last byte of a text.
func last(text []byte) []byte { return text[max(0, len(text)-1):] }

// alone reports whether p[from:to] is not a part of a longer word.
func alone(p []byte, from, to int) bool {
	first, _ := utf8.DecodeRune(p[from:to])
	last, _ := utf8.DecodeLastRune(p[from:to])
	before, size := utf8.DecodeLastRune(p[:from])
	after, _ := utf8.DecodeRune(p[to:])
	if size < from && p[from-size-1] == '\\' {
		before = '\\' // the n of a quoted line break is no letter
	}
	return !(inWord(first) && inWord(before)) && !(inWord(last) && inWord(after))
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// Package logging makes the logger of a native node. It determines the form of lines and
// removes secrets from them; it does not decide what is logged.
//
// Invariant: no secret that was passed to Redact appears in the output, whether it came in a
// message, an attribute, an error or the formatting of a type. Redact describes the limits for short secrets.
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

// mark replaces a secret.
const mark = "[secret]"

// Lengths of secrets, in bytes. If every "a" was replaced, the log would be unreadable without
// hiding anything. A passphrase that is a short word also occurs inside other words.
const (
	shortest = 4  // from this length on, a secret is replaced where it is a separate word
	anywhere = 8  // from this length on, it is also replaced inside words
	sentence = 16 // from this length on, it is also replaced if it has only letters; a shorter one may be a word of a message
)

// New returns a logger of text lines at and above a level, which is a value of `log_level`. Several
// goroutines may write to w at the same time; the result of Redact serializes them.
func New(w io.Writer, level string) *slog.Logger { return NewAt(w, NewLevel(level)) }

// NewAt is New with a level that can change.
func NewAt(w io.Writer, level *Level) *slog.Logger { return slog.New(newLines(w, &level.v)) }

// Level is the lowest level that is logged. It may be changed at any time.
type Level struct{ v slog.LevelVar }

// NewLevel returns the Level for a value of `log_level`.
func NewLevel(name string) *Level {
	l := new(Level)
	l.Set(name)
	return l
}

// Set sets the level to a value of `log_level`.
func (l *Level) Set(name string) { l.v.Set(levelOf(name)) }

func levelOf(name string) (level slog.Level) {
	if level.UnmarshalText([]byte(name)) != nil {
		return slog.LevelInfo
	}
	return level
}

// Redact returns a writer that replaces the secrets in each line, and writes
// the lines of several goroutines one after another. It receives whole lines, because slog
// and fmt write one line at a time. It therefore also replaces secrets that a slog.Handler would
// miss, inside the texts of errors and structs.
//
// Secrets of fewer than 4 bytes are not replaced. Those of fewer than 8 bytes are replaced where they
// are separate words. One of fewer than 16 bytes with only letters, such as
// "mnemonic", is replaced where it is a value, as in password=mnemonic, but not in sentences, which
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
	// The longest secrets come first: if two secrets begin at the same place, the shorter one would leave
	// the end of the longer one.
	slices.SortStableFunc(forms, func(a, b []byte) int { return cmp.Compare(len(b), len(a)) })
	return &redactor{secrets: forms, w: w, later: laterOf(w)}
}

type redactor struct {
	secrets [][]byte

	mu    sync.Mutex // held while a line is written, but not during the search for secrets
	w     io.Writer
	later func(p []byte) (int, error)
}

// Write implements io.Writer. It returns the length of p, although the written line may have another length.
func (r *redactor) Write(p []byte) (int, error) { return r.pass(p, r.w.Write) }

// Later writes a line that may be buffered, if the underlying writer buffers lines.
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

// suspects reports whether a line may contain a secret. Nearly all lines do not, and need no copy.
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

// secretAt returns the length of the secret that begins at a position of p, or 0.
func (r *redactor) secretAt(p []byte, at int) int {
	for _, s := range r.secrets {
		if bytes.HasPrefix(p[at:], s) && shows(p, s, at) {
			return len(s)
		}
	}
	return 0
}

// shows reports whether the text at a position is the secret, and not a word or a part of one.
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

// isValue reports whether the text between two parts of a line is a value: the whole line, or
// text after a character that begins a value and before one that ends it.
func isValue(before, after []byte) bool {
	after = bytes.TrimRight(after, "\n")
	if len(before) == 0 {
		return len(after) == 0
	}
	if len(after) > 0 && !bytes.ContainsAny(after[:1], " \"'`,;)]}&@/\\") {
		return false
	}
	switch sign := before[len(before)-1]; sign {
	case '=', '{', '[': // Go prints structs with the second and lists with the third
		return true
	case '"', '\'', '`': // a whole text in quotes, which is not the name of a value
		rest, ends := bytes.CutPrefix(bytes.TrimPrefix(after, []byte(`\`)), []byte{sign})
		return ends && !bytes.HasPrefix(rest, []byte(":"))
	case ' ':
		return bytes.ContainsAny(last(before[:len(before)-1]), ":=") && !bytes.HasPrefix(after, []byte(" "))
	}
	return bytes.ContainsAny(last(before), ":(/,@") && !bytes.HasPrefix(after, []byte(" "))
}

// last returns the last byte of a text.
func last(text []byte) []byte { return text[max(0, len(text)-1):] }

// alone reports whether p[from:to] is not part of a longer word.
func alone(p []byte, from, to int) bool {
	first, _ := utf8.DecodeRune(p[from:to])
	last, _ := utf8.DecodeLastRune(p[from:to])
	before, size := utf8.DecodeLastRune(p[:from])
	after, _ := utf8.DecodeRune(p[to:])
	if size < from && p[from-size-1] == '\\' {
		before = '\\' // the n of an escaped line break is not a letter
	}
	return !(inWord(first) && inWord(before)) && !(inWord(last) && inWord(after))
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

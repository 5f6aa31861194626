package logging

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/config"
)

func TestSecretsStayOut(t *testing.T) {
	const plain, quoted = "s3cret-word", "with \"quotes\" and \\ and é\n"
	for name, emit := range map[string]func(*slog.Logger){
		"message":   func(l *slog.Logger) { l.Info("got " + plain + quoted) },
		"attribute": func(l *slog.Logger) { l.Info("got", "value", plain, "other", quoted) },
		"key":       func(l *slog.Logger) { l.Info("got", plain, 1, quoted, 2) },
		"error":     func(l *slog.Logger) { l.Error("got", "err", fmt.Errorf("%s: %w", plain, errors.New(quoted))) },
		"struct":    func(l *slog.Logger) { l.Info("got", "v", struct{ inner []string }{[]string{plain, quoted}}) },
		"group":     func(l *slog.Logger) { l.WithGroup("g").With("v", plain).Info("got", "w", quoted) },
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			emit(New(Redact(&out, plain, quoted), "info"))
			require.NotContains(t, out.String(), plain)
			require.NotContains(t, out.String(), `\"quotes\"`)
			require.Equal(t, 2, strings.Count(out.String(), mark), out.String())
			require.Contains(t, out.String(), "got")
		})
	}
}

func TestRedactIsAWriter(t *testing.T) {
	var out strings.Builder
	w := Redact(&out, "secret", "", "abc")
	n, err := fmt.Fprint(w, "a secret, the secret, abc")
	require.NoError(t, err)
	require.Equal(t, 25, n, "as many bytes as it was given")
	require.Equal(t, "a [secret], the [secret], abc", out.String(), "short texts stay")

	_, err = Redact(failing{}, "secret").Write([]byte("x"))
	require.ErrorIs(t, err, errFull)
}

// A passphrase may be a word that others have in them; a long secret is found anywhere.
func TestShortSecretsStandAlone(t *testing.T) {
	for name, c := range map[string]struct{ secret, line, want string }{
		"a word":             {"node", `node=1 msg="the node starts"`, `[secret]=1 msg="the [secret] starts"`},
		"part of one":        {"node", `nodes anode node2 2node nodeé énode`, `nodes anode node2 2node nodeé énode`},
		"at the ends":        {"node", `node`, `[secret]`},
		"between signs":      {"node", `(node)/node,"node"-node_node`, `([secret])/[secret],"[secret]"-[secret]_[secret]`},
		"after a line break": {"node", `a\nnode\tnode\\n`, `a\n[secret]\t[secret]\\n`},
		"its ends are signs": {"-pw-", `a-pw-b`, `a[secret]b`},
		"one end is":         {"!node", `x!node x!nodes`, `x[secret] x!nodes`},
		"seven bytes":        {"sevenxx", `sevenxx sevenxxy`, `[secret] sevenxxy`},
		"eight bytes":        {"eightxxx", `eightxxx xeightxxxy`, `[secret] x[secret]y`},
		"letters":            {"héé", `héé héés`, `[secret] héés`},
		"the mark's word":    {"secret", `secret secrets`, `[secret] secrets`},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			n, err := fmt.Fprint(Redact(&out, c.secret), c.line)
			require.NoError(t, err)
			require.Equal(t, len(c.line), n)
			require.Equal(t, c.want, out.String())
		})
	}
}

// A secret that begins with another one leaves no end.
func TestLongestSecretFirst(t *testing.T) {
	var out strings.Builder
	_, err := fmt.Fprint(Redact(&out, "pass", "pass-phrase", "pass-phrase-of-all"), "pass-phrase-of-all pass-phrase pass")
	require.NoError(t, err)
	require.Equal(t, "[secret] [secret] [secret]", out.String())
}

// No secret that is long enough passes, wherever it stands.
func FuzzRedact(f *testing.F) {
	f.Add("s3cret-word", "before", "after")
	f.Add("\x00\xff quoted \"", "\\", "é")
	f.Fuzz(func(t *testing.T, secret, before, after string) {
		var out strings.Builder
		line := before + secret + after
		n, err := fmt.Fprint(Redact(&out, secret), line)
		require.NoError(t, err)
		require.Equal(t, len(line), n)
		if len(secret) >= anywhere && !strings.ContainsAny(secret, "[]") { // marks could make others anew
			require.NotContains(t, out.String(), secret)
		}
	})
}

func TestLevels(t *testing.T) {
	for name, want := range map[string]string{"error": "E", "warn": "EW", "info": "EWI", "debug": "EWID", "": "EWI"} {
		var out strings.Builder
		log := New(&out, name)
		for _, say := range []func(string, ...any){log.Error, log.Warn, log.Info, log.Debug} {
			say("line")
		}
		var got string
		for line := range strings.Lines(out.String()) {
			_, level, _ := strings.Cut(line, "level=")
			got += level[:1]
		}
		require.Equal(t, want, got, name)
	}
	for _, name := range config.LogLevels() {
		require.Equal(t, strings.ToUpper(name), levelOf(name).String(), "every level of the config is one of slog")
	}
}

var errFull = errors.New("disk full")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }

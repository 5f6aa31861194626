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
	w := Redact(&out, "s3cret", "", "abc")
	n, err := fmt.Fprint(w, "a s3cret, the s3cret, abc")
	require.NoError(t, err)
	require.Equal(t, 25, n, "as many bytes as it was given")
	require.Equal(t, "a [secret], the [secret], abc", out.String(), "short texts stay")

	_, err = Redact(failing{}, "secret").Write([]byte("x"))
	require.ErrorIs(t, err, errFull)
}

// A short passphrase is not removed if it is part of a longer word. A long secret is removed
// everywhere.
func TestShortSecretsStandAlone(t *testing.T) {
	redacts(t, map[string]redaction{
		"a word":             {"node1", `node1=1 msg="the node1 starts"`, `[secret]=1 msg="the [secret] starts"`},
		"part of one":        {"node1", `node1s anode1 node12 2node1 node1é énode1`, `node1s anode1 node12 2node1 node1é énode1`},
		"at the ends":        {"node1", `node1`, `[secret]`},
		"between signs":      {"node1", `(node1)/node1,"node1"-node1_node1`, `([secret])/[secret],"[secret]"-[secret]_[secret]`},
		"after a line break": {"node1", `a\nnode1\tnode1\\n`, `a\n[secret]\t[secret]\\n`},
		"its ends are signs": {"-pw-", `a-pw-b`, `a[secret]b`},
		"one end is":         {"!node", `x!node x!nodes`, `x[secret] x!nodes`},
		"seven bytes":        {"seven-x", `seven-x seven-xy`, `[secret] seven-xy`},
		"eight bytes":        {"eight-xx", `eight-xx xeight-xxy`, `[secret] x[secret]y`},
		"letters":            {"hé-é", `hé-é hé-és`, `[secret] hé-és`},
	})
}

// A password that is an ordinary word is not removed from messages, since wallets search logs for
// "decrypting mnemonic".
func TestWordsAreSecretsAsValues(t *testing.T) {
	const secret = "mnemonic"
	redacts(t, map[string]redaction{
		"a sentence":         {secret, `Error generating or decrypting mnemonic: HMAC error`, `Error generating or decrypting mnemonic: HMAC error`},
		"its beginning":      {secret, `msg="mnemonic is empty" error="mnemonic: empty"`, `msg="mnemonic is empty" error="mnemonic: empty"`},
		"its end":            {secret, `msg="cannot read the mnemonic"`, `msg="cannot read the mnemonic"`},
		"after another part": {secret, `open: mnemonic is empty`, `open: mnemonic is empty`},
		"a name":             {secret, `mnemonic=1 {"mnemonic":1} mnemonic_file mnemonics`, `mnemonic=1 {"mnemonic":1} mnemonic_file mnemonics`},
		"a value":            {secret, `password=mnemonic x="mnemonic" 'mnemonic'`, `password=[secret] x="[secret]" '[secret]'`},
		"in JSON":            {secret, `{"a":"mnemonic","b":["mnemonic"]} "{\"a\":\"mnemonic\"}"`, `{"a":"[secret]","b":["[secret]"]} "{\"a\":\"[secret]\"}"`},
		"of an error":        {secret, `error="invalid password: mnemonic"`, `error="invalid password: [secret]"`},
		"in a URL":           {secret, `http://user:mnemonic@host/mnemonic?p=mnemonic&q`, `http://user:[secret]@host/mnemonic?p=[secret]&q`},
		"printed":            {secret, "{mnemonic true} [mnemonic] {mnemonic}", "{[secret] true} [[secret]] {[secret]}"},
		"the line":           {secret, "mnemonic\n", "[secret]\n"},
		"the mark's word":    {"secret", `p=secret secrets`, `p=[secret] secrets`},
		"a long one":         {"mnemonicmnemonic", `a mnemonicmnemonic b`, `a [secret] b`},
	})
}

type redaction struct{ secret, line, want string }

func redacts(t *testing.T, all map[string]redaction) {
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			n, err := fmt.Fprint(Redact(&out, c.secret), c.line)
			require.NoError(t, err)
			require.Equal(t, len(c.line), n)
			require.Equal(t, c.want, out.String())
		})
	}
}

// If a secret begins with another secret, its end is removed too.
func TestLongestSecretFirst(t *testing.T) {
	var out strings.Builder
	_, err := fmt.Fprint(Redact(&out, "pass", "pass-phrase", "pass-phrase-of-all"), "pass-phrase-of-all pass-phrase =pass")
	require.NoError(t, err)
	require.Equal(t, "[secret] [secret] =[secret]", out.String())
}

// No secret of sufficient length passes, in any position.
func FuzzRedact(f *testing.F) {
	f.Add("s3cret-word", "before", "after")
	f.Add("\x00\xff quoted \"", "\\", "é")
	f.Fuzz(func(t *testing.T, secret, before, after string) {
		var out strings.Builder
		line := before + secret + after
		n, err := fmt.Fprint(Redact(&out, secret), line)
		require.NoError(t, err)
		require.Equal(t, len(line), n)
		if len(secret) >= sentence && !strings.ContainsAny(secret, "[]") { // the replacement could complete another secret
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

package text_test

import (
	"math/big"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"obverse/core/text"
)

func TestClip(t *testing.T) {
	for _, c := range []struct {
		name, text string
		limit      int
		want       string
	}{
		{"empty", "", 3, ""},
		{"full", "abc", 3, "abc"},
		{"long", "abcd", 3, "abc…"},
		{"nothing is wanted", "abc", 0, "…"},
		{"inside a character of two bytes", "aüb", 2, "a…"},
		{"inside a character of three bytes", "日本語の名前", 10, "日本語…"},
		{"behind characters of three bytes", "日本語の名前", 9, "日本語…"},
		{"inside a character of four bytes", "🚀🚀", 7, "🚀…"},
		{"an invalid byte", "a\xffb", 5, "a\ufffdb"},
		{"invalid bytes that grow", "a\xffb\xffc", 6, "a\ufffdb…"},
		{"continuations alone", "\x80\x80\x80", 2, "…"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, text.Clip(c.text, c.limit))
			require.Equal(t, strings.TrimSuffix(c.want, "…"), text.Truncate(c.text, c.limit))
		})
	}
}

func TestVisible(t *testing.T) {
	for _, c := range [][2]string{
		{"", ""}, {"two\nlines,\ta tab", "two\nlines,\ta tab"}, {"a\x00\x1b\r\x7f\u0085b", "ab"}, {"a\xffb", "a\ufffdb"},
		{"a\u200b\u200e\u200f\u061c\u2060\u00ad\ufeff\u034f\u3164\u2800\U000e0041b", "ab"},
		{"\u202aa\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029b", "ab"},
		{"a\u200cb\u200dc\ufe0f\ufe0e", "abc"}, {"👩\u200d🚀 ❤\ufe0f می\u200cخواهم क्\u200dष", "👩\u200d🚀 ❤\ufe0f می\u200cخواهم क्\u200dष"},
	} {
		require.Equal(t, c[1], text.Visible(c[0]), "%q", c[0])
	}
	for _, c := range [][2]string{
		{"a\r\nb\tc\u00a0d\u2028\u0085\x00", "a  b c d  "}, {"\u202ea\u200bbc", "abc"}, {strings.Repeat("é", 100), strings.Repeat("é", 10)},
		{strings.Repeat("\u2003", 20), strings.Repeat(" ", 6)},
	} {
		require.Equal(t, c[1], text.Line(c[0], 20), "%q", c[0])
	}
}

func FuzzClip(f *testing.F) {
	f.Add("aé👩é\xff\xffé", 4)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		limit &= 0xff
		part := text.Truncate(s, limit)
		require.LessOrEqual(t, len(part), limit)
		require.True(t, utf8.ValidString(part))
		require.True(t, strings.HasPrefix(strings.ToValidUTF8(s, "\ufffd"), part) || !utf8.ValidString(s), "%q of %q", part, s)
		if utf8.ValidString(s) && len(s) <= limit {
			require.Equal(t, s, text.Clip(s, limit))
		}
		if rest := len(s) - len(part); utf8.ValidString(s) && rest > 0 {
			_, next := utf8.DecodeRuneInString(s[len(part):])
			require.Greater(t, len(part)+next, limit, "more characters fit")
		}
	})
}

func TestHex(t *testing.T) {
	require.Equal(t, "0x00ff", text.Hex([]byte{0, 255}))
	require.Equal(t, "0x", text.Hex(nil))
	require.Equal(t, "0xff", text.HexNumber(big.NewInt(255)))
	require.Equal(t, "0x0", text.HexNumber(new(big.Int)))
	for _, c := range []struct {
		text string
		want []byte
	}{{"0x", []byte{}}, {"0x00fF", []byte{0, 255}}, {"00ff", nil}, {"0X00", nil}, {"0x0", nil}, {"0xgg", nil}, {"", nil}} {
		b, err := text.ParseHex(c.text)
		require.Equal(t, c.want, b, c.text)
		require.Equal(t, c.want == nil, err != nil, c.text)
	}
	for _, c := range []struct {
		text         string
		bytes, lower bool
	}{{"0x00fF", true, true}, {"00fF", true, false}, {"0X00fF", false, true}, {"0x00", false, false}, {"0x00ff00", false, false}, {"0x00gg", false, false}} {
		b, err := text.ParseHexOf(c.text, 2)
		require.Equal(t, c.bytes, err == nil && b[1] == 255, c.text)
		lower, ok := text.LowerHex(c.text, 2)
		require.Equal(t, c.lower, ok && lower == "0x00ff", c.text)
	}
}

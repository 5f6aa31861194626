package rpc

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// writer generates random JSON texts with all permitted variations: white space, escapes and
// repeated names.
type writer struct {
	dice *rand.Rand
	b    strings.Builder
}

func (w *writer) space() {
	for w.dice.IntN(3) == 0 {
		w.b.WriteByte(" \t\r\n"[w.dice.IntN(4)])
	}
}

func (w *writer) pick(texts ...string) { w.b.WriteString(texts[w.dice.IntN(len(texts))]) }

func (w *writer) str() {
	w.b.WriteByte('"')
	for range w.dice.IntN(6) {
		w.pick("a", "é", "😀", `\"`, `\\`, `\/`, `\u0041`, `\ud83d\ude00`, "{", "}", "[", "]", ",", ":", `\n`)
	}
	w.b.WriteByte('"')
}

func (w *writer) list(open, shut byte, element func()) {
	w.b.WriteByte(open)
	for n := range w.dice.IntN(4) {
		if n > 0 {
			w.b.WriteByte(',')
		}
		w.space()
		element()
		w.space()
	}
	w.b.WriteByte(shut)
}

func (w *writer) value(depth int) {
	kind := w.dice.IntN(6)
	switch {
	case kind == 0 && depth > 0:
		w.list('[', ']', func() { w.value(depth - 1) })
	case kind <= 2 && depth > 0:
		w.object(depth)
	case kind == 3:
		w.str()
	case kind == 4:
		w.pick("0", "-0", "1", "-1.5", "1e9", "1E+9", "0.10", "123456789012345678901234567890")
	default:
		w.pick("null", "true", "false")
	}
}

func (w *writer) object(depth int) {
	w.list('{', '}', func() {
		w.str()
		w.space()
		w.b.WriteByte(':')
		w.space()
		w.value(depth - 1)
	})
}

// rebuilt splits a text with Members, Items and Unquote, and joins the parts again.
func rebuilt(t *testing.T, raw []byte) string {
	var parts []string
	switch KindOf(raw) {
	case KindObject:
		fields, err := Fields(raw)
		require.NoError(t, err)
		for _, f := range fields {
			name, err := json.Marshal(f.Name)
			require.NoError(t, err)
			parts = append(parts, string(name)+":"+rebuilt(t, f.Value))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case KindArray:
		elements, err := Elements(raw)
		require.NoError(t, err)
		for _, e := range elements {
			parts = append(parts, rebuilt(t, e))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case KindString:
		s, err := Unquote(raw)
		require.NoError(t, err)
		text, err := json.Marshal(s)
		require.NoError(t, err)
		return string(text)
	}
	return string(raw)
}

// tokens returns the tokens of a text as read by encoding/json, with numbers unchanged.
func tokens(t *testing.T, text string) (all []string) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	for {
		token, err := dec.Token()
		if err != nil {
			require.EqualError(t, err, "EOF")
			return all
		}
		all = append(all, fmt.Sprintf("%T %v", token, token))
	}
}

// TestTextsTakenApart splits texts down to the last string and number and checks that nothing
// is lost, for example at a quoted brace, a comma in a string or a repeated name.
func TestTextsTakenApart(t *testing.T) {
	for seed := range uint64(2000) {
		w := &writer{dice: rand.New(rand.NewPCG(seed, 3))}
		w.space()
		w.object(5)
		w.space()
		text := w.b.String()
		require.NoError(t, CheckText([]byte(text)), text)
		require.Equal(t, tokens(t, text), tokens(t, rebuilt(t, []byte(text))), text)
	}
}

// TestTextsWithAPartMissing removes one structural byte from a text. CheckText and
// encoding/json must agree on whether the result is valid, except for unpaired surrogates.
func TestTextsWithAPartMissing(t *testing.T) {
	refused := 0
	for seed := range uint64(300) {
		w := &writer{dice: rand.New(rand.NewPCG(seed, 4))}
		w.object(3)
		text := w.b.String()
		for i := range text {
			if !strings.Contains(`{}[],:"`, text[i:i+1]) {
				continue
			}
			cut := []byte(text[:i] + text[i+1:])
			err := CheckText(cut)
			if json.Valid(cut) {
				if err != nil {
					require.ErrorContains(t, err, "hex escape", "%s", cut)
				}
				continue
			}
			refused++
			require.ErrorIs(t, err, ErrText, "%s", cut)
			_, err = Fields(cut)
			require.Error(t, err)
		}
	}
	require.Greater(t, refused, 1000)
}

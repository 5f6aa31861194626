package rpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// whole is a text with all that JSON has.
const whole = `{"a":[1,-0.5e-7,{"":null}],"é":"\ud83d\ude00\n\\","t":true,"f":[false,[]],"o":{}}`

// A text that is cut anywhere is refused, at its end.
func TestTruncatedTexts(t *testing.T) {
	require.NoError(t, CheckText([]byte(whole)))
	for end := range len(whole) {
		err := CheckText([]byte(whole[:end]))
		require.ErrorIs(t, err, ErrText, "%q", whole[:end])
		var where *TextError
		require.ErrorAs(t, err, &where)
		require.Equal(t, 1, where.Line)
		require.Contains(t, where.Reason, "EOF", "%q", whole[:end])
		require.LessOrEqual(t, where.Column, end)
	}
}

// A byte too much anywhere outside of strings is refused, and the refusal is not behind it
// by more than the value that it stands in.
func TestTextsWithAByteTooMuch(t *testing.T) {
	for _, more := range []string{"}", "]", "@", "\x00", "'", "\\"} {
		for at := 0; at <= len(whole); at++ {
			text := whole[:at] + more + whole[at:]
			if json.Valid([]byte(text)) {
				continue // in a string
			}
			err := CheckText([]byte(text))
			require.ErrorIs(t, err, ErrText, "%q", text)
			var where *TextError
			require.ErrorAs(t, err, &where)
			require.GreaterOrEqual(t, where.Column+1, at, "%q: what is before it is in order", text)
		}
	}
}

// Lines are counted by line feeds alone, and columns in bytes.
func TestTextErrorPositions(t *testing.T) {
	for text, want := range map[string]string{
		"\n\n\n@":              "line 4 column 1",
		"\r\r@":                "line 1 column 3",
		"[1,\r\n  @]":          "line 2 column 3",
		"{\"é\":\n@}":          "line 2 column 1",
		"[\"é\",@]":            "line 1 column 7",
		"[\"\\n\",@]":          "line 1 column 7",
		"[\n[\n[\n[\n]\n]\n]@": "line 7 column 2",
	} {
		require.ErrorContains(t, CheckText([]byte(text)), want, "%q", text)
	}
}

// Nesting is counted by what is open, not by what there was.
func TestNesting(t *testing.T) {
	wide := "[" + strings.TrimSuffix(strings.Repeat("[],", 10_000), ",") + "]"
	require.NoError(t, CheckText([]byte(wide)))
	for _, open := range []struct{ begin, end string }{{"[", "]"}, {`{"":`, "}"}} {
		at := func(depth int) []byte {
			return []byte(strings.Repeat(open.begin, depth) + "0" + strings.Repeat(open.end, depth))
		}
		require.NoError(t, CheckText(at(MaxNesting)))
		require.ErrorContains(t, CheckText(at(MaxNesting+1)), "recursion limit exceeded")
		require.ErrorContains(t, CheckText(at(1_000_000)), "recursion limit exceeded", "it costs no stack")
	}
}

// A good call with one of its bytes replaced is refused with one of the reasons there are,
// or taken for what it says; never is there anything else.
func TestCallsWithACorruptByte(t *testing.T) {
	reasons := []error{ErrText, ErrType, ErrMissing, ErrVariant, ErrUnknown, ErrDuplicate}
	taken, refused := 0, 0
	for at := range len(goodEvery) {
		for _, by := range []byte("0\"x{}[],: \\\x01\xff") {
			text := []byte(goodEvery)
			text[at] = by
			var got every
			_, err := take(&got).Named(t.Context(), text, Rules{RefuseUnknown: true})
			if err == nil {
				require.True(t, json.Valid(text))
				taken++
				continue
			}
			refused++
			require.Zero(t, got)
			require.True(t, anyOf(err, reasons), "%q: %v", text, err)
			require.NotContains(t, err.Error(), "json:", "no words of encoding/json")
		}
	}
	require.Greater(t, refused, 500)
	require.Positive(t, taken)
}

func anyOf(err error, reasons []error) bool {
	for _, reason := range reasons {
		if errors.Is(err, reason) {
			return true
		}
	}
	return false
}

// The first of equal names wins at every depth, where the rules say so, and what is behind
// it is not looked at.
func TestFirstKeyWinsAtEveryDepth(t *testing.T) {
	for name, c := range map[string]struct{ text, path string }{
		"top":     {strings.Replace(goodEvery, `"int":-1`, `"int":-1,"int":"no number"`, 1), "int"},
		"escaped": {strings.Replace(goodEvery, `"int":-1`, `"int":-1,"\u0069nt":[]`, 1), "int"},
		"object":  {with(t, "object", `{"url":"u","url":5}`), "object.url"},
		"map":     {with(t, "map", `{"k":true,"k":"no flag"}`), "map.k"},
		"deep":    {with(t, "deep", `{"d":[{"of":[{"url":"v","url":{}}],"of":0}],"d":1}`), "deep.d[0].of[0].url"},
	} {
		t.Run(name, func(t *testing.T) {
			var got, want every
			require.NoError(t, call(t, take(&want), goodEvery, Rules{}))
			require.NoError(t, call(t, take(&got), c.text, Rules{FirstKeyWins: true}))
			require.Equal(t, want, got)
			require.ErrorIs(t, call(t, take(&got), c.text, Rules{}), ErrDuplicate)
		})
	}
}

// One method is called by many at once, the first time too, when its plan is worked out.
func TestMethodsAreForMany(t *testing.T) {
	table := NewTable(Handle("m", Doc{}, func(_ contextOf, p every) (every, error) { return p, nil }))
	var all sync.WaitGroup
	results := make([]any, 16)
	for i := range results {
		all.Go(func() {
			m, _ := table.Lookup("m")
			text := strings.Replace(goodEvery, `"uint":1`, fmt.Sprintf(`"uint":%d`, i), 1)
			results[i], _ = m.Named(t.Context(), json.RawMessage(text), Rules{})
		})
	}
	all.Wait()
	for i, got := range results {
		require.EqualValues(t, i, got.(every).Uint)
	}
}

// What is taken says the same when it is written and read again.
func FuzzNamed(f *testing.F) {
	for _, seed := range []string{goodEvery, zeros("int8", "-128"), `{}`, `null`, `{"bool":true,"bool":false}`, whole} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if CheckText(text) != nil {
			return // the interfaces look at the text first
		}
		var got, again every
		if _, err := take(&got).Named(t.Context(), text, Rules{}); err != nil {
			require.Zero(t, got)
			return
		}
		written, err := json.Marshal(got)
		require.NoError(t, err)
		_, err = take(&again).Named(t.Context(), written, Rules{RefuseUnknown: true})
		require.NoError(t, err, "%s", written)
		require.Equal(t, got, again)
	})
}

package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// TestCheckTextTellsWhere compares the errors with those of serde_json for the same texts.
func TestCheckTextTellsWhere(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "EOF while parsing a value at line 1 column 0",
		" \n ":                   "EOF while parsing a value at line 2 column 1",
		"abc":                    "expected value at line 1 column 1",
		"\xff":                   "expected value at line 1 column 1",
		"nul":                    "EOF while parsing a value at line 1 column 3",
		"nulx":                   "expected ident at line 1 column 4",
		"{} x":                   "trailing characters at line 1 column 4",
		`{"a":1}}`:               "trailing characters at line 1 column 8",
		"{a:1}":                  "key must be a string at line 1 column 2",
		`{"a":1,2}`:              "key must be a string at line 1 column 8",
		`{"a":1,}`:               "trailing comma at line 1 column 8",
		`{"a":1,`:                "EOF while parsing a value at line 1 column 7",
		`{"a" 1}`:                "expected `:` at line 1 column 6",
		`{"a":1 "b"}`:            "expected `,` or `}` at line 1 column 8",
		`{"a"`:                   "EOF while parsing an object at line 1 column 4",
		"{":                      "EOF while parsing an object at line 1 column 1",
		"[1,\n2\n":               "EOF while parsing a list at line 3 column 0",
		"[1 2]":                  "expected `,` or `]` at line 1 column 4",
		"[1,]":                   "trailing comma at line 1 column 4",
		"[,1]":                   "expected value at line 1 column 2",
		"[1,":                    "EOF while parsing a value at line 1 column 3",
		`"abc`:                   "EOF while parsing a string at line 1 column 4",
		`"\`:                     "EOF while parsing a string at line 1 column 2",
		`"\x"`:                   "invalid escape at line 1 column 3",
		`"\u12`:                  "EOF while parsing a string at line 1 column 5",
		`"\u12g4"`:               "invalid escape at line 1 column 6",
		`"\udc00"`:               "lone leading surrogate in hex escape at line 1 column 7",
		`"\ud800"`:               "unexpected end of hex escape at line 1 column 8",
		`"\ud800\n"`:             "unexpected end of hex escape at line 1 column 9",
		`"\ud800\u0041"`:         "lone leading surrogate in hex escape at line 1 column 13",
		"\"a\nb\"":               `control character (\u0000-\u001F) found while parsing a string at line 2 column 0`,
		"[\"\xc3\x28\"]":         "invalid unicode code point at line 1 column 5",
		"01":                     "invalid number at line 1 column 2",
		"-":                      "EOF while parsing a value at line 1 column 1",
		"-x":                     "invalid number at line 1 column 2",
		"1.":                     "EOF while parsing a value at line 1 column 2",
		"1.e3":                   "invalid number at line 1 column 3",
		"1e+":                    "EOF while parsing a value at line 1 column 3",
		"1ex":                    "invalid number at line 1 column 3",
		strings.Repeat("[", 513): "recursion limit exceeded at line 1 column 513",
	} {
		err := CheckText([]byte(text))
		require.EqualError(t, err, want, "%q", text)
		require.ErrorIs(t, err, ErrText)
	}
	for _, text := range []string{`{"a":[1,-0.5e-7,{"":null}],"é":"\ud83d\ude00"}`, " \t\r\n0 ", `"` + "\x7f" + `"`,
		strings.Repeat("[", 512) + strings.Repeat("]", 512), "1e999999"} {
		require.NoError(t, CheckText([]byte(text)), text)
	}
}

// pairedUTF8 reports whether CheckText accepts a text that encoding/json accepts. It uses a
// different algorithm.
func pairedUTF8(text []byte) bool {
	depth, deepest := 0, 0
	dec := json.NewDecoder(strings.NewReader(string(text)))
	for {
		token, err := dec.Token()
		if err != nil {
			break
		}
		switch token {
		case json.Delim('['), json.Delim('{'):
			depth++
			deepest = max(depth, deepest)
		case json.Delim(']'), json.Delim('}'):
			depth--
		}
	}
	// encoding/json replaces an unpaired surrogate, but keeps an escaped U+FFFD.
	plain := strings.ReplaceAll(strings.ReplaceAll(string(text), `\\`, "//"), "\ufffd", "")
	plain = strings.ReplaceAll(strings.ReplaceAll(plain, `\ufffd`, ""), `\uFFFD`, "")
	if strings.Contains(strings.ToLower(plain), `\ufffd`) {
		return CheckText(text) == nil // an escape in mixed case, which is not compared
	}
	var value any
	if json.Unmarshal([]byte(plain), &value) != nil {
		return CheckText(text) == nil // the replacement split an escape
	}
	printed, _ := json.Marshal(value)
	return deepest <= MaxNesting && utf8.Valid(text) && !strings.Contains(string(printed), "\ufffd")
}

func FuzzCheckText(f *testing.F) {
	for _, seed := range []string{`{"a":[1,{"b":"\u00e9\""}],"a":null}`, `["x",-1.5e+3,[],{}]`, `"\ud800"`, `"\ud83d\ude00"`, "\"\xff\"", ` { } `, `[`,
		`{"a":1}}`, `tru`, strings.Repeat("[", 600), `"\`, "\"\x01\"", "[1,\n]"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		err := CheckText(text)
		if !json.Valid(text) {
			require.Error(t, err)
		} else {
			require.Equal(t, pairedUTF8(text), err == nil, "%v", err)
		}
		var where *TextError
		if errors.As(err, &where) {
			lines := strings.Split(string(text), "\n")
			require.NotEmpty(t, where.Reason)
			require.LessOrEqual(t, where.Line, len(lines))
			require.LessOrEqual(t, where.Column, len(lines[where.Line-1]))
		}
	})
}

func BenchmarkCheckText(b *testing.B) {
	text := []byte(`{"userpass":"RPC_UserP@SSW0RD","mmrpc":"2.0","method":"get_public_key","params":{},"id":1}`)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if CheckText(text) != nil {
			b.Fatal()
		}
	}
}

type contextOf = context.Context

// TestOlderForms checks that a method with an older form keeps its own in documents.
func TestOlderForms(t *testing.T) {
	type older struct {
		Old string `json:"old"`
	}
	type newer struct {
		New string `json:"new"`
	}
	m := Handle("m", Doc{Summary: "New"}, func(contextOf, newer) (int, error) { return 2, nil })
	require.Equal(t, "m", m.Form().Name)
	require.False(t, m.Doc.Legacy)
	both := m.Older(Handle("m", Doc{Summary: "Old"}, func(contextOf, older) (string, error) { return "1", nil }))
	require.True(t, both.Doc.Legacy)
	require.False(t, m.Doc.Legacy, "the first one is as it was")
	require.Equal(t, []string{"new", "old"}, []string{both.Params()[0].Name, both.Form().Params()[0].Name})
	require.Equal(t, []string{"integer", "string"}, []string{both.Result().Type, both.Form().Result().Type})

	got, err := both.Named(t.Context(), json.RawMessage(`{"new":"x"}`), Rules{})
	require.NoError(t, err)
	require.Equal(t, 2, got)
	got, err = both.Form().Named(t.Context(), json.RawMessage(`{"old":"x"}`), Rules{})
	require.NoError(t, err)
	require.Equal(t, "1", got)
	_, err = both.Form().Named(t.Context(), json.RawMessage(`{"new":"x"}`), Rules{})
	require.EqualError(t, err, `parameter "old" is missing, it must be a string`)
}

// TestErrorsAreACopy checks that callers may modify the list returned by Errors.
func TestErrorsAreACopy(t *testing.T) {
	m := Handle("m", Doc{}, func(contextOf, struct{}) (int, error) { return 0, nil }).Raises(ErrorKind{Name: "One"}, ErrorKind{Name: "Two"})
	list := m.Errors()
	require.Len(t, list, 2)
	list[0].Name = "changed"
	require.Equal(t, "One", m.Errors()[0].Name)
	more := m.Raises(ErrorKind{Name: "Three"})
	require.Len(t, more.Errors(), 3)
	require.Len(t, m.Errors(), 2)
}

// TestMethodsAreACopy checks that callers may modify the list returned by Methods.
func TestMethodsAreACopy(t *testing.T) {
	table := NewTable(Handle("m", Doc{}, func(contextOf, struct{}) (int, error) { return 0, nil }))
	table.Methods()[0].Name = "changed"
	_, found := table.Lookup("m")
	require.True(t, found)
	require.Equal(t, "m", table.Methods()[0].Name)
	_, found = table.Lookup("M")
	require.False(t, found, "names are exact")
}

// TestPrinted checks that a Printed result is not encoded again, and that the document of all
// methods does not describe itself.
func TestPrinted(t *testing.T) {
	text, err := json.Marshal(struct{ V Printed }{Printed(`{"b":1,"a":[1.0]}`)})
	require.NoError(t, err)
	require.Equal(t, `{"V":{"b":1,"a":[1.0]}}`, string(text))
	_, err = json.Marshal(Printed(`{`))
	require.Error(t, err, "it has to be JSON")
	require.Equal(t, &Schema{Type: "object", Description: "an OpenRPC 1.3.2 document"}, schemaOf(typeFor[Document](), output))
}

// TestPropertiesThatCannotBePrinted checks that an invalid schema results in an error and not
// in a truncated document.
func TestPropertiesThatCannotBePrinted(t *testing.T) {
	_, err := json.Marshal(Schema{Properties: Properties{{"a", &Schema{Type: "string"}}, {"b", &Schema{Default: json.RawMessage("{")}}}})
	require.ErrorContains(t, err, `property "b"`)
	text, err := json.Marshal(Schema{Properties: Properties{{"z\"\n", &Schema{}}, {"a", nil}}})
	require.NoError(t, err)
	require.Equal(t, `{"properties":{"z\"\n":{},"a":null}}`, string(text), "in the order of the slice")
}

// TestOrderOfRefusals checks the order of the checks: the number of parameters, the guard, the
// types, the function. After an error, no further check is made.
func TestOrderOfRefusals(t *testing.T) {
	errGuard, errFunction := errors.New("guard"), errors.New("own")
	for name, c := range map[string]struct {
		args  string
		guard error
		want  error
		calls string
	}{
		"too few":   {`[]`, errGuard, ErrCount, ""},
		"too many":  {`[1,2]`, errGuard, ErrCount, ""},
		"guarded":   {`["x"]`, errGuard, errGuard, "guard "},
		"its type":  {`["x"]`, nil, ErrType, "guard "},
		"its range": {`[300]`, nil, ErrRange, "guard "},
		"its own":   {`[1]`, nil, errFunction, "guard function "},
	} {
		t.Run(name, func(t *testing.T) {
			calls := ""
			m := Handle("m", Doc{}, func(_ contextOf, p struct {
				V uint8 `json:"v"`
			}) (uint8, error) {
				calls += "function "
				return p.V, errFunction
			}).Guarded(func(contextOf) error {
				calls += "guard "
				return c.guard
			})
			require.ErrorIs(t, call(t, m, c.args, Rules{}), c.want)
			require.Equal(t, c.calls, calls)
		})
	}
}

// TestErrorsOfFunctions checks that errors of the function are returned unchanged.
func TestErrorsOfFunctions(t *testing.T) {
	refusal := &ParamError{Path: "v", Want: "a good one", Got: KindNumber, Err: ErrRange}
	m := Handle("m", Doc{}, func(contextOf, struct{}) (any, error) { return "half", refusal })
	value, err := m.Named(t.Context(), nil, Rules{})
	require.Same(t, refusal, err)
	require.Equal(t, "half", value)
	require.EqualError(t, err, `parameter "v" must be a good one, got number`)
}

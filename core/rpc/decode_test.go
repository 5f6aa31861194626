package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

type closedParams struct {
	Inner closedInner `json:"inner" default:"{}"`
	Level depth       `json:"level" default:"1"`
}

type closedInner struct {
	Every int8 `json:"every" default:"5"`
}

func (closedInner) Closed() {}

// depth is a type that refuses a value as a whole, without an inner path.
type depth int8

func (l *depth) UnmarshalParam(raw json.RawMessage) error {
	if KindOf(raw) != KindNumber {
		return &ParamError{Want: "a level", Got: KindOf(raw), Err: ErrType}
	}
	return json.Unmarshal(raw, (*int8)(l))
}

// TestClosed checks that a closed struct refuses unknown names, while the structs around it do
// not.
func TestClosed(t *testing.T) {
	m := Handle("m", Doc{}, func(_ context.Context, p closedParams) (closedParams, error) { return p, nil })
	for text, want := range map[string]string{
		`{}`:                             "",
		`{"more":1}`:                     "",
		`{"inner":{"every":5}}`:          "",
		`{"inner":null}`:                 "",
		`{"inner":{"every":5,"more":1}}`: `parameter "inner.more": unknown name`,
		`{"level":true}`:                 `parameter "level" must be a level, got bool`,
	} {
		t.Run(text, func(t *testing.T) {
			got, err := m.Named(t.Context(), json.RawMessage(text), Rules{})
			if want == "" {
				require.NoError(t, err)
				require.Equal(t, closedParams{closedInner{5}, 1}, got)
				return
			}
			require.EqualError(t, err, want)
			var refusal *ParamError
			require.ErrorAs(t, err, &refusal)
			if refusal.Err == ErrUnknown {
				require.Equal(t, []string{"every"}, refusal.Allowed)
			}
		})
	}
}

// whole is a text with every construct of JSON.
const whole = `{"a":[1,-0.5e-7,{"":null}],"é":"\ud83d\ude00\n\\","t":true,"f":[false,[]],"o":{}}`

// TestTruncatedTexts checks that a text that is truncated at any byte is refused, with its end
// as the position.
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

// TestTextsWithAByteTooMuch checks that an additional byte anywhere outside a string is
// refused, and that the reported position is at most one value after the byte.
func TestTextsWithAByteTooMuch(t *testing.T) {
	for _, more := range []string{"}", "]", "@", "\x00", "'", "\\"} {
		for at := 0; at <= len(whole); at++ {
			text := whole[:at] + more + whole[at:]
			if json.Valid([]byte(text)) {
				continue // the byte is inside a string
			}
			err := CheckText([]byte(text))
			require.ErrorIs(t, err, ErrText, "%q", text)
			var where *TextError
			require.ErrorAs(t, err, &where)
			require.GreaterOrEqual(t, where.Column+1, at, "%q: the text before it is valid", text)
		}
	}
}

// TestTextErrorPositions checks that lines are counted by line feeds, and columns in bytes.
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

// TestNesting checks that the nesting depth counts only open brackets.
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

// TestCallsWithACorruptByte replaces one byte of a valid call. The call must be refused with a
// known error, or decoded as it reads.
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

// TestFirstKeyWinsAtEveryDepth checks that the first of equal names wins at every depth if the
// rules require it, and that the later ones are not decoded.
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

// TestMethodsAreForMany calls a method concurrently, including the first call, which creates
// its plan.
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

// FuzzNamed checks that a decoded value is unchanged after encoding and decoding it again.
func FuzzNamed(f *testing.F) {
	for _, seed := range []string{goodEvery, zeros("int8", "-128"), `{}`, `null`, `{"bool":true,"bool":false}`, whole} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if CheckText(text) != nil {
			return // the interfaces check the text first
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

func TestUnread(t *testing.T) {
	read := Handle("m", Doc{}, func(context.Context, struct{}) (string, error) { return "done", nil })
	strict := Rules{RefuseUnknown: true, Unknown: func(string) { t.Error("nothing is looked at") }}
	for _, params := range []string{``, `null`, `{}`, `{"a":1,"a":2}`, `[1]`, `"text"`, `7`, `true`} {
		result, err := read.Unread().Named(t.Context(), json.RawMessage(params), strict)
		require.NoError(t, err, params)
		require.Equal(t, "done", result)
	}
	_, err := read.Named(t.Context(), json.RawMessage(`[1]`), Rules{})
	require.ErrorIs(t, err, ErrType, "the method itself is as it was")
}

// widths has a field of every integer type.
type widths struct {
	Int8   int8   `json:"int8"`
	Int16  int16  `json:"int16"`
	Int32  int32  `json:"int32"`
	Int64  int64  `json:"int64"`
	Int    int    `json:"int"`
	Uint8  uint8  `json:"uint8"`
	Uint16 uint16 `json:"uint16"`
	Uint32 uint32 `json:"uint32"`
	Uint64 uint64 `json:"uint64"`
	Uint   uint   `json:"uint"`
}

// zeros returns a call of widths in which all fields but one are 0.
func zeros(name, value string) string {
	text := "{"
	for i, f := range fieldsOf(typeFor[widths]()) {
		if i > 0 {
			text += ","
		}
		if f.name == name {
			text += fmt.Sprintf("%q:%s", f.name, value)
		} else {
			text += fmt.Sprintf("%q:0", f.name)
		}
	}
	return text + "}"
}

// TestBoundsOfNumbers checks that every whole number accepts its minimum and maximum, and
// rejects the numbers next to them with the bounds in the error.
func TestBoundsOfNumbers(t *testing.T) {
	for _, c := range []struct{ name, min, below, max, above string }{
		{"int8", "-128", "-129", "127", "128"},
		{"int16", "-32768", "-32769", "32767", "32768"},
		{"int32", "-2147483648", "-2147483649", "2147483647", "2147483648"},
		{"int64", "-9223372036854775808", "-9223372036854775809", "9223372036854775807", "9223372036854775808"},
		{"int", "-9223372036854775808", "-9223372036854775809", "9223372036854775807", "9223372036854775808"},
		{"uint8", "0", "-1", "255", "256"},
		{"uint16", "0", "-1", "65535", "65536"},
		{"uint32", "0", "-1", "4294967295", "4294967296"},
		{"uint64", "0", "-1", "18446744073709551615", "18446744073709551616"},
		{"uint", "0", "-1", "18446744073709551615", "18446744073709551616"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got widths
			for _, value := range []string{c.min, c.max, "0", "1"} {
				require.NoError(t, call(t, take(&got), zeros(c.name, value), Rules{}))
				back, err := json.Marshal(got)
				require.NoError(t, err)
				require.Equal(t, zeros(c.name, value), string(back), "it is read to the last digit")
			}
			for _, value := range []string{c.below, c.above, c.above + "000000000000000000000"} {
				err := call(t, take(&got), zeros(c.name, value), Rules{})
				require.ErrorIs(t, err, ErrRange, value)
				require.EqualError(t, err, fmt.Sprintf("parameter %q must be a whole number from %s to %s, got number", c.name, c.min, c.max))
			}
			for _, value := range []string{"1.0", "1e2", "1E2", "0.5", "-0.0", "1e-1", "1e400"} {
				err := call(t, take(&got), zeros(c.name, value), Rules{})
				require.ErrorIs(t, err, ErrType, value)
				require.NotErrorIs(t, err, ErrRange, "%s is written as a fraction", value)
			}
		})
	}
}

// TestInvalidNumbers checks spellings of numbers that are not valid JSON.
func TestInvalidNumbers(t *testing.T) {
	for _, value := range []string{"01", "+1", ".5", "1.", "0x10", "1_000", "NaN", "Infinity", "--1", "- 1", "1 2", "١"} {
		t.Run(value, func(t *testing.T) {
			var got widths
			require.ErrorIs(t, call(t, take(&got), zeros("int64", value), Rules{}), ErrText)
			require.Zero(t, got)
		})
	}
}

// every has a required field of each kind.
type every struct {
	Bool   bool             `json:"bool"`
	Int    int32            `json:"int"`
	Uint   uint32           `json:"uint"`
	String string           `json:"string"`
	Enum   policy           `json:"enum"`
	List   []uint8Named     `json:"list"`
	Map    map[string]bool  `json:"map"`
	Object node             `json:"object"`
	Deep   map[string][]one `json:"deep"`
}

type uint8Named int16

type one struct {
	Children []node `json:"of"`
}

const goodEvery = `{"bool":true,"int":-1,"uint":1,"string":"s","enum":"Context","list":[1],"map":{"k":true},"object":{"url":"u"},"deep":{"d":[{"of":[{"url":"v"}]}]}}`

// with returns goodEvery with another value for one member.
func with(t *testing.T, name, value string) string {
	t.Helper()
	fields, err := Fields([]byte(goodEvery))
	require.NoError(t, err)
	text := "{"
	for i, f := range fields {
		if i > 0 {
			text += ","
		}
		if f.Name == name {
			f.Value = json.RawMessage(value)
		}
		text += fmt.Sprintf("%q:%s", f.Name, f.Value)
	}
	return text + "}"
}

// samples has a value of each kind of JSON.
var samples = map[string]string{KindNull: "null", KindBool: "true", KindNumber: "7", KindString: `"Context"`, KindArray: "[]", KindObject: `{"url":"x"}`}

// TestEveryKindForEveryField checks that every field accepts its own kind of JSON, and that the
// error for each other kind contains the accepted and the given kind.
func TestEveryKindForEveryField(t *testing.T) {
	var got every
	require.NoError(t, call(t, take(&got), goodEvery, Rules{RefuseUnknown: true}))
	for name, c := range map[string]struct{ kind, want string }{
		"bool":   {KindBool, "true or false"},
		"int":    {KindNumber, "a whole number from -2147483648 to 2147483647"},
		"uint":   {KindNumber, "a whole number from 0 to 4294967295"},
		"string": {KindString, "a string"},
		"enum":   {KindString, "one of `Context`, `Hardware`"},
		"list":   {KindArray, "an array"},
		"object": {KindObject, "an object"},
	} {
		for kind, value := range samples {
			t.Run(name+" of "+kind, func(t *testing.T) {
				var got every
				err := call(t, take(&got), with(t, name, value), Rules{})
				if kind == c.kind {
					require.NoError(t, err)
					return
				}
				require.ErrorIs(t, err, ErrType)
				require.EqualError(t, err, fmt.Sprintf("parameter %q must be %s, got %s", name, c.want, kind))
				require.Zero(t, got)
			})
		}
	}
}

// TestPaths checks that the path of an error leads to the invalid value at any depth.
func TestPaths(t *testing.T) {
	for _, c := range []struct {
		name, value, want string
		kind              error
	}{
		{"map", `{"k":true,"l":1}`, `parameter "map.l" must be true or false, got number`, ErrType},
		{"map", `{"k":true,"l":null}`, `parameter "map.l" must be true or false, got null`, ErrType},
		{"map", `{"":0}`, `parameter "map" must be true or false, got number`, ErrType},
		{"list", `[1,2,"3"]`, `parameter "list[2]" must be a whole number from -32768 to 32767, got string`, ErrType},
		{"list", `[[]]`, `parameter "list[0]" must be a whole number from -32768 to 32767, got array`, ErrType},
		{"object", `{}`, `parameter "object.url" is missing, it must be a string`, ErrMissing},
		{"object", `{"URL":"u"}`, `parameter "object.url" is missing, it must be a string`, ErrMissing},
		{"object", `{"url":"u","ports":[1,-1]}`, `parameter "object.ports[1]" must be a whole number from 0 to 65535, got number`, ErrRange},
		{"object", `{"url":"u","ur\u006c":"v"}`, `parameter "object.url": duplicate name`, ErrDuplicate},
		{"object", `{"url":"u","gateway_proxy":"yes"}`, `parameter "object.gateway_proxy" must be true or false, got string`, ErrType},
		{"deep", `{"d":5}`, `parameter "deep.d" must be an array, got number`, ErrType},
		{"deep", `{"d":[{"of":[{"url":"v"}]},{}]}`, `parameter "deep.d[1].of" is missing, it must be an array`, ErrMissing},
		{"deep", `{"d":[{"of":[{"url":"v"},{"url":null}]}]}`, `parameter "deep.d[0].of[1].url" must be a string, got null`, ErrType},
		{"deep", `{"d":[],"e":[{"of":[{"url":"v","url":"w"}]}]}`, `parameter "deep.e[0].of[0].url": duplicate name`, ErrDuplicate},
		{"deep", `{"d":[],"\u0064":[]}`, `parameter "deep.d": duplicate name`, ErrDuplicate},
		{"deep", `{"d.e":[0]}`, `parameter "deep.d.e[0]" must be an object, got number`, ErrType},
		{"enum", `"CONTEXT"`, "parameter \"enum\" must be one of `Context`, `Hardware`, got another string", ErrVariant},
		{"enum", `"Context "`, "parameter \"enum\" must be one of `Context`, `Hardware`, got another string", ErrVariant},
	} {
		t.Run(c.name+" "+c.value, func(t *testing.T) {
			var got every
			err := call(t, take(&got), with(t, c.name, c.value), Rules{})
			require.ErrorIs(t, err, c.kind)
			require.EqualError(t, err, c.want)
			require.Zero(t, got, "the function did not run")
		})
	}
}

// TestEveryFieldIsMissed checks that the error for a missing required field contains its name,
// and that the first missing field is reported.
func TestEveryFieldIsMissed(t *testing.T) {
	fields, err := Fields([]byte(goodEvery))
	require.NoError(t, err)
	for left := range fields {
		text := ""
		for i, f := range fields {
			if i != left {
				text += fmt.Sprintf(",%q:%s", f.Name, f.Value)
			}
		}
		var got every
		err := call(t, take(&got), "{"+text[1:]+"}", Rules{})
		require.ErrorIs(t, err, ErrMissing)
		var refusal *ParamError
		require.ErrorAs(t, err, &refusal)
		require.Equal(t, fields[left].Name, refusal.Path)
		require.Empty(t, refusal.Got)
	}
	var got every
	require.EqualError(t, call(t, take(&got), "{}", Rules{}), `parameter "bool" is missing, it must be true or false`)
}

// TestUnknownAtEveryDepth checks that exactly the unused names are reported, counted or
// refused, at every depth.
func TestUnknownAtEveryDepth(t *testing.T) {
	for name, c := range map[string]struct {
		text, path string
		allowed    []string
	}{
		"top":         {`{"more":1,` + goodEvery[1:], "more", []string{"bool", "int", "uint", "string", "enum", "list", "map", "object", "deep"}},
		"letter case": {`{"Bool":true,` + goodEvery[1:], "Bool", []string{"bool", "int", "uint", "string", "enum", "list", "map", "object", "deep"}},
		"no name":     {`{"":true,` + goodEvery[1:], "", []string{"bool", "int", "uint", "string", "enum", "list", "map", "object", "deep"}},
		"object":      {with(t, "object", `{"url":"u","port":1}`), "object.port", []string{"url", "gateway_proxy", "ports"}},
		"deep":        {with(t, "deep", `{"d":[{"of":[],"off":[]}]}`), "deep.d[0].off", []string{"of"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got every
			var unknown []string
			require.NoError(t, call(t, take(&got), c.text, Rules{Unknown: func(path string) { unknown = append(unknown, path) }}))
			require.Equal(t, []string{c.path}, unknown)
			err := call(t, take(&got), c.text, Rules{RefuseUnknown: true})
			require.ErrorIs(t, err, ErrUnknown)
			var refusal *ParamError
			require.ErrorAs(t, err, &refusal)
			require.Equal(t, c.path, refusal.Path)
			require.Equal(t, c.allowed, refusal.Allowed)
		})
	}
	var got every
	require.NoError(t, call(t, take(&got), with(t, "map", `{"any":true,"name":false}`), Rules{RefuseUnknown: true}), "the names of a map are values")
}

// optionals has a field for each way to be optional.
type optionals struct {
	Pointer *uint8            `json:"pointer"`
	Omit    string            `json:"omit,omitempty"`
	Zero    []bool            `json:"zero,omitzero"`
	Tagged  map[string]string `json:"tagged" rpc:"optional"`
	Text    string            `json:"text" default:"a \"b\""`
	Number  uint64            `json:"number" default:"18446744073709551615"`
	Flag    bool              `json:"flag" default:"true"`
	Enum    policy            `json:"enum" default:"Hardware"`
	List    []int8            `json:"list" default:"[1,-1]"`
	Object  node              `json:"object" default:"{\"url\":\"u\"}"`
}

// TestEveryWayToBeAbsent checks that absent optional parameters and null are equivalent, by
// name and by position, and that each call gets a new default.
func TestEveryWayToBeAbsent(t *testing.T) {
	want := optionals{Text: `a "b"`, Number: math.MaxUint64, Flag: true, Enum: "Hardware", List: []int8{1, -1}, Object: node{URL: "u"}}
	nulls := `{"pointer":null,"omit":null,"zero":null,"tagged":null,"text":null,"number":null,"flag":null,"enum":null,"list":null,"object":null}`
	for _, text := range []string{"{}", "null", "[]", nulls, "[null,null,null,null,null,null,null,null,null,null]", "[null]"} {
		t.Run(text, func(t *testing.T) {
			var got optionals
			require.NoError(t, call(t, take(&got), text, Rules{RefuseUnknown: true}))
			require.Equal(t, want, got)
			got.List[0] = 9 // affects only this call
			require.NoError(t, call(t, take(&got), text, Rules{}))
			require.Equal(t, want, got)
		})
	}
	var got optionals
	require.ErrorIs(t, call(t, take(&got), `[null,null,null,null,null,null,null,null,null,null,null]`, Rules{}), ErrCount)
	for _, wrong := range []string{`{"pointer":256}`, `{"omit":5}`, `{"zero":[1]}`, `{"tagged":{"a":null}}`, `{"text":5}`, `{"number":-1}`, `{"flag":0}`, `{"enum":"x"}`, `{"list":[128]}`, `{"object":{}}`} {
		require.Error(t, call(t, take(&got), wrong, Rules{}), "a value that is there is looked at: %s", wrong)
	}
}

package rpc

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// widths has a field of every whole number there is.
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

// zeros is a call of widths in which every field but one is 0.
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
	for _, c := range []struct{ name, least, below, most, above string }{
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
			for _, value := range []string{c.least, c.most, "0", "1"} {
				require.NoError(t, call(t, take(&got), zeros(c.name, value), Rules{}))
				back, err := json.Marshal(got)
				require.NoError(t, err)
				require.Equal(t, zeros(c.name, value), string(back), "it is read to the last digit")
			}
			for _, value := range []string{c.below, c.above, c.above + "000000000000000000000"} {
				err := call(t, take(&got), zeros(c.name, value), Rules{})
				require.ErrorIs(t, err, ErrRange, value)
				require.EqualError(t, err, fmt.Sprintf("parameter %q must be a whole number from %s to %s, got number", c.name, c.least, c.most))
			}
			for _, value := range []string{"1.0", "1e2", "1E2", "0.5", "-0.0", "1e-1", "1e400"} {
				err := call(t, take(&got), zeros(c.name, value), Rules{})
				require.ErrorIs(t, err, ErrType, value)
				require.NotErrorIs(t, err, ErrRange, "%s is written as a fraction", value)
			}
		})
	}
}

// What may be written of a number, and what is no JSON.
func TestInvalidNumbers(t *testing.T) {
	for _, value := range []string{"01", "+1", ".5", "1.", "0x10", "1_000", "NaN", "Infinity", "--1", "- 1", "1 2", "١"} {
		t.Run(value, func(t *testing.T) {
			var got widths
			require.ErrorIs(t, call(t, take(&got), zeros("int64", value), Rules{}), ErrText)
			require.Zero(t, got)
		})
	}
}

// every has a field of each kind, all of them required.
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
	Of []node `json:"of"`
}

const goodEvery = `{"bool":true,"int":-1,"uint":1,"string":"s","enum":"Context","list":[1],"map":{"k":true},"object":{"url":"u"},"deep":{"d":[{"of":[{"url":"v"}]}]}}`

// with is goodEvery with another value in the place of one member.
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

// samples is a value of each kind of JSON.
var samples = map[string]string{KindNull: "null", KindBool: "true", KindNumber: "7", KindString: `"Context"`, KindArray: "[]", KindObject: `{"url":"x"}`}

// Every field takes the one kind of JSON that it is of, and of each other kind its refusal
// says what it wants and what it got.
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

// The path leads to the one thing that is wrong, however deep it lies.
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

// Each required field is missed by its name, whichever it is, and the first one first.
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
			var told []string
			require.NoError(t, call(t, take(&got), c.text, Rules{Unknown: func(path string) { told = append(told, path) }}))
			require.Equal(t, []string{c.path}, told)
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

// optionals has a field for each way to be absent.
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

// Absent and null are the same for what is optional, by name and by position, and the
// default is a new one each time.
func TestEveryWayToBeAbsent(t *testing.T) {
	want := optionals{Text: `a "b"`, Number: math.MaxUint64, Flag: true, Enum: "Hardware", List: []int8{1, -1}, Object: node{URL: "u"}}
	nulls := `{"pointer":null,"omit":null,"zero":null,"tagged":null,"text":null,"number":null,"flag":null,"enum":null,"list":null,"object":null}`
	for _, text := range []string{"{}", "null", "[]", nulls, "[null,null,null,null,null,null,null,null,null,null]", "[null]"} {
		t.Run(text, func(t *testing.T) {
			var got optionals
			require.NoError(t, call(t, take(&got), text, Rules{RefuseUnknown: true}))
			require.Equal(t, want, got)
			got.List[0] = 9 // of this call alone
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

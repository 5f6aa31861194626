package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func typeFor[T any]() reflect.Type { return reflect.TypeFor[T]() }

// jsonTypes maps the types of JSON Schema to kinds.
var jsonTypes = map[string][]string{"boolean": {KindBool}, "integer": {KindNumber}, "number": {KindNumber}, "string": {KindString},
	"array": {KindArray}, "object": {KindObject}, "null": {KindNull}}

// kindsOf returns the kinds of JSON values that a schema allows.
func kindsOf(s *Schema) (kinds []string) {
	for _, one := range s.OneOf {
		kinds = append(kinds, kindsOf(one)...)
	}
	if s.Type != "" {
		kinds = append(kinds, jsonTypes[s.Type]...)
	}
	return kinds
}

// agrees compares the values that the schema of a parameter allows with those that its plan
// accepts.
func agrees[T any](t *testing.T, good string) {
	t.Helper()
	var got struct {
		V T `json:"v"`
	}
	m := Handle("m", Doc{}, func(_ context.Context, p struct {
		V T `json:"v"`
	}) (bool, error) {
		got.V = p.V
		return true, nil
	})
	schema := m.Params()[0].Schema
	kinds := kindsOf(schema)
	require.NotEmpty(t, kinds, "%v", typeFor[T]())
	for kind, value := range samples {
		if kind == KindOf([]byte(good)) {
			value = good
		}
		_, err := m.Named(t.Context(), json.RawMessage(`{"v":`+value+`}`), Rules{})
		if kind == KindNull && typeFor[T]().Kind() == reflect.Pointer {
			require.NoError(t, err, "a pointer may be null")
			continue
		}
		require.Equal(t, slices.Contains(kinds, kind), err == nil, "%v: the schema is %v, and of %s the plan says %v", typeFor[T](), kinds, value, err)
	}
	for _, one := range schema.Enum {
		_, err := m.Named(t.Context(), json.RawMessage(`{"v":"`+one+`"}`), Rules{})
		require.NoError(t, err, one)
	}
}

// TestSchemasAgreeWithPlans checks that the document of a method and its plan agree on the kind
// of every parameter, so that clients generated from the document can call the method.
func TestSchemasAgreeWithPlans(t *testing.T) {
	agrees[bool](t, "false")
	agrees[int8](t, "-128")
	agrees[int](t, "1")
	agrees[uint8](t, "255")
	agrees[uint64](t, "18446744073709551615")
	agrees[string](t, `"x"`)
	agrees[policy](t, `"Hardware"`)
	agrees[*bool](t, "true")
	agrees[*string](t, `"x"`)
	agrees[**int8](t, "1")
	agrees[[]string](t, `["x"]`)
	agrees[[]*string](t, `["x",null]`)
	agrees[[][]bool](t, `[[true],[]]`)
	agrees[map[string]int8](t, `{"a":1}`)
	agrees[map[policy]int8](t, `{"a":1}`)
	agrees[map[string]*node](t, `{"a":{"url":"x"},"b":null}`)
	agrees[node](t, `{"url":"x"}`)
	agrees[*node](t, `{"url":"x"}`)
	agrees[netip.Addr](t, `"::1"`)
	agrees[json.Number](t, `1.50`)
}

// TestNumbersAsWritten checks that the digits of a json.Number are preserved.
func TestNumbersAsWritten(t *testing.T) {
	for _, text := range []string{"0", "-1.50", "1e400", "18446744073709551616", "0.1000"} {
		got, err := taken[json.Number](text, Rules{})
		require.NoError(t, err, text)
		require.Equal(t, json.Number(text), got)
	}
	_, err := taken[json.Number](`"1"`, Rules{})
	require.ErrorIs(t, err, ErrType)
	require.EqualError(t, err, `parameter "v" must be a number, got string`)
	_, err = taken[json.Number](`"secret"`, Rules{})
	require.NotContains(t, err.Error(), "secret")
}

// TestInvalidTexts checks that types decoded from text refuse null and values of other kinds
// with errors of this package and not of encoding/json.
func TestInvalidTexts(t *testing.T) {
	for value, kind := range map[string]string{"null": KindNull, "5": KindNumber, "{}": KindObject, "[1]": KindArray, "true": KindBool} {
		_, err := taken[netip.Addr](value, Rules{})
		require.ErrorIs(t, err, ErrType, value)
		require.EqualError(t, err, `parameter "v" must be of type string, got `+kind)
	}
	got, err := taken[*netip.Addr]("null", Rules{})
	require.NoError(t, err)
	require.Nil(t, got, "what may be absent may be null")
	_, err = taken[[]netip.Addr](`["::1",null]`, Rules{})
	require.EqualError(t, err, `parameter "v[1]" must be of type string, got null`)
}

// conforms returns the place at which a value does not match its schema, or "".
func conforms(s *Schema, raw json.RawMessage) string {
	if len(s.OneOf) > 0 {
		for _, one := range s.OneOf {
			if conforms(one, raw) == "" {
				return ""
			}
		}
		return "  matches none of " + fmt.Sprint(len(s.OneOf))
	}
	if kinds := kindsOf(s); len(kinds) > 0 && !slices.Contains(kinds, KindOf(raw)) {
		return " is " + KindOf(raw)
	}
	if s.Items != nil {
		for item := range Items(raw) {
			if wrong := conforms(s.Items, item); wrong != "" {
				return "[]" + wrong
			}
		}
	}
	if s.Properties == nil {
		return ""
	}
	missing := slices.Clone(s.Required)
	for name, value := range Members(raw) {
		i := slices.IndexFunc(s.Properties, func(p Property) bool { return p.Name == name })
		if i < 0 {
			return "." + name + " is not described"
		}
		missing = slices.DeleteFunc(missing, func(one string) bool { return one == name })
		if wrong := conforms(s.Properties[i].Schema, value); wrong != "" {
			return "." + name + wrong
		}
	}
	if len(missing) > 0 {
		return "." + missing[0] + " is missing"
	}
	return ""
}

// TestResultsConform checks that results match their schemas, whichever fields are set.
func TestResultsConform(t *testing.T) {
	text, enabled := "x", true
	type inner struct {
		Items []string          `json:"of"`
		Also  map[string]*bool  `json:"also,omitempty"`
		Who   netip.Addr        `json:"who"`
		More  map[string]result `json:"more,omitzero"`
	}
	type outer struct {
		inner
		Number json.Number `json:"number"`
		Deep   []inner     `json:"deep,omitempty"`
		Maybe  *inner      `json:"maybe"`
		Left   *inner      `json:"left,omitempty"`
		Any    any         `json:"any"`
		hidden int
		Unsaid string `json:"-"`
	}
	full := inner{Items: []string{"a"}, Also: map[string]*bool{"b": &enabled, "c": nil}, Who: netip.IPv6Loopback(),
		More: map[string]result{"d": {Name: "e", Memo: &text, Note: &text, Amount: 1.5}}}
	for name, c := range map[string]struct {
		value any
		want  string
	}{
		"the least":       {outer{inner: inner{Items: []string{}}, Number: "0"}, ""},
		"everything":      {outer{inner: full, Number: "1.50", Deep: []inner{full}, Maybe: &full, Left: &full, Any: []int{1}, hidden: 1, Unsaid: "x"}, ""},
		"a nil list":      {outer{Number: "0"}, ".of is null"},
		"deep inside":     {outer{inner: full, Number: "0", Deep: []inner{full, {}}}, ".deep[].of is null"},
		"another struct":  {result{Name: "x"}, ".name is not described"},
		"a list in place": {[]outer{}, " is array"},
		"nothing":         {struct{}{}, ".of is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			raw, err := json.Marshal(c.value)
			require.NoError(t, err)
			require.Equal(t, c.want, conforms(schemaOf(typeFor[outer](), output), raw), "%s", raw)
		})
	}
}

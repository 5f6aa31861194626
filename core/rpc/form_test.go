package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

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

// The list of a method's errors is the caller's to change.
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

// A table's list of methods is a copy too.
func TestMethodsAreACopy(t *testing.T) {
	table := NewTable(Handle("m", Doc{}, func(contextOf, struct{}) (int, error) { return 0, nil }))
	table.Methods()[0].Name = "changed"
	_, found := table.Lookup("m")
	require.True(t, found)
	require.Equal(t, "m", table.Methods()[0].Name)
	_, found = table.Lookup("M")
	require.False(t, found, "names are exact")
}

// What was printed before is not printed anew, and the document of all methods does not
// describe itself.
func TestPrinted(t *testing.T) {
	text, err := json.Marshal(struct{ V Printed }{Printed(`{"b":1,"a":[1.0]}`)})
	require.NoError(t, err)
	require.Equal(t, `{"V":{"b":1,"a":[1.0]}}`, string(text))
	_, err = json.Marshal(Printed(`{`))
	require.Error(t, err, "it has to be JSON")
	require.Equal(t, &Schema{Type: "object", Description: "an OpenRPC 1.3.2 document"}, schemaOf(typeFor[Document](), output))
}

// A schema that cannot be printed is an error and no document that is cut.
func TestPropertiesThatCannotBePrinted(t *testing.T) {
	_, err := json.Marshal(Schema{Properties: Properties{{"a", &Schema{Type: "string"}}, {"b", &Schema{Default: json.RawMessage("{")}}}})
	require.ErrorContains(t, err, `property "b"`)
	text, err := json.Marshal(Schema{Properties: Properties{{"z\"\n", &Schema{}}, {"a", nil}}})
	require.NoError(t, err)
	require.Equal(t, `{"properties":{"z\"\n":{},"a":null}}`, string(text), "in the order of the slice")
}

// The order of what is looked at: the number of parameters, the guard, their types, the
// function; nothing behind a refusal is asked.
func TestOrderOfRefusals(t *testing.T) {
	errGuard, errOwn := errors.New("guard"), errors.New("own")
	for name, c := range map[string]struct {
		args  string
		guard error
		want  error
		asked string
	}{
		"too few":   {`[]`, errGuard, ErrCount, ""},
		"too many":  {`[1,2]`, errGuard, ErrCount, ""},
		"guarded":   {`["x"]`, errGuard, errGuard, "guard "},
		"its type":  {`["x"]`, nil, ErrType, "guard "},
		"its range": {`[300]`, nil, ErrRange, "guard "},
		"its own":   {`[1]`, nil, errOwn, "guard function "},
	} {
		t.Run(name, func(t *testing.T) {
			asked := ""
			m := Handle("m", Doc{}, func(_ contextOf, p struct {
				V uint8 `json:"v"`
			}) (uint8, error) {
				asked += "function "
				return p.V, errOwn
			}).Guarded(func(contextOf) error {
				asked += "guard "
				return c.guard
			})
			require.ErrorIs(t, call(t, m, c.args, Rules{}), c.want)
			require.Equal(t, c.asked, asked)
		})
	}
}

// Errors of the function are given as they are, not wrapped in words about parameters.
func TestErrorsOfFunctions(t *testing.T) {
	own := &ParamError{Path: "v", Want: "a good one", Got: KindNumber, Err: ErrRange}
	m := Handle("m", Doc{}, func(contextOf, struct{}) (any, error) { return "half", own })
	value, err := m.Named(t.Context(), nil, Rules{})
	require.Same(t, own, err)
	require.Equal(t, "half", value)
	require.EqualError(t, err, `parameter "v" must be a good one, got number`)
}

package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGives(t *testing.T) {
	type block struct {
		Height int `json:"height"`
	}
	for _, c := range []struct {
		values []any
		want   string
	}{
		{[]any{nil}, `{"type":"null"}`},
		{[]any{""}, `{"type":"string"}`},
		{[]any{"", nil}, `{"oneOf":[{"type":"string"},{"type":"null"}]}`},
		{[]any{"", block{}}, `{"oneOf":[{"type":"string"},{"type":"object","properties":{"height":{"type":"integer"}},"required":["height"]}]}`},
	} {
		m := Handle("m", Doc{}, func(context.Context, struct{}) (any, error) { return 1, nil })
		described, err := json.Marshal(NewTable(m.Gives(c.values...)).OpenRPC(Info{}, ByPosition).Methods[0].Result.Schema)
		require.NoError(t, err)
		require.JSONEq(t, c.want, string(described))
		answer, err := m.Gives(c.values...).Positional(t.Context(), nil, Rules{})
		require.NoError(t, err)
		require.Equal(t, 1, answer, "it is for documents alone")
	}
	plain, err := json.Marshal(NewTable(Handle("m", Doc{}, func(context.Context, struct{}) (any, error) { return nil, nil })).OpenRPC(Info{}, ByName).Methods[0].Result.Schema)
	require.NoError(t, err)
	require.JSONEq(t, `{}`, string(plain))
}

// coins is a type that is encoded as a number.
type coins int64

func (coins) MarshalJSON() ([]byte, error) { return []byte("0.00000000"), nil }

// tally is a type that is encoded as a string.
type tally uint8

func (tally) MarshalJSON() ([]byte, error) { return []byte(` "0"`), nil }

// shy is a type that cannot be encoded.
type shy int

func (shy) MarshalJSON() ([]byte, error) { return nil, errors.New("no value") }

// TestShapeOfWhatPrintsItself checks that a number with its own encoding is described by the
// encoding of zero.
func TestShapeOfWhatPrintsItself(t *testing.T) {
	require.Equal(t, &Schema{Type: "number"}, ShapeOf(coins(0)))
	require.Equal(t, &Schema{Type: "string"}, ShapeOf(tally(0)))
	for _, anything := range []any{opaque{}, shy(0), json.RawMessage{}} {
		require.Equal(t, &Schema{}, ShapeOf(anything), "%T", anything)
	}
}

func TestElements(t *testing.T) {
	got, err := Elements([]byte(` [ 1 , "a,]\\\"" , {"b":[2,3]} , [ ] ] `))
	require.NoError(t, err)
	require.Equal(t, []json.RawMessage{[]byte(`1`), []byte(`"a,]\\\""`), []byte(`{"b":[2,3]}`), []byte(`[ ]`)}, got)
	for _, empty := range []string{`[]`, ` [ ] `} {
		got, err := Elements([]byte(empty))
		require.NoError(t, err)
		require.Empty(t, got)
	}
	_, err = Elements([]byte(`{}`))
	require.ErrorIs(t, err, ErrType)
	_, err = Elements(nil)
	require.ErrorIs(t, err, ErrType)
	var syntax *json.SyntaxError
	_, err = Fields([]byte(`{"a":1,}`))
	require.True(t, errors.As(err, &syntax))
}

// FuzzObject compares Fields, Elements and Unquote with encoding/json.
func FuzzObject(f *testing.F) {
	for _, seed := range []string{`{"a":[1,{"b":"\u00e9\""}],"a":null}`, `["x",1,[],{}]`, `"\ud800"`, "\"\xff\"", ` { } `, `[`, `{"a":1}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var list []json.RawMessage
		if KindOf(text) == KindArray && json.Unmarshal(text, &list) == nil {
			elements, err := Elements(text)
			require.NoError(t, err)
			require.Len(t, elements, len(list))
			for i := range list {
				require.Equal(t, string(list[i]), string(elements[i]))
			}
		}
		fields, err := Fields(text)
		if KindOf(text) == KindObject {
			want, valid := decodedFields(text)
			require.Equal(t, valid, err == nil)
			require.Equal(t, want, fields)
		}
		if KindOf(text) == KindString && json.Valid(text) {
			var want string
			require.NoError(t, json.Unmarshal(text, &want))
			got, err := Unquote(text)
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
	})
}

// decodedFields implements Fields with a decoder of encoding/json.
func decodedFields(text []byte) (fields []Field, valid bool) {
	if !json.Valid(text) {
		return nil, false
	}
	fields = []Field{}
	dec := json.NewDecoder(bytes.NewReader(text))
	_, _ = dec.Token() // cannot fail, since the text is valid
	for dec.More() {
		name, _ := dec.Token()
		f := Field{Name: name.(string)}
		_ = dec.Decode(&f.Value)
		fields = append(fields, f)
	}
	return fields, true
}

package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

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

// FuzzObject holds Fields, Elements and Unquote to encoding/json.
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

// decodedFields does with a decoder of encoding/json what Fields does.
func decodedFields(text []byte) (fields []Field, valid bool) {
	if !json.Valid(text) {
		return nil, false
	}
	fields = []Field{}
	dec := json.NewDecoder(bytes.NewReader(text))
	_, _ = dec.Token() // the text is valid
	for dec.More() {
		name, _ := dec.Token()
		f := Field{Name: name.(string)}
		_ = dec.Decode(&f.Value)
		fields = append(fields, f)
	}
	return fields, true
}

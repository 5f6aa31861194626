package daemon

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/rpc"
)

type textKinds struct {
	Text    *Text        `json:"text"`
	Int     *Int         `json:"int"`
	Flag    *Flag        `json:"flag"`
	Typed   *TypedString `json:"typed"`
	Bool    *TypedBool   `json:"bool"`
	Number  *TypedInt    `json:"number"`
	Decimal *Decimal     `json:"decimal"`
}

func TestParameterTypes(t *testing.T) {
	var got textKinds
	s := New(Options{}, rpc.Handle("take", rpc.Doc{}, func(_ context.Context, p textKinds) (any, error) {
		got = p
		return nil, nil
	}))
	call := func(params string) *Error {
		_, failed := s.call(t.Context(), nil, []byte(`{"method":"take","params":`+params+`}`))
		return failed
	}
	require.Nil(t, call(`["é",-5,true,"x",false,2147483647, 1.50e-3 ]`))
	require.Equal(t, Text("é"), *got.Text)
	require.Equal(t, Int(-5), *got.Int)
	require.Equal(t, Flag(true), *got.Flag)
	require.Equal(t, TypedString("x"), *got.Typed)
	require.Equal(t, TypedBool(false), *got.Bool)
	require.Equal(t, TypedInt(2147483647), *got.Number)
	require.Equal(t, Decimal("1.50e-3"), *got.Decimal)
	require.Nil(t, call(`["",0,false,"",true,0," 007"]`))
	require.Equal(t, Decimal(" 007"), *got.Decimal)

	for params, want := range map[string]Error{
		`[5]`:                        {CodeMisc, "JSON value is not a string as expected"},
		`[null]`:                     {CodeMisc, "JSON value is not a string as expected"},
		`["","1"]`:                   {CodeMisc, "JSON value is not an integer as expected"},
		`["",1.5]`:                   {CodeMisc, "JSON integer out of range"},
		`["",2147483648]`:            {CodeMisc, "JSON integer out of range"},
		`["",1,1]`:                   {CodeMisc, "JSON value is not a boolean as expected"},
		`["",1,true,{}]`:             {CodeType, "Expected type string, got object"},
		`["",1,true,"",[]]`:          {CodeType, "Expected type bool, got array"},
		`["",1,true,"",true,null]`:   {CodeType, "Expected type number, got null"},
		`["",1,true,"",true,1.5]`:    {CodeMisc, "JSON integer out of range"},
		`["",1,true,"",true,1,true]`: {CodeMisc, "JSON value is not a string as expected"},
		`["",1,true,"",true,1,null]`: {CodeMisc, "JSON value is not a string as expected"},
		`["",1,true,"",true,1,"","surplus"]`: {CodeMisc, "take [text] [int] [flag] [typed] [bool] [number] [decimal]\n\nArguments:\n" +
			"1. text (string, optional)\n2. int (integer, optional)\n3. flag (boolean, optional)\n4. typed (string, optional)\n" +
			"5. bool (boolean, optional)\n6. number (integer, optional)\n7. decimal (optional) a decimal number, as a number or a string\n"},
	} {
		t.Run(params, func(t *testing.T) { require.Equal(t, &want, call(params)) })
	}
}

// TestAbsentIsNull checks a call of tokenbalance without a token id, which passes komodod's
// check of the number of parameters and then fails because of the type (recorded).
func TestAbsentIsNull(t *testing.T) {
	type params struct {
		TokenID Text `json:"tokenid" rpc:"absent=null"`
	}
	s := New(Options{}, rpc.Handle("tokenbalance", rpc.Doc{Terse: true}, func(context.Context, params) (any, error) { return nil, nil }))
	_, failed := s.call(t.Context(), nil, []byte(`{"method":"tokenbalance","params":[]}`))
	require.Equal(t, &Error{CodeMisc, "JSON value is not a string as expected"}, failed)
}

func TestAppendStringRoundTrips(t *testing.T) {
	for c := range rune(0x100) {
		s := string(c) + "x"
		var back string
		require.NoError(t, json.Unmarshal(appendString(nil, s), &back))
		require.Equal(t, s, back)
	}
}

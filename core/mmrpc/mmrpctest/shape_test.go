package mmrpctest

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDifference(t *testing.T) {
	const want = `{"a":1,"b":[{"c":null}],"t":[1,["x"]],"result":{"balances":{"X":{"s":"1"}}}}`
	for got, d := range map[string]string{
		want: "",
		`{"a":2.5,"b":[],"t":[7,["y","z"]],"result":{"balances":{"Y":{"s":""},"Z":{}}}}`: "",
		`{"a":1,"b":[],"t":[1,[]],"result":{"balances":{}}}`:                             "",
		`{"a":"1","b":[],"t":[1,[]],"result":{"balances":{}}}`:                           "a is a string, not a number",
		`{"b":[],"a":1,"t":[1,[]],"result":{}}`:                                          " has the members [b a t result], not [a b t result]",
		`{"a":1,"b":[{"c":null},{"c":1}],"t":[1,[]],"result":{}}`:                        "b[].c is a number, not a null",
		`{"a":1,"b":[],"t":[1],"result":{}}`:                                             "t has 1 items, not 2",
		`{"a":1,"b":[],"t":["x",1],"result":{}}`:                                         "t[] is a string, not a number",
		`{"a":1,"b":[],"t":[1,[]],"result":{"balances":{"Y":{"t":""}}}}`:                 "result.balances.* has the members [t], not [s]",
		`[]`: " is a array, not a object",
	} {
		require.Equal(t, d, difference("", json.RawMessage(want), json.RawMessage(got)), got)
	}
}

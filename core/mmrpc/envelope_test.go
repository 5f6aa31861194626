package mmrpc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/wire"
)

// TestEnvelope checks every error of the envelope.
func TestEnvelope(t *testing.T) {
	const known = "expected one of `mmrpc`, `userpass`, `method`, `params`, `id`"
	invalid := func(data, help, id string) string {
		text := wire.Parsing + data
		if help != "" {
			text += " (" + help + ")"
		}
		return mmrpctest.Failed(text, "dispatcher", "InvalidRequest", mmrpctest.Quote(data), id)
	}
	version := func(data string) string {
		return mmrpctest.Failed("Error parsing mmrpc version: "+data, "dispatcher", "InvalidMmRpcVersion", mmrpctest.Quote(data), "5")
	}
	for name, c := range map[string]struct {
		body   string
		status int
		want   string
	}{
		"success":             {mmrpctest.Request("nothing", "{}"), 200, `{"mmrpc":"2.0","result":null,"id":5}`},
		"no id":               {`{"userpass":"RPC_UserP@SSW0RD","mmrpc":"2.0","method":"nothing","params":{}}`, 200, `{"mmrpc":"2.0","result":null,"id":null}`},
		"null id and params":  {` {"id":null,"userpass":"RPC_UserP@SSW0RD","mmrpc":"2.0","method":"nothing","params":null} `, 200, `{"mmrpc":"2.0","result":null,"id":null}`},
		"a large id":          {`{"userpass":"RPC_UserP@SSW0RD","mmrpc":"2.0","method":"nothing","id":18446744073709551615}`, 200, `{"mmrpc":"2.0","result":null,"id":18446744073709551615}`},
		"escaped names":       {`{"\u0075serpass":"RPC_UserP\u0040SSW0RD","mmrpc":"2.0","method":"nothin\u0067"}`, 200, `{"mmrpc":"2.0","result":null,"id":null}`},
		"no markup escapes":   {mmrpctest.Request("markup", "{}"), 200, `{"mmrpc":"2.0","result":"<&>` + `\u2028` + `\ufffd","id":5}`},
		"empty":               {``, 500, `{"error":"EOF while parsing a value at line 1 column 0"}`},
		"not JSON":            {`abc`, 500, `{"error":"expected value at line 1 column 1"}`},
		"bare key":            {`{mmrpc:"2.0"}`, 500, `{"error":"key must be a string at line 1 column 2"}`},
		"trailing":            {`{}{}`, 500, `{"error":"trailing characters at line 1 column 3"}`},
		"invalid UTF-8":       {"{\"mmrpc\":\"\xff\"}", 500, `{"error":"invalid unicode code point at line 1 column 12"}`},
		"old version":         {`{"mmrpc":"1.0","method":"nothing","id":5}`, 400, version("unknown variant `1.0`, expected `2.0`")},
		"number as version":   {`{"mmrpc":2.0,"id":5,"nonsense":1}`, 400, version("invalid type: floating point `2.0`, expected string or map")},
		"object as version":   {`{"mmrpc":{},"id":5}`, 400, version("invalid value: map, expected map with a single key")},
		"unknown key":         {`{"mmrpc":"2.0","methd":"x","id":5}`, 400, invalid("unknown field `methd`, "+known, "did you mean `method`?", "5")},
		"case counts":         {`{"mmrpc":"2.0","Method":"nothing"}`, 400, invalid("unknown field `Method`, "+known, "did you mean `method`?", "null")},
		"no method":           {`{"mmrpc":"2.0","id":5}`, 400, invalid("missing field `method`", "", "5")},
		"method is no string": {`{"mmrpc":"2.0","method":["x"],"id":5}`, 400, invalid("invalid type: sequence, expected a string", "method is the name of one", "5")},
		"userpass is no string": {`{"mmrpc":"2.0","userpass":12345678,"method":"nothing"}`, 400,
			invalid("invalid type: number, expected a string", "userpass is the RPC password", "null")},
		"negative id":       {`{"mmrpc":"2.0","method":"nothing","id":-1}`, 400, invalid("invalid value: integer `-1`, expected usize", "id is a whole number that is not negative", "null")},
		"fractional id":     {`{"mmrpc":"2.0","method":"nothing","id":1.5}`, 400, invalid("invalid type: floating point `1.5`, expected usize", "id is a whole number that is not negative", "null")},
		"string id":         {`{"mmrpc":"2.0","method":"nothing","id":"1"}`, 400, invalid("invalid type: string \"1\", expected usize", "id is a whole number that is not negative", "null")},
		"a huge id":         {`{"mmrpc":"2.0","method":"nothing","id":18446744073709551616}`, 400, invalid("invalid value: integer `18446744073709551616`, expected usize", "id is a whole number that is not negative", "null")},
		"duplicate":         {`{"mmrpc":"2.0","method":"nothing","method":"nothing","id":5}`, 400, invalid("duplicate field `method`", "", "5")},
		"duplicate version": {`{"mmrpc":"2.0","mmrpc":"1.0","method":"nothing"}`, 400, invalid("duplicate field `mmrpc`", "", "null")},
		"no object":         {`5`, 400, invalid("invalid type: integer `5`, expected struct MmRpcRequest", "", "null")},
		"unknown method":    {mmrpctest.Request("nothin", "{}"), 400, mmrpctest.Failed("No such method, did you mean `nothing`?", "dispatcher", "NoSuchMethod", "", "5")},
		"strange method":    {mmrpctest.Request("get_the_moon", "{}"), 400, mmrpctest.Failed("No such method", "dispatcher", "NoSuchMethod", "", "5")},
	} {
		t.Run(name, func(t *testing.T) {
			status, reply := newBench(nil).ask(t, mmrpctest.Here, c.body)
			require.Equal(t, c.want, mmrpctest.Untraced(reply))
			require.Equal(t, c.status, status)
		})
	}
}

// TestManyMembers checks that a request with millions of members is refused without decoding
// all of them, whatever their names, and with little memory.
func TestManyMembers(t *testing.T) {
	b := newBench(nil)
	for name, member := range map[string]func(i int) string{
		"equal":     func(int) string { return `"":1` },
		"different": func(i int) string { return fmt.Sprintf(`"%d":1`, i) },
		"of ours":   func(int) string { return `"id":1` },
	} {
		t.Run(name, func(t *testing.T) {
			var members []string
			for i := range 300_000 {
				members = append(members, member(i))
			}
			body := []byte("{" + strings.Join(members, ",") + "}")
			allocs := testing.AllocsPerRun(1, func() {
				status, reply := b.Serve(t.Context(), mmrpctest.Here, body)
				require.Equal(t, 400, status)
				require.Contains(t, string(reply), "InvalidRequest")
			})
			require.Less(t, allocs, 20_000.0)
		})
	}
}

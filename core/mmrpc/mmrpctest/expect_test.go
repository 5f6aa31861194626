package mmrpctest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// silent is a node that is never called.
type silent struct{ Node }

func (silent) Fill(text string) string { return strings.ReplaceAll(text, Password, "secret") }

// TestWrong checks that a vector accepts only the expected answer.
func TestWrong(t *testing.T) {
	const (
		result = `{"name":"","result":{"a":"~^x+$","n":1.50,"l":[1,"~."]},"id":5}`
		fault  = `{"name":"","status":400,"error":"No ","error_type":"K","error_data":["a"]}`
		bare   = `{"name":"","status":405,"error":"~s$","error_type":"K"}`
		batch  = `{"name":"","items":[{"id":1,"result":"<PASSWORD>"},{"form":"old","error":"x","extra":{"o":[]}}]}`
		flat   = `{"name":"","form":"flat","result":{"a":1}}`
		late   = `{"name":"","status":403,"retry_after":true,"error_type":"K"}`
		fails  = `"error_path":"a.b","error_trace":"a:1] a:2] b:3]",`
	)
	s := Sequence{states: &States{Keys: map[string][]string{"result": {"mmrpc", "result", "id"}, "old": {"error", "o"},
		"error":           {"mmrpc", "error", "error_path", "error_trace", "error_type", "id"},
		"error with data": {"mmrpc", "error", "error_path", "error_trace", "error_type", "error_data", "id"}}}}
	for _, c := range []struct {
		vector string
		status int
		body   string
		wrong  string
	}{
		{result, 200, `{"mmrpc":"2.0","result":{"a":"xx","n":1.50,"l":[1,7]},"id":5}`, ""},
		{result, 201, `{"mmrpc":"2.0","result":{"a":"xx","n":1.50,"l":[1,7]},"id":5}`, "the status is 201, not 200"},
		{result, 200, `{"mmrpc":"2.0","result":{"a":"xx","n":1.50,"l":[1,7]},"id":6}`, "the id is 6"},
		{result, 200, `{"mmrpc":"2.1","result":{"a":"xx","n":1.50,"l":[1,7]},"id":5}`, `mmrpc is "2.1"`},
		{result, 200, `{"result":{"a":"xx","n":1.50,"l":[1,7]},"mmrpc":"2.0","id":5}`, "the members are [result mmrpc id], not [mmrpc result id]"},
		{result, 200, `{"mmrpc":"2.0","result":{"a":"xy","n":1.50,"l":[1,7]},"id":5}`, `result.a is "xy", which does not match ^x+$`},
		{result, 200, `{"mmrpc":"2.0","result":{"a":"xx","n":1.5,"l":[1,7]},"id":5}`, "result.n is 1.5, not 1.50"},
		{result, 200, `{"mmrpc":"2.0","result":{"a":"xx","n":"1.50","l":[1,7]},"id":5}`, `result.n is "1.50", not 1.50`},
		{result, 200, `{"mmrpc":"2.0","result":{"n":1.50,"a":"xx","l":[1,7]},"id":5}`, "result has the members [n a l], not [a n l]"},
		{result, 200, `{"mmrpc":"2.0","result":{"a":"xx","n":1.50,"l":[1]},"id":5}`, `result.l is [1], not [1,"~."]`},
		{result, 200, `[]`, "the answer is no object"},
		{result, 200, `{`, "EOF while parsing an object at line 2 column 0"},
		{fault, 400, `{"mmrpc":"2.0","error":"No x",` + fails + `"error_type":"K","error_data":["a"],"id":null}`, ""},
		{fault, 400, `{"mmrpc":"2.0","error":"None",` + fails + `"error_type":"K","error_data":["a"],"id":null}`, `the text is "None", not "No "`},
		{fault, 400, `{"mmrpc":"2.0","error":"No x",` + fails + `"error_type":"L","error_data":["a"],"id":null}`, `the kind is "L", not "K"`},
		{fault, 400, `{"mmrpc":"2.0","error":"No x",` + fails + `"error_type":"K","error_data":["b"],"id":null}`, `error_data[0] is "b", not "a"`},
		{fault, 400, `{"mmrpc":"2.0","error":"No x",` + fails + `"error_type":"K","id":null}`, `error_data is null, not ["a"]`},
		{fault, 400, `{"mmrpc":"2.0","error":"No x","error_path":"a","error_trace":"a:1] b:3]","error_type":"K","error_data":["a"],"id":null}`,
			`the error_path is "a", not "a.b"`},
		{fault, 400, `{"mmrpc":"2.0","error":"No x","error_path":"a","error_trace":"","error_type":"K","error_data":["a"],"id":null}`, `the error_trace is ""`},
		{bare, 405, `{"mmrpc":"2.0","error":"is",` + fails + `"error_type":"K","id":null}`, ""},
		{bare, 405, `{"mmrpc":"2.0","error":"so",` + fails + `"error_type":"K","id":null}`, `the text is "so", not "~s$"`},
		{bare, 405, `{"mmrpc":"2.0","error":"is",` + fails + `"error_type":"K","error_data":null,"id":null}`,
			"the members are [mmrpc error error_path error_trace error_type error_data id], not [mmrpc error error_path error_trace error_type id]"},
		{batch, 200, `[{"mmrpc":"2.0","result":"secret","id":1},{"error":"xy","o":[]}]`, ""},
		{batch, 200, `[{"error":"xy","o":[]},{"mmrpc":"2.0","result":"secret","id":1}]`, `answer 0: result is null, not "secret"`},
		{batch, 200, `[{"mmrpc":"2.0","result":"secret","id":1}]`, "1 answers, not 2"},
		{batch, 200, `[{"mmrpc":"2.0","result":"secret","id":1},{"error":"xy","o":[1]}]`, "answer 1: o is [1], not []"},
		{batch, 200, `{}`, "the answer is no array"},
		{flat, 200, `{"a":1}`, ""},
		{flat, 200, `{"a":2}`, "the answer.a is 2, not 1"},
		{late, 403, `{"mmrpc":"2.0","error":"",` + fails + `"error_type":"K","id":null}`, "Retry-After is 0"},
	} {
		var v Vector
		require.NoError(t, json.Unmarshal([]byte(c.vector), &v))
		require.Equal(t, c.wrong, s.wrong(silent{}, v, Answer{Status: c.status, Body: []byte(c.body + "\n")}), "%s\n%s", c.vector, c.body)
	}
	require.Equal(t, "the answer has no newline at its end", s.wrong(silent{}, Vector{}, Answer{Status: 200, Body: []byte("{}")}))
	require.Equal(t, "Retry-After is 3", s.wrong(silent{}, Vector{}, Answer{Status: 200, RetryAfter: 3, Body: []byte("{}\n")}))
}

// TestBody checks all ways to specify a request.
func TestBody(t *testing.T) {
	for vector, want := range map[string]string{
		`{"method":"m"}`:                             `{"mmrpc":"2.0","userpass":"<PASSWORD>","method":"m"}`,
		`{"method":"m","params":[1],"id":2}`:         `{"mmrpc":"2.0","userpass":"<PASSWORD>","method":"m","params":[1],"id":2}`,
		`{"request":{"b": 1,"a":2}}`:                 `{"b": 1,"a":2}`,
		`{"body":"[","times":3}`:                     "[[[",
		`{"body":""}`:                                "",
		`{"hex":"7bff"}`:                             "{\xff",
		`{"method":"m","name":"n","until":true}`:     `{"mmrpc":"2.0","userpass":"<PASSWORD>","method":"m"}`,
		`{"method":"m","params":{"a":"<PASSWORD>"}}`: `{"mmrpc":"2.0","userpass":"<PASSWORD>","method":"m","params":{"a":"<PASSWORD>"}}`,
	} {
		var v Vector
		require.NoError(t, json.Unmarshal([]byte(vector), &v))
		require.True(t, v.asks())
		require.Equal(t, want, string(v.body()))
	}
	count := Sequence{Steps: []Vector{{}, {Ended: true}, {Probed: true}, {Open: new(uint64)}, {Close: new(uint64)}, {Next: new(uint64)}}}.Requests()
	require.Equal(t, 1, count)
}

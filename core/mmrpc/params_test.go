package mmrpc

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/wire"
)

// TestParams checks errors of parameters with serde's texts, and the additional help.
func TestParams(t *testing.T) {
	long := strings.Repeat("é", 40)
	for name, c := range map[string]struct{ params, data, help string }{
		"nothing":        {`null`, "invalid type: null, expected struct EchoParams", "params is missing, and with it: missing field `coin`"},
		"no object":      {`["KMD"]`, "invalid type: sequence, expected an object", `parameter "params"`},
		"missing":        {`{}`, "missing field `coin`", `parameter "coin" must be a string`},
		"null":           {`{"coin":null}`, "invalid type: null, expected a string", `parameter "coin"`},
		"boolean":        {`{"coin":true}`, "invalid type: boolean `true`, expected a string", `parameter "coin"`},
		"integer":        {`{"coin": 5 }`, "invalid type: integer `5`, expected a string", `parameter "coin"`},
		"float":          {`{"coin":-1.50}`, "invalid type: floating point `-1.50`, expected a string", `parameter "coin"`},
		"sequence":       {`{"coin":[]}`, "invalid type: sequence, expected a string", `parameter "coin"`},
		"map":            {`{"coin":{}}`, "invalid type: map, expected a string", `parameter "coin"`},
		"string":         {`{"coin":"","flag":"a\"\u0000\u0007\n\\"}`, `invalid type: string "a\"\0\u{7}\n\\", expected true or false`, `parameter "flag"`},
		"too large":      {`{"coin":"","height":4294967296}`, "invalid value: integer `4294967296`, expected a whole number from 0 to 4294967295", `parameter "height"`},
		"a fraction":     {`{"coin":"","height":1.0}`, "invalid type: floating point `1.0`, expected a whole number from 0 to 4294967295", `parameter "height"`},
		"inside":         {`{"coin":"","nodes":[{"url":"x"},{}]}`, "missing field `url`", `parameter "nodes[1].url" must be a string`},
		"variant":        {`{"coin":"","mode":"swift"}`, "unknown variant `swift`, expected one of `Default`, `Swift`, `Safe`", "parameter \"mode\", did you mean `Swift`?"},
		"sole variant":   {`{"coin":"","sole":"X"}`, "unknown variant `X`, expected `Default`", `parameter "sole"`},
		"long value":     {`{"coin":"","sole":"` + long + `"}`, "unknown variant `" + long[:64] + "…`, expected `Default`", `parameter "sole"`},
		"duplicate":      {`{"coin":"","coin":""}`, "duplicate field `coin`", `parameter "coin"`},
		"a type of ours": {`{"coin":"","every":"5"}`, `invalid type: string "5", expected a number of seconds`, `parameter "every"`},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(nil)
			status, reply := b.ask(t, mmrpctest.Here, mmrpctest.Request("echo", c.params))
			require.Equal(t, 400, status)
			require.Equal(t, mmrpctest.Failed(wire.Parsing+c.data+" ("+c.help+")", "dispatcher", "InvalidRequest", mmrpctest.Quote(c.data), "5"), mmrpctest.Untraced(reply))
			require.Equal(t, []string{"node echo InvalidRequest"}, b.calls)
			require.Empty(t, b.lines)
		})
	}
}

func TestUnknownParams(t *testing.T) {
	const params = `{"coin":"KMD","hieght":1,"nodes":[{"url":"","proxy":true}]}`
	b := newBench(nil)
	status, _ := b.ask(t, mmrpctest.Here, mmrpctest.Request("echo", params))
	require.Equal(t, 200, status)
	require.Equal(t, uint64(2), b.UnknownParams())

	b = newBench(func(o *Options) { o.StrictParams = true })
	status, reply := b.ask(t, mmrpctest.Here, mmrpctest.Request("echo", params))
	require.Equal(t, 400, status)
	const data = "unknown field `hieght`, expected one of `coin`, `height`, `nodes`, `mode`, `sole`, `every`, `flag`"
	require.Equal(t, mmrpctest.Failed(wire.Parsing+data+" (parameter \"hieght\", did you mean `height`?)", "dispatcher", "InvalidRequest", mmrpctest.Quote(data), "5"), mmrpctest.Untraced(reply))
	_, reply = b.ask(t, mmrpctest.Here, mmrpctest.Request("nothing", `{"x":1}`))
	require.Contains(t, reply, "unknown field `x`, there are no fields")
}

// TestRefusalInOtherWords checks methods whose errors start with a different text in Komodo
// DeFi Framework.
func TestRefusalInOtherWords(t *testing.T) {
	m, _ := newBench(nil).Table().Lookup("echo")
	m.Doc.Refusal = "Invalid request: "
	c := call{method: m, params: []byte(`{}`), s: newBench(nil).Server, ctx: t.Context()}
	_, err := c.invoke()
	require.EqualError(t, err, "Invalid request: missing field `coin` (parameter \"coin\" must be a string)")
}

// TestOutcomes checks the answers for all outcomes of methods, and the log and the counts.
func TestOutcomes(t *testing.T) {
	const internalText, internalData = "Internal error: internal error, see the node's log", `"internal error, see the node's log"`
	for name, c := range map[string]struct {
		method, params string
		status         int
		want, outcome  string
		logged         []string
	}{
		"result": {"echo", `{"coin":"KMD"}`, 200,
			`{"mmrpc":"2.0","result":{"coin":"KMD","height":7,"nodes":null,"mode":"Default","sole":"Default","every":null,"flag":false},"id":5}`, "ok", nil},
		"a kind":              {"kind", `{"coin":"IRIS"}`, 404, mmrpctest.Failed("No such coin IRIS", "server_test", "NoSuchCoin", `{"coin":"IRIS"}`, "5"), "NoSuchCoin", nil},
		"a kind without data": {"bare", `{}`, 405, mmrpctest.Failed("not running", "server_test", "NotRunning", "", "5"), "NotRunning", nil},
		"another error": {"fails", `{}`, 500, mmrpctest.Failed(internalText, "dispatcher", "InternalError", internalData, "5"), "InternalError",
			[]string{"method failed", "fails", errDeep.Error()}},
		"a panic": {"panics", `{}`, 500, mmrpctest.Failed(internalText, "dispatcher", "InternalError", internalData, "5"), "panic",
			[]string{"recovered from a panic", "panics", "string"}},
		"an unavailable part": {"lacks", `{}`, 500, mmrpctest.Failed("Internal error: the part is missing", "dispatcher", "InternalError", `"the part is missing"`, "5"), "InternalError", nil},
		"an unprintable result": {"unprintable", `{}`, 500,
			mmrpctest.Failed("Internal error: Couldn't serialize an RPC response", "answer", "InternalError", `"Couldn't serialize an RPC response"`, "5"), "InternalError",
			[]string{"encoding a result failed"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(nil)
			status, reply := b.ask(t, mmrpctest.Here, mmrpctest.Request(c.method, c.params))
			require.Equal(t, c.want, mmrpctest.Untraced(reply))
			require.Equal(t, c.status, status)
			require.Equal(t, []string{"node " + c.method + " " + c.outcome}, b.calls)
			log := strings.Join(b.lines, "\n")
			require.NotContains(t, log, "the secret")
			require.Equal(t, c.logged == nil, log == "", log)
			for _, part := range c.logged {
				require.Contains(t, log, part)
			}
		})
	}
}

// TestTrace checks that the trace names the places where errors with a kind were created.
func TestTrace(t *testing.T) {
	_, reply := newBench(nil).ask(t, mmrpctest.Here, mmrpctest.Request("kind", `{"coin":"IRIS"}`))
	require.Regexp(t, `"error_path":"server_test","error_trace":"server_test:\d+]"`, reply)
	_, reply = newBench(nil).ask(t, mmrpctest.Here, mmrpctest.Request("kind", `{}`))
	require.Regexp(t, `"error_path":"dispatcher","error_trace":"dispatcher:\d+]"`, reply)
}

func TestEndedCalls(t *testing.T) {
	b := newBench(nil)
	ctx, cancel := contextWithCancel(t)
	cancel()
	status, reply := b.Serve(ctx, mmrpctest.Here, []byte(mmrpctest.Request("waits", "{}")))
	require.Equal(t, 500, status)
	const text = "the call was cancelled"
	require.Equal(t, mmrpctest.Failed("Internal error: "+text, "dispatcher", "InternalError", `"`+text+`"`, "5")+"\n", mmrpctest.Untraced(string(reply)))
	require.Empty(t, b.lines, "nothing is wrong with the node")
}

// TestUnprintableData checks that there is an answer even if the data of an error cannot be
// encoded.
func TestUnprintableData(t *testing.T) {
	b := newBench(nil)
	status, reply := b.failure(mmerr.GetNftInfoError.New(mmerr.Nested{Data: make(chan int)}, "x"), nil)
	require.Equal(t, 500, status)
	require.Contains(t, string(reply), `"error_type":"InternalError"`)
	status, _ = b.failure(errDeep, nil)
	require.Equal(t, 500, status)
}

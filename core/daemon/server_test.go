package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/guard"
	"obverse/core/metrics"
	"obverse/core/rpc"
)

var authorized = rpc.Caller{Authorized: true}

type echoParams struct {
	Value json.RawMessage `json:"value"`
}

type sendParams struct {
	Hex  TypedString `json:"hex"`
	Fees TypedBool   `json:"allowhighfees" rpc:"optional"`
}

type countParams struct {
	N     uint8  `json:"n" default:"7"`
	Label string `json:"label" rpc:"optional"`
}

// testMethods returns methods for every kind of result and failure.
func testMethods() []rpc.Method {
	fail := func(err error) func(context.Context, struct{}) (any, error) {
		return func(context.Context, struct{}) (any, error) { return nil, err }
	}
	doc := rpc.Doc{Category: "Test", Summary: "Do something"}
	return []rpc.Method{
		rpc.Handle("echo", doc, func(_ context.Context, p echoParams) (json.RawMessage, error) { return p.Value, nil }),
		rpc.Handle("send", doc, func(_ context.Context, p sendParams) (string, error) { return string(p.Hex), nil }),
		rpc.Handle("count", doc, func(_ context.Context, p countParams) (uint8, error) { return p.N, nil }),
		rpc.Handle("null", doc, fail(nil)),
		rpc.Handle("rejected", doc, fail(fmt.Errorf("submit: %w", &Error{CodeRejected, "16: mempool conflict"}))),
		rpc.Handle("broken", doc, fail(errors.New("disk is full\n"))),
		rpc.Handle("panic", doc, func(context.Context, struct{}) (any, error) { panic("secret words") }),
		rpc.Handle("unavailable", doc, func(context.Context, struct{}) (any, error) { panic(away{errors.New("the part is missing")}) }),
		rpc.Handle("index", doc, func(_ context.Context, p struct{}) (any, error) { return []int{}[len(doc.Category)], nil }),
		rpc.Handle("unprintable", doc, func(context.Context, struct{}) (any, error) { return func() {}, nil }),
		rpc.Handle("panicking-result", doc, func(context.Context, struct{}) (any, error) { return explosive{}, nil }),
	}
}

type explosive struct{}

func (explosive) MarshalJSON() ([]byte, error) { panic(errors.New("secret words")) }

type journal struct{ lines []string }

func (j *journal) Error(message string, pairs ...any) {
	j.lines = append(j.lines, message+" "+fmt.Sprint(pairs...))
}

func (j *journal) Begin(_ context.Context, api, method string) func(string) {
	return func(outcome string) { j.lines = append(j.lines, api+" "+method+" "+outcome) }
}

func TestServe(t *testing.T) {
	s := New(Options{}, testMethods()...)
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for name, c := range map[string]struct {
		body   string
		status int
		want   string
	}{
		"result":                     {`{"method":"echo","params":[{"b":1,"a":[ 1.50 , 1E5]}],"id":7}`, 200, `{"result":{"b":1,"a":[1.50,1E5]},"error":null,"id":7}`},
		"null result":                {`{"method":"null"}`, 200, `{"result":null,"error":null,"id":null}`},
		"html and line separators":   {`{"method":"echo","params":["<&>\u2028\u007f\u0001\/"]}`, 200, "{\"result\":\"<&>\u2028\\u007f\\u0001/\",\"error\":null,\"id\":null}"},
		"id with white space":        {`{"id":{ "a" : [ 1 , "b c" ] },"method":"null"}`, 200, `{"result":null,"error":null,"id":{"a":[1,"b c"]}}`},
		"id keeps its digits":        {`{"id":1.50000000000000000001e5,"method":"null"}`, 200, `{"result":null,"error":null,"id":1.50000000000000000001e5}`},
		"surrogate pair":             {`{"id":"\ud83d\ude00","method":"null"}`, 200, `{"result":null,"error":null,"id":"😀"}`},
		"first half only":            {`{"id":"\ud83d","method":"null"}`, 500, `{"result":null,"error":{"code":-32700,"message":"Parse error"},"id":null}`},
		"first half, then another":   {`{"id":"\ud83dx","method":"null"}`, 500, `{"result":null,"error":{"code":-32700,"message":"Parse error"},"id":null}`},
		"second half only":           {`{"id":"\ude00","method":"null"}`, 500, `{"result":null,"error":{"code":-32700,"message":"Parse error"},"id":null}`},
		"nesting of 512":             {`{"method":"echo","params":` + deep(511) + `}`, 200, `{"result":` + deep(510) + `,"error":null,"id":null}`},
		"nesting of 513":             {`{"method":"echo","params":` + deep(512) + `}`, 500, `{"result":null,"error":{"code":-32700,"message":"Parse error"},"id":null}`},
		"brackets in a string":       {`{"method":"echo","params":["` + strings.Repeat("[", 600) + `\""]}`, 200, `{"result":"` + strings.Repeat("[", 600) + `\"","error":null,"id":null}`},
		"keys are exact":             {`{"Method":"null","id":1}`, 400, `{"result":null,"error":{"code":-32600,"message":"Missing method"},"id":1}`},
		"NUL in the method":          {`{"method":"null\u0000","id":1}`, 404, `{"result":null,"error":{"code":-32601,"message":"Method not found"},"id":1}`},
		"a method of komodod alone":  {`{"method":"getblocksubsidy","id":1}`, 404, `{"result":null,"error":{"code":-32601,"message":"Method not found: getinfo shows the rewards of the chain"},"id":1}`},
		"one with a prefix":          {`{"method":"z_sendmany","id":1}`, 404, `{"result":null,"error":{"code":-32601,"message":"Method not found: the node has no shielded addresses and makes no shielded transactions"},"id":1}`},
		"too few":                    {`{"method":"send"}`, 500, `{"result":null,"error":{"code":-1,"message":"send hex [allowhighfees]\n\nDo something.\n\nArguments:\n1. hex (string, required)\n2. allowhighfees (boolean, optional)\n"},"id":null}`},
		"typed string":               {`{"method":"send","params":[5]}`, 500, `{"result":null,"error":{"code":-3,"message":"Expected type string, got number"},"id":null}`},
		"typed string null":          {`{"method":"send","params":[null]}`, 500, `{"result":null,"error":{"code":-3,"message":"Expected type string, got null"},"id":null}`},
		"typed bool":                 {`{"method":"send","params":["00",1]}`, 500, `{"result":null,"error":{"code":-3,"message":"Expected type bool, got number"},"id":null}`},
		"plain type":                 {`{"method":"count","params":["5"]}`, 500, `{"result":null,"error":{"code":-3,"message":"parameter \"n\" must be a whole number from 0 to 255, got string"},"id":null}`},
		"default":                    {`{"method":"count"}`, 200, `{"result":7,"error":null,"id":null}`},
		"wrapped error":              {`{"method":"rejected","id":"x"}`, 500, `{"result":null,"error":{"code":-26,"message":"16: mempool conflict"},"id":"x"}`},
		"exception":                  {`{"method":"broken"}`, 500, `{"result":null,"error":{"code":-1,"message":"disk is full\n"},"id":null}`},
		"panic":                      {`{"method":"panic","id":1}`, 500, `{"result":null,"error":{"code":-32603,"message":"internal error, see the node's log"},"id":1}`},
		"an unavailable part":        {`{"method":"unavailable","id":1}`, 500, `{"result":null,"error":{"code":-32603,"message":"the part is missing"},"id":1}`},
		"unprintable":                {`{"method":"unprintable"}`, 500, `{"result":null,"error":{"code":-32603,"message":"internal error, see the node's log"},"id":null}`},
		"panic while printing":       {`{"method":"panicking-result"}`, 500, `{"result":null,"error":{"code":-32603,"message":"internal error, see the node's log"},"id":null}`},
		"a batch lives on":           {`[{"method":"panic","id":1},{"method":"null","id":2}]`, 200, `[{"result":null,"error":{"code":-32603,"message":"internal error, see the node's log"},"id":1},{"result":null,"error":null,"id":2}]`},
		"help of nothing":            {`{"method":"help","params":["nosuch"]}`, 200, `{"result":"help: unknown command: nosuch","error":null,"id":null}`},
		"help takes strings":         {`{"method":"help","params":[1]}`, 500, `{"result":null,"error":{"code":-1,"message":"JSON value is not a string as expected"},"id":null}`},
		"duplicate inside parameter": {`{"method":"echo","params":[{"a":1,"a":2}]}`, 200, `{"result":{"a":1,"a":2},"error":null,"id":null}`},
	} {
		t.Run(name, func(t *testing.T) {
			status, reply := s.Serve(t.Context(), authorized, []byte(c.body))
			require.Equal(t, c.want+"\n", string(reply))
			require.Equal(t, c.status, status)
		})
	}
}

func TestBatchLimit(t *testing.T) {
	batch := func(n int) []byte {
		return []byte("[" + strings.TrimSuffix(strings.Repeat(`{"method":"null"},`, n), ",") + "]")
	}
	s := New(Options{}, testMethods()...)
	status, reply := s.Serve(t.Context(), authorized, batch(DefaultBatch))
	require.Equal(t, StatusOK, status)
	require.Equal(t, DefaultBatch, strings.Count(string(reply), `"error":null`))

	status, reply = s.Serve(t.Context(), authorized, batch(DefaultBatch+1))
	require.Equal(t, StatusBadRequest, status)
	require.Equal(t, `{"result":null,"error":{"code":-32600,"message":"batch of 101 requests, the limit is 100"},"id":null}`+"\n", string(reply))

	status, _ = New(Options{Batch: 2}, testMethods()...).Serve(t.Context(), authorized, batch(3))
	require.Equal(t, StatusBadRequest, status)
}

// TestManyParameters checks a request with so many parameters that its body is large. It must
// be refused because of their number, like one with a few too many, without allocating memory
// for all of them.
func TestManyParameters(t *testing.T) {
	s := New(Options{}, testMethods()...)
	ask := func(start string, n int) (string, uint64) {
		body := []byte(start + "[0" + strings.Repeat(",0", n-1) + "]" + strings.Repeat("}", strings.Count(start, "{")))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, reply := s.Serve(t.Context(), rpc.Caller{Local: true, Authorized: start == ""}, body)
		runtime.ReadMemStats(&after)
		return string(reply), after.TotalAlloc - before.TotalAlloc
	}
	const open = `{"method":"rpc.discover","id":1,"params":`
	few, _ := ask(open, 1)
	require.Contains(t, few, `"error":{"code":-1,`)
	many, size := ask(open, 1_000_000)
	require.Equal(t, few, many)
	require.Less(t, size, uint64(1<<20))
	batch, size := ask("", 1_000_000)
	require.Contains(t, batch, "batch of 1000000 requests, the limit is 100")
	require.Less(t, size, uint64(1<<20))
	for _, m := range append(s.Table().Methods(), (&Backend{}).Methods()...) {
		require.Less(t, len(m.Params()), maxParams, m.Name)
	}
}

func TestBatchReplyLimit(t *testing.T) {
	s := New(Options{}, testMethods()...)
	long := `{"method":"echo","params":["` + strings.Repeat("x", 400<<10) + `"],"id":1}`
	body := []byte("[" + strings.Repeat(long+",", 15) + `5,{"method":"null","id":7}]`)
	status, reply := s.Serve(t.Context(), authorized, body)
	require.Equal(t, StatusOK, status)
	require.Greater(t, len(reply), MaxBatchReply)
	require.Less(t, len(reply), MaxBatchReply+len(long))
	require.Equal(t, 4, strings.Count(string(reply), `{"result":null,"error":{"code":-32000,"message":"not called: the answers to this batch are too large already, send this request in another batch"},"id":1}`))
	require.Contains(t, string(reply), `"Invalid Request object"},"id":null},{"result":null,"error":{"code":-32000,`)
	require.True(t, json.Valid(reply))

	room := rpc.Transport{Room: func(bytes int) bool { return bytes < 30 }}
	status, reply = s.Serve(rpc.WithTransport(t.Context(), room), authorized, []byte(`[{"method":"null"},{"method":"null"}]`))
	require.Equal(t, StatusOK, status)
	require.Equal(t, 1, strings.Count(string(reply), "not called"))
}

func TestDiscoverIsMadeOnce(t *testing.T) {
	s := New(Options{}, testMethods()...)
	one, err := s.discover()
	require.NoError(t, err)
	again, err := s.discover()
	require.NoError(t, err)
	require.Same(t, &one[0], &again[0])
}

func TestOpenMethods(t *testing.T) {
	s := New(Options{Info: rpc.Info{Title: "t", Version: "v"}}, testMethods()...)
	discover := []byte(`{"method":"rpc.discover"}`)
	for name, c := range map[string]struct {
		caller rpc.Caller
		body   []byte
		status int
	}{
		"local":              {rpc.Caller{Local: true}, discover, StatusOK},
		"elsewhere":          {rpc.Caller{}, discover, StatusUnauthorized},
		"elsewhere, allowed": {authorized, discover, StatusOK},
		"another method":     {rpc.Caller{Local: true}, []byte(`{"method":"null"}`), StatusUnauthorized},
		"smuggled in":        {rpc.Caller{Local: true}, []byte(`{"method":"null","method":"rpc.discover"}`), StatusUnauthorized},
		"in a batch":         {rpc.Caller{Local: true}, []byte(`[{"method":"rpc.discover"}]`), StatusUnauthorized},
		"not JSON":           {rpc.Caller{Local: true}, []byte(`{`), StatusUnauthorized},
		"no such method":     {rpc.Caller{Local: true}, []byte(`{"method":"nosuch"}`), StatusUnauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			status, reply := s.Serve(t.Context(), c.caller, c.body)
			require.Equal(t, c.status, status)
			require.Equal(t, status == StatusUnauthorized, len(reply) == 0)
		})
	}
}

func TestDiscover(t *testing.T) {
	s := New(Options{Info: rpc.Info{Title: "t", Version: "v"}}, testMethods()...)
	_, reply := s.Serve(t.Context(), authorized, []byte(`{"method":"rpc.discover"}`))
	var envelope struct {
		Result struct {
			OpenRPC string
			Info    rpc.Info
			Methods []struct{ Name, ParamStructure string }
		}
	}
	require.NoError(t, json.Unmarshal(reply, &envelope))
	require.Equal(t, "1.3.2", envelope.Result.OpenRPC)
	require.Equal(t, rpc.Info{Title: "t", Version: "v"}, envelope.Result.Info)
	require.Len(t, envelope.Result.Methods, len(testMethods())+2)
	require.Equal(t, "help", envelope.Result.Methods[0].Name)
	require.Equal(t, rpc.ByPosition, envelope.Result.Methods[0].ParamStructure)
}

func TestHelp(t *testing.T) {
	help := func(s *Server, params string) string {
		_, reply := s.Serve(t.Context(), authorized, []byte(`{"method":"help","params":`+params+`}`))
		var envelope struct{ Result string }
		require.NoError(t, json.Unmarshal(reply, &envelope))
		return envelope.Result
	}
	terse := rpc.Handle("tokenlist", rpc.Doc{Category: "Tokens", Terse: true}, func(context.Context, struct{}) (any, error) { return nil, nil })
	s := New(Options{}, terse, testMethods()[2])
	require.Equal(t, "== Control ==\nhelp ( \"command\" )\nrpc.discover\n\n== Test ==\ncount [n] [label]\n\n== Tokens ==\ntokenlist", help(s, `[]`))
	require.Equal(t, "tokenlist\n", help(s, `["tokenlist"]`))
	require.Equal(t, "count [n] [label]\n\nDo something.\n\nArguments:\n1. n (integer, optional, default=7)\n2. label (string, optional)\n", help(s, `["count"]`))
}

// away is the panic value of a method that is unavailable; see guard.Unavailable.
type away struct{ error }

func (away) Unavailable() {}

// TestPanicIsLoggedWithoutValues checks that a panic is logged without the values that the
// method used.
func TestPanicIsLoggedWithoutValues(t *testing.T) {
	log := &journal{}
	s := New(Options{Log: log, Calls: log}, testMethods()...)
	ctx := guard.With(t.Context(), func(p *guard.Panic) { log.lines = append(log.lines, p.Error()+"\n"+p.Stack) })
	s.Serve(ctx, authorized, []byte(`{"method":"panic"}`))
	s.Serve(ctx, authorized, []byte(`{"method":"panicking-result"}`))
	s.Serve(ctx, authorized, []byte(`{"method":"index"}`))
	text := strings.Join(log.lines, "\n")
	require.NotContains(t, text, "secret")
	require.Contains(t, text, "the method panic panicked: string")
	require.Contains(t, text, "index out of range")
	for _, method := range []string{"panic", "panicking-result", "index"} {
		require.Contains(t, log.lines, "daemon "+method+" "+metrics.Panic)
	}
}

func TestCallsAreCounted(t *testing.T) {
	log := &journal{}
	s := New(Options{Calls: log}, testMethods()...)
	for _, body := range []string{`{"method":"null"}`, `{"method":"evil name"}`, `{"method":"rejected"}`, `[{"method":"null"},{}]`} {
		s.Serve(t.Context(), authorized, []byte(body))
	}
	require.Equal(t, []string{"daemon null ok", "daemon unknown -32601", "daemon rejected -26", "daemon null ok"}, log.lines)
}

func TestRefusal(t *testing.T) {
	require.Equal(t, "{\"result\":null,\"error\":{\"code\":-32000,\"message\":\"a\\\"\ufffd\"},\"id\":null}\n", string(Refusal(CodeBusy, "a\"\xff")))
}

// FuzzEnvelope checks that there is a single reply to every body, and that it is compact JSON.
func FuzzEnvelope(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `[]`, `[1,{}]`, `{"method":"echo","params":[{"a":"\u00e9\ud83d\ude00"}],"id":[1.0,"é"]}`,
		`{"method":"count","params":[255,"x"]}`, `{"method":"help"}`, `{"method":"send","params":["",true]}`, "\xef\xbb\xbf{}", `"\ud800"`,
	} {
		f.Add([]byte(seed))
	}
	s := New(Options{}, testMethods()...)
	f.Fuzz(func(t *testing.T, body []byte) {
		status, reply := s.Serve(context.Background(), authorized, body)
		require.Contains(t, []int{StatusOK, StatusBadRequest, StatusNotFound, StatusError}, status)
		require.True(t, strings.HasSuffix(string(reply), "\n"))
		require.True(t, json.Valid(reply), "%s", reply)
		require.Equal(t, string(reply), string(appendCompact(nil, reply))+"\n")
		if rpc.CheckText(body) == nil {
			compact := appendCompact(nil, body)
			require.NoError(t, rpc.CheckText(compact))
			require.Equal(t, exactly(t, body), exactly(t, compact))
		}
	})
}

// exactly decodes JSON and preserves the digits of numbers.
func exactly(t *testing.T, text []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	require.NoError(t, dec.Decode(&v))
	return v
}

// TestManyMembers checks that unused members are not all parsed.
func TestManyMembers(t *testing.T) {
	body := []byte(`{"method":"rpc.discover"` + strings.Repeat(`,"":1`, 300_000) + "}")
	for caller, want := range map[rpc.Caller]int{{Local: true}: StatusUnauthorized, {Authorized: true}: 400} {
		allocs := testing.AllocsPerRun(1, func() {
			status, reply := New(Options{}).Serve(t.Context(), caller, body)
			require.Equal(t, want, status, string(reply))
		})
		require.Less(t, allocs, 20_000.0)
	}
}

package mmrpc

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/rpc"
)

func TestStop(t *testing.T) {
	stopped := 0
	o := Options{Password: NewPassword(mmrpctest.Userpass), Now: newBench(nil).options.Now}
	s := New(o, Control{Stop: func() { stopped++ }})
	status, reply := s.Serve(t.Context(), mmrpctest.Here, []byte(mmrpctest.Request("stop", "{}")))
	require.Equal(t, 200, status)
	require.Equal(t, `{"mmrpc":"2.0","result":"success","id":5}`+"\n", string(reply))
	_, reply = s.Serve(t.Context(), mmrpctest.Here, []byte(`{"userpass":"RPC_UserP@SSW0RD","method":"stop"}`))
	require.Equal(t, `{"result":"success"}`+"\n", string(reply))
	require.Equal(t, 2, stopped)
	status, _ = s.Serve(t.Context(), mmrpctest.Here, []byte(`{"mmrpc":"2.0","method":"stop"}`))
	require.Equal(t, 403, status)
	require.Equal(t, 2, stopped)

	status, reply = New(o, Control{}).Serve(t.Context(), mmrpctest.Here, []byte(mmrpctest.Request("stop", "{}")))
	require.Equal(t, 405, status)
	require.Contains(t, string(reply), `"error_type":"UnsupportedMode"`)
}

func TestHelp(t *testing.T) {
	b := newBench(nil)
	var reply struct{ Result string }
	_, text := b.ask(t, mmrpctest.There, `{"mmrpc":"2.0","method":"help"}`)
	require.NoError(t, json.Unmarshal([]byte(text), &reply))
	_, control, _ := strings.Cut(reply.Result, "== Control ==\n")
	control, _, _ = strings.Cut(control, "\n\n")
	require.Subset(t, strings.Split(control, "\n"), []string{"help [command]", "rpc.discover", "stop", "version"})
	require.Contains(t, reply.Result, "== Test ==\necho coin [height]")
	_, legacy := b.ask(t, mmrpctest.There, `{"method":"help"}`)
	require.Equal(t, `{"result":`+mmrpctest.Quote(reply.Result)+`}`, legacy)

	_, text = b.ask(t, mmrpctest.Here, `{"method":"help","command":"echo"}`)
	require.NoError(t, json.Unmarshal([]byte(text), &reply))
	require.Contains(t, reply.Result, "1. coin (string, required) the ticker")
	status, text := b.ask(t, mmrpctest.Here, `{"mmrpc":"2.0","method":"help","params":{"command":"ecko"}}`)
	require.Equal(t, 400, status)
	require.Contains(t, text, "did you mean `echo`?")
}

func TestDiscover(t *testing.T) {
	b := newBench(func(o *Options) { o.Info = rpc.Info{Title: "T", Version: "9", Description: "D"} })
	_, want := b.ask(t, mmrpctest.Here, `{"mmrpc":"2.0","method":"rpc.discover","id":1}`)
	require.True(t, strings.HasPrefix(want, `{"mmrpc":"2.0","result":{"openrpc":"1.3.2","info":{"title":"T","version":"9","description":"D"},"methods":[`), want)
	require.Contains(t, want, `"paramStructure":"by-name"`)
	for _, body := range []string{`{"method":"rpc.discover","id":1}`, `{"jsonrpc":"2.0","method":"rpc.discover","id":1}`,
		`{"jsonrpc":"2.0","method":"rpc.discover","id":1,"params":[]}`, `{"method":"rpc.discover","params":{},"id":1,"jsonrpc":"2.0"}`} {
		status, reply := b.ask(t, mmrpctest.Here, body)
		require.Equal(t, 200, status)
		require.Equal(t, want, reply)
	}
	for _, body := range []string{`{"jsonrpc":"2.0","method":"version2","id":1}`, `{"jsonrpc":"2.0","method":"rpc.discover","x":1}`} {
		status, reply := b.ask(t, rpc.Caller{Address: "127.0.0.1", Local: true}, body)
		require.NotEqual(t, 200, status, reply)
	}
	for body, wrong := range map[string]string{
		`{"jsonrpc":"2.0","method":"rpc.discover","id":"1"}`:            `invalid type: string \"1\", expected usize`,
		`{"id":"1","jsonrpc":"2.0","method":"rpc.discover"}`:            `invalid type: string \"1\", expected usize`,
		`{"jsonrpc":"2.0","method":"rpc.discover","params":[1]}`:        "invalid type: sequence, expected",
		`{"jsonrpc":"2.0","method":"rpc.discover","params":{},"id":-1}`: "expected usize",
		`{"jsonrpc":"2.0","method":"rpc.discover","userpass":1}`:        "expected a string",
	} {
		status, reply := b.ask(t, mmrpctest.Here, body)
		require.Equal(t, 400, status, body)
		require.Contains(t, reply, `"error_type":"InvalidRequest"`)
		require.Contains(t, reply, wrong)
	}
}

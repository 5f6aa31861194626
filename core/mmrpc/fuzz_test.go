package mmrpc

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/rpc"
)

// FuzzServe checks that every body is answered with a single valid envelope, or with an array
// that has as many as the request, and that no answer contains the password.
func FuzzServe(f *testing.F) {
	for _, seed := range []string{
		"", "null", "[]", "[1,[]]", `{"method":"version"}`, `{"mmrpc":"1.0"}`, `{"mmrpc":"2.0","id":1e5}`, `{"jsonrpc":"2.0","method":"rpc.discover"}`,
		mmrpctest.Request("echo", `{"coin":"x","nodes":[{"url":1}],"mode":"y"}`), mmrpctest.Request("kind", `{"coin":"\u0000"}`), mmrpctest.Request("panics", "{}"),
		`[` + mmrpctest.Request("nothing", "[]") + `,{"userpass":"RPC_UserP@SSW0RD","method":"old","coin":"a","coin":"b"}]`,
		`{"userpass":"RPC_UserP@SSW0RD","method":"orders","coin":"a"}`, `{"userpass":"RPC_UserP@SSW0RD"`, "{\"\xff\":1}", mmrpctest.Request("waits", "{}"), mmrpctest.Request("meet", "{}"), strings.Repeat("[", 600),
	} {
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, body []byte, local bool) {
		b := newBench(nil)
		b.Server = New(b.options, pieces{meet: make(chan struct{}, 1)}, Control{Version: "1.2.3"})
		ctx, end := contextWithCancel(t)
		end() // makes methods return without waiting
		status, reply := b.Serve(ctx, rpc.Caller{Address: "127.0.0.1", Local: local}, body)
		require.True(t, json.Valid(reply), "%s", reply)
		require.Contains(t, []int{200, 400, 403, 404, 405, 500}, status)
		var items []json.RawMessage
		if rpc.CheckText(body) == nil && rpc.KindOf(body) == rpc.KindArray && status == 200 {
			require.NoError(t, json.Unmarshal(reply, &items))
			sent, err := rpc.Elements(body)
			require.NoError(t, err)
			require.Len(t, items, len(sent))
		} else {
			items = []json.RawMessage{reply}
		}
		for _, item := range items {
			requireEnvelope(t, item)
		}
		if !strings.Contains(strings.ReplaceAll(string(body), `"userpass":"`+mmrpctest.Userpass+`"`, ""), mmrpctest.Userpass) {
			require.NotContains(t, string(reply)+strings.Join(b.lines, ""), mmrpctest.Userpass)
		}
	})
}

// requireEnvelope requires that a reply has one of the forms of an answer.
func requireEnvelope(t *testing.T, reply []byte) {
	fields, err := rpc.Fields(reply)
	require.NoError(t, err)
	var names []string
	for _, f := range fields {
		names = append(names, f.Name)
	}
	forms := []string{
		"mmrpc result id", "mmrpc error error_path error_trace error_type id", "mmrpc error error_path error_trace error_type error_data id",
		"error", "error orders", "result", "result datetime", "coin",
	}
	require.True(t, slices.Contains(forms, strings.Join(names, " ")), "%s", reply)
}

package mmrpc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBatch(t *testing.T) {
	b := newBench(nil)
	for body, want := range map[string]string{
		`[]`:    `[]`,
		` [ ] `: `[]`,
		"[" + request("nothing", "{}") + "," + `{"method":"version"},5,[],{"method":"old"},` + request("kind", `{"coin":"X"}`) + "]": `[{"mmrpc":"2.0","result":null,"id":5},` +
			`{"result":"1.2.3","datetime":"2025-01-02T03:04:05Z"},` +
			failed(parsing+"invalid type: integer `5`, expected struct MmRpcRequest", "dispatcher.envelope", "InvalidRequest", "\"invalid type: integer `5`, expected struct MmRpcRequest\"", "null") + "," +
			failed(parsing+"invalid type: sequence, expected struct MmRpcRequest", "dispatcher.envelope", "InvalidRequest", "\"invalid type: sequence, expected struct MmRpcRequest\"", "null") + "," +
			`{"error":"answer:N] RPC call failed: Userpass is not set!"},` +
			failed("No such coin X", "server_test", "NoSuchCoin", `{"coin":"X"}`, "5") + `]`,
	} {
		status, reply := b.ask(t, here, body)
		require.Equal(t, 200, status)
		require.Equal(t, lines(want), lines(reply))
	}
}

// Requests of a batch run at the same time: each of these waits for another.
func TestBatchRunsTogether(t *testing.T) {
	b := newBench(nil)
	status, reply := b.ask(t, here, "["+strings.Repeat(request("meet", "{}")+",", 11)+request("meet", "{}")+"]")
	require.Equal(t, 200, status)
	require.Equal(t, 12, strings.Count(reply, `"result":true`))
}

func TestBatchLimit(t *testing.T) {
	b := newBench(func(o *Options) { o.Batch = 3 })
	status, reply := b.ask(t, here, "[1,2,3]")
	require.Equal(t, 200, status)
	require.Equal(t, 3, strings.Count(reply, "InvalidRequest"))
	status, reply = b.ask(t, here, "[1,2,3,4"+strings.Repeat(",5", 100_000)+"]")
	require.Equal(t, 400, status)
	const text = "a batch may hold 3 requests at most"
	require.Equal(t, failed(parsing+text, "server", "InvalidRequest", jsonString(text), "null"), untraced(reply))
	require.Equal(t, "node unknown InvalidRequest", b.calls[len(b.calls)-1])
	require.Equal(t, 100, newBench(nil).options.Batch)
}

// A batch is no way to try more passwords.
func TestBatchOfGuesses(t *testing.T) {
	b := newBench(nil)
	var guesses []string
	for i := range 99 {
		guesses = append(guesses, fmt.Sprintf(`{"userpass":"%d","mmrpc":"2.0","method":"nothing"}`, i))
	}
	guesses = append(guesses, request("nothing", "{}"))
	_, reply := b.ask(t, here, "["+strings.Join(guesses, ",")+"]")
	require.Equal(t, maxWrong, strings.Count(reply, "UserpassIsInvalid"))
	require.Equal(t, 100-maxWrong, strings.Count(reply, `"error_type":"Banned"`), "the right one came too late")
}

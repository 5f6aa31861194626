package mmrpc

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
	"obverse/core/rpc/auth"
)

func TestBatch(t *testing.T) {
	b := newBench(nil)
	for body, want := range map[string]string{
		`[]`:    `[]`,
		` [ ] `: `[]`,
		"[" + mmrpctest.Request("nothing", "{}") + "," + `{"method":"version"},5,[],{"method":"old"},` + mmrpctest.Request("kind", `{"coin":"X"}`) + "]": `[{"mmrpc":"2.0","result":null,"id":5},` +
			`{"result":"1.2.3","datetime":"2025-01-02T03:04:05Z"},` +
			mmrpctest.Failed(wire.Parsing+"invalid type: integer `5`, expected struct MmRpcRequest", "dispatcher", "InvalidRequest", "\"invalid type: integer `5`, expected struct MmRpcRequest\"", "null") + "," +
			mmrpctest.Failed(wire.Parsing+"invalid type: sequence, expected struct MmRpcRequest", "dispatcher", "InvalidRequest", "\"invalid type: sequence, expected struct MmRpcRequest\"", "null") + "," +
			`{"error":"answer:N] RPC call failed: Userpass is not set!"},` +
			mmrpctest.Failed("No such coin X", "server_test", "NoSuchCoin", `{"coin":"X"}`, "5") + `]`,
	} {
		status, reply := b.ask(t, mmrpctest.Here, body)
		require.Equal(t, 200, status)
		require.Equal(t, lines(want), lines(reply))
	}
}

// TestBatchRunsTogether checks that the requests of a batch run concurrently: each of these
// waits for another.
func TestBatchRunsTogether(t *testing.T) {
	b := newBench(nil)
	status, reply := b.ask(t, mmrpctest.Here, "["+strings.Repeat(mmrpctest.Request("meet", "{}")+",", 11)+mmrpctest.Request("meet", "{}")+"]")
	require.Equal(t, 200, status)
	require.Equal(t, 12, strings.Count(reply, `"result":true`))
}

func TestBatchLimit(t *testing.T) {
	b := newBench(func(o *Options) { o.Batch = 3 })
	status, reply := b.ask(t, mmrpctest.Here, "[1,2,3]")
	require.Equal(t, 200, status)
	require.Equal(t, 3, strings.Count(reply, "InvalidRequest"))
	status, reply = b.ask(t, mmrpctest.Here, "[1,2,3,4"+strings.Repeat(",5", 100_000)+"]")
	require.Equal(t, 400, status)
	const text = "a batch may hold 3 requests at most"
	require.Equal(t, mmrpctest.Failed(wire.Parsing+text, "batch", "InvalidRequest", mmrpctest.Quote(text), "null"), mmrpctest.Untraced(reply))
	require.Equal(t, "node unknown InvalidRequest", b.calls[len(b.calls)-1])
	require.Equal(t, 100, newBench(nil).options.Batch)
}

// badCounter panics in calls of one method.
type badCounter struct{ *journal }

func (c badCounter) Begin(ctx context.Context, api, method string) func(string) {
	if method == "nothing" {
		panic("s3cret")
	}
	return c.journal.Begin(ctx, api, method)
}

// TestBatchThatPanics checks that a panic outside the methods fails only one request of a
// batch.
func TestBatchThatPanics(t *testing.T) {
	b := newBench(func(o *Options) { o.Calls = badCounter{&journal{}} })
	_, reply := b.ask(t, mmrpctest.Here, "["+mmrpctest.Request("nothing", "{}")+","+mmrpctest.Request("markup", "{}")+"]")
	require.Equal(t, 1, strings.Count(reply, `"error_type":"InternalError"`), reply)
	require.Equal(t, 1, strings.Count(reply, `"result":`))
	require.NotContains(t, reply, "s3cret")
}

// transported serves a request with a transport.
func (b *bench) transported(t *testing.T, tr rpc.Transport, body string) string {
	t.Helper()
	status, reply := b.Serve(rpc.WithTransport(t.Context(), tr), mmrpctest.Here, []byte(body))
	require.Equal(t, 200, status)
	return string(reply)
}

// TestBatchWithoutRoom checks that the remaining calls are refused, and not made, if there is
// no room for more answers.
func TestBatchWithoutRoom(t *testing.T) {
	b := newBench(nil)
	requests := strings.Repeat(mmrpctest.Request("nothing", "{}")+",", 90) + `{"userpass":"` + mmrpctest.Userpass + `","method":"old","coin":"X"}`
	reply := b.transported(t, rpc.Transport{Room: func(int) bool { return false }}, "["+requests+"]")
	made := strings.Count(reply, `"result":null,"id":5}`)
	require.Positive(t, made)
	require.LessOrEqual(t, made, 2*atOnce)
	require.Equal(t, 90-made, strings.Count(reply, `"error_type":"InvalidRequest","error_data":"not called: `))
	require.Equal(t, 90, strings.Count(reply, `"id":5`))
	require.Contains(t, reply, `{"error":"`, "in the form of its request")
	made = 0
	for _, call := range b.calls {
		if call == "node nothing ok" {
			made++
		}
	}
	require.Equal(t, made, strings.Count(reply, `"result":null`))
}

func TestBatchReplyLimit(t *testing.T) {
	b := newBench(nil)
	echo := mmrpctest.Request("echo", `{"coin":"`+strings.Repeat("x", 200<<10)+`"}`)
	reply := b.transported(t, rpc.Transport{}, "["+strings.Repeat(echo+",", 39)+echo+"]")
	require.Less(t, len(reply), MaxBatchReply+atOnce*len(echo))
	require.Greater(t, len(reply), MaxBatchReply)
	require.Positive(t, strings.Count(reply, "not called: "))
}

// TestBatchOfDocuments checks that the document is created once, so that a batch of requests
// for it cannot exhaust the memory.
func TestBatchOfDocuments(t *testing.T) {
	b := newBench(nil)
	one, err := b.discover()
	require.NoError(t, err)
	again, err := b.discover()
	require.NoError(t, err)
	require.Same(t, &one[0], &again[0])
}

// TestReaderOfACall checks that a call that only reads ends when its client disconnects, while
// a call that changes something continues.
func TestReaderOfACall(t *testing.T) {
	gone := func(do func()) func() bool {
		do()
		return func() bool { return false }
	}
	s := newBench(nil).Server
	reads := rpc.Doc{Reads: true}
	look := func(ctx context.Context, _ struct{}) (bool, error) { return ctx.Err() == nil, nil }
	s.table = rpc.NewTable(rpc.Handle("reads", reads, look), rpc.Handle("changes", rpc.Doc{}, look))
	_, reply := s.Serve(rpc.WithTransport(t.Context(), rpc.Transport{Unread: gone}), mmrpctest.Here, []byte("["+mmrpctest.Request("reads", "{}")+","+mmrpctest.Request("changes", "{}")+"]"))
	require.Equal(t, `[{"mmrpc":"2.0","result":false,"id":5},{"mmrpc":"2.0","result":true,"id":5}]`+"\n", string(reply))
}

// TestProven checks that a transport is informed only of a correct password.
func TestProven(t *testing.T) {
	b := newBench(nil)
	proven := 0
	tr := rpc.Transport{Proven: func() { proven++ }}
	b.transported(t, tr, `[`+strings.Replace(mmrpctest.Request("nothing", "{}"), mmrpctest.Userpass, "wrong", 1)+`,{"method":"version"}]`)
	require.Zero(t, proven)
	b.transported(t, tr, `[`+mmrpctest.Request("nothing", "{}")+`]`)
	require.Equal(t, 1, proven)
}

// TestBatchOfGuesses checks that a batch of wrong passwords counts as one guess, that its
// passwords are checked one after another, and that a correct one among them is accepted.
func TestBatchOfGuesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(func(o *Options) { o.Now = time.Now })
		var guesses []string
		for i := range 99 {
			guesses = append(guesses, fmt.Sprintf(`{"userpass":"%d","mmrpc":"2.0","method":"nothing"}`, i))
		}
		wrong := "[" + strings.Join(guesses, ",") + "]"
		start := time.Now()
		_, reply := b.ask(t, mmrpctest.Here, wrong)
		require.Equal(t, 99, strings.Count(reply, "attempts left: 9"))
		require.GreaterOrEqual(t, time.Since(start), 98*20*time.Millisecond)
		for range auth.Allowed {
			_, reply = b.ask(t, mmrpctest.Here, wrong)
		}
		require.Equal(t, 99, strings.Count(reply, `"error_type":"Banned"`))
		_, reply = b.ask(t, mmrpctest.Here, "["+strings.Repeat(guesses[0]+",", 98)+mmrpctest.Request("nothing", "{}")+"]")
		require.Equal(t, 98, strings.Count(reply, `"error_type":"Banned"`))
		require.Contains(t, reply, `{"mmrpc":"2.0","result":null,"id":5}`)
		require.Zero(t, b.RetryAfter(mmrpctest.Here))
	})
}

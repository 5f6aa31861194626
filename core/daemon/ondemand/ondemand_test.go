package ondemand_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/config"
	"obverse/core/daemon/ondemand"
	"obverse/core/daemon/tokenchain"
	"obverse/core/key"
	"obverse/core/rpc"
	"obverse/core/store"
	"obverse/core/store/bunt"
)

type testLog struct{ *testing.T }

func (l testLog) Error(message string, pairs ...any) { l.Log(append([]any{message}, pairs...)...) }

// failing is a store whose writes fail while they shall.
type failing struct {
	store.KV
	fails atomic.Bool
}

func (f *failing) Stage(ctx context.Context, b store.Batch) (store.Durable, error) {
	if f.fails.Load() {
		return nil, errors.New("the disk is full")
	}
	return f.KV.Stage(ctx, b)
}

// prepare prepares the token chain of a wallet.
func prepare(t *testing.T, kv store.KV, passphrase string) (*ondemand.Node, error) {
	keys, err := key.Open(passphrase, false)
	require.NoError(t, err)
	t.Cleanup(keys.Wipe)
	c := config.Default().Chain
	c.BlockInterval = 0
	return ondemand.Prepare(t.Context(), tokenchain.Config{Chain: c, Key: keys.Node(), Store: kv, Now: time.Now, Log: testLog{t}})
}

// ask calls a method of the daemon API.
func ask(t *testing.T, n *ondemand.Node, method, params string) (int, string) {
	status, reply := n.Serve(t.Context(), rpc.Caller{Authorized: true}, []byte(`{"method":"`+method+`","params":[`+params+`]}`))
	return status, string(reply)
}

// create has a token created, which waits for a block then.
func create(t *testing.T, n *ondemand.Node) {
	_, reply := ask(t, n, "tokencreate", `"GOLD","0.001",""`)
	var made struct{ Result struct{ Hex string } }
	require.NoError(t, json.Unmarshal([]byte(reply), &made))
	_, reply = ask(t, n, "sendrawtransaction", `"`+made.Result.Hex+`"`)
	require.Contains(t, reply, `"error":null`)
}

func memory(t *testing.T) *failing {
	db, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return &failing{KV: db}
}

func count(t *testing.T, kv store.KV) int {
	list, err := kv.Scan(t.Context(), "", "", 100)
	require.NoError(t, err)
	return len(list)
}

// The first call opens the chain. What fails then changes nothing, and the next call tries again.
func TestOpening(t *testing.T) {
	kv := memory(t)
	n, err := prepare(t, kv, "a wallet")
	require.NoError(t, err)
	fresh := count(t, kv)
	require.Empty(t, n.Gauges())

	kv.fails.Store(true)
	status, reply := ask(t, n, "getblockcount", "")
	require.Equal(t, 500, status)
	require.Contains(t, reply, "the token chain cannot be opened: ")
	require.Contains(t, reply, "the disk is full")
	require.Equal(t, fresh, count(t, kv))
	kv.fails.Store(false)

	_, reply = ask(t, n, "getblockcount", "")
	require.Contains(t, reply, `"result":1,`)
	require.NotEmpty(t, n.Gauges())
}

// Blocks are made from when the chain is open.
func TestRun(t *testing.T) {
	n, err := prepare(t, memory(t), "a wallet")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- n.Run(ctx) }()
	create(t, n)
	require.Eventually(t, func() bool { return !n.Busy() }, time.Minute, time.Millisecond)
	stop()
	require.ErrorIs(t, <-ended, context.Canceled)

	n, err = prepare(t, memory(t), "a wallet")
	require.NoError(t, err)
	go func() { ended <- n.Run(ctx) }()
	require.ErrorIs(t, <-ended, context.Canceled, "though it was never opened")
}

// A chain with transactions that wait for a block is open from the start, since nothing else
// would make it.
func TestWaiting(t *testing.T) {
	kv := memory(t)
	n, err := prepare(t, kv, "a wallet")
	require.NoError(t, err)
	create(t, n)
	require.True(t, n.Busy())
	n, err = prepare(t, kv, "a wallet")
	require.NoError(t, err)
	require.True(t, n.Busy(), "before the first call")
	_, reply := ask(t, n, "generate", "1")
	require.Contains(t, reply, `"error":null`)
	n, err = prepare(t, kv, "a wallet")
	require.NoError(t, err)
	require.False(t, n.Busy())
	require.Empty(t, n.Gauges(), "it is closed")
	_, err = prepare(t, kv, "another wallet")
	require.ErrorContains(t, err, "its blocks are made by the key")
}

package daemon_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core"
	"obverse/core/config"
	"obverse/core/rpc"
	"obverse/core/store"
	"obverse/core/store/bunt"
)

// failing is a store whose writes fail while its flag is set.
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

// prepare returns a node that opens its token chain on demand.
func prepare(t *testing.T, kv store.KV, passphrase string) (*core.Node, error) {
	c := config.Default()
	c.Passphrase = config.NewSecret(passphrase)
	c.Chain.BlockInterval = 0
	return core.New(t.Context(), c, core.Platform{Store: kv, Now: time.Now, Random: rand.Reader, Log: testLog{t}, ChainOnDemand: true})
}

// say calls a method of the daemon API.
func say(t *testing.T, n *core.Node, method, params string) (int, string) {
	status, reply := n.Daemon(t.Context(), rpc.Caller{Authorized: true}, []byte(`{"method":"`+method+`","params":[`+params+`]}`))
	return status, string(reply)
}

// create creates a token. Its transaction then waits for a block.
func create(t *testing.T, n *core.Node) {
	_, reply := say(t, n, "tokencreate", `"GOLD","0.001",""`)
	var made struct{ Result struct{ Hex string } }
	require.NoError(t, json.Unmarshal([]byte(reply), &made))
	_, reply = say(t, n, "sendrawtransaction", `"`+made.Result.Hex+`"`)
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

// figures returns the names of the chain's gauges.
func figures(n *core.Node) (names []string) {
	for _, g := range n.Gauges() {
		if strings.HasPrefix(g.Name, "chain_") || strings.HasPrefix(g.Name, "mempool_") {
			names = append(names, g.Name)
		}
	}
	return names
}

// TestOpeningOnDemand checks that the first call opens the chain. A failure must change
// nothing, and the next call must try again.
func TestOpeningOnDemand(t *testing.T) {
	kv := memory(t)
	n, err := prepare(t, kv, "a wallet")
	require.NoError(t, err)
	fresh := count(t, kv)
	require.Empty(t, figures(n))

	kv.fails.Store(true)
	status, reply := say(t, n, "getblockcount", "")
	require.Equal(t, 500, status)
	require.Contains(t, reply, "the token chain cannot be opened: ")
	require.Contains(t, reply, "the disk is full")
	require.Equal(t, fresh, count(t, kv))
	kv.fails.Store(false)

	_, reply = say(t, n, "getblockcount", "")
	require.Contains(t, reply, `"result":1,`)
	require.Equal(t, strings.Fields("chain_height_blocks chain_tip_time_seconds mempool_transactions mempool_bytes"), figures(n))
	for _, g := range n.Gauges() {
		switch g.Name {
		case "chain_height_blocks":
			require.EqualValues(t, 1, g.Read())
		case "mempool_transactions":
			require.Zero(t, g.Read())
		}
		require.NotEmpty(t, g.Help, g.Name)
	}
}

// TestRunOnDemand checks that blocks are made as soon as the chain is open.
func TestRunOnDemand(t *testing.T) {
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

// TestWaitingTransactionsOpen checks that a chain with unconfirmed transactions is opened at
// the start, since no later call would put them into a block.
func TestWaitingTransactionsOpen(t *testing.T) {
	kv := memory(t)
	n, err := prepare(t, kv, "a wallet")
	require.NoError(t, err)
	create(t, n)
	require.True(t, n.Busy())
	n, err = prepare(t, kv, "a wallet")
	require.NoError(t, err)
	require.True(t, n.Busy(), "before the first call")
	_, reply := say(t, n, "generate", "1")
	require.Contains(t, reply, `"error":null`)
	n, err = prepare(t, kv, "a wallet")
	require.NoError(t, err)
	require.False(t, n.Busy())
	require.Empty(t, figures(n), "it is closed")
	_, err = prepare(t, kv, "another wallet")
	require.ErrorContains(t, err, "its blocks are made by the key")
}

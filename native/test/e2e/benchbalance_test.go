package e2e

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/wire"
	"obverse/native/test/benchtable"
)

const (
	perBalanceTurn = 20_000 // requests per turn
	few            = 1_000
	many           = 1_000_000
	outputsOfOne   = 1_500 // token outputs per transaction
)

// measureBalances compares tokenbalance over HTTP with a handler that returns a constant.
func measureBalances(b *testing.B, t *benchtable.Table) {
	n := newBenchNode(b)
	web := n.serve(b)
	id := n.scatter(newWallet(b), few)
	bodies := make([][]byte, perBalanceTurn)
	for i := range bodies {
		bodies[i] = request("tokenbalance", id.String())
	}
	ours, constant := web.turns(b, bodies, web.address, web.constant)
	t.Add(benchtable.Row{What: "tokenbalance over HTTP, of a constant answer", Unit: "/s", Ours: ours.rates, Reference: constant.rates, Aim: ">= 0.50"})
	t.Add(benchtable.Row{What: "processor time of that and its client, of the constant's", Unit: " us", Ours: ours.times, Reference: constant.times})
}

// measureSize compares a chain with few token outputs with a chain with many.
func measureSize(b *testing.B, t *benchtable.Table) {
	small := newBenchNode(b)
	smallID := small.scatter(newWallet(b), few)
	before := heap()
	big := newBenchNode(b)
	bigID := big.scatter(newWallet(b), many)

	var fewTimes, manyTimes []time.Duration
	for range 2 * rounds {
		fewTimes = append(fewTimes, small.balanceTime(smallID, few))
		manyTimes = append(manyTimes, big.balanceTime(bigID, many))
	}
	t.Add(benchtable.Row{What: "tokenbalance with 1,000,000 token outputs, of that with 1,000", Unit: " us",
		Ours: in(time.Microsecond, manyTimes), Reference: in(time.Microsecond, fewTimes), Aim: "<= 1.30"})

	disk := float64(big.store.Size()) / many
	require.NoError(b, big.store.Shrink(b.Context()))
	figure := func(what, unit, note string, value float64) {
		t.Add(benchtable.Row{What: what, Unit: unit, Ours: []float64{value}, Note: note})
	}
	figure("disk for a token output", " bytes", fmt.Sprintf("%.0f after shrinking", float64(big.store.Size())/many), disk)
	big.close()
	start := time.Now()
	big.open()
	figure("start with 1,000,000 token outputs", " s", "", time.Since(start).Seconds())
	t.Add(benchtable.Row{What: "memory for a token output", Unit: " bytes", Ours: []float64{float64(heap()-before) / many}, Aim: "<= 300",
		Note: "heap after a collection"})
	require.Positive(b, big.balanceTime(bigID, many))
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// scatter creates a token and distributes it to count outputs of one token each, all of the node's
// key and all in the chain.
func (n *benchNode) scatter(p *chaintest.Wallet, count int) (id wire.Hash) {
	n.b.Helper()
	tx, funds := p.Create(n.premine(), "SCATTER", int64(count))
	n.send(tx)
	id = tx.ID()
	for left := count; left > 0; {
		outs := min(left, outputsOfOne)
		left -= outs
		tx, funds = p.Scatter(funds, id, outs)
		n.send(tx)
	}
	n.mine()
	return id
}

// balanceTime returns the duration of a tokenbalance call, and checks the result.
func (n *benchNode) balanceTime(id wire.Hash, want int) time.Duration {
	n.b.Helper()
	var held struct{ Balance int }
	n.call(&held, "tokenbalance", id.String())
	require.Equal(n.b, want, held.Balance)
	body := request("tokenbalance", id.String())
	const calls = 2000
	start := time.Now()
	for range calls {
		n.core.Daemon(context.Background(), caller, body)
	}
	return time.Since(start) / calls
}

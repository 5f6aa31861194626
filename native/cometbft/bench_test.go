package cometbft

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cometbft/cometbft/abci/example/kvstore"
	abci "github.com/cometbft/cometbft/abci/types"
	"github.com/cometbft/cometbft/node"
	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/script"
	"obverse/core/chain/wire"
	"obverse/native/test/benchtable"
)

// BenchmarkValidators compares payments on validators with CometBFT's key-value example, with the
// same settings and in alternation in one run. The figures are medians.
func BenchmarkValidators(b *testing.B) {
	const payments, turns = 4_000, 5
	for range b.N {
		table := new(benchtable.Table)
		for _, count := range []int{1, 4} {
			var ours, theirs []benched
			for range turns {
				ours, theirs = append(ours, benchPayments(b, count, payments)), append(theirs, benchKeys(b, count, payments))
			}
			o, t := middle(ours), middle(theirs)
			table.Add(benchtable.Row{What: fmt.Sprintf("payments in blocks, validators: %d, of CometBFT's key-value example", count), Unit: "/s",
				Ours: each(ours, rateOf), Reference: each(theirs, rateOf), Aim: ">= 0.50",
				Note: fmt.Sprintf("%d blocks in %d rounds, reference %d in %d; 10,000 take %.1f MB", o.blocks, o.rounds, t.blocks, t.rounds, o.disk)})
			table.Add(benchtable.Row{What: fmt.Sprintf("time from a payment to its block, p50, validators: %d, of the example's", count), Unit: " ms",
				Ours: each(ours, latencyOf), Reference: each(theirs, latencyOf)})
		}
		require.NoError(b, table.Finish(os.Stdout))
	}
}

func rateOf(f benched) float64 { return f.rate }

func latencyOf(f benched) float64 { return float64(f.latency) / float64(time.Millisecond) }

// each returns one figure of each turn.
func each(turns []benched, figure func(benched) float64) (values []float64) {
	for _, f := range turns {
		values = append(values, figure(f))
	}
	return values
}

// benched holds the results of a turn.
type benched struct {
	rate    float64 // transactions in blocks per second
	latency time.Duration
	disk    float64 // MB for 10,000 transactions, on one node
	blocks  int64   // blocks that contain the transactions
	rounds  int64   // rounds of these blocks; equal to blocks if no proposer was late
}

// middle returns the turn with the median rate.
func middle(turns []benched) benched {
	return slices.SortedFunc(slices.Values(turns), func(a, b benched) int { return cmp.Compare(a.rate, b.rate) })[len(turns)/2]
}

// measure sends transactions to the nodes in turn from many clients, then some one by one, and
// watches the blocks of the first node.
func measure(b *testing.B, n *node.Node, folder string, txs [][]byte, send func(i int, raw []byte) error) (f benched) {
	const alone, clients = 40, 128
	many := txs[:len(txs)-alone]
	before, height := folderSize(b, folder), n.BlockStore().Height()
	started := time.Now()
	var work sync.WaitGroup
	for c := range clients {
		work.Go(func() {
			for i := c; i < len(many); i += clients {
				for send(i, many[i]) != nil { // the mempool is full
					time.Sleep(2 * time.Millisecond)
				}
			}
		})
	}
	first := height
	height = await(b, n, height, len(many))
	work.Wait()
	f.rate = float64(len(many)) / time.Since(started).Seconds()
	f.disk = float64(folderSize(b, folder)-before) / 1e6 * 10_000 / float64(len(many))
	for f.blocks = height - first; first < height; {
		first++
		f.rounds += int64(n.BlockStore().LoadSeenCommit(first).Round) + 1
	}
	var took []time.Duration
	for i, raw := range txs[len(many):] {
		started := time.Now()
		require.NoError(b, send(i, raw))
		height = await(b, n, height, 1)
		took = append(took, time.Since(started))
	}
	slices.Sort(took)
	f.latency = took[len(took)/2].Round(100 * time.Microsecond)
	return f
}

// await waits until the blocks after a height contain a number of transactions, and returns the
// height of the last one.
func await(b *testing.B, n *node.Node, height int64, txs int) int64 {
	deadline := time.Now().Add(10 * time.Minute)
	for txs > 0 {
		require.True(b, time.Now().Before(deadline), "%d transactions are in no block", txs)
		if n.BlockStore().Height() == height {
			time.Sleep(500 * time.Microsecond)
			continue
		}
		height++
		txs -= len(n.BlockStore().LoadBlock(height).Txs)
	}
	return height
}

func folderSize(b *testing.B, dir string) (size int64) {
	require.NoError(b, filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // the file may have been deleted meanwhile
		}
		if info, err := d.Info(); err == nil {
			size += info.Size()
		}
		return nil
	}))
	return size
}

// benchPayments sends payments with one signature each to the nodes' mempools. Like the daemon API,
// it waits until they are durable.
func benchPayments(b *testing.B, count, payments int) benched {
	w := newNetwork(b, testOptions(b), count)
	w.begin(b)
	defer func() {
		for _, v := range w.nodes {
			v.end(b)
		}
	}()
	v := w.nodes[0]
	txs := v.manyPayments(b, w, payments)
	return measure(b, v.engine.Node(), filepath.Dir(v.home), txs, func(i int, raw []byte) error { return w.nodes[i%count].send(raw) })
}

// manyPayments returns payments that do not depend on one another and spend coins in blocks.
func (v *validator) manyPayments(b *testing.B, w *network, count int) (txs [][]byte) {
	const each = 500
	key := chaintest.Key(b, 3)
	p := v.Manager.Params()
	sign := func(tx *wire.Tx, coin chaintest.Coin, height int) *wire.Tx {
		hash, err := script.SignatureHash(tx, 0, coin.Script, coin.Value, script.SigHashAll, p.BranchID(height), nil)
		require.NoError(b, err)
		tx.Inputs[0].ScriptSig = script.PushData(append(key.SignDER(hash), script.SigHashAll))
		return tx
	}
	last, change := v.premine(b), 0
	var coins []chaintest.Coin
	for len(coins) < count {
		coin := chaintest.Output(last, change)
		height := v.tip(b).Height + 1
		var outputs []wire.TxOut
		for range each {
			outputs = append(outputs, chaintest.Pay(key.PubKey(), 100_000))
		}
		outputs = append(outputs, chaintest.Pay(key.PubKey(), coin.Value-each*100_000-100_000))
		tx := sign(chaintest.Spend(p, height, []chaintest.Coin{coin}, outputs...), coin, height)
		require.NoError(b, v.send(tx.Encode()))
		for i := range each {
			coins = append(coins, chaintest.Output(tx, i))
		}
		last, change = tx, each
		w.agree(b, height)
	}
	height := v.tip(b).Height + 1
	for _, coin := range coins[:count] {
		tx := chaintest.Spend(p, height, []chaintest.Coin{coin}, chaintest.Pay(key.PubKey(), coin.Value-1_000))
		tx.ExpiryHeight = 0
		txs = append(txs, sign(tx, coin, height).Encode())
	}
	return txs
}

// benchKeys runs CometBFT's key-value example with the same settings.
func benchKeys(b *testing.B, count, keys int) benched {
	w := newNetwork(b, testOptions(b), count)
	doc, err := w.genesis.doc()
	require.NoError(b, err)
	doc.AppState, doc.ConsensusParams.Version.App = nil, 0
	var nodes []*node.Node
	for i, v := range w.nodes {
		require.NoError(b, doc.SaveAs(GenesisFile(v.home)))
		config := w.settings[i].config()
		app := kvstore.NewPersistentApplication(filepath.Join(v.home, "app"))
		n, err := open(config, abci.Application(app), logger{slog.New(slog.DiscardHandler), func(error) {}, new(atomic.Bool)}, nil)
		require.NoError(b, err)
		require.NoError(b, n.Start())
		nodes = append(nodes, n)
		defer func() { _ = closed(n) }()
	}
	var txs [][]byte
	for i := range keys {
		txs = append(txs, fmt.Appendf(nil, "k%09d=%s", i, strings.Repeat("v", 188)))
	}
	return measure(b, nodes[0], w.nodes[0].home, txs, func(i int, raw []byte) error {
		if ok := into(nodes[i%count].Mempool())(raw); !ok {
			return context.DeadlineExceeded
		}
		return nil
	})
}

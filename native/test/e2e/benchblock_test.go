package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/native/test/benchtable"
)

// perBlock is the number of transfers in a measured block.
const perBlock = 1000

// measureChain measures the memory of a node with a chain of transfers, and the duration of its
// start.
func measureChain(b *testing.B, t *benchtable.Table) {
	const transfers, starts = 16_500, 5
	before := heap()
	n := newBenchNode(b)
	bodies := n.signTransfers(newWallet(b), transfers)
	for i, body := range bodies {
		n.mustAccept(body)
		if i%perBlock == perBlock-1 || i == len(bodies)-1 {
			n.mine()
		}
	}
	bodies = nil
	var took, held []float64
	for range starts {
		n.close()
		start := time.Now()
		n.open()
		took = append(took, float64(time.Since(start))/float64(time.Millisecond))
		held = append(held, float64(heap()-before)/1e6)
	}
	t.Add(benchtable.Row{What: "memory for a chain of 16,500 transfers", Unit: " MB", Ours: held, Aim: "<= 35",
		Note: fmt.Sprintf("heap after a collection, %.0f MB of disk", float64(n.store.Size())/1e6)})
	t.Add(benchtable.Row{What: "start there", Unit: " ms", Ours: took, Aim: "<= 200"})
}

// measureBlocks measures the time to connect a block with new transfers, and a block with transfers
// that the node has already verified.
func measureBlocks(b *testing.B, t *benchtable.Table) {
	const turns = 5
	maker := newBenchNodeOn(b, true) // node to which blocks can be submitted
	var begun []string
	maker.call(&begun, "generate", 101) // so that the premine is mature
	bodies := maker.signTransfers(newWallet(b), turns*perBlock)
	other := newBenchNodeOn(b, true)
	submitted := 0
	submit := func() (took time.Duration) {
		var height int
		for maker.call(&height, "getblockcount"); submitted < height; {
			submitted++
			var raw string
			maker.call(&raw, "getblock", fmt.Sprint(submitted), 0)
			started, verdict := time.Now(), new(string)
			other.call(&verdict, "submitblock", raw)
			took = time.Since(started)
			require.True(b, verdict == nil || *verdict == "inconclusive" || *verdict == "duplicate", "block %d: %v", submitted, verdict)
		}
		return took
	}
	submit()
	var unseen, seen []time.Duration
	for range turns {
		for _, body := range bodies[:perBlock] {
			maker.mustAccept(body)
		}
		bodies = bodies[perBlock:]
		started := time.Now()
		maker.mine()
		seen = append(seen, time.Since(started))
		unseen = append(unseen, submit())
	}
	var ours, theirs string
	other.call(&theirs, "getbestblockhash")
	maker.call(&ours, "getbestblockhash")
	require.Equal(b, ours, theirs)
	t.Add(benchtable.Row{What: "a block of 1,000 transfers that the node has never seen", Unit: " ms", Ours: in(time.Millisecond, unseen), Aim: "<= 250"})
	t.Add(benchtable.Row{What: "making one of transfers from the mempool", Unit: " ms", Ours: in(time.Millisecond, seen), Aim: "<= 60"})
}

package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// perBlock is how many transfers a block has that is measured.
const perBlock = 1000

// measureBlocks measures what a block costs whose transfers a node has never seen, and one whose
// signatures it has verified before.
func measureBlocks(b *testing.B, t *table) {
	const turns = 5
	maker := newBenchNodeOn(b, true) // where blocks can be submitted
	var begun []string
	maker.call(&begun, "generate", 101) // the premine is mature then
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
	t.add("a block of 1,000 transfers that the node has never seen", median(unseen).Round(time.Millisecond).String(), "", "<= 250ms")
	t.add("making one of transfers from the mempool", median(seen).Round(time.Millisecond).String(), "", "")
}

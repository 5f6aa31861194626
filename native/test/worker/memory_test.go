package worker

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	manyOutputs = 50_000
	atATime     = 1_000     // outputs per transaction
	atABlock    = 5         // transactions per block
	allOfIt     = 128 << 20 // memory of an object
	maxMemory   = 100 << 20 // limit after a restart
)

// A chain of 50,000 token outputs fits into an object, before and after a restart.
func TestMemoryOfManyOutputs(t *testing.T) {
	t.Parallel()
	p := newPurse(t)
	n := openEdge(t).node(t, map[string]any{"passphrase": p.WIF(), "chain": map[string]any{"relayfee": 0}})
	tx, funds := p.Create(n.premine(), "MANY", manyOutputs)
	n.send(tx)
	id := tx.ID()
	for left := manyOutputs; left > 0; left -= atATime {
		tx, funds = p.Scatter(funds, id, atATime)
		n.send(tx)
		if left%(atABlock*atATime) == 0 {
			require.Eventually(t, n.isSettled, timeout, 50*time.Millisecond)
		}
	}
	held := func() (balance int) {
		var answer struct{ Balance int }
		n.call(&answer, "tokenbalance", id.String())
		return answer.Balance
	}
	require.Eventually(t, func() bool { return held() == manyOutputs }, timeout, 100*time.Millisecond)
	t.Logf("%d token outputs take %d MB", manyOutputs, n.memory()>>20)
	require.Less(t, n.memory(), allOfIt)
	n.evict()
	require.Equal(t, manyOutputs, held())
	t.Logf("%d MB after it was started again", n.memory()>>20)
	require.Less(t, n.memory(), maxMemory)
}

// isSettled reports whether the mempool is empty.
func (n *node) isSettled() bool {
	var waiting []string
	n.call(&waiting, "getrawmempool")
	return len(waiting) == 0
}

// memory returns the memory of the object's program, in bytes.
func (n *node) memory() int {
	n.t.Helper()
	_, answer := n.do("/__memory", nil)
	bytes, err := strconv.Atoi(string(answer))
	require.NoError(n.t, err)
	return bytes
}

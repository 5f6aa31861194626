package worker

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// An object that was evicted while a transaction was pending must be started by its alarm, without
// a request, and make the block.
func TestAlarm(t *testing.T) {
	t.Parallel()
	n := openEdge(t).node(t, map[string]any{"passphrase": "a node that is woken", "chain": map[string]any{"blockinterval": 3600}})
	create := func(name string) {
		var created struct{ Hex string }
		n.call(&created, "tokencreate", name, "10", "")
		var id string
		n.call(&id, "sendrawtransaction", created.Hex)
	}
	blocks := func() (count int) {
		n.call(&count, "getblockcount")
		return count
	}
	create("FIRST")
	require.Eventually(t, func() bool { return blocks() == 2 }, timeout, 10*time.Millisecond)
	create("SECOND")
	require.Equal(t, 2, blocks(), "it waits for the next hour")
	n.configure(map[string]any{"passphrase": "a node that is woken", "chain": map[string]any{"blockinterval": 0}})
	n.evict()
	running := func() string {
		_, answer := n.do("/__running", nil)
		return string(answer)
	}
	require.Equal(t, "false", running(), "a look does not start it")
	require.Eventually(t, func() bool { return running() == "true" }, timeout, time.Second)
	require.Eventually(t, func() bool { return blocks() == 3 }, timeout, 100*time.Millisecond)
}

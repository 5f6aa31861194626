package worker

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/wire"
	"obverse/core/config"
)

const (
	evictions    = 50
	crashClients = 6   // number of clients of a crash test
	perClient    = 100 // payments that a client prepares, more than a node accepts until it ends
	clientCoins  = 10_000_000_000
	clientTokens = 1_000_000
)

// payment is a signed transaction of a client.
type payment struct {
	id     string
	body   []byte
	tokens int64
}

// client signs and sends payments in order. Each spends the change of the one before, so a lost
// payment makes the next one fail.
type client struct {
	from   chaintest.Funds // funds of the next payment
	queue  []payment
	next   int           // index of the first payment that is not acknowledged
	count  *atomic.Int64 // number of acknowledged payments of all clients
	doubt  bool          // whether that payment was in flight when the object ended
	paid   int64         // tokens of the acknowledged payments
	failed error
}

// crash is a node that is killed repeatedly, with the transactions that it must not lose.
type crash struct {
	*node
	t       *testing.T
	wallet  *chaintest.Wallet
	token   wire.Hash
	clients []*client
	count   atomic.Int64 // number of acknowledged payments
}

// newPurse returns the wallet of the key K1, for the default chain of a node.
func newPurse(t *testing.T) *chaintest.Wallet {
	t.Helper()
	return chaintest.NewWallet(t, chaintest.Key(t, 1), config.Default().Chain.Options)
}

// premine returns the coin that block 1 pays to the node's key.
func (n *node) premine() chaintest.Coin {
	n.t.Helper()
	var block string
	n.call(&block, "getblock", "1", 0)
	return chaintest.Premine(n.t, block)
}

func (n *node) send(tx *wire.Tx) {
	n.t.Helper()
	var id string
	n.call(&id, "sendrawtransaction", hex.EncodeToString(tx.Encode()))
}

func newCrash(t *testing.T, e *edge) *crash {
	t.Helper()
	p := newPurse(t)
	c := &crash{node: e.node(t, map[string]any{"passphrase": p.WIF()}), t: t, wallet: p}
	txs, funded := p.Fund(c.premine(), crashClients, clientCoins, clientTokens)
	for _, tx := range txs {
		c.send(tx)
	}
	c.token = txs[1].ID()
	for _, from := range funded {
		c.clients = append(c.clients, &client{from: from, count: &c.count})
	}
	return c
}

// fill signs token payments until a client has enough.
func (c *crash) fill(l *client) {
	to := chaintest.Key(c.t, 2)
	for len(l.queue) < l.next+perClient {
		amount := int64(1 + len(l.queue)%9)
		var tx *wire.Tx
		tx, l.from = c.wallet.Transfer(l.from, c.token, to, amount)
		l.queue = append(l.queue, payment{tx.ID().String(), request(c.t, "sendrawtransaction", hex.EncodeToString(tx.Encode())), amount})
	}
}

// run sends payments until one gets no response or the load ends.
func (l *client) run(n *node, over *atomic.Bool) {
	for l.next < len(l.queue) && l.failed == nil && !over.Load() {
		p := l.queue[l.next]
		response, answer, err := n.try(http.MethodPost, "/daemon", p.body, basic(daemonUser, daemonPassword))
		var reply struct {
			Result json.RawMessage
			Error  *struct{ Code int }
		}
		if err != nil || response.Header.Get("Content-Type") != "application/json" || json.Unmarshal(answer, &reply) != nil || reply.Result == nil && reply.Error == nil {
			l.doubt = true
			return
		}
		l.accept(p, string(reply.Result), reply.Error != nil && reply.Error.Code == alreadyInChain, answer)
	}
}

// alreadyInChain is komodod's code for a transaction that is already in the chain.
const alreadyInChain = -27

// accept counts an acknowledged payment.
func (l *client) accept(p payment, result string, already bool, answer []byte) {
	if result != strconv.Quote(p.id) && !(already && l.doubt) {
		l.failed = fmt.Errorf("payment %s is answered %s", p.id, answer)
		return
	}
	l.doubt = false
	l.next++
	l.paid += p.tokens
	l.count.Add(1)
}

// load runs all clients and ends the node meanwhile.
func (c *crash) load(end func()) {
	c.t.Helper()
	for _, l := range c.clients {
		c.fill(l)
	}
	var all sync.WaitGroup
	var over atomic.Bool // a client continues if its payment reached the object after the restart
	for _, l := range c.clients {
		all.Go(func() { l.run(c.node, &over) })
	}
	end()
	over.Store(true)
	all.Wait()
	for i, l := range c.clients {
		require.NoError(c.t, l.failed, "client %d", i)
		require.Less(c.t, l.next, len(l.queue), "the load is over before the end of the node")
	}
}

// requireKnown queries each acknowledged transaction.
func (c *crash) requireKnown() (acknowledged int) {
	c.t.Helper()
	var ids []string
	for _, l := range c.clients {
		for _, p := range l.queue[:l.next] {
			ids = append(ids, p.id)
		}
	}
	for chunk := range slices.Chunk(ids, 100) {
		calls := make([]json.RawMessage, len(chunk))
		for i, id := range chunk {
			calls[i] = request(c.t, "getrawtransaction", id)
		}
		_, answer := c.daemon(toJSON(c.t, calls))
		var replies []struct{ Error *struct{ Message string } }
		require.NoError(c.t, json.Unmarshal(answer, &replies), "%.300s", answer)
		require.Len(c.t, replies, len(chunk))
		for i, r := range replies {
			require.Nil(c.t, r.Error, "%s was acknowledged and is lost", chunk[i])
		}
	}
	return len(ids)
}

// settle sends the payments in flight again, waits for the blocks, and compares the sums.
func (c *crash) settle() {
	c.t.Helper()
	var sum int64
	for _, l := range c.clients {
		if l.doubt {
			whole := l.queue
			l.queue = whole[:l.next+1]
			l.run(c.node, new(atomic.Bool))
			require.NoError(c.t, l.failed)
			require.False(c.t, l.doubt)
			l.queue = whole
		}
		sum += l.paid
	}
	require.Eventually(c.t, c.isSettled, timeout, 50*time.Millisecond)
	var balance struct{ Balance int64 }
	to := chaintest.Key(c.t, 2).PublicKey()
	c.call(&balance, "tokenbalance", c.token.String(), hex.EncodeToString(to[:]))
	require.Equal(c.t, sum, balance.Balance)
}

// TestKill ends the object repeatedly under load, at last by killing workerd, and queries all
// acknowledged transactions each time.
func TestKill(t *testing.T) {
	t.Parallel()
	e := openSeparateEdge(t) // a separate one, since the test kills it
	c := newCrash(t, e)
	pause := func() { time.Sleep(time.Duration(rand.IntN(150)) * time.Millisecond) }
	for range evictions {
		c.load(func() {
			pause()
			c.evict()
		})
		c.requireKnown()
	}
	c.settle()
	before := c.requireKnown()
	c.load(func() {
		before := c.count.Load()
		for end := time.Now().Add(timeout); c.count.Load() < before+10 && time.Now().Before(end); {
			time.Sleep(10 * time.Millisecond)
		}
		e.kill()
	})
	e.close()
	c.edge = startEdge(t, e.folder, e.nodes)
	t.Cleanup(c.edge.close)
	after := c.requireKnown()
	c.settle()
	require.Greater(t, before, evictions, "the load is no load")
	require.Greater(t, after, before)
	t.Logf("%d transactions were acknowledged, %d of them before workerd was killed; none is lost", after, before)
}

// kill sends SIGKILL to workerd.
func (e *edge) kill() {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%[1]d/task/%[1]d/children", e.cmd.Process.Pid))
	if err != nil {
		panic(err)
	}
	for _, child := range strings.Fields(string(text)) {
		pid, err := strconv.Atoi(child)
		if err == nil {
			err = syscall.Kill(pid, syscall.SIGKILL)
		}
		if err != nil {
			panic(err)
		}
	}
}

package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/wire"
)

// TestKill kills a node repeatedly under load, and checks after each kill that all acknowledged
// transactions exist.
//
// The kernel keeps the data that a killed process has written, so this test cannot detect a missing
// sync. It checks that a transaction is written before it is acknowledged, that a truncated batch
// does not prevent a start, and that the mempool, the indexes and a block are consistent after a
// kill at any time. The tests of package bunt simulate power cuts at every write and count syncs.
//
// OBVERSE_KILLS is the number of kills, and OBVERSE_SEED repeats the random choices of a run. With
// OBVERSE_COMPACT, a pause such as 300ms, about half of the nodes compact their store with that
// pause between compactions.
func TestKill(t *testing.T) {
	t.Parallel()
	kills := fromEnv(t, "OBVERSE_KILLS", 20)
	seed := fromEnv(t, "OBVERSE_SEED", int(time.Now().UnixNano()))
	t.Logf("%d kills, OBVERSE_SEED=%d", kills, seed)
	for done := 0; done < kills; done += killsOfAChain {
		t.Run(fmt.Sprintf("from kill %d", done+1), func(t *testing.T) {
			testKills(t, min(killsOfAChain, kills-done), uint64(seed+done))
		})
	}
}

// killsOfAChain is the number of kills after which a test uses a new store. The store grows with
// each kill, and with it the duration of a start.
const killsOfAChain = 50

func testKills(t *testing.T, kills int, seed uint64) {
	c := newCrash(t, seed)
	for range kills {
		c.round()
	}
	c.settle()
	t.Logf("%d transactions were acknowledged, none is lost; %d were in flight at a kill; %d kills of nodes that compact, after %d compactions",
		c.acknowledged, c.inFlight, c.compacting, c.compactions)
	require.Greater(t, c.acknowledged, kills, "the load is no load")
}

func fromEnv(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, name)
	return n
}

// Number of clients of a crash test, with one connection each.
const crashClients = 12

// crash is a node that is killed repeatedly, with the transactions that it must not lose.
type crash struct {
	t      *testing.T
	random *rand.Rand
	wallet *chaintest.Wallet
	launch launch
	node   *node
	token  wire.Hash
	funds  []*traffic

	acknowledged int
	inFlight     int
	compacting   int // kills of nodes that compact their store
	compactions  int
	recent       []string // ids to query after the next kills
}

// payment is a signed transaction with its effects once it is in the chain.
type payment struct {
	id     string
	body   []byte
	coins  int64 // coins that the other key receives
	tokens int64
	makes  bool // whether it creates a token
}

// traffic is a client with its payments in order.
type traffic struct {
	funds  chaintest.Funds
	queue  []payment
	next   int  // index of the first payment that is not acknowledged
	doubt  bool // whether that payment was in flight when the node was killed
	made   int
	tokens int64 // tokens that its acknowledged payments transferred
	coins  int64
	ids    []string // ids of the tokens that it created
	failed error
}

func newCrash(t *testing.T, seed uint64) *crash {
	c := &crash{t: t, random: rand.New(rand.NewPCG(seed, 0)), wallet: newWallet(t), launch: newLaunch(t)}
	c.node = c.launch.start(t, "chain.blockinterval=0")
	txs, funds := c.wallet.Fund(c.node.premine(), crashClients, 10_000_000_000, 1_000_000)
	for _, tx := range txs {
		require.Equal(t, tx.ID().String(), c.node.send(encoded(tx)))
	}
	c.token = txs[1].ID()
	for _, l := range funds {
		c.funds = append(c.funds, &traffic{funds: l})
	}
	c.node.waitConfirmed()
	return c
}

// round runs a load on the node, kills it, starts it again and checks the transactions.
func (c *crash) round() {
	c.t.Helper()
	for i, l := range c.funds {
		c.sign(i, l)
	}
	var load sync.WaitGroup
	for _, l := range c.funds {
		load.Go(func() { l.run(c.node.client) })
	}
	time.Sleep(time.Duration(c.random.IntN(400)) * time.Millisecond)
	c.node.kill()
	if c.launch.program != "" {
		c.compacting++
		c.compactions += strings.Count(c.node.stderr.text(), "compacted the store")
	}
	load.Wait()
	for i, l := range c.funds {
		require.NoError(c.t, l.failed, "client %d", i)
		c.count(l)
	}
	if c.launch.program = ""; c.random.IntN(2) == 0 {
		c.launch.program = compacting
	}
	interval := []string{"0", "0.05", "0.5", "2"}[c.random.IntN(4)]
	if c.random.IntN(3) == 0 { // also kills the node during its start
		starting := c.launch.begin(c.t)
		time.Sleep(time.Duration(c.random.IntN(100)) * time.Millisecond)
		starting.kill()
	}
	c.node = c.launch.start(c.t, "chain.blockinterval="+interval)
	c.node.requireReady()
	c.requireKnown()
	if c.random.IntN(2) == 0 {
		c.settle()
	}
}

// perRound is the number of payments that a client prepares for a round. It is usually more than a
// node accepts until it is killed.
const perRound = 60

// sign fills the queue of a client. Every tenth payment of a client with an odd number creates a
// token.
func (c *crash) sign(number int, l *traffic) {
	for len(l.queue) < perRound {
		var tx *wire.Tx
		var p payment
		l.made++
		amount := int64(1000 + c.random.IntN(1000))
		switch {
		case number%2 == 0:
			p.tokens = 1 + amount%9
			tx, l.funds = c.wallet.Transfer(l.funds, c.token, other(c.t), p.tokens)
		case l.made%10 == 0:
			p.makes = true
			var left chaintest.Funds
			tx, left = c.wallet.Create(l.funds.Coin, fmt.Sprintf("L%dN%d", number, l.made), 100)
			l.funds.Coin = left.Coin
		default:
			p.coins = amount
			tx, l.funds = c.wallet.Pay(l.funds, other(c.t), p.coins)
		}
		p.id, p.body = tx.ID().String(), request("sendrawtransaction", encoded(tx))
		l.queue = append(l.queue, p)
	}
}

// run sends payments until the connection is lost.
func (l *traffic) run(c *client) {
	for l.next < len(l.queue) {
		p := &l.queue[l.next]
		r, err := c.try(p.body)
		if err != nil {
			l.doubt = true
			return
		}
		if l.failed = l.accept(p, r); l.failed != nil {
			return
		}
	}
}

// alreadyInChain is komodod's code for a transaction that is already in the chain.
const alreadyInChain = -27

// accept counts an acknowledged payment.
func (l *traffic) accept(p *payment, r reply) error {
	known := l.doubt && r.Error != nil && r.Error.Code == alreadyInChain
	if !known && (r.Error != nil || string(r.Result) != strconv.Quote(p.id)) {
		return fmt.Errorf("payment %s is answered %s, %v", p.id, r.Result, r.Error)
	}
	l.doubt = false
	l.next++
	l.tokens += p.tokens
	l.coins += p.coins
	if p.makes {
		l.ids = append(l.ids, p.id)
	}
	return nil
}

// count adds the acknowledged payments of a client in a round to the sums.
func (c *crash) count(l *traffic) {
	for _, p := range l.queue[:l.next] {
		c.recent = append(c.recent, p.id)
	}
	c.acknowledged += l.next
	l.queue, l.next = l.queue[l.next:], 0
	if l.doubt {
		c.inFlight++
	}
}

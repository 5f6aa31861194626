package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/store"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/node"
)

func parse(t testing.TB, text string) address.Address {
	t.Helper()
	a, err := address.Parse(text)
	require.NoError(t, err)
	return a
}

const (
	addressText = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	otherText   = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"
	tokenText   = "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB"
	spamText    = "0x52908400098527886E0F7030069857D2E4169EE7"
)

// chain is a network in memory with at most one transaction in a block.
type chain struct {
	mu        sync.Mutex
	blocks    map[uint64]string // hashes
	txs       []node.Mined
	newest    uint64
	nonce     uint64
	waiting   map[string]bool
	maxBlocks uint64 // maximum number of blocks in a query; 0 means any
	pruned    uint64 // lowest block with logs
	flood     uint64 // block for which the answer is too large
	queries   []string
	bulk      int // number of transfers in an answer about transactions; 0 means any
	fails     error
	logs      error // error of queries for logs
}

func newChain(newest uint64) *chain {
	c := &chain{blocks: map[uint64]string{}, newest: newest, waiting: map[string]bool{}}
	for h := range newest + 1 {
		c.blocks[h] = hash(fmt.Sprint("block", h))
	}
	return c
}

func hash(text string) string {
	sum := address.Keccak([]byte(text))
	return fmt.Sprintf("%x", sum)
}

// put adds a transaction to a block.
func (c *chain) put(height uint64, name string, m node.Mined) string {
	m.Hash, m.Height, m.Block = hash(name), height, c.blocks[height]
	for _, n := range []**big.Int{&m.Value, &m.Fee, &m.Price} {
		if *n == nil {
			*n = new(big.Int)
		}
	}
	c.txs = append(c.txs, m)
	return m.Hash
}

func (c *chain) Height(context.Context) (uint64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.newest, c.fails
}

func (c *chain) Transfers(_ context.Context, contracts []address.Address, of address.Address, from, to uint64) (refs []Reference, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queries = append(c.queries, fmt.Sprintf("%d-%d", from, to))
	if c.maxBlocks > 0 && to-from >= c.maxBlocks || from < c.pruned {
		return nil, &nodepool.RPCError{Code: -32005, Message: "range is too large"}
	}
	if c.flood > 0 && from <= c.flood && c.flood <= to {
		return nil, fetch.ErrTooLarge
	}
	for _, tx := range c.txs {
		for _, m := range tx.Moves {
			if tx.Height >= from && tx.Height <= to && (m.From == of || m.To == of) && m.Contract == contracts[0] {
				refs = append(refs, Reference{Hash: tx.Hash, Height: tx.Height})
			}
		}
	}
	return refs, cmp.Or(c.logs, c.fails)
}

func (c *chain) AllTransfers(ctx context.Context, contracts []address.Address, of address.Address, from, to uint64) ([]Reference, error) {
	return c.Transfers(ctx, contracts, of, from, to)
}

func (c *chain) Mined(_ context.Context, hashes []string) (found Lookup, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	moves := 0
	for _, h := range hashes {
		for _, tx := range c.txs {
			if tx.Hash == h {
				if moves += len(tx.Moves); c.bulk > 0 && moves > c.bulk {
					return found, fetch.ErrTooLarge
				}
				found.Mined = append(found.Mined, tx)
			}
		}
	}
	return found, c.fails
}

func (c *chain) Blocks(_ context.Context, heights []uint64) (map[uint64]Block, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	blocks := map[uint64]Block{}
	for _, h := range heights {
		if name, is := c.blocks[h]; is {
			blocks[h] = Block{Hash: name, Time: int64(1_800_000_000 + h)}
		}
	}
	return blocks, false, c.fails
}

func (c *chain) Nonce(context.Context, address.Address) (uint64, error) { return c.nonce, nil }

func (c *chain) Knows(_ context.Context, h [32]byte) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waiting[fmt.Sprintf("%x", h)], nil
}

func open(t testing.TB, kv store.KV, c *chain, indexer Lists) *Log {
	t.Helper()
	l := New(Config{Store: kv, Source: c, Chain: 1, Address: parse(t, addressText), Now: time.Now, Indexer: indexer,
		Contracts: func() []address.Address { return []address.Address{parse(t, tokenText)} }})
	l.pause = 0
	return l
}

var (
	eth   = Asset{Ticker: "ETH", Decimals: 18}
	views = []View{{Asset: eth, Platform: eth}, {Asset: Asset{Ticker: "T", Denom: strings.ToLower(tokenText), Decimals: 2}, Platform: eth}}
)

// rows returns the listed entries of a coin: height, kind, change and id.
func rows(t testing.TB, l *Log, v View) (list []string) {
	t.Helper()
	h, err := l.History(t.Context(), v, coin.HistoryQuery{Limit: 100, Page: 1})
	require.NoError(t, err)
	require.Equal(t, len(h.Transactions), h.Total)
	for _, tx := range h.Transactions {
		list = append(list, fmt.Sprint(tx.Height, " ", tx.Kind, " ", tx.Received.Sub(tx.Spent)))
	}
	return list
}

func (c *chain) token(t testing.TB, from, to string, units int64) node.Move {
	return node.Move{Contract: parse(t, tokenText), From: parse(t, from), To: parse(t, to), Units: big.NewInt(units)}
}

// TestScan checks that transfers are found back to the first block, regardless of the range
// that nodes accept.
func TestScan(t *testing.T) {
	for _, most := range []uint64{0, 5000, 700, 16, 5} {
		c := newChain(12_000)
		c.maxBlocks = most
		addr, other := parse(t, addressText), parse(t, otherText)
		c.put(3, "a", node.Mined{From: other, To: &addr, Moves: []node.Move{c.token(t, otherText, addressText, 150)}})
		c.put(6_000, "b", node.Mined{From: addr, Fee: big.NewInt(1e15), Moves: []node.Move{c.token(t, addressText, otherText, 25), c.token(t, addressText, tokenText, 5)}})
		c.put(11_999, "c", node.Mined{From: other, Moves: []node.Move{c.token(t, addressText, addressText, 7)}})
		l := open(t, bunttest.Memory(t), c, nil)
		found, err := l.load(t.Context())
		require.NoError(t, err)
		require.True(t, found)
		require.Equal(t, []string{"11999 TokenTransfer 0", "6000 TokenTransfer -0.3", "3 TokenTransfer 1.5"}, rows(t, l, views[1]))
		require.Equal(t, []string{"6000 FeeForTokenTx -0.001"}, rows(t, l, views[0]))
		require.Equal(t, coin.SyncFinished, l.Status().State)
		c.queries = nil
		found, err = l.load(t.Context())
		require.NoError(t, err)
		require.False(t, found)
		require.LessOrEqual(t, len(c.queries), map[bool]int{true: 50, false: 9}[most == 5], "only what may have been replaced")
	}
}

// TestScanOfUnreachableNodes checks that the range is not reduced because nodes are
// unreachable.
func TestScanOfUnreachableNodes(t *testing.T) {
	c := newChain(10_000)
	c.logs = &nodepool.UnreachableError{Attempts: []nodepool.Attempt{{URL: "https://a.example", Err: fetch.ErrUnreachable}}}
	l := open(t, bunttest.Memory(t), c, nil)
	_, err := l.load(t.Context())
	require.ErrorIs(t, err, fetch.ErrUnreachable)
	require.Len(t, c.queries, 1)
	require.EqualValues(t, firstSpan, l.span)
	c.logs = &nodepool.UnreachableError{Attempts: []nodepool.Attempt{{URL: "https://a.example", Err: &nodepool.StatusError{Status: 413}}, {URL: "https://b.example", Err: fetch.ErrUnreachable}}}
	_, err = l.load(t.Context())
	require.Error(t, err)
	require.Greater(t, len(c.queries), 2, "one of them may have refused the range")
}

// TestScanOfPrunedNodes checks that the search ends where nodes have no older logs, and that
// the answer reports where the list begins.
func TestScanOfPrunedNodes(t *testing.T) {
	c := newChain(10_000)
	c.pruned = 9_000
	own := parse(t, addressText)
	c.put(9_500, "a", node.Mined{From: own, Moves: []node.Move{c.token(t, addressText, otherText, 5)}})
	l := open(t, bunttest.Memory(t), c, nil)
	_, err := l.load(t.Context())
	require.NoError(t, err)
	_, begins := l.Loaded()
	require.GreaterOrEqual(t, begins, uint64(9_000))
	require.Less(t, begins, uint64(9_000+minSpan))
	require.Len(t, rows(t, l, views[1]), 1)
}

// reasonsOf returns the reasons why a coin's list may lack transactions.
func reasonsOf(t testing.TB, l *Log, v View) (list []coin.GapReason) {
	t.Helper()
	h, err := l.History(t.Context(), v, coin.HistoryQuery{Limit: 100, Page: 1})
	require.NoError(t, err)
	for _, g := range h.Gaps {
		list = append(list, g.Reason)
	}
	return list
}

// TestFloodedBlock checks that a block with more transfers than an answer may have does not
// exclude transfers of other blocks.
func TestFloodedBlock(t *testing.T) {
	for _, flood := range []uint64{9_999, 4_000} { // a new block and an old one
		c := newChain(10_000)
		c.flood = flood
		for _, height := range []uint64{100, 3_990, 4_001, 9_990, 10_000} {
			c.put(height, fmt.Sprint(height), node.Mined{Moves: []node.Move{c.token(t, otherText, addressText, 5)}})
		}
		l := open(t, bunttest.Memory(t), c, nil)
		require.Equal(t, []coin.GapReason{coin.GapInProgress}, reasonsOf(t, l, views[1]))
		_, err := l.load(t.Context())
		require.NoError(t, err)
		require.Len(t, rows(t, l, views[1]), 5)
		require.Equal(t, []coin.GapReason{coin.GapTooMany}, reasonsOf(t, l, views[1]))
		require.LessOrEqual(t, len(c.queries), 60, "the range grows again behind the block")
	}
}

// TestBulkyTransactions checks that transactions that are too large for one answer are read in
// several, and that a single transaction that is too large does not exclude others.
func TestBulkyTransactions(t *testing.T) {
	c := newChain(1_000)
	c.bulk = 30
	for height := range uint64(120) {
		moves := slices.Repeat([]node.Move{c.token(t, otherText, addressText, 1)}, int(height%20)+1)
		if height == 77 {
			moves = slices.Repeat(moves, 10)
		}
		c.put(height+800, fmt.Sprint(height), node.Mined{Moves: moves})
	}
	l := open(t, bunttest.Memory(t), c, nil)
	_, err := l.load(t.Context())
	require.NoError(t, err)
	h, err := l.History(t.Context(), views[1], coin.HistoryQuery{Limit: 200, Page: 1})
	require.NoError(t, err)
	require.Len(t, h.Transactions, 119)
	require.Equal(t, []coin.GapReason{coin.GapTooMany}, reasonsOf(t, l, views[1]))
}

// TestGaps checks that a list that may lack transactions reports the reason.
func TestGaps(t *testing.T) {
	c := newChain(100)
	l := open(t, bunttest.Memory(t), c, nil)
	_, err := l.load(t.Context())
	require.NoError(t, err)
	require.Empty(t, reasonsOf(t, l, views[1]))
	require.Equal(t, []coin.GapReason{coin.GapNoIndexer}, reasonsOf(t, l, views[0]), "what others sent of the network's coin")
	l.Set(coin.SyncStatus{State: coin.SyncFailed, Message: "all down"})
	require.Equal(t, []coin.GapReason{coin.GapNoAnswer}, reasonsOf(t, l, views[1]))
	x := &index{}
	l = open(t, bunttest.Memory(t), c, x)
	_, err = l.load(t.Context())
	require.NoError(t, err)
	require.Empty(t, reasonsOf(t, l, views[0]))
	x.cut = true
	_, err = l.load(t.Context())
	require.NoError(t, err)
	require.Equal(t, []coin.GapReason{coin.GapTooMany}, reasonsOf(t, l, views[0]))
	x.cut, x.invalid = false, "transaction hash is \"x\""
	l = open(t, bunttest.Memory(t), c, x)
	_, err = l.load(t.Context())
	require.NoError(t, err)
	require.Equal(t, []coin.GapReason{coin.GapNoAnswer}, reasonsOf(t, l, views[0]))
	pruned := newChain(10_000)
	pruned.pruned = 9_000
	l = open(t, bunttest.Memory(t), pruned, nil)
	_, err = l.load(t.Context())
	require.NoError(t, err)
	require.Equal(t, []coin.GapReason{coin.GapNoLogs}, reasonsOf(t, l, views[1]))
}

// TestScanGoesOn checks that a kill loses nothing that was stored, and that other failures are
// returned.
func TestScanGoesOn(t *testing.T) {
	c, kv := newChain(20_000), bunttest.Memory(t)
	own := parse(t, addressText)
	for h := uint64(100); h < 20_000; h += 500 {
		c.put(h, fmt.Sprint(h), node.Mined{From: own, Moves: []node.Move{c.token(t, addressText, otherText, 1)}})
	}
	down := errors.New("all down")
	for n := range 40 {
		l := open(t, kv, c, nil)
		ctx, cancel := context.WithCancel(t.Context())
		if n%2 == 0 {
			c.fails = down
			_, err := l.load(ctx)
			require.ErrorIs(t, err, down)
			c.fails = nil
		} else {
			l.maxSpan, l.span = 1000, 1000
			time.AfterFunc(time.Millisecond, cancel)
			_, _ = l.load(ctx)
		}
		cancel()
	}
	l := open(t, kv, c, nil)
	_, err := l.load(t.Context())
	require.NoError(t, err)
	require.Len(t, rows(t, l, views[1]), 40)
}

// TestSent checks that a transaction that this node sent is listed once it is in a block, and
// is not listed if it never will be.
func TestSent(t *testing.T) {
	c := newChain(100)
	own, other := parse(t, addressText), parse(t, otherText)
	l := open(t, bunttest.Memory(t), c, nil)
	sent := c.put(50, "sent", node.Mined{From: own, To: &other, Value: big.NewInt(5e17), Fee: big.NewInt(1e15), Gas: 21_000, Price: big.NewInt(47e9)})
	c.waiting[hash("pending")] = true
	for i, name := range []string{sent, hash("pending"), hash("replaced")} {
		require.NoError(t, l.Sent(t.Context(), [32]byte(unhex(t, name)), uint64(i)))
	}
	c.nonce = 3
	var reported []coin.Transaction
	defer l.Watch(views[0], func(tx coin.Transaction, _ uint64) { reported = append(reported, tx) })()
	_, err := l.load(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"50 StandardTransfer -0.501"}, rows(t, l, views[0]))
	require.Len(t, reported, 1)
	require.Equal(t, sent, reported[0].ID)
	require.Equal(t, "0.001 21000 0.000000047", fmt.Sprint(reported[0].Fee.Amount, " ", reported[0].Fee.GasLimit, " ", reported[0].Fee.GasPrice))
	c.put(60, "pending", node.Mined{From: own, To: &other, Value: big.NewInt(1e17)})
	c.put(61, "replaced", node.Mined{From: own, To: &other, Value: big.NewInt(1)})
	_, err = l.load(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"60 StandardTransfer -0.1", "50 StandardTransfer -0.501"}, rows(t, l, views[0]))
	require.Len(t, reported, 2)
}

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	var b []byte
	_, err := fmt.Sscanf(text, "%x", &b)
	require.NoError(t, err)
	return b
}

// TestReorganisation checks that transactions of a block that was replaced are removed, and
// that those in the new block are listed there.
func TestReorganisation(t *testing.T) {
	c := newChain(1000)
	own, other := parse(t, addressText), parse(t, otherText)
	c.put(500, "old", node.Mined{From: own, Moves: []node.Move{c.token(t, addressText, otherText, 1)}})
	c.put(990, "gone", node.Mined{From: own, Moves: []node.Move{c.token(t, addressText, otherText, 2)}})
	c.put(991, "moved", node.Mined{From: other, Moves: []node.Move{c.token(t, otherText, addressText, 3)}})
	l := open(t, bunttest.Memory(t), c, nil)
	_, err := l.load(t.Context())
	require.NoError(t, err)
	require.Len(t, rows(t, l, views[1]), 3)
	c.mu.Lock()
	c.txs = c.txs[:1]
	for h := uint64(985); h <= 1001; h++ {
		c.blocks[h] = hash(fmt.Sprint("other", h))
	}
	c.newest = 1001
	c.mu.Unlock()
	c.put(993, "moved", node.Mined{From: other, Moves: []node.Move{c.token(t, otherText, addressText, 3)}})
	c.put(986, "new", node.Mined{From: other, Moves: []node.Move{c.token(t, otherText, addressText, 4)}})
	found, err := l.load(t.Context())
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, []string{"993 TokenTransfer 0.03", "986 TokenTransfer 0.04", "500 TokenTransfer -0.01"}, rows(t, l, views[1]))
}

// TestNodesThatDisagree checks that nothing is stored while a node has another block than the
// receipt, because it is behind.
func TestNodesThatDisagree(t *testing.T) {
	c := newChain(100)
	c.put(50, "a", node.Mined{From: parse(t, addressText), Moves: []node.Move{c.token(t, addressText, otherText, 1)}})
	c.txs[0].Block = hash("another")
	l := open(t, bunttest.Memory(t), c, nil)
	_, err := l.load(t.Context())
	require.ErrorIs(t, err, errBehind)
	require.Empty(t, rows(t, l, views[1]))
}

// index is an indexer in memory, with two items on a page.
type index struct {
	hashes  []string
	pages   int
	cut     bool
	invalid string
	fails   error
}

func (*index) Names() []string { return []string{"all"} }

func (x *index) Page(_ context.Context, _, page string) (part Part, err error) {
	x.pages++
	from := 0
	_, _ = fmt.Sscan(page, &from) // "" means the first page
	for _, h := range x.hashes[from:min(from+2, len(x.hashes))] {
		part.Refs = append(part.Refs, Reference{Hash: h})
	}
	if from+2 < len(x.hashes) {
		part.Next = fmt.Sprint(from + 2)
	}
	part.Cut, part.Invalid = x.cut, x.invalid
	return part, x.fails
}

// TestIndex checks that an indexer's list is read to its end once, and that its transactions
// are queried from the nodes.
func TestIndex(t *testing.T) {
	c := newChain(1000)
	own, other, spam := parse(t, addressText), parse(t, otherText), parse(t, spamText)
	x := &index{}
	add := func(height uint64, m node.Mined) {
		x.hashes = append([]string{c.put(height, fmt.Sprint("tx", height), m)}, x.hashes...)
	}
	add(10, node.Mined{From: other, To: &own, Value: big.NewInt(2e18), Fee: big.NewInt(5)})
	add(11, node.Mined{From: own, To: &other, Value: big.NewInt(1e18), Fee: big.NewInt(1e15)})
	add(12, node.Mined{From: own, To: &other, Value: big.NewInt(1e18), Fee: big.NewInt(2e15), Failed: true})
	add(13, node.Mined{From: other, To: &spam, Value: big.NewInt(9)}) // not a transaction of the address
	add(14, node.Mined{From: own, To: &own, Value: big.NewInt(7), Fee: big.NewInt(1e15)})
	x.hashes = append(x.hashes, hash("nowhere"))
	l := open(t, bunttest.Memory(t), c, x)
	_, err := l.load(t.Context())
	require.NoError(t, err)
	want := []string{"14 StandardTransfer -0.001", "12 FeeForTokenTx -0.002", "11 StandardTransfer -1.001", "10 StandardTransfer 2"}
	require.Equal(t, want, rows(t, l, views[0]))
	require.Equal(t, 3, x.pages)
	require.Empty(t, c.queries, "no logs are read")
	add(20, node.Mined{From: other, To: &own, Value: big.NewInt(1e18)})
	_, err = l.load(t.Context())
	require.NoError(t, err)
	require.Equal(t, append([]string{"20 StandardTransfer 1"}, want...), rows(t, l, views[0]))
	require.Equal(t, 4, x.pages, "as far as what is known")
	x.fails = errors.New("limit reached")
	_, err = l.load(t.Context())
	require.EqualError(t, err, "indexer: limit reached")
	require.Len(t, rows(t, l, views[0]), 5)
}

package cometbft

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/engine"
	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/wire"
	"obverse/core/daemon/daemontest"
)

// played is a network on which a recorded session is played. The chain has the recorded blocks up
// to a height, at which it is handed over to validators. The calls are sent to the nodes in turn.
type played struct {
	*network
	t      *testing.T
	from   int // the last recorded block
	height int
	turn   int
	key    int
}

// parts lists the parts of a recorded session between which the chain can be handed over. A
// validators' block has another coinbase than the recorded block in its place. A part therefore
// ends before a recorded transaction that spends such a coinbase. It also ends before a block
// without transactions, which validators do not make.
var parts = []struct {
	from, to int
	others   string // a method with results that contain the balance of the recorded miner
}{{18, 24, ""}, {1, 1, ""}, {2, 2, ""}, {3, 3, ""}, {4, 5, "tokenaddress"}, {6, 7, ""}, {8, 12, ""},
	{13, 13, ""}, {14, 14, ""}, {15, 17, ""}}

// TestRecordedSession plays a recorded session of komodod on four validators in turn. The recorded
// transactions are in blocks of the validators, one in each, as in the recording.
func TestRecordedSession(t *testing.T) {
	list := parts
	if testing.Short() {
		list = parts[:1]
	}
	equal, skipped := 0, map[string]int{}
	for _, part := range list {
		t.Run(fmt.Sprintf("blocks %d to %d", part.from, part.to), func(t *testing.T) {
			p := &played{from: part.from}
			session := daemontest.Part{Folder: filepath.Join("..", "..", "core", "daemon", "testdata", "komodod", "regtest-v4"),
				From: part.from, To: part.to, Skip: []string{"getinfo", "getblockchaininfo", "getnetworkinfo", "getmininginfo", part.others}}
			tally := session.Play(t, p.start)
			p.held.Store(false)
			p.agree(t, p.height)
			equal += tally.Equal
			for why, n := range tally.Skipped {
				skipped[why] += n
			}
		})
	}
	t.Logf("%d answers are equal, skipped: %v", equal, skipped)
	require.GreaterOrEqual(t, equal, len(list)*20)
}

func (p *played) start(t *testing.T, options params.Options) daemontest.Node {
	p.t, p.network = t, newNetwork(t, options, 4)
	for _, v := range p.nodes {
		v.inMemory(t)
	}
	return p
}

// Connect implements daemontest.Node. Blocks of the solo chain are connected unchanged.
func (p *played) Connect(block []byte) {
	p.height++
	if p.height <= p.from {
		p.history(block)
		return
	}
	b, err := wire.DecodeBlock(block)
	require.NoError(p.t, err)
	for _, tx := range b.Txs[1:] {
		p.Accept(tx.Encode())
	}
	p.held.Store(false)
	p.agree(p.t, p.height)
	p.held.Store(true)
}

// history connects a recorded block on every node, and starts the validators after the last one.
func (p *played) history(block []byte) {
	for _, v := range p.nodes {
		if p.height == 1 {
			v.solo(p.t, p.genesis.Options)
		}
		_, err := v.Manager.Submit(p.t.Context(), block)
		require.NoError(p.t, err)
	}
	if p.height == p.from {
		p.genesis.Terms = engine.Terms{Payee: p.genesis.Terms.Payee, From: p.from + 1, Tip: p.nodes[0].tip(p.t).Hash}
		p.held.Store(true)
		p.begin(p.t)
		p.As(p.key)
	}
}

// solo opens a chain that accepts blocks of any producer.
func (v *validator) solo(t testing.TB, options params.Options) {
	p, err := params.New(options)
	require.NoError(t, err)
	v.Backend = nil
	m, err := chain.Open(t.Context(), chain.Config{Store: v.kv, Params: p, HeaderRules: engine.AnyProducer{}, Now: chaintest.Now,
		Cache: script.NewSigCache(1<<12, nil)})
	require.NoError(t, err)
	v.Backend = newBackend(m)
}

// As implements daemontest.Node.
func (p *played) As(key int) {
	p.key = key
	for _, v := range p.nodes {
		v.Wallet, v.Ring = nil, nil
		if key > 0 {
			v.Wallet, v.Ring = daemontest.Wallet(p.t, key, v.Manager.Params())
		}
	}
}

// Serve implements daemontest.Node.
func (p *played) Serve(body []byte) (status int, reply []byte) {
	v := p.nodes[p.turn%len(p.nodes)]
	p.turn++
	status, reply = v.serve(body)
	p.spread()
	return status, reply
}

// Accept implements daemontest.Node.
func (p *played) Accept(tx []byte) {
	v := p.nodes[p.turn%len(p.nodes)]
	p.turn++
	_, err := v.Pool.Accept(p.t.Context(), tx, false)
	require.NoError(p.t, err)
	v.Announce(tx)
	p.spread()
}

// spread waits until every node has every transaction.
func (p *played) spread() {
	longest := 0
	for _, v := range p.nodes {
		longest = max(longest, v.waiting(p.t))
	}
	p.all(p.t, "the transactions", func(v *validator) bool { return v.waiting(p.t) == longest })
}

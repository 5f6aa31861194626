package workertest

import (
	"encoding/hex"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/params"
	"obverse/core/chain/wire"
	"obverse/core/key"
)

const (
	manyOutputs = 50_000
	atATime     = 1_000     // outputs of one transaction
	atABlock    = 5         // such transactions before a block is waited for
	allOfIt     = 128 << 20 // that an object has
	mostMemory  = 100 << 20 // when it has been started again
)

// A chain of 50,000 token outputs fits into an object, before and after it is started anew.
func TestMemoryOfManyOutputs(t *testing.T) {
	const passphrase = "a node of many outputs"
	n := openEdge(t).node(t, map[string]any{"passphrase": passphrase})
	s := newSplitter(t, n, passphrase)
	id := s.create(manyOutputs)
	for left := int64(manyOutputs); left > 0; left -= atATime {
		s.split(id, left)
		if left%(atABlock*atATime) == 0 {
			require.Eventually(t, n.isSettled, patience, 50*time.Millisecond)
		}
	}
	held := func() (balance int) {
		var answer struct{ Balance int }
		n.call(&answer, "tokenbalance", id.String())
		return answer.Balance
	}
	require.Eventually(t, func() bool { return held() == manyOutputs }, patience, 100*time.Millisecond)
	t.Logf("%d token outputs take %d MB", manyOutputs, n.memory()>>20)
	require.Less(t, n.memory(), allOfIt)
	n.evict()
	require.Equal(t, manyOutputs, held())
	t.Logf("%d MB after it was started again", n.memory()>>20)
	require.Less(t, n.memory(), mostMemory)
}

// isSettled tells whether no transaction waits for a block.
func (n *node) isSettled() bool {
	var waiting []string
	n.call(&waiting, "getrawmempool")
	return len(waiting) == 0
}

// memory is what the program of the object has taken, in bytes.
func (n *node) memory() int {
	n.t.Helper()
	_, answer := n.do("/__memory", nil)
	bytes, err := strconv.Atoi(string(answer))
	require.NoError(n.t, err)
	return bytes
}

// splitter makes transactions of a node's key, each from the outputs of the last one.
type splitter struct {
	*node
	chaintest.Signer
	params       *params.Params
	coin, tokens chaintest.Coin
}

func newSplitter(t *testing.T, n *node, passphrase string) *splitter {
	t.Helper()
	private, err := key.FromPassphrase(passphrase)
	require.NoError(t, err)
	p, err := params.New(core.DefaultConfig().Chain.Options)
	require.NoError(t, err)
	var text string
	n.call(&text, "getblock", "1", 0)
	raw, err := hex.DecodeString(text)
	require.NoError(t, err)
	block, err := wire.DecodeBlock(raw)
	require.NoError(t, err)
	return &splitter{n, chaintest.Signer{Private: private}, p, chaintest.Output(block.Txs[0], 0), chaintest.Coin{}}
}

// send signs and broadcasts a transaction that never expires.
func (s *splitter) send(from []chaintest.Coin, outs ...wire.TxOut) *wire.Tx {
	s.t.Helper()
	tx := chaintest.Spend(s.params, 2, from, outs...)
	tx.ExpiryHeight = 0
	tx = chaintest.Sign(s.t, tx, s.params.BranchID(2), from, s.Signer)
	var id string
	s.call(&id, "sendrawtransaction", hex.EncodeToString(tx.Encode()))
	return tx
}

const splitFee = 1000

func (s *splitter) create(supply int64) wire.Hash {
	const marker = 10_000
	tx := s.send([]chaintest.Coin{s.coin}, chaintest.Creation(s.Signer, "MANY", supply, s.coin.Value-supply-marker-splitFee)...)
	s.coin, s.tokens = chaintest.Output(tx, 2), chaintest.Output(tx, 1)
	return tx.ID()
}

// split makes single tokens of those that are left in one output.
func (s *splitter) split(id wire.Hash, left int64) {
	rest := left - atATime
	outs := []wire.TxOut{chaintest.Pay(s.PubKey(), s.coin.Value-splitFee)}
	if rest > 0 {
		outs = append(outs, chaintest.Pay(s.Tokens(), rest))
	}
	for range atATime {
		outs = append(outs, chaintest.Pay(s.Tokens(), 1))
	}
	tx := s.send([]chaintest.Coin{s.coin, s.tokens}, append(outs, chaintest.Transfer(id, s.Signer))...)
	s.coin, s.tokens = chaintest.Output(tx, 0), chaintest.Output(tx, 1)
}

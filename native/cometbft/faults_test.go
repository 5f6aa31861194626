package cometbft

import (
	"context"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	abci "github.com/cometbft/cometbft/abci/types"
	cmempool "github.com/cometbft/cometbft/mempool"
	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/wire"
)

// testOptions returns the options of a new chain with a premine for K3.
func testOptions(t testing.TB) params.Options {
	o := params.Defaults()
	for key, value := range map[string]string{"ac_name": "TOKTEST", "ac_supply": "100000", "ac_cc": "2", "ac_sapling": "1"} {
		require.NoError(t, o.Set(key, value))
	}
	return o
}

// begun returns a network of a new chain.
func begun(t testing.TB, nodes int) *network {
	w := newNetwork(t, testOptions(t), nodes)
	for _, v := range w.nodes {
		v.inMemory(t)
	}
	w.begin(t)
	return w
}

// premine returns the coinbase of block 1.
func (v *validator) premine(t testing.TB) *wire.Tx { return v.blockAt(t, 1).Txs[0] }

func (v *validator) blockAt(t testing.TB, height int) *wire.Block {
	var raw []byte
	require.NoError(t, v.Manager.Read(context.Background(), func(view *chain.View) error {
		hash, err := view.HashAt(height)
		if err == nil {
			raw, err = view.RawBlock(hash)
		}
		return err
	}))
	block, err := wire.DecodeBlock(raw)
	require.NoError(t, err)
	return block
}

// payment returns a transaction that spends output 0 of a transaction of K3 and pays to K3.
func (v *validator) payment(t testing.TB, from *wire.Tx, fee int64) *wire.Tx {
	key := chaintest.Key(t, 3)
	p := v.Manager.Params()
	height := v.tip(t).Height + 1
	coin := chaintest.Output(from, 0)
	tx := chaintest.Spend(p, height, []chaintest.Coin{coin}, chaintest.Pay(key.PubKey(), coin.Value-fee))
	hash, err := script.SignatureHash(tx, 0, coin.Script, coin.Value, script.SigHashAll, p.BranchID(height), nil)
	require.NoError(t, err)
	tx.Inputs[0].ScriptSig = script.PushData(append(key.SignDER(hash), script.SigHashAll))
	return tx
}

// send submits a transaction to a node as a client does.
func (v *validator) send(raw []byte) error {
	if _, err := v.Pool.Accept(context.Background(), raw, false); err != nil {
		return err
	}
	v.Announce(raw)
	return nil
}

func (v *validator) has(t testing.TB, tx *wire.Tx) (has bool) {
	require.NoError(t, v.Manager.Read(context.Background(), func(view *chain.View) (err error) {
		has, err = view.HasTx(tx.ID())
		return err
	}))
	return has
}

// TestDoubleSpend sends two payments of one coin to two nodes at the same time. One of them must be
// confirmed everywhere, and the other one must be dropped.
func TestDoubleSpend(t *testing.T) {
	w := begun(t, 4)
	from := w.nodes[0].premine(t)
	for height := 2; height <= 6; height++ {
		var work sync.WaitGroup
		rivals := []*wire.Tx{w.nodes[0].payment(t, from, 10_000), w.nodes[0].payment(t, from, 20_000)}
		for i, tx := range rivals {
			work.Go(func() { _ = w.nodes[i].send(tx.Encode()) }) // the later one may be rejected
		}
		work.Wait()
		w.agree(t, height)
		winner := 0
		if !w.nodes[0].has(t, rivals[0]) {
			winner = 1
		}
		for i, v := range w.nodes {
			require.True(t, v.has(t, rivals[winner]), "node %d", i)
			require.False(t, v.has(t, rivals[1-winner]), "node %d", i)
			require.Zero(t, v.waiting(t), "node %d", i)
		}
		from = rivals[winner]
	}
}

// liar is an application that proposes an invalid transaction together with valid ones.
type liar struct {
	abci.Application
	junk func() []byte
	lies *atomic.Int32
}

func (l liar) PrepareProposal(ctx context.Context, r *abci.RequestPrepareProposal) (*abci.ResponsePrepareProposal, error) {
	response, err := l.Application.PrepareProposal(ctx, r)
	if junk := l.junk(); err == nil && junk != nil {
		l.lies.Add(1)
		response.Txs = append(response.Txs, junk)
	}
	return response, err
}

// ProcessProposal accepts every proposal.
func (liar) ProcessProposal(context.Context, *abci.RequestProcessProposal) (*abci.ResponseProcessProposal, error) {
	return &abci.ResponseProcessProposal{Status: abci.ResponseProcessProposal_ACCEPT}, nil
}

// TestLyingProposer makes one of four validators propose blocks with an invalid transaction. The
// others must reject them and accept the block of the next proposer.
func TestLyingProposer(t *testing.T) {
	w := newNetwork(t, testOptions(t), 4)
	var lies atomic.Int32
	var junk atomic.Pointer[wire.Tx]
	for _, v := range w.nodes {
		v.inMemory(t)
	}
	w.nodes[0].wrap = func(app abci.Application) abci.Application {
		return liar{app, func() []byte {
			if tx := junk.Load(); tx != nil {
				return tx.Encode()
			}
			return nil
		}, &lies}
	}
	w.begin(t)
	from := w.nodes[0].premine(t)
	stolen := w.nodes[0].payment(t, from, 30_000)
	stolen.Inputs[0].ScriptSig[7] ^= 1
	junk.Store(stolen)
	for height := 2; lies.Load() < 2; height++ {
		tx := w.nodes[1].payment(t, from, 10_000)
		require.NoError(t, w.nodes[1].send(tx.Encode()))
		w.agree(t, height)
		for _, v := range w.nodes {
			require.True(t, v.has(t, tx))
			require.False(t, v.has(t, stolen))
		}
		require.Less(t, height, 40, "the liar had no turn")
		from = tx
	}
}

// TestFollower runs a node without a validator's key in the genesis. It follows the chain and
// accepts transactions.
func TestFollower(t *testing.T) {
	w := newNetwork(t, testOptions(t), 2)
	w.genesis.Validators = w.genesis.Validators[:1]
	for _, v := range w.nodes {
		v.inMemory(t)
	}
	w.begin(t)
	tx := w.nodes[1].payment(t, w.nodes[1].premine(t), 10_000)
	require.NoError(t, w.nodes[1].send(tx.Encode()))
	w.agree(t, 2)
	require.True(t, w.nodes[0].has(t, tx))
}

// TestOrphan sends a transaction to one node before its parent, as if the node were a block behind.
// No other node has the transaction. It must get into a block after its parent.
func TestOrphan(t *testing.T) {
	w := begun(t, 4)
	from := w.nodes[0].premine(t)
	parent := w.nodes[0].payment(t, from, 10_000)
	child := w.nodes[0].payment(t, parent, 10_000)
	grandchild := w.nodes[0].payment(t, child, 10_000)
	early := w.nodes[1]
	for _, tx := range []*wire.Tx{child, grandchild} {
		refused := make(chan *abci.ResponseCheckTx, 1)
		require.NoError(t, early.engine.Node().Mempool().CheckTx(tx.Encode(), func(r *abci.ResponseCheckTx) { refused <- r }, cmempool.TxInfo{}))
		require.Contains(t, (<-refused).Log, "Missing inputs")
		require.Zero(t, early.waiting(t))
	}
	require.NoError(t, w.nodes[0].send(parent.Encode()))
	w.all(t, "the grandchild", func(v *validator) bool { return v.has(t, grandchild) })
	require.Empty(t, early.shared.Waiting(t.Context()))
}

// TestIdleConnections restarts a validator while silent connections to the other validators are
// open, more than CometBFT accepts.
func TestIdleConnections(t *testing.T) {
	w := begun(t, 2)
	tx := w.nodes[1].payment(t, w.nodes[1].premine(t), 10_000)
	w.nodes[0].end(t)
	ctx, stop := context.WithCancel(t.Context())
	var idle sync.WaitGroup
	for range 200 {
		open := make(chan struct{})
		idle.Go(func() {
			for first := true; ctx.Err() == nil; first = false {
				c, err := net.Dial("tcp", w.settings[1].Listen)
				if first {
					close(open)
				}
				if err == nil {
					unlink := context.AfterFunc(ctx, func() { _ = c.Close() })
					_, _ = io.Copy(io.Discard, c) // until the node closes it
					unlink()
					_ = c.Close()
				}
			}
		})
		<-open
	}
	defer idle.Wait()
	defer stop()
	w.nodes[0].start(t, w.settings[0])
	require.NoError(t, w.nodes[1].send(tx.Encode()))
	w.all(t, "the payment", func(v *validator) bool { return v.has(t, tx) })
}

package mempool_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/consensus"
	"obverse/core/chain/mempool"
	"obverse/core/chain/wire"
	"obverse/core/store"
	"obverse/core/store/bunttest"
)

const (
	options = "ac_name=TOKTEST ac_supply=1000 ac_reward=100000000 ac_cc=2 "
	sapling = options + "ac_sapling=1"
	regtest = sapling + " regtest=true"

	coinValue = 1_000_000 // value of each of a node's coins, in satoshis
)

// node is a chain of two blocks with its pool.
type node struct {
	*chaintest.Chain
	pool  *mempool.Pool
	coins []chaintest.Coin // P2PK outputs of K1 in the chain
	large chaintest.Coin   // an output of a hundred times that value
	t     testing.TB
}

func start(t testing.TB, options string) *node {
	t.Helper()
	return startOn(t, bunttest.Memory(t), options, noLimits)
}

func startOn(t testing.TB, kv store.KV, options string, config mempool.Config) *node {
	t.Helper()
	n := open(t, kv, options, config)
	n.fund(50)
	return n
}

// open opens a node on a store, which may already contain a chain.
func open(t testing.TB, kv store.KV, options string, config mempool.Config) *node {
	t.Helper()
	c := chaintest.New(t, kv, chaintest.Params(t, options))
	config.Manager, config.Store, config.Now = c.Manager, kv, chaintest.Now
	pool, err := mempool.New(t.Context(), config)
	require.NoError(t, err)
	return &node{Chain: c, pool: pool, t: t}
}

// fund mines the premine and splits it into coins.
func (n *node) fund(count int) {
	n.t.Helper()
	premine := chaintest.Output(n.Mine().Txs[0], 0)
	outs := make([]wire.TxOut, count)
	for i := range outs {
		outs[i] = chaintest.Pay(n.key(1).PubKey(), coinValue)
	}
	outs = append(outs, chaintest.Pay(n.key(1).PubKey(), 100*coinValue))
	split := n.Tx([]chaintest.Coin{premine}, outs...)
	n.Mine(split)
	for i := range count {
		n.coins = append(n.coins, chaintest.Output(split, i))
	}
	n.large = chaintest.Output(split, count)
}

func (n *node) key(i int) chaintest.Signer { return chaintest.Key(n.t, i) }

// coin returns a coin that has not been used yet.
func (n *node) coin() chaintest.Coin {
	n.t.Helper()
	require.NotEmpty(n.t, n.coins)
	c := n.coins[0]
	n.coins = n.coins[1:]
	return c
}

// payment returns a transaction that pays coins to K1, with a fee of 100 satoshis per coin.
func (n *node) payment(from ...chaintest.Coin) *wire.Tx {
	n.t.Helper()
	value := int64(0)
	for _, coin := range from {
		value += coin.Value - 100
	}
	return n.Tx(from, chaintest.Pay(n.key(1).PubKey(), value))
}

func (n *node) accept(tx *wire.Tx) error {
	id, err := n.pool.Accept(n.t.Context(), tx.Encode(), false)
	require.Equal(n.t, tx.ID(), id)
	return err
}

func (n *node) mustAccept(txs ...*wire.Tx) {
	n.t.Helper()
	for _, tx := range txs {
		require.NoError(n.t, n.accept(tx))
	}
}

// look calls check while the chain does not change.
func (n *node) look(check func(v *chain.View)) {
	n.t.Helper()
	require.NoError(n.t, n.Read(n.t.Context(), func(v *chain.View) error {
		check(v)
		return v.Err()
	}))
}

// requirePool requires that the pool contains exactly these transactions, in this order.
func (n *node) requirePool(txs ...*wire.Tx) {
	n.t.Helper()
	n.look(func(*chain.View) {
		n.t.Helper()
		want, got, size := []wire.Hash{}, []wire.Hash{}, 0
		for _, tx := range txs {
			want = append(want, tx.ID())
			size += len(tx.Encode())
		}
		for _, e := range n.pool.Entries() {
			got = append(got, e.ID)
		}
		require.Equal(n.t, want, got)
		require.Equal(n.t, len(txs), n.pool.Size())
		require.Equal(n.t, size, n.pool.Bytes())
		n.requireOutputs()
	})
	n.requireRecords(txs...)
	n.requireBell(len(txs) > 0)
}

// requireOutputs compares the lists of unspent outputs with the transactions themselves.
func (n *node) requireOutputs() {
	n.t.Helper()
	want, got := map[chain.Address][]wire.OutPoint{}, map[chain.Address][]wire.OutPoint{}
	change := map[chain.Address][]wire.OutPoint{}
	for _, e := range n.pool.Entries() {
		for i, out := range e.Tx.Outputs {
			at := wire.OutPoint{Hash: e.ID, Index: uint32(i)}
			for _, a := range chain.AddressesOf(out.Script) {
				if _, spent := n.pool.SpentBy(at); !spent {
					want[a] = append(want[a], at)
					if slices.ContainsFunc(e.Coins, func(c consensus.Coin) bool { return slices.Contains(chain.AddressesOf(c.Script), a) }) {
						change[a] = append(change[a], at)
					}
				}
				got[a] = nil
			}
		}
	}
	for a := range got {
		delete(got, a)
		for e, i := range n.pool.Unspent(a) {
			got[a] = append(got[a], wire.OutPoint{Hash: e.ID, Index: uint32(i)})
		}
		changed := []wire.OutPoint(nil)
		for e, i := range n.pool.Change(a) {
			changed = append(changed, wire.OutPoint{Hash: e.ID, Index: uint32(i)})
		}
		require.Equal(n.t, change[a], changed)
	}
	require.Equal(n.t, want, got)
	for i := range 3 {
		if a := n.key(i + 1).Address(); want[a] == nil {
			require.Empty(n.t, maps.Collect(n.pool.Unspent(a)))
		}
	}
}

// requireRecords requires that the store contains exactly these transactions.
func (n *node) requireRecords(txs ...*wire.Tx) {
	n.t.Helper()
	page, err := n.Store.Scan(n.t.Context(), "y", "", 1000)
	require.NoError(n.t, err)
	require.Len(n.t, page, len(txs))
	for i, tx := range txs {
		require.Equal(n.t, string(tx.Encode()), page[i].Data)
	}
}

func (n *node) requireBell(want bool) {
	n.t.Helper()
	waiting := false
	select {
	case <-n.pool.Waiting():
		waiting = true
	default:
	}
	require.Equal(n.t, want, waiting)
}

// requireRefusal requires a refusal with the given code, message and cause.
func requireRefusal(t testing.TB, err error, code int, message string, verdict error) {
	t.Helper()
	var refused *mempool.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, code, refused.Code)
	require.Equal(t, message, refused.Message)
	if verdict != nil {
		require.ErrorIs(t, err, verdict)
	}
}

// startWith is like start, with other limits.
func startWith(t testing.TB, config mempool.Config) *node {
	t.Helper()
	return startOn(t, bunttest.Memory(t), sapling, config)
}

// noLimits is a Config with the default limits.
var noLimits = mempool.Config{}

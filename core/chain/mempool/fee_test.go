package mempool_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/consensus"
	"obverse/core/chain/mempool"
	"obverse/core/chain/script"
	"obverse/core/chain/wire"
	"obverse/core/store/bunttest"
)

// free returns a node with K1 as its own key, and its clock.
func free(t *testing.T, options string) (n *node, clock *time.Time) {
	t.Helper()
	now := chaintest.Now()
	pub := chaintest.Key(t, 1).PubKey()
	relay := mempool.Relay{Fee: 100, Free: 15, IsMine: func(pkScript []byte) bool { return string(pkScript) == string(pub) }}
	kv := bunttest.Memory(t)
	c := chaintest.New(t, kv, chaintest.Params(t, options))
	pool, err := mempool.New(t.Context(), mempool.Config{Manager: c.Manager, Store: kv, Now: func() time.Time { return now }, Relay: &relay})
	require.NoError(t, err)
	n = &node{Chain: c, pool: pool, t: t}
	n.fund(50)
	return n, &now
}

// flood spends a coin to so many condition outputs, for a fee.
func (n *node) flood(from chaintest.Coin, outputs int, value, fee int64) *wire.Tx {
	n.t.Helper()
	outs := make([]wire.TxOut, outputs)
	for i := range outs {
		outs[i] = chaintest.Pay(n.key(2).Tokens(), value)
	}
	return n.Tx([]chaintest.Coin{from}, append(outs, chaintest.Pay(n.key(2).PubKey(), from.Value-int64(outputs)*value-fee))...)
}

func requireRejected(t *testing.T, err error, code int, reason string) {
	t.Helper()
	var rejected *consensus.Rejection
	require.ErrorAs(t, err, &rejected)
	require.Equal(t, code, rejected.Code)
	require.Contains(t, rejected.Reason, reason)
}

// TestRelayFee checks the minimum fee of transactions that the node's own key did not sign.
func TestRelayFee(t *testing.T) {
	n, _ := free(t, sapling)
	theirs := n.Tx([]chaintest.Coin{n.coin()}, chaintest.Pay(n.key(2).PubKey(), coinValue-100))
	n.Mine(theirs)
	from := chaintest.Output(theirs, 0)
	pay := func(fee int64) *wire.Tx {
		return n.Tx([]chaintest.Coin{from}, chaintest.Pay(n.key(2).PubKey(), from.Value-fee))
	}
	for _, fee := range []int64{0, 1, 17} {
		requireRejected(t, n.accept(pay(fee)), 66, "insufficient fee: ")
	}
	n.mustAccept(pay(19))

	regtested, _ := free(t, regtest) // where komodod's tests send for nothing
	theirs = regtested.Tx([]chaintest.Coin{regtested.coin()}, chaintest.Pay(n.key(2).PubKey(), coinValue))
	regtested.mustAccept(theirs, regtested.flood(chaintest.Output(theirs, 0), 3, 0, 0))
}

// TestFreeTransactions lets the node's own key and other nodes send some bytes a minute for
// nothing, and no outputs that cost nothing.
func TestFreeTransactions(t *testing.T) {
	const rateLimited = "rate limited free transaction"
	for name, accept := range map[string]func(*node, *wire.Tx) error{
		"own": (*node).accept,
		"heard": func(n *node, tx *wire.Tx) error {
			_, err := n.pool.Hear(t.Context(), tx.Encode())
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			n, clock := free(t, sapling)
			if name == "heard" { // transactions of any key are limited
				theirs := n.Tx([]chaintest.Coin{n.large}, chaintest.Pay(n.key(2).PubKey(), n.large.Value-100))
				n.Mine(theirs)
				n.large = chaintest.Output(theirs, 0)
			}
			require.ErrorIs(t, accept(n, n.flood(n.coin(), 10, 0, 1_000)), mempool.ErrDust)
			requireRejected(t, accept(n, n.flood(n.coin(), 900, 1, 0)), 66, "insufficient fee") // larger than may be free
			taken := 0
			for ; taken < 20; taken++ {
				if tx := n.flood(n.coin(), 600, 1, 0); accept(n, tx) != nil {
					break
				}
			}
			require.Equal(t, 4, taken, "150,000 bytes, of 33,000 each")
			requireRejected(t, accept(n, n.flood(n.coin(), 600, 1, 0)), 66, rateLimited)
			require.NoError(t, accept(n, n.flood(n.coin(), 600, 1, 4_000)), "what pays waits for nothing")
			*clock = clock.Add(3 * time.Minute)
			require.NoError(t, accept(n, n.flood(n.coin(), 600, 1, 0)))
			requireRejected(t, accept(n, n.flood(n.coin(), 600, 1, 0)), 66, rateLimited)
		})
	}
}

// A transaction that is not taken in the end uses up nothing of what may be free.
func TestInvalidFreeTransactions(t *testing.T) {
	n, _ := free(t, sapling)
	for range 20 {
		tx := n.flood(n.coin(), 600, 1, 0)
		tx.Inputs[0].ScriptSig = script.PushData(make([]byte, 72))
		require.Error(t, n.accept(tx))
	}
	n.mustAccept(n.flood(n.coin(), 600, 1, 0))
	n.look(func(*chain.View) { require.Equal(t, 1, n.pool.Size()) })
}

package e2e

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/big"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/stretchr/testify/require"

	"obverse/core/chain/cc"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
	"obverse/core/config"
	"obverse/core/store/bunt"
	"obverse/native/httpd"
	"obverse/native/test/benchtable"
)

const (
	payees       = 10_000 // keys that one call of tokensendmany pays
	paymentTurns = 3
)

// measurePayments pays 10,000 keys with one call. When the call returns, the transfers are built,
// signed, verified and on disk. It compares this with creating and verifying only the signatures.
func measurePayments(b *testing.B, t *benchtable.Table) {
	n := newBenchNode(b)
	var created struct{ Hex string }
	var id string
	n.call(&created, "tokencreate", "PAY", "1", "for many")
	n.call(&id, "sendrawtransaction", created.Hex)
	n.mine()
	work, next := signedHashes(b), 0
	var ours, bare, took []float64
	for range paymentTurns {
		amounts := map[string]int{}
		for range payees {
			next++
			amounts[publicKey(next)] = next%1000 + 1
		}
		bare = append(bare, signatureRate(b, work)/signatures)
		var sent struct {
			Error        string
			Paid         int
			Transactions []struct{}
		}
		start := time.Now()
		n.call(&sent, "tokensendmany", id, amounts)
		elapsed := time.Since(start).Seconds()
		require.Equal(b, payees, sent.Paid, sent.Error)
		ours, took = append(ours, float64(len(sent.Transactions))/elapsed), append(took, elapsed)
		n.mine()
	}
	t.Add(benchtable.Row{What: "transfers through tokensendmany, of making and checking their signatures", Unit: "/s", Ours: ours, Reference: bare, Aim: ">= 0.40"})
	t.Add(benchtable.Row{What: "paying 10,000 keys with one call", Unit: " s", Ours: took, Aim: "<= 60"})
}

// publicKey returns the public key with a number.
func publicKey(n int) string {
	private, public := btcec.PrivKeyFromBytes(big.NewInt(int64(n)).FillBytes(make([]byte, 32)))
	private.Zero()
	return hex.EncodeToString(public.SerializeCompressed())
}

// signatureRate returns the number of signatures that all cores create and verify per second.
func signatureRate(b *testing.B, work []signed) float64 {
	key := signer(b)
	return rate(2*len(work), runtime.GOMAXPROCS(0), func(i int) {
		s := &work[i%len(work)]
		compact := key.SignCompact(s.hash)
		if !cc.VerifySecp256k1(s.pub[:], s.hash[:], compact[:]) {
			panic("a good signature is refused")
		}
	})
}

// measureHolders compares a page of holders of a token with few holders with a page of a token with
// many.
func measureHolders(b *testing.B, t *benchtable.Table) {
	small, smallID := newHolders(b, few)
	before := heap()
	big, bigID := newHolders(b, many)
	held := float64(heap()-before) / many
	var fewTimes, manyTimes []time.Duration
	for turn := range 2 * rounds {
		fewTimes = append(fewTimes, small.holdersTime(smallID, few, turn))
		manyTimes = append(manyTimes, big.holdersTime(bigID, many, turn))
	}
	t.Add(benchtable.Row{What: "100 of 1,000,000 holders with tokenholders, of 100 of 1,000", Unit: " us",
		Ours: in(time.Microsecond, manyTimes), Reference: in(time.Microsecond, fewTimes), Aim: "<= 1.30"})
	t.Add(benchtable.Row{What: "memory for a holder, with the transaction that paid it", Unit: " bytes", Ours: []float64{held},
		Note: fmt.Sprintf("%.0f bytes of disk", float64(big.store.Size())/many)})
}

// newHolders returns a node with a token of which a number of keys hold one unit each. The blocks
// are marked as final, so that they need no signatures.
func newHolders(b *testing.B, count int) (n *benchNode, id string) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "bench.db")
	kv, err := bunt.Open(path)
	require.NoError(b, err)
	p, err := params.New(config.Default().Chain.Options)
	require.NoError(b, err)
	c, issuer := chaintest.New(b, kv, p), chaintest.Key(b, 1)
	premine := chaintest.Output(c.Mine().Txs[0], 0)
	creation := c.Tx([]chaintest.Coin{premine}, chaintest.Creation(issuer, "HELD", int64(count), 0)...)
	c.Mine(creation)
	tree, key := token.Condition([]byte{token.Eval}, issuer.Token()), issuer.PublicKey()
	tree.Fill(key[:], make([]byte, 64))
	fulfillment, err := tree.Encode()
	require.NoError(b, err)
	unlock := script.FulfillCondition(fulfillment, script.SigHashAll)
	tokens := chaintest.Output(creation, 1)
	for next, height := 0, 3; next < count; height++ {
		var txs []*wire.Tx
		for ; next < count && len(txs) < 2*perBlock; next += 2 {
			payload := token.Payload{Func: token.Transfer, TokenID: creation.ID(), Keys: []token.Key{holderKey(next), holderKey(next + 1)}}
			outs := []wire.TxOut{chaintest.Pay(token.Script([]byte{token.Eval}, payload.Keys[0]), 1), chaintest.Pay(token.Script([]byte{token.Eval}, payload.Keys[1]), 1)}
			if rest := tokens.Value - 2; rest > 0 {
				outs = append(outs, chaintest.Pay(issuer.Tokens(), rest))
			}
			tx := chaintest.Spend(p, height, []chaintest.Coin{tokens}, append(outs, chaintest.Pay(payload.Script(), 0))...)
			tx.Inputs[0].ScriptSig = unlock
			txs = append(txs, tx)
			tokens = chaintest.Output(tx, 2)
		}
		block := c.Build(c.Tip().Hash, txs...)
		require.NoError(b, c.Adopt(b.Context(), [][]byte{block.Encode()}))
	}
	require.NoError(b, kv.Close())
	n = &benchNode{b: b, path: path, metrics: httpd.NewMetrics(httpd.Build{})}
	n.open()
	b.Cleanup(n.close)
	return n, creation.ID().String()
}

// holderKey returns the key of a holder. It need not be a point on the curve, since it signs
// nothing.
func holderKey(n int) (key token.Key) {
	hash := sha256.Sum256([]byte(strconv.Itoa(n)))
	key[0] = 2
	copy(key[1:], hash[:])
	return key
}

// holdersTime returns the duration of a page of 100 holders, and checks the result.
func (n *benchNode) holdersTime(id string, want, turn int) time.Duration {
	n.b.Helper()
	var page struct {
		Count   int
		Holders []struct{ PubKey string }
	}
	after := chaintest.Key(n.b, turn%3+1).TokenAddress().Text().String() // an arbitrary position in the list
	n.call(&page, "tokenholders", id, after, 100)
	require.Equal(n.b, want, page.Count)
	require.NotEmpty(n.b, page.Holders)
	require.NotEmpty(n.b, page.Holders[0].PubKey)
	body := request("tokenholders", id, "", 100)
	const calls = 200
	start := time.Now()
	for range calls {
		n.core.Daemon(context.Background(), caller, body)
	}
	return time.Since(start) / calls
}

package daemon_test

import (
	"bytes"
	"encoding/hex"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

// payment returns an output of a transaction that sendtoaddress has sent to key 2.
func (s *station) payment(t *testing.T, txid string) chaintest.Coin {
	s.t.Helper()
	tx := s.transaction(wireHash(t, txid))
	i := slices.IndexFunc(tx.Outputs, func(out wire.TxOut) bool { return bytes.Equal(out.Script, chaintest.Key(s.t, 2).PubKeyHash()) })
	require.GreaterOrEqual(s.t, i, 0)
	return chaintest.Output(tx, i)
}

// sendSigned signs a transaction of key 2, also as one of the keys of coins that need one, and sends it.
func (s *station) sendSigned(from []chaintest.Coin, outs ...wire.TxOut) *wire.Tx {
	s.t.Helper()
	p, height := s.Manager.Params(), result[int](s, "getblockcount")+1
	tx := chaintest.Sign(s.t, chaintest.Spend(p, height, from, outs...), p.BranchID(height), from, chaintest.Key(s.t, 2))
	for i, coin := range from {
		if script.Classify(coin.Script).Type == script.TypeMultiSig {
			hash, err := script.SignatureHash(tx, i, coin.Script, coin.Value, script.SigHashAll, p.BranchID(height), nil)
			require.NoError(s.t, err)
			tx.Inputs[i].ScriptSig = script.AppendPush(script.AppendNumber(nil, 0), append(chaintest.Key(s.t, 2).SignDER(hash), script.SigHashAll))
		}
	}
	result[string](s, "sendrawtransaction", hex.EncodeToString(tx.Encode()), true)
	return tx
}

// TestTokenSendManyForeignCoin pays the node a large coin that is not confirmed yet. The payments
// must not depend on it, since its sender could spend it twice. The sender may also spend a coin
// that the node's key could have signed for.
func TestTokenSendManyForeignCoin(t *testing.T) {
	self, other := chaintest.Key(t, 1), chaintest.Key(t, 2)
	keys := []token.Key{self.Token(), other.Token()}
	for name, lock := range map[string][]byte{"key": other.PubKey(), "one of two keys": chaintest.MultiSig(1, keys[1][:], keys[0][:])} {
		t.Run(name, func(t *testing.T) {
			s, id := newIssuer(t)
			paid := result[string](s, "sendtoaddress", other.Address().Text().String(), "90000")
			result[[]string](s, "generate", 1)
			coin := s.payment(t, paid)
			locked := s.sendSigned([]chaintest.Coin{coin}, chaintest.Pay(lock, coin.Value-10_000))
			result[[]string](s, "generate", 1)
			coin = chaintest.Output(locked, 0)
			bait := s.sendSigned([]chaintest.Coin{coin}, chaintest.Pay(self.PubKey(), coin.Value-10_000))
			amounts, _ := list(t, 0, 3)
			sent := result[sentPage](s, "tokensendmany", id, amounts)
			require.Equal(t, "success", sent.Result)
			for _, one := range sent.Transactions {
				for _, in := range s.transaction(wireHash(t, one.TxID)).Inputs {
					require.NotEqual(t, bait.ID(), in.PrevOut.Hash)
				}
			}
		})
	}
}

// TestForeignOutputs fills the mempool with a transaction of another key that has many inputs and
// many outputs to the node. The token methods must not examine its inputs for each output.
func TestForeignOutputs(t *testing.T) {
	const inputs, outputs = 560, 1680
	s, id := newIssuer(t)
	self, other := chaintest.Key(t, 1), chaintest.Key(t, 2)
	moved := s.send("tokentransfer", id, k2, "10000")
	paid := result[string](s, "sendtoaddress", other.Address().Text().String(), "1")
	result[[]string](s, "generate", 1)
	from := []chaintest.Coin{s.payment(t, paid), chaintest.Output(s.transaction(wireHash(t, moved)), 0)}
	var outs []wire.TxOut
	for range inputs {
		outs = append(outs, chaintest.Pay(other.Tokens(), 3))
	}
	outs = append(outs, chaintest.Pay(other.Tokens(), 10_000-inputs*3), chaintest.Pay(other.PubKey(), 99_000_000), chaintest.Transfer(wireHash(t, id), other))
	split := s.sendSigned(from, outs...)
	result[[]string](s, "generate", 1)
	from, outs = []chaintest.Coin{chaintest.Output(split, inputs+1)}, nil
	for i := range inputs {
		from = append(from, chaintest.Output(split, i))
	}
	for range outputs {
		outs = append(outs, chaintest.Pay(self.Tokens(), 1))
	}
	outs = append(outs, chaintest.Pay(other.PubKey(), 98_000_000), chaintest.Transfer(wireHash(t, id), self))
	s.sendSigned(from, outs...)

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	text, hint := s.hinted(id, k2, "999999")
	require.Equal(t, "success", result[sentPage](s, "tokensendmany", id, map[string]any{payee(t, 7): 1000}).Result)
	runtime.ReadMemStats(&after)
	require.Equal(t, "insufficient token inputs", text)
	require.Contains(t, hint, "990000 confirmed tokens of this id, and 1680 wait for the next block")
	require.Less(t, after.Mallocs-before.Mallocs, uint64(inputs*outputs/2), "memory allocations")
}

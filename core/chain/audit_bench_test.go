package chain

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/consensus"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
	"obverse/core/store"
	"obverse/core/store/bunt"
)

// BenchmarkAudit audits a chain with 200,000 outputs of 50 tokens. Each token has 100 owners.
func BenchmarkAudit(b *testing.B) {
	const outputs, tokens, owners = 200_000, 50, 100
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(b, err)
	defer kv.Close()
	var batch store.Batch
	script := make([]byte, 60)
	for i := range outputs {
		var out wire.OutPoint
		binary.BigEndian.PutUint64(out.Hash[:], uint64(i)*0x9e3779b97f4a7c15)
		id, owner := wire.Hash{byte(i % tokens)}, Address{Hash: [20]byte{byte(i / tokens % owners)}}
		coin := consensus.Coin{Coin: token.Coin{Value: 1, Script: script, Claim: token.Backed, TokenID: id}}
		batch.Put(outKey(tableCoin, out), encodeCoin(&coin))
		batch.Put(tokenUnspentKey(id, owner, out), string(wire.AppendInt64(nil, 1)))
		if i < tokens*owners {
			batch.Put(tokenBalanceKey(id, owner), string(wire.AppendInt64(nil, outputs/tokens/owners)))
		}
		if len(batch.Ops) > 10000 || i == outputs-1 {
			require.NoError(b, store.Apply(b.Context(), kv, batch))
			batch = store.Batch{}
		}
	}
	m := &Manager{kv: kv}
	tip := Record{Totals: Totals{Known: true, Value: outputs}}
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, m.audit(b.Context(), tip))
	}
}

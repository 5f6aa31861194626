package wire_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/wire"
)

func readVectors(t testing.TB) (vectors []txVector) {
	content, err := os.ReadFile("testdata/rawtx.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(content, &vectors))
	return vectors
}

func FuzzDecodeTx(f *testing.F) {
	for _, format := range formats() {
		f.Add(format.tx.Encode())
	}
	for _, v := range readVectors(f)[:10] {
		f.Add(unhex(f, v.Hex))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		tx, err := wire.DecodeTx(b)
		if err != nil {
			require.Nil(t, tx)
			return
		}
		require.Equal(t, b, tx.Encode())
	})
}

func FuzzDecodeBlock(f *testing.F) {
	f.Add(smallBlock(0).Encode())
	f.Add(smallBlock(wire.MaxSolutionSize).Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		block, spans, err := wire.DecodeBlockSpans(b)
		if err != nil {
			require.Nil(t, block)
			return
		}
		require.Equal(t, b, block.Encode())
		for i, span := range spans {
			require.Equal(t, block.Txs[i].Encode(), b[span.Offset:span.Offset+span.Size])
		}
	})
}

// tokenCreate returns the documented tokencreate transaction.
func tokenCreate(b *testing.B) []byte {
	for _, v := range readVectors(b) {
		if v.Kind == "rawtx/sapling-v4/cc-f2-c" {
			return unhex(b, v.Hex)
		}
	}
	b.Fatal("no tokencreate among the vectors")
	return nil
}

func BenchmarkDecodeTx(b *testing.B) {
	raw := tokenCreate(b)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := wire.DecodeTx(raw); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTxID(b *testing.B) {
	tx, err := wire.DecodeTx(tokenCreate(b))
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		tx.ID()
	}
}

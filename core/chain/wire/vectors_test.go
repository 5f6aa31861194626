package wire_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/wire"
	"obverse/core/rpc/recording"
)

// vectorFiles calls f with the content of every file with a name. The file must exist in
// testdata, and may exist in the folders of OBVERSE_VECTORS.
func vectorFiles(t *testing.T, name string, f func(t *testing.T, content []byte)) {
	for i, dir := range append([]string{"testdata"}, recording.Places("OBVERSE_VECTORS")...) {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if i > 0 && os.IsNotExist(err) {
			continue
		}
		require.NoError(t, err)
		t.Run(dir, func(t *testing.T) { f(t, content) })
	}
}

type txVector struct{ Name, Kind, Hex, TxID string }

func checkTxVectors(t *testing.T, content []byte) {
	var vectors []txVector
	require.NoError(t, json.Unmarshal(content, &vectors))
	require.NotEmpty(t, vectors)
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			raw := unhex(t, v.Hex)
			tx, err := wire.DecodeTx(raw)
			require.NoError(t, err)
			require.Equal(t, v.Hex, hex.EncodeToString(tx.Encode()))
			require.Equal(t, v.TxID, tx.ID().String())
			if format, known := strings.CutPrefix(v.Kind, "rawtx/"); known {
				require.Equal(t, strings.HasPrefix(format, "sapling-v4"), tx.IsSapling())
				require.Equal(t, strings.HasPrefix(format, "legacy-v1"), !tx.Overwintered && tx.Version == 1)
			}
		})
	}
}

func TestVectorsRawTransactions(t *testing.T) { vectorFiles(t, "rawtx.json", checkTxVectors) }

// TestVectorsSighashTransactions decodes the transactions of komodod's sighash cases. They are
// random: they have versions from 0 to 2^31 with a joinsplit vector, scripts that cannot be
// parsed, and arbitrary sequence numbers.
func TestVectorsSighashTransactions(t *testing.T) { vectorFiles(t, "sighash.json", checkTxVectors) }

// recordedBlock is a block found anywhere in a recording.
type recordedBlock struct {
	source, hash, raw string
	txids             []any // ids of its transactions, if the recording has them
}

// findBlocks appends every object that has a hash and a raw block.
func findBlocks(source string, node any, found []recordedBlock) []recordedBlock {
	switch node := node.(type) {
	case []any:
		for _, child := range node {
			found = findBlocks(source, child, found)
		}
	case map[string]any:
		hash, isHash := node["hash"].(string)
		raw, isRaw := node["raw"].(string)
		if isHash && isRaw {
			txids, _ := node["txids"].([]any)
			return append(found, recordedBlock{source, hash, raw, txids})
		}
		for _, child := range node {
			found = findBlocks(source, child, found)
		}
	}
	return found
}

func recordedBlocks(t *testing.T, root string) (blocks []recordedBlock) {
	require.NoError(t, filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var node any
		require.NoError(t, json.Unmarshal(content, &node), path)
		blocks = findBlocks(path, node, blocks)
		return nil
	}))
	return blocks
}

func TestKomododBlocks(t *testing.T) {
	for i, root := range append([]string{"testdata/komodod"}, recording.Places("OBVERSE_KOMODOD")...) {
		blocks := recordedBlocks(t, root)
		if i == 0 {
			require.Len(t, blocks, 2+25+83)
		}
		for _, recorded := range blocks {
			t.Run(recorded.source+"/"+recorded.hash, func(t *testing.T) { checkBlock(t, recorded) })
		}
	}
}

func checkBlock(t *testing.T, recorded recordedBlock) {
	raw := unhex(t, recorded.raw)
	block, spans, err := wire.DecodeBlockSpans(raw)
	require.NoError(t, err)
	require.Equal(t, recorded.hash, block.Hash().String())
	require.Equal(t, recorded.raw, hex.EncodeToString(block.Encode()))

	require.Len(t, spans, len(block.Txs))
	ids := make([]wire.Hash, len(block.Txs))
	for i, tx := range block.Txs {
		ids[i] = tx.ID()
		require.Equal(t, i == 0, tx.IsCoinbase())
		require.Equal(t, tx.Encode(), raw[spans[i].Offset:spans[i].Offset+spans[i].Size])
	}
	root, repeated := wire.MerkleRoot(ids)
	require.Equal(t, block.MerkleRoot, root)
	require.False(t, repeated)
	for i, txid := range recorded.txids {
		require.Equal(t, txid, ids[i].String())
	}
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	require.NoError(t, err)
	return b
}

package daemon_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core"
	"obverse/core/chain/params"
	"obverse/core/config"
	"obverse/core/store"
	"obverse/core/store/bunt"
)

// earlierAnswer is an answer of the program version that wrote the store.
type earlierAnswer struct {
	Method string
	Params []any
	Result json.RawMessage
}

// TestStoreOfAnEarlierVersion opens a store written by a version in which the supply did not
// include the genesis coinbase, and repeats the requests made to that version. The store needs
// no migration: the stored totals are sums of coins in both versions.
func TestStoreOfAnEarlierVersion(t *testing.T) {
	content, err := os.ReadFile(filepath.Join("testdata", "store", "first.db"))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "node.db")
	require.NoError(t, os.WriteFile(path, content, 0o600))
	kv, err := bunt.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kv.Close()) })
	n, err := openEarlier(t, kv)
	require.NoError(t, err)

	content, err = os.ReadFile(filepath.Join("testdata", "store", "first.json"))
	require.NoError(t, err)
	var answers []earlierAnswer
	require.NoError(t, json.Unmarshal(content, &answers))
	require.Len(t, answers, 19)
	for _, a := range answers {
		got := ask(t, n, a.Method, a.Params...)
		require.JSONEq(t, withoutSupply(string(a.Result)), withoutSupply(string(got)), "%s %v", a.Method, a.Params)
		require.Equal(t, supplyOf(t, a.Result, genesisCoins), supplyOf(t, got, 0), "%s %v", a.Method, a.Params)
	}

	// The tables of holders are filled from the blocks.
	var ids []string
	require.NoError(t, json.Unmarshal(ask(t, n, "tokenlist"), &ids))
	require.NotEmpty(t, ids)
	held := 0
	for _, id := range ids {
		var page holdersPage
		require.NoError(t, json.Unmarshal(ask(t, n, "tokenholders", id), &page))
		require.Len(t, page.Holders, page.Count)
		for _, h := range page.Holders {
			var balance struct{ Balance int }
			require.NotEmpty(t, h.PubKey)
			require.NoError(t, json.Unmarshal(ask(t, n, "tokenbalance", id, h.PubKey), &balance))
			require.Equal(t, balance.Balance, h.Balance)
			held++
		}
		var txs txsPage
		require.NoError(t, json.Unmarshal(ask(t, n, "tokentransactions", id), &txs))
		require.Equal(t, id, txs.Transactions[0].TxID)
	}
	require.Greater(t, held, len(ids), "a token has several holders")

	text(t, ask(t, n, "sendrawtransaction", hexField(t, ask(t, n, "tokencreate", "C", "0.00000007", "it goes on"))))
	ask(t, n, "generate", 1)
	require.JSONEq(t, "9", string(ask(t, n, "getblockcount")))
}

const genesisCoins = 50_0000_0000 // satoshis

func openEarlier(t *testing.T, kv store.KV) (*core.Node, error) {
	c := config.Default()
	c.Passphrase = config.NewSecret("a store that an earlier version wrote")
	c.Chain.Options = params.Defaults()
	for key, value := range map[string]string{"ac_name": "OLD", "ac_supply": "1000", "ac_reward": "100000000", "ac_cc": "2", "ac_sapling": "1"} {
		require.NoError(t, c.Chain.Options.Set(key, value))
	}
	return newNode(t, kv, c)
}

// withoutSupply replaces the values to which the genesis block was added by 0.
func withoutSupply(body string) string {
	return regexp.MustCompile(`"(chainValue|chainValueZat|valueDelta|valueDeltaZat|found)": ?[0-9.]+`).ReplaceAllString(body, `"$1":0`)
}

// supplyOf returns the chain's supply and its transparent part in an answer, if it has them.
func supplyOf(t *testing.T, body json.RawMessage, more int64) (values []int64) {
	type pool struct{ ChainValueZat int64 }
	var answer struct {
		ChainSupply *pool
		ValuePools  []pool
	}
	if json.Unmarshal(body, &answer) != nil || answer.ChainSupply == nil {
		return nil
	}
	return []int64{answer.ChainSupply.ChainValueZat + more, answer.ValuePools[0].ChainValueZat + more, answer.ValuePools[3].ChainValueZat}
}

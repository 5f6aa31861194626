package activate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc"
	"obverse/core/mmrpc/history"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/servertest"
	"obverse/core/wallet/coin"
)

// TestHistoryIndexer checks that indexers are validated before anything is activated, and that
// their URLs, which may contain keys, are not returned.
func TestHistoryIndexer(t *testing.T) {
	b := servertest.NewEthBench(t, func(_ *servertest.EthBench, active *coin.Active) mmrpc.Area { return history.History{Active: active} })
	for indexer, want := range map[string]string{
		`"https://a.example"`:                                         `history_indexer`,
		`{"type":"Blockscout"}`:                                       `history_indexer.url`,
		`{"url":"https://a.example"}`:                                 `history_indexer.type`,
		`{"type":"Other","url":"https://a.example"}`:                  `history_indexer.type`,
		`{"type":"Etherscan","url":"https://u:secret@a.example"}`:     `history_indexer.url`,
		`{"type":"EtherscanProxy","url":"https://a","token_url":"x"}`: `history_indexer.url`,
	} {
		status, reply := b.Ask(t, servertest.EnablingEth(`],"tx_history":true,"history_indexer":`+indexer))
		require.Equal(t, 400, status, reply)
		require.Contains(t, reply, want)
		require.NotContains(t, reply, "secret")
	}
	status, reply := b.Ask(t, servertest.EnablingEth(`],"tx_history":true,"history_indexer":null`))
	require.Equal(t, 200, status, reply)
	_, reply = b.Ask(t, mmrpctest.Request("my_tx_history", `{"coin":"ETH"}`))
	require.Contains(t, reply, `"error_type":"StorageIsNotInitialized"`, "this bench has no store")
}

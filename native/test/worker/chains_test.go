package worker

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc/mmrpctest"
)

// TestChains activates coins of a Cosmos chain and of an EVM network over fetch, and checks their
// balances. The coins must be active again after the object was evicted.
func TestChains(t *testing.T) {
	t.Parallel()
	states := mmrpctest.ReadStates(t, filepath.Join(vectors, "states.json"))
	c := openEdge(t).callee(t, map[string]any{"passphrase": states.Passphrase})
	iris := c.succeeds("enable_tendermint_with_assets", c.Fill(`{"ticker":"IRIS","nodes":[{"url":"<IRIS>"}],"tokens_params":[{"ticker":"ATOM-IBC_IRIS"}]}`))
	require.Contains(t, iris, `"balance":{"spendable":"44.147264"`)
	require.Contains(t, iris, `"ATOM-IBC_IRIS":{"spendable":"0.028306"`)
	eth := c.succeeds("enable_eth_with_tokens", c.Fill(`{"ticker":"ETH","nodes":[{"url":"<ETH>"}],"erc20_tokens_requests":[],
		"swap_contract_address":"0x24ABE4c71FC658C91313b6552cd40cD808b3Ea80"}`))
	require.Contains(t, eth, `"spendable":"2.500000000000000001"`)
	require.Contains(t, c.succeeds("my_balance", `{"coin":"ETH"}`), `"2.500000000000000001"`)
	c.evict()
	for coin, balance := range map[string]string{"IRIS": "44.147264", "ATOM-IBC_IRIS": "0.028306", "ETH": "2.500000000000000001"} {
		require.Eventually(t, func() bool {
			status, reply := c.rpc("my_balance", `{"coin":"`+coin+`"}`)
			return status == http.StatusOK && strings.Contains(string(reply), `"`+balance+`"`)
		}, timeout, 50*time.Millisecond, coin)
	}
}

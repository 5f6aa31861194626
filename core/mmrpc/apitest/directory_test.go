package apitest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core"
	"obverse/core/rpc"
	"obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/directory"
	evmtest "obverse/core/wallet/evm/nodetest"
)

// TestTokensOfTheDirectory checks that tokens in the directory need no coins file, and are also
// found by their contract.
func TestTokensOfTheDirectory(t *testing.T) {
	const bat, contract = "BAT-ERC20", "0x0D8775F648430679A709E98d2b0Cb6250d2887EF"
	node := evmtest.New(1, 100).Deploy(contract, 18)
	network := nodetest.NewNet()
	network.Set(ethURL, node.Well)
	protocol := `,"protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":"` + contract + `"}}`
	for _, known := range []core.Directory{nil, directory.Default{}} {
		for name, named := range map[string]string{"by ticker": "", "by contract": protocol} {
			n := newNode(t, settingsOf("directory test seed"), core.Platform{Fetch: network, Directory: known})
			status, reply := n.RPC(t.Context(), rpc.Caller{Local: true}, []byte(`{"mmrpc":"2.0","userpass":"`+statesUser+`","method":"enable_eth_with_tokens","params":{"ticker":"ETH",
				"nodes":[{"url":"`+ethURL+`"}],"swap_contract_address":"`+evmSwaps+`","erc20_tokens_requests":[{"ticker":"`+bat+`"`+named+`}]}}`))
			want := 200
			if known == nil && named == "" {
				want = 400
			}
			require.Equal(t, want, status, "%s: %s", name, reply)
		}
	}
}

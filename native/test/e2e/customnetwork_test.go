package e2e

import (
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/native/test/anvil"
	"obverse/native/test/contracts"
)

// TestCustomNetwork activates a network by its URL, with a token, and checks that both are active
// after a kill.
func TestCustomNetwork(t *testing.T) {
	t.Parallel()
	address, _ := ethAddress(t)
	n := anvil.Start(t, 31337)
	contract := n.Deploy(contracts.Token20, 6)
	n.Do(contract, "mint(address,uint256)", address, 2_500_001)
	n.Give(address, big.NewInt(3_000_000_000_000_000_000))
	l := newLaunch(t)
	c := l.callee(t)
	require.Contains(t, string(c.succeeds("test_coin_nodes", `{"nodes":[{"url":"`+n.URL+`"}]}`)), `"ok":true,"chain_id":"31337"`)
	enabling := func(ticker, network string) string {
		return `{"ticker":"` + ticker + `","network":` + network + `,"nodes":[{"url":"` + n.URL + `"}],"swap_contract_address":"0x9130b257D37A52E52F21054c4DA3450c72f595CE",` +
			`"erc20_tokens_requests":[{"ticker":"MINE","protocol":{"type":"ERC20","protocol_data":{"platform":"` + ticker + `","contract_address":"` + contract + `"}}}]}`
	}
	for _, wrong := range []string{enabling("LOCAL", `{"chain_id":137}`), enabling("BNB", `{"chain_id":31337}`), enabling("LO CAL", `{"chain_id":31337}`), enabling("LOCAL", `{}`)} {
		kind, _ := c.refuses("enable_eth_with_tokens", wrong)
		require.Equal(t, "InvalidRequest", kind, wrong)
	}
	kind, _ := c.refuses("enable_eth_with_tokens", enabling("LOCAL", `{"chain_id":31338}`))
	require.Equal(t, "Transport", kind)
	enabled := string(c.succeeds("enable_eth_with_tokens", enabling("LOCAL", `{"chain_id":31337,"name":"My chain"}`)))
	require.Contains(t, enabled, `"spendable":"3"`)
	require.Contains(t, enabled, `"MINE":{"spendable":"2.500001"`)

	c.kill()
	c = l.callee(t)
	c.enabled(2)
	c.withdraws(`{"coin":"LOCAL","to":"` + anvil.Rich + `","amount":"0.5"}`)
	require.Contains(t, string(c.succeeds("my_balance", `{"coin":"MINE"}`)), `"balance":"2.500001"`)
}

// TestWebSocketNode activates a network by the websocket of its node, together with unusable nodes.
// It sends coins over the websocket, also after a kill.
func TestWebSocketNode(t *testing.T) {
	t.Parallel()
	address, _ := ethAddress(t)
	n := anvil.Start(t, 31337)
	n.Give(address, big.NewInt(3_000_000_000_000_000_000))
	l := newLaunch(t)
	c := l.callee(t)
	socket := "ws" + strings.TrimPrefix(n.URL, "http")
	require.Contains(t, string(c.succeeds("test_coin_nodes", `{"nodes":[{"url":" `+socket+`\n"}]}`)), `"ok":true,"chain_id":"31337"`)
	enabled := string(c.succeeds("enable_eth_with_tokens", `{"ticker":"LOCAL","network":{"chain_id":31337},"nodes":[{"url":"tcp://127.0.0.1:1"},{"url":"`+socket+`"},{"url":"http://"}],`+
		`"swap_contract_address":"0x9130b257D37A52E52F21054c4DA3450c72f595CE","erc20_tokens_requests":[]}`))
	require.Contains(t, enabled, `"spendable":"3"`)
	require.Contains(t, string(c.succeeds("get_coin_nodes", `{"coin":"LOCAL"}`)), `[{"url":"`+socket+`","state":"in_use"},`+
		`{"url":"tcp://127.0.0.1:1","state":"left_out","reason":"its scheme is not http, https, ws or wss"},{"url":"http://","state":"left_out","reason":"it has no host"}]`)
	c.withdraws(`{"coin":"LOCAL","to":"` + anvil.Rich + `","amount":"0.5"}`)

	c.kill()
	c = l.callee(t)
	c.enabled(1)
	c.withdraws(`{"coin":"LOCAL","to":"` + anvil.Rich + `","amount":"0.5"}`)
}

package e2e

import (
	"encoding/hex"
	"encoding/json"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/native/test/anvil"
	"obverse/native/test/contracts"
)

// text decodes a JSON string.
func text(t *testing.T, raw json.RawMessage) (s string) {
	t.Helper()
	require.NoError(t, json.Unmarshal(raw, &s))
	return s
}

// TestCustomToken imports a token by its contract on a real network, approves a spender, and checks
// both after a kill.
func TestCustomToken(t *testing.T) {
	t.Parallel()
	address, _ := ethAddress(t)
	n := anvil.Start(t, 1)
	contract := n.Deploy(contracts.Token20, 6)
	n.Do(contract, "mint(address,uint256)", address, 2_500_001)
	n.Give(address, big.NewInt(3_000_000_000_000_000_000))
	l := newLaunch(t)
	c := l.callee(t)
	c.succeeds("enable_eth_with_tokens", enablingEth(`[]`, n.URL))
	protocol := `"protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":"` + contract + `"}}`
	require.Contains(t, string(c.succeeds("get_token_info", `{`+protocol+`}`)), `"decimals":6}`)
	enabled := c.succeeds("enable_erc20", `{"ticker":"MINE","activation_params":{},`+protocol+`}`)
	require.Contains(t, string(enabled), `"spendable":"2.500001"`)
	require.Equal(t, "0", text(t, c.succeeds("get_token_allowance", `{"coin":"MINE","spender":"`+anvil.Rich+`"}`)))
	hash := text(t, c.succeeds("approve_token", `{"coin":"MINE","spender":"`+anvil.Rich+`","amount":"1.5"}`))
	require.Eventually(t, func() bool {
		return text(t, c.succeeds("get_token_allowance", `{"coin":"MINE","spender":"`+anvil.Rich+`"}`)) == "1.5"
	}, time.Minute, 10*time.Millisecond, "the approval is in a block")
	n.Do(contract, "transferFrom(address,address,uint256)", address, anvil.Rich, 1_000_000)

	c.kill()
	c = l.callee(t)
	c.enabled(2)
	require.Equal(t, "0.5", text(t, c.succeeds("get_token_allowance", `{"coin":"MINE","spender":"`+anvil.Rich+`"}`)))
	require.Contains(t, string(c.succeeds("my_balance", `{"coin":"MINE"}`)), `"balance":"1.500001"`)

	raw := rawTransaction(t, c, "get_raw_transaction", `{"coin":"MINE","tx_hash":"`+hash+`"}`)
	require.Contains(t, raw, strings.ToLower(contract[2:]))
	signed := rawTransaction(t, c, "sign_raw_transaction", `{"coin":"ETH","type":"ETH","tx":{"to":"`+anvil.Rich+`","value":"0.25","gas_limit":"21000"}}`)
	sent := string(c.succeeds("send_raw_transaction", `{"coin":"ETH","tx_hex":"`+signed+`","required_confirmations":1}`))
	_, name, _ := strings.Cut(sent, `"tx_hash":"`)
	require.Equal(t, signed, rawTransaction(t, c, "get_raw_transaction", `{"coin":"ETH","tx_hash":"`+name[:64]+`"}`))
	code, err := contracts.Code(contracts.Token721)
	require.NoError(t, err)
	signed = rawTransaction(t, c, "sign_raw_transaction", `{"coin":"ETH","type":"ETH","tx":{"data":"`+hex.EncodeToString(code)+`","gas_limit":5000000,`+
		`"pay_for_gas":{"tx_type":"Legacy","gas_price":"20"}}}`)
	require.Contains(t, string(c.succeeds("send_raw_transaction", `{"coin":"ETH","tx_hex":"`+signed+`","required_confirmations":1}`)), `"confirmations":1`)
	ended, _ := c.stop()
	require.Zero(t, ended)
}

func rawTransaction(t *testing.T, c *callee, method, params string) string {
	t.Helper()
	var raw struct {
		Hex string `json:"tx_hex"`
	}
	require.NoError(t, json.Unmarshal(c.succeeds(method, params), &raw))
	return raw.Hex
}

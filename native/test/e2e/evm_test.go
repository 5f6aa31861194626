package e2e

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/evm/address"
	"obverse/native/test/anvil"
	"obverse/native/test/contracts"
)

const swapContract = "0x24ABE4c71FC658C91313b6552cd40cD808b3Ea80"

// ethAddress returns the address of the nodes' passphrase, and its uncompressed public key.
func ethAddress(t *testing.T) (text, public string) {
	t.Helper()
	ring, err := key.Open(passphrase, false)
	require.NoError(t, err)
	a, err := address.FromKey(ring.Node().PublicKey())
	require.NoError(t, err)
	all, err := address.Uncompress(ring.Node().PublicKey())
	require.NoError(t, err)
	return a.String(), hex.EncodeToString(all[:])
}

// chainWithTokens returns an Ethereum network with two tokens, some of which belong to the node,
// and a coins file with the tokens.
func chainWithTokens(t *testing.T, l *launch) (*anvil.Network, string) {
	t.Helper()
	address, _ := ethAddress(t)
	n := anvil.Start(t, 1)
	small, large := n.Deploy(contracts.Token20, 6), n.Deploy(contracts.Token20, 18)
	n.Do(small, "mint(address,uint256)", address, 12_345_678)
	n.Do(large, "mint(address,uint256)", address, new(big.Int).Add(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(7)))
	wei, _ := new(big.Int).SetString("2500000000000000001", 10)
	n.Give(address, wei)
	list := fmt.Sprintf(`[{"coin":"SIX-ERC20","mm2":1,"protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":%q}}},`+
		`{"coin":"HUGE-ERC20","mm2":1,"decimals":18,"required_confirmations":2,"protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":%q}}},`+
		`{"coin":"NONE-ERC20","mm2":1,"protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":"0x00000000000000000000000000000000000000ff"}}}]`,
		small, strings.ToLower(large))
	l.coins(t, list)
	return n, address
}

// coins sets the coins file of the node.
func (l *launch) coins(t *testing.T, list string) {
	t.Helper()
	path := filepath.Join(l.dir, "coins")
	require.NoError(t, os.WriteFile(path, []byte(list), 0o600))
	l.args = append(l.args, "coins="+path)
}

func enablingEth(tokens string, urls ...string) string {
	nodes, _ := json.Marshal(urls)
	list := strings.ReplaceAll(strings.ReplaceAll(string(nodes), `","`, `"},{"url":"`), `["`, `[{"url":"`)
	return `{"ticker":"ETH","swap_contract_address":"` + swapContract + `","erc20_tokens_requests":` + tokens + `,"nodes":` +
		strings.Replace(list, `"]`, `"}]`, 1) + `}`
}

const huge = "57896044618658097711785492504343953926634992332820282019728.792003956564819975"

// TestEthereum tests the functions of a wallet on a real EVM: activation, balances, sending, a
// crash, and disabling.
func TestEthereum(t *testing.T) {
	t.Parallel()
	l := newLaunch(t)
	n, address := chainWithTokens(t, &l)
	_, public := ethAddress(t)
	other := anvil.Start(t, 137)
	c := l.callee(t)
	const tokens = `[{"ticker":"SIX-ERC20"},{"ticker":"HUGE-ERC20","required_confirmations":1}]`
	kind, data := c.refuses("enable_eth_with_tokens", enablingEth(tokens, other.URL, "http://"+c.Dead))
	require.Equal(t, "Transport", kind)
	require.Contains(t, data, "Failed to get client version for all nodes")
	require.Contains(t, data, `chain id is \"137\", want \"1\"`)
	require.JSONEq(t, `{"coins":[]}`, string(c.succeeds("get_enabled_coins", `{}`)))
	without := string(c.succeeds("enable_eth_with_tokens", enablingEth(`[{"ticker":"NONE-ERC20"}]`, n.URL)))
	require.Contains(t, without, `"failed_tokens":[{"ticker":"NONE-ERC20","error":"`)
	require.Contains(t, without, "the contract 0x00000000000000000000000000000000000000ff: ")
	require.JSONEq(t, `{"coins":[{"ticker":"ETH"}]}`, string(c.succeeds("get_enabled_coins", `{}`)))
	c.succeeds("disable_coin", `{"coin":"ETH"}`)

	owner := `"derivation_method":{"type":"Iguana"},"pubkey":"` + public + `"`
	result := c.succeeds("enable_eth_with_tokens", enablingEth(tokens, other.URL, "http://"+c.Dead, n.URL))
	require.JSONEq(t, `{"current_block":4,"eth_addresses_infos":{"`+address+`":{`+owner+`,"balances":{"spendable":"2.500000000000000001","unspendable":"0"}}},`+
		`"erc20_addresses_infos":{"`+address+`":{`+owner+`,"balances":{"SIX-ERC20":{"spendable":"12.345678","unspendable":"0"},"HUGE-ERC20":{"spendable":"`+
		huge+`","unspendable":"0"}}}},"nfts_infos":{}}`, string(result))
	require.JSONEq(t, `{"coins":[{"ticker":"ETH"},{"ticker":"SIX-ERC20"},{"ticker":"HUGE-ERC20"}]}`, string(c.succeeds("get_enabled_coins", `{}`)))
	require.JSONEq(t, `{"coin":"HUGE-ERC20","balance":"`+huge+`","unspendable_balance":"0","address":"`+address+`"}`,
		string(c.succeeds("my_balance", `{"coin":"HUGE-ERC20"}`)))
	require.Contains(t, string(c.succeeds("max_maker_vol", `{"coin":"ETH"}`)), `"balance":{"decimal":"2.500000000000000001"`)
	require.Contains(t, string(c.succeeds("max_maker_vol", `{"coin":"SIX-ERC20"}`)), `"volume":{"decimal":"12.345678"`)
	for _, ticker := range []string{"ETH", "SIX-ERC20"} {
		require.Contains(t, string(c.succeeds("get_locked_amount", `{"coin":"`+ticker+`"}`)), `"coin":"`+ticker+`","locked_amount":{"decimal":"0",`)
	}

	require.Contains(t, string(c.succeeds("get_eth_estimated_fee_per_gas", `{"coin":"ETH","estimator_type":"Simple"}`)), `"units":"Gwei"`)
	require.JSONEq(t, `{"is_valid":true}`, string(c.succeeds("validateaddress", `{"coin":"ETH","address":"`+address+`"}`)))
	require.JSONEq(t, `{"address":"`+address+`"}`, string(c.succeeds("convertaddress", `{"coin":"ETH","from":"`+strings.ToLower(address)+`","to_address_format":{"format":"mixedcase"}}`)))

	servers := nodesOf("ETH", `{"url":"`+other.URL+`","state":"left_out","reason":"chain id is \"137\", want \"1\"","retry_at":0}`,
		`{"url":"http://`+c.Dead+`","state":"left_out","reason":"unreachable: connection refused","retry_at":0}`, `{"url":"`+n.URL+`","state":"in_use"}`)
	c.nodesBecome("ETH", servers)
	c.nodesBecome("SIX-ERC20", strings.Replace(servers, "ETH", "SIX-ERC20", 1))

	send(t, c, n, address)
	sendTokens(t, c)
	signMessages(t, c, address)

	c.kill()
	c = l.callee(t)
	c.enabled(3)
	c.nodesBecome("ETH", servers)
	require.Contains(t, string(c.succeeds("my_balance", `{"coin":"SIX-ERC20"}`)), `"balance":"2.345678"`)
	c.succeeds("enable_eth_with_tokens", enablingEth(tokens, n.URL))
	kind, data = c.refuses("enable_eth_with_tokens", enablingEth(tokens, n.URL))
	require.Equal(t, []string{"PlatformIsAlreadyActivated", `"ETH"`}, []string{kind, data})
	require.Contains(t, string(c.succeeds("disable_coin", `{"coin":"SIX-ERC20"}`)), `"passivized":false`)
	require.Contains(t, string(c.succeeds("disable_coin", `{"coin":"ETH"}`)), `"passivized":true`)
	require.Contains(t, string(c.succeeds("disable_coin", `{"coin":"ETH","force_disable":true}`)), `"passivized":false`)
	require.JSONEq(t, `{"coins":[]}`, string(c.succeeds("get_enabled_coins", `{}`)))
	code, _ := c.stop()
	require.Zero(t, code)
}

// TestPolygon tests all methods about balances with MATIC and a token.
func TestPolygon(t *testing.T) {
	t.Parallel()
	address, _ := ethAddress(t)
	n := anvil.Start(t, 137)
	contract := n.Deploy(contracts.Token20, 6)
	n.Do(contract, "mint(address,uint256)", address, 2_500_001)
	n.Give(address, big.NewInt(3_000_000_000_000_000_000))
	l := newLaunch(t)
	l.coins(t, fmt.Sprintf(`[{"coin":"SIX-PLG20","mm2":1,"protocol":{"type":"ERC20","protocol_data":{"platform":"MATIC","contract_address":%q}}}]`, contract))
	c := l.callee(t)
	request := strings.Replace(enablingEth(`[]`, n.URL), `"ETH"`, `"MATIC"`, 1)
	c.succeeds("enable_eth_with_tokens", request)
	c.succeeds("enable_erc20", `{"ticker":"SIX-PLG20"}`)
	require.JSONEq(t, `{"coins":[{"ticker":"MATIC"},{"ticker":"SIX-PLG20"}]}`, string(c.succeeds("get_enabled_coins", `{}`)))
	for ticker, balance := range map[string]string{"MATIC": "3", "SIX-PLG20": "2.500001"} {
		require.JSONEq(t, `{"coin":"`+ticker+`","balance":"`+balance+`","unspendable_balance":"0","address":"`+address+`"}`,
			string(c.succeeds("my_balance", `{"coin":"`+ticker+`"}`)))
		var v struct{ Balance, Volume, Locked struct{ Decimal string } }
		require.NoError(t, json.Unmarshal(c.succeeds("max_maker_vol", `{"coin":"`+ticker+`"}`), &v))
		require.Equal(t, balance, v.Balance.Decimal)
		if ticker == "MATIC" { // the coin that pays the fee
			require.Regexp(t, `^2\.99\d+$`, v.Volume.Decimal)
		} else {
			require.Equal(t, balance, v.Volume.Decimal)
		}
		require.JSONEq(t, `{"coin":"`+ticker+`","locked_amount":{"decimal":"0","rational":[[0,[]],[1,[1]]],"fraction":{"numer":"0","denom":"1"}}}`,
			string(c.succeeds("get_locked_amount", `{"coin":"`+ticker+`"}`)))
	}
	require.JSONEq(t, `{"coin":"SIX-PLG20","cancelled_orders":[],"passivized":false}`, string(c.succeeds("disable_coin", `{"coin":"SIX-PLG20"}`)))
	require.JSONEq(t, `{"coin":"MATIC","cancelled_orders":[],"passivized":false}`, string(c.succeeds("disable_coin", `{"coin":"MATIC"}`)))
	for _, method := range []string{"max_maker_vol", "get_locked_amount"} {
		kind, data := c.refuses(method, `{"coin":"MATIC"}`)
		require.Equal(t, []string{"NoSuchCoin", `{"coin":"MATIC"}`}, []string{kind, data})
	}
}

// recipient is an address without funds.
const recipient = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"

// withdrawn holds the fields of a transaction that tests check.
type withdrawn struct {
	Hex   string `json:"tx_hex"`
	Hash  string `json:"tx_hash"`
	Total string `json:"total_amount"`
	Fee   struct {
		Type  string
		Gas   uint64
		Total string `json:"total_fee"`
		Tip   string `json:"max_priority_fee_per_gas"`
	} `json:"fee_details"`
}

func (c *callee) withdraws(params string) (w withdrawn) {
	c.t.Helper()
	require.NoError(c.t, json.Unmarshal(c.succeeds("withdraw", params), &w))
	return w
}

func send(t *testing.T, c *callee, n *anvil.Network, address string) {
	balanceOf := func(who string) string {
		var text string
		require.NoError(t, json.Unmarshal(n.Ask("eth_getBalance", who, "latest"), &text))
		wei, _ := new(big.Int).SetString(text, 0)
		return wei.String()
	}
	w := c.withdraws(`{"coin":"ETH","to":"` + recipient + `","amount":"0.000000000000000003"}`)
	require.EqualValues(t, 21000, w.Fee.Gas)
	require.Equal(t, "Eth", w.Fee.Type)
	require.NotEmpty(t, w.Fee.Tip, "the network has its own price")
	require.Equal(t, "02", w.Hex[:2])
	require.Equal(t, "0", balanceOf(recipient), "nothing is sent yet")
	sent := c.succeeds("send_raw_transaction", `{"coin":"ETH","tx_hex":"`+w.Hex+`","required_confirmations":1}`)
	require.Contains(t, string(sent), `"tx_hash":"`+w.Hash+`"`)
	require.Contains(t, string(sent), `"confirmations":`)
	require.Equal(t, "3", balanceOf(recipient))
	c.succeeds("send_raw_transaction", `{"coin":"ETH","tx_hex":"`+w.Hex+`"}`) // already sent, which is not an error
	kind, data := c.refuses("send_raw_transaction", `{"coin":"ETH","tx_hex":"`+strings.Replace(w.Hex, "0201", "0202", 1)+`00"}`)
	require.Equal(t, "InvalidRequest", kind, data)

	w = c.withdraws(`{"coin":"ETH","to":"` + recipient + `","amount":"0.1","fee":{"type":"EthGas","gas_price":"3.5","gas":30000},"broadcast":true}`)
	require.Equal(t, "0.000105", w.Fee.Total)
	require.Empty(t, w.Fee.Tip)
	c.succeeds("send_raw_transaction", `{"coin":"ETH","tx_hex":"`+w.Hex+`","required_confirmations":1}`) // already sent
	require.Equal(t, "100000000000000003", balanceOf(recipient))
	for params, want := range map[string]string{
		`"amount":"100"`: "NotSufficientBalance", `"amount":"0"`: "AmountTooLow", `"amount":"1","memo":"x"`: "InvalidMemo",
		`"amount":"0.0000000000000000001"`: "AmountTooLow", `"amount":"1.0000000000000000001"`: "InvalidRequest",
		`"amount":"1","fee":{"type":"CosmosGas","gas_price":1,"gas_limit":1}`: "InvalidFeePolicy",
	} {
		kind, data := c.refuses("withdraw", `{"coin":"ETH","to":"`+recipient+`",`+params+`}`)
		require.Equal(t, want, kind, params+data)
	}
	kind, _ = c.refuses("withdraw", `{"coin":"ETH","to":"`+strings.Replace(recipient, "A", "a", 1)+`","amount":"1"}`)
	require.Equal(t, "InvalidAddress", kind)
}

func sendTokens(t *testing.T, c *callee) {
	w := c.withdraws(`{"coin":"SIX-ERC20","to":"` + recipient + `","amount":"10","broadcast":true}`)
	require.Equal(t, "10", w.Total)
	require.Greater(t, w.Fee.Gas, uint64(21000), "what the network estimates")
	c.succeeds("send_raw_transaction", `{"coin":"SIX-ERC20","tx_hex":"`+w.Hex+`","required_confirmations":1}`)
	require.Contains(t, string(c.succeeds("my_balance", `{"coin":"SIX-ERC20"}`)), `"balance":"2.345678"`)
	w = c.withdraws(`{"coin":"HUGE-ERC20","to":"` + recipient + `","max":true,"broadcast":true}`)
	require.Equal(t, huge, w.Total)
	c.succeeds("send_raw_transaction", `{"coin":"HUGE-ERC20","tx_hex":"`+w.Hex+`","required_confirmations":1}`)
	kind, _ := c.refuses("withdraw", `{"coin":"HUGE-ERC20","to":"`+recipient+`","max":true}`)
	require.Equal(t, "ZeroBalanceToWithdrawMax", kind)
	kind, data := c.refuses("withdraw", `{"coin":"SIX-ERC20","to":"`+recipient+`","amount":"1","fee":{"type":"EthGas","gas_price":"1000000","gas":1000000000}}`)
	require.Equal(t, "NotSufficientPlatformBalanceForFee", kind)
	require.Contains(t, data, `"coin":"ETH"`)
}

func signMessages(t *testing.T, c *callee, address string) {
	var signed struct{ Signature string }
	require.NoError(t, json.Unmarshal(c.succeeds("sign_message", `{"coin":"ETH","message":"hello"}`), &signed))
	for who, want := range map[string]string{address: "true", recipient: "false"} {
		require.JSONEq(t, `{"is_valid":`+want+`}`, string(c.succeeds("verify_message", `{"coin":"ETH","message":"hello","address":"`+who+
			`","signature":"`+signed.Signature+`"}`)))
	}
}

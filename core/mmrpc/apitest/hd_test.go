package apitest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core"
	"obverse/core/event"
	"obverse/core/rpc"
	"obverse/core/wallet/cosmos/nodetest"
	evmtest "obverse/core/wallet/evm/nodetest"
)

// Addresses of two well-known phrases, as derived by other wallets.
const (
	junkPhrase  = "test test test test test test test test test test test junk"
	junk0       = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
	junk1       = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
	junk2       = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
	junk3       = "0x90F79bf6EB2c4f870365E785982E1f101E93b906"
	canoePhrase = "emerge canoe salmon dolphin glow priority random become gasp sell blade argue"
	canoe0      = "cosmos1nv4mqaky7n7rqjhch7829kgypx5s8fh62wdtr8"
	canoe1      = "cosmos134h9tv7866jcuw708w5w76lcfx7s3x2ysyalxy"
	sixToken    = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"
)

// hdNode is a running node with an HD wallet.
type hdNode struct {
	t   *testing.T
	n   *core.Node
	eth *evmtest.Node
	hub *nodetest.Node
}

func newHDNode(t *testing.T, phrase string, coins ...string) *hdNode {
	t.Helper()
	x := &hdNode{t: t, eth: evmtest.New(1, 100).Deploy(sixToken, 6),
		hub: nodetest.Open(t, filepath.Join("..", "..", "wallet", "cosmos", "testdata"), "gaiad")}
	x.hub.OnChain("cosmoshub-4")
	network := nodetest.NewNet()
	network.Set(hubURL, nodetest.Well(x.hub))
	network.Set(ethURL, x.eth.Well)
	c := settingsOf(phrase)
	c.EnableHD = true
	c.CoinList = json.RawMessage(`[{"coin":"SIX-ERC20","mm2":1,"protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":"` + sixToken + `"}}}` + strings.Join(append([]string{""}, coins...), ",") + `]`)
	x.n = newNode(t, c, core.Platform{Fetch: network})
	run(t, x.n)
	return x
}

// ask returns the complete answer to a request.
func (x *hdNode) ask(body string) (int, string) {
	x.t.Helper()
	status, reply := x.n.RPC(x.t.Context(), rpc.Caller{Local: true}, []byte(`{"userpass":"`+statesUser+`",`+body+`}`))
	return status, string(reply)
}

func (x *hdNode) call(method, params string) (int, string) {
	x.t.Helper()
	return x.ask(`"mmrpc":"2.0","method":"` + method + `","params":` + params)
}

// ok calls a method, which must succeed, and returns the result.
func (x *hdNode) ok(method, params string) string {
	x.t.Helper()
	status, reply := x.call(method, params)
	require.Equal(x.t, 200, status, "%s %s: %s", method, params, reply)
	var answer struct{ Result json.RawMessage }
	require.NoError(x.t, json.Unmarshal([]byte(reply), &answer))
	return string(answer.Result)
}

// refused calls a method, which must fail with the given error.
func (x *hdNode) refused(method, params string, status int, kind, data string) {
	x.t.Helper()
	got, reply := x.call(method, params)
	require.Equal(x.t, status, got, reply)
	require.Contains(x.t, reply, `"error_type":"`+kind+`"`)
	require.Contains(x.t, reply, data)
}

// task runs a task, and returns its final state and details.
func (x *hdNode) task(kind, params string) (state, details string) {
	x.t.Helper()
	var started struct {
		ID int `json:"task_id"`
	}
	require.NoError(x.t, json.Unmarshal([]byte(x.ok(kind+"::init", params)), &started))
	for {
		var status struct {
			Status  string
			Details json.RawMessage
		}
		require.NoError(x.t, json.Unmarshal([]byte(x.ok(kind+"::status", fmt.Sprintf(`{"task_id":%d}`, started.ID))), &status))
		if status.Status != "InProgress" {
			return status.Status, string(status.Details)
		}
		time.Sleep(time.Millisecond) // yields, since js/wasm has a single thread
	}
}

func (x *hdNode) done(kind, params string) string {
	x.t.Helper()
	state, details := x.task(kind, params)
	require.Equal(x.t, "Ok", state, details)
	return details
}

const enableHD = `{"ticker":"ETH","nodes":[{"url":"` + ethURL + `"}],"swap_contract_address":"` + evmSwaps + `","erc20_tokens_requests":[{"ticker":"SIX-ERC20"}]`

// held returns a balance of the coin and the token.
func held(eth, six string) string {
	return `{"ETH":{"spendable":"` + eth + `","unspendable":"0"},"SIX-ERC20":{"spendable":"` + six + `","unspendable":"0"}}`
}

func addressBalance(address, path, balance string) string {
	return `{"address":"` + address + `","derivation_path":"` + path + `","chain":"External","balance":` + balance + `}`
}

// TestAccountsOfEVM checks that the answers have the members of Komodo DeFi Framework's in the
// same order.
func TestAccountsOfEVM(t *testing.T) {
	x := newHDNode(t, junkPhrase)
	x.eth.Give(junk0, "500000000000000000").Nonce(junk1, 1).GiveToken(sixToken, junk3, "1500000")
	addresses := `[` + strings.Join([]string{
		addressBalance(junk0, "m/44'/60'/0'/0/0", held("0.5", "0")), addressBalance(junk1, "m/44'/60'/0'/0/1", held("0", "0")),
		addressBalance(junk2, "m/44'/60'/0'/0/2", held("0", "0")), addressBalance(junk3, "m/44'/60'/0'/0/3", held("0", "1.5"))}, ",") + `]`
	account := `{"account_index":0,"derivation_path":"m/44'/60'/0'","total_balance":` + held("0.5", "1.5") + `,"addresses":` + addresses + `}`
	before := x.eth.Requests()
	require.Equal(t, `{"current_block":100,"ticker":"ETH","wallet_balance":{"wallet_type":"HD","accounts":[`+account+`]},"nfts_infos":{}}`,
		x.ok("enable_eth_with_tokens", enableHD+`,"get_balances":false,"gap_limit":20}`))
	require.LessOrEqual(t, x.eth.Requests()-before, 8, "batches, not a request for each address")
	require.Equal(t, account, x.done("task::account_balance", `{"coin":"ETH","account_index":0}`))
	six := `{"SIX-ERC20":{"spendable":"1.5","unspendable":"0"}}`
	require.Contains(t, x.done("task::account_balance", `{"coin":"SIX-ERC20","account_index":0}`), `"total_balance":`+six)
	require.Equal(t, `{"account_index":0,"derivation_path":"m/44'/60'/0'","addresses":[`+addressBalance(junk3, "m/44'/60'/0'/0/3", held("0", "1.5"))+`],`+
		`"page_balance":`+held("0", "1.5")+`,"limit":3,"skipped":3,"total":4,"total_pages":2,"paging_options":{"PageNumber":2}}`,
		x.ok("account_balance", `{"coin":"ETH","account_index":0,"chain":"External","limit":3,"paging_options":{"PageNumber":2}}`))
	require.Contains(t, x.ok("account_balance", `{"coin":"ETH","account_index":0,"chain":"External","paging_options":{"FromId":2}}`), `"skipped":3,"total":4,"total_pages":1,"paging_options":{"FromId":2}}`)

	require.Contains(t, x.ok("get_new_address", `{"coin":"ETH","account_id":0,"chain":"External","gap_limit":20}`),
		`{"new_address":{"address":"0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65","derivation_path":"m/44'/60'/0'/0/4","chain":"External","balance":`+held("0", "0"))
	require.Contains(t, x.done("task::get_new_address", `{"coin":"ETH","account_id":0}`), `"derivation_path":"m/44'/60'/0'/0/5"`)
	x.refused("get_new_address", `{"coin":"ETH","account_id":0,"gap_limit":2}`, 400, "EmptyAddressesLimitReached", `"error_data":{"gap_limit":2}`)

	x.eth.Give("0xa0Ee7A142d267C1f36714E4a8F75612F20a79720", "7")
	found := x.done("task::scan_for_new_addresses", `{"coin":"ETH","account_index":0,"gap_limit":4}`)
	require.Contains(t, found, `{"account_index":0,"derivation_path":"m/44'/60'/0'","new_addresses":[`)
	require.Equal(t, 4, strings.Count(found, `"address"`), "the sixth to the ninth")
	require.Equal(t, `{"account_index":0,"derivation_path":"m/44'/60'/0'","new_addresses":[]}`, x.done("task::scan_for_new_addresses", `{"coin":"ETH","account_index":0,"gap_limit":4}`))

	created := x.done("task::create_new_account", `{"coin":"ETH"}`)
	require.Contains(t, created, `{"account_index":1,"derivation_path":"m/44'/60'/1'","total_balance":`+held("0", "0"))
	state, failed := x.task("task::create_new_account", `{"coin":"ETH","account_id":1}`)
	require.Equal(t, "Error", state)
	require.Contains(t, failed, "account 1 exists already")
	state, failed = x.task("task::account_balance", `{"coin":"ETH","account_index":2}`)
	require.Equal(t, "Error", state)
	require.Contains(t, failed, `"error_type":"UnknownAccount","error_data":{"account_id":2}`)
	x.refused("get_new_address", `{"coin":"ETH","account_id":2}`, 400, "UnknownAccount", "HD account '2' is not activated")
	for _, id := range []string{"2147483648", "4294967295", "4294967296", "-1"} {
		for _, params := range []string{"get_new_address account_id", "account_balance account_index", "task::account_balance::init account_index",
			"task::create_new_account::init account_id", "task::scan_for_new_addresses::init account_index"} {
			method, name, _ := strings.Cut(params, " ")
			x.refused(method, `{"coin":"ETH","`+name+`":`+id+`}`, 400, "InvalidRequest", "integer `"+id+"`, expected a whole number from 0 to 2147483647 (parameter \\\""+name+"\\\")")
		}
		x.refused("get_private_keys", `{"coins":["ETH"],"account_index":`+id+`}`, 400, "InvalidRequest", "expected a whole number from 0 to 2147483647")
		x.refused("enable_eth_with_tokens", `{"ticker":"ETH","nodes":[],"swap_contract_address":"0x24ABE4c71FC658C91313b6552cd40cD808b3Ea80","erc20_tokens_requests":[],"path_to_address":{"account_id":`+id+`}}`, 400, "InvalidRequest", "expected a whole number from 0 to 2147483647")
	}
}

// TestOldMethodsOfAnHDWallet checks that methods that do not support accounts use the first
// address.
func TestOldMethodsOfAnHDWallet(t *testing.T) {
	x := newHDNode(t, junkPhrase)
	x.eth.Give(junk0, "500000000000000000").Give(junk2, "900000000000000000").GiveToken(sixToken, junk0, "2500000")
	x.ok("enable_eth_with_tokens", strings.ReplaceAll(enableHD, `{"ticker":"SIX-ERC20"}`, "")+`,"scan_policy":"do_not_scan"}`)
	require.Contains(t, x.ok("enable_erc20", `{"ticker":"SIX-ERC20","activation_params":{}}`), `{"balances":{"`+junk0+`":{"spendable":"2.5","unspendable":"0"}},"platform_coin":"ETH"`)
	status, reply := x.ask(`"method":"my_balance","coin":"ETH"`)
	require.Equal(t, 200, status)
	require.JSONEq(t, `{"coin":"ETH","balance":"0.5","unspendable_balance":"0","address":"`+junk0+`"}`, reply)
	status, reply = x.ask(`"method":"get_enabled_coins"`)
	require.Equal(t, 200, status)
	require.JSONEq(t, `{"result":[{"address":"`+junk0+`","ticker":"ETH"},{"address":"`+junk0+`","ticker":"SIX-ERC20"}]}`, reply)

	send := func(from string) string {
		return `{"coin":"ETH","to":"` + evmReceiver + `","amount":"0.1","from":` + from + `}`
	}
	third := `{"account_id":0,"chain":"External","address_id":2}`
	require.Contains(t, x.ok("withdraw", send(third)), `"from":["`+junk2+`"]`)
	require.Contains(t, x.done("task::withdraw", send(`{"derivation_path":"m/44'/60'/0'/0/2"}`)), `"from":["`+junk2+`"]`)
	x.refused("withdraw", send(`{"account_id":3,"chain":"External","address_id":2}`), 400, "UnknownAccount", `"error_data":{"account_id":3}`)
	x.refused("withdraw", send(`{"derivation_path":"m/44'/118'/0'/0/2"}`), 400, "UnexpectedFromAddress", "m/44'/118'/0'/0/2")

	signed := x.ok("sign_message", `{"coin":"ETH","message":"hello","address":`+third+`}`)
	var signature struct{ Signature string }
	require.NoError(t, json.Unmarshal([]byte(signed), &signature))
	for address, valid := range map[string]string{junk2: "true", junk0: "false"} {
		require.Contains(t, x.ok("verify_message", `{"coin":"ETH","message":"hello","signature":"`+signature.Signature+`","address":"`+address+`"}`), valid)
	}
	x.refused("sign_message", `{"coin":"ETH","message":"hello","address":{"account_id":3,"chain":"External","address_id":0}}`, 400, "UnknownAccount", "Unknown '3' account")
	x.refused("sign_message", `{"coin":"ETH","message":"hello","address":{"derivation_path":"m/44'/1'/0'/0/2"}}`, 400, "InvalidRequest", "m/44'/1'/0'/0/2")
}

// TestEnableOfAnHDWallet checks that enable does not search for accounts, so that a later
// method still does.
func TestEnableOfAnHDWallet(t *testing.T) {
	x := newHDNode(t, junkPhrase)
	x.eth.Give(junk0, "500000000000000000").Give(junk2, "1")
	status, reply := x.ask(`"method":"enable","coin":"ETH","urls":["` + ethURL + `"],"swap_contract_address":"` + evmSwaps + `"`)
	require.Equal(t, 200, status, reply)
	require.Contains(t, reply, `"address":"`+junk0+`"`)
	require.Contains(t, reply, `"balance":"0.5"`)
	require.Equal(t, 1, strings.Count(x.done("task::account_balance", `{"coin":"ETH","account_index":0}`), `"address"`))
	x.ok("disable_coin", `{"coin":"ETH"}`)
	require.Equal(t, 3, strings.Count(x.ok("enable_eth_with_tokens", enableHD+`}`), `"address"`))
}

// TestTokenOfAnHDWallet checks that a token that is enabled later has the accounts of its
// platform.
func TestTokenOfAnHDWallet(t *testing.T) {
	x := newHDNode(t, junkPhrase)
	x.eth.Give(junk1, "1").GiveToken(sixToken, junk1, "1500000")
	x.ok("enable_eth_with_tokens", strings.ReplaceAll(enableHD, `{"ticker":"SIX-ERC20"}`, "")+`}`)
	six := func(units string) string { return `{"SIX-ERC20":{"spendable":"` + units + `","unspendable":"0"}}` }
	require.Equal(t, `{"ticker":"SIX-ERC20","platform_coin":"ETH","token_contract_address":"`+strings.ToLower(sixToken)+`","current_block":100,"required_confirmations":3,`+
		`"wallet_balance":{"wallet_type":"HD","accounts":[{"account_index":0,"derivation_path":"m/44'/60'/0'","total_balance":`+six("1.5")+`,"addresses":[`+
		addressBalance(junk0, "m/44'/60'/0'/0/0", six("0"))+`,`+addressBalance(junk1, "m/44'/60'/0'/0/1", six("1.5"))+`]}]}}`,
		x.done("task::enable_erc20", `{"ticker":"SIX-ERC20","activation_params":{}}`))
	x.refused("task::enable_erc20::init", `{"ticker":"SIX-ERC20","activation_params":{}}`, 400, "TokenIsAlreadyActivated", `"SIX-ERC20"`)
}

// TestAccountsOfCosmosChains checks that Cosmos chains have accounts too, unlike in Komodo DeFi
// Framework.
func TestAccountsOfCosmosChains(t *testing.T) {
	x := newHDNode(t, canoePhrase)
	x.hub.Give(canoe0, "uatom", "1000000")
	x.hub.Give(canoe1, "uatom", "2500000")
	require.Contains(t, x.ok("enable_tendermint_with_assets", `{"ticker":"ATOM","tokens_params":[],"tx_history":true,"nodes":[{"url":"`+hubURL+`"}]}`),
		`"address":"`+canoe0+`"`)
	atoms := func(amount string) string { return `{"ATOM":{"spendable":"` + amount + `","unspendable":"0"}}` }
	require.Equal(t, `{"account_index":0,"derivation_path":"m/44'/118'/0'","total_balance":`+atoms("1")+`,"addresses":[`+addressBalance(canoe0, "m/44'/118'/0'/0/0", atoms("1"))+`]}`,
		x.done("task::account_balance", `{"coin":"ATOM","account_index":0}`))
	require.Equal(t, `{"new_address":`+addressBalance(canoe1, "m/44'/118'/0'/0/1", atoms("2.5"))+`}`, x.ok("get_new_address", `{"coin":"ATOM","account_id":0}`))
	keys := x.ok("get_private_keys", `{"coins":["ATOM"],"start_index":4,"end_index":4}`)
	_, fourth, _ := strings.Cut(keys, `"address":"`)
	fourth, _, _ = strings.Cut(fourth, `"`)
	x.hub.Give(fourth, "uatom", "7000000")
	found := x.done("task::scan_for_new_addresses", `{"coin":"ATOM","account_index":0,"gap_limit":3}`)
	require.Equal(t, 3, strings.Count(found, `"address"`), "the third to the fifth")
	require.Contains(t, found, addressBalance(fourth, "m/44'/118'/0'/0/4", atoms("7")))
	created := x.done("task::create_new_account", `{"coin":"ATOM","account_id":5,"gap_limit":1}`)
	require.Contains(t, created, `{"account_index":5,"derivation_path":"m/44'/118'/5'","total_balance":`+atoms("0"))
	status, reply := x.ask(`"method":"my_balance","coin":"ATOM"`)
	require.Equal(t, 200, status)
	require.JSONEq(t, `{"coin":"ATOM","balance":"1","unspendable_balance":"0","address":"`+canoe0+`"}`, reply)
	signed := x.ok("sign_message", `{"coin":"ATOM","message":"hello","address":{"account_id":0,"chain":"External","address_id":1}}`)
	var proof map[string]any
	require.NoError(t, json.Unmarshal([]byte(signed), &proof))
	require.Contains(t, x.ok("verify_message", fmt.Sprintf(`{"coin":"ATOM","message":"hello","signature":%q,"address":%q}`, proof["signature"], canoe1)), "true")
	for target, status := range map[string]int{`{"type":"iguana"}`: 200, `{"type":"account_id","account_id":0}`: 200,
		`{"type":"address_id","account_id":0,"chain":"External","address_id":0}`: 200, `{"type":"address_id","account_id":0,"chain":"External","address_id":1}`: 200,
		`{"type":"address_id","account_id":0,"chain":"External","address_id":99}`: 400, `{"type":"address_id","account_id":0,"chain":"Internal","address_id":0}`: 400,
		`{"type":"address_id","account_id":9,"chain":"External","address_id":0}`: 400} {
		got, reply := x.call("my_tx_history", `{"coin":"ATOM","target":`+target+`}`)
		require.Equal(t, status, got, reply)
		require.Equal(t, status == 400, strings.Contains(reply, `"error_type":"InvalidTarget"`), reply)
	}
	x.refused("withdraw", `{"coin":"ATOM","to":"`+canoe0+`","amount":"0.1","from":{"account_id":1,"chain":"External","address_id":0}}`, 400, "UnknownAccount", `{"account_id":1}`)
}

// TestBalanceStreamOfAnHDWallet checks that an event contains all addresses of an HD wallet,
// since clients add up the balances of a coin in an event.
func TestBalanceStreamOfAnHDWallet(t *testing.T) {
	x := newHDNode(t, junkPhrase, `{"coin":"ETH","mm2":1,"avg_blocktime":2,"derivation_path":"m/44'/60'","protocol":{"type":"ETH","protocol_data":{"chain_id":1}}}`)
	x.eth.Give(junk0, "500000000000000000").Nonce(junk1, 1).GiveToken(sixToken, junk1, "1500000")
	x.ok("enable_eth_with_tokens", enableHD+`}`)
	c, err := x.n.Events().Connect(0, nil)
	require.NoError(t, err)
	x.ok("stream::balance::enable", `{"coin":"ETH"}`)
	next := func() string {
		e, err := c.Next(t.Context())
		require.NoError(t, err)
		return string(e.Append(nil))
	}
	entry := func(ticker, address, balance string) string {
		return `{"ticker":"` + ticker + `","address":"` + address + `","balance":{"spendable":"` + balance + `","unspendable":"0"}}`
	}
	// The first balance that the stream reads is not sent, so the balance is increased until an
	// event arrives.
	var first event.Event
	grown := 0
	for err = context.DeadlineExceeded; errors.Is(err, context.DeadlineExceeded) && grown < 30; {
		grown++
		x.eth.Give(junk1, fmt.Sprintf("%d000000000000000000", grown))
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		first, err = c.Next(ctx)
		cancel()
	}
	require.NoError(t, err)
	require.Contains(t, string(first.Append(nil)), `"BALANCE:ETH","message":[`+entry("ETH", junk0, "0.5")+","+entry("ETH", junk1, fmt.Sprint(grown))+`]`)
	x.eth.Give(junk0, "600000000000000000").GiveToken(sixToken, junk1, "2500000")
	require.Contains(t, next(), `"message":[`+entry("ETH", junk0, "0.6")+","+entry("SIX-ERC20", junk0, "0")+","+entry("ETH", junk1, fmt.Sprint(grown))+","+entry("SIX-ERC20", junk1, "2.5")+`]`)
	x.eth.Give(junk2, "1")
	x.ok("get_new_address", `{"coin":"ETH","account_id":0}`)
	require.Contains(t, next(), entry("ETH", junk2, "0.000000000000000001"), "a new address with something")
}

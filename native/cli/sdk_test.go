package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc/mmrpctest"
	cosmos "obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/evm/nodetest"
	"obverse/native/test/porttest"
	"obverse/native/test/sdktest"
	"obverse/native/test/vectorservers"
)

// sdkHost runs nodes as the SDK does.
type sdkHost interface {
	begin(config string)
	// gone waits until a node has ended that was requested to stop.
	gone()
}

type kdfProcess struct {
	t      *testing.T
	folder string
	n      *nodeProcess
}

func (p *kdfProcess) begin(config string) { p.n = begun(p.t, kdf(p.folder, config)) }

func (p *kdfProcess) gone() { require.NoError(p.t, p.n.process.Wait()) }

// gone polls the status, as the SDK does after it has called stop.
func (h *hosting) gone() {
	h.t.Helper()
	for range 500 {
		_, err := fmt.Fprintln(h.in, "status")
		require.NoError(h.t, err)
		line, err := h.out.ReadString('\n')
		require.NoError(h.t, err)
		if line == "0\n" {
			return
		}
		time.Sleep(sdktest.Pause)
	}
	require.Fail(h.t, "the node does not end")
}

func (h *hosting) begin(config string) { h.does(0, "main "+config) }

// sdkChains are the networks of the coins of a session.
type sdkChains struct {
	hub, eth string
	network  *nodetest.Node // network of ETH
}

// Accounts of the sessions: a single key with the recorded history, and an HD wallet.
const (
	sdkKey       = "0xc4a48e2fce1481cd3294b4490f6678090ea98d3d0e5cd984558ab0968741b104"
	sdkKeyOnHub  = "cosmos19rl4cm2hmr8afy4kldpxz3fka4jguq0auqdal4"
	sdkPhrase    = "emerge canoe salmon dolphin glow priority random become gasp sell blade argue"
	sdkPhraseHub = "cosmos1nv4mqaky7n7rqjhch7829kgypx5s8fh62wdtr8"
)

func newChains(t *testing.T) sdkChains {
	t.Helper()
	hub := cosmos.Open(t, filepath.Join(root, "core", "wallet", "cosmos", "testdata"), "gaiad")
	hub.OnChain("cosmoshub-4")
	for _, owner := range []string{sdkKeyOnHub, sdkPhraseHub} {
		hub.Give(owner, "uatom", "5000000")
	}
	eth := nodetest.New(1, 20590537).Deploy(mmrpctest.SixContract, 6)
	return sdkChains{vectorservers.ServeChain(t, hub), vectorservers.ServeChain(t, eth), eth}
}

// TestSDK repeats the calls of the KDF SDK with the program kdf: the login, the activation of
// coins, and requests to them. TestLibKDF tests the C library.
func TestSDK(t *testing.T) {
	chains := newChains(t)
	for name, hd := range map[string]bool{"one key": false, "HD": true} {
		t.Run(name, func(t *testing.T) { sdkSession(t, &kdfProcess{t: t, folder: t.TempDir()}, chains, hd) })
	}
}

func sdkSession(t *testing.T, host sdkHost, chains sdkChains, hd bool) {
	port := porttest.Free(t)
	c := sdktest.Client{T: t, URL: fmt.Sprintf("http://127.0.0.1:%d", port), Password: password}
	phrase, hub := sdkKey, sdkKeyOnHub
	if hd {
		phrase, hub = sdkPhrase, sdkPhraseHub
	}
	login := fmt.Sprintf(`,"wallet_name":"a wallet","wallet_password":%q,"enable_hd":%t,"allow_registrations":`, walletWord, hd)
	host.begin(sdkConfig(port, ""))
	c.Legacy("version", ``).Text("result")
	require.Nil(t, c.V2("get_wallet_names", "null").Members["activated_wallet"])
	signOut(c, host)
	host.begin(sdkConfig(port, login+`true,"passphrase":"`+phrase+`"`))
	sdktest.SignedIn(c, walletWord, phrase)
	signOut(c, host)
	host.begin(sdkConfig(port, login+`false`))
	sdktest.SignedIn(c, walletWord, phrase)
	events := sdktest.Events(c)
	sdkCosmos(c, chains, hub, hd)
	sdkEVM(c, chains, hd)
	sdkKeys(c, hd)
	sdkTrading(c)
	require.Equal(t, "Success", c.V2("stream::disable", `{"client_id":0,"streamer_id":"BALANCE:ATOM"}`).Text("result"))
	signOut(c, host)
	require.Contains(t, events.All(), `"_type":"SHUTDOWN_SIGNAL"`)
	host.begin(sdkConfig(port, login+`false`)) // signed out and started again
	require.Equal(t, "a wallet", c.V2("get_wallet_names", "null").Text("activated_wallet"))
	signOut(c, host)
}

// signOut ends the node.
func signOut(c sdktest.Client, host sdkHost) {
	c.T.Helper()
	require.Equal(c.T, "success", c.Legacy("stop", ``).Text("result"))
	host.gone()
}

func sdkCosmos(c sdktest.Client, chains sdkChains, hub string, hd bool) {
	c.T.Helper()
	require.Empty(c.T, c.V2("get_enabled_coins", `{}`).List("coins"))
	init := `{"ticker":"ATOM","get_balances":true,"tx_history":true,"tokens_params":[],"nodes":[{"url":"` + chains.hub + `"}]}`
	done := c.Task("task::enable_tendermint", init)
	require.Equal(c.T, hub, done.Text("address"))
	require.Equal(c.T, "5", done.Balance("balance"))
	status, kind := c.Refused("task::enable_tendermint::init", init)
	require.Equal(c.T, 400, status)
	require.Equal(c.T, "PlatformIsAlreadyActivated", kind)
	require.Equal(c.T, "ATOM", c.V2("get_enabled_coins", `{}`).List("coins")[0].Text("ticker"))
	token := c.V2("enable_tendermint_token", `{"ticker":"IRIS-IBC_ATOM","activation_params":{"requires_notarization":false,"priv_key_policy":"ContextPrivKey","mode":{"rpc":"Native"}}}`)
	require.Equal(c.T, "ATOM", token.Text("platform_coin"))
	for address := range token.Object("balances").Members {
		token.Object("balances").Balance(address)
	}
	onHub := c.Legacy("my_balance", `,"coin":"ATOM"`)
	require.Equal(c.T, hub, onHub.Text("address"))
	require.Equal(c.T, "5", onHub.Amount("balance"))
	onHub.Amount("unspendable_balance")
	for _, stream := range []string{"balance", "tx_history"} {
		c.V2("stream::"+stream+"::enable", `{"coin":"ATOM","client_id":0}`).Text("streamer_id")
	}
	target := ``
	if hd {
		target = `,"target":{"type":"account_id","account_id":0}`
	}
	sdkHistory(c, target, !hd)
	if !hd {
		made := c.V2("withdraw", `{"coin":"ATOM","to":"`+sdkPhraseHub+`","amount":"0.5","memo":"x"}`)
		made.Transaction()
		require.NotEmpty(c.T, made.Text("tx_hex"))
	}
	for address, want := range map[string]bool{hub: true, "alice": false} {
		checked := c.Legacy("validateaddress", `,"coin":"ATOM","address":"`+address+`"`).Object("result")
		require.Equal(c.T, want, checked.Value("is_valid"))
		if !want {
			require.NotEmpty(c.T, checked.Text("reason"))
		}
	}
	listed := c.Legacy("get_enabled_coins", ``).List("result")
	require.Equal(c.T, hub, listed[0].Text("address"))
	require.Equal(c.T, "ATOM", listed[0].Text("ticker"))
}

// sdkHistory returns the first page of the history once it is loaded.
func sdkHistory(c sdktest.Client, target string, recorded bool) {
	c.T.Helper()
	var page sdktest.Answer
	for state := ""; state != "Finished"; time.Sleep(sdktest.Pause) {
		page = c.V2("my_tx_history", `{"coin":"ATOM","limit":10,"paging_options":{"PageNumber":1}`+target+`}`)
		state = page.Object("sync_status").Text("state")
		require.Contains(c.T, []string{"NotStarted", "InProgress", "Finished"}, state, "%v", page.Members)
	}
	for _, name := range []string{"current_block", "limit", "skipped", "total", "total_pages"} {
		page.Number(name)
	}
	list := page.List("transactions")
	if recorded {
		require.Len(c.T, list, 10)
	}
	for _, tx := range list {
		tx.Transaction()
		tx.Number("confirmations")
	}
	older := c.Legacy("my_tx_history", `,"coin":"ATOM","limit":5`).Object("result")
	older.Number("total")
	older.Object("sync_status").Text("state")
}

func sdkEVM(c sdktest.Client, chains sdkChains, hd bool) {
	c.T.Helper()
	const contract = `"swap_contract_address":"` + "0x24ABE4c71FC658C91313b6552cd40cD808b3Ea80" + `","fallback_swap_contract":"0x24ABE4c71FC658C91313b6552cd40cD808b3Ea80"`
	done := c.V2("enable_eth_with_tokens", `{"ticker":"ETH","requires_notarization":false,"priv_key_policy":{"type":"ContextPrivKey"},"mode":{"rpc":"Electrum","rpc_data":{"servers":[]}},`+
		`"nodes":[{"url":"`+chains.eth+`","gui_auth":false}],`+contract+`,"erc20_tokens_requests":[],"tx_history":false,"get_balances":true}`)
	done.Number("current_block")
	onEVM := ""
	if done.Members["wallet_balance"] != nil {
		wallet := done.Object("wallet_balance")
		require.Equal(c.T, "HD", wallet.Text("wallet_type"))
		for _, account := range wallet.List("accounts") {
			sdktest.Account(account, "ETH")
			onEVM = account.List("addresses")[0].Text("address")
		}
	} else {
		require.Len(c.T, done.Object("eth_addresses_infos").Members, 1)
		for onEVM = range done.Object("eth_addresses_infos").Members {
		}
		done.Object("erc20_addresses_infos")
	}
	token := c.V2("enable_erc20", `{"ticker":"SIX","protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":"`+mmrpctest.SixContract+`"}},`+
		`"activation_params":{"requires_notarization":false,"priv_key_policy":{"type":"ContextPrivKey"},"nodes":[],`+contract+`}}`)
	token.Object("balances")
	require.Equal(c.T, "ETH", token.Text("platform_coin"))
	token.Text("token_contract_address")
	token.Number("required_confirmations")
	if hd {
		sdktest.Account(c.Task("task::account_balance", `{"coin":"ETH","account_index":0}`), "ETH")
		c.Task("task::scan_for_new_addresses", `{"coin":"ETH","account_index":0}`).List("new_addresses")
	} else {
		c.Legacy("my_balance", `,"coin":"ETH"`).Amount("balance")
	}
	sdkSend(c, chains, onEVM)
	fees := c.V2("get_eth_estimated_fee_per_gas", `{"coin":"ETH","estimator_type":"Simple"}`)
	fees.Amount("base_fee")
	fees.Object("medium").Amount("max_fee_per_gas")
	converted := c.Legacy("convertaddress", `,"coin":"ETH","from":"0xaeef0f62ff189d1e4b1b62e7eff453b15d32886f","to_address_format":{"format":"mixedcase"}`)
	require.Equal(c.T, "0xAEeF0f62Ff189D1e4B1b62E7efF453b15d32886f", converted.Object("result").Text("address"))
}

// sdkSend creates a transaction in a task and sends it, as the SDK does with all coins except those
// of the Cosmos family.
func sdkSend(c sdktest.Client, chains sdkChains, onEVM string) {
	c.T.Helper()
	chains.network.Give(onEVM, "2000000000000000000")
	require.Eventually(c.T, func() bool { return c.Legacy("my_balance", `,"coin":"ETH"`).Amount("balance") == "2" }, time.Minute, 100*time.Millisecond, "balances are kept for a moment")
	made := c.Task("task::withdraw", `{"coin":"ETH","to":"0xAEeF0f62Ff189D1e4B1b62E7efF453b15d32886f","amount":"0.5"}`)
	made.Transaction()
	sent := c.Legacy("send_raw_transaction", `,"coin":"ETH","tx_hex":"`+made.Text("tx_hex")+`"`)
	require.Equal(c.T, strings.TrimPrefix(made.Text("tx_hash"), "0x"), strings.TrimPrefix(sent.Text("tx_hash"), "0x"))
}

func sdkKeys(c sdktest.Client, hd bool) {
	c.T.Helper()
	mode := ``
	if hd {
		mode = `,"mode":"hd","start_index":0,"end_index":1,"account_index":0`
	}
	for _, k := range c.V2("get_private_keys", `{"coins":["ATOM","ETH"]`+mode+`}`).List("result") {
		k.Text("coin")
		keys := []sdktest.Answer{k}
		if hd {
			keys = k.List("addresses")
			require.Len(c.T, keys, 2)
		}
		for _, one := range keys {
			for _, name := range []string{"pubkey", "address", "priv_key"} {
				require.NotEmpty(c.T, one.Text(name))
			}
		}
	}
	signed := c.V2("sign_message", `{"coin":"ETH","message":"hello"}`).Text("signature")
	require.NotEmpty(c.T, signed)
	c.V2("get_public_key_hash", `{}`).Text("public_key_hash")
}

// sdkTrading calls the methods about swaps that a wallet calls from time to time.
func sdkTrading(c sdktest.Client) {
	c.T.Helper()
	c.V2("my_orders", `{}`).Object("maker_orders")
	require.Empty(c.T, c.V2("my_recent_swaps", `{"limit":10}`).List("swaps"))
	require.Empty(c.T, c.V2("active_swaps", `{"include_status":true}`).List("uuids"))
	status, kind := c.Refused("orderbook", `{"base":"ATOM","rel":"ETH"}`)
	require.Equal(c.T, 501, status)
	require.Equal(c.T, "SwapsNotSupported", kind)
}

package main

import (
	"bufio"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/wallet/evm/nodetest"
	tendermint "obverse/core/wallet/tendermint/nodetest"
	"obverse/native/porttest"
	"obverse/native/vectorservers"
)

// pauseOf is the time between two polls.
func pauseOf(*testing.T) { time.Sleep(20 * time.Millisecond) }

// sdkHost runs nodes as the SDK does.
type sdkHost interface {
	begin(config string)
	// gone returns when the node has ended, which was asked to.
	gone()
}

type kdfProcess struct {
	t      *testing.T
	folder string
	n      *node
}

func (p *kdfProcess) begin(config string) { p.n = begun(p.t, kdf(p.folder, config)) }
func (p *kdfProcess) gone()               { require.NoError(p.t, p.n.process.Wait()) }

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
		pauseOf(h.t)
	}
	require.Fail(h.t, "the node does not end")
}

func (h *hosting) begin(config string) { h.does(0, "main "+config) }

// sdkChains are nodes of the chains of a session.
type sdkChains struct {
	hub, eth string
	network  *nodetest.Node // of eth
}

// Accounts of sessions: one key, with the history that was recorded, and an HD wallet.
const (
	sdkKey       = "0xc4a48e2fce1481cd3294b4490f6678090ea98d3d0e5cd984558ab0968741b104"
	sdkKeyOnHub  = "cosmos19rl4cm2hmr8afy4kldpxz3fka4jguq0auqdal4"
	sdkPhrase    = "emerge canoe salmon dolphin glow priority random become gasp sell blade argue"
	sdkPhraseHub = "cosmos1nv4mqaky7n7rqjhch7829kgypx5s8fh62wdtr8"
)

func newChains(t *testing.T) sdkChains {
	t.Helper()
	hub := tendermint.Open(t, filepath.Join("..", "core", "wallet", "tendermint", "testdata"), "gaiad")
	hub.OnChain("cosmoshub-4")
	for _, owner := range []string{sdkKeyOnHub, sdkPhraseHub} {
		hub.Give(owner, "uatom", "5000000")
	}
	eth := nodetest.New(1, 20590537).Deploy(mmrpctest.SixContract, 6)
	return sdkChains{vectorservers.ServeChain(t, hub), vectorservers.ServeChain(t, eth), eth}
}

// TestSDK is the KDF SDK's use of a node, call by call: the login, the activation of coins as the
// SDK activates them, and what it asks of them, on the program kdf; TestLibKDF has the C library.
func TestSDK(t *testing.T) {
	chains := newChains(t)
	for name, hd := range map[string]bool{"one key": false, "HD": true} {
		t.Run(name, func(t *testing.T) { sdkSession(t, &kdfProcess{t: t, folder: t.TempDir()}, chains, hd) })
	}
}

func sdkSession(t *testing.T, host sdkHost, chains sdkChains, hd bool) {
	port := porttest.Free(t)
	c := sdkClient{t, fmt.Sprintf("http://127.0.0.1:%d", port)}
	phrase, hub := sdkKey, sdkKeyOnHub
	if hd {
		phrase, hub = sdkPhrase, sdkPhraseHub
	}
	login := fmt.Sprintf(`,"wallet_name":"a wallet","wallet_password":%q,"enable_hd":%t,"allow_registrations":`, walletWord, hd)
	host.begin(sdkConfig(port, ""))
	c.legacy("version", ``).text("result")
	require.Nil(t, c.v2("get_wallet_names", "null").of["activated_wallet"])
	c.stop(host)
	host.begin(sdkConfig(port, login+`true,"passphrase":"`+phrase+`"`))
	sdkSignedIn(c, phrase)
	c.stop(host)
	host.begin(sdkConfig(port, login+`false`))
	sdkSignedIn(c, phrase)
	read := sdkEvents(c)
	sdkCosmos(c, chains, hub, hd)
	sdkEVM(c, chains, hd)
	sdkKeys(c, hd)
	sdkTrading(c)
	require.Equal(t, "Success", c.v2("stream::disable", `{"client_id":0,"streamer_id":"BALANCE:ATOM"}`).text("result"))
	c.stop(host)
	require.Contains(t, read(), `"_type":"SHUTDOWN_SIGNAL"`)
	host.begin(sdkConfig(port, login+`false`)) // signed out and in again
	require.Equal(t, "a wallet", c.v2("get_wallet_names", "null").text("activated_wallet"))
	c.stop(host)
}

// stop signs out.
func (c sdkClient) stop(host sdkHost) {
	c.t.Helper()
	require.Equal(c.t, "success", c.legacy("stop", ``).text("result"))
	host.gone()
}

func sdkSignedIn(c sdkClient, phrase string) {
	c.t.Helper()
	c.legacy("version", ``).text("result")
	names := c.v2("get_wallet_names", "null")
	require.Len(c.t, names.list("wallet_names"), 1)
	require.Equal(c.t, "a wallet", names.text("activated_wallet"))
	shown := c.v2("get_mnemonic", `{"format":"plaintext","password":"`+walletWord+`"}`)
	require.Equal(c.t, "plaintext", shown.text("format"))
	require.Equal(c.t, phrase, shown.text("mnemonic"))
	file := c.v2("get_mnemonic", `{"format":"encrypted"}`).object("encrypted_mnemonic_data")
	for _, name := range []string{"encryption_algorithm", "iv", "ciphertext", "tag"} {
		require.NotEmpty(c.t, file.text(name))
	}
	argon := file.object("key_derivation_details").object("Argon2")
	argon.text("salt_aes")
	argon.text("salt_hmac")
	require.Equal(c.t, "argon2id", argon.object("params").text("algorithm"))
	for _, name := range []string{"m_cost", "t_cost", "p_cost"} {
		argon.object("params").number(name)
	}
}

// sdkEvents opens the stream of events, of which the SDK waits for the first line before it
// enables any. read gives all of it, once it has ended.
func sdkEvents(c sdkClient) (read func() string) {
	c.t.Helper()
	response, err := http.Get(c.url + "/event-stream?id=0")
	require.NoError(c.t, err)
	c.t.Cleanup(func() { response.Body.Close() })
	require.Equal(c.t, "text/event-stream", response.Header.Get("Content-Type"))
	lines := bufio.NewReader(response.Body)
	_, err = lines.ReadString('\n')
	require.NoError(c.t, err)
	all := make(chan string, 1)
	go func() {
		var text strings.Builder
		for {
			line, err := lines.ReadString('\n')
			text.WriteString(line)
			if err != nil {
				all <- text.String()
				return
			}
		}
	}()
	for _, method := range []string{"shutdown_signal", "network", "heartbeat"} {
		require.NotEmpty(c.t, c.v2("stream::"+method+"::enable", `{"client_id":0}`).text("streamer_id"))
	}
	return func() string { return <-all }
}

func sdkCosmos(c sdkClient, chains sdkChains, hub string, hd bool) {
	c.t.Helper()
	require.Empty(c.t, c.v2("get_enabled_coins", `{}`).list("coins"))
	init := `{"ticker":"ATOM","get_balances":true,"tx_history":true,"tokens_params":[],"nodes":[{"url":"` + chains.hub + `"}]}`
	done := c.task("task::enable_tendermint", init)
	require.Equal(c.t, hub, done.text("address"))
	require.Equal(c.t, "5", done.balance("balance"))
	status, kind := c.refused("task::enable_tendermint::init", init)
	require.Equal(c.t, 400, status)
	require.Equal(c.t, "PlatformIsAlreadyActivated", kind)
	require.Equal(c.t, "ATOM", c.v2("get_enabled_coins", `{}`).list("coins")[0].text("ticker"))
	token := c.v2("enable_tendermint_token", `{"ticker":"IRIS-IBC_ATOM","activation_params":{"requires_notarization":false,"priv_key_policy":"ContextPrivKey","mode":{"rpc":"Native"}}}`)
	require.Equal(c.t, "ATOM", token.text("platform_coin"))
	for address := range token.object("balances").of {
		token.object("balances").balance(address)
	}
	own := c.legacy("my_balance", `,"coin":"ATOM"`)
	require.Equal(c.t, hub, own.text("address"))
	require.Equal(c.t, "5", own.amount("balance"))
	own.amount("unspendable_balance")
	for _, stream := range []string{"balance", "tx_history"} {
		c.v2("stream::"+stream+"::enable", `{"coin":"ATOM","client_id":0}`).text("streamer_id")
	}
	target := ``
	if hd {
		target = `,"target":{"type":"account_id","account_id":0}`
	}
	sdkHistory(c, target, !hd)
	if !hd {
		made := c.v2("withdraw", `{"coin":"ATOM","to":"`+sdkPhraseHub+`","amount":"0.5","memo":"x"}`)
		made.transaction()
		require.NotEmpty(c.t, made.text("tx_hex"))
	}
	for address, want := range map[string]bool{hub: true, "nobody": false} {
		checked := c.legacy("validateaddress", `,"coin":"ATOM","address":"`+address+`"`).object("result")
		require.Equal(c.t, want, checked.value("is_valid"))
		if !want {
			require.NotEmpty(c.t, checked.text("reason"))
		}
	}
	listed := c.legacy("get_enabled_coins", ``).list("result")
	require.Equal(c.t, hub, listed[0].text("address"))
	require.Equal(c.t, "ATOM", listed[0].text("ticker"))
}

// sdkHistory reads the first page once it is loaded.
func sdkHistory(c sdkClient, target string, recorded bool) {
	c.t.Helper()
	var page sdk
	for state := ""; state != "Finished"; pauseOf(c.t) {
		page = c.v2("my_tx_history", `{"coin":"ATOM","limit":10,"paging_options":{"PageNumber":1}`+target+`}`)
		state = page.object("sync_status").text("state")
		require.Contains(c.t, []string{"NotStarted", "InProgress", "Finished"}, state, "%v", page.of)
	}
	for _, name := range []string{"current_block", "limit", "skipped", "total", "total_pages"} {
		page.number(name)
	}
	list := page.list("transactions")
	if recorded {
		require.Len(c.t, list, 10)
	}
	for _, tx := range list {
		tx.transaction()
		tx.number("confirmations")
	}
	older := c.legacy("my_tx_history", `,"coin":"ATOM","limit":5`).object("result")
	older.number("total")
	older.object("sync_status").text("state")
}

func sdkEVM(c sdkClient, chains sdkChains, hd bool) {
	c.t.Helper()
	const contract = `"swap_contract_address":"` + "0x24ABE4c71FC658C91313b6552cd40cD808b3Ea80" + `","fallback_swap_contract":"0x24ABE4c71FC658C91313b6552cd40cD808b3Ea80"`
	done := c.v2("enable_eth_with_tokens", `{"ticker":"ETH","requires_notarization":false,"priv_key_policy":{"type":"ContextPrivKey"},"mode":{"rpc":"Electrum","rpc_data":{"servers":[]}},`+
		`"nodes":[{"url":"`+chains.eth+`","gui_auth":false}],`+contract+`,"erc20_tokens_requests":[],"tx_history":false,"get_balances":true}`)
	done.number("current_block")
	own := ""
	if done.of["wallet_balance"] != nil {
		wallet := done.object("wallet_balance")
		require.Equal(c.t, "HD", wallet.text("wallet_type"))
		for _, account := range wallet.list("accounts") {
			sdkAccount(account, "ETH")
			own = account.list("addresses")[0].text("address")
		}
	} else {
		require.Len(c.t, done.object("eth_addresses_infos").of, 1)
		for own = range done.object("eth_addresses_infos").of {
		}
		done.object("erc20_addresses_infos")
	}
	token := c.v2("enable_erc20", `{"ticker":"SIX","protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":"`+mmrpctest.SixContract+`"}},`+
		`"activation_params":{"requires_notarization":false,"priv_key_policy":{"type":"ContextPrivKey"},"nodes":[],`+contract+`}}`)
	token.object("balances")
	require.Equal(c.t, "ETH", token.text("platform_coin"))
	token.text("token_contract_address")
	token.number("required_confirmations")
	if hd {
		sdkAccount(c.task("task::account_balance", `{"coin":"ETH","account_index":0}`), "ETH")
		c.task("task::scan_for_new_addresses", `{"coin":"ETH","account_index":0}`).list("new_addresses")
	} else {
		c.legacy("my_balance", `,"coin":"ETH"`).amount("balance")
	}
	sdkSend(c, chains, own)
	fees := c.v2("get_eth_estimated_fee_per_gas", `{"coin":"ETH","estimator_type":"Simple"}`)
	fees.amount("base_fee")
	fees.object("medium").amount("max_fee_per_gas")
	converted := c.legacy("convertaddress", `,"coin":"ETH","from":"0xaeef0f62ff189d1e4b1b62e7eff453b15d32886f","to_address_format":{"format":"mixedcase"}`)
	require.Equal(c.t, "0xAEeF0f62Ff189D1e4B1b62E7efF453b15d32886f", converted.object("result").text("address"))
}

// sdkSend makes a transaction in a task and sends it, as the SDK does with all coins but Tendermint's.
func sdkSend(c sdkClient, chains sdkChains, own string) {
	c.t.Helper()
	chains.network.Give(own, "2000000000000000000")
	require.Eventually(c.t, func() bool { return c.legacy("my_balance", `,"coin":"ETH"`).amount("balance") == "2" }, time.Minute, 100*time.Millisecond, "balances are kept for a moment")
	made := c.task("task::withdraw", `{"coin":"ETH","to":"0xAEeF0f62Ff189D1e4B1b62E7efF453b15d32886f","amount":"0.5"}`)
	made.transaction()
	sent := c.legacy("send_raw_transaction", `,"coin":"ETH","tx_hex":"`+made.text("tx_hex")+`"`)
	require.Equal(c.t, strings.TrimPrefix(made.text("tx_hash"), "0x"), strings.TrimPrefix(sent.text("tx_hash"), "0x"))
}

// sdkAccount reads an account of an HD wallet.
func sdkAccount(s sdk, ticker string) {
	s.t.Helper()
	s.number("account_index")
	s.text("derivation_path")
	s.object("total_balance").balance(ticker)
	for _, address := range s.list("addresses") {
		address.text("address")
		require.Contains(s.t, []string{"External", "Internal"}, address.text("chain"))
		address.text("derivation_path")
		address.object("balance").balance(ticker)
	}
}

func sdkKeys(c sdkClient, hd bool) {
	c.t.Helper()
	mode := ``
	if hd {
		mode = `,"mode":"hd","start_index":0,"end_index":1,"account_index":0`
	}
	for _, k := range c.v2("get_private_keys", `{"coins":["ATOM","ETH"]`+mode+`}`).list("result") {
		k.text("coin")
		keys := []sdk{k}
		if hd {
			keys = k.list("addresses")
			require.Len(c.t, keys, 2)
		}
		for _, one := range keys {
			for _, name := range []string{"pubkey", "address", "priv_key"} {
				require.NotEmpty(c.t, one.text(name))
			}
		}
	}
	signed := c.v2("sign_message", `{"coin":"ETH","message":"hello"}`).text("signature")
	require.NotEmpty(c.t, signed)
	c.v2("get_public_key_hash", `{}`).text("public_key_hash")
}

// sdkTrading asks for what a wallet looks at from time to time.
func sdkTrading(c sdkClient) {
	c.t.Helper()
	c.v2("my_orders", `{}`).object("maker_orders")
	require.Empty(c.t, c.v2("my_recent_swaps", `{"limit":10}`).list("swaps"))
	require.Empty(c.t, c.v2("active_swaps", `{"include_status":true}`).list("uuids"))
	status, kind := c.refused("orderbook", `{"base":"ATOM","rel":"ETH"}`)
	require.Equal(c.t, 501, status)
	require.Equal(c.t, "SwapsNotSupported", kind)
}

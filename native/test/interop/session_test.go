package interop_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/number"
	"obverse/core/wallet/evm/address"
	"obverse/native/test/anvil"
	"obverse/native/test/contracts"
	"obverse/native/test/interop"
	"obverse/native/test/porttest"
	"obverse/native/test/sdktest"
)

const (
	sessionPassword = "Interop-0nly"
	sessionWallet   = "W4llet-of-tests!"
	recipientEVM    = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	swapContract    = "0x24ABE4c71FC658C91313b6552cd40cD808b3Ea80"
)

// session runs the program kdf as a wallet does, on two real Cosmos chains and a real EVM network.
type session struct {
	sdktest.Client
	hub, iris            *interop.Chain
	evm                  *anvil.Network
	six, dai             string // contracts
	hd                   bool
	phrase               string
	onHub, onIris, onEVM string // addresses

	kdf, dir, coins string
	port            int
	process         *exec.Cmd
	log             *bytes.Buffer
	events          *sdktest.Stream
	target          string // parameter target of histories; "" means the default
	other           string // second address of an HD wallet on the EVM network
}

// irisOnHub returns the denom of IRIS on the hub over the first channel.
func irisOnHub() string {
	return fmt.Sprintf("ibc/%X", sha256.Sum256([]byte("transfer/channel-0/uiris")))
}

// TestSession is the KDF SDK's session with the built program, started as kdf: sign-up with a
// phrase, sign-out, wrong passwords, sign-in, a portfolio of ATOM with IRIS-IBC_ATOM, IRIS, and ETH
// with two tokens, sends, histories and event streams. Every answer is read as strictly as the SDK
// reads it, and compared with what the chains' own programs and the network report. IRIS is on the
// hub from its genesis on, under the denom that it has over that channel: nothing relays here.
func TestSession(t *testing.T) {
	held := interop.Coins{"uatom": interop.UserCoins, irisOnHub(): interop.UserVoucher}
	rich := interop.Coins{"uatom": interop.Plenty, irisOnHub(): interop.Plenty}
	first := hdAddresses(t, "cosmos", 0, 2)
	hub, err := interop.Settings{ID: "cosmoshub-4", Balances: map[string]interop.Coins{first[0]: held, first[1]: rich}}.Start(t.Context(), interop.Gaiad)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, hub.Stop()) })
	iris, err := interop.Settings{ID: "irishub-1"}.Start(t.Context(), interop.Iris)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, iris.Stop()) })
	evm := anvil.Start(t, 1)
	s := session{hub: hub, iris: iris, evm: evm, six: evm.Deploy(contracts.Token20, 6), dai: evm.Deploy(contracts.Token20, 18)}
	s.kdf = filepath.Join(t.TempDir(), "kdf") // like bin/kdf, a link to bin/obverse
	require.NoError(t, os.Symlink(buildProgram(t, "[]", "").binary, s.kdf))
	for name, one := range map[string]struct {
		hd            bool
		phrase        string
		onHub, onIris string
	}{
		"HD":      {true, hdPhrase, hub.User.Address, iris.User.Address},
		"one key": {false, hub.Other.Passphrase, hub.Other.Address, iris.Other.Address},
	} {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			s := s
			s.hd, s.phrase, s.onHub, s.onIris = one.hd, one.phrase, one.onHub, one.onIris
			s.play(t)
			t.Logf("the session takes %s", time.Since(begin).Round(100*time.Millisecond))
		})
	}
}

func (s *session) play(t *testing.T) {
	s.dir, s.port = t.TempDir(), porttest.Free(t)
	s.Client = sdktest.Client{T: t, URL: fmt.Sprintf("http://127.0.0.1:%d", s.port), Password: sessionPassword}
	s.coins = filepath.Join(s.dir, "coins.json")
	require.NoError(t, os.WriteFile(s.coins, []byte(s.coinList()), 0o600))
	s.signIn()
	s.activateCosmos()
	s.activateEVM()
	s.balances()
	s.sendCosmos()
	s.sendEVM()
	s.histories()
	if s.hd {
		s.others()
	}
	s.signOut()
	require.Contains(t, s.events.All(), `"_type":"SHUTDOWN_SIGNAL"`)
	s.back()
}

// coinList returns the file for MM_COINS_PATH.
func (s *session) coinList() string {
	cosmos := func(ticker string, c *interop.Chain) string {
		return fmt.Sprintf(`{"coin":%q,"mm2":1,"avg_blocktime":2,"derivation_path":"m/44'/118'","protocol":{"type":"TENDERMINT","protocol_data":`+
			`{"decimals":6,"denom":%q,"account_prefix":%q,"chain_id":%q,"gas_price":%s}}}`, ticker, c.Denom, c.Prefix, c.ID, c.GasPrice)
	}
	token := func(ticker, contract string) string {
		return fmt.Sprintf(`{"coin":%q,"mm2":1,"chain_id":1,"required_confirmations":1,"derivation_path":"m/44'/60'","protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":%q}}}`, ticker, contract)
	}
	return "[" + strings.Join([]string{cosmos("ATOM", s.hub), cosmos("IRIS", s.iris),
		fmt.Sprintf(`{"coin":"IRIS-IBC_ATOM","mm2":1,"avg_blocktime":2,"derivation_path":"m/44'/118'","protocol":{"type":"TENDERMINTTOKEN","protocol_data":{"platform":"ATOM","decimals":6,"denom":%q}}}`, irisOnHub()),
		`{"coin":"ETH","mm2":1,"chain_id":1,"required_confirmations":1,"derivation_path":"m/44'/60'","protocol":{"type":"ETH","protocol_data":{"chain_id":1}}}`,
		token("SIX-ERC20", s.six), token("DAI-ERC20", s.dai)}, ",") + "]"
}

// begin starts kdf with the additional config of a login, and returns when version responds.
func (s *session) begin(login string) {
	s.T.Helper()
	s.run(login)
	require.Eventually(s.T, func() bool {
		response, err := http.Post(s.URL, "", strings.NewReader(`{"userpass":"`+sessionPassword+`","method":"version"}`))
		if err != nil {
			return false
		}
		return response.Body.Close() == nil && response.StatusCode == 200
	}, timeout, 100*time.Millisecond)
}

func (s *session) run(login string) {
	s.T.Helper()
	config := strings.Replace(sdktest.Config(s.port, sessionPassword, login), `"coins":[],`, "", 1) // the coins are in the file
	s.process = exec.Command(s.kdf, config)
	s.process.Dir = s.dir
	s.process.Env = []string{"HOME=" + s.dir, "MM_COINS_PATH=" + s.coins}
	s.log = new(bytes.Buffer)
	s.process.Stderr = s.log
	require.NoError(s.T, s.process.Start())
	process := s.process
	s.T.Cleanup(func() {
		_ = process.Process.Kill() // the process may have ended
		_ = process.Wait()
	})
}

// signOut ends the program, which must exit with code 0.
func (s *session) signOut() {
	s.T.Helper()
	require.Equal(s.T, "success", s.Legacy("stop", ``).Text("result"))
	require.NoError(s.T, s.process.Wait(), "%s", s.log)
	require.NotContains(s.T, s.log.String(), sessionWallet)
	require.NotContains(s.T, s.log.String(), s.phrase)
}

func (s *session) login(password, more string) string {
	return fmt.Sprintf(`,"wallet_name":"a wallet","wallet_password":%q,"enable_hd":%t%s`, password, s.hd, more)
}

// signIn makes the SDK's calls from its start until a wallet is open.
func (s *session) signIn() {
	s.begin("")
	require.Empty(s.T, s.V2("get_wallet_names", "null").List("wallet_names"))
	require.Nil(s.T, s.V2("get_wallet_names", "null").Members["activated_wallet"])
	s.signOut()
	s.refused(s.login(sessionWallet, `,"allow_registrations":false`), "Wallet does not exist")
	s.begin(s.login(sessionWallet, `,"allow_registrations":true,"passphrase":"`+s.phrase+`"`))
	sdktest.SignedIn(s.Client, sessionWallet, s.phrase)
	s.signOut()
	s.refused(s.login("of another wallet", `,"allow_registrations":false`), "Error generating or decrypting mnemonic")
	s.begin(s.login(sessionWallet, `,"allow_registrations":false`))
	sdktest.SignedIn(s.Client, sessionWallet, s.phrase)
	status, kind := s.Refused("get_mnemonic", `{"format":"plaintext","password":"of another wallet"}`)
	require.Equal(s.T, 400, status)
	require.Equal(s.T, "InvalidPassword", kind)
	s.events = sdktest.Events(s.Client)
}

// refused starts a program that cannot open its wallet.
func (s *session) refused(login, says string) {
	s.T.Helper()
	s.run(login)
	var exit *exec.ExitError
	require.ErrorAs(s.T, s.process.Wait(), &exit)
	require.Equal(s.T, 4, exit.ExitCode(), "%s", s.log)
	require.Contains(s.T, s.log.String(), says)
}

// stream enables events and sends coins.
func (s *session) stream(kind, coin string) {
	s.T.Helper()
	s.V2("stream::"+kind+"::enable", `{"coin":"`+coin+`","client_id":0}`).Text("streamer_id")
}

func (s *session) activateCosmos() {
	for _, c := range []struct {
		ticker, tokens, address string
		chain                   *interop.Chain
	}{{"ATOM", `{"ticker":"IRIS-IBC_ATOM"}`, s.onHub, s.hub}, {"IRIS", ``, s.onIris, s.iris}} {
		init := fmt.Sprintf(`{"ticker":%q,"get_balances":true,"tx_history":true,"tokens_params":[%s],"nodes":[{"url":%q}]}`, c.ticker, c.tokens, c.chain.URL)
		on := s.Task("task::enable_tendermint", init)
		require.Equal(s.T, c.address, on.Text("address"))
		require.Equal(s.T, s.held(c.chain, c.address, c.chain.Denom), on.Balance("balance"))
		if c.tokens != "" {
			require.Equal(s.T, s.held(c.chain, c.address, irisOnHub()), on.Object("tokens_balances").Balance("IRIS-IBC_ATOM"))
		}
		status, kind := s.Refused("task::enable_tendermint::init", init)
		require.Equal(s.T, 400, status)
		require.Equal(s.T, "PlatformIsAlreadyActivated", kind)
		s.stream("balance", c.ticker)
		s.stream("tx_history", c.ticker)
	}
}

func (s *session) activateEVM() {
	const contracts = `"swap_contract_address":"` + swapContract + `","fallback_swap_contract":"` + swapContract + `"`
	on := s.V2("enable_eth_with_tokens", `{"ticker":"ETH","requires_notarization":false,"priv_key_policy":{"type":"ContextPrivKey"},"mode":{"rpc":"Electrum","rpc_data":{"servers":[]}},`+
		`"nodes":[{"url":"`+s.evm.URL+`","gui_auth":false}],`+contracts+`,"erc20_tokens_requests":[{"ticker":"SIX-ERC20","required_confirmations":3}],"tx_history":true,"get_balances":true}`)
	on.Number("current_block")
	if s.hd {
		wallet := on.Object("wallet_balance")
		require.Equal(s.T, "HD", wallet.Text("wallet_type"))
		accounts := wallet.List("accounts")
		require.Len(s.T, accounts, 1)
		sdktest.Account(accounts[0], "ETH")
		s.onEVM = accounts[0].List("addresses")[0].Text("address")
		require.Equal(s.T, "0x9858EfFD232B4033E47d90003D41EC34EcaEda94", s.onEVM)
	} else {
		for s.onEVM = range on.Object("eth_addresses_infos").Members {
		}
		require.Len(s.T, on.Object("erc20_addresses_infos").Members, 1)
	}
	s.evm.Give(s.onEVM, units("5", 18))
	s.evm.Do(s.six, "mint(address,uint256)", s.onEVM, units("12.345678", 6))
	s.evm.Do(s.dai, "mint(address,uint256)", s.onEVM, units("100.000000000000000001", 18))
	token := s.V2("enable_erc20", `{"ticker":"DAI-ERC20","activation_params":{"requires_notarization":false,"priv_key_policy":{"type":"ContextPrivKey"},"nodes":[],`+contracts+`}}`)
	require.Equal(s.T, "100.000000000000000001", token.Object("balances").Balance(s.onEVM))
	require.Equal(s.T, "ETH", token.Text("platform_coin"))
	require.True(s.T, strings.EqualFold(s.dai, token.Text("token_contract_address")))
	token.Number("required_confirmations")
	s.stream("balance", "ETH")
	s.stream("tx_history", "ETH")
	s.stream("tx_history", "SIX-ERC20")
}

// balances queries the balances of all coins.
func (s *session) balances() {
	for ticker, want := range map[string]string{"ATOM": s.held(s.hub, s.onHub, s.hub.Denom), "IRIS-IBC_ATOM": s.held(s.hub, s.onHub, irisOnHub()),
		"IRIS": s.held(s.iris, s.onIris, s.iris.Denom), "ETH": "5", "SIX-ERC20": "12.345678", "DAI-ERC20": "100.000000000000000001"} {
		s.eventually(ticker, want)
	}
	tickers := map[string]bool{}
	for _, c := range s.V2("get_enabled_coins", `{}`).List("coins") {
		tickers[c.Text("ticker")] = true
	}
	require.Len(s.T, tickers, 6)
	for _, c := range s.Legacy("get_enabled_coins", ``).List("result") {
		require.NotEmpty(s.T, c.Text("address"))
		require.True(s.T, tickers[c.Text("ticker")])
	}
	if !s.hd {
		return
	}
	made := s.V2("get_new_address", `{"coin":"ETH","account_id":0,"chain":"External","gap_limit":20}`).Object("new_address")
	require.Equal(s.T, "m/44'/60'/0'/0/1", made.Text("derivation_path"))
	s.other = made.Text("address")
	s.evm.Give(s.other, units("1", 18))
	account := s.Task("task::account_balance", `{"coin":"ETH","account_index":0}`)
	sdktest.Account(account, "ETH")
	require.Equal(s.T, "6", account.Object("total_balance").Balance("ETH"))
	require.Len(s.T, account.List("addresses"), 2)
	s.Task("task::scan_for_new_addresses", `{"coin":"ETH","account_index":0}`).List("new_addresses")
	status, kind := s.Refused("task::account_balance::init", `{"coin":"NONE","account_index":0}`)
	require.Equal(s.T, 400, status)
	require.Equal(s.T, "NoSuchCoin", kind)
}

// eventually waits until my_balance returns an amount, since balances are cached for a short time.
func (s *session) eventually(ticker, want string) {
	s.T.Helper()
	var got string
	for begin := time.Now(); got != want && time.Since(begin) < timeout; time.Sleep(sdktest.Pause) {
		answer := s.Legacy("my_balance", `,"coin":"`+ticker+`"`)
		answer.Amount("unspendable_balance")
		require.NotEmpty(s.T, answer.Text("address"))
		got = answer.Amount("balance")
	}
	require.Equal(s.T, want, got, ticker)
}

// held returns the balance in whole coins that the chain's program reports.
func (s *session) held(c *interop.Chain, address, denom string) string {
	s.T.Helper()
	text, err := c.Balance(s.T.Context(), address, denom)
	require.NoError(s.T, err)
	amount, ok := new(big.Int).SetString(text, 10)
	require.True(s.T, ok, text)
	return number.Scaled(amount, 6).String()
}

// sendCosmos sends coins as the SDK does on Cosmos chains: with withdraw and send_raw_transaction.
func (s *session) sendCosmos() {
	for _, c := range []struct {
		ticker, denom string
		chain         *interop.Chain
		address       string
	}{{"ATOM", s.hub.Denom, s.hub, s.onHub}, {"IRIS-IBC_ATOM", irisOnHub(), s.hub, s.onHub}, {"IRIS", s.iris.Denom, s.iris, s.onIris}} {
		to := c.chain.Empty.Address
		checked := s.Legacy("validateaddress", `,"coin":"`+c.ticker+`","address":"`+to+`"`).Object("result")
		require.Equal(s.T, true, checked.Value("is_valid"))
		before, err := c.chain.Balance(s.T.Context(), to, c.denom)
		require.NoError(s.T, err)
		made := s.V2("withdraw", fmt.Sprintf(`{"coin":%q,"to":%q,"amount":"0.5","memo":"session"}`, c.ticker, to))
		made.Transaction()
		hash := s.sent(c.ticker, made)
		require.Eventually(s.T, func() bool {
			now, err := c.chain.Balance(s.T.Context(), to, c.denom)
			return err == nil && difference(s.T, now, before) == "500000"
		}, timeout, 100*time.Millisecond)
		s.eventually(c.ticker, s.held(c.chain, c.address, c.denom))
		if c.denom == c.chain.Denom {
			s.balanceEvent(c.ticker, s.held(c.chain, c.address, c.denom))
		}
		s.listed(c.ticker, hash, "0.5", to)
		if c.denom == c.chain.Denom {
			s.events.Await("TX_HISTORY:"+c.ticker, func(tx sdktest.Answer) bool { return tx.Text("tx_hash") == hash }).Transaction()
		}
	}
}

// balanceEvent waits for an event with a balance.
func (s *session) balanceEvent(ticker, want string) {
	s.T.Helper()
	s.events.Await("BALANCE:"+ticker, func(event sdktest.Answer) bool {
		for _, b := range event.List("") {
			if b.Text("ticker") == ticker && b.Balance("balance") == want {
				return true
			}
		}
		return false
	})
}

// sent sends a signed transaction.
func (s *session) sent(ticker string, made sdktest.Answer) string {
	s.T.Helper()
	hash := s.Legacy("send_raw_transaction", `,"coin":"`+ticker+`","tx_hex":"`+made.Text("tx_hex")+`"`).Text("tx_hash")
	require.Equal(s.T, strings.TrimPrefix(made.Text("tx_hash"), "0x"), strings.TrimPrefix(hash, "0x"))
	return hash
}

// sendEVM sends coins as the SDK does on all other chains: with a task and send_raw_transaction.
func (s *session) sendEVM() {
	for _, c := range []struct{ ticker, amount, contract string }{{"ETH", "0.25", ""}, {"SIX-ERC20", "1.5", s.six}, {"DAI-ERC20", "0.000000000000000001", s.dai}} {
		before := s.heldOnEVM(recipientEVM, c.contract)
		made := s.Task("task::withdraw", fmt.Sprintf(`{"coin":%q,"to":%q,"amount":%q}`, c.ticker, recipientEVM, c.amount))
		made.Transaction()
		hash := s.sent(c.ticker, made)
		decimals := map[string]uint8{"SIX-ERC20": 6}[c.ticker]
		if decimals == 0 {
			decimals = 18
		}
		require.Eventually(s.T, func() bool {
			grown := new(big.Int).Sub(s.heldOnEVM(recipientEVM, c.contract), before)
			return number.Scaled(grown, decimals).String() == c.amount
		}, timeout, 100*time.Millisecond)
		s.eventually(c.ticker, number.Scaled(s.heldOnEVM(s.onEVM, c.contract), decimals).String())
		if c.ticker == "ETH" {
			s.balanceEvent("ETH", number.Scaled(s.heldOnEVM(s.onEVM, ""), 18).String())
		}
		s.listed(c.ticker, hash, c.amount, recipientEVM)
		if c.ticker != "DAI-ERC20" {
			s.events.Await("TX_HISTORY:"+c.ticker, func(tx sdktest.Answer) bool { return tx.Text("tx_hash") == hash }).Transaction()
		}
	}
}

// others sends coins from the second address of an HD wallet, and checks its history.
func (s *session) others() {
	const at = `"account_id":0,"chain":"External","address_id":1`
	sent := s.Task("task::withdraw", `{"coin":"ETH","to":"`+recipientEVM+`","amount":"0.125","from":{`+at+`}}`)
	sent.Transaction()
	s.target = `,"target":{"type":"address_id",` + at + `}`
	s.listed("ETH", s.sent("ETH", sent), "0.125", recipientEVM)
	require.Equal(s.T, s.hub.Other.Address, s.V2("get_new_address", `{"coin":"ATOM","account_id":0}`).Object("new_address").Text("address"))
	sent = s.V2("withdraw", `{"coin":"ATOM","to":"`+s.hub.Empty.Address+`","amount":"0.25","from":{`+at+`}}`)
	s.listed("ATOM", s.sent("ATOM", sent), "0.25", s.hub.Empty.Address)
	s.target = ""
	s.evm.Give(s.other, units("3", 18))
	s.events.Await("BALANCE:ETH", func(event sdktest.Answer) bool {
		var balances []string
		for _, b := range event.List("") {
			if b.Text("ticker") == "ETH" {
				balances = append(balances, b.Text("address")+" "+b.Balance("balance"))
			}
		}
		return len(balances) == 2 && strings.HasPrefix(balances[0], s.onEVM+" ") && balances[1] == s.other+" 3"
	})
	status, kind := s.Refused("my_tx_history", `{"coin":"ETH","target":{"type":"address_id","account_id":0,"chain":"External","address_id":7}}`)
	require.Equal(s.T, 400, status)
	require.Equal(s.T, "InvalidTarget", kind)
}

// heldOnEVM returns the network's balance of an address in the smallest unit.
func (s *session) heldOnEVM(owner, contract string) *big.Int {
	s.T.Helper()
	var answer json.RawMessage
	if contract == "" {
		answer = s.evm.Ask("eth_getBalance", owner, "latest")
	} else {
		sum := address.Keccak([]byte("balanceOf(address)"))
		data := "0x" + hex.EncodeToString(sum[:4]) + strings.Repeat("0", 24) + strings.ToLower(owner[2:])
		answer = s.evm.Ask("eth_call", map[string]any{"to": contract, "data": data}, "latest")
	}
	var text string
	require.NoError(s.T, json.Unmarshal(answer, &text))
	amount, ok := new(big.Int).SetString(text[2:], 16)
	require.True(s.T, ok, text)
	return amount
}

// listed waits until the history of a coin, requested as by the SDK, contains a transaction, and
// decodes the whole page.
func (s *session) listed(ticker, hash, amount, to string) {
	s.T.Helper()
	target := s.target
	if s.hd && target == "" {
		target = `,"target":{"type":"account_id","account_id":0}`
	}
	for begin := time.Now(); ; time.Sleep(sdktest.Pause) {
		page := s.V2("my_tx_history", `{"coin":"`+ticker+`","limit":10,"paging_options":{"PageNumber":1}`+target+`}`)
		page.Object("sync_status").Text("state")
		for _, name := range []string{"current_block", "limit", "skipped", "total", "total_pages"} {
			page.Number(name)
		}
		for _, tx := range page.List("transactions") {
			tx.Transaction()
			tx.Number("confirmations")
			if strings.TrimPrefix(tx.Text("tx_hash"), "0x") == strings.TrimPrefix(hash, "0x") {
				require.Equal(s.T, to, tx.List("to")[0].Text(""))
				require.Equal(s.T, ticker, tx.Text("coin"))
				require.Positive(s.T, tx.Number("block_height"))
				return
			}
		}
		require.Less(s.T, time.Since(begin), timeout, "%s: %v", ticker, page.Members)
	}
}

// histories requests histories in the older format too, which mm2-client uses, and the SDK as a
// fallback for EVM coins.
func (s *session) histories() {
	for _, ticker := range []string{"ATOM", "IRIS-IBC_ATOM", "IRIS", "ETH", "SIX-ERC20", "DAI-ERC20"} {
		page := s.Legacy("my_tx_history", `,"coin":"`+ticker+`","limit":5,"max":true,"page_number":1,"target":{"type":"account_id","id":0}`).Object("result")
		page.Object("sync_status").Text("state")
		list := page.List("transactions")
		require.NotEmpty(s.T, list, ticker)
		require.EqualValues(s.T, len(list), page.Number("total"))
		for _, tx := range list {
			tx.Transaction()
		}
	}
}

// back signs in again. The coins must be there.
func (s *session) back() {
	s.begin(s.login(sessionWallet, `,"allow_registrations":false`))
	sdktest.SignedIn(s.Client, sessionWallet, s.phrase)
	require.Eventually(s.T, func() bool { return len(s.V2("get_enabled_coins", `{}`).List("coins")) == 6 }, timeout, 100*time.Millisecond)
	s.eventually("IRIS-IBC_ATOM", s.held(s.hub, s.onHub, irisOnHub()))
	s.eventually("ETH", number.Scaled(s.heldOnEVM(s.onEVM, ""), 18).String())
	s.histories()
	s.signOut()
}

// units converts a decimal amount to the smallest unit.
func units(amount string, decimals int) *big.Int {
	whole, fraction, _ := strings.Cut(amount, ".")
	n, _ := new(big.Int).SetString(whole+fraction+strings.Repeat("0", decimals-len(fraction)), 10)
	return n
}

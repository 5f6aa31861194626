package apitest

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core"
	"obverse/core/key"
	"obverse/core/wallet/cosmos/address"
	evmaddress "obverse/core/wallet/evm/address"
	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/signer/eip1193/eip1193test"
	"obverse/core/wallet/signer/keplr/keplrtest"
	"obverse/core/wallet/signer/ledger"
	"obverse/core/wallet/signer/ledger/ledgertest"
	"obverse/core/wallet/signer/trezor"
	"obverse/core/wallet/signer/trezor/trezortest"
)

const nodePassphrase = "a passphrase of policies"

// Targets on which a node runs. They differ in the wallets that the node can reach.
const (
	onServer = "native"
	inPage   = "page"
	onEdge   = "edge"
)

// reachOn returns a function that configures the wallets that a node can reach on a target,
// with a device on which the app is open.
func reachOn(t *testing.T, target, app string, wallets key.Wallets) func(*core.Platform) {
	return func(c *core.Platform) {
		d := ledgertest.New(t, "usb-1")
		d.OpenApp(app)
		switch target {
		case onServer:
			c.Ledgers = ledger.Over(ledgertest.NewBus(d))
			absent := trezortest.New(t, "usb-2")
			absent.Unplug()
			c.Trezors = &trezor.Client{Port: trezor.Over(trezortest.NewBus(absent)), Timeout: device.DefaultTimeout}
		case inPage:
			c.Ledgers, c.Wallets = ledger.Over(ledgertest.NewBus(d)), wallets
		}
	}
}

// chosen is the outcome of selecting a policy: the account's address, or an error.
type chosen struct {
	address    string
	kind, text string
}

// policyCase is a family of coins: the activation of a coin, and the outcome of each policy by
// target.
type policyCase struct {
	ticker, app string
	methods     [2]string // the direct method and the task
	params      func(whose string) string
	wallet      func(*paired) (key.Wallets, string) // returns a browser's wallet with its address
	session     func(*paired) string
	device      string
}

// keyOf returns the public key of a passphrase.
func keyOf(t *testing.T, passphrase string) [33]byte {
	t.Helper()
	keys, err := key.Open(passphrase, false)
	require.NoError(t, err)
	t.Cleanup(keys.Wipe)
	return keys.Node().PublicKey()
}

// addressOf returns the address of a passphrase in a family.
func addressOf(t *testing.T, family, passphrase string) string {
	t.Helper()
	if family == "EVM" {
		nodeAddress, err := evmaddress.FromKey(keyOf(t, passphrase))
		require.NoError(t, err)
		return nodeAddress.String()
	}
	own, err := address.FromKey("cosmos", keyOf(t, passphrase))
	require.NoError(t, err)
	return own.String()
}

func policyCases(t *testing.T) map[string]policyCase {
	return map[string]policyCase{
		"Cosmos": {
			ticker: "ATOM", app: "Cosmos", methods: [2]string{"enable_tendermint_with_assets", "task::enable_tendermint"}, params: enableHub,
			wallet: func(*paired) (key.Wallets, string) {
				return keplrtest.New(t, "tendermint test seed"), walletAddress
			},
			session: func(p *paired) string { return p.signer.Cosmos("cosmos") },
			device:  cosmosOnDevice,
		},
		"EVM": {
			ticker: "ETH", app: "Ethereum", methods: [2]string{"enable_eth_with_tokens", "task::enable_eth"}, params: enableEVM,
			wallet: func(p *paired) (key.Wallets, string) {
				w := eip1193test.New(t, "evm test seed", p.eth)
				return w, w.Address()
			},
			session: func(p *paired) string { return p.signer.EVM() },
			device:  ethOnDevice,
		},
	}
}

// have lists the policies of each target, in the words of an error.
var have = map[string]string{
	onServer: "which has: ContextPrivKey, WithPubkey, SessionWallet, HardwareWallet",
	inPage:   "which has: ContextPrivKey, WithPubkey, SessionWallet, BrowserWallet, HardwareWallet",
	onEdge:   "which has: ContextPrivKey, WithPubkey, SessionWallet",
}

// TestPoliciesByTargetAndFamily checks that every policy selects its account on the targets
// that support it, in both families, with the direct method and with the task, and that the
// error for an unsupported policy lists the supported ones.
func TestPoliciesByTargetAndFamily(t *testing.T) {
	for family, c := range policyCases(t) {
		for _, target := range []string{onServer, inPage, onEdge} {
			t.Run(family+" "+target, func(t *testing.T) {
				p := newPaired(t, "")
				p.stop()
				wallets, inBrowser := c.wallet(p)
				p.reach = reachOn(t, target, c.app, wallets)
				p.start(nodePassphrase)
				topic, _ := p.connect(p.accounts(allMethods))
				own := addressOf(t, family, nodePassphrase)
				public, err := json.Marshal(numbers(keyOf(t, "another user")))
				require.NoError(t, err)
				absent := chosen{kind: "PrivKeyNotAllowed", text: have[target]}
				want := map[string]chosen{
					`"priv_key_policy":"ContextPrivKey"`:       {address: own},
					`"priv_key_policy":null`:                   {address: own},
					`"priv_key_policy":"HardwareWallet"`:       {address: c.device},
					`"priv_key_policy":"BrowserWallet"`:        {address: inBrowser},
					spellings(topic)["data"]:                   {address: c.session(p)},
					spellings(strings.Repeat("0", 64))["data"]: {kind: "WalletNotFound", text: "no session with a wallet"},
					`"activation_params":{"type":"WithPubkey","params":{"pubkey":{"type":"secp256k1","value":` + string(public) + `}}}`: {address: addressOf(t, family, "another user")},

					// activation_params take precedence. A different priv_key_policy is
					// refused, unless it is the default.
					`"priv_key_policy":"ContextPrivKey",` + spellings(topic)["data"]:                                      {address: c.session(p)},
					`"priv_key_policy":"HardwareWallet",` + spellings(topic)["data"]:                                      {kind: "InvalidRequest", text: "HardwareWallet"},
					`"priv_key_policy":"BrowserWallet","activation_params":{"priv_key_policy":{"type":"ContextPrivKey"}}`: {kind: "InvalidRequest", text: "BrowserWallet"},
					`"activation_params":{"priv_key_policy":{"type":"Iguana"}}`:                                           {kind: "InvalidRequest", text: "Iguana"},
				}
				if target == onEdge {
					want[`"priv_key_policy":"HardwareWallet"`] = absent
				}
				if target != inPage {
					want[`"priv_key_policy":"BrowserWallet"`] = absent
				}
				for whose, what := range want {
					for _, method := range c.methods {
						require.Equal(t, what, p.choose(c.ticker, method, c.params(whose), what), "%s %s", method, whose)
					}
				}
			})
		}
	}
}

func numbers(b [33]byte) (all []int) {
	for _, one := range b {
		all = append(all, int(one))
	}
	return all
}

// choose activates a coin, with the direct method or as a task, and disables it.
func (p *paired) choose(ticker, method, params string, want chosen) chosen {
	p.t.Helper()
	status, answer := p.call(method+map[bool]string{true: "::init"}[strings.HasPrefix(method, "task::")], params)
	if started, is := answer["task_id"]; is {
		for answer["status"] = "InProgress"; answer["status"] == "InProgress"; time.Sleep(time.Millisecond) {
			answer = p.do(method+"::status", id(map[string]any{"task_id": started}))
		}
		if answer["status"] != "Ok" {
			status = 0
		}
		answer = answer["details"].(map[string]any)
	}
	if status != 200 {
		if text, _ := answer["error"].(string); strings.Contains(text, want.text) {
			return chosen{kind: answer["error_type"].(string), text: want.text}
		}
		return chosen{kind: answer["error_type"].(string), text: answer["error"].(string)}
	}
	p.do("disable_coin", `{"coin":"`+ticker+`"}`)
	if own, is := answer["address"].(string); is {
		return chosen{address: own}
	}
	for own := range answer["eth_addresses_infos"].(map[string]any) {
		return chosen{address: own}
	}
	return chosen{}
}

// TestPoliciesWithoutAPassphrase checks that a node without a passphrase has no key of its own,
// regardless of the wallets it can reach.
func TestPoliciesWithoutAPassphrase(t *testing.T) {
	for family, c := range policyCases(t) {
		p := newPaired(t, "")
		p.stop()
		wallets, inBrowser := c.wallet(p)
		p.reach = reachOn(t, inPage, c.app, wallets)
		p.start("")
		topic, _ := p.connect(p.accounts(allMethods))
		for whose, what := range map[string]chosen{
			`"priv_key_policy":"ContextPrivKey"`: {kind: "PlatformCoinCreationError", text: "'CryptoCtx' is not initialized"}, // Komodo DeFi Framework's text,
			`"priv_key_policy":"HardwareWallet"`: {address: c.device},
			`"priv_key_policy":"BrowserWallet"`:  {address: inBrowser},
			spellings(topic)["data"]:             {address: c.session(p)},
		} {
			for _, method := range c.methods {
				require.Equal(t, what, p.choose(c.ticker, method, c.params(whose), what), "%s %s %s", family, method, whose)
			}
		}
	}
}

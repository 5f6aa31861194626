package e2e

import (
	"encoding/json"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/signer/ledger/ledgertest"
	"obverse/core/wallet/signer/trezor"
	"obverse/core/wallet/signer/trezor/trezortest"
	"obverse/native/speculos/speculostest"
	"obverse/native/test/anvil"
	"obverse/native/test/contracts"
	"obverse/native/trezorudp/udptest"
)

// ethOnDevice is the first address of an emulated device.
const ethOnDevice = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"

// TestDevice signs transactions for an Ethereum network with an emulated Ledger, with methods and
// tasks of the program, before and after a restart.
func TestDevice(t *testing.T) {
	t.Parallel()
	d := ledgertest.New(t, "emulator")
	d.OpenApp("Ethereum")
	d.Set(func(s *ledgertest.Settings) { s.BlindSigning = true })
	l := newLaunch(t, "ledger_emulator="+speculostest.Serve(t, d))
	n := anvil.Start(t, 1)
	wei, _ := new(big.Int).SetString("2500000000000000001", 10)
	n.Give(ethOnDevice, wei)
	token := n.Deploy(contracts.Token20, 6)
	n.Do(token, "mint(address,uint256)", ethOnDevice, 12_345_678)
	l.coins(t, `[{"coin":"SIX-ERC20","mm2":1,"protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":"`+token+`"}}}]`)
	c := l.callee(t)

	enabling := enablingEth(`[{"ticker":"SIX-ERC20"}]`, n.URL)
	enabling = enabling[:len(enabling)-1] + `,"priv_key_policy":{"type":"Trezor"}}`
	done := c.awaits("task::enable_eth", enabling)
	require.Contains(t, string(done), `"`+ethOnDevice+`"`)
	require.Contains(t, string(done), `"derivation_method":{"type":"HDWallet","data":"m/44'/60'/0'/0/0"}`)
	w := c.withdraws(`{"coin":"ETH","to":"` + recipient + `","amount":"0.5"}`)
	require.Equal(t, "02", w.Hex[:2])
	c.succeeds("send_raw_transaction", `{"coin":"ETH","tx_hex":"`+w.Hex+`","required_confirmations":1}`)
	w = c.withdraws(`{"coin":"ETH","to":"` + recipient + `","amount":"0.1","fee":{"type":"EthGas","gas_price":"3.5","gas":30000}}`)
	require.NotEqual(t, "02", w.Hex[:2], "a transaction with one price")
	c.succeeds("send_raw_transaction", `{"coin":"ETH","tx_hex":"`+w.Hex+`","required_confirmations":1}`)
	require.NoError(t, json.Unmarshal(c.awaits("task::withdraw", `{"coin":"SIX-ERC20","to":"`+recipient+`","amount":"10","broadcast":true}`), &w))
	c.succeeds("send_raw_transaction", `{"coin":"SIX-ERC20","tx_hex":"`+w.Hex+`","required_confirmations":1}`)
	require.Contains(t, string(c.succeeds("my_balance", `{"coin":"SIX-ERC20"}`)), `"balance":"2.345678"`)
	signMessages(t, c, ethOnDevice)
	require.Len(t, d.Screens(), 4)
	d.Use(ledgertest.Reject)
	kind, data := c.refuses("withdraw", `{"coin":"ETH","to":"`+recipient+`","amount":"0.1","broadcast":true}`)
	require.Equal(t, "HwError", kind)
	require.Contains(t, data, `"error_type":"RejectedOnDevice"`)

	c.stop()
	before := len(d.Requests())
	d.Use(ledgertest.Approve)
	c = l.callee(t)
	require.Eventually(t, func() bool {
		return string(c.succeeds("get_enabled_coins", `{}`)) == `{"coins":[{"ticker":"ETH"},{"ticker":"SIX-ERC20"}]}`
	}, timeout, 10*time.Millisecond)
	require.Len(t, d.Requests(), before, "a restart asks no device")
	c.withdraws(`{"coin":"ETH","to":"` + recipient + `","amount":"0.1","broadcast":true}`)
	require.Len(t, d.Screens(), 6)
}

// TestTrezor connects the program to a locked emulated Trezor, and signs transactions for an
// Ethereum network with it.
func TestTrezor(t *testing.T) {
	t.Parallel()
	d := trezortest.New(t, "emulator")
	d.Set(func(s *trezortest.Settings) {
		s.Model, s.Version, s.PIN, s.Passphrase = "1", trezor.Version{Major: 1, Minor: 13}, "1234", true
	})
	d.Lock()
	l := newLaunch(t, "trezor_emulator="+udptest.Serve(t, d))
	n := anvil.Start(t, 1)
	wei, _ := new(big.Int).SetString("2500000000000000001", 10)
	n.Give(ethOnDevice, wei)
	token := n.Deploy(contracts.Token20, 6)
	n.Do(token, "mint(address,uint256)", ethOnDevice, 12_345_678)
	l.coins(t, `[{"coin":"SIX-ERC20","mm2":1,"protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":"`+token+`"}}}]`)
	c := l.callee(t)

	require.Contains(t, string(c.answers("task::init_trezor", `{}`, map[string]string{
		"EnterTrezorPin":        `{"action_type":"TrezorPin","pin":"` + trezortest.Matrix("1234") + `"}`,
		"EnterTrezorPassphrase": `{"action_type":"TrezorPassphrase","passphrase":""}`,
	})), `"device_name":"Emulator"`)
	enabling := enablingEth(`[{"ticker":"SIX-ERC20"}]`, n.URL)
	require.Contains(t, string(c.awaits("task::enable_eth", enabling[:len(enabling)-1]+`,"priv_key_policy":"Trezor"}`)), `"`+ethOnDevice+`"`)
	for _, payment := range []struct{ params, kind string }{
		{`{"coin":"ETH","to":"` + recipient + `","amount":"0.5"}`, "02"},
		{`{"coin":"ETH","to":"` + recipient + `","amount":"0.1","fee":{"type":"EthGas","gas_price":"3.5","gas":30000}}`, "f8"},
		{`{"coin":"SIX-ERC20","to":"` + recipient + `","amount":"10"}`, "02"},
	} {
		w := c.withdraws(payment.params)
		require.Equal(t, payment.kind, w.Hex[:2])
		c.succeeds("send_raw_transaction", `{"coin":"ETH","tx_hex":"`+w.Hex+`","required_confirmations":1}`)
	}
	require.Contains(t, string(c.succeeds("my_balance", `{"coin":"SIX-ERC20"}`)), `"balance":"2.345678"`)
	signMessages(t, c, ethOnDevice)
	before := len(d.Screens())
	require.NotZero(t, before)
	d.Use(trezortest.Reject)
	kind, data := c.refuses("withdraw", `{"coin":"ETH","to":"`+recipient+`","amount":"0.1","broadcast":true}`)
	require.Equal(t, "HwError", kind)
	require.Contains(t, data, `"error_type":"RejectedOnDevice"`)
	require.Len(t, d.Screens(), before+1)
}

// awaits starts a task and returns its result.
func (c *callee) awaits(kind, params string) json.RawMessage {
	c.t.Helper()
	return c.answers(kind, params, nil)
}

// answers is like awaits, for a task that prompts its user.
func (c *callee) answers(kind, params string, actions map[string]string) json.RawMessage {
	c.t.Helper()
	started := c.succeeds(kind+"::init", params)
	var status struct {
		Status  string
		Details json.RawMessage
	}
	require.Eventually(c.t, func() bool {
		require.NoError(c.t, json.Unmarshal(c.succeeds(kind+"::status", string(started)), &status))
		if status.Status == "UserActionRequired" {
			var question string
			require.NoError(c.t, json.Unmarshal(status.Details, &question))
			c.succeeds(kind+"::user_action", string(started[:len(started)-1])+`,"user_action":`+actions[question]+`}`)
			delete(actions, question)
		}
		return status.Status != "InProgress" && status.Status != "UserActionRequired"
	}, timeout, 10*time.Millisecond)
	require.Equal(c.t, "Ok", status.Status, "%s", status.Details)
	return status.Details
}

package apitest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core"
	"obverse/core/wallet/cosmos/nodetest"
	evmtest "obverse/core/wallet/evm/nodetest"
	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/signer/ledger"
	"obverse/core/wallet/signer/ledger/ledgertest"
	"obverse/core/wallet/signer/trezor"
	"obverse/core/wallet/signer/trezor/trezortest"
)

// newTrezorNode returns a running node without a passphrase, and an emulated Trezor with the
// same phrase as the Ledger of newDeviceNode.
func newTrezorNode(t *testing.T, set func(*trezortest.Settings)) (*deviceNode, *trezortest.Device) {
	t.Helper()
	d := trezortest.New(t, "usb-1")
	d.Set(set)
	d.Lock()
	x := &deviceNode{t: t, d: ledgertest.New(t, "usb-2"), eth: evmtest.New(1, 100).Give(ethOnDevice, "2500000000000000001")}
	x.d.Unplug()
	network := nodetest.NewNet()
	network.Set(ethURL, x.eth.Well)
	x.n = newNode(t, settingsOf(""), core.Platform{Fetch: network, Ledgers: ledger.Over(ledgertest.NewBus(x.d)), Trezors: &trezor.Client{Port: trezor.Over(trezortest.NewBus(d)), Timeout: device.DefaultTimeout}})
	run(t, x.n)
	return x, d
}

func first(s *trezortest.Settings) {
	s.Model, s.PIN, s.Version, s.Passphrase = "1", "1234", trezor.Version{Major: 1, Minor: 13}, true
}

const initTrezor = "task::init_trezor"

// answer waits until a task asks a question, and answers it.
func (x *deviceNode) answer(kind string, started map[string]any, question, action string) {
	x.t.Helper()
	prompt := x.await(kind, started)
	require.Equal(x.t, map[string]any{"status": "UserActionRequired", "details": question}, prompt)
	number := id(started)
	require.Equal(x.t, "success", x.ok(kind+"::user_action", number[:len(number)-1]+`,"user_action":`+action+`}`)["result"])
}

// TestTrezor connects a Trezor with a PIN and a passphrase, and signs for a coin.
func TestTrezor(t *testing.T) {
	x, d := newTrezorNode(t, first)
	status, refused := x.call("trezor_connection_status", `{}`)
	require.Equal(t, 400, status)
	require.Equal(t, "TrezorNotInitialized", refused["error_type"])

	started := x.ok(initTrezor+"::init", `{"device_pubkey":null}`)
	status, refused = x.call(initTrezor+"::init", `{}`)
	require.Equal(t, 400, status)
	require.Equal(t, "HwContextInitializingAlready", refused["error_type"])
	x.answer(initTrezor, started, "EnterTrezorPin", `{"action_type":"TrezorPin","pin":"`+trezortest.Matrix("1234")+`"}`)
	x.answer(initTrezor, started, "EnterTrezorPassphrase", `{"action_type":"TrezorPassphrase","passphrase":""}`)
	done := x.await(initTrezor, started)
	require.Equal(t, "Ok", done["status"], done)
	details := done["details"].(map[string]any)
	require.Len(t, details["device_pubkey"], 40)
	require.Equal(t, map[string]any{"type": "Trezor", "model": "1", "device_name": "Emulator", "device_id": "A1A1A1A1A1A1A1A1A1A1A1A1",
		"device_pubkey": details["device_pubkey"]}, details)
	require.Equal(t, "Connected", x.ok("trezor_connection_status", `{}`)["status"])

	_, eth := enableOn(`"priv_key_policy":{"type":"Trezor"}`)
	require.Contains(t, x.ok("enable_eth_with_tokens", eth)["eth_addresses_infos"], ethOnDevice)
	x.ok("withdraw", `{"coin":"ETH","to":"`+somebodyOnEth+`","amount":"1"}`)
	require.NotEmpty(t, d.Screens())
	d.Use(trezortest.Reject)
	status, refused = x.call("withdraw", `{"coin":"ETH","to":"`+somebodyOnEth+`","amount":"1"}`)
	require.Equal(t, 410, status)
	require.Equal(t, "HwError", refused["error_type"])

	status, refused = x.call("trezor_connection_status", `{"device_pubkey":"00"}`)
	require.Equal(t, 500, status)
	require.Equal(t, "FoundUnexpectedDevice", refused["error_type"])
	d.Unplug()
	require.Equal(t, "Unreachable", x.ok("trezor_connection_status", `{}`)["status"])
}

// TestTrezorShowsItsFirstAddress checks that the device must confirm the first address of an
// account.
func TestTrezorShowsItsFirstAddress(t *testing.T) {
	x, d := newTrezorNode(t, func(s *trezortest.Settings) { s.Passphrase = false })
	_, eth := enableOn(`"priv_key_policy":"HardwareWallet"`)
	d.Use(trezortest.Reject)
	status, refused := x.call("enable_eth_with_tokens", eth)
	require.Equal(t, 410, status)
	require.Equal(t, "HwError", refused["error_type"])
	require.Contains(t, refused["error"], "confirming the address: rejected on the device")
	d.Use(trezortest.Approve)
	require.Contains(t, x.ok("enable_eth_with_tokens", eth)["eth_addresses_infos"], ethOnDevice)
	require.Contains(t, fmt.Sprint(d.Screens()), ethOnDevice)
}

// TestTrezorPassphraseOnDevice checks that an answer without a passphrase lets the user enter
// it on the device.
func TestTrezorPassphraseOnDevice(t *testing.T) {
	x, _ := newTrezorNode(t, func(s *trezortest.Settings) { s.Passphrase = true })
	started := x.ok(initTrezor+"::init", `{}`)
	x.answer(initTrezor, started, "EnterTrezorPassphrase", `{"action_type":"TrezorPassphrase"}`)
	require.Equal(t, "Ok", x.await(initTrezor, started)["status"])
}

// TestTrezorAsksInOtherTasks checks that a withdrawal as a task asks for the PIN if the device
// has been locked.
func TestTrezorAsksInOtherTasks(t *testing.T) {
	x, d := newTrezorNode(t, func(s *trezortest.Settings) { first(s); s.Passphrase = false })
	_, eth := enableOn(`"priv_key_policy":"HardwareWallet"`)
	started := x.ok("task::enable_eth::init", eth)
	x.answer("task::enable_eth", started, "EnterTrezorPin", `{"action_type":"TrezorPin","pin":"`+trezortest.Matrix("1234")+`"}`)
	require.Equal(t, "Ok", x.await("task::enable_eth", started)["status"])
	d.Lock()
	started = x.ok("task::withdraw::init", `{"coin":"ETH","to":"`+somebodyOnEth+`","amount":"1"}`)
	x.answer("task::withdraw", started, "EnterTrezorPin", `{"action_type":"TrezorPin","pin":"`+trezortest.Matrix("1234")+`"}`)
	require.Equal(t, "Ok", x.await("task::withdraw", started)["status"])
}

// TestTrezorNotConnected checks that a failed connection reports its reason, and that another
// one can be tried.
func TestTrezorNotConnected(t *testing.T) {
	x, d := newTrezorNode(t, first)
	for _, c := range []struct{ action, kind string }{
		{`{"action_type":"TrezorPin","pin":"9999"}`, "HwError"},
		{`{"action_type":"TrezorPin","pin":""}`, "HwError"},
		{`{"action_type":"TrezorPin"}`, "UnexpectedUserAction"},
		{`{"action_type":"TrezorPassphrase","passphrase":"9999"}`, "UnexpectedUserAction"},
		{`"9999"`, "UnexpectedUserAction"},
	} {
		started := x.ok(initTrezor+"::init", `{}`)
		x.answer(initTrezor, started, "EnterTrezorPin", c.action)
		done := x.await(initTrezor, started)
		require.Equal(t, "Error", done["status"])
		require.Equal(t, c.kind, done["details"].(map[string]any)["error_type"], c.action)
		require.NotContains(t, done["details"].(map[string]any)["error"], "9999")
	}
	d.Set(func(s *trezortest.Settings) { s.PIN, s.Passphrase = "", false })
	d.Lock()
	started := x.ok(initTrezor+"::init", `{"device_pubkey":"`+"00"+`"}`)
	done := x.await(initTrezor, started)
	require.Equal(t, "HwError", done["details"].(map[string]any)["error_type"])
	require.Equal(t, "FoundUnexpectedDevice", done["details"].(map[string]any)["error_data"].(map[string]any)["error_type"])
}

// TestTrezorCancelled checks that a task that waits for its user can be cancelled, and that the
// next one can start.
func TestTrezorCancelled(t *testing.T) {
	x, _ := newTrezorNode(t, first)
	started := x.ok(initTrezor+"::init", `{}`)
	require.Equal(t, "UserActionRequired", x.await(initTrezor, started)["status"])
	require.Equal(t, "success", x.ok(initTrezor+"::cancel", id(started))["result"])
	for {
		if status, _ := x.call(initTrezor+"::init", `{}`); status == 200 {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// TestTrezorAndLedger checks that devices of two vendors are ambiguous.
func TestTrezorAndLedger(t *testing.T) {
	x, _ := newTrezorNode(t, func(*trezortest.Settings) {})
	x.d.Plug()
	_, eth := enableOn(`"priv_key_policy":"HardwareWallet"`)
	status, refused := x.call("enable_eth_with_tokens", eth)
	require.Equal(t, 410, status)
	require.Equal(t, "a Ledger and a Trezor are connected, want one: unplug the other", refused["error"])
}

// TestNoTrezor checks the error of the methods on a platform that cannot reach devices.
func TestNoTrezor(t *testing.T) {
	x := newDeviceNode(t)
	status, refused := x.call(initTrezor+"::init", `{}`)
	require.Equal(t, 410, status)
	require.Equal(t, "this platform reaches no Trezor", refused["error"])
}

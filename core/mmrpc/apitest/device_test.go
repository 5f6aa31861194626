package apitest

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core"
	"obverse/core/rpc"
	"obverse/core/wallet/cosmos/nodetest"
	evmtest "obverse/core/wallet/evm/nodetest"
	"obverse/core/wallet/signer/ledger"
	"obverse/core/wallet/signer/ledger/ledgertest"
)

const (
	cosmosOnDevice = "cosmos19rl4cm2hmr8afy4kldpxz3fka4jguq0auqdal4"
	ethOnDevice    = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"
	somebodyOnEth  = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
)

// deviceNode is a running node without a passphrase, with an emulated device.
type deviceNode struct {
	t   *testing.T
	n   *core.Node
	d   *ledgertest.Device
	eth *evmtest.Node
	hub *nodetest.Node
}

func newDeviceNode(t *testing.T) *deviceNode {
	t.Helper()
	x := &deviceNode{t: t, d: ledgertest.New(t, "usb-1"), eth: evmtest.New(1, 100).Give(ethOnDevice, "2500000000000000001"),
		hub: nodetest.Open(t, filepath.Join("..", "..", "wallet", "cosmos", "testdata"), "gaiad")}
	x.hub.OnChain("cosmoshub-4")
	x.hub.Give(cosmosOnDevice, "uatom", "1000000")
	network := nodetest.NewNet()
	network.Set(hubURL, nodetest.Well(x.hub))
	network.Set(ethURL, x.eth.Well)
	x.n = newNode(t, settingsOf(""), core.Platform{Fetch: network, Ledgers: ledger.Over(ledgertest.NewBus(x.d))})
	run(t, x.n)
	return x
}

func (x *deviceNode) call(method, params string) (int, map[string]any) {
	x.t.Helper()
	body := `{"mmrpc":"2.0","userpass":"` + statesUser + `","method":"` + method + `","params":` + params + `}`
	status, reply := x.n.RPC(x.t.Context(), rpc.Caller{Local: true}, []byte(body))
	var answer map[string]any
	require.NoError(x.t, json.Unmarshal(reply, &answer), "%s", reply)
	if result, is := answer["result"].(map[string]any); is {
		return status, result
	}
	return status, answer
}

func (x *deviceNode) ok(method, params string) map[string]any {
	x.t.Helper()
	status, answer := x.call(method, params)
	require.Equal(x.t, 200, status, answer)
	return answer
}

// await requests the status of a task until the task has ended.
func (x *deviceNode) await(kind string, started map[string]any) map[string]any {
	x.t.Helper()
	for {
		answer := x.ok(kind+"::status", id(started))
		if answer["status"] != "InProgress" {
			return answer
		}
		time.Sleep(time.Millisecond)
	}
}

// id returns the parameters that identify a task.
func id(started map[string]any) string {
	return `{"task_id":` + strconv.FormatFloat(started["task_id"].(float64), 'f', -1, 64) + `}`
}

func enableOn(policy string) (cosmos, eth string) {
	cosmos = `{"ticker":"ATOM","tokens_params":[],"nodes":[{"url":"` + hubURL + `"}],` + policy + `}`
	return cosmos, `{"ticker":"ETH","nodes":[{"url":"` + ethURL + `"}],"swap_contract_address":"` + somebodyOnEth + `","erc20_tokens_requests":[],` + policy + `}`
}

// TestDeviceInEverySpelling checks that all spellings of the policy select the device.
func TestDeviceInEverySpelling(t *testing.T) {
	for _, policy := range []string{
		`"priv_key_policy":"HardwareWallet"`, `"priv_key_policy":"Trezor"`, `"priv_key_policy":{"type":"Ledger"}`, `"priv_key_policy":{"type":"HardwareWallet"}`,
		`"activation_params":{"type":"HardwareWallet"}`, `"activation_params":{"priv_key_policy":"HardwareWallet"}`,
		`"priv_key_policy":"ContextPrivKey","activation_params":{"priv_key_policy":{"type":"Trezor"}}`,
	} {
		t.Run(policy, func(t *testing.T) {
			x := newDeviceNode(t)
			cosmos, eth := enableOn(policy)
			x.d.OpenApp("Cosmos")
			require.Equal(t, cosmosOnDevice, x.ok("enable_tendermint_with_assets", cosmos)["address"])
			x.d.OpenApp("Ethereum")
			require.Contains(t, x.ok("enable_eth_with_tokens", eth)["eth_addresses_infos"], ethOnDevice)
		})
	}
}

// TestNodeOnADevice uses the device with all direct methods of a coin.
func TestNodeOnADevice(t *testing.T) {
	x := newDeviceNode(t)
	cosmos, eth := enableOn(`"priv_key_policy":"HardwareWallet"`)
	for _, c := range []struct{ app, enable, params, coin, to, addr string }{
		{"Cosmos", "enable_tendermint_with_assets", cosmos, "ATOM", cosmosOnDevice, cosmosOnDevice},
		{"Ethereum", "enable_eth_with_tokens", eth, "ETH", somebodyOnEth, ethOnDevice},
	} {
		x.d.OpenApp(c.app)
		x.ok(c.enable, c.params)
		made := x.ok("withdraw", `{"coin":"`+c.coin+`","to":"`+c.to+`","amount":"0.1"}`)
		sent := x.ok("send_raw_transaction", `{"coin":"`+c.coin+`","tx_hex":"`+made["tx_hex"].(string)+`"}`)
		require.Equal(t, made["tx_hash"], sent["tx_hash"])
		x.ok("withdraw", `{"coin":"`+c.coin+`","to":"`+c.to+`","amount":"0.1","broadcast":true}`)
		signed := x.ok("sign_message", `{"coin":"`+c.coin+`","message":"hello"}`)
		proof, err := json.Marshal(map[string]any{"coin": c.coin, "message": "hello", "address": c.addr, "signature": signed["signature"]})
		require.NoError(t, err)
		require.Equal(t, true, x.ok("verify_message", string(proof))["is_valid"])
	}
	require.Equal(t, 2, x.eth.Sent())
	require.Len(t, x.hub.Sent(), 2)
	require.Len(t, x.d.Screens(), 6)
}

// TestTasksOnADevice checks that the status of a task names the user action for which the device
// waits.
func TestTasksOnADevice(t *testing.T) {
	x := newDeviceNode(t)
	cosmos, eth := enableOn(`"priv_key_policy":"Trezor"`)
	x.d.OpenApp("Cosmos")
	done := x.await("task::enable_tendermint", x.ok("task::enable_tendermint::init", cosmos))
	require.Equal(t, "Ok", done["status"], done)
	require.Equal(t, cosmosOnDevice, done["details"].(map[string]any)["address"])
	x.d.OpenApp("Ethereum")
	done = x.await("task::enable_eth", x.ok("task::enable_eth::init", eth))
	require.Equal(t, "Ok", done["status"], done)
	require.Contains(t, done["details"].(map[string]any)["eth_addresses_infos"], ethOnDevice)
	status, refused := x.call("task::enable_eth::init", eth)
	require.Equal(t, 400, status)
	require.Equal(t, "PlatformIsAlreadyActivated", refused["error_type"])

	const withdrawal = `{"coin":"ETH","to":"` + somebodyOnEth + `","amount":"0.1","broadcast":true}`
	var seen any
	x.d.Use(func(context.Context, []string) bool { // called while the device displays the transaction
		seen = x.ok("task::withdraw::status", `{"task_id":3}`)["details"]
		return true
	})
	done = x.await("task::withdraw", x.ok("task::withdraw::init", withdrawal))
	require.Equal(t, "Ok", done["status"], done)
	require.Equal(t, "FollowHwDeviceInstructions", seen)
	require.Equal(t, 1, x.eth.Sent())
	require.NotEmpty(t, done["details"].(map[string]any)["tx_hash"])

	x.d.Use(ledgertest.Reject)
	done = x.await("task::withdraw", x.ok("task::withdraw::init", withdrawal))
	require.Equal(t, "Error", done["status"])
	failed := done["details"].(map[string]any)
	require.Equal(t, "HwError", failed["error_type"])
	require.Equal(t, map[string]any{"error_type": "RejectedOnDevice", "error_data": "signing: rejected on the device"}, failed["error_data"])
	require.Equal(t, 1, x.eth.Sent())

	status, refused = x.call("task::withdraw::init", `{"coin":"IRIS","to":"x","amount":"1"}`)
	require.Equal(t, 404, status)
	require.Equal(t, "NoSuchCoin", refused["error_type"])
}

// TestTaskThatWaitsForADevice checks that a task waits for a device that is not ready, and can
// be cancelled.
func TestTaskThatWaitsForADevice(t *testing.T) {
	x := newDeviceNode(t)
	cosmos, _ := enableOn(`"priv_key_policy":"HardwareWallet"`)
	const kind = "task::enable_tendermint"
	x.d.Unplug()
	waiting := func(started map[string]any) {
		for x.ok(kind+"::status", id(started))["details"] != "WaitingForTrezorToConnect" {
			time.Sleep(time.Millisecond)
		}
	}
	started := x.ok(kind+"::init", cosmos)
	waiting(started)
	status, answer := x.call(kind+"::cancel", id(started))
	require.Equal(t, 200, status, answer)
	status, _ = x.call(kind+"::status", id(started))
	require.Equal(t, 400, status)

	started = x.ok(kind+"::init", cosmos)
	waiting(started)
	x.d.Plug()
	x.d.OpenApp("Cosmos")
	require.Equal(t, "Ok", x.await(kind, started)["status"])
}

// TestFaultsOfDevices checks that errors of devices have Komodo DeFi Framework's kinds, and
// texts that suggest a remedy.
func TestFaultsOfDevices(t *testing.T) {
	x := newDeviceNode(t)
	cosmos, _ := enableOn(`"priv_key_policy":"HardwareWallet"`)
	x.d.OpenApp("Cosmos")
	x.d.Set(func(s *ledgertest.Settings) { s.Versions["Cosmos"] = [3]byte{1, 5, 0} })
	status, answer := x.call("enable_tendermint_with_assets", cosmos)
	require.Equal(t, 410, status)
	require.Equal(t, "HwError", answer["error_type"])
	require.Equal(t, "TooOld", answer["error_data"].(map[string]any)["error_type"])
	require.Contains(t, answer["error"], "update it with Ledger Live")
}

func TestNodeWithoutDevices(t *testing.T) {
	call := walletOnly(t, nil)
	cosmos, eth := enableOn(`"priv_key_policy":"HardwareWallet"`)
	for method, params := range map[string]string{
		"enable_tendermint_with_assets": cosmos, "task::enable_tendermint::init": cosmos, "enable_eth_with_tokens": eth, "task::enable_eth::init": eth,
	} {
		status, answer := call(method, params)
		require.Equal(t, 500, status, method)
		require.Equal(t, "PrivKeyNotAllowed", answer["error_type"])
		require.Equal(t, "HardwareWallet is not available on this node, which has: ContextPrivKey, WithPubkey", answer["error_data"])
	}
}

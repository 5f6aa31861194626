package apitest

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	evmtest "obverse/core/wallet/evm/nodetest"
	"obverse/core/wallet/signer/eip1193/eip1193test"
)

const (
	evmReceiver = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	evmSwaps    = "0x24ABE4c71FC658C91313b6552cd40cD808b3Ea80"
	sendByEVM   = `{"coin":"ETH","to":"` + evmReceiver + `","amount":"0.5","broadcast":true}`
)

// enableEVM returns the parameters that activate ETH, with the given members that select its
// key.
func enableEVM(whose string) string {
	return `{"ticker":"ETH","nodes":[{"url":"` + ethURL + `"}],"swap_contract_address":"` + evmSwaps + `","erc20_tokens_requests":[],` + whose + `}`
}

func evmWallet(t *testing.T) (*eip1193test.Wallet, *evmtest.Node) {
	node := evmtest.New(1, 100)
	w := eip1193test.New(t, "evm test seed", node)
	node.Give(w.Address(), "2000000000000000000")
	return w, node
}

// TestEVMByAWalletAlone checks that every spelling of the policy selects the browser's wallet.
func TestEVMByAWalletAlone(t *testing.T) {
	for _, whose := range []string{
		`"priv_key_policy":"BrowserWallet"`,
		`"priv_key_policy":{"type":"BrowserWallet"}`,
		`"priv_key_policy":{"type":"Metamask"},"rpc_mode":"Metamask"`,
		`"activation_params":{"priv_key_policy":{"type":"BrowserWallet"}}`,
	} {
		t.Run(whose, func(t *testing.T) {
			w, node := evmWallet(t)
			call := walletOnly(t, w, node)
			status, answer := call("enable_eth_with_tokens", enableEVM(whose))
			require.Equal(t, 200, status, answer)
			require.Contains(t, answer["eth_addresses_infos"], w.Address())
			status, answer = call("my_balance", `{"coin":"ETH"}`)
			require.Equal(t, 200, status)
			require.Equal(t, "2", answer["balance"])

			status, answer = call("withdraw", `{"coin":"ETH","to":"`+evmReceiver+`","amount":"0.5"}`)
			require.Equal(t, 400, status)
			require.Equal(t, "BroadcastExpected", answer["error_type"])
			require.Zero(t, node.Sent())
			status, answer = call("withdraw", sendByEVM)
			require.Equal(t, 200, status, answer)
			require.Equal(t, 1, node.Sent())
			status, sent := call("send_raw_transaction", `{"coin":"ETH","tx_hex":"`+answer["tx_hex"].(string)+`"}`)
			require.Equal(t, 200, status, sent)
			require.Equal(t, answer["tx_hash"], sent["tx_hash"])

			status, answer = call("sign_message", `{"coin":"ETH","message":"hello"}`)
			require.Equal(t, 200, status, answer)
			proof, err := json.Marshal(map[string]any{"coin": "ETH", "message": "hello", "address": w.Address(), "signature": answer["signature"]})
			require.NoError(t, err)
			status, answer = call("verify_message", string(proof))
			require.Equal(t, 200, status)
			require.Equal(t, true, answer["is_valid"])
			require.Equal(t, []string{"account 1", "account 1", "account 1", "send 1", "account 1", "sign"}, w.Requests())
		})
	}
}

func TestFaultsOfEVMWallets(t *testing.T) {
	for fault, want := range map[key.WalletFault]int{
		key.WalletNotFound: 404, key.WalletRefused: 400, key.WalletTimeout: 408, key.WalletWrongChain: 400,
		key.WalletSwitched: 409, key.WalletGone: 410, key.WalletFailed: 502,
	} {
		w, node := evmWallet(t)
		call := walletOnly(t, w, node)
		w.Fail(&key.WalletError{Fault: fault, Text: "what it says"})
		status, answer := call("enable_eth_with_tokens", enableEVM(`"priv_key_policy":"BrowserWallet"`))
		require.Equal(t, want, status, fault)
		require.Equal(t, string(fault), answer["error_type"])
		require.Equal(t, "what it says", answer["error_data"])
		w.Fail(nil)
		status, answer = call("enable_eth_with_tokens", enableEVM(`"priv_key_policy":"BrowserWallet"`))
		require.Equal(t, 200, status, answer)
		w.Fail(&key.WalletError{Fault: fault, Text: "what it says"})
		for method, params := range map[string]string{"sign_message": `{"coin":"ETH","message":"hello"}`, "withdraw": sendByEVM} {
			status, answer = call(method, params)
			require.Equal(t, want, status, "%s %s", method, fault)
			require.Equal(t, string(fault), answer["error_type"])
		}
	}
	w, node := evmWallet(t)
	call := walletOnly(t, w, node)
	status, _ := call("enable_eth_with_tokens", enableEVM(`"priv_key_policy":"BrowserWallet"`))
	require.Equal(t, 200, status)
	w.Switch("another user")
	status, answer := call("withdraw", sendByEVM)
	require.Equal(t, 409, status)
	require.Equal(t, "WalletSwitched", answer["error_type"])
	require.Zero(t, node.Sent())
}

func TestEVMWithoutWallets(t *testing.T) {
	call := walletOnly(t, nil, evmtest.New(1, 100))
	status, answer := call("enable_eth_with_tokens", enableEVM(`"priv_key_policy":{"type":"Metamask"},"rpc_mode":"Metamask"`))
	require.Equal(t, 500, status)
	require.Equal(t, "PrivKeyNotAllowed", answer["error_type"])
}

package apitest

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core"
	"obverse/core/key"
	"obverse/core/rpc"
	"obverse/core/wallet/cosmos/nodetest"
	evmtest "obverse/core/wallet/evm/nodetest"
	"obverse/core/wallet/signer/keplr/keplrtest"
)

// walletOnly returns the call function of a node without a passphrase, like that of a page that
// leaves all keys to a browser wallet.
func walletOnly(t *testing.T, wallets key.Wallets, eth ...*evmtest.Node) func(method, params string) (int, map[string]any) {
	t.Helper()
	hub := nodetest.Open(t, filepath.Join("..", "..", "wallet", "cosmos", "testdata"), "gaiad")
	hub.OnChain("cosmoshub-4")
	network := nodetest.NewNet()
	network.Set(hubURL, nodetest.Well(hub))
	for _, n := range eth {
		network.Set(ethURL, n.Well)
	}
	n := newNode(t, settingsOf(""), core.Platform{Fetch: network, Wallets: wallets})
	return func(method, params string) (int, map[string]any) {
		t.Helper()
		body := `{"mmrpc":"2.0","userpass":"` + statesUser + `","method":"` + method + `","params":` + params + `}`
		status, reply := n.RPC(t.Context(), rpc.Caller{Local: true}, []byte(body))
		var answer map[string]any
		require.NoError(t, json.Unmarshal(reply, &answer), "%s", reply)
		if status == 200 {
			result, is := answer["result"].(map[string]any)
			require.True(t, is, "%s", reply)
			return status, result
		}
		return status, answer
	}
}

const (
	enableByWallet = `{"ticker":"ATOM","tokens_params":[],"nodes":[{"url":"` + hubURL + `"}],"priv_key_policy":"BrowserWallet"}`
	walletAddress  = "cosmos150evuj4j7k9kgu38e453jdv9m3u0ft2n53flg6"
)

func TestNodeOnAWalletAlone(t *testing.T) {
	w := keplrtest.New(t, "tendermint test seed")
	call := walletOnly(t, w)
	status, answer := call("enable_tendermint_with_assets", enableByWallet)
	require.Equal(t, 200, status, answer)
	require.Equal(t, walletAddress, answer["address"])
	status, answer = call("get_enabled_coins", `{}`)
	require.Equal(t, 200, status)
	require.Equal(t, []any{map[string]any{"ticker": "ATOM"}}, answer["coins"])
	status, answer = call("my_balance", `{"coin":"ATOM"}`)
	require.Equal(t, 200, status)
	require.Equal(t, "1000.000003", answer["balance"])
	status, answer = call("withdraw", `{"coin":"ATOM","to":"`+walletAddress+`","amount":"0.5"}`)
	require.Equal(t, 200, status, answer)
	status, sent := call("send_raw_transaction", `{"coin":"ATOM","tx_hex":"`+answer["tx_hex"].(string)+`"}`)
	require.Equal(t, 200, status, sent)
	require.Equal(t, answer["tx_hash"], sent["tx_hash"])
	status, answer = call("sign_message", `{"coin":"ATOM","message":"hello"}`)
	require.Equal(t, 200, status, answer)
	proof, err := json.Marshal(map[string]any{"coin": "ATOM", "message": "hello", "address": walletAddress, "signature": answer["signature"]})
	require.NoError(t, err)
	status, answer = call("verify_message", string(proof))
	require.Equal(t, 200, status)
	require.Equal(t, true, answer["is_valid"])
	require.Equal(t, []string{"key cosmoshub-4", "key cosmoshub-4", "sign_direct cosmoshub-4", "key cosmoshub-4", "sign_amino cosmoshub-4"}, w.Requests())

	status, answer = call("get_public_key", `{}`)
	require.Equal(t, 500, status, "the node has no key of its own")
	require.Contains(t, answer["error"], "public_key not available")
}

func TestFaultsOfWallets(t *testing.T) {
	for fault, want := range map[key.WalletFault]int{
		key.WalletNotFound: 404, key.WalletRefused: 400, key.WalletTimeout: 408, key.WalletWrongChain: 400,
		key.WalletSwitched: 409, key.WalletGone: 410, key.WalletFailed: 502,
	} {
		w := keplrtest.New(t, "tendermint test seed")
		call := walletOnly(t, w)
		said := &key.WalletError{Fault: fault, Text: "Keplr: what it says"}
		w.Fail(said)
		status, answer := call("enable_tendermint_with_assets", enableByWallet)
		require.Equal(t, want, status, fault)
		require.Equal(t, string(fault), answer["error_type"])
		require.Equal(t, "Keplr: what it says", answer["error_data"])
		require.Equal(t, "Keplr: what it says", answer["error"])
		w.Fail(nil)
		status, answer = call("enable_tendermint_with_assets", enableByWallet)
		require.Equal(t, 200, status, answer)
		w.Fail(said)
		for method, params := range map[string]string{
			"sign_message": `{"coin":"ATOM","message":"hello"}`, "withdraw": `{"coin":"ATOM","to":"` + walletAddress + `","amount":"0.5"}`,
		} {
			status, answer = call(method, params)
			require.Equal(t, want, status, "%s %s", method, fault)
			require.Equal(t, string(fault), answer["error_type"])
		}
	}
	w := keplrtest.New(t, "tendermint test seed")
	call := walletOnly(t, w)
	status, _ := call("enable_tendermint_with_assets", enableByWallet)
	require.Equal(t, 200, status)
	w.Rewrite(func(do string, answer map[string]any) {
		if do != "key" {
			answer["signature"] = make([]byte, 64)
		}
	})
	status, answer := call("sign_message", `{"coin":"ATOM","message":"hello"}`)
	require.Equal(t, 400, status)
	require.Equal(t, "SigningError", answer["error_type"])
}

func TestNodeWithoutWallets(t *testing.T) {
	call := walletOnly(t, nil)
	status, answer := call("enable_tendermint_with_assets", enableByWallet)
	require.Equal(t, 500, status)
	require.Equal(t, "PrivKeyNotAllowed", answer["error_type"])
	require.Equal(t, "BrowserWallet is not available on this node, which has: ContextPrivKey, WithPubkey", answer["error_data"])
}

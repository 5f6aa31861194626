package cosmos

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/number"
	"obverse/core/store"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/node"
	"obverse/core/wallet/cosmos/tx"
	"obverse/core/wallet/signer/keplr"
	"obverse/core/wallet/signer/keplr/keplrtest"
)

// walletBench returns a node without a passphrase, and a browser's wallet.
func walletBench(t *testing.T, kv store.KV, w *keplrtest.Wallet) *bench {
	t.Helper()
	b := openBench(t, kv)
	b.Providers = key.Providers{(*key.Ring)(nil), keplr.Provider{Wallets: w}}
	return b
}

func byWallet(p Params) Params {
	p.Policy = key.BrowserWallet{}
	return p
}

func TestBrowserWallet(t *testing.T) {
	w := keplrtest.New(t, passphrase)
	b := walletBench(t, bunttest.Memory(t), w)
	got, err := b.Activate(t.Context(), byWallet(atom("HUGE-IBC_ATOM")))
	require.NoError(t, err)
	require.Equal(t, atomAddress, got.Owner.Address)
	require.Equal(t, "1000.000003", got.Balance.Spendable.String())
	require.Equal(t, []string{"key cosmoshub-4"}, w.Requests())
	require.Equal(t, tx.Network{ID: "cosmoshub-4", Name: "Cosmos", Prefix: "cosmos", CoinType: 118, Ticker: "ATOM", Denom: "uatom", Decimals: 6, GasPrice: "0.03"},
		w.Network(), "nodes without an api_url are not listed")

	platform := get[*Platform](t, b, "ATOM")
	for _, device := range []bool{false, true} {
		w.Device(device)
		sent := sendTen(t, platform, coin.WithdrawRequest{Memo: "by wallet"})
		require.Equal(t, []string{atomAddress}, sent.From)
		_, err = platform.Broadcast(t.Context(), sent.Raw)
		require.NoError(t, err)
		require.Equal(t, []string{"key cosmoshub-4", map[bool]string{false: "sign_direct", true: "sign_amino"}[device] + " cosmoshub-4"}, w.Requests())
	}
	sendTen(t, get[*Token](t, b, "HUGE-IBC_ATOM"), coin.WithdrawRequest{})
	signed, err := platform.SignMessage(t.Context(), "hello")
	require.NoError(t, err)
	valid, err := platform.VerifyMessage(t.Context(), coin.MessageProof{Message: "hello", Signature: signed.Signature, Address: atomAddress})
	require.NoError(t, err)
	require.True(t, valid)
	w.Requests()
	_, err = platform.SpendingCost(t.Context())
	require.NoError(t, err)
	require.Empty(t, w.Requests(), "an estimate does not use the wallet")

	_, err = b.Activate(t.Context(), iris())
	require.ErrorIs(t, err, key.ErrNoPassphrase, "other policies are as they were")
}

// TestNodesOfAWallet checks that wallets get only URLs of nodes without secrets.
func TestNodesOfAWallet(t *testing.T) {
	const rpc, api = atomURL, "https://api.example"
	for _, c := range []struct {
		name  string
		nodes []node.Node
		want  [2]string
	}{
		{"both", []node.Node{{URL: rpc, APIURL: api}}, [2]string{rpc, api}},
		{"the second", []node.Node{{URL: "https://u:p@other.example", APIURL: api}, {URL: rpc, APIURL: api}}, [2]string{rpc, api}},
		{"a password in the other", []node.Node{{URL: rpc, APIURL: "https://u:p@api.example"}}, [2]string{}},
		{"a key in the path", []node.Node{{URL: rpc, APIURL: api + "/v1/0123456789abcdef0123456789abcdef"}}, [2]string{}},
		{"a key in the query", []node.Node{{URL: rpc, APIURL: api + "?key=1"}}, [2]string{}},
		{"a gateway", []node.Node{{URL: rpc, APIURL: api, GatewayProxy: true}, {URL: rpc}}, [2]string{}},
		{"no api", []node.Node{{URL: rpc, APIURL: "api.example"}}, [2]string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := keplrtest.New(t, passphrase)
			b := walletBench(t, bunttest.Memory(t), w)
			p := byWallet(atom())
			p.Nodes = c.nodes
			_, err := b.Activate(t.Context(), p)
			if err != nil { // a gateway requires a signature, which this node cannot make
				require.Equal(t, "a gateway", c.name)
			}
			require.Equal(t, c.want, [2]string{w.Network().RPC, w.Network().REST})
		})
	}
}

func requireFault(t *testing.T, want key.WalletFault, err error) {
	t.Helper()
	var fault *key.WalletError
	require.ErrorAs(t, err, &fault)
	require.Equal(t, want, fault.Fault)
	var creation *account.CreationError
	require.NotErrorAs(t, err, &creation)
}

func TestWalletThatDoesNotOpen(t *testing.T) {
	w := keplrtest.New(t, passphrase)
	b := walletBench(t, bunttest.Memory(t), w)
	w.Fail(&key.WalletError{Fault: key.WalletRefused, Text: "no"})
	_, err := b.Activate(t.Context(), byWallet(atom()))
	requireFault(t, key.WalletRefused, err)
	require.Empty(t, b.active())
	w.Fail(nil)
	_, err = b.Activate(t.Context(), byWallet(atom()))
	require.NoError(t, err)
	w.Fail(&key.WalletError{Fault: key.WalletGone, Text: "gone"})
	_, err = get[*Platform](t, b, "ATOM").SignMessage(t.Context(), "hello")
	requireFault(t, key.WalletGone, err)
}

// The account of a coin does not change until it is activated again.
func TestWalletThatSwitches(t *testing.T) {
	w := keplrtest.New(t, passphrase)
	b := walletBench(t, bunttest.Memory(t), w)
	_, err := b.Activate(t.Context(), byWallet(atom("HUGE-IBC_ATOM")))
	require.NoError(t, err)
	platform := get[*Platform](t, b, "ATOM")

	w.Switch("another user")
	_, err = platform.Withdraw(t.Context(), coin.WithdrawRequest{To: atomAddress, Amount: number.Int(1)})
	requireFault(t, key.WalletSwitched, err)
	require.ErrorIs(t, err, coin.ErrSigning)
	require.ErrorContains(t, err, "it switched to account cosmos1")
	require.ErrorContains(t, err, "activated with "+atomAddress)
	require.ErrorContains(t, err, "activate it again")
	_, err = platform.SignMessage(t.Context(), "hello")
	requireFault(t, key.WalletSwitched, err)
	require.Equal(t, atomAddress, platform.Address())
	_, err = platform.Balance(t.Context())
	require.NoError(t, err)

	_, err = b.Active.Disable(t.Context(), "ATOM", false)
	require.NoError(t, err)
	_, err = b.Activate(t.Context(), byWallet(atom()))
	requireFault(t, key.WalletSwitched, err)
	state, _ := b.Active.State("ATOM")
	require.Equal(t, coin.StatePassive, state, "its tokens are the other account's")
	_, err = b.Active.Disable(t.Context(), "ATOM", true)
	require.NoError(t, err)
	got, err := b.Activate(t.Context(), byWallet(atom()))
	require.NoError(t, err)
	require.NotEqual(t, atomAddress, got.Owner.Address)
	_, err = get[*Platform](t, b, "ATOM").SignMessage(t.Context(), "hello")
	require.NoError(t, err)

	w.Switch(passphrase)
	_, err = get[*Platform](t, b, "ATOM").SignMessage(t.Context(), "hello")
	requireFault(t, key.WalletSwitched, err)
	w.Switch("another user")
	_, err = get[*Platform](t, b, "ATOM").SignMessage(t.Context(), "hello")
	require.NoError(t, err, "switching back mends it")
}

// Active coins are restored without the wallet, since the user may not be present.
func TestRestartWithAWallet(t *testing.T) {
	kv, w := bunttest.Memory(t), keplrtest.New(t, passphrase)
	_, err := walletBench(t, kv, w).Activate(t.Context(), byWallet(atom("HUGE-IBC_ATOM")))
	require.NoError(t, err)
	w.Requests()

	b := walletBench(t, kv, w)
	w.Fail(&key.WalletError{Fault: key.WalletGone, Text: "the user is gone"})
	require.NoError(t, b.restorer().Run(t.Context()))
	require.ElementsMatch(t, []string{"ATOM", "HUGE-IBC_ATOM"}, b.active())
	require.Empty(t, w.Requests())
	platform := get[*Platform](t, b, "ATOM")
	require.Equal(t, atomAddress, platform.Address())
	_, err = platform.SignMessage(t.Context(), "hello")
	requireFault(t, key.WalletGone, err)
	w.Fail(nil)
	_, err = platform.SignMessage(t.Context(), "hello")
	require.NoError(t, err)

	third := walletBench(t, kv, w)
	require.NoError(t, third.restorer().Run(t.Context()), "restored coins stay saved unchanged")
	w.Switch("another user")
	_, err = get[*Platform](t, third, "ATOM").SignMessage(t.Context(), "hello")
	requireFault(t, key.WalletSwitched, err)
	got, err := third.Activate(t.Context(), byWallet(atom()))
	require.NoError(t, err, "a coin that was only restored is enabled with the account of now")
	require.NotEqual(t, atomAddress, got.Owner.Address)

	elsewhere := openBench(t, kv) // a node without a page
	err = elsewhere.Restore(t.Context(), elsewhere.Active.Saved()[0])
	require.ErrorAs(t, err, new(*key.NotAllowedError))
	for _, damaged := range []string{`"xy"`, `"02"`} {
		err = third.Restore(t.Context(), coin.SavedCoin{Ticker: "IRIS", Params: json.RawMessage(`{"policy":{"type":"BrowserWallet"},"public_key":` + damaged + `}`)})
		require.Error(t, err)
	}
}

package evm

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/net/nodepool"
	"obverse/core/number"
	"obverse/core/store"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/tx"
	"obverse/core/wallet/evm/wire"
	"obverse/core/wallet/signer/eip1193"
	"obverse/core/wallet/signer/eip1193/eip1193test"
)

// walletBench returns a node without a passphrase, and a browser's wallet with the phrase's key.
func walletBench(t *testing.T, kv store.KV) (*bench, *eip1193test.Wallet) {
	t.Helper()
	b := openBench(t, kv)
	w := eip1193test.New(t, phrase, b.eth)
	b.Providers = key.Providers{(*key.Ring)(nil), eip1193.Provider{Wallets: w}}
	return b, w
}

func byWallet(p Params) Params {
	p.Policy = key.BrowserWallet{}
	return p
}

func sendOne() coin.WithdrawRequest {
	return coin.WithdrawRequest{To: payee, Amount: number.Int(1), Send: true}
}

func TestActivateWithWallet(t *testing.T) {
	b, w := walletBench(t, bunttest.Memory(t))
	got, err := b.Activate(t.Context(), byWallet(eth("SIX-ERC20")))
	require.NoError(t, err)
	require.Equal(t, account.Owner{Address: walletAddress}, got.Owner)
	require.Equal(t, "2.500000000000000001", got.Balance.Spendable.String())
	require.Equal(t, "12.345678", got.Tokens[0].Balance.Spendable.String())
	require.Equal(t, []string{"account 1"}, w.Requests())
	require.Equal(t, tx.Network{ChainID: 1, Name: "Ethereum", Ticker: "ETH", RPC: ethURL}, w.Network())

	platform := get[*Platform](t, b, "ETH")
	_, err = platform.Withdraw(t.Context(), coin.WithdrawRequest{To: payee, Amount: number.Int(1)})
	require.ErrorIs(t, err, coin.ErrSends)
	w.Requests()
	sent, err := platform.Withdraw(t.Context(), sendOne())
	require.NoError(t, err)
	require.Equal(t, []string{walletAddress}, sent.From)
	require.Equal(t, []string{"account 1", "send 1"}, w.Requests())
	require.Equal(t, 1, b.eth.Sent())
	b.eth.Give(walletAddress, "1500000000000000000")
	left, err := platform.Balance(t.Context())
	require.NoError(t, err)
	require.Equal(t, "1.5", left.Spendable.String(), "cached balances are not used anymore")
	hash, err := platform.Broadcast(t.Context(), sent.Raw)
	require.NoError(t, err, "it is known already")
	require.Equal(t, sent.Hash, hash)
	before, err := platform.Height(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 100, before)
	b.eth.Mine()
	confirmed, err := platform.Await(t.Context(), sent.Raw, 1)
	require.NoError(t, err)
	require.EqualValues(t, 101, confirmed.Height)
	newest, err := platform.Height(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 101, newest, "Await fetches the newest block too")

	token, err := get[*Token](t, b, "SIX-ERC20").Withdraw(t.Context(), sendOne())
	require.NoError(t, err)
	require.Equal(t, "1", token.Total.String())
	w.Requests()

	signed, err := platform.SignMessage(t.Context(), "hello")
	require.NoError(t, err)
	valid, err := platform.VerifyMessage(t.Context(), coin.MessageProof{Message: "hello", Signature: signed.Signature, Address: walletAddress})
	require.NoError(t, err)
	require.True(t, valid)
	require.Equal(t, []string{"account 1", "sign"}, w.Requests())
	_, err = platform.SpendingCost(t.Context())
	require.NoError(t, err)
	require.Empty(t, w.Requests(), "an estimate does not use the wallet")

	p := eth()
	p.Ticker = "MATIC"
	_, err = b.Activate(t.Context(), p)
	require.ErrorIs(t, err, key.ErrNoPassphrase, "other policies are as they were")
}

// The result has the changes that the user made in the wallet.
func TestWalletWhoseUserChangesThings(t *testing.T) {
	b, w := walletBench(t, bunttest.Memory(t))
	_, err := b.Activate(t.Context(), byWallet(eth()))
	require.NoError(t, err)
	platform := get[*Platform](t, b, "ETH")
	w.Edit(func(t *wire.Transaction) { t.Gas, t.MaxFee, t.Tip = 100_000, big.NewInt(1_000_000_000), nil })
	sent, err := platform.Withdraw(t.Context(), sendOne())
	require.NoError(t, err)
	require.Equal(t, "0.0001", sent.Fee.Amount.String())
	require.Nil(t, sent.Fee.MaxTip)
	w.Edit(func(t *wire.Transaction) { t.Value = big.NewInt(7) })
	_, err = platform.Withdraw(t.Context(), sendOne())
	require.ErrorIs(t, err, coin.ErrSigning)
	require.ErrorContains(t, err, "a different transaction")
}

// TestNodesOfAWallet checks that wallets get only URLs of nodes without secrets.
func TestNodesOfAWallet(t *testing.T) {
	for name, c := range map[string]struct {
		nodes []nodepool.Node
		want  string
	}{
		"one":                {[]nodepool.Node{{URL: ethURL}}, ethURL},
		"the second":         {[]nodepool.Node{{URL: "https://u:p@other.example"}, {URL: ethURL}}, ethURL},
		"a key in the path":  {[]nodepool.Node{{URL: "https://other.example/v1/0123456789abcdef0123456789abcdef"}, {URL: ethURL}}, ethURL},
		"a key in the query": {[]nodepool.Node{{URL: ethURL + "?key=1"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b, w := walletBench(t, bunttest.Memory(t))
			p := byWallet(eth())
			p.Nodes = c.nodes
			_, _ = b.Activate(t.Context(), p) // the node need not answer
			require.Equal(t, c.want, w.Network().RPC)
			require.Equal(t, []string{"account 1"}, w.Requests())
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
	b, w := walletBench(t, bunttest.Memory(t))
	for _, fault := range key.WalletFaults() {
		w.Fail(&key.WalletError{Fault: fault, Text: "words"})
		_, err := b.Activate(t.Context(), byWallet(eth()))
		requireFault(t, fault, err)
		require.Empty(t, b.active())
	}
	w.Fail(nil)
	_, err := b.Activate(t.Context(), byWallet(eth()))
	require.NoError(t, err)
	for _, fault := range key.WalletFaults() {
		w.Fail(&key.WalletError{Fault: fault, Text: "words"})
		_, err := get[*Platform](t, b, "ETH").Withdraw(t.Context(), sendOne())
		requireFault(t, fault, err)
	}
	require.Zero(t, b.eth.Sent())
}

// The account of a coin does not change until it is activated again.
func TestWalletThatSwitches(t *testing.T) {
	kv := bunttest.Memory(t)
	b, w := walletBench(t, kv)
	_, err := b.Activate(t.Context(), byWallet(eth("SIX-ERC20")))
	require.NoError(t, err)
	platform := get[*Platform](t, b, "ETH")

	w.Switch("payee else")
	for _, do := range []func() error{
		func() error { _, err := platform.Withdraw(t.Context(), sendOne()); return err },
		func() error { _, err := platform.SignMessage(t.Context(), "hello"); return err },
	} {
		err = do()
		requireFault(t, key.WalletSwitched, err)
		require.ErrorIs(t, err, coin.ErrSigning)
		require.ErrorContains(t, err, "it switched to account "+w.Address())
		require.ErrorContains(t, err, "activated with "+walletAddress)
	}
	require.Equal(t, walletAddress, platform.Address())
	_, err = platform.Balance(t.Context())
	require.NoError(t, err)

	_, err = b.Active.Disable(t.Context(), "ETH", false)
	require.NoError(t, err)
	_, err = b.Activate(t.Context(), byWallet(eth()))
	requireFault(t, key.WalletSwitched, err)
	_, err = b.Active.Disable(t.Context(), "ETH", true)
	require.NoError(t, err)
	got, err := b.Activate(t.Context(), byWallet(eth()))
	require.NoError(t, err)
	require.Equal(t, w.Address(), got.Owner.Address)
}

// After a restart, the wallet is used only when something is to be signed.
func TestRestoreByWallet(t *testing.T) {
	kv := bunttest.Memory(t)
	b, _ := walletBench(t, kv)
	_, err := b.Activate(t.Context(), byWallet(eth("SIX-ERC20")))
	require.NoError(t, err)
	again, w := walletBench(t, kv)
	saved := again.Active.Saved()
	require.Len(t, saved, 2)
	for _, s := range saved {
		require.NoError(t, again.Restore(t.Context(), s))
	}
	require.Equal(t, walletAddress, get[*Token](t, again, "SIX-ERC20").Address())
	require.Empty(t, w.Requests())
	_, err = get[*Platform](t, again, "ETH").Withdraw(t.Context(), sendOne())
	require.NoError(t, err)
	require.Equal(t, []string{"account 1", "send 1"}, w.Requests())
}

package account_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/net/nodepool"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
)

const mnemonic = "emerge canoe salmon dolphin glow priority random become gasp sell blade argue"

func TestHDWallet(t *testing.T) {
	b := newBench(t)
	ring, err := key.Open(mnemonic, true)
	require.NoError(t, err)
	b.Providers, b.HD = key.Providers{ring}, true
	r := toy()
	r.Path = account.AddressPath{Account: 2, Chain: key.Internal, Address: 7}
	done, err := b.activate(t.Context(), r)
	require.NoError(t, err)
	require.Equal(t, "m/44'/1'/2'/1/7", done.Owner.Path.String())
	platform := get[*toyPlatform](t, b, "TOY")
	require.True(t, platform.account.HD)
	require.Equal(t, "m/44'/1'", platform.account.Base.String())
	opened, err := platform.account.Signer(t.Context())
	require.NoError(t, err)
	defer opened.Close()
	other, err := platform.account.Addresses().Open(t.Context(), done.Owner.Path)
	require.NoError(t, err)
	defer other.Close()
	require.Equal(t, opened.(key.PublicKeyer).PublicKey(), other.(key.PublicKeyer).PublicKey())

	again := openBench(t, b.kv)
	again.Providers, again.HD = b.Providers, true
	require.NoError(t, again.restorer().Run(t.Context()))
	require.Equal(t, done.Owner, get[*toyPlatform](t, again, "TOY").Owner(), "it is restored")

	_, err = b.activate(t.Context(), with(toy(), func(r *account.Request) { r.Ticker, r.Nodes = "BARE", nil }))
	require.EqualError(t, as[*account.CreationError](t, err), "the coin has no derivation path")
}

func TestWithoutPassphrase(t *testing.T) {
	b := newBench(t)
	b.Providers = key.Providers{(*key.Ring)(nil)}
	_, err := b.activate(t.Context(), toy())
	require.ErrorIs(t, as[*account.CreationError](t, err), key.ErrNoPassphrase)
}

// The error of a policy with keys of another curve is returned unchanged.
func TestKeyOfAnotherCurve(t *testing.T) {
	b := newBench(t)
	public, err := key.NewExternalKey(key.Ed25519, make([]byte, 32))
	require.NoError(t, err)
	_, err = b.activate(t.Context(), with(toy(), func(r *account.Request) { r.Policy = key.WithPubkey{Key: public} }))
	require.ErrorIs(t, err, key.ErrUnsupported)
	var creation *account.CreationError
	require.NotErrorAs(t, err, &creation)
}

func byWallet(r account.Request) account.Request {
	r.Policy = key.BrowserWallet{}
	return r
}

func walletBench(t *testing.T) (*bench, *browser) {
	b, w := newBench(t), newBrowser(t, phrase)
	b.Providers = append(b.Providers, w)
	return b, w
}

func requireFault(t *testing.T, want key.WalletFault, err error) {
	t.Helper()
	require.Equal(t, want, as[*key.WalletError](t, err).Fault)
	var creation *account.CreationError
	require.NotErrorAs(t, err, &creation)
}

func TestExternalWallet(t *testing.T) {
	b, w := walletBench(t)
	w.fails = &key.WalletError{Fault: key.WalletRefused, Text: "no"}
	_, err := b.activate(t.Context(), byWallet(toy()))
	requireFault(t, key.WalletRefused, err)
	w.fails = nil
	r := byWallet(toy("CUBE"))
	r.Nodes = append([]nodepool.Node{{URL: "https://user:s3cret@toy.example"}}, r.Nodes...)
	done, err := b.activate(t.Context(), r)
	require.NoError(t, err)
	require.Equal(t, "1.5", done.Balance.Spendable.String())
	require.Equal(t, toyNetwork{"TOY", toyURL}, w.network, "no URL with a secret")
	opened, err := get[*toyToken](t, b, "CUBE").account.Signer(t.Context())
	require.NoError(t, err)
	opened.Close()
}

// A caller that disconnects while the wallet waits for its user does not fail the coin.
func TestDisconnectedCallerOfWallet(t *testing.T) {
	b, w := walletBench(t)
	ctx, hangUp := context.WithCancel(t.Context())
	w.opening = hangUp
	w.fails = context.Canceled
	_, err := b.activate(ctx, byWallet(toy()))
	require.ErrorIs(t, err, context.Canceled)
	var creation *account.CreationError
	require.NotErrorAs(t, err, &creation)
}

// A coin signs only with the account that it was activated with.
func TestWalletThatSwitches(t *testing.T) {
	b, w := walletBench(t)
	done, err := b.activate(t.Context(), byWallet(toy("CUBE")))
	require.NoError(t, err)
	platform, ring := get[*toyPlatform](t, b, "TOY"), w.ring
	w.ring = newBrowser(t, "another user").ring
	_, err = platform.account.Signer(t.Context())
	requireFault(t, key.WalletSwitched, err)
	require.ErrorIs(t, err, coin.ErrSigning)
	require.ErrorContains(t, err, "activated with "+done.Owner.Address)
	require.Equal(t, done.Owner.Address, platform.Address())

	_, err = b.Active.Disable(t.Context(), "TOY", false)
	require.NoError(t, err)
	_, err = b.activate(t.Context(), byWallet(toy()))
	requireFault(t, key.WalletSwitched, err)
	state, _ := b.Active.State("TOY")
	require.Equal(t, coin.StatePassive, state, "its tokens are the other account's")
	w.ring = ring
	_, err = b.activate(t.Context(), byWallet(toy()))
	require.NoError(t, err)
	_, err = b.Active.Disable(t.Context(), "TOY", true)
	require.NoError(t, err)
	w.ring = newBrowser(t, "another user").ring
	again, err := b.activate(t.Context(), byWallet(toy()))
	require.NoError(t, err)
	require.NotEqual(t, done.Owner.Address, again.Owner.Address)
}

func TestFailed(t *testing.T) {
	require.NoError(t, coin.Failed(nil))
	require.Equal(t, context.Canceled, coin.Failed(context.Canceled))
	unreachable := &nodepool.UnreachableError{}
	err := coin.Failed(fmt.Errorf("a place: %w", unreachable))
	require.ErrorIs(t, err, coin.ErrTransport)
	require.Same(t, unreachable, as[*nodepool.UnreachableError](t, err))
	require.ErrorIs(t, coin.Failed(errTest), coin.ErrTransport)
	require.ErrorIs(t, coin.Failed(errTest), errTest)
	require.EqualError(t, coin.Failed(errTest), "not this time")
}

package account_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/net/nodepool"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
)

// Stored parameters stay readable for earlier and later versions.
func TestSaved(t *testing.T) {
	b, w := walletBench(t)
	r := toy("CUBE", "BALL")
	r.Nodes = []nodepool.Node{{URL: deadURL, APIURL: "a", GRPCURL: "g", WSURL: "wss://w.example"}, {URL: toyURL}}
	r.Path = account.AddressPath{Account: 1, Chain: key.Internal, Address: 2}
	two := uint64(2)
	r.Tokens[0].Confirmations = &two
	_, err := b.activate(t.Context(), r)
	require.NoError(t, err)
	done, err := b.engine().Activate(t.Context(), byWallet(with(toy(), func(r *account.Request) { r.Ticker = "BARE" })), &toyOptions{})
	require.NoError(t, err)
	require.Equal(t, 1, w.opened)
	texts := map[string]string{}
	for _, saved := range openBench(t, b.kv).Active.Saved() {
		texts[saved.Ticker] = string(saved.Params)
	}
	require.Equal(t, map[string]string{
		"TOY": `{"nodes":[{"url":"https://dead.example/","api":"a","grpc":"g","ws":"wss://w.example"},{"url":"https://toy.example/"}],` +
			`"policy":{"type":"ContextPrivKey"},"account":1,"chain":1,"address":2,"color":"red"}`,
		"CUBE": `{"confirmations":2,"decimals":1}`,
		"BALL": `{"decimals":1}`,
		"BARE": `{"nodes":[{"url":"https://toy.example/"}],"policy":{"type":"BrowserWallet"},"public_key":"` + hexOf(done.Owner.PublicKey) +
			`","account":0,"chain":0,"address":0}`,
	}, texts)
}

func hexOf(public *[33]byte) string {
	const digits = "0123456789abcdef"
	text := ""
	for _, b := range public {
		text += string(digits[b>>4]) + string(digits[b&15])
	}
	return text
}

func TestRestart(t *testing.T) {
	kv := bunttest.Memory(t)
	b := openBench(t, kv)
	r := toy("CUBE", "BALL")
	two := uint64(2)
	r.Tokens[0].Confirmations = &two
	done, err := b.activate(t.Context(), r)
	require.NoError(t, err)
	_, err = b.activate(t.Context(), with(toy(), func(r *account.Request) { r.Ticker = "BARE" }))
	require.NoError(t, err)
	_, err = b.Active.Disable(t.Context(), "TOY", false)
	require.NoError(t, err)

	again := openBench(t, kv)
	require.NoError(t, again.restorer().Run(t.Context()))
	require.ElementsMatch(t, []string{"CUBE", "BALL", "BARE"}, again.active())
	state, restored := again.Active.State("TOY")
	require.Equal(t, coin.StatePassive, state)
	require.True(t, restored)
	cube := get[*toyToken](t, again, "CUBE")
	require.Equal(t, done.Owner.Address, cube.Address())
	require.Equal(t, two, cube.Confirmations())
	balance, err := cube.Balance(t.Context())
	require.NoError(t, err)
	require.Equal(t, "2.5", balance.Spendable.String())
	require.Zero(t, again.toy.requests("decimals"), "they were saved")
	require.Equal(t, 2, again.toy.requests("height"), "the probes are enough")
	require.ErrorIs(t, again.engine().Restore(t.Context(), coin.SavedCoin{Ticker: "BARE"}), coin.ErrAlreadyActive)
	require.ErrorIs(t, again.engine().Restore(t.Context(), coin.SavedCoin{Ticker: "LOST"}), coin.ErrNotSaved)

	_, err = again.engine().Activate(t.Context(), toy(), &toyOptions{"blue"})
	require.NoError(t, err)
	require.Equal(t, "blue", get[*toyPlatform](t, again, "TOY").color, "a restored coin is made again")
	require.Same(t, get[*toyPlatform](t, again, "TOY").toyChain, get[*toyToken](t, again, "CUBE").toyChain, "and its tokens are on it")
	third := openBench(t, kv)
	require.NoError(t, third.restorer().Run(t.Context()))
	require.Len(t, third.active(), 4)
}

// An external wallet is opened only when something is to be signed, since the user may not be
// present after a restart.
func TestRestartWithAnExternalWallet(t *testing.T) {
	b, _ := walletBench(t)
	done, err := b.activate(t.Context(), byWallet(toy("CUBE")))
	require.NoError(t, err)
	again := openBench(t, b.kv)
	w := newBrowser(t, phrase)
	again.Providers = append(again.Providers, w)
	require.NoError(t, again.restorer().Run(t.Context()))
	require.Zero(t, w.opened)
	platform := get[*toyPlatform](t, again, "TOY")
	require.Equal(t, done.Owner, platform.Owner())
	opened, err := platform.account.Signer(t.Context())
	require.NoError(t, err)
	opened.Close()
	path := key.Path{44 + key.Hardened, 1 + key.Hardened, key.Hardened, 0, 0}
	require.Equal(t, key.Place{Path: path, Public: done.Owner.PublicKey}, w.place, "the provider gets the account of the first run")
	w.ring = newBrowser(t, "another user").ring
	_, err = platform.account.Signer(t.Context())
	requireFault(t, key.WalletSwitched, err)

	without := openBench(t, b.kv)
	as[*key.NotAllowedError](t, without.engine().Restore(t.Context(), without.Active.Saved()[0]))
}

func TestRestoreOfDamagedParams(t *testing.T) {
	kv := bunttest.Memory(t)
	_, err := openBench(t, kv).activate(t.Context(), toy("CUBE"))
	require.NoError(t, err)
	b := openBench(t, kv)
	saved := b.Active.Saved()
	require.Len(t, saved, 2)
	as[*coin.PlatformError](t, b.engine().Restore(t.Context(), saved[1]))
	for _, damaged := range []string{`[]`, `{"color":5}`, `{}`, `{"policy":{"type":"Paper"}}`, `{"policy":{"type":"ContextPrivKey"},"public_key":"xy"}`,
		`{"policy":{"type":"ContextPrivKey"},"public_key":"02"}`} {
		err := b.engine().Restore(t.Context(), coin.SavedCoin{Ticker: "TOY", Params: json.RawMessage(damaged)})
		require.ErrorContains(t, err, "saved parameters of TOY: ", damaged)
	}
	err = b.engine().Restore(t.Context(), coin.SavedCoin{Ticker: "TOY", Params: json.RawMessage(`{"policy":{"type":"ContextPrivKey"},"nodes":[]}`)})
	require.ErrorIs(t, err, nodepool.ErrNoNodes)
	require.NoError(t, b.engine().Restore(t.Context(), saved[0]))
	saved[1].Params = json.RawMessage(`5`)
	require.ErrorContains(t, b.engine().Restore(t.Context(), saved[1]), "saved parameters of CUBE: ")
}

// While its nodes do not answer, a coin waits to be restored, and the user can activate or disable
// it.
func TestRestorationIsPreempted(t *testing.T) {
	kv := bunttest.Memory(t) // opened outside the bubble because buntdb has a goroutine
	synctest.Test(t, func(t *testing.T) {
		_, err := openBench(t, kv).activate(t.Context(), toy("CUBE"))
		require.NoError(t, err)
		b := openBench(t, kv)
		b.toy.set(func(s *toyServer) { s.failing = "height" })
		require.ErrorIs(t, b.engine().Restore(t.Context(), b.Active.Saved()[0]), coin.ErrTransport)
		b.toy.set(func(s *toyServer) { s.failing, s.hanging = "", "height" })
		ended := make(chan error)
		go func() { ended <- b.engine().Restore(t.Context(), b.Active.Saved()[0]) }()
		<-b.toy.hung
		began := time.Now()
		b.toy.set(func(s *toyServer) { s.hanging = "" })
		var user error
		go func() { _, user = b.activate(t.Context(), toy()); ended <- user }()
		require.ErrorIs(t, <-ended, coin.ErrPreempted)
		require.NoError(t, <-ended)
		require.Equal(t, began, time.Now(), "no caller waited")
		require.Equal(t, []string{"TOY"}, b.active())
		require.NoError(t, b.engine().Restore(t.Context(), b.Active.Saved()[0]))
		require.Equal(t, []string{"TOY", "CUBE"}, b.active())

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		c := openBench(t, kv)
		require.ErrorIs(t, c.engine().Restore(ctx, c.Active.Saved()[0]), context.Canceled)
	})
}

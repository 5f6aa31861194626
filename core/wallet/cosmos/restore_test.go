package cosmos

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/node"
	"obverse/core/wallet/cosmos/nodetest"
)

// restorer restores the coins in a bench's store.
func (b *bench) restorer() *coin.Restorer {
	return &coin.Restorer{Active: b.Active, Registry: b.Registry, Kinds: map[coin.ProtocolType]func(context.Context, coin.SavedCoin) error{
		coin.TypeTendermint: b.Restore, coin.TypeTendermintToken: b.Restore,
	}}
}

func TestRestart(t *testing.T) {
	kv := bunttest.Memory(t) // opened outside the bubble because buntdb has a goroutine
	synctest.Test(t, func(t *testing.T) {
		b := openBench(t, kv)
		p := atom("HUGE-IBC_ATOM", "CAREFUL-IBC_ATOM")
		p.Nodes = []node.Node{{URL: "https://gone.example", APIURL: "a", GRPCURL: "g", WSURL: "wss://w.example"}, {URL: "https://u:pass@atom.example"}}
		p.Confirmations, p.Notarization, p.History = 5, true, true
		five := uint64(7)
		p.Tokens[0].Confirmations = &five
		_, err := b.Activate(t.Context(), p)
		require.NoError(t, err)
		_, err = b.Activate(t.Context(), iris("ATOM-IBC_IRIS"))
		require.NoError(t, err)
		_, err = b.Active.Disable(t.Context(), "IRIS", false)
		require.NoError(t, err)

		after := openBench(t, kv)
		require.Empty(t, after.active())
		require.NoError(t, after.restorer().Run(t.Context()))
		require.ElementsMatch(t, []string{"ATOM", "HUGE-IBC_ATOM", "CAREFUL-IBC_ATOM", "ATOM-IBC_IRIS"}, after.active())
		state, restored := after.Active.State("IRIS")
		require.Equal(t, coin.StatePassive, state)
		require.True(t, restored)
		platform := get[*Platform](t, after, "ATOM")
		require.EqualValues(t, 5, platform.Confirmations())
		require.True(t, platform.RequiresNotarization())
		require.NotNil(t, platform.history)
		require.EqualValues(t, 7, get[*Token](t, after, "HUGE-IBC_ATOM").Confirmations())
		require.EqualValues(t, 9, get[*Token](t, after, "CAREFUL-IBC_ATOM").Confirmations())
		nodes := platform.Nodes()
		require.Equal(t, "https://gone.example", nodes[0].URL)
		require.Equal(t, "unreachable: no such host", nodes[0].Reason)
		require.Equal(t, "https://atom.example", nodes[1].URL)
		require.True(t, nodes[1].Healthy)
		require.Equal(t, nodes, get[*Token](t, after, "HUGE-IBC_ATOM").Nodes(), "they are the token's as well")
		balance, err := get[*Token](t, after, "HUGE-IBC_ATOM").Balance(t.Context())
		require.NoError(t, err)
		require.Equal(t, "123456789012.34567890123456789", balance.Spendable.String())
		require.Equal(t, []string{"ATOM https://gone.example: unreachable: no such host"}, after.out)

		third := openBench(t, kv)
		require.NoError(t, third.restorer().Run(t.Context()), "restored coins stay saved unchanged")
		require.Len(t, third.active(), 4)
	})
}

// Saved parameters stay readable for earlier and later versions.
func TestSavedParams(t *testing.T) {
	b := newBench(t)
	p := atom("HUGE-IBC_ATOM", "CAREFUL-IBC_ATOM")
	p.Nodes = []node.Node{{URL: "https://gone.example", APIURL: "a", GRPCURL: "g", WSURL: "wss://w.example"}, {URL: "https://u:pass@atom.example"}}
	p.Options = Options{Confirmations: 5, Notarization: true, History: true}
	p.Path = account.AddressPath{Account: 1, Chain: key.Internal, Address: 2}
	seven := uint64(7)
	p.Tokens[0].Confirmations = &seven
	_, err := b.Activate(t.Context(), p)
	require.NoError(t, err)
	_, err = b.Activate(t.Context(), iris())
	require.NoError(t, err)
	var texts []string
	for _, saved := range openBench(t, b.kv).Active.Saved() {
		texts = append(texts, string(saved.Params))
	}
	require.Equal(t, []string{
		`{"nodes":[{"url":"https://gone.example","api":"a","grpc":"g","ws":"wss://w.example"},{"url":"https://u:pass@atom.example"}],` +
			`"policy":{"type":"ContextPrivKey"},"account":1,"chain":1,"address":2,"history":true,"confirmations":5,"notarization":true}`,
		`{"confirmations":7}`, `{}`,
		`{"nodes":[{"url":"https://iris.example/"}],"policy":{"type":"ContextPrivKey"},"account":0,"chain":0,"address":0,"history":false,"confirmations":3,"notarization":false}`,
	}, texts)
}

// TestRestartWhileTheNodesAreDown checks that nothing is restored while the nodes are down, and
// that a user's call preempts the restoration.
func TestRestartWhileTheNodesAreDown(t *testing.T) {
	kv := bunttest.Memory(t)
	synctest.Test(t, func(t *testing.T) {
		_, err := openBench(t, kv).Activate(t.Context(), atom("HUGE-IBC_ATOM", "CAREFUL-IBC_ATOM"))
		require.NoError(t, err)
		b := openBench(t, kv)
		b.net.Set(atomURL, nodetest.Hangs)
		go func() { require.NoError(t, b.restorer().Run(t.Context())) }()
		time.Sleep(5 * time.Second)
		_, err = b.ActivateToken(t.Context(), account.TokenRequest{Ticker: "CAREFUL-IBC_ATOM"})
		require.ErrorAs(t, err, new(*coin.PlatformError), "it waited for the restoration, which failed")
		b.net.Set("https://other.example/", nodetest.Well(b.gaiad))
		p := atom("HUGE-IBC_ATOM")
		p.Nodes = at("https://other.example/")
		time.Sleep(3 * time.Second) // during the next attempt
		begin := time.Now()
		_, err = b.Activate(t.Context(), p)
		require.NoError(t, err)
		require.Less(t, time.Since(begin), 2*time.Second, "the restoration gives way")
		state, restored := b.Active.State("ATOM")
		require.Equal(t, coin.StateActive, state)
		require.False(t, restored)
		synctest.Wait()
		require.ElementsMatch(t, []string{"ATOM", "HUGE-IBC_ATOM", "CAREFUL-IBC_ATOM"}, b.active(), "the other token came back on the new nodes")
		require.Same(t, get[*Platform](t, b, "ATOM").chain, get[*Token](t, b, "CAREFUL-IBC_ATOM").chain)
		_, err = b.Activate(t.Context(), p)
		require.ErrorIs(t, err, coin.ErrAlreadyActive)
	})
}

// TestEnablingWhatWasRestored checks that a user can activate a restored coin again, with other
// nodes.
func TestEnablingWhatWasRestored(t *testing.T) {
	kv := bunttest.Memory(t)
	_, err := openBench(t, kv).Activate(t.Context(), atom("HUGE-IBC_ATOM", "CAREFUL-IBC_ATOM"))
	require.NoError(t, err)
	b := openBench(t, kv)
	require.NoError(t, b.restorer().Run(t.Context()))
	old := get[*Platform](t, b, "ATOM")
	_, err = b.ActivateToken(t.Context(), account.TokenRequest{Ticker: "HUGE-IBC_ATOM"})
	require.NoError(t, err, "a token too")
	b.net.Set("https://other.example/", nodetest.Well(b.gaiad))
	p := atom()
	p.Nodes, p.Confirmations = at("https://other.example/"), 1
	got, err := b.Activate(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, "1000.000003", got.Balance.Spendable.String())
	fresh := get[*Platform](t, b, "ATOM")
	require.NotSame(t, old, fresh)
	require.EqualValues(t, 1, fresh.Confirmations())
	require.Equal(t, "https://other.example", fresh.Nodes()[0].URL)
	require.Equal(t, fresh.Nodes(), get[*Token](t, b, "CAREFUL-IBC_ATOM").Nodes())
	require.Same(t, fresh.chain, get[*Token](t, b, "HUGE-IBC_ATOM").chain, "its tokens are on it")
	require.Same(t, fresh.chain, get[*Token](t, b, "CAREFUL-IBC_ATOM").chain)
	_, err = b.Activate(t.Context(), p)
	require.ErrorIs(t, err, coin.ErrAlreadyActive)
}

// TestRestartWithAnotherPassphrase checks that a coin is restored with the key of the new
// passphrase.
func TestRestartWithAnotherPassphrase(t *testing.T) {
	kv := bunttest.Memory(t)
	_, err := openBench(t, kv).Activate(t.Context(), atom())
	require.NoError(t, err)
	b := openBench(t, kv)
	b.Providers = key.Providers{mustRing(t, "best seed")}
	require.NoError(t, b.restorer().Run(t.Context()))
	require.Equal(t, "cosmos1aghdjgt5gzntzqgdxdzhjfry90upmtfsy2wuwp", get[*Platform](t, b, "ATOM").Address())

	b = openBench(t, kv)
	b.Providers = key.Providers{(*key.Ring)(nil)}
	err = b.Restore(t.Context(), b.Active.Saved()[0])
	require.ErrorIs(t, err, key.ErrNoPassphrase)
	require.Len(t, b.Active.Saved(), 1, "it stays, for the next start with one")
}

func TestRestoreOfWhatIsDamaged(t *testing.T) {
	kv := bunttest.Memory(t)
	b := openBench(t, kv)
	_, err := b.Activate(t.Context(), atom("HUGE-IBC_ATOM"))
	require.NoError(t, err)
	after := openBench(t, kv)
	for _, raw := range []string{`[]`, `{}`, `{"policy":{"type":"Paper"}}`, `{"policy":{"type":"ContextPrivKey"},"nodes":[]}`} {
		err := after.Restore(t.Context(), coin.SavedCoin{Ticker: "ATOM", Params: json.RawMessage(raw)})
		require.Error(t, err, raw)
	}
	require.NoError(t, after.Restore(t.Context(), after.Active.Saved()[0]))
	require.Error(t, after.Restore(t.Context(), coin.SavedCoin{Ticker: "HUGE-IBC_ATOM", Platform: "ATOM", Params: json.RawMessage(`[]`)}))
	require.ErrorIs(t, after.Restore(t.Context(), coin.SavedCoin{Ticker: "ATOM"}), coin.ErrAlreadyActive)
	require.ErrorIs(t, after.Restore(t.Context(), coin.SavedCoin{Ticker: "IRIS"}), coin.ErrNotSaved)
}

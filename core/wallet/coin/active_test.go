package coin

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
	"obverse/core/store/bunt"
	"obverse/core/store/bunttest"
)

// plain is a platform coin without a Run method.
type plain struct{ ticker string }

func (c *plain) Ticker() string { return c.ticker }
func (c *plain) Entry() *Entry  { return nil }

// onPlain is a token of a plain coin.
type onPlain struct {
	ticker, platform string
	on               Coin
}

func (c *onPlain) Ticker() string   { return c.ticker }
func (c *onPlain) Entry() *Entry    { return nil }
func (c *onPlain) Platform() string { return c.platform }
func (c *onPlain) OnPlatform(platform Coin) Token {
	return &onPlain{ticker: c.ticker, platform: c.platform, on: platform}
}

func open(t testing.TB, kv store.KV) *Active {
	t.Helper()
	a, err := Open(t.Context(), Config{Store: kv, Restore: true})
	require.NoError(t, err)
	return a
}

// enable activates a platform together with tokens.
func enable(t testing.TB, a *Active, ticker string, tokens ...string) Coin {
	t.Helper()
	x, err := a.Begin(t.Context(), ticker, tokens...)
	require.NoError(t, err)
	defer x.Abort()
	platform := x.Existing()
	if platform == nil {
		platform = &plain{ticker: ticker}
	}
	items := []Item{{Coin: platform, Params: json.RawMessage(`{"of":"` + ticker + `"}`)}}
	for _, token := range tokens {
		items = append(items, Item{Coin: &onPlain{token, ticker, platform}})
	}
	require.NoError(t, x.Commit(t.Context(), items...))
	for _, item := range items {
		require.Same(t, item.Coin, a.slots[Canonical(item.Coin.Ticker())].live)
	}
	return platform
}

// enableToken activates one token.
func enableToken(t testing.TB, a *Active, ticker, platform string) error {
	t.Helper()
	x, err := a.Begin(t.Context(), ticker)
	if err != nil {
		return err
	}
	defer x.Abort()
	p, err := x.Platform(t.Context(), platform)
	if err != nil {
		return err
	}
	return x.Commit(t.Context(), Item{Coin: &onPlain{ticker, platform, p}})
}

// restore restores one saved coin.
func restore(t testing.TB, a *Active, saved SavedCoin) error {
	t.Helper()
	ctx, x, err := a.Restore(t.Context(), saved.Ticker)
	if err != nil {
		return err
	}
	defer x.Abort()
	var made Coin = &plain{ticker: saved.Ticker}
	if saved.Platform != "" {
		p, err := x.Platform(ctx, saved.Platform)
		require.NoError(t, err)
		made = &onPlain{saved.Ticker, saved.Platform, p}
	}
	return x.Commit(ctx, Item{Coin: made, Params: saved.Params})
}

func tickers(a *Active) (all []string) {
	for _, c := range a.List() {
		all = append(all, c.Ticker())
	}
	return all
}

func savedTickers(a *Active) (all []string) {
	for _, c := range a.Saved() {
		all = append(all, c.Ticker)
	}
	return all
}

func requireState(t testing.TB, a *Active, ticker string, want State, restored bool) {
	t.Helper()
	state, is := a.State(ticker)
	require.Equal(t, want, state, ticker)
	require.Equal(t, restored, is, ticker)
	_, err := a.Get(ticker)
	if want == StateActive {
		require.NoError(t, err)
	} else {
		require.ErrorIs(t, err, ErrNotActive)
	}
}

func TestActivate(t *testing.T) {
	a := open(t, bunttest.Memory(t))
	requireState(t, a, "ATOM", StateInactive, false)
	x, err := a.Begin(t.Context(), "ATOM", "IRIS-IBC_ATOM", "IRIS-IBC_ATOM")
	require.NoError(t, err)
	requireState(t, a, "ATOM", StateActivating, false)
	requireState(t, a, "IRIS-IBC_ATOM", StateActivating, false)
	require.Nil(t, x.Existing())
	x.Abort()
	x.Abort()
	requireState(t, a, "ATOM", StateInactive, false)
	require.Empty(t, a.slots, "failed activations leave no slots")

	atom := enable(t, a, "ATOM", "IRIS-IBC_ATOM", "OSMO-IBC_ATOM")
	requireState(t, a, "ATOM", StateActive, false)
	got, err := a.Get("OSMOSIS-IBC_ATOM")
	require.NoError(t, err)
	require.Equal(t, "OSMO-IBC_ATOM", got.Ticker(), "found by any name, reported as activated")
	require.Same(t, atom, got.(*onPlain).on)
	require.Equal(t, []string{"ATOM", "IRIS-IBC_ATOM", "OSMO-IBC_ATOM"}, tickers(a))

	_, err = a.Begin(t.Context(), "ATOM")
	require.ErrorIs(t, err, ErrAlreadyActive)
	require.ErrorIs(t, enableToken(t, a, "OSMOSIS-IBC_ATOM", "ATOM"), ErrAlreadyActive)
}

func TestTokenNeedsItsPlatform(t *testing.T) {
	a := open(t, bunttest.Memory(t))
	refused := func() {
		t.Helper()
		err := enableToken(t, a, "ATOM-IBC_IRIS", "IRIS")
		platform := new(PlatformError)
		require.ErrorAs(t, err, &platform)
		require.Equal(t, "IRIS", platform.Platform)
		requireState(t, a, "ATOM-IBC_IRIS", StateInactive, false)
	}
	refused()
	enable(t, a, "IRIS", "X-IBC_IRIS")
	_, err := a.Disable(t.Context(), "IRIS", false)
	require.NoError(t, err)
	refused() // a passive platform counts as inactive
	enable(t, a, "IRIS")
	require.NoError(t, enableToken(t, a, "ATOM-IBC_IRIS", "IRIS"))
	requireState(t, a, "ATOM-IBC_IRIS", StateActive, false)
}

func TestCommitTakesWhatWasBegun(t *testing.T) {
	item := func(c Coin) Item { return Item{Coin: c} }
	for _, c := range []struct {
		name  string
		items []Item
	}{
		{"nothing", nil},
		{"a token is missing", []Item{item(&plain{ticker: "ATOM"})}},
		{"one twice", []Item{item(&plain{ticker: "ATOM"}), item(&plain{ticker: "ATOM"})}},
		{"another token", []Item{item(&plain{ticker: "ATOM"}), item(&onPlain{ticker: "Y", platform: "ATOM"})}},
		{"a platform in place of a token", []Item{item(&plain{ticker: "ATOM"}), item(&plain{ticker: "X"})}},
		{"a token of another platform", []Item{item(&plain{ticker: "ATOM"}), item(&onPlain{ticker: "X", platform: "IRIS"})}},
		{"a platform that is a token", []Item{item(&onPlain{ticker: "ATOM", platform: "IRIS"}), item(&onPlain{ticker: "X", platform: "ATOM"})}},
		{"broken parameters", []Item{{&plain{ticker: "ATOM"}, json.RawMessage(`{`)}, item(&onPlain{ticker: "X", platform: "ATOM"})}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := open(t, bunttest.Memory(t))
			x, err := a.Begin(t.Context(), "ATOM", "X")
			require.NoError(t, err)
			require.ErrorIs(t, x.Commit(t.Context(), c.items...), errItems)
			requireState(t, a, "ATOM", StateInactive, false)
			require.ErrorIs(t, x.Commit(t.Context(), item(&plain{ticker: "ATOM"})), errItems, "it is over")
			require.Empty(t, a.List())
			enable(t, a, "ATOM", "X")
		})
	}
}

func TestDisable(t *testing.T) {
	ctx := t.Context()
	a := open(t, bunttest.Memory(t))
	_, err := a.Disable(ctx, "ATOM", true)
	require.ErrorIs(t, err, ErrNotActive)
	require.Empty(t, a.slots)

	enable(t, a, "ETH")
	done, err := a.Disable(ctx, "ETH", false)
	require.NoError(t, err)
	require.Equal(t, Disabled{Ticker: "ETH"}, done)
	requireState(t, a, "ETH", StateInactive, false)
	require.Empty(t, a.slots)

	osmo := enable(t, a, "OSMO", "ATOM-IBC_OSMO", "IRIS-IBC_OSMO")
	done, err = a.Disable(ctx, "OSMOSIS", false)
	require.NoError(t, err)
	require.Equal(t, Disabled{Ticker: "OSMO", Passive: true}, done)
	requireState(t, a, "OSMO", StatePassive, false)
	require.Equal(t, []string{"ATOM-IBC_OSMO", "IRIS-IBC_OSMO"}, tickers(a), "its tokens stay")
	require.Equal(t, []string{"ATOM-IBC_OSMO", "IRIS-IBC_OSMO"}, a.Tokens("OSMO"))
	require.Empty(t, a.Tokens("ATOM"))
	_, err = a.Disable(ctx, "OSMO", false)
	require.ErrorIs(t, err, ErrNotActive, "it looks inactive")

	x, err := a.Begin(ctx, "OSMO", "ATOM-IBC_OSMO")
	require.NoError(t, err)
	require.Same(t, osmo, x.Existing(), "switched on again as it was")
	x.Abort()
	requireState(t, a, "OSMO", StatePassive, false)

	done, err = a.Disable(ctx, "OSMO", true)
	require.NoError(t, err)
	require.Equal(t, Disabled{Ticker: "OSMO", Tokens: []string{"ATOM-IBC_OSMO", "IRIS-IBC_OSMO"}}, done)
	require.Empty(t, a.slots)
}

func TestPassivePlatformEndsWithItsLastToken(t *testing.T) {
	kv := bunttest.Memory(t)
	a := open(t, kv)
	enable(t, a, "IRIS", "X", "Y")
	for _, ticker := range []string{"IRIS", "X"} {
		_, err := a.Disable(t.Context(), ticker, false)
		require.NoError(t, err)
	}
	requireState(t, a, "IRIS", StatePassive, false)
	done, err := a.Disable(t.Context(), "Y", false)
	require.NoError(t, err)
	require.Equal(t, Disabled{Ticker: "Y"}, done)
	requireState(t, a, "IRIS", StateInactive, false)
	require.Empty(t, open(t, kv).Saved())
}

func TestReenablingAPassivePlatform(t *testing.T) {
	a := open(t, bunttest.Memory(t))
	platform := enable(t, a, "IRIS", "X", "Y")
	y, err := a.Get("Y")
	require.NoError(t, err)
	_, err = a.Disable(t.Context(), "IRIS", false)
	require.NoError(t, err)
	require.Same(t, platform, enable(t, a, "IRIS", "X", "Z"))
	require.Equal(t, []string{"IRIS", "X", "Y", "Z"}, tickers(a), "each in its old place")
	now, err := a.Get("Y")
	require.NoError(t, err)
	require.Same(t, y, now, "the platform is the same: the token has not moved")
}

func TestRestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store")
	kv, err := bunt.Open(path)
	require.NoError(t, err)
	a := open(t, kv)
	enable(t, a, "ETH", "USDT", "DAI")
	enable(t, a, "OSMO", "ATOM-IBC_OSMO")
	enable(t, a, "ATOM")
	for _, ticker := range []string{"OSMO", "DAI"} {
		_, err = a.Disable(t.Context(), ticker, false)
		require.NoError(t, err)
	}
	require.NoError(t, kv.Close())

	kv, err = bunt.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, kv.Close()) }()
	a = open(t, kv)
	require.Empty(t, a.List())
	null := json.RawMessage("null")
	require.Equal(t, []SavedCoin{
		{Ticker: "ETH", Params: json.RawMessage(`{"of":"ETH"}`)},
		{Ticker: "USDT", Platform: "ETH", Params: null},
		{Ticker: "OSMO", Passive: true, Params: json.RawMessage(`{"of":"OSMO"}`)},
		{Ticker: "ATOM-IBC_OSMO", Platform: "OSMOSIS", Params: null},
		{Ticker: "ATOM", Params: json.RawMessage(`{"of":"ATOM"}`)},
	}, a.Saved())
	requireState(t, a, "USDT", StateSaved, false)

	saved := a.Saved()
	platform := new(PlatformError)
	require.ErrorAs(t, restore(t, a, saved[1]), &platform)
	for _, s := range saved {
		require.NoError(t, restore(t, a, s))
		require.ErrorIs(t, restore(t, a, s), ErrAlreadyActive)
	}
	require.Empty(t, a.Saved())
	require.Equal(t, []string{"ETH", "USDT", "ATOM-IBC_OSMO", "ATOM"}, tickers(a), "as before the restart")
	requireState(t, a, "OSMO", StatePassive, true)
	requireState(t, a, "ETH", StateActive, true)

	require.ErrorIs(t, restore(t, a, SavedCoin{Ticker: "DAI"}), ErrNotSaved)
	eth := enable(t, a, "ETH")
	requireState(t, a, "ETH", StateActive, false)
	usdt, err := a.Get("USDT")
	require.NoError(t, err, "a restored token stays when its platform gets new nodes")
	require.Same(t, eth, usdt.(*onPlain).on)
	requireState(t, a, "USDT", StateActive, true)
	_, err = a.Begin(t.Context(), "ETH")
	require.ErrorIs(t, err, ErrAlreadyActive, "a second time in this run")
	require.NoError(t, enableToken(t, a, "USDT", "ETH"))
	require.ErrorIs(t, enableToken(t, a, "USDT", "ETH"), ErrAlreadyActive)
	x, err := a.Begin(t.Context(), "OSMO")
	require.NoError(t, err)
	require.Nil(t, x.Existing(), "a restored platform gets the request's nodes, passive or not")
	x.Abort()
}

func TestSavedCoinsWithoutRestoring(t *testing.T) {
	kv := bunttest.Memory(t)
	before := open(t, kv)
	enable(t, before, "ETH", "USDT", "DAI")
	enable(t, before, "ATOM", "X")

	a := open(t, kv)
	done, err := a.Disable(t.Context(), "DAI", false)
	require.NoError(t, err, "a coin that waits to be restored can be disabled")
	require.Equal(t, Disabled{Ticker: "DAI"}, done)
	done, err = a.Disable(t.Context(), "ETH", false)
	require.NoError(t, err)
	require.True(t, done.Passive)
	done, err = a.Disable(t.Context(), "ATOM", true)
	require.NoError(t, err)
	require.Equal(t, []string{"X"}, done.Tokens)
	require.Equal(t, []string{"ETH", "USDT"}, savedTickers(a))
	require.Equal(t, a.Saved(), open(t, kv).Saved())
	enable(t, a, "ETH")
	require.Equal(t, []string{"USDT"}, savedTickers(a), "the token still waits")
	require.NoError(t, restore(t, a, a.Saved()[0]))

	forgets, err := Open(t.Context(), Config{Store: kv})
	require.NoError(t, err)
	require.Empty(t, forgets.Saved())
	require.Empty(t, open(t, kv).Saved(), "a run without restoring forgets for good")
}

// refusing is a store that fails as if the disk were full.
type refusing struct{ store.KV }

var errFull = errors.New("disk full")

func (r refusing) Stage(ctx context.Context, b store.Batch) (store.Durable, error) {
	if len(b.Ops) > 0 {
		return nil, errFull
	}
	return r.KV.Stage(ctx, b)
}

func TestStoreFailure(t *testing.T) {
	kv := bunttest.Memory(t)
	a := open(t, kv)
	enable(t, a, "ETH", "USDT")
	a.kv = refusing{kv}
	x, err := a.Begin(t.Context(), "ATOM")
	require.NoError(t, err)
	require.ErrorIs(t, x.Commit(t.Context(), Item{Coin: &plain{ticker: "ATOM"}}), errFull)
	requireState(t, a, "ATOM", StateInactive, false)
	_, err = a.Disable(t.Context(), "ETH", true)
	require.ErrorIs(t, err, errFull)
	require.Equal(t, []string{"ETH", "USDT"}, tickers(a))
	_, err = Open(t.Context(), Config{Store: refusing{kv}})
	require.ErrorIs(t, err, errFull)
	a.kv = kv
	enable(t, a, "ATOM")
	require.Equal(t, []string{"ETH", "USDT", "ATOM"}, savedTickers(open(t, kv)))
}

func TestOpenDamagedStore(t *testing.T) {
	kv := bunttest.Memory(t)
	enable(t, open(t, kv), "ETH")
	found, err := kv.Scan(t.Context(), "N/coin/", "", 10)
	require.NoError(t, err)
	require.Len(t, found, 1)
	var b store.Batch
	b.Put(found[0].Key, "\x00{")
	require.NoError(t, store.Apply(t.Context(), kv, b))
	_, err = Open(t.Context(), Config{Store: kv, Restore: true})
	require.ErrorContains(t, err, "read the active coins")
}

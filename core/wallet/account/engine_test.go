package account_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/net/nodepool"
	"obverse/core/store"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
)

func TestActivate(t *testing.T) {
	b := newBench(t)
	r := toy("CUBE", "BALL", "cube")
	r.Tokens[2].Ticker = "CUBE"
	done, err := b.activate(t.Context(), r)
	require.NoError(t, err)
	require.EqualValues(t, 100, done.Height)
	require.Equal(t, "1.5", done.Balance.Spendable.String())
	require.Len(t, done.Tokens, 2, "each once")
	require.Equal(t, "2.5", done.Tokens[0].Spendable.String(), "by the decimals that the node knows")
	require.Equal(t, "BALL", done.Tokens[1].Ticker)
	require.NotNil(t, done.Owner.PublicKey)
	require.Nil(t, done.Owner.Path)
	require.Equal(t, []string{"TOY", "CUBE", "BALL"}, b.active())
	platform, cube := get[*toyPlatform](t, b, "TOY"), get[*toyToken](t, b, "CUBE")
	require.Equal(t, "red", platform.color)
	require.Equal(t, done.Owner.Address, cube.Address())
	require.EqualValues(t, 4, platform.Confirmations())
	require.EqualValues(t, 4, cube.Confirmations(), "as the platform")
	require.EqualValues(t, 9, get[*toyToken](t, b, "BALL").Confirmations(), "as its entry")
	require.Equal(t, platform.Nodes(), cube.Nodes())
	require.Equal(t, 10*time.Second, cube.Blocktime())
	require.Len(t, platform.Tokens(), 2)
	require.Equal(t, "BALL", get[*toyToken](t, b, "BALL").Entry().Ticker)
	balance, err := cube.Balance(t.Context())
	require.NoError(t, err)
	require.Equal(t, "2.5", balance.Spendable.String())
	_, err = b.activate(t.Context(), toy())
	require.ErrorIs(t, err, coin.ErrAlreadyActive)
}

func TestActivateWithoutBalances(t *testing.T) {
	b := newBench(t)
	done, err := b.activate(t.Context(), with(toy("CUBE"), func(r *account.Request) { r.Balances = false }))
	require.NoError(t, err)
	require.EqualValues(t, 100, done.Height)
	require.Equal(t, "CUBE", done.Tokens[0].Ticker)
	require.True(t, done.Tokens[0].Spendable.IsZero())
	require.Zero(t, b.toy.requests("balance"))
	require.Equal(t, 1, b.toy.requests("decimals"), "amounts depend on them later")

	b = newBench(t)
	b.toy.failing = "decimals"
	_, err = b.activate(t.Context(), with(toy("CUBE"), func(r *account.Request) { r.Balances = false }))
	require.ErrorIs(t, err, coin.ErrTransport)
}

var errTest = errors.New("not this time")

// TestActivateRefuses checks the order of the checks: each case fails all later checks too. No
// node is queried.
func TestActivateRefuses(t *testing.T) {
	is := func(want error) func(testing.TB, error) {
		return func(t testing.TB, err error) { require.ErrorIs(t, err, want) }
	}
	creation := func(text string) func(testing.TB, error) {
		return func(t testing.TB, err error) { require.EqualError(t, as[*account.CreationError](t, err), text) }
	}
	token := func(ticker string, check func(testing.TB, error)) func(testing.TB, error) {
		return func(t testing.TB, err error) {
			require.Equal(t, ticker, as[*account.TokenError](t, err).Ticker)
			check(t, err)
		}
	}
	refuse := func(*coin.Entry) error { return errTest }
	base := func(r *account.Request) { r.Nodes, r.Policy = nil, key.HardwareWallet{} }
	for _, c := range []struct {
		name   string
		change func(*account.Request)
		color  string
		check  func(testing.TB, error)
	}{
		{"no entry", func(r *account.Request) { base(r); r.Ticker, r.Expected = "XYZ", refuse }, "black", is(coin.ErrNotConfigured)},
		{"no protocol", func(r *account.Request) { base(r); r.Ticker, r.Expected = "NONE", refuse }, "black", func(t testing.TB, err error) { as[*coin.ParseError](t, err) }},
		{"another protocol", func(r *account.Request) { base(r); r.Ticker, r.Expected = "CUBE", refuse }, "black", func(t testing.TB, err error) { as[*coin.UnexpectedError](t, err) }},
		{"not expected", func(r *account.Request) { base(r); r.Expected = refuse }, "black", is(errTest)},
		{"refused by the family", base, "black", creation("black is no color")},
		{"the entry's path", func(r *account.Request) { base(r); r.Ticker = "LOST" }, "",
			creation("coin entry: invalid derivation path: it must begin with m, like m/44'/118'")},
		{"policy", base, "", func(t testing.TB, err error) { as[*key.NotAllowedError](t, err) }},
		{"no nodes", func(r *account.Request) { r.Nodes, r.Path.Account = nil, key.Hardened }, "", is(nodepool.ErrNoNodes)},
		{"account", func(r *account.Request) { r.Nodes[0].URL, r.Path.Account = "ftp://x", key.Hardened }, "",
			creation("invalid derivation path: account, chain and address must be from 0 to 2147483647, got 2147483648, 0 and 0")},
		{"URLs", func(r *account.Request) { r.Nodes[0].URL = "ftp://x"; r.Tokens = toy("XYZ").Tokens }, "",
			creation("Url ftp://x is invalid, got error its scheme is not http or https")},
		{"a token without entry", func(r *account.Request) { r.Tokens = toy("XYZ").Tokens }, "", token("XYZ", is(coin.ErrNotConfigured))},
		{"a token of another platform", func(r *account.Request) { r.Tokens = toy("CUBE", "ODD").Tokens }, "",
			token("ODD", func(t testing.TB, err error) { as[*coin.UnexpectedError](t, err) })},
		{"a platform in place of a token", func(r *account.Request) { r.Tokens = toy("BARE").Tokens }, "",
			token("BARE", func(t testing.TB, err error) { as[*coin.UnexpectedError](t, err) })},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			r := with(toy(), c.change)
			done, err := b.engine().Activate(t.Context(), r, &toyOptions{c.color})
			c.check(t, err)
			require.Zero(t, done)
			require.Empty(t, b.active())
			require.Empty(t, b.Active.Saved())
			require.Zero(t, b.toy.requests("height"), "no node is queried")
		})
	}
}

func TestExcludedNodes(t *testing.T) {
	b := newBench(t)
	_, err := b.activate(t.Context(), with(toy(), func(r *account.Request) { r.Nodes = append([]nodepool.Node{{URL: deadURL}}, r.Nodes...) }))
	require.NoError(t, err)
	require.Len(t, b.excluded, 1)
	require.Contains(t, b.excluded[0], "TOY https://dead.example: ")

	b = newBench(t)
	b.Excluded = nil
	b.toy.chain = "doll"
	_, err = b.activate(t.Context(), toy())
	require.ErrorIs(t, err, coin.ErrTransport)
	require.ErrorContains(t, err, `chain id is "doll", want "toy"`)
}

// full is a store that rejects all writes.
type full struct{ store.KV }

func (full) Stage(context.Context, store.Batch) (store.Durable, error) { return nil, errTest }

// After any failure, neither the platform nor any of its tokens is active or saved.
func TestActivationIsAllOrNothing(t *testing.T) {
	for _, method := range []string{"height", "decimals", "balance", "extra", "store"} {
		t.Run(method, func(t *testing.T) {
			b := newBench(t)
			b.toy.failing = method
			r := toy("CUBE", "BALL")
			r.Extras = []account.Extra{{Ticker: "NFT_TOY", Make: func(_ context.Context, platform coin.Coin) (coin.Item, error) {
				require.Equal(t, "TOY", platform.Ticker())
				if method == "extra" {
					return coin.Item{}, errTest
				}
				return coin.Item{Coin: &onToy{platform}}, nil
			}}}
			if method == "store" {
				active, err := coin.Open(t.Context(), coin.Config{Store: full{b.kv}, Restore: true})
				require.NoError(t, err)
				b.Active = active
			}
			_, err := b.activate(t.Context(), r)
			switch method {
			case "extra":
				require.Equal(t, "NFT_TOY", as[*account.TokenError](t, err).Ticker)
				require.EqualError(t, err, "token NFT_TOY: not this time")
			case "store":
				require.ErrorIs(t, err, errTest)
			default:
				require.ErrorIs(t, err, coin.ErrTransport)
			}
			require.Empty(t, b.active())
			require.Empty(t, openBench(t, b.kv).Active.Saved())
			for _, ticker := range []string{"TOY", "CUBE", "NFT_TOY"} {
				state, _ := b.Active.State(ticker)
				require.Equal(t, coin.StateInactive, state)
			}
		})
	}
}

// onToy is another coin that is activated with the platform.
type onToy struct{ on coin.Coin }

func (o *onToy) Ticker() string                    { return "NFT_" + o.on.Ticker() }
func (o *onToy) Entry() *coin.Entry                { return o.on.Entry() }
func (o *onToy) Platform() string                  { return o.on.Ticker() }
func (o *onToy) OnPlatform(p coin.Coin) coin.Token { return &onToy{p} }

func TestExtras(t *testing.T) {
	b := newBench(t)
	r := toy("CUBE")
	r.Extras = []account.Extra{{Ticker: "NFT_TOY", Make: func(_ context.Context, platform coin.Coin) (coin.Item, error) {
		return coin.Item{Coin: &onToy{platform}}, nil
	}}}
	done, err := b.activate(t.Context(), r)
	require.NoError(t, err)
	require.Len(t, done.Tokens, 1)
	require.Equal(t, []string{"TOY", "CUBE", "NFT_TOY"}, b.active())
}

// A platform that is passive for its tokens is made active again unchanged.
func TestPassivePlatform(t *testing.T) {
	b := newBench(t)
	_, err := b.activate(t.Context(), toy("CUBE"))
	require.NoError(t, err)
	before := get[*toyPlatform](t, b, "TOY")
	_, err = b.Active.Disable(t.Context(), "TOY", false)
	require.NoError(t, err)
	public, err := key.NewExternalKey(key.Secp256k1, before.Owner().PublicKey[:])
	require.NoError(t, err)
	_, err = b.activate(t.Context(), with(toy(), func(r *account.Request) { r.Policy = key.WithPubkey{Key: public} }))
	as[*coin.PolicyError](t, err)
	done, err := b.engine().Activate(t.Context(), with(toy("BALL"), func(r *account.Request) { r.Nodes = nil }), &toyOptions{"blue"})
	require.NoError(t, err)
	require.Equal(t, "1.5", done.Balance.Spendable.String())
	require.Equal(t, []string{"TOY", "CUBE", "BALL"}, b.active())
	require.Same(t, before, get[*toyPlatform](t, b, "TOY"))
	require.Equal(t, "red", before.color)
}

// Tokens lists only the tokens of one platform, even if other platforms of the family are
// active.
func TestTokensOfTwoPlatforms(t *testing.T) {
	b := newBench(t)
	_, err := b.activate(t.Context(), toy("CUBE"))
	require.NoError(t, err)
	_, err = b.activate(t.Context(), with(toy("ODD"), func(r *account.Request) { r.Ticker = "BARE" }))
	require.NoError(t, err)
	require.Equal(t, []any{&toyAsset{"CUBE", 1}}, get[*toyPlatform](t, b, "TOY").Tokens())
	require.Equal(t, []any{&toyAsset{"ODD", 1}}, get[*toyPlatform](t, b, "BARE").Tokens())
	cube := get[*toyToken](t, b, "CUBE")
	require.Same(t, cube, cube.OnPlatform(&onToy{cube}), "it moves to nothing but a platform")
}

func TestActivateToken(t *testing.T) {
	b := newBench(t)
	_, err := b.activate(t.Context(), toy())
	require.NoError(t, err)
	two := uint64(2)
	done, err := b.activateToken(t.Context(), account.TokenRequest{Ticker: "CUBE", Confirmations: &two, Policy: key.ContextPrivKey{}})
	require.NoError(t, err)
	require.Equal(t, account.TokenActivated{Platform: "TOY", Address: get[*toyPlatform](t, b, "TOY").Address(), Confirmations: 2, Balance: done.Balance}, done)
	require.Equal(t, "2.5", done.Balance.Spendable.String())
	require.Same(t, get[*toyPlatform](t, b, "TOY").toyChain, get[*toyToken](t, b, "CUBE").toyChain)
	_, err = b.activateToken(t.Context(), account.TokenRequest{Ticker: "CUBE"})
	require.ErrorIs(t, err, coin.ErrAlreadyActive)
}

func TestActivateTokenRefuses(t *testing.T) {
	b := newBench(t)
	token := func(ticker string, p key.Policy) error {
		_, err := b.activateToken(t.Context(), account.TokenRequest{Ticker: ticker, Policy: p})
		return err
	}
	require.Equal(t, "TOY", as[*coin.PlatformError](t, token("CUBE", nil)).Platform)
	_, err := b.activate(t.Context(), toy("CUBE"))
	require.NoError(t, err)
	require.ErrorIs(t, token("XYZ", nil), coin.ErrNotConfigured)
	as[*coin.ParseError](t, token("NONE", nil))
	as[*coin.UnexpectedError](t, token("BARE", nil))
	require.Equal(t, coin.PlatformKindError{Platform: "CUBE", Token: "LEFT"}, *as[*coin.PlatformKindError](t, token("LEFT", key.HardwareWallet{})))
	require.EqualError(t, token("LEFT", nil), "CUBE is not a platform coin for token LEFT")
	as[*coin.PolicyError](t, token("BALL", key.HardwareWallet{}))
	for _, method := range []string{"decimals", "balance"} {
		b.toy.set(func(s *toyServer) { s.failing = method })
		require.ErrorIs(t, token("BALL", nil), coin.ErrTransport)
	}
	require.Equal(t, []string{"TOY", "CUBE"}, b.active())
}

// An activation ends at once when its coin is disabled or its caller disconnects.
func TestActivationIsCancelled(t *testing.T) {
	for _, method := range []string{"height", "decimals", "balance"} {
		kv := bunttest.Memory(t) // opened outside the bubble because buntdb has a goroutine
		t.Run(method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := openBench(t, kv)
				b.toy.set(func(s *toyServer) { s.hanging = method })
				began := time.Now()
				var group sync.WaitGroup
				group.Go(func() {
					_, err := b.activate(t.Context(), toy("CUBE"))
					require.ErrorIs(t, err, coin.ErrDisabled)
					require.NotErrorIs(t, err, coin.ErrTransport)
				})
				<-b.toy.hung
				_, err := b.Active.Disable(t.Context(), "TOY", true)
				require.ErrorIs(t, err, coin.ErrNotActive)
				group.Wait()

				ctx, hangUp := context.WithCancel(t.Context())
				group.Go(func() {
					_, err := b.activate(ctx, toy("CUBE"))
					require.ErrorIs(t, err, context.Canceled)
				})
				<-b.toy.hung
				hangUp()
				group.Wait()
				b.toy.set(func(s *toyServer) { s.hanging = "" })
				_, err = b.activate(t.Context(), toy("CUBE"))
				require.NoError(t, err)
				require.Equal(t, began, time.Now(), "no caller waited")
			})
		})
	}
}

func TestActivationOfDisconnectedCaller(t *testing.T) {
	b := newBench(t)
	ctx, hangUp := context.WithCancel(t.Context())
	hangUp()
	_, err := b.activate(ctx, toy())
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorIs(t, err, coin.ErrTransport, "no node failed")
}

// panicking is a family that panics.
type panicking struct{ *toys }

func (panicking) Complete(context.Context, account.Platform, []account.Token) ([]error, error) {
	panic("s3cret")
}

// A panic in a family's method, or while a response is decoded, ends only that activation.
func TestPanicOfAFamily(t *testing.T) {
	b := newBench(t)
	mad := &account.Engine{Config: b.Config, Family: panicking{&b.toys}}
	require.Panics(t, func() { _, _ = mad.Activate(t.Context(), toy("CUBE"), &toyOptions{}) })
	require.Empty(t, b.active())
	b.toy.set(func(s *toyServer) { s.panics = "balance" })
	_, err := b.activate(t.Context(), toy("CUBE"))
	require.ErrorIs(t, err, coin.ErrTransport)
	require.NotContains(t, err.Error(), "s3cret")
	b.toy.set(func(s *toyServer) { s.panics = "" })
	_, err = b.activate(t.Context(), toy("CUBE"))
	require.NoError(t, err, "the coins were released")
}

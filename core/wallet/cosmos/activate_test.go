package cosmos

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/net/fetch"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/node"
	"obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/cosmos/wire"
)

func TestActivate(t *testing.T) {
	b := newBench(t)
	got, err := b.Activate(t.Context(), iris("ATOM-IBC_IRIS"))
	require.NoError(t, err)
	require.Equal(t, irisAddress, got.Owner.Address)
	require.EqualValues(t, 48, got.Height)
	require.Equal(t, "1000.000003", got.Balance.Spendable.String())
	require.True(t, got.Balance.Unspendable.IsZero())
	require.Len(t, got.Tokens, 1)
	require.Equal(t, "ATOM-IBC_IRIS", got.Tokens[0].Ticker)
	require.Equal(t, "777.000015", got.Tokens[0].Spendable.String())
	require.Equal(t, []string{"IRIS", "ATOM-IBC_IRIS"}, b.active())
	platform := get[*Platform](t, b, "IRIS")
	require.EqualValues(t, 3, platform.Confirmations())
	require.False(t, platform.RequiresNotarization())
	require.Equal(t, "IRIS", platform.Entry().Ticker)
	require.EqualValues(t, 3, get[*Token](t, b, "ATOM-IBC_IRIS").Confirmations())
	require.Empty(t, b.out)

	_, err = b.Activate(t.Context(), iris())
	require.ErrorIs(t, err, coin.ErrAlreadyActive)
}

func TestActivateWithoutBalances(t *testing.T) {
	b := newBench(t)
	p := iris("ATOM-IBC_IRIS")
	p.Balances = false
	got, err := b.Activate(t.Context(), p)
	require.NoError(t, err)
	require.EqualValues(t, 48, got.Height)
	require.Equal(t, "ATOM-IBC_IRIS", got.Tokens[0].Ticker)
	require.Zero(t, b.iris.CallCount(wire.PathBalance), "no balance is queried")
	require.Equal(t, 1, b.iris.CallCount("abci_query"), "the kind of the account")
	require.Equal(t, 1, b.iris.CallCount("status"))
	require.Equal(t, 1, b.iris.CallCount("abci_info"))
}

// TestActivateByAnotherName checks that a coin has the requested name, and is the same coin by
// all its names.
func TestActivateByAnotherName(t *testing.T) {
	b := newBench(t)
	b.gaiad.OnChain("osmosis-1")
	b.gaiad.Prefix = "osmo"
	got, err := b.Activate(t.Context(), params("OSMO", atomURL, "ATOM-IBC_OSMO", "ATOM-IBC_OSMOSIS"))
	require.NoError(t, err)
	require.Equal(t, "osmo150evuj4j7k9kgu38e453jdv9m3u0ft2nu2607g", got.Owner.Address)
	require.Len(t, got.Tokens, 1, "one token by two names")
	require.Equal(t, []string{"OSMO", "ATOM-IBC_OSMO"}, b.active())
	_, err = b.Activate(t.Context(), params("OSMOSIS", atomURL))
	require.ErrorIs(t, err, coin.ErrAlreadyActive)
	_, err = b.ActivateToken(t.Context(), account.TokenRequest{Ticker: "ATOM-IBC_OSMOSIS"})
	require.ErrorIs(t, err, coin.ErrAlreadyActive)
}

// TestActivateRefusals checks all reasons for which a platform is refused before a node is
// queried, in order.
func TestActivateRefusals(t *testing.T) {
	creation := func(text string) func(*testing.T, error) {
		return func(t *testing.T, err error) {
			var made *account.CreationError
			require.ErrorAs(t, err, &made)
			require.Equal(t, text, made.Error())
		}
	}
	is := func(target error) func(*testing.T, error) {
		return func(t *testing.T, err error) { require.ErrorIs(t, err, target) }
	}
	errExpected := errors.New("not expected")
	with := func(p Params, change func(*Params)) Params { change(&p); return p }
	none := func(p *Params) { p.Nodes = nil }
	for _, c := range []struct {
		name  string
		p     Params
		check func(*testing.T, error)
	}{
		{"no entry", params("XYZ", atomURL), is(coin.ErrNotConfigured)},
		{"no protocol", params("NONE", atomURL), func(t *testing.T, err error) { require.ErrorAs(t, err, new(*coin.ParseError)) }},
		{"another protocol", params("KMD", atomURL), func(t *testing.T, err error) { require.ErrorAs(t, err, new(*coin.UnexpectedError)) }},
		{"a token", with(params("ATOM-IBC_IRIS", atomURL), none), func(t *testing.T, err error) { require.ErrorAs(t, err, new(*coin.UnexpectedError)) }},
		{"not expected", with(params("HIGH", atomURL), func(p *Params) { p.Expected = func(*coin.Entry) error { return errExpected } }), is(errExpected)},
		{"decimals", with(params("HIGH", atomURL), none), creation("the coin has 19 decimals, want at most 18")},
		{"no time of blocks", with(params("TIMELESS", atomURL), none), creation("the coin has no time between blocks")},
		{"time of blocks", params("SLOW", atomURL), creation("invalid time between blocks of the coin")},
		{"derivation path", with(params("LOST", atomURL), none), creation("coin entry: invalid derivation path: it must begin with m, like m/44'/118'")},
		{"policy", with(atom(), func(p *Params) { p.Policy, p.Nodes = key.HardwareWallet{}, nil }),
			func(t *testing.T, err error) { require.ErrorAs(t, err, new(*key.NotAllowedError)) }},
		{"no nodes", with(atom("XYZ"), none), creation("EmptyRpcUrls")},
		{"account", with(atom("XYZ"), func(p *Params) { p.Path.Account = key.Hardened }),
			creation("invalid derivation path: account, chain and address must be from 0 to 2147483647, got 2147483648, 0 and 0")},
		{"URLs", with(atom("XYZ"), func(p *Params) {
			p.Nodes = at("ftp://x", "https://user:secret@:80")
		}), creation("Url ftp://x is invalid, got error its scheme is not http or https, Url https://:80 is invalid, got error it has no host")},
		{"gateway", with(atom("XYZ"), func(p *Params) { p.Nodes = []node.Node{{URL: atomURL, GatewayProxy: true}} }),
			creation("a node behind a gateway proxy needs an identity to sign with")},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			_, err := b.Activate(t.Context(), c.p)
			require.Error(t, err)
			c.check(t, err)
			require.Empty(t, b.active())
			require.Zero(t, b.net.Calls(atomURL), "no node is asked")
		})
	}
}

func TestActivateTokenOfThePlatformRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		token string
		is    any
	}{
		"no entry":            {"GALT", nil},
		"no protocol":         {"NONE", new(*coin.ParseError)},
		"another protocol":    {"KMD", new(*coin.UnexpectedError)},
		"the platform itself": {"ATOM", new(*coin.UnexpectedError)},
		"of another platform": {"ATOM-IBC_IRIS", new(*coin.UnexpectedError)},
		"of no chain like it": {"ON-KMD", new(*coin.UnexpectedError)},
		"no name":             {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			_, err := b.Activate(t.Context(), atom("HUGE-IBC_ATOM", c.token))
			var tokenError *account.TokenError
			require.ErrorAs(t, err, &tokenError)
			require.Equal(t, c.token, tokenError.Ticker)
			if c.is == nil {
				require.ErrorIs(t, err, coin.ErrNotConfigured)
			} else {
				require.ErrorAs(t, err, c.is)
			}
			require.Empty(t, b.active())
			require.Zero(t, b.net.Calls(atomURL), "no node is asked")
		})
	}
}

func TestActivateWithoutPassphrase(t *testing.T) {
	b := newBench(t)
	b.Providers = key.Providers{(*key.Ring)(nil)}
	_, err := b.Activate(t.Context(), atom())
	require.ErrorAs(t, err, new(*account.CreationError))
	require.EqualError(t, err, "'CryptoCtx' is not initialized")
}

func TestActivateToken(t *testing.T) {
	b := newBench(t)
	_, err := b.Activate(t.Context(), atom())
	require.NoError(t, err)
	seven := uint64(7)
	got, err := b.ActivateToken(t.Context(), account.TokenRequest{Ticker: "CAREFUL-IBC_ATOM", Confirmations: &seven})
	require.NoError(t, err)
	require.Equal(t, "ATOM", got.Platform)
	require.Equal(t, atomAddress, got.Address)
	require.Equal(t, "777.000015", got.Balance.Spendable.String())
	require.EqualValues(t, 7, get[*Token](t, b, "CAREFUL-IBC_ATOM").Confirmations(), "as requested")
	require.Equal(t, "ATOM", get[*Token](t, b, "CAREFUL-IBC_ATOM").Platform())

	huge, err := b.ActivateToken(t.Context(), account.TokenRequest{Ticker: "HUGE-IBC_ATOM"})
	require.NoError(t, err)
	require.Equal(t, "123456789012.34567890123456789", huge.Balance.Spendable.String(), "beyond 64 bits, to the last unit")
	_, err = b.Active.Disable(t.Context(), "CAREFUL-IBC_ATOM", false)
	require.NoError(t, err)
	_, err = b.ActivateToken(t.Context(), account.TokenRequest{Ticker: "CAREFUL-IBC_ATOM"})
	require.NoError(t, err)
	require.EqualValues(t, 9, get[*Token](t, b, "CAREFUL-IBC_ATOM").Confirmations(), "as its entry has it")
}

// platformOfNothing is an active coin of another family.
type platformOfNothing struct{ entry *coin.Entry }

func (p *platformOfNothing) Ticker() string     { return "KMD" }
func (p *platformOfNothing) Entry() *coin.Entry { return p.entry }

func TestActivateTokenRefusals(t *testing.T) {
	b := newBench(t)
	_, err := b.Activate(t.Context(), atom("HUGE-IBC_ATOM"))
	require.NoError(t, err)
	x, err := b.Active.Begin(t.Context(), "KMD")
	require.NoError(t, err)
	require.NoError(t, x.Commit(t.Context(), coin.Item{Coin: &platformOfNothing{}}))
	before := b.active()
	token := func(ticker string) error {
		_, err := b.ActivateToken(t.Context(), account.TokenRequest{Ticker: ticker})
		require.Error(t, err, ticker)
		return err
	}
	require.ErrorIs(t, token("HUGE-IBC_ATOM"), coin.ErrAlreadyActive)
	require.ErrorIs(t, token("GALT"), coin.ErrNotConfigured)
	require.ErrorAs(t, token("NONE"), new(*coin.ParseError))
	require.ErrorAs(t, token("KMD-TOKEN-"), new(error))
	require.ErrorAs(t, token("IRIS"), new(*coin.UnexpectedError))
	var missing *coin.PlatformError
	require.ErrorAs(t, token("ATOM-IBC_IRIS"), &missing)
	require.Equal(t, "IRIS", missing.Platform)
	var kind *coin.PlatformKindError
	require.ErrorAs(t, token("ON-KMD"), &kind)
	require.EqualError(t, kind, "KMD is not a platform coin for token ON-KMD")
	b.net.Set(atomURL, nil)
	require.ErrorIs(t, token("CAREFUL-IBC_ATOM"), coin.ErrTransport)
	require.Equal(t, before, b.active())
}

// Locked coins are held and not spendable. Older chains do not report them.
func TestVestingBalances(t *testing.T) {
	for _, c := range []struct{ name, spendable, unspendable string }{
		{"iris", "1000.000002", "0.000001"}, {"more than there is", "0", "1000.000003"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			locked := "1"
			if c.spendable == "0" {
				locked = "1000000003"
			}
			b.iris.Lock(irisAddress, "uiris", locked)
			got, err := b.Activate(t.Context(), iris("ATOM-IBC_IRIS"))
			require.NoError(t, err)
			require.Equal(t, c.spendable, got.Balance.Spendable.String())
			require.Equal(t, c.unspendable, got.Balance.Unspendable.String())
			require.Equal(t, "777.000015", got.Tokens[0].Spendable.String())
			require.Equal(t, 1, b.iris.CallCount(wire.PathAccount), "the kind of the account is asked for once")
			require.Equal(t, 1, b.iris.CallCount(wire.PathSpendableBalances), "one answer is for all denoms")
		})
	}
	b := newBench(t)
	b.Providers = key.Providers{mustRing(t, b.gaiad.Accounts["vesting"].Passphrase)}
	got, err := b.Activate(t.Context(), atom())
	require.NoError(t, err)
	require.Equal(t, "1000000", got.Balance.Spendable.String(), "gaiad 7 does not support the query")
	require.True(t, got.Balance.Unspendable.IsZero())
}

// The absence of an account is not cached: it may be created with locked coins.
func TestAccountThatComesLater(t *testing.T) {
	b := newBench(t)
	none := saysTo(`{"jsonrpc":"2.0","id":"ID","result":{"response":{"code":22,"log":"not found","codespace":"sdk"}}}`)
	b.net.Set(irisURL, nodetest.But(wire.PathAccount, none, nodetest.Well(b.iris)))
	got, err := b.Activate(t.Context(), iris())
	require.NoError(t, err)
	require.Equal(t, "1000.000003", got.Balance.Spendable.String())
	b.iris.Lock(irisAddress, "uiris", "1000000000")
	b.net.Set(irisURL, nodetest.Well(b.iris))
	platform := get[*Platform](t, b, "IRIS")
	platform.nodes.pool.Invalidate()
	balance, err := platform.Balance(t.Context())
	require.NoError(t, err)
	require.Equal(t, "0.000003", balance.Spendable.String())
	require.Equal(t, "1000", balance.Unspendable.String())
}

// TestActivationThatIsDisabled checks that an activation whose node does not answer ends at
// once when the coin is disabled, and that the next activation begins.
func TestActivationThatIsDisabled(t *testing.T) {
	kv := bunttest.Memory(t) // opened outside the bubble because buntdb has a goroutine
	synctest.Test(t, func(t *testing.T) {
		b := openBench(t, kv)
		b.net.Set(atomURL, nodetest.Hangs)
		began := time.Now()
		var group sync.WaitGroup
		group.Go(func() {
			_, err := b.Activate(t.Context(), atom())
			require.ErrorIs(t, err, coin.ErrDisabled)
			require.NotErrorIs(t, err, coin.ErrTransport)
		})
		synctest.Wait()
		_, err := b.Active.Disable(t.Context(), "ATOM", true)
		require.ErrorIs(t, err, coin.ErrNotActive)
		group.Wait()
		b.net.Set(atomURL, nodetest.Well(b.gaiad))
		_, err = b.Activate(t.Context(), atom())
		require.NoError(t, err)
		require.Equal(t, began, time.Now(), "no caller waited")
		require.Equal(t, []string{"ATOM"}, b.active())
	})
}

func mustRing(t testing.TB, passphrase string) *key.Ring {
	t.Helper()
	ring, err := key.Open(passphrase, false)
	require.NoError(t, err)
	return ring
}

func TestActivationOfDisconnectingCaller(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := b.Activate(ctx, atom())
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorIs(t, err, coin.ErrTransport, "it is not the nodes' fault")
	require.Empty(t, b.active())
}

// TestOneBadToken checks that a token whose balance nodes do not return is reported and left
// out, while the network and the other tokens are active, also after a restart.
func TestOneBadToken(t *testing.T) {
	b := newBench(t)
	refuses := func(b *bench) {
		well := nodetest.Well(b.gaiad)
		b.net.Set(atomURL, func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
			if bytes.Contains(r.Body, []byte(hex.EncodeToString([]byte(badDenom)))) {
				return query(18, "invalid denom")(ctx, r)
			}
			return well(ctx, r)
		})
	}
	refuses(b)
	user, problems, err := coin.ParseList([]byte(`[
		{"coin":"GOOD-IBC_ATOM","mm2":1,"protocol":{"type":"TENDERMINTTOKEN","protocol_data":{"platform":"ATOM","decimals":6,"denom":"` + voucher + `"}}},
		{"coin":"BAD-IBC_ATOM","mm2":1,"protocol":{"type":"TENDERMINTTOKEN","protocol_data":{"platform":"ATOM","decimals":6,"denom":"` + badDenom + `"}}}]`))
	require.NoError(t, err)
	require.Empty(t, problems)
	b.Registry = coin.NewRegistry(user)
	got, err := b.Activate(t.Context(), atom("BAD-IBC_ATOM", "GOOD-IBC_ATOM"))
	require.NoError(t, err)
	require.Equal(t, "1000.000003", got.Balance.Spendable.String())
	require.Len(t, got.Tokens, 1)
	require.Equal(t, "GOOD-IBC_ATOM", got.Tokens[0].Ticker)
	require.Len(t, got.Failed, 1)
	require.Equal(t, "BAD-IBC_ATOM", got.Failed[0].Ticker)
	require.ErrorContains(t, got.Failed[0].Err, "invalid denom")
	require.Equal(t, []string{"ATOM", "GOOD-IBC_ATOM"}, b.active())

	again := openBench(t, b.kv)
	refuses(again)
	again.Registry = coin.NewRegistry(user)
	for _, saved := range again.Active.Saved() {
		require.NoError(t, again.Restore(t.Context(), saved))
	}
	require.Equal(t, []string{"ATOM", "GOOD-IBC_ATOM"}, again.active())
}

const badDenom = "ibc/BAD0000000000000000000000000000000000000000000000000000000000BAD"

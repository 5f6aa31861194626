package coin

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBuiltIn(t *testing.T) {
	r := NewRegistry(nil)
	require.Equal(t, len(r.Entries()), r.Count())
	for ticker, want := range map[string]ProtocolType{
		"ATOM": TypeTendermint, "IRIS": TypeTendermint, "OSMOSIS": TypeTendermint, "OSMO": TypeTendermint,
		"ATOM-IBC_IRIS": TypeTendermintToken, "OSMO-IBC_IRIS": TypeTendermintToken, "OSMOSIS-IBC_ATOM": TypeTendermintToken,
		"IRIS-IBC_ATOM": TypeTendermintToken, "IRIS-IBC_OSMO": TypeTendermintToken, "ATOM-IBC_OSMOSIS": TypeTendermintToken,
		"ETH": TypeETH, "MATIC": TypeETH, "NFT_ETH": TypeNFT, "NFT_MATIC": TypeNFT, "tBTC-lightning": TypeLightning, "tBTC-segwit": TypeUTXO,
	} {
		entry, err := r.Lookup(ticker)
		require.NoError(t, err)
		p, err := entry.Protocol()
		require.NoError(t, err)
		require.Equal(t, want, p.Type, ticker)
		require.Equal(t, On, entry.MM2, "%s works without the request saying so", ticker)
	}
}

// TestBuiltInAgrees compares the built-in list with the public one, and checks that platforms of
// tokens exist.
func TestBuiltInAgrees(t *testing.T) {
	public, _, err := ParseList(publicList(t)[0])
	require.NoError(t, err)
	list := NewRegistry(public)
	compared := 0
	for _, entry := range NewRegistry(nil).Entries() {
		p, err := entry.Protocol()
		require.NoError(t, err)
		switch parameters := p.Parameters.(type) {
		case CosmosToken:
			requireEntry(t, parameters.Platform, TypeTendermint)
		case ERC20:
			requireEntry(t, parameters.Platform, TypeETH)
		case NFT:
			requireEntry(t, parameters.Platform, TypeETH)
		case Lightning:
			requireEntry(t, parameters.Platform, TypeUTXO)
		}
		other, err := list.Lookup(entry.Ticker)
		require.NoError(t, err)
		if other.Ticker == entry.Ticker && string(other.raw) == string(entry.raw) {
			continue // the built-in one itself
		}
		theirs, err := other.Protocol()
		require.NoError(t, err)
		if cosmos, is := theirs.Parameters.(Cosmos); is && cosmos.GasPrice == "" {
			cosmos.GasPrice = BuiltinGasPrice(cosmos.ChainID)
			theirs.Parameters = cosmos
		}
		require.Equal(t, theirs.Parameters, p.Parameters)
		require.Equal(t, other.DerivationPath, entry.DerivationPath)
		require.Equal(t, other.RequiredConfirmations, entry.RequiredConfirmations)
		compared++
	}
	require.Equal(t, 28, compared)
}

func requireEntry(t *testing.T, ticker string, want ProtocolType) {
	t.Helper()
	entry, err := NewRegistry(nil).Lookup(ticker)
	require.NoError(t, err)
	p, err := entry.Protocol()
	require.NoError(t, err)
	require.Equal(t, want, p.Type)
}

// TestDenoms calculates the denom of every IBC token from the channel that its platform's entry
// names, as specified in ICS-20.
func TestDenoms(t *testing.T) {
	r := NewRegistry(nil)
	parameters := func(ticker string) Cosmos {
		entry, err := r.Lookup(ticker)
		require.NoError(t, err)
		p, err := As[Cosmos](entry)
		require.NoError(t, err)
		return p
	}
	checked := 0
	for _, entry := range r.Entries() {
		native, platform, is := strings.Cut(entry.Ticker, "-IBC_")
		if !is {
			continue
		}
		token, err := As[CosmosToken](entry)
		require.NoError(t, err)
		require.Equal(t, platform, token.Platform)
		channel, known := parameters(platform).IBCChannels[parameters(native).AccountPrefix]
		require.True(t, known)
		hash := sha256.Sum256(fmt.Appendf(nil, "transfer/channel-%d/%s", channel, parameters(native).Denom))
		require.Equal(t, fmt.Sprintf("ibc/%X", hash), token.Denom, entry.Ticker)
		require.Equal(t, parameters(native).Decimals, token.Decimals)
		checked++
	}
	require.Equal(t, 6, checked)
	known, err := r.Lookup("ATOM-IBC_IRIS")
	require.NoError(t, err)
	token, err := As[CosmosToken](known)
	require.NoError(t, err)
	require.Equal(t, "ibc/27394FB092D2ECCD56123C74F36E4C1F926001CEADA9CA97EA622B25F41E5EB2", token.Denom, "as IRISnet shows it")
}

func TestRegistryPrefersTheUser(t *testing.T) {
	user, problems, err := ParseList([]byte(`[{"coin":"OSMO","fname":"mine"},{"coin":"KMD"},{"coin":"ETH","protocol":{"type":"WOOF"}}]`))
	require.NoError(t, err)
	require.Empty(t, problems)
	r := NewRegistry(user)
	require.Equal(t, NewRegistry(nil).Count()+1, r.Count())
	require.Equal(t, user, r.Entries()[:3], "the user's come first, in their order")
	for _, name := range []string{"OSMO", "OSMOSIS"} {
		entry, err := r.Lookup(name)
		require.NoError(t, err)
		require.Same(t, user[0], entry)
	}
	atom, err := r.Lookup("ATOM")
	require.NoError(t, err, "built-in coins stay")
	require.Equal(t, "ATOM", atom.Ticker)
	entry, err := r.Lookup("ETH")
	require.NoError(t, err)
	_, err = entry.Protocol()
	require.Error(t, err, "a user's broken entry is not mended by a built-in one")
	r.Entries()[0] = nil
	require.Same(t, user[0], r.Entries()[0])
}

func TestRegistryUnknown(t *testing.T) {
	for _, ticker := range []string{"", "atom", "ATOM ", "WOOF", "ATOM-IBC_", strings.Repeat("x", 1<<20)} {
		entry, err := NewRegistry(nil).Lookup(ticker)
		require.ErrorIs(t, err, ErrNotConfigured)
		require.Nil(t, entry)
		require.Less(t, len(err.Error()), 200)
	}
}

func TestCanonical(t *testing.T) {
	for ticker, want := range map[string]string{
		"OSMO": "OSMOSIS", "OSMOSIS": "OSMOSIS", "osmo": "osmo", "OSMO-IBC_OSMO": "OSMOSIS-IBC_OSMOSIS",
		"ATOM-IBC_OSMO": "ATOM-IBC_OSMOSIS", "OSMO-IBC_IRIS": "OSMOSIS-IBC_IRIS", "ATOM-IBC_IRIS": "ATOM-IBC_IRIS",
		"": "", "-IBC_": "-IBC_", "OSMO-ERC20": "OSMO-ERC20", "NFT_OSMO": "NFT_OSMO",
	} {
		require.Equal(t, want, Canonical(ticker))
		require.Equal(t, want, Canonical(Canonical(ticker)))
	}
}

func TestRegistryIsReplaced(t *testing.T) {
	first, second := &Entry{Ticker: "FIRST"}, &Entry{Ticker: "SECOND"}
	r := NewRegistry([]*Entry{first})
	before, err := r.Lookup("FIRST")
	require.NoError(t, err)
	r.Replace([]*Entry{second})
	_, err = r.Lookup("FIRST")
	require.ErrorIs(t, err, ErrNotConfigured)
	got, err := r.Lookup("SECOND")
	require.NoError(t, err)
	require.Same(t, second, got)
	require.Same(t, first, before, "entries are not copied")
	_, err = r.Lookup("ATOM")
	require.NoError(t, err)
}

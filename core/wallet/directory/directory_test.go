package directory

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
)

// TestEmbedded compares the directory with the built-in coins.
func TestEmbedded(t *testing.T) {
	d, err := Parse(embedded)
	require.NoError(t, err)
	require.Contains(t, d.Source, "github.com/KomodoPlatform/coins")
	var pages struct { // the fields that the page uses
		Networks []struct {
			Coin   string
			Prices []string `json:"gas_prices"`
		}
	}
	require.NoError(t, json.Unmarshal(embedded, &pages))
	prices := map[string][]string{}
	for _, n := range pages.Networks {
		prices[n.Coin] = n.Prices
	}
	builtin := coin.NewRegistry(nil)
	seen, usual := map[string]bool{}, []string{}
	for _, n := range d.Networks {
		require.False(t, seen[coin.Canonical(n.Coin)], n.Coin)
		seen[coin.Canonical(n.Coin)] = true
		entry, err := builtin.Lookup(n.Coin)
		require.NoError(t, err)
		p, err := entry.Protocol()
		require.NoError(t, err)
		switch parameters := p.Parameters.(type) {
		case coin.ETH:
			require.Equal(t, []any{"evm", strconv.FormatUint(parameters.ChainID, 10), uint8(18)}, []any{n.Kind, n.ChainID, n.Decimals}, n.Coin)
		case coin.Cosmos:
			require.Equal(t, []any{"cosmos", parameters.ChainID, parameters.Decimals}, []any{n.Kind, n.ChainID, n.Decimals}, n.Coin)
			price := rational(t, parameters.GasPrice.String())
			require.Len(t, prices[n.Coin], 3, n.Coin)
			require.LessOrEqual(t, rational(t, prices[n.Coin][0]).Cmp(price), 0, "%s: the node pays less than what the page calls slow", n.Coin)
			require.GreaterOrEqual(t, rational(t, prices[n.Coin][2]).Cmp(price), 0, "%s: the node pays more than what the page calls fast", n.Coin)
		default:
			t.Fatal("the node cannot activate", n.Coin)
		}
		require.NotEmpty(t, n.Nodes, n.Coin)
		for _, node := range n.Nodes {
			requireURL(t, node.URL, "https")
			if node.WS != "" {
				requireURL(t, node.WS, "wss")
			}
		}
		require.True(t, n.Testnet || n.CoinGecko != "", n.Coin)
		require.True(t, n.Explorer == nil || strings.Count(n.Explorer.Tx, "{}") == 1 && strings.Count(n.Explorer.Address, "{}") == 1, n.Coin)
		if n.Usual {
			usual = append(usual, n.Coin)
		}
	}
	for _, token := range d.Tokens {
		require.False(t, seen[token.Coin], token.Coin)
		seen[token.Coin] = true
		require.True(t, seen[token.Platform], "%s is on a network that the directory does not have", token.Coin)
		if token.Usual {
			usual = append(usual, token.Coin)
		}
		if token.Contract == "" {
			entry, err := builtin.Lookup(token.Coin)
			require.NoError(t, err)
			ibc, err := coin.As[coin.CosmosToken](entry)
			require.NoError(t, err)
			require.Equal(t, ibc.Denom, token.Denom)
			continue
		}
		_, err := address.Parse(token.Contract)
		require.NoError(t, err, token.Coin)
		entry, err := token.entry()
		require.NoError(t, err)
		_, err = coin.As[coin.ERC20](entry)
		require.NoError(t, err)
	}
	require.Equal(t, []string{"ATOM", "AVAX", "BNB", "ETH", "MATIC", "OSMOSIS", "USDC-ERC20", "USDT-ERC20"}, usual)
}

func rational(t *testing.T, text string) number.Rational {
	t.Helper()
	r, err := number.ParseRational(text)
	require.NoError(t, err)
	return r
}

func requireURL(t *testing.T, raw, scheme string) {
	t.Helper()
	u, err := url.Parse(raw)
	require.NoError(t, err)
	require.Equal(t, scheme, u.Scheme, raw)
	require.NotEmpty(t, u.Host, raw)
}

func TestLookups(t *testing.T) {
	d := Embedded()
	require.Equal(t, []string{"cosmos", "osmosis", "osmosis", "tether", ""},
		[]string{d.PriceID("ATOM"), d.PriceID("OSMO"), d.PriceID("OSMO-IBC_ATOM"), d.PriceID("USDT-ERC20"), d.PriceID("NOPE")})
	registry := coin.NewRegistry(nil, d.Entries)
	entry, err := registry.Lookup("1INCH-ERC20")
	require.NoError(t, err)
	require.Equal(t, coin.On, entry.MM2)
	_, err = Parse([]byte("[]"))
	require.Error(t, err)
}

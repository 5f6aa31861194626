package e2e

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/native/test/anvil"
)

// TestNames resolves names through the contracts of ENS, for Ethereum and for a second network.
func TestNames(t *testing.T) {
	t.Parallel()
	const alice, bob = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
	ethereum, polygon := anvil.Start(t, 1), anvil.Start(t, 137)
	names := ethereum.Names()
	names.Register("alice.eth", true)
	names.Point("alice.eth", alice)
	names.PointOn("alice.eth", 137, bob)
	names.Register("pay.alice.eth", true)
	names.Point("pay.alice.eth", bob)
	names.Register("empty.eth", true)
	names.Register("bare.eth", false)

	c := newLaunch(t).callee(t)
	onPolygon := `{"ticker":"MATIC","nodes":[{"url":"` + polygon.URL + `"}],"swap_contract_address":"0x9130b257D37A52E52F21054c4DA3450c72f595CE","erc20_tokens_requests":[]}`
	c.succeeds("enable_eth_with_tokens", onPolygon)
	name := func(coin, name string) string { return `{"coin":"` + coin + `","name":"` + name + `"}` }
	refused := func(name string) string {
		kind, _ := c.refuses("resolve_name", name)
		return kind
	}
	require.Equal(t, "PlatformCoinIsNotActivated", refused(name("MATIC", "alice.eth")))
	c.succeeds("enable_eth_with_tokens", enablingEth(`[]`, ethereum.URL))
	for _, one := range []struct{ coin, name, normal, address string }{
		{"ETH", "alice.eth", "alice.eth", alice},
		{"ETH", "Pay.Alice.ETH", "pay.alice.eth", bob},
		{"MATIC", "alice.eth", "alice.eth", bob},
	} {
		var found struct{ Coin, Name, Address, Service string }
		require.NoError(t, json.Unmarshal(c.succeeds("resolve_name", name(one.coin, one.name)), &found))
		require.Equal(t, struct{ Coin, Name, Address, Service string }{one.coin, one.normal, one.address, "ENS"}, found)
	}
	for name, want := range map[string]string{
		name("ETH", "unknown.eth"): "NameNotFound", name("ETH", "empty.eth"): "NameNotFound", name("ETH", "bare.eth"): "NameNotFound",
		name("MATIC", "pay.alice.eth"): "NameNotFound", name("ETH", "аlice.eth"): "InvalidRequest", name("ETH", "alice"): "InvalidRequest", name("AVAX", "alice.eth"): "NoSuchCoin",
	} {
		require.Equal(t, want, refused(name), name)
	}
}

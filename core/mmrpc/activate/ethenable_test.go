package activate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/servertest"
)

// TestEnableOlder checks enable, with the members that its clients read.
func TestEnableOlder(t *testing.T) {
	const swaps = `,"swap_contract_address":"` + servertest.SwapsAt + `"`
	b := servertest.NewEthBench(t)
	enable := func(members string) (int, string) { return b.Ask(t, mmrpctest.OldRequest("enable", members)) }
	status, reply := enable(`,"coin":"ETH","mm2":1,"tx_history":true,"gas_station_url":"https://g.example","urls":[{"url":"` + servertest.EthURL + `","gui_auth":true},"https://unknown.example/"]` + swaps)
	require.Equal(t, 200, status, reply)
	require.Equal(t, `{"result":"success","coin":"ETH","balance":"2.500000000000000001","unspendable_balance":"0","address":"`+servertest.EthBob+`","required_confirmations":3,"requires_notarization":false}`, reply)
	status, reply = enable(`,"coin":"BAT-ERC20","urls":["` + servertest.EthURL + `"]` + swaps)
	require.Equal(t, 200, status, reply)
	require.Contains(t, reply, `"coin":"BAT-ERC20","balance":"12.345678"`)
	require.Contains(t, reply, `"required_confirmations":7`)
	status, reply = enable(`,"coin":"PGX-PLG20","required_confirmations":3,"urls":["` + servertest.PolygonURL + `"],"mm2":1` + swaps)
	require.Equal(t, 200, status, reply)
	_, reply = b.Ask(t, mmrpctest.OldRequest("get_enabled_coins", ``))
	require.Contains(t, reply, `"MATIC"`, "the token's network is active with it")

	for _, c := range []struct{ members, want string }{
		{`,"coin":"ETH","mm2":1,"urls":["` + servertest.EthURL + `"]` + swaps, "Coin ETH already initialized"},
		{`,"coin":"BAT-ERC20","urls":["` + servertest.EthURL + `"]` + swaps, "Coin BAT-ERC20 already initialized"},
		{`,"coin":"UNKNOWN","urls":["` + servertest.EthURL + `"]` + swaps, "No such coin UNKNOWN"},
		{`,"coin":"ATOM","urls":["` + servertest.EthURL + `"]` + swaps, "ATOM is not: activate it first with enable_tendermint_with_assets"},
		{`,"coin":"KMD","urls":["` + servertest.EthURL + `"]` + swaps, "cannot activate coins of protocol UTXO"},
		{`,"coin":"AVAX","urls":[5]` + swaps, "a URL, or an object with a url"},
		{`,"coin":"AVAX","urls":[{"url":5}]` + swaps, "a string as url"},
		{`,"coin":"AVAX","urls":[{}]` + swaps, "an object with a url"},
		{`,"coin":"AVAX","urls":["` + servertest.EthURL + `"]`, "missing field `swap_contract_address`"},
	} {
		status, reply = enable(c.members)
		require.Equal(t, 500, status)
		require.Regexp(t, `^\{"error":"`, reply, "clients look into the text")
		require.Contains(t, reply, c.want)
	}
}

package apitest

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core"
	"obverse/core/net/fetch"
	"obverse/core/rpc"
	"obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/cosmos/wire"
)

// osmosis returns a node of Osmosis with the contract of ICNS, with the given answers to
// queries.
func osmosis(t *testing.T, answers map[string]string) nodetest.Behaviour {
	n := nodetest.Open(t, filepath.Join("..", "..", "wallet", "cosmos", "testdata"), "gaiad")
	n.OnChain("osmosis-1")
	return func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
		var call struct {
			ID     json.RawMessage
			Method string
			Params struct{ Path, Data string }
		}
		if json.Unmarshal(r.Body, &call) != nil || call.Method != "abci_query" || call.Params.Path != wire.PathSmartContract {
			return nodetest.Well(n)(ctx, r)
		}
		data, err := hex.DecodeString(call.Params.Data)
		require.NoError(t, err)
		var request wire.SmartContractRequest
		require.NoError(t, wire.Decode(data, &request))
		require.Equal(t, "osmo1xk0s8xgktn9x5vwcgtjdxqzadg88fgn33p8u9cnpdxwemvxscvast52cdd", request.Contract)
		result := `{"response":{"code":5,"log":"not found: query wasm contract failed","codespace":"wasm"}}`
		if answer, known := answers[string(request.Query)]; known {
			value := wire.Encode(&wire.SmartContractResponse{Data: []byte(answer)})
			result = `{"response":{"code":0,"value":"` + base64.StdEncoding.EncodeToString(value) + `","height":"7"}}`
		}
		return fetch.Response{Status: 200, Body: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, call.ID, result)}, nil
	}
}

// TestNamesOfCosmosChains checks that names of ICNS are resolved on Osmosis, and that all of
// its nodes must agree.
func TestNamesOfCosmosChains(t *testing.T) {
	const at, other, liar = "cosmos150evuj4j7k9kgu38e453jdv9m3u0ft2n53flg6", "osmo1q2qpencrnnlamwalxt6tac2ytl35z5jejn0v4frnp6jff7gwp37sjcnhu5", "https://liar.example/"
	answer := func(address string) string { return `{"bech32_address":"` + address + `"}` }
	hub := nodetest.Open(t, filepath.Join("..", "..", "wallet", "cosmos", "testdata"), "gaiad")
	hub.OnChain("cosmoshub-4")
	network := nodetest.NewNet()
	network.Set(hubURL, nodetest.Well(hub))
	network.Set("https://osmo.example/", osmosis(t, map[string]string{
		`{"address_by_icns":{"icns":"alice.cosmos"}}`: answer(at), `{"address_by_icns":{"icns":"empty.cosmos"}}`: answer(""),
		`{"address_by_icns":{"icns":"wrong.cosmos"}}`: answer(other), `{"address_by_icns":{"icns":"odd.cosmos"}}`: `[]`,
	}))
	network.Set(liar, osmosis(t, map[string]string{`{"address_by_icns":{"icns":"alice.cosmos"}}`: answer("cosmos1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqnrql8a")}))
	n := newNode(t, settingsOf("names test seed"), core.Platform{Fetch: network})
	call := func(method, params string) (status int, reply string) {
		status, body := n.RPC(t.Context(), rpc.Caller{Local: true}, []byte(`{"mmrpc":"2.0","userpass":"`+statesUser+`","method":"`+method+`","params":`+params+`}`))
		return status, string(body)
	}
	enable := func(ticker, urls string) {
		status, reply := call("enable_tendermint_with_assets", `{"ticker":"`+ticker+`","tokens_params":[],"get_balances":false,"nodes":[`+urls+`]}`)
		require.Equal(t, 200, status, reply)
	}
	resolve := func(name string) (int, string) { return call("resolve_name", `{"coin":"ATOM","name":"`+name+`"}`) }
	enable("ATOM", `{"url":"`+hubURL+`"}`)
	status, reply := resolve("alice.cosmos")
	require.Equal(t, 400, status)
	require.Contains(t, reply, `"error_type":"PlatformCoinIsNotActivated","error_data":"OSMOSIS"`)
	enable("OSMOSIS", `{"url":"https://osmo.example"}`)
	status, reply = resolve(" Alice.Cosmos ")
	require.Equal(t, 200, status, reply)
	require.Contains(t, reply, `"result":{"coin":"ATOM","name":"alice.cosmos","address":"`+at+`","service":"ICNS"}`)
	for name, want := range map[string]string{
		"unknown.cosmos": "NameNotFound", "empty.cosmos": "NameNotFound", "wrong.cosmos": "is not one of the prefix cosmos", "odd.cosmos": "NameNotFound",
		"alice.osmo": "those of this coin end in .cosmos", "alice": "must be like alice.cosmos", ".cosmos": "must be like alice.cosmos", "аlice.cosmos": "only the letters a to z", "\u212aing.cosmos": "only the letters a to z",
	} {
		status, reply := resolve(name)
		require.Contains(t, []int{400, 404}, status, name)
		require.Contains(t, reply, want, name)
	}
	status, reply = call("disable_coin", `{"coin":"OSMOSIS"}`)
	require.Equal(t, 200, status, reply)
	enable("OSMOSIS", `{"url":"https://osmo.example"},{"url":"`+liar+`"}`)
	status, reply = resolve("alice.cosmos")
	require.Equal(t, 500, status)
	require.Contains(t, reply, "the nodes do not agree on the contract osmo1xk0s8xgktn9x5vwcgtjdxqzadg88fgn33p8u9cnpdxwemvxscvast52cdd (https://osmo.example: ")
}

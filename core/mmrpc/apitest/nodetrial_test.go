package apitest

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core"
	"obverse/core/rpc"
	"obverse/core/wallet/cosmos/nodetest"
	evmtest "obverse/core/wallet/evm/nodetest"
)

// TestTrialsOfNodes checks that nodes can be tested before any coin is active, and that the
// tests leave no trace.
func TestTrialsOfNodes(t *testing.T) {
	hub := nodetest.Open(t, filepath.Join("..", "..", "wallet", "cosmos", "testdata"), "gaiad")
	hub.OnChain("cosmoshub-4")
	network := nodetest.NewNet()
	network.Set(hubURL, nodetest.Well(hub))
	network.Set(ethURL, evmtest.New(1, 100).Well)
	network.Set(polygonURL, evmtest.New(137, 200).Syncing().Well)
	network.Set("https://html.example/", nodetest.Says(200, "<html>"))
	network.Set("https://busy.example/", nodetest.Busy(30))
	n := newNode(t, settingsOf("trials test seed"), core.Platform{Fetch: network})
	type tested struct {
		URL, Chain_ID, Reason string
		OK, Behind            bool
		Height                int64
	}
	ask := func(params string) (int, []tested, string) {
		status, reply := n.RPC(t.Context(), rpc.Caller{Local: true}, []byte(`{"mmrpc":"2.0","userpass":"`+statesUser+`","method":"test_coin_nodes","params":`+params+`}`))
		var answer struct{ Result struct{ Nodes []tested } }
		require.NoError(t, json.Unmarshal(reply, &answer), "%s", reply)
		return status, answer.Result.Nodes, string(reply)
	}
	const all = `"nodes":[{"url":"` + ethURL + `"},{"url":"` + polygonURL + `"},{"url":"` + hubURL + `"},{"url":"` + nobodyURL + `?key=s3cret"},{"url":"https://html.example"},{"url":"https://busy.example"},{"url":"ftp://x"}]`
	status, nodes, reply := ask(`{"coin":"ETH",` + all + `}`)
	require.Equal(t, 200, status, reply)
	require.NotContains(t, reply, "s3cret")
	require.Equal(t, tested{URL: "https://eth.example", OK: true, Chain_ID: "1", Height: 100}, nodes[0])
	require.Equal(t, tested{URL: "https://polygon.example", Chain_ID: "137", Reason: `chain id is "137", want "1"`}, nodes[1])
	for i, want := range []string{2: "", 3: "unreachable", 4: "", 5: "HTTP status 429", 6: "its scheme is not http or https"} {
		if i >= 2 {
			require.False(t, nodes[i].OK)
			require.NotEmpty(t, nodes[i].Reason)
			require.Contains(t, nodes[i].Reason, want)
		}
	}
	status, nodes, _ = ask(`{` + all + `}`)
	require.Equal(t, 200, status)
	require.Equal(t, []tested{{URL: "https://eth.example", OK: true, Chain_ID: "1", Height: 100}, {URL: "https://polygon.example", OK: true, Behind: true, Chain_ID: "137", Height: 200}}, nodes[:2])
	require.False(t, nodes[2].OK)
	status, nodes, _ = ask(`{"coin":"ATOM",` + all + `}`)
	require.Equal(t, 200, status)
	require.True(t, nodes[2].OK)
	require.Equal(t, "cosmoshub-4", nodes[2].Chain_ID)
	require.Positive(t, nodes[2].Height)
	require.False(t, nodes[0].OK)
	for params, want := range map[string]string{
		`{"coin":"NOPE","nodes":[]}`:       "PlatformConfigIsNotFound",
		`{"coin":"USDC-ERC20","nodes":[]}`: "UnexpectedPlatformProtocol",
		`{"nodes":[` + many(33) + `]}`:     "a list of at most 32 nodes",
	} {
		status, _, reply := ask(params)
		require.Equal(t, 400, status)
		require.Contains(t, reply, want)
	}
}

func many(n int) (list string) {
	for range n - 1 {
		list += `{"url":"` + ethURL + `"},`
	}
	return list + `{"url":"` + ethURL + `"}`
}

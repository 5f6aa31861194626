package activate_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/servertest"
	"obverse/core/net/fetch"
	"obverse/core/store/bunt"
	"obverse/core/wallet/cosmos/nodetest"
)

// TestCoinNodes checks each state of a node, for a chain's coin and for its token.
func TestCoinNodes(t *testing.T) {
	kv, err := bunt.Open(bunt.Memory) // opened outside the bubble because buntdb has a goroutine
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kv.Close()) })
	synctest.Test(t, func(t *testing.T) {
		b := servertest.OpenChainsBench(t, kv)
		b.Net.Set("https://busy.example/v2/s3cretS3cretS3cretS3cret", nodetest.Busy(30))
		b.Net.Set("https://hangs.example/", nodetest.Hangs)
		b.Net.Set("https://syncs.example/", func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
			answer, err := nodetest.Well(b.Iris)(ctx, r)
			answer.Body = []byte(strings.Replace(string(answer.Body), `"catching_up":false`, `"catching_up":true`, 1))
			return answer, err
		})
		began := time.Now()
		status, reply := b.Ask(t, mmrpctest.Request("enable_tendermint_with_assets", `{"ticker":"IRIS","tokens_params":[{"ticker":"ATOM-IBC_IRIS"}],"get_balances":false,"nodes":[
			{"url":"https://dead.example/?key=s3cret"},{"url":"`+servertest.HubURL+`"},{"url":"https://user:s3cret@busy.example/v2/s3cretS3cretS3cretS3cret"},
			{"url":"https://hangs.example"},{"url":"https://syncs.example"},{"url":"`+servertest.IrisURL+`"},{"url":"`+servertest.IrisURL+`"}]}`))
		require.Equal(t, 200, status, reply)
		out := func(url, state, reason string, rest time.Duration) string {
			return fmt.Sprintf(`{"url":%q,"state":%q,"reason":%q,"retry_at":%d}`, url, state, reason, began.Add(rest).Unix())
		}
		nodes := `[` + out("https://dead.example", "left_out", "unreachable: no such host", 2*time.Second) + `,` +
			out(strings.TrimSuffix(servertest.HubURL, "/"), "left_out", `chain id is "cosmoshub-4", want "irishub-1"`, 10*time.Minute) + `,` +
			out("https://busy.example/v2/…", "suspended", "HTTP status 429: too many requests, retry after 30s", 30*time.Second) +
			`,{"url":"https://hangs.example","state":"pending"},{"url":"https://syncs.example","state":"behind"},` +
			`{"url":"` + strings.TrimSuffix(servertest.IrisURL, "/") + `","state":"in_use"}]`
		for _, ticker := range []string{"IRIS", "ATOM-IBC_IRIS"} {
			status, reply := b.Ask(t, mmrpctest.Request("get_coin_nodes", `{"coin":"`+ticker+`"}`))
			require.Equal(t, 200, status)
			require.Equal(t, `{"mmrpc":"2.0","result":{"coin":"`+ticker+`","nodes":`+nodes+`},"id":5}`, reply)
		}
	})
}

func TestCoinNodesOfANetwork(t *testing.T) {
	b := servertest.NewEthBench(t)
	status, reply := b.Ask(t, strings.Replace(servertest.EnablingEth(`{"ticker":"BCH-ERC20"}]`), `"nodes":[`, `"nodes":[{"url":"ftp://bad.example"},{"url":" `+servertest.PolygonURL+`\n"},`, 1))
	require.Equal(t, 200, status, reply)
	for _, ticker := range []string{"ETH", "BCH-ERC20"} {
		status, reply = b.Ask(t, mmrpctest.Request("get_coin_nodes", `{"coin":"`+ticker+`"}`))
		require.Equal(t, 200, status)
		require.Regexp(t, `"result":\{"coin":"`+ticker+`","nodes":\[\{"url":"https://polygon\.example","state":"left_out",`+
			`"reason":"chain id is \\"137\\", want \\"1\\"","retry_at":[0-9]+\},\{"url":"https://eth\.example","state":"in_use"\},`+
			`\{"url":"ftp://bad\.example","state":"left_out","reason":"its scheme is not http or https"\}\]\}`, reply)
	}
}

func TestCoinNodesRefuses(t *testing.T) {
	b := servertest.NewCoinsBench(t, nil)
	b.Add(t, &servertest.BareCoin{Symbol: "tBTC-lightning"})
	const none = "tBTC-lightning was activated without a list of nodes"
	for _, c := range []struct {
		name, body string
		status     int
		want       string
	}{
		{"a coin without nodes", mmrpctest.Request("get_coin_nodes", `{"coin":"tBTC-lightning"}`), 400, mmrpctest.Failed(none, "coin", "InvalidRequest", `"`+none+`"`, "5")},
		{"a coin that is not active", mmrpctest.Request("get_coin_nodes", `{"coin":"IRIS"}`), 404, mmrpctest.Failed("No such coin IRIS", "coin", "NoSuchCoin", `{"coin":"IRIS"}`, "5")},
		{"an unknown name", mmrpctest.Request("get_coin_nodes", `{"coin":"IRIS","nodes":[]}`), 400, ""},
		{"no coin", mmrpctest.Request("get_coin_nodes", `{}`), 400, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, reply := b.Ask(t, c.body)
			require.Equal(t, c.status, status, reply)
			if c.want == "" {
				require.Contains(t, reply, `"error_type":"InvalidRequest"`)
				return
			}
			require.Equal(t, c.want, mmrpctest.Untraced(reply))
		})
	}
}

// TestCoinNodesThatLie checks that a node that reports blocks that the other nodes do not have
// is excluded with a reason.
func TestCoinNodesThatLie(t *testing.T) {
	b := servertest.NewChainsBench(t)
	liar := nodetest.Open(t, servertest.Recordings, "iris")
	liar.OnChain("irishub-1")
	liar.SetHeight(1 << 20)
	b.Net.Set("https://liar.example/", nodetest.Well(liar))
	for _, url := range []string{"https://two.example/", "https://three.example/"} {
		b.Net.Set(url, nodetest.Well(b.Iris))
	}
	status, reply := b.Ask(t, mmrpctest.Request("enable_tendermint_with_assets", `{"ticker":"IRIS","tokens_params":[],"nodes":[{"url":"https://liar.example"},
		{"url":"`+servertest.IrisURL+`"},{"url":"https://two.example"},{"url":"https://three.example"}]}`))
	require.Equal(t, 200, status, reply)
	require.Contains(t, reply, `"current_block":48,`)
	status, reply = b.Ask(t, mmrpctest.Request("get_coin_nodes", `{"coin":"IRIS"}`))
	require.Equal(t, 200, status)
	require.Regexp(t, `"nodes":\[\{"url":"https://liar.example","state":"left_out","reason":"at block 1048576, others at 48","retry_at":[0-9]+\},`+
		`\{"url":"https://iris.example","state":"in_use"\},\{"url":"https://two.example","state":"in_use"\}`, reply)
}

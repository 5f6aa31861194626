package e2e

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// nodeSecret is the password of a coin's server.
const nodeSecret = "0f-a-paid-n0de"

func enabling(ticker, token, url string) string {
	return `{"ticker":"` + ticker + `","tokens_params":[{"ticker":"` + token + `"}],"nodes":[{"url":"` + url + `"}]}`
}

// enabled waits until a number of coins are active.
func (c *callee) enabled(count int) {
	c.t.Helper()
	require.Eventually(c.t, func() bool {
		return strings.Count(string(c.succeeds("get_enabled_coins", `{}`)), "ticker") == count
	}, timeout, 20*time.Millisecond)
}

// nodesOf returns the result of get_coin_nodes, with its times set to 0.
func nodesOf(ticker string, nodes ...string) string {
	return `{"coin":"` + ticker + `","nodes":[` + strings.Join(nodes, ",") + `]}`
}

var retryAt = regexp.MustCompile(`"retry_at":[0-9]+`)

// nodesBecome waits until get_coin_nodes returns want for a coin, apart from times.
func (c *callee) nodesBecome(ticker, want string) {
	c.t.Helper()
	require.EventuallyWithT(c.t, func(t *assert.CollectT) {
		got := c.succeeds("get_coin_nodes", `{"coin":"`+ticker+`"}`)
		assert.Equal(t, want, retryAt.ReplaceAllString(string(got), `"retry_at":0`))
	}, timeout, 20*time.Millisecond)
}

// TestActivationAfterKill kills a node during an activation. Coins that were active must be active
// again after the restart, and others must not. The passwords of servers must not appear in any
// output.
func TestActivationAfterKill(t *testing.T) {
	t.Parallel()
	l := newLaunch(t)
	l.seen.hide(map[string]string{"password of a node": nodeSecret})
	hangs := make(chan struct{}, 16)
	end := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		hangs <- struct{}{}
		<-end
	}))
	t.Cleanup(hanging.Close)
	t.Cleanup(func() { close(end) })

	c := l.callee(t)
	paid := strings.Replace(c.Iris, "http://", "http://user:"+nodeSecret+"@", 1)
	before := c.succeeds("enable_tendermint_with_assets", enabling("IRIS", "ATOM-IBC_IRIS", paid))
	require.Contains(t, string(before), `"tokens_balances":{"ATOM-IBC_IRIS":`)
	servers := nodesOf("IRIS", `{"url":"`+c.Iris+`","state":"in_use"}`)
	c.nodesBecome("IRIS", servers)
	go func() {
		body := strings.NewReader(`{"mmrpc":"2.0","userpass":"` + rpcPassword + `","method":"enable_tendermint_with_assets","params":` +
			enabling("ATOM", "IRIS-IBC_ATOM", hanging.URL) + `}`)
		if response, err := http.Post(c.ready.Node+"/", "application/json", body); err == nil { // the response may be missing, since the node is killed
			_ = response.Body.Close()
		}
	}()
	<-hangs
	c.kill()

	c = l.callee(t)
	c.enabled(2)
	c.nodesBecome("IRIS", servers)
	require.JSONEq(t, `{"coins":[{"ticker":"IRIS"},{"ticker":"ATOM-IBC_IRIS"}]}`, string(c.succeeds("get_enabled_coins", `{}`)))
	again := c.succeeds("enable_tendermint_with_assets", enabling("IRIS", "ATOM-IBC_IRIS", c.Iris))
	require.JSONEq(t, string(before), string(again), "what came back by itself is enabled by the user once more")
	kind, data := c.refuses("enable_tendermint_with_assets", enabling("IRIS", "ATOM-IBC_IRIS", c.Iris))
	require.Equal(t, []string{"PlatformIsAlreadyActivated", `"IRIS"`}, []string{kind, data})
	kind, data = c.refuses("enable_tendermint_with_assets", enabling("ATOM", "IRIS-IBC_ATOM",
		strings.Replace("http://"+c.Dead, "http://", "http://user:"+nodeSecret+"@", 1)))
	require.Equal(t, "Transport", kind)
	require.Contains(t, data, c.Dead)
	code, _ := c.stop()
	require.Zero(t, code)

	l.args = []string{"restore_coins=false"}
	c = l.callee(t)
	require.JSONEq(t, `{"coins":[]}`, string(c.succeeds("get_enabled_coins", `{}`)))
	code, _ = c.stop()
	require.Zero(t, code)
	l.args = nil
	c = l.callee(t)
	time.Sleep(100 * time.Millisecond)
	require.JSONEq(t, `{"coins":[]}`, string(c.succeeds("get_enabled_coins", `{}`)), "what was forgotten stays so")
}

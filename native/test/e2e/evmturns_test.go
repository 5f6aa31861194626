package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"obverse/native/test/anvil"
)

// withdrawNow sends coins without testing.T, for goroutines.
func (c *callee) withdrawNow(ticker string) (hash string, err error) {
	body := fmt.Sprintf(`{"mmrpc":"2.0","userpass":%q,"method":"withdraw","params":{"coin":%q,"to":%q,"amount":"0.001","broadcast":true}}`,
		rpcPassword, ticker, recipient)
	response, err := http.Post(c.ready.Node+"/", "application/json", strings.NewReader(body))
	if err != nil {
		return "", err
	}
	reply, err := io.ReadAll(response.Body)
	_ = response.Body.Close() // the body was read
	if err != nil {
		return "", err
	}
	var a struct{ Result withdrawn }
	if err := json.Unmarshal(reply, &a); err != nil || a.Result.Hash == "" {
		return "", fmt.Errorf("%s", reply)
	}
	return a.Result.Hash, nil
}

func nonceAt(t *testing.T, n *anvil.Network, address, at string) uint64 {
	t.Helper()
	var text string
	require.NoError(t, json.Unmarshal(n.Ask("eth_getTransactionCount", address, at), &text))
	nonce, ok := new(big.Int).SetString(text, 0)
	require.True(t, ok)
	return nonce.Uint64()
}

// TestSendingAtTheSameTime sends twenty transactions at the same time, on networks that make a
// block for each transaction, every second, or when the test requests it.
func TestSendingAtTheSameTime(t *testing.T) {
	t.Parallel()
	const together = 20
	for name, c := range map[string]struct {
		arguments []string
		mined     func(*anvil.Network)
	}{
		"at once":      {nil, func(*anvil.Network) {}},
		"every second": {[]string{"--block-time", "1"}, func(*anvil.Network) {}},
		"by hand":      {[]string{"--no-mining"}, func(n *anvil.Network) { n.Mine(1) }},
	} {
		t.Run(name, func(t *testing.T) {
			address, _ := ethAddress(t)
			n := anvil.Start(t, 1, c.arguments...)
			n.Give(address, big.NewInt(3_000_000_000_000_000_000))
			l := newLaunch(t)
			node := l.callee(t)
			node.succeeds("enable_eth_with_tokens", enablingEth(`[]`, n.URL))
			for round := range uint64(2) {
				var group errgroup.Group
				hashes := make([]string, together)
				for i := range hashes {
					group.Go(func() (err error) {
						hashes[i], err = node.withdrawNow("ETH")
						return err
					})
				}
				require.NoError(t, group.Wait())
				require.EqualValues(t, (round+1)*together, nonceAt(t, n, address, "pending"))
				seen := map[string]bool{}
				for _, hash := range hashes {
					require.False(t, seen[hash])
					seen[hash] = true
				}
				c.mined(n)
				require.Eventually(t, func() bool { return nonceAt(t, n, address, "latest") == (round+1)*together }, time.Minute, 50*time.Millisecond)
			}
			var wei string
			require.NoError(t, json.Unmarshal(n.Ask("eth_getBalance", recipient, "latest"), &wei))
			require.Equal(t, "0x8e1bc9bf040000", wei, "0.04")
			code, _ := node.stop()
			require.Zero(t, code)
		})
	}
}

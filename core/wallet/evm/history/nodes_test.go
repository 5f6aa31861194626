package history

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/wallet/coin"
	network "obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/node"
	"obverse/core/wallet/evm/nodetest"
)

// nodesOf returns nodes A, B, … of the network 1.
func nodesOf(t testing.TB, all ...network.Behaviour) (Nodes, *network.Net) {
	t.Helper()
	net := network.NewNet()
	c := node.Config{ChainID: 1, Block: 12 * time.Second, Fetcher: net, Now: time.Now}
	for i, b := range all {
		url := "https://" + string(rune('a'+i)) + ".example/"
		net.Set(url, b)
		c.Nodes = append(c.Nodes, nodepool.Node{URL: url})
	}
	p, err := node.New(c)
	require.NoError(t, err)
	return Nodes{p, time.Now}, net
}

// A node that finds a range too large is asked for a smaller one, and for other things, though some
// providers have the code of a limit on requests for it.
func TestLargeRanges(t *testing.T) {
	p, _ := nodesOf(t, nodetest.New(1, 100).With(map[string]string{"eth_getLogs": `"error":{"code":-32005,"message":"query returned more than 10000 results"}`}))
	_, err := p.Transfers(t.Context(), []address.Address{parse(t, tokenText)}, parse(t, addressText), 1, 100)
	require.ErrorAs(t, err, new(*nodepool.RPCError))
	_, err = p.Balances(t.Context(), node.BalanceQuery{Owner: parse(t, addressText), Coin: true})
	require.NoError(t, err)
}

// Some nodes have null in the place of an empty list of logs.
func TestNoLogs(t *testing.T) {
	p, _ := nodesOf(t, nodetest.New(1, 100).With(map[string]string{"eth_getLogs": `"result":null`}))
	found, err := p.Transfers(t.Context(), []address.Address{parse(t, tokenText)}, parse(t, addressText), 1, 100)
	require.NoError(t, err)
	require.Empty(t, found)
}

// What a node refuses, in whatever words, is asked of the others, although one of them never answers.
func TestOneNodeRefusesLogs(t *testing.T) {
	holder := parse(t, addressText)
	for _, refusal := range []string{`{"code":3,"message":"execution reverted"}`, `{"code":-32000,"message":"revert"}`, `{"code":-32601,"message":"no such method"}`} {
		synctest.Test(t, func(t *testing.T) {
			well := nodetest.New(1, 100).With(map[string]string{"eth_getLogs": `"result":[]`})
			p, net := nodesOf(t, well, well, well)
			_, err := p.Probe(t.Context())
			require.NoError(t, err)
			net.Set("https://a.example/", nodetest.New(1, 100).Fail("eth_getLogs", refusal).Well)
			net.Set("https://b.example/", network.Hangs)
			_, err = p.Transfers(t.Context(), []address.Address{holder}, holder, 1, 16)
			require.NoError(t, err, refusal)
		})
	}
}

// TestReceipts checks that receipts of other networks and older nodes are parsed, with the same
// fee and status.
func TestReceipts(t *testing.T) {
	hash := strings.Repeat("ab", 32)
	base := map[string]any{"transactionHash": "0x" + hash, "blockHash": "0x" + hash, "blockNumber": "0x5", "transactionIndex": "0x0", "gasUsed": "0x5208",
		"from": strings.ToLower(addressText), "effectiveGasPrice": "0x2", "status": "0x1", "logs": []any{}}
	sent := map[string]any{"hash": "0x" + hash, "to": strings.ToLower(tokenText), "value": "0x1", "nonce": "0x0", "gas": "0x5208", "input": "0x", "gasPrice": "0x3"}
	for _, c := range []struct {
		name      string
		sent, got map[string]any // members that differ; nil means missing
		want      string         // fee, and whether it failed
	}{
		{"as the standard has it", nil, nil, "42000 false"},
		{"a failure", nil, map[string]any{"status": "0x0"}, "42000 true"},
		{"a failure with zeros", nil, map[string]any{"status": "0x00"}, "42000 true"},
		{"a failure as a number", nil, map[string]any{"status": 0}, "42000 true"},
		{"no status, from before it was there", nil, map[string]any{"status": nil, "root": "0x12"}, "42000 false"},
		{"the price with the transaction", nil, map[string]any{"effectiveGasPrice": nil}, "63000 false"},
		{"no number for a price", nil, map[string]any{"effectiveGasPrice": "0xNaN"}, "63000 false"},
		{"an empty price", nil, map[string]any{"effectiveGasPrice": "0x"}, "63000 false"},
		{"prices as numbers", map[string]any{"type": 0, "gasPrice": 3}, map[string]any{"effectiveGasPrice": 2, "blockNumber": 5}, "42000 false"},
		{"a deposit of a rollup", map[string]any{"type": "0x7e", "gasPrice": nil}, map[string]any{"type": "0x7e", "effectiveGasPrice": nil, "depositNonce": "0x1"}, "0 false"},
		{"a fee in a token", map[string]any{"type": "0x7b", "feeCurrency": "0x765de816845861e75a25fca122bb6898b8b1282a"}, nil, "0 false"},
		{"no token for the fee", map[string]any{"feeCurrency": nil}, nil, "42000 false"},
		{"the data fee of a rollup", nil, map[string]any{"l1Fee": "0x5", "l1FeeScalar": "0.684"}, "42005 false"},
		{"the checksum of another network", nil, map[string]any{"from": "0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD"}, "42000 false"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := maps.Clone(sent), maps.Clone(base)
			maps.Copy(a, c.sent)
			maps.Copy(b, c.got)
			encoded, err := json.Marshal(a)
			require.NoError(t, err)
			receipt, err := json.Marshal(b)
			require.NoError(t, err)
			p, _ := nodesOf(t, nodetest.New(1, 100).With(map[string]string{"eth_getTransactionByHash": `"result":` + string(encoded), "eth_getTransactionReceipt": `"result":` + string(receipt)}))
			found, err := p.Mined(t.Context(), []string{hash})
			require.NoError(t, err)
			mined := found.Mined
			require.Len(t, mined, 1)
			require.Equal(t, c.want, fmt.Sprint(mined[0].Fee, mined[0].Failed))
			require.Equal(t, addressText, mined[0].From.String())
			r, err := p.Receipt(t.Context(), [32]byte([]byte(strings.Repeat("\xab", 32))), nil)
			require.NoError(t, err)
			require.Equal(t, mined[0].Failed, r.Failed)
		})
	}
}

// TestBlockTimes checks that a block's time out of the range of calendars is rejected, and that
// another node is queried.
func TestBlockTimes(t *testing.T) {
	n := nodetest.New(1, 100)
	block := func(at string) network.Behaviour {
		return func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
			var calls []struct{ ID json.RawMessage }
			if !strings.Contains(string(r.Body), `"0x7"`) || json.Unmarshal(r.Body, &calls) != nil {
				return n.Well(ctx, r)
			}
			return fetch.Response{Status: 200, Body: fmt.Appendf(nil, `[{"jsonrpc":"2.0","id":%s,"result":{"hash":"0x%064x","number":"0x7","timestamp":"%s"}}]`, calls[0].ID, 1, at)}, nil
		}
	}
	for at, want := range map[string]int64{"0x1fffffffff": 1<<37 - 1, "0x2000000000": 0, "0x3fffffffffffffff": 0} {
		alone, _ := nodesOf(t, block(at))
		blocks, _, err := alone.Blocks(t.Context(), []uint64{7})
		if want != 0 {
			require.NoError(t, err)
			require.Equal(t, want, blocks[7].Time)
			continue
		}
		require.ErrorIs(t, err, coin.ErrTransport)
		both, _ := nodesOf(t, block(at), block("0x6543210f"))
		blocks, _, err = both.Blocks(t.Context(), []uint64{7})
		require.NoError(t, err)
		require.EqualValues(t, 0x6543210f, blocks[7].Time)
	}
}

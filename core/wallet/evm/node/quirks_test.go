package node

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/text"
	network "obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/nodetest"
	"obverse/core/wallet/evm/wire"
)

// quirky returns a node that answers some methods with the given members: a result or an error.
func quirky(n *nodetest.Node, members map[string]string) network.Behaviour {
	type call struct {
		ID     json.RawMessage
		Method string
	}
	answer := func(raw json.RawMessage) string {
		var c call
		if json.Unmarshal(raw, &c) != nil || members[c.Method] == "" {
			return string(n.Answer(raw))
		}
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, c.ID, members[c.Method])
	}
	return func(_ context.Context, r fetch.Request) (fetch.Response, error) {
		var list []json.RawMessage
		if json.Unmarshal(r.Body, &list) != nil {
			return fetch.Response{Status: 200, Body: []byte(answer(r.Body))}, nil
		}
		var all []string
		for _, raw := range list {
			all = append(all, answer(raw))
		}
		return fetch.Response{Status: 200, Body: []byte("[" + strings.Join(all, ",") + "]")}, nil
	}
}

// TestMissingAnswers checks that the rest of an answer is used if optional data is missing in
// any form.
func TestMissingAnswers(t *testing.T) {
	const usual = "1100000000 1000000000 false 100000000 100000000 100000000 0 21000"
	missing := map[string]string{"null": `"result":null`, "nothing": `"result":"0x"`, "a text": `"result":"?"`, "a list": `"result":[]`, "an object": `"result":{}`,
		"no method": `"error":{"code":-32601,"message":"the method does not exist"}`}
	for method, want := range map[string]string{"eth_maxPriorityFeePerGas": usual, "eth_estimateGas": usual, "eth_call": usual, "eth_gasPrice": usual,
		"eth_feeHistory": "1100000000 <nil> false <nil> <nil> <nil> 0 21000"} {
		for name, members := range missing {
			t.Run(method+" "+name, func(t *testing.T) {
				p, _ := pool(t, quirky(nodetest.New(1, 100), map[string]string{method: members}))
				f, err := p.Fees(t.Context(), Call{Value: new(big.Int)})
				require.NoError(t, err)
				require.Equal(t, want, said(f))
			})
		}
	}
	for name, members := range missing {
		p, _ := pool(t, quirky(nodetest.New(1, 100), map[string]string{"eth_gasPrice": members, "eth_feeHistory": members}))
		_, err := p.Fees(t.Context(), Call{Value: new(big.Int)})
		require.Error(t, err, name)
	}
	t.Run("what waits", func(t *testing.T) {
		n := nodetest.New(1, 100).Nonce(owner, 3)
		p, _ := pool(t, func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
			if strings.Contains(string(r.Body), "pending") {
				r.Body = []byte(strings.Replace(string(r.Body), `"eth_getTransactionCount","params":["`+strings.ToLower(owner)+`","pending"`, `"null","params":["`, 1))
			}
			return quirky(n, map[string]string{"null": `"result":null`})(ctx, r)
		})
		c, err := p.Nonces(t.Context(), parse(t, owner))
		require.NoError(t, err)
		require.EqualValues(t, 3, c.Pending)
	})
	t.Run("progress of a node that has all blocks", func(t *testing.T) {
		p, _ := pool(t, quirky(nodetest.New(1, 100), map[string]string{"eth_syncing": `"result":null`}))
		_, err := p.Probe(t.Context())
		require.NoError(t, err)
		require.False(t, p.Nodes()[0].Behind)
	})
	t.Run("simulation", func(t *testing.T) {
		p, _ := pool(t, quirky(nodetest.New(1, 100), map[string]string{"eth_call": `"result":null`}))
		s, err := p.Simulate(t.Context(), Call{Value: new(big.Int)})
		require.NoError(t, err)
		require.Equal(t, Simulation{Gas: 21000}, s)
	})
	p, _ := pool(t, quirky(nodetest.New(1, 100), map[string]string{"eth_chainId": `"result":1`, "eth_blockNumber": `"result":100`, "eth_getBalance": `"result":7`}))
	b, err := p.Balances(t.Context(), BalanceQuery{Owner: parse(t, owner), Coin: true})
	require.NoError(t, err, "numbers of JSON")
	require.Equal(t, "7 100", fmt.Sprint(b.Coin, b.Height))
}

// TestNoState checks that the error of a node that lacks the newest block, or its state, is not
// an error of the transaction.
func TestNoState(t *testing.T) {
	for _, message := range []string{"header not found", "missing trie node 5c99 (path ) state 0x5c99 is not available, not found", "Unknown block"} {
		p, _ := pool(t, quirky(nodetest.New(1, 100), map[string]string{"eth_estimateGas": fmt.Sprintf(`"error":{"code":-32000,"message":%q}`, message)}))
		_, err := p.Simulate(t.Context(), Call{Value: new(big.Int)})
		require.ErrorAs(t, err, new(*nodepool.UnreachableError), message)
		require.ErrorContains(t, err, message)
		well := nodetest.New(1, 100).Gas(30_000)
		p, _ = pool(t, quirky(nodetest.New(1, 100), map[string]string{"eth_estimateGas": fmt.Sprintf(`"error":{"code":-32000,"message":%q}`, message)}), well.Well)
		s, err := p.Simulate(t.Context(), Call{From: parse(t, owner), Value: new(big.Int)})
		require.NoError(t, err, message)
		require.EqualValues(t, 30_000, s.Gas, message)
	}
	p, _ := pool(t, quirky(nodetest.New(1, 100), map[string]string{"eth_estimateGas": `"error":{"code":-32000,"message":"insufficient funds for transfer"}`}))
	_, err := p.Simulate(t.Context(), Call{Value: new(big.Int)})
	require.ErrorAs(t, err, new(*nodepool.RPCError), "that is about the transaction")
}

// TestReceipts checks that receipts of other networks and older nodes are parsed, with the same
// fee and status.
func TestReceipts(t *testing.T) {
	hash := strings.Repeat("ab", 32)
	base := map[string]any{"transactionHash": "0x" + hash, "blockHash": "0x" + hash, "blockNumber": "0x5", "transactionIndex": "0x0", "gasUsed": "0x5208",
		"from": strings.ToLower(owner), "effectiveGasPrice": "0x2", "status": "0x1", "logs": []any{}}
	sent := map[string]any{"hash": "0x" + hash, "to": strings.ToLower(tokenA), "value": "0x1", "nonce": "0x0", "gas": "0x5208", "input": "0x", "gasPrice": "0x3"}
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
			p, _ := pool(t, quirky(nodetest.New(1, 100), map[string]string{"eth_getTransactionByHash": `"result":` + string(encoded), "eth_getTransactionReceipt": `"result":` + string(receipt)}))
			found, err := p.Mined(t.Context(), []string{hash})
			require.NoError(t, err)
			mined := found.Mined
			require.Len(t, mined, 1)
			require.Equal(t, c.want, fmt.Sprint(mined[0].Fee, mined[0].Failed))
			require.Equal(t, owner, mined[0].From.String())
			r, err := p.Receipt(t.Context(), [32]byte([]byte(strings.Repeat("\xab", 32))), nil)
			require.NoError(t, err)
			require.Equal(t, mined[0].Failed, r.Failed)
		})
	}
}

// TestOtherEncodings checks that transactions which some nodes return with other members are
// the same by their hashes.
func TestOtherEncodings(t *testing.T) {
	for name, change := range map[string]func(map[string]any){
		"one price": func(m map[string]any) { delete(m, "chainId") },
		"fees": func(m map[string]any) {
			delete(m, "v")
			m["type"] = 2
			m["to"] = strings.ToUpper(m["to"].(string)[2:])
			m["to"] = "0x" + m["to"].(string)
		},
	} {
		for _, r := range records(t) {
			if r.Name != name {
				continue
			}
			var shown map[string]any
			require.NoError(t, json.Unmarshal(r.JSON, &shown))
			change(shown)
			answer, err := json.Marshal(shown)
			require.NoError(t, err)
			raw, err := data(json.RawMessage(`"` + r.Raw + `"`))
			require.NoError(t, err)
			p, _ := pool(t, showing(string(answer)))
			f, err := p.Transaction(t.Context(), wire.Hash(raw))
			require.NoError(t, err)
			require.Equal(t, r.Raw, text.Hex(f.Raw), name)
		}
	}
}

// TestLargeRanges checks that a node that rejects a range as too large can still be queried,
// although some providers use the code of a rate limit for this.
func TestLargeRanges(t *testing.T) {
	p, _ := pool(t, quirky(rich(), map[string]string{"eth_getLogs": `"error":{"code":-32005,"message":"query returned more than 10000 results"}`}))
	_, err := p.Transfers(t.Context(), []address.Address{parse(t, tokenA)}, parse(t, owner), 1, 100)
	require.ErrorAs(t, err, new(*nodepool.RPCError))
	_, _, err = p.NFTMoves(t.Context(), parse(t, owner), 1, 100)
	require.ErrorAs(t, err, new(*nodepool.RPCError))
	_, err = p.Balances(t.Context(), BalanceQuery{Owner: parse(t, owner), Coin: true})
	require.NoError(t, err)
}

// TestNoLogs checks that some nodes may return null instead of an empty list of logs.
func TestNoLogs(t *testing.T) {
	p, _ := pool(t, quirky(rich(), map[string]string{"eth_getLogs": `"result":null`}))
	found, err := p.Transfers(t.Context(), []address.Address{parse(t, tokenA)}, parse(t, owner), 1, 100)
	require.NoError(t, err)
	require.Empty(t, found)
	moves, more, err := p.NFTMoves(t.Context(), parse(t, owner), 1, 100)
	require.NoError(t, err)
	require.Empty(t, moves)
	require.False(t, more)
}

// TestDecimalsThatAreNone checks that a contract which returns the text "18" as its decimals
// has none, since the text begins 32 bytes later. Proxies may append zeros to their results.
func TestDecimalsThatAreNone(t *testing.T) {
	text := fmt.Sprintf(`"result":"0x%064x%064x%s"`, 32, 2, "3138"+strings.Repeat("0", 60))
	p, _ := pool(t, quirky(rich(), map[string]string{"eth_call": text}))
	_, err := p.Decimals(t.Context(), []address.Address{parse(t, tokenA)})
	require.ErrorContains(t, err, "more than a number")
	p, _ = pool(t, quirky(rich(), map[string]string{"eth_call": fmt.Sprintf(`"result":"0x%064x%0256x"`, 6, 0)}))
	decimals, err := p.Decimals(t.Context(), []address.Address{parse(t, tokenA)})
	require.NoError(t, err)
	require.Equal(t, []uint8{6}, decimals)
}

// TestOperatorFee checks the fee that rollups of the OP Stack may take for themselves
// (Isthmus). Without it, transactions fail with "insufficient funds for gas * price + value".
func TestOperatorFee(t *testing.T) {
	linear := func(constant, perGas int64) func(uint64) *big.Int {
		return func(gas uint64) *big.Int { return big.NewInt(constant + int64(gas)*perGas/1_000_000) }
	}
	rollup := func() *nodetest.Node {
		return rich().Price(big.NewInt(20), big.NewInt(2)).DataFee(abi.L1FeeUpperBound, big.NewInt(1000))
	}
	for _, c := range []struct {
		name string
		node func() *nodetest.Node
		want int64
	}{
		{"none", rollup, 1000},
		{"for each unit of gas", func() *nodetest.Node { return rollup().OperatorFee(linear(0, 1_000_000_000)) }, 1000 + 21_000_000},
		{"for a transaction", func() *nodetest.Node { return rollup().OperatorFee(linear(77, 0)) }, 1077},
		{"both", func() *nodetest.Node { return rollup().OperatorFee(linear(77, 1)) }, 1078},
		{"no rollup", func() *nodetest.Node { return rich().Price(big.NewInt(20), big.NewInt(2)).OperatorFee(linear(77, 1)) }, 0},
		{"a fee that falls", func() *nodetest.Node { return rollup().OperatorFee(linear(5000, -1)) }, 1000},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, _ := pool(t, c.node().Well, c.node().Well, rollup().OperatorFee(linear(1<<40, 1<<20)).Well)
			f, err := p.Fees(t.Context(), Call{Value: new(big.Int)})
			require.NoError(t, err)
			require.EqualValues(t, c.want, f.Beyond(21_000).Int64())
		})
	}
	require.Nil(t, Fees{}.Beyond(21_000))
}

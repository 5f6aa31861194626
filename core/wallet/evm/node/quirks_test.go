package node

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/text"
	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/nodetest"
	"obverse/core/wallet/evm/wire"
)

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
				p, _ := pool(t, nodetest.New(1, 100).With(map[string]string{method: members}))
				f, err := p.Fees(t.Context(), Call{Value: new(big.Int)})
				require.NoError(t, err)
				require.Equal(t, want, said(f))
			})
		}
	}
	for name, members := range missing {
		p, _ := pool(t, nodetest.New(1, 100).With(map[string]string{"eth_gasPrice": members, "eth_feeHistory": members}))
		_, err := p.Fees(t.Context(), Call{Value: new(big.Int)})
		require.Error(t, err, name)
	}
	t.Run("what waits", func(t *testing.T) {
		n := nodetest.New(1, 100).Nonce(owner, 3)
		p, _ := pool(t, func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
			if strings.Contains(string(r.Body), "pending") {
				r.Body = []byte(strings.Replace(string(r.Body), `"eth_getTransactionCount","params":["`+strings.ToLower(owner)+`","pending"`, `"null","params":["`, 1))
			}
			return n.With(map[string]string{"null": `"result":null`})(ctx, r)
		})
		c, err := p.Nonces(t.Context(), parse(t, owner))
		require.NoError(t, err)
		require.EqualValues(t, 3, c.Pending)
	})
	t.Run("progress of a node that has all blocks", func(t *testing.T) {
		p, _ := pool(t, nodetest.New(1, 100).With(map[string]string{"eth_syncing": `"result":null`}))
		_, err := p.Probe(t.Context())
		require.NoError(t, err)
		require.False(t, p.Nodes()[0].Behind)
	})
	t.Run("simulation", func(t *testing.T) {
		p, _ := pool(t, nodetest.New(1, 100).With(map[string]string{"eth_call": `"result":null`}))
		s, err := p.Simulate(t.Context(), Call{Value: new(big.Int)})
		require.NoError(t, err)
		require.Equal(t, Simulation{Gas: 21000}, s)
	})
	p, _ := pool(t, nodetest.New(1, 100).With(map[string]string{"eth_chainId": `"result":1`, "eth_blockNumber": `"result":100`, "eth_getBalance": `"result":7`}))
	b, err := p.Balances(t.Context(), BalanceQuery{Owner: parse(t, owner), Coin: true})
	require.NoError(t, err, "numbers of JSON")
	require.Equal(t, "7 100", fmt.Sprint(b.Coin, b.Height))
}

// TestNoState checks that the error of a node that lacks the newest block, or its state, is not
// an error of the transaction.
func TestNoState(t *testing.T) {
	for _, message := range []string{"header not found", "missing trie node 5c99 (path ) state 0x5c99 is not available, not found", "Unknown block"} {
		p, _ := pool(t, nodetest.New(1, 100).With(map[string]string{"eth_estimateGas": fmt.Sprintf(`"error":{"code":-32000,"message":%q}`, message)}))
		_, err := p.Simulate(t.Context(), Call{Value: new(big.Int)})
		require.ErrorAs(t, err, new(*nodepool.UnreachableError), message)
		require.ErrorContains(t, err, message)
		well := nodetest.New(1, 100).Gas(30_000)
		p, _ = pool(t, nodetest.New(1, 100).With(map[string]string{"eth_estimateGas": fmt.Sprintf(`"error":{"code":-32000,"message":%q}`, message)}), well.Well)
		s, err := p.Simulate(t.Context(), Call{From: parse(t, owner), Value: new(big.Int)})
		require.NoError(t, err, message)
		require.EqualValues(t, 30_000, s.Gas, message)
	}
	p, _ := pool(t, nodetest.New(1, 100).With(map[string]string{"eth_estimateGas": `"error":{"code":-32000,"message":"insufficient funds for transfer"}`}))
	_, err := p.Simulate(t.Context(), Call{Value: new(big.Int)})
	require.ErrorAs(t, err, new(*nodepool.RPCError), "that is about the transaction")
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
			raw, err := ReadBytes(json.RawMessage(`"` + r.Raw + `"`))
			require.NoError(t, err)
			p, _ := pool(t, showing(string(answer)))
			f, err := p.Transaction(t.Context(), wire.Hash(raw))
			require.NoError(t, err)
			require.Equal(t, r.Raw, text.Hex(f.Raw), name)
		}
	}
}

// TestDecimalsThatAreNone checks that the text "18" as a result of decimals is not accepted as a
// number, since the text begins 32 bytes later. Proxies may append zeros to their results.
func TestDecimalsThatAreNone(t *testing.T) {
	text := fmt.Sprintf(`"result":"0x%064x%064x%s"`, 32, 2, "3138"+strings.Repeat("0", 60))
	p, _ := pool(t, rich().With(map[string]string{"eth_call": text}))
	_, err := p.Decimals(t.Context(), []address.Address{parse(t, tokenA)})
	require.ErrorContains(t, err, "more than a number")
	p, _ = pool(t, rich().With(map[string]string{"eth_call": fmt.Sprintf(`"result":"0x%064x%0256x"`, 6, 0)}))
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

package node

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	network "obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/nodetest"
)

// having returns a node with a token with the given decimals, or without it for -1.
func having(decimals int) network.Behaviour {
	n := nodetest.New(1, 100)
	if decimals >= 0 {
		n.Deploy(tokenA, uint8(decimals))
	}
	return n.Well
}

// TestDecimals checks that a single one of several nodes is not believed.
func TestDecimals(t *testing.T) {
	for _, c := range []struct {
		name  string
		nodes []network.Behaviour
		want  uint8
		fails string
	}{
		{"one", []network.Behaviour{having(6)}, 6, ""},
		{"the most", []network.Behaviour{having(255)}, 255, ""},
		{"none", []network.Behaviour{having(0), having(0)}, 0, ""},
		{"two", []network.Behaviour{having(18), having(18)}, 18, ""},
		{"a liar", []network.Behaviour{having(0), having(18), having(18)}, 18, ""},
		{"one that has no block with it yet", []network.Behaviour{having(-1), having(18)}, 18, ""},
		{"a liar on what the others do not have", []network.Behaviour{having(-1), having(18), having(-1)}, 0, "may not be a contract"},
		{"one that is dead", []network.Behaviour{network.Dead, having(18)}, 18, ""},
		{"one while another fails", []network.Behaviour{network.Says(503, ""), having(18)}, 0, "too few servers answer, and others fail"},
		{"two that disagree", []network.Behaviour{having(6), having(18)}, 0,
			"the contract " + tokenA + ": nodes do not agree on its decimals (https://a.example: 6; https://b.example: 18); an entry of the coins file may state them"},
		{"half and half", []network.Behaviour{having(6), having(18), having(18), having(6)}, 0, "do not agree"},
		{"no contract", []network.Behaviour{having(-1)}, 0, "https://a.example: the contract " + tokenA + ": "},
		{"no contract anywhere", []network.Behaviour{having(-1), having(-1)}, 0, "may not be a contract"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, _ := pool(t, c.nodes...)
			_, err := p.Probe(t.Context())
			require.NoError(t, err)
			got, err := p.Decimals(t.Context(), []address.Address{parse(t, tokenA)})
			if c.fails != "" {
				require.ErrorContains(t, err, c.fails)
				return
			}
			require.NoError(t, err)
			require.Equal(t, []uint8{c.want}, got)
		})
	}
}

func TestDecimalsOfMany(t *testing.T) {
	n := nodetest.New(1, 100).Deploy(tokenA, 6).Deploy(tokenB, 18)
	p, _ := pool(t, n.Well, n.Well)
	var contracts []address.Address
	var want []uint8
	for range MaxBatch {
		contracts, want = append(contracts, parse(t, tokenA), parse(t, tokenB)), append(want, 6, 18)
	}
	got, err := p.Decimals(t.Context(), contracts)
	require.NoError(t, err)
	require.Equal(t, want, got)
	none, err := p.Decimals(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, none)
}

// TestInvalidDecimals checks contracts that return something else than a number of eight bits,
// and nodes that refuse the call.
func TestInvalidDecimals(t *testing.T) {
	for name, c := range map[string]struct {
		result string
		is     any
		text   string
	}{
		"nine bits":       {`"result":"0x` + strings.Repeat("0", 61) + `100"`, new(*ContractError), "number has 9 bits, limit is 8"},
		"256 bits":        {`"result":"0x` + strings.Repeat("f", 64) + `"`, new(*ContractError), "number has 256 bits"},
		"too few bytes":   {`"result":"0x06"`, new(*ContractError), "1 bytes"},
		"no bytes":        {`"result":6`, new(*nodepool.UnreachableError), "unexpected value of type number"},
		"it reverts":      {`"error":{"code":3,"message":"execution reverted"}`, new(*ContractError), "execution reverted"},
		"too many":        {`"error":{"code":-32005,"message":"slow down"}`, new(*nodepool.UnreachableError), "slow down"},
		"something wrong": {`"error":{"code":-32000,"message":"missing trie node"}`, new(*nodepool.RPCError), "missing trie node"},
	} {
		t.Run(name, func(t *testing.T) {
			n := nodetest.New(1, 100)
			p, _ := pool(t, func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
				var calls []struct{ ID json.RawMessage }
				if !strings.Contains(string(r.Body), "eth_call") || json.Unmarshal(r.Body, &calls) != nil {
					return n.Well(ctx, r)
				}
				return fetch.Response{Status: 200, Body: fmt.Appendf(nil, `[{"id":%s,%s}]`, calls[0].ID, c.result)}, nil
			})
			_, err := p.Decimals(t.Context(), []address.Address{parse(t, tokenA)})
			require.ErrorAs(t, err, c.is)
			require.ErrorContains(t, err, c.text)
		})
	}
}

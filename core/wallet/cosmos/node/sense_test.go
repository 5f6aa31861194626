package node

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/wallet/cosmos/wire"
)

// TestInvalidAnswers checks that a valid message with invalid content is a failure of the node.
// Another node answers then, or the error names the node.
func TestInvalidAnswers(t *testing.T) {
	balance := func(denom, amount string) behaviour {
		return func(_ context.Context, a query) (fetch.Response, error) {
			value := wire.Encode(&wire.BalanceResponse{Balance: wire.Coin{Denom: denom, Amount: amount}})
			return a.result(fmt.Sprintf(`{"response":{"value":"%s"}}`, base64.StdEncoding.EncodeToString(value))), nil
		}
	}
	ask := func(ctx context.Context, p *Pool) error { _, err := p.Balance(ctx, "a", "u"); return err }
	height := func(ctx context.Context, p *Pool) error { _, err := p.Height(ctx); return err }
	search := func(ctx context.Context, p *Pool) error {
		_, err := p.Search(ctx, Search{Query: "q", Page: 1, Size: 1})
		return err
	}
	status := func(ctx context.Context, p *Pool) error { _, err := p.Status(ctx); return err }
	for _, c := range []struct {
		name, method string
		ill          behaviour
		ask          func(context.Context, *Pool) error
		reason       string
	}{
		{"a balance of another denom", "abci_query", balance("other", "5"), ask, `denom is "other", want "u"`},
		{"no balance", "abci_query", result(`{"response":{"value":null}}`), ask, `denom is "", want "u"`},
		{"a balance below 0", "abci_query", balance("u", "-5"), ask, `not an amount of a coin: "-5"`},
		{"a balance of more than 256 bits", "abci_query", balance("u", "1"+strings.Repeat("0", 78)), ask, "not an amount of a coin"},
		{"a balance of no amount", "abci_query", balance("u", ""), ask, `not an amount of a coin: ""`},
		{"a height below 0", "abci_info", result(`{"response":{"last_block_height":"-77"}}`), height, "-77 is below 0"},
		{"a height beyond 63 bits", "abci_info", result(`{"response":{"last_block_height":"9223372036854775808"}}`), height, "value out of range"},
		{"another height below 0", "status", result(`{"node_info":{"network":"test-1"},"sync_info":{"latest_block_height":"-1"}}`), status, "-1 is below 0"},
		{"a number for the chain", "status", result(`{"node_info":{"network":5}}`), status, "invalid response: unexpected value of type number"},
		{"fewer transactions than none", "tx_search", result(`{"txs":[],"total_count":"-5"}`), search, "-5 is below 0"},
		{"a transaction before the first block", "tx_search", result(`{"txs":[{"hash":"","height":"-5","tx":""}],"total_count":"1"}`), search, "-5 is below 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				well := but("tx_search", result(`{"txs":[],"total_count":"0"}`), at(9))
				p, w := probed(t, well, well)
				w.set(urlA, but(c.method, c.ill, well))
				require.NoError(t, c.ask(t.Context(), p))
				require.Contains(t, p.Nodes()[0].Reason, c.reason)
				p, w = probed(t, well)
				w.set(urlA, but(c.method, c.ill, well))
				err := c.ask(t.Context(), p)
				require.ErrorIs(t, err, nodepool.ErrAnswer)
				require.ErrorContains(t, err, "(https://a.example: invalid response: ")
				require.ErrorContains(t, err, c.reason)
				require.NotContains(t, err.Error(), "struct", "the Go type does not appear")
			})
		})
	}
}

// result returns a node that always returns the same result.
func result(text string) behaviour {
	return func(_ context.Context, a query) (fetch.Response, error) { return a.result(text), nil }
}

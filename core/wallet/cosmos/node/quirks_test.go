package node

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
)

// TestTimes checks that a node is used if the time of its newest block is missing or cannot be
// read, since the wallet has a clock of its own.
func TestTimes(t *testing.T) {
	for name, member := range map[string]string{"": `"2026-01-02T03:04:05Z"`, "empty": `""`, "null": `null`, "without a zone": `"2026-01-02T03:04:05"`, "a number": `1767323045`} {
		t.Run(name, func(t *testing.T) {
			p, _ := pool(t, but("status", func(_ context.Context, a query) (fetch.Response, error) {
				return a.result(`{"node_info":{"network":"test-1"},"sync_info":{"latest_block_height":"9","latest_block_time":` + member + `}}`), nil
			}, at(9)))
			balance, err := p.VotedBalance(t.Context(), "cosmos1", "u")
			require.NoError(t, err)
			require.Equal(t, "9", balance.String())
			height, when, _, err := p.Newest(t.Context())
			require.NoError(t, err)
			require.EqualValues(t, 9, height)
			require.Equal(t, name == "", when.Equal(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)))
			require.False(t, when.After(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)))
		})
	}
	p, _ := pool(t, but("block", func(_ context.Context, a query) (fetch.Response, error) {
		return a.result(`{"block":{"header":{"height":"5","time":"now"}}}`), nil
	}, at(9)))
	_, err := p.BlockTime(t.Context(), 5)
	require.ErrorContains(t, err, "invalid response: a block without a time")
}

// TestMempools checks the answers of several versions of nodes which mean that the node has a
// transaction, or has no room for it.
func TestMempools(t *testing.T) {
	raw := []byte("a transaction")
	hash := fmt.Sprintf("%X", sha256.Sum256(raw))
	for answer, want := range map[string]string{
		`"result":{"code":0,"hash":"HASH","mempool_error":null}`:                                                      "new",
		`"result":{"code":19,"codespace":"sdk","log":"tx already in mempool","hash":"HASH"}`:                          "known",
		`"result":{"code":19,"codespace":"undefined","log":"tx already in mempool","hash":"HASH"}`:                    "known",
		`"result":{"code":1,"codespace":"mempool","log":"Tx already exists in cache","hash":"HASH"}`:                  "known",
		`"result":{"code":5,"codespace":"sdk","log":"insufficient funds","hash":"HASH"}`:                              "code 5 of sdk",
		`"error":{"code":-32603,"message":"Internal error","data":"tx already exists in cache"}`:                      "known",
		`"error":{"code":-32603,"message":"tx already exists in cache"}`:                                              "known",
		`"error":{"code":-32603,"message":"Internal error","data":"Tx already in cache"}`:                             "known",
		`"error":{"code":-32603,"message":"Internal error: tx already in mempool","data":""}`:                         "known",
		`"error":{"code":-32603,"message":"mempool is full: number of txs 5000 (max: 5000)"}`:                         "code 20 of sdk",
		`"error":{"code":-32603,"message":"Internal error","data":"mempool is full: number of txs 5000 (max: 5000)"}`: "code 20 of sdk",
		`"error":{"code":-32603,"message":"Internal error","data":"timed out waiting for tx"}`:                        "timed out waiting for tx (-32603)",
	} {
		p, _ := pool(t, but("broadcast_tx_sync", func(_ context.Context, a query) (fetch.Response, error) {
			return body(`{"jsonrpc":"2.0","id":"` + a.ID + `",` + strings.ReplaceAll(answer, "HASH", hash) + `}`), nil
		}, at(9)))
		sent, err := p.Broadcast(t.Context(), raw)
		if want == "new" || want == "known" {
			require.NoError(t, err, answer)
			require.Equal(t, want == "known", sent.Known, answer)
			continue
		}
		require.ErrorContains(t, err, want, answer)
	}
}

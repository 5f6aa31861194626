package evm

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/history"
)

// indexed returns a bench with a coins file that names an indexer for ETH.
func indexed(t *testing.T, indexer string) *bench {
	b := newBench(t)
	entries, problems, err := coin.ParseList([]byte(`[{"coin":"ETH","mm2":1,"protocol":{"type":"ETH","protocol_data":{"chain_id":1}},"history_indexer":` + indexer + `}]`))
	require.NoError(t, err)
	require.Empty(t, problems)
	b.Registry, b.Store = coin.NewRegistry(entries), b.kv
	return b
}

// TestIndexerOfTheCoinsFile checks that the indexer of the coins file is queried unless the
// activation has another one.
func TestIndexerOfTheCoinsFile(t *testing.T) {
	for name, c := range map[string]struct {
		given   *history.Explorer
		queried string
	}{
		"the file's":       {nil, "https://file.example/api/v2/addresses/" + walletAddress + "/transactions"},
		"the activation's": {&history.Explorer{Kind: history.Blockscout, URL: "https://other.example"}, "https://other.example/api/v2/addresses/" + walletAddress + "/transactions"},
	} {
		t.Run(name, func(t *testing.T) {
			b := indexed(t, `{"type":"Blockscout","url":"https://file.example"}`)
			queried := make(chan string, 100)
			for _, url := range []string{"https://file.example", "https://other.example"} {
				b.net.Set(url+"/api/v2/addresses/"+walletAddress+"/transactions", func(_ context.Context, r fetch.Request) (fetch.Response, error) {
					queried <- r.URL
					return fetch.Response{Status: 404}, nil
				})
			}
			b.run(t)
			p := eth()
			p.History, p.Indexer = true, c.given
			_, err := b.Activate(t.Context(), p)
			require.NoError(t, err)
			require.Equal(t, c.queried, <-queried)
		})
	}
}

func TestInvalidIndexerOfTheCoinsFile(t *testing.T) {
	for indexer, want := range map[string]string{`{"type":"Blocks","url":"https://file.example"}`: "history_indexer: unknown type of indexer, want {",
		`{"type":"Blockscout","url":"file"}`: "history_indexer: not a URL of http or https", `5`: "history_indexer: "} {
		b := indexed(t, indexer)
		_, err := b.Activate(t.Context(), eth())
		require.ErrorContains(t, err, want)
		require.Empty(t, b.active())
	}
}

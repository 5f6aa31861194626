package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/evm/address"
	"obverse/native/test/anvil"
)

// chainTx is a transaction in the JSON-RPC format of a network.
type chainTx struct {
	Hash, From, To, Value, BlockNumber, TransactionIndex string
}

// hexInt parses a quantity of up to 64 bits.
func hexInt(t testing.TB, text string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(strings.TrimPrefix(text, "0x"), 16, 64)
	require.NoError(t, err)
	return n
}

// transactionsOf returns the transactions that an address has sent or received on a network, newest
// first.
func transactionsOf(t testing.TB, n *anvil.Network, account string) (list []chainTx) {
	t.Helper()
	var newest string
	require.NoError(t, json.Unmarshal(n.Ask("eth_blockNumber"), &newest))
	for height := hexInt(t, newest); height > 0; height-- {
		var block struct{ Transactions []chainTx }
		require.NoError(t, json.Unmarshal(n.Ask("eth_getBlockByNumber", fmt.Sprintf("0x%x", height), true), &block))
		for _, tx := range slices.Backward(block.Transactions) {
			if strings.EqualFold(tx.From, account) || strings.EqualFold(tx.To, account) {
				list = append(list, tx)
			}
		}
	}
	return list
}

// transfersOf returns the hashes of transactions that transferred tokens of an address, newest
// first.
func transfersOf(t testing.TB, n *anvil.Network, account string) (hashes []string) {
	t.Helper()
	sum := address.Keccak([]byte("Transfer(address,address,uint256)"))
	topic, party := fmt.Sprintf("0x%x", sum), "0x"+strings.Repeat("0", 24)+strings.ToLower(account[2:])
	seen := map[string]uint64{}
	for _, topics := range [][]any{{topic, party}, {topic, nil, party}} {
		var logs []struct{ TransactionHash, BlockNumber string }
		require.NoError(t, json.Unmarshal(n.Ask("eth_getLogs", map[string]any{"fromBlock": "0x0", "toBlock": "latest", "topics": topics}), &logs))
		for _, l := range logs {
			seen[l.TransactionHash] = hexInt(t, l.BlockNumber)
		}
	}
	for hash := range seen {
		hashes = append(hashes, hash)
	}
	slices.SortFunc(hashes, func(a, b string) int { return int(seen[b]) - int(seen[a]) })
	return hashes
}

// blockscout serves lists of an address in the format of Blockscout's API v2, in pages of 50.
func blockscout(t *testing.T, n *anvil.Network, account string) *httptest.Server {
	t.Helper()
	page := func(w http.ResponseWriter, r *http.Request, key string, hashes []string) {
		const size = 50
		from, _ := strconv.Atoi(r.URL.Query().Get("items_count")) // the first page if ""
		var answer struct {
			Items []map[string]any `json:"items"`
			Next  map[string]any   `json:"next_page_params"`
		}
		answer.Items = []map[string]any{}
		for _, hash := range hashes[min(from, len(hashes)):min(from+size, len(hashes))] {
			answer.Items = append(answer.Items, map[string]any{key: hash, "block_number": 1, "status": "ok"})
		}
		if from+size < len(hashes) {
			answer.Next = map[string]any{"items_count": from + size, "block_number": 1, "index": nil}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer) // the client may have disconnected
	}
	var mu sync.Mutex
	known := map[string][]string{} // lists by kind and newest block
	once := func(list string, read func() []string) []string {
		mu.Lock()
		defer mu.Unlock()
		key := list + string(n.Ask("eth_blockNumber"))
		if known[key] == nil {
			known[key] = read()
		}
		return known[key]
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v2/addresses/"+account+"/transactions", func(w http.ResponseWriter, r *http.Request) {
		page(w, r, "hash", once("transactions", func() (hashes []string) {
			for _, tx := range transactionsOf(t, n, account) {
				hashes = append(hashes, tx.Hash)
			}
			return hashes
		}))
	})
	mux.HandleFunc("GET /api/v2/addresses/"+account+"/token-transfers", func(w http.ResponseWriter, r *http.Request) {
		page(w, r, "transaction_hash", once("transfers", func() []string { return transfersOf(t, n, account) }))
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

package e2e

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/wallet/cosmos/nodetest"
	"obverse/native/test/vectorservers"
)

// longHistory is a node of a Cosmos chain on which every account has the same long history. It can
// stop responding during requests for that history. It passes all other requests on to the inner
// node.
type longHistory struct {
	*nodetest.Node

	mu    sync.Mutex
	pages []string // of searches that were asked for, "spent 1"
	stop  *stop
}

// stop describes the request at which the node stops responding: a request of a method after a
// number of others.
type stop struct {
	method  string
	before  int
	reached chan struct{}
	end     chan struct{} // closed when no request waits for a response
}

// historyLength is the number of transactions, two in each block. Of three consecutive ones, the
// account sends the first, receives the second, and pays itself in the third.
const historyLength = 330

func paysOut(tx int) bool { return tx%3 != 1 }

func paysIn(tx int) bool { return tx%3 != 0 }

func rawTx(tx int) []byte { return fmt.Appendf(nil, "transaction %d", tx) }

func hashOf(tx int) string { return fmt.Sprintf("%X", sha256.Sum256(rawTx(tx))) }

// holdAt sets the request at which the node stops responding, and clears the recorded requests.
func (h *longHistory) holdAt(method string, before int) *stop {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pages = nil
	h.stop = &stop{method, before, make(chan struct{}), make(chan struct{})}
	return h.stop
}

// asked returns the pages that were requested since then.
func (h *longHistory) requested() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.pages)
}

// historyRequest is a request for the history.
type historyRequest struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Query, Height string
		Page          int `json:",string"`
		PerPage       int `json:"per_page,string"`
	}
}

// Answer returns the response to the body of a POST request.
func (h *longHistory) Answer(body []byte) []byte {
	var r historyRequest
	if json.Unmarshal(body, &r) != nil || r.Method != "tx_search" && r.Method != "block" {
		return h.Node.Answer(body)
	}
	result := any(map[string]any{"block": map[string]any{"header": map[string]any{"height": r.Params.Height, "time": time.Unix(1_800_000_000, 0).UTC()}}})
	side := ""
	if r.Method == "tx_search" {
		side, result = search(r)
	}
	h.wait(r, side)
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": r.ID, "result": result})
	if err != nil {
		panic(err) // the value consists of strings and numbers
	}
	return text
}

// wait counts a request, and returns when it may get a response.
func (h *longHistory) wait(r historyRequest, side string) {
	h.mu.Lock()
	if side != "" {
		h.pages = append(h.pages, fmt.Sprintf("%s %d", side, r.Params.Page))
	}
	s := h.stop
	if r.Method == s.method {
		if s.before == 0 {
			close(s.reached)
		}
		s.before--
	}
	held := s.before < 0
	h.mu.Unlock()
	if held {
		<-s.end
	}
}

// search returns the transactions in one direction.
func search(r historyRequest) (side string, page any) {
	side, on := "spent", paysOut
	if strings.HasPrefix(r.Params.Query, "coin_received") {
		side, on = "received", paysIn
	}
	_, address, _ := strings.Cut(strings.TrimSuffix(r.Params.Query, "'"), "'")
	var all []any
	for tx := range historyLength {
		if on(tx) {
			all = append(all, foundTx(tx, address))
		}
	}
	from := (r.Params.Page - 1) * r.Params.PerPage
	return side, map[string]any{"txs": all[from:min(from+r.Params.PerPage, len(all))], "total_count": fmt.Sprint(len(all))}
}

// foundTx returns a transaction in the format of tx_search.
func foundTx(tx int, address string) any {
	event := func(kind string, pairs ...string) any {
		attributes := []any{}
		for pair := range slices.Chunk(pairs, 2) {
			attributes = append(attributes, map[string]string{"key": pair[0], "value": pair[1]})
		}
		return map[string]any{"type": kind, "attributes": attributes}
	}
	from, to, amount := "cosmos1other", "cosmos1other", fmt.Sprintf("%duatom", tx+1)
	if paysOut(tx) {
		from = address
	}
	if paysIn(tx) {
		to = address
	}
	return map[string]any{"hash": hashOf(tx), "height": fmt.Sprint(10 + tx/2), "index": tx % 2, "tx": rawTx(tx), "tx_result": map[string]any{
		"code": 0, "events": []any{
			event("message", "action", "/cosmos.bank.v1beta1.MsgSend"), event("coin_spent", "spender", from, "amount", amount),
			event("coin_received", "receiver", to, "amount", amount), event("transfer", "recipient", to, "sender", from, "amount", amount),
		}}}
}

// shownHistory is the result of my_tx_history.
type history struct {
	Transactions []struct {
		Hash string `json:"tx_hash"`
	}
	Total int
	Sync  struct{ State string } `json:"sync_status"`
}

func (c *callee) history() (h history) {
	c.t.Helper()
	require.NoError(c.t, json.Unmarshal(c.succeeds("my_tx_history", `{"coin":"ATOM","limit":1000}`), &h))
	return h
}

// loadedOf returns the number of transactions on the first pages of both searches.
func loadedOf(spent, received int) (count int) {
	for tx := range historyLength {
		out, in := paysOut(tx) && spent > 0, paysIn(tx) && received > 0
		if paysOut(tx) {
			spent--
		}
		if paysIn(tx) {
			received--
		}
		if out || in {
			count++
		}
	}
	return count
}

// TestKillWhileLoadingHistory kills a node repeatedly while it loads the history of a coin. After
// each start, the node must continue by itself: it requests the last page again, to check whether
// the server still has it, and keeps every page that it has read completely.
func TestKillWhileLoadingHistory(t *testing.T) {
	t.Parallel()
	hub, _ := mmrpctest.Chains(t, vectorservers.Recordings)
	chain := &longHistory{Node: hub}
	url := vectorservers.ServeChain(t, chain)
	l := newLaunch(t)
	begin := func(method string, before int) (*callee, *stop) {
		s := chain.holdAt(method, before)
		t.Cleanup(func() { close(s.end) }) // before the server waits for its requests
		return &callee{node: l.start(t)}, s
	}
	for life, c := range []struct {
		method          string // method of the request at which the node is killed
		before          int    // number of requests of the method with a response
		spent, received int    // number of transactions that are loaded at that time
		pages           []string
	}{
		{"tx_search", 0, 0, 0, []string{"spent 1"}},
		{"block", 15, 0, 0, []string{"spent 1"}},
		{"tx_search", 1, 50, 0, []string{"spent 1", "received 1"}},
		{"tx_search", 3, 100, 50, []string{"spent 1", "received 1", "spent 2", "received 2"}},
		{"block", 15, 100, 50, []string{"spent 2", "received 1", "spent 3"}},
		{"tx_search", 4, 150, 100, []string{"spent 2", "received 1", "spent 3", "received 2", "spent 4"}},
	} {
		n, s := begin(c.method, c.before)
		if life == 0 {
			n.succeeds("enable_tendermint_with_assets", `{"ticker":"ATOM","tokens_params":[],"nodes":[{"url":"`+url+`"}],"tx_history":true}`)
		}
		n.wait(s.reached, "the history is not asked for")
		n.enabled(1)
		history := n.history()
		require.NotEqual(t, "Finished", history.Sync.State)
		require.Equal(t, loadedOf(c.spent, c.received), history.Total, "life %d", life)
		n.kill()
		require.Equal(t, c.pages, chain.requested(), "life %d", life)
	}

	last := []string{"spent 3", "received 2", "spent 4", "received 3", "spent 5", "received 4", "received 5"}
	n, _ := begin("tx_search", len(last))
	n.enabled(1)
	require.Eventually(t, func() bool { return n.history().Sync.State == "Finished" }, timeout, 20*time.Millisecond)
	require.Equal(t, last, chain.requested()[:len(last)], "and no more but a later look for new ones")
	var want, got []string
	for tx := range historyLength {
		want = append(want, hashOf(historyLength-1-tx))
	}
	history := n.history()
	for _, tx := range history.Transactions {
		got = append(got, tx.Hash)
	}
	require.Equal(t, want, got)
	require.Equal(t, historyLength, history.Total)
	code, _ := n.stop()
	require.Zero(t, code)
}

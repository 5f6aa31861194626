package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/julienschmidt/httprouter"
	"github.com/stretchr/testify/require"

	"obverse/core/rpc"
	"obverse/native/test/benchtable"
)

// perKeyTurn is the number of requests in a turn.
const perKeyTurn = 20_000

// measureKeys compares get_public_key over HTTP with a handler that only decodes and encodes the
// same JSON.
func measureKeys(b *testing.B, t *benchtable.Table) {
	n := newBenchNode(b)
	web := n.serve(b)
	plain := serveHandler(b, plainKey(b, n))
	body := nodeRequest("get_public_key", rpcPassword)
	bodies := slices.Repeat([][]byte{body}, perKeyTurn)
	ours, bare := web.turns(b, bodies, web.node, plain)
	t.Add(benchtable.Row{What: "get_public_key over HTTP, of a handler for the same JSON", Unit: "/s", Ours: ours.rates, Reference: bare.rates, Aim: ">= 0.70"})
	t.Add(benchtable.Row{What: "processor time of that and its client, of the handler's", Unit: " us", Ours: ours.times, Reference: bare.times})

	local := rpc.Caller{Address: "127.0.0.1", Local: true}
	perSecond := rate(10*perKeyTurn, feeders, func(int) {
		if status, _ := n.core.RPC(b.Context(), local, body); status != http.StatusOK {
			panic(status)
		}
	})
	t.Add(benchtable.Row{What: "get_public_key in process", Unit: "/s", Ours: []float64{perSecond}, Note: fmt.Sprintf("%d callers", feeders)})
}

// plainKey returns the response of get_public_key, using only encoding/json.
func plainKey(b *testing.B, n *benchNode) http.Handler {
	b.Helper()
	type result struct {
		Key string `json:"public_key"`
	}
	type answer struct {
		Version string          `json:"mmrpc"`
		Result  result          `json:"result"`
		ID      json.RawMessage `json:"id"`
	}
	_, reply := n.core.RPC(b.Context(), rpc.Caller{Local: true}, nodeRequest("get_public_key", rpcPassword))
	var known answer
	require.NoError(b, json.Unmarshal(reply, &known))
	require.Len(b, known.Result.Key, 66)
	router := httprouter.New()
	router.POST("/", func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
		var request struct {
			Version  string          `json:"mmrpc"`
			Password string          `json:"userpass"`
			Method   string          `json:"method"`
			Params   struct{}        `json:"params"`
			ID       json.RawMessage `json:"id"`
		}
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil || request.Password != rpcPassword {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(answer{request.Version, known.Result, request.ID}); err != nil {
			panic(err)
		}
	})
	return router
}

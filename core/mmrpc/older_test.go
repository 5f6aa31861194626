package mmrpc

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc/wire"
	"obverse/core/number"
	"obverse/core/wallet/coin"
)

// The older forms of methods that answer something else there, with what clients read.
func TestOlderForms(t *testing.T) {
	b := newChainsBench(t)
	for _, body := range []string{enablingIris(`[{"ticker":"ATOM-IBC_IRIS"}]`, `,"tx_history":true`), enablingHub} {
		status, reply := b.ask(t, body)
		require.Equal(t, 200, status, reply)
	}
	status, reply := b.ask(t, old("get_enabled_coins", ``))
	require.Equal(t, 200, status)
	hub := `cosmos1k5rq3z4z5w6tk8dr52dlqr8p54gw580ea4f9sp`
	require.Equal(t, `{"result":[{"address":"`+irisBob+`","ticker":"IRIS"},{"address":"`+irisBob+`","ticker":"ATOM-IBC_IRIS"},`+
		`{"address":"`+hub+`","ticker":"ATOM"},{"address":"`+hub+`","ticker":"IRIS-IBC_ATOM"}]}`, reply)
	status, reply = b.ask(t, request("get_enabled_coins", `{}`))
	require.Equal(t, 200, status)
	require.Contains(t, reply, `"result":{"coins":[{"ticker":"IRIS"},`, "with mmrpc")

	status, reply = b.ask(t, old("withdraw", `,"coin":"IRIS","to":"`+irisBob+`","amount":"1"`))
	require.Equal(t, 200, status, reply)
	var tx map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(reply), &tx))
	for _, name := range []string{"tx_hex", "tx_hash", "from", "to", "total_amount", "fee_details", "coin"} {
		require.Contains(t, tx, name, "the answer is bare")
	}
	status, reply = b.ask(t, old("withdraw", `,"coin":"IRIS","to":"nobody","amount":"1"`))
	require.Equal(t, 500, status)
	require.Regexp(t, `^\{"error":"[^"]*Invalid address: `, reply)
	status, reply = b.ask(t, old("my_tx_history", `,"coin":"IRIS","limit":3,"page_number":2,"target":{"type":"account_id","id":0}`))
	require.Equal(t, 200, status, reply)
	require.JSONEq(t, `{"result":{"transactions":[],"limit":3,"skipped":3,"from_id":null,"total":0,"current_block":48,"sync_status":{"state":"NotStarted"},
		"page_number":2,"total_pages":0}}`, reply)
	status, reply = b.ask(t, old("my_tx_history", `,"coin":"ATOM"`))
	require.Equal(t, 200, status, reply)
	require.Contains(t, reply, `"current_block":45,"sync_status":{"state":"NotEnabled"}`)
}

func TestOlderHistory(t *testing.T) {
	b, s := newStoried(t)
	s.history = coin.History{Total: 21, Skipped: 4, CurrentBlock: 50, Sync: coin.SyncStatus{State: coin.SyncFinished},
		Transactions: []coin.Transaction{{Hash: "AB", ID: "ab", Height: 41, Coin: "IRIS", Kind: coin.KindTransfer, Total: number.Int(1), Spent: number.Int(0), Received: number.Int(1),
			Fee: coin.Fee{Type: "Tendermint", Coin: "IRIS", Amount: number.Int(0)}}}}
	status, reply := b.ask(t, old("my_tx_history", `,"coin":"IRIS","limit":2,"from_id":"00FF"`))
	require.Equal(t, 200, status, reply)
	require.Equal(t, coin.HistoryQuery{Limit: 2, Page: 1, After: "00ff"}, s.asked)
	require.Contains(t, reply, `"confirmations":10}],"limit":2,"skipped":4,"from_id":"00FF","total":21,"current_block":50,"sync_status":{"state":"Finished"},"page_number":null,"total_pages":11}}`)
	b.ask(t, old("my_tx_history", `,"coin":"IRIS","max":true,"page_number":3`))
	require.Equal(t, coin.HistoryQuery{Limit: wire.MaxHistory, Page: 3}, s.asked)
	s.history = coin.History{Total: 21}
	status, reply = b.ask(t, old("my_tx_history", `,"coin":"IRIS","from_id":"00ff"`))
	require.Equal(t, 500, status)
	require.Contains(t, reply, "from_id 00ff is not found")
	for members, want := range map[string]string{``: "missing field `coin`", `,"coin":"IRIS","page_number":0`: "expected a nonzero usize", `,"coin":"IRIS","limit":-1`: "invalid value",
		`,"coin":"NONE"`: "No such coin NONE"} {
		status, reply = b.ask(t, old("my_tx_history", members))
		require.Equal(t, 500, status, reply)
		require.Contains(t, reply, want)
	}
	status, reply = b.ask(t, old("my_tx_history", `,"coin":"TTT-SLP"`))
	require.Equal(t, 200, status, reply)
	require.Contains(t, reply, `"sync_status":{"state":"NotEnabled"}`)
}

// An address that the node's one key has not is refused; an HD wallet's is taken.
func TestPathOfOneKey(t *testing.T) {
	const path = `,"path_to_address":{"account_id":0,"chain":"External","address_id":5}`
	for _, f := range families() {
		b, active := f.bench(t)
		status, reply := b.ask(t, f.request(`"mm2":1`+path))
		require.Equal(t, 500, status)
		require.Contains(t, reply, `"error_type":"UnexpectedDerivationMethod","error_data":"ExpectedHDWallet"`)
		require.Empty(t, active.List())
		status, reply = b.ask(t, f.request(`"priv_key_policy":{"type":"SessionWallet","data":"ab"}`+path))
		require.Equal(t, 200, status, reply)
	}
	b := newChainsBench(t)
	b.Activator.HD = true
	status, reply := b.ask(t, enablingIris(`[]`, path))
	require.Equal(t, 200, status, reply)
}

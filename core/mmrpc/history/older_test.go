package history_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/servertest"
)

// TestOlderForms checks the legacy forms of methods, with the members that clients read.
func TestOlderForms(t *testing.T) {
	b := servertest.NewChainsBench(t)
	for _, body := range []string{servertest.EnablingIris(`[{"ticker":"ATOM-IBC_IRIS"}]`, `,"tx_history":true`), servertest.EnablingHub} {
		status, reply := b.Ask(t, body)
		require.Equal(t, 200, status, reply)
	}
	status, reply := b.Ask(t, mmrpctest.OldRequest("get_enabled_coins", ``))
	require.Equal(t, 200, status)
	hub := `cosmos1k5rq3z4z5w6tk8dr52dlqr8p54gw580ea4f9sp`
	require.Equal(t, `{"result":[{"address":"`+servertest.IrisBob+`","ticker":"IRIS"},{"address":"`+servertest.IrisBob+`","ticker":"ATOM-IBC_IRIS"},`+
		`{"address":"`+hub+`","ticker":"ATOM"},{"address":"`+hub+`","ticker":"IRIS-IBC_ATOM"}]}`, reply)
	status, reply = b.Ask(t, mmrpctest.Request("get_enabled_coins", `{}`))
	require.Equal(t, 200, status)
	require.Contains(t, reply, `"result":{"coins":[{"ticker":"IRIS"},`, "with mmrpc")

	status, reply = b.Ask(t, mmrpctest.OldRequest("withdraw", `,"coin":"IRIS","to":"`+servertest.IrisBob+`","amount":"1"`))
	require.Equal(t, 200, status, reply)
	var tx map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(reply), &tx))
	for _, name := range []string{"tx_hex", "tx_hash", "from", "to", "total_amount", "fee_details", "coin"} {
		require.Contains(t, tx, name, "the answer is bare")
	}
	status, reply = b.Ask(t, mmrpctest.OldRequest("withdraw", `,"coin":"IRIS","to":"invalid","amount":"1"`))
	require.Equal(t, 500, status)
	require.Regexp(t, `^\{"error":"[^"]*Invalid address: `, reply)
	status, reply = b.Ask(t, mmrpctest.OldRequest("my_tx_history", `,"coin":"IRIS","limit":3,"page_number":2,"target":{"type":"account_id","id":0}`))
	require.Equal(t, 200, status, reply)
	require.JSONEq(t, `{"result":{"transactions":[],"limit":3,"skipped":3,"from_id":null,"total":0,"current_block":48,"sync_status":{"state":"NotStarted"},
		"page_number":2,"total_pages":0}}`, reply)
	status, reply = b.Ask(t, mmrpctest.OldRequest("my_tx_history", `,"coin":"ATOM"`))
	require.Equal(t, 200, status, reply)
	require.Contains(t, reply, `"current_block":45,"sync_status":{"state":"NotEnabled"}`)
}

package trading_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/trading"
)

func TestNothingIsTraded(t *testing.T) {
	s := mmrpc.New(mmrpc.Options{Password: mmrpc.NewPassword(mmrpctest.Userpass), StrictParams: true, Now: time.Now}, trading.Trading{})
	for method, want := range map[string]string{
		"my_orders":                    `{"maker_orders":{},"taker_orders":{}}`,
		"my_recent_swaps":              `{"swaps":[],"from_uuid":null,"skipped":0,"limit":10,"total":0,"page_number":1,"total_pages":0,"found_records":0}`,
		"active_swaps":                 `{"uuids":[],"statuses":{}}`,
		"cancel_all_orders":            `{"cancelled":[],"currently_matching":[]}`,
		"unban_pubkeys":                `{"still_banned":{},"unbanned":{},"were_not_banned":[]}`,
		"get_directly_connected_peers": `{}`,
		"coins_needed_for_kick_start":  `[]`,
	} {
		status, reply := s.Serve(t.Context(), mmrpctest.Here, []byte(mmrpctest.Request(method, `{"limit":5,"cancel_by":{"type":"All"}}`)))
		require.Equal(t, 200, status)
		require.JSONEq(t, `{"mmrpc":"2.0","result":`+want+`,"id":5}`, string(reply))
		status, reply = s.Serve(t.Context(), mmrpctest.Here, fmt.Appendf(nil, `{"userpass":%q,"method":%q,"limit":5}`, mmrpctest.Userpass, method))
		require.Equal(t, 200, status)
		require.JSONEq(t, `{"result":`+want+`}`, string(reply), "without mmrpc")
	}
	for _, m := range trading.NotTraded {
		status, reply := s.Serve(t.Context(), mmrpctest.Here, []byte(mmrpctest.Request(m.Name, `{"base":"KMD","rel":"BTC"}`)))
		require.Equal(t, 501, status)
		require.Contains(t, string(reply), `"error":"`+m.Name+` is not available: this node makes no orders and no swaps"`)
		require.Contains(t, string(reply), `"error_type":"SwapsNotSupported","error_data":"`+m.Name+`"`)
		_, reply = s.Serve(t.Context(), mmrpctest.Here, fmt.Appendf(nil, `{"userpass":%q,"method":%q,"base":"KMD"}`, mmrpctest.Userpass, m.Name))
		require.Contains(t, string(reply), "this node makes no orders and no swaps", "without mmrpc")
	}
}

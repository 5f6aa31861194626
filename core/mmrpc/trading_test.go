package mmrpc

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc/trading"
)

func TestNothingIsTraded(t *testing.T) {
	s := New(Options{Password: NewPassword(password), StrictParams: true, Now: time.Now}, trading.Trading{})
	for method, want := range map[string]string{
		"my_orders":                    `{"maker_orders":{},"taker_orders":{}}`,
		"my_recent_swaps":              `{"swaps":[],"from_uuid":null,"skipped":0,"limit":10,"total":0,"page_number":1,"total_pages":0,"found_records":0}`,
		"active_swaps":                 `{"uuids":[],"statuses":{}}`,
		"cancel_all_orders":            `{"cancelled":[],"currently_matching":[]}`,
		"unban_pubkeys":                `{"still_banned":{},"unbanned":{},"were_not_banned":[]}`,
		"get_directly_connected_peers": `{}`,
		"coins_needed_for_kick_start":  `[]`,
	} {
		status, reply := s.Serve(t.Context(), here, []byte(request(method, `{"limit":5,"cancel_by":{"type":"All"}}`)))
		require.Equal(t, 200, status)
		require.JSONEq(t, `{"mmrpc":"2.0","result":`+want+`,"id":5}`, string(reply))
		status, reply = s.Serve(t.Context(), here, fmt.Appendf(nil, `{"userpass":%q,"method":%q,"limit":5}`, password, method))
		require.Equal(t, 200, status)
		require.JSONEq(t, `{"result":`+want+`}`, string(reply), "without mmrpc")
	}
	for _, m := range trading.NotTraded {
		status, reply := s.Serve(t.Context(), here, []byte(request(m.Name, `{"base":"KMD","rel":"BTC"}`)))
		require.Equal(t, 501, status)
		require.Contains(t, string(reply), `"error":"`+m.Name+` is not available: this node makes no orders and no swaps"`)
		require.Contains(t, string(reply), `"error_type":"SwapsNotSupported","error_data":"`+m.Name+`"`)
		_, reply = s.Serve(t.Context(), here, fmt.Appendf(nil, `{"userpass":%q,"method":%q,"base":"KMD"}`, password, m.Name))
		require.Contains(t, string(reply), "this node makes no orders and no swaps", "without mmrpc")
	}
}

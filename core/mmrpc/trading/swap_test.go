package trading_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/servertest"
	"obverse/core/mmrpc/trading"
	"obverse/core/number"
	"obverse/core/rpc"
	"obverse/core/store/bunt"
	"obverse/core/swap"
	"obverse/core/wallet/coin"
)

// swapCoin is an active coin with only a name.
type swapCoin string

func (c swapCoin) Ticker() string { return string(c) }

func (c swapCoin) Entry() *coin.Entry { return nil }

// swapServer returns a server on which DOC and OSMO are active.
func swapServer(t *testing.T) (*mmrpc.Server, *swap.Ledger) {
	t.Helper()
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kv.Close()) })
	active, err := coin.Open(t.Context(), coin.Config{Store: kv})
	require.NoError(t, err)
	for _, ticker := range []string{"DOC", "OSMO"} {
		x, err := active.Begin(t.Context(), ticker)
		require.NoError(t, err)
		require.NoError(t, x.Commit(t.Context(), coin.Item{Coin: swapCoin(ticker)}))
	}
	ledger, err := swap.Open(t.Context(), kv, time.Now)
	require.NoError(t, err)
	return mmrpc.New(mmrpc.Options{Password: mmrpc.NewPassword(mmrpctest.Userpass), StrictParams: true, Now: time.Now}, trading.Swaps{Active: active, Ledger: ledger}), ledger
}

func TestLockedAmount(t *testing.T) {
	s, ledger := swapServer(t)
	servertest.BeginSwap(t, ledger, "1", "DOC", "0.777", "0.001")
	servertest.BeginSwap(t, ledger, "2", "DOC", "0.00002", "0.00001")
	servertest.BeginSwap(t, ledger, "3", "OSMOSIS", "5000000000", "0")
	servertest.BeginSwap(t, ledger, "4", "DOC", "7", "0")
	require.NoError(t, ledger.Advance(t.Context(), "4", swap.Failed, ""))
	const zero = `{"decimal":"0","rational":[[0,[]],[1,[1]]],"fraction":{"numer":"0","denom":"1"}}`
	osmosis := `{"decimal":"5000000000","rational":[[1,[705032704,1]],[1,[1]]],"fraction":{"numer":"5000000000","denom":"1"}}`
	for _, c := range []struct{ name, coin, want string }{
		{"documented sum", "DOC", `{"decimal":"0.77803","rational":[[1,[77803]],[1,[100000]]],"fraction":{"numer":"77803","denom":"100000"}}`},
		{"by the name that activated it", "OSMO", osmosis},
		{"by its other name", "OSMOSIS", osmosis},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, reply := s.Serve(t.Context(), mmrpctest.Here, []byte(mmrpctest.Request("get_locked_amount", `{"coin":"`+c.coin+`"}`)))
			require.Equal(t, 200, status)
			require.Equal(t, `{"mmrpc":"2.0","result":{"coin":"`+c.coin+`","locked_amount":`+c.want+`},"id":5}`+"\n", string(reply))
		})
	}
	for _, id := range []string{"1", "2", "3"} {
		require.NoError(t, ledger.Advance(t.Context(), id, swap.Failed, ""))
	}
	_, reply := s.Serve(t.Context(), mmrpctest.Here, []byte(mmrpctest.Request("get_locked_amount", `{"coin":"DOC"}`)))
	require.Equal(t, `{"mmrpc":"2.0","result":{"coin":"DOC","locked_amount":`+zero+`},"id":5}`+"\n", string(reply))
}

func TestLockedAmountRefuses(t *testing.T) {
	s, ledger := swapServer(t)
	servertest.BeginSwap(t, ledger, "1", "TIME", "1", "0")
	for _, c := range []struct {
		name, params string
		status       int
		kind, text   string
		data         string
	}{
		{"coin that is not active", `{"coin":"TIME"}`, 404, "NoSuchCoin", "No such coin: TIME", `{"coin":"TIME"}`},
		{"no name at all", `{"coin":""}`, 404, "NoSuchCoin", "No such coin: ", `{"coin":""}`},
		{"no coin", `{}`, 400, "InvalidRequest", "", `"missing field ` + "`coin`" + `"`},
		{"no params", `null`, 400, "InvalidRequest", "", ``},
		{"number", `{"coin":7}`, 400, "InvalidRequest", "", `"invalid type: integer ` + "`7`" + `, expected a string"`},
		{"unknown name", `{"coin":"DOC","amount":1}`, 400, "InvalidRequest", "", ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, reply := s.Serve(t.Context(), mmrpctest.Here, []byte(mmrpctest.Request("get_locked_amount", c.params)))
			require.Equal(t, c.status, status, "%s", reply)
			var answer struct {
				Error string          `json:"error"`
				Path  string          `json:"error_path"`
				Type  string          `json:"error_type"`
				Data  json.RawMessage `json:"error_data"`
			}
			require.NoError(t, json.Unmarshal(reply, &answer))
			require.Equal(t, c.kind, answer.Type)
			require.Contains(t, answer.Error, c.text)
			if c.data != "" {
				require.JSONEq(t, c.data, string(answer.Data))
			}
			if c.kind == "NoSuchCoin" {
				require.Equal(t, c.text, answer.Error)
				require.Equal(t, "swap", answer.Path)
			}
		})
	}
}

// TestNumericFormatsSchema checks that numbers match their schema.
func TestNumericFormatsSchema(t *testing.T) {
	text, err := json.Marshal(number.Int(-5000000000).Formats())
	require.NoError(t, err)
	var decoded any
	require.NoError(t, json.Unmarshal(text, &decoded))
	requireFits(t, trading.NumericFormats{}.JSONSchema(), decoded, "value")
	requireOrder(t, trading.NumericFormats{}.JSONSchema(), text)
}

func requireFits(t *testing.T, s *rpc.Schema, v any, where string) {
	t.Helper()
	switch v := v.(type) {
	case string:
		require.Equal(t, "string", s.Type, where)
		require.Regexp(t, s.Pattern, v, where)
	case float64:
		if len(s.OneOf) > 0 {
			s = s.OneOf[0]
		}
		require.Equal(t, "integer", s.Type, where)
	case []any:
		if len(s.OneOf) > 0 {
			s = s.OneOf[1]
		}
		require.Equal(t, "array", s.Type, where)
		for _, item := range v {
			requireFits(t, s.Items, item, where+"[]")
		}
	case map[string]any:
		require.Equal(t, "object", s.Type, where)
		require.Len(t, v, len(s.Properties), where)
		require.Len(t, s.Required, len(s.Properties), where)
		for _, p := range s.Properties {
			require.Contains(t, s.Required, p.Name)
			require.Contains(t, v, p.Name)
			requireFits(t, p.Schema, v[p.Name], where+"."+p.Name)
		}
	default:
		t.Fatalf("%s is a %T", where, v)
	}
}

// requireOrder requires that the schema lists the members in the order of the answers.
func requireOrder(t *testing.T, s *rpc.Schema, text []byte) {
	t.Helper()
	members, err := rpc.Fields(text)
	require.NoError(t, err)
	for n, p := range s.Properties {
		require.Equal(t, p.Name, members[n].Name)
	}
}

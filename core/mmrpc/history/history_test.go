package history_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc"
	"obverse/core/mmrpc/history"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/servertest"
	"obverse/core/mmrpc/wire"
	"obverse/core/number"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
)

// storied is a coin with a history, or with an error in its place.
type storied struct {
	servertest.BareCoin
	history coin.History
	fails   error
	query   coin.HistoryQuery
}

func (s *storied) History(_ context.Context, ask coin.HistoryQuery) (coin.History, error) {
	s.query = ask
	return s.history, s.fails
}

func newStoried(t *testing.T) (*servertest.CoinsBench, *storied) {
	b := servertest.NewCoinsBench(t, func(active *coin.Active) []mmrpc.Area { return []mmrpc.Area{history.History{Active: active}} })
	s := &storied{BareCoin: servertest.BareCoin{Symbol: "IRIS"}}
	b.Add(t, s)
	b.Add(t, &servertest.BareCoin{Symbol: "TTT-SLP"})
	return b, s
}

// transactionOf decodes a transaction of an example.
func transactionOf(t *testing.T, raw json.RawMessage) coin.Transaction {
	t.Helper()
	var e struct {
		Hex      string   `json:"tx_hex"`
		Hash     string   `json:"tx_hash"`
		From     []string `json:"from"`
		To       []string `json:"to"`
		Total    string   `json:"total_amount"`
		Spent    string   `json:"spent_by_me"`
		Received string   `json:"received_by_me"`
		Height   uint64   `json:"block_height"`
		Time     int64    `json:"timestamp"`
		Fee      struct {
			Type, Coin, Amount string
			Gas                uint64 `json:"gas_limit"`
		} `json:"fee_details"`
		Coin string          `json:"coin"`
		ID   string          `json:"internal_id"`
		Type json.RawMessage `json:"transaction_type"`
		Memo string          `json:"memo"`
	}
	require.NoError(t, json.Unmarshal(raw, &e))
	signed, err := hex.DecodeString(e.Hex)
	require.NoError(t, err)
	tx := coin.Transaction{Raw: signed, Hash: e.Hash, From: e.From, To: e.To, Total: mmrpctest.Rational(e.Total), Spent: mmrpctest.Rational(e.Spent),
		Received: mmrpctest.Rational(e.Received), Height: e.Height, Timestamp: e.Time, Coin: e.Coin, ID: e.ID, Memo: e.Memo,
		Fee: coin.Fee{Type: e.Fee.Type, Coin: e.Fee.Coin, Amount: mmrpctest.Rational(e.Fee.Amount), GasLimit: e.Fee.Gas}}
	var kind string
	if json.Unmarshal(e.Type, &kind) != nil {
		kind, tx.Message = string(coin.KindCustomMessage), "SignClaimHtlc"
	}
	tx.Kind = coin.TransactionKind(kind)
	return tx
}

// TestHistoryExamples compares the answers with the documented answer for a Cosmos coin, except
// that transactions without a memo have the memo "", as in newer versions of Komodo DeFi
// Framework. It also compares the documented errors.
func TestHistoryExamples(t *testing.T) {
	file, err := os.ReadFile("../testdata/node-examples.json")
	require.NoError(t, err)
	var examples []struct {
		Method            string
		Request, Response json.RawMessage
	}
	require.NoError(t, json.Unmarshal(file, &examples))
	compared := 0
	for _, e := range examples {
		if e.Method != "my_tx_history" {
			continue
		}
		result := mmrpctest.Member(t, string(e.Response), "result")
		if result == "null" || mmrpctest.TextMember(t, result, "coin") != "IRIS" {
			continue
		}
		compared++
		b, s := newStoried(t)
		s.history = coin.History{CurrentBlock: 18120346, Total: 3, Sync: coin.SyncStatus{State: coin.SyncNotStarted}}
		for raw := range rpc.Items(json.RawMessage(mmrpctest.Member(t, result, "transactions"))) {
			s.history.Transactions = append(s.history.Transactions, transactionOf(t, raw))
		}
		require.Len(t, s.history.Transactions, 3)
		status, reply := b.Ask(t, mmrpctest.Request("my_tx_history", mmrpctest.Member(t, string(e.Request), "params")))
		require.Equal(t, 200, status)
		want := strings.ReplaceAll(mmrpctest.CompactJSON(t, json.RawMessage(result)), `"memo":null`, `"memo":""`)
		require.Equal(t, `{"mmrpc":"2.0","result":`+want+`,"id":5}`, reply)
		require.Equal(t, coin.HistoryQuery{Limit: 50, Page: 1}, s.query)
	}
	require.Equal(t, 1, compared)
}

func TestHistoryFailures(t *testing.T) {
	for _, c := range []struct {
		name, params string
		fails        error
		status       int
		kind, data   string
	}{
		{"not active", `{"coin":"ATOM"}`, nil, 404, "CoinIsNotActive", "ATOM"},
		{"no history ever", `{"coin":"TTT-SLP"}`, nil, 400, "NotSupportedFor", "TTT-SLP"},
		{"not asked for", `{"coin":"IRIS"}`, coin.ErrNoHistory, 500, "StorageIsNotInitialized",
			"Storage is not initialized for IRIS: activate it with tx_history"},
		{"the store", `{"coin":"IRIS"}`, fmt.Errorf("%w: disk full", coin.ErrHistoryStore), 500, "StorageError",
			coin.ErrHistoryStore.Error() + ": disk full"},
		{"the nodes", `{"coin":"IRIS"}`, fmt.Errorf("current block: %w", coin.ErrTransport), 500, "RpcError",
			"current block: " + coin.ErrTransport.Error()},
		{"something else", `{"coin":"IRIS"}`, errors.New("never thought of"), 500, "InternalError", ""},
	} {
		help := map[string]string{"not active": ": the coin is not active"}
		t.Run(c.name, func(t *testing.T) {
			b, s := newStoried(t)
			s.fails = c.fails
			status, reply := b.Ask(t, mmrpctest.Request("my_tx_history", c.params))
			require.Equal(t, c.status, status, "%s", reply)
			require.Equal(t, c.kind, mmrpctest.TextMember(t, reply, "error_type"))
			if c.data != "" {
				require.Equal(t, c.data, mmrpctest.TextMember(t, reply, "error_data"))
				require.Equal(t, c.data+help[c.name], mmrpctest.TextMember(t, reply, "error"))
			}
		})
	}
}

func TestHistoryPaging(t *testing.T) {
	for _, c := range []struct {
		name, params string
		total        int
		query        coin.HistoryQuery
		want         string // end of the answer, starting with limit
	}{
		{"defaults", ``, 21, coin.HistoryQuery{Limit: 10, Page: 1}, `"limit":10,"skipped":7,"total":21,"total_pages":3,"paging_options":{"PageNumber":1}`},
		{"nulls", `,"paging_options":null,"target":null`, 20, coin.HistoryQuery{Limit: 10, Page: 1},
			`"limit":10,"skipped":7,"total":20,"total_pages":2,"paging_options":{"PageNumber":1}`},
		{"page", `,"limit":2,"paging_options":{"PageNumber":8}`, 1, coin.HistoryQuery{Limit: 2, Page: 8},
			`"limit":2,"skipped":7,"total":1,"total_pages":1,"paging_options":{"PageNumber":8}`},
		{"far page", `,"limit":1,"paging_options":{"PageNumber":18446744073709551615}`, 0, coin.HistoryQuery{Limit: 1, Page: 2147483647},
			`"limit":1,"skipped":7,"total":0,"total_pages":0,"paging_options":{"PageNumber":18446744073709551615}`},
		{"after", `,"limit":3,"paging_options":{"FromId":"00fF"}`, 4, coin.HistoryQuery{Limit: 3, Page: 1, After: "00ff"},
			`"limit":3,"skipped":7,"total":4,"total_pages":2,"paging_options":{"FromId":"00fF"}`},
		{"nothing", `,"limit":0`, 4, coin.HistoryQuery{Page: 1}, `"limit":0,"skipped":7,"total":4,"total_pages":0,"paging_options":{"PageNumber":1}`},
		{"very much", `,"limit":18446744073709551615`, 10001, coin.HistoryQuery{Limit: 10000, Page: 1},
			`"limit":10000,"skipped":7,"total":10001,"total_pages":2,"paging_options":{"PageNumber":1}`},
		{"own target", `,"target":{"type":"iguana"}`, 4, coin.HistoryQuery{Limit: 10, Page: 1},
			`"limit":10,"skipped":7,"total":4,"total_pages":1,"paging_options":{"PageNumber":1}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, s := newStoried(t)
			s.history = coin.History{Skipped: 7, Total: c.total, CurrentBlock: 5, Sync: coin.SyncStatus{State: coin.SyncFinished}}
			status, reply := b.Ask(t, mmrpctest.Request("my_tx_history", `{"coin":"IRIS"`+c.params+`}`))
			require.Equal(t, 200, status, "%s", reply)
			require.Equal(t, c.query, s.query)
			require.Equal(t, `{"mmrpc":"2.0","result":{"coin":"IRIS","target":{"type":"iguana"},"current_block":5,"transactions":[],`+
				`"sync_status":{"state":"Finished"},`+c.want+`},"id":5}`, reply)
		})
	}
}

// TestHistoryOfAnyTarget checks that for a coin with one address, every target selects that
// address, since wallet applications name an account.
func TestHistoryOfAnyTarget(t *testing.T) {
	for _, target := range []string{`{"type":"iguana"}`, `{"type":"account_id","account_id":0}`, `{"type":"account_id","account_id":7}`, `{"type":"account_id"}`,
		`{"type":"address_id","account_id":0,"chain":"External","address_id":3}`} {
		b, s := newStoried(t)
		s.history = coin.History{Sync: coin.SyncStatus{State: coin.SyncFinished}}
		status, reply := b.Ask(t, mmrpctest.Request("my_tx_history", `{"coin":"IRIS","limit":5,"target":`+target+`}`))
		require.Equal(t, 200, status, reply)
		require.Equal(t, target, mmrpctest.Member(t, reply, "result", "target"), "as in the request")
	}
}

func TestHistorySync(t *testing.T) {
	for want, status := range map[string]coin.SyncStatus{
		`{"state":"NotStarted"}`: {State: coin.SyncNotStarted},
		`{"state":"InProgress","additional_info":{"transactions_left":0}}`:         {State: coin.SyncInProgress},
		`{"state":"InProgress","additional_info":{"transactions_left":1227}}`:      {State: coin.SyncInProgress, Left: 1227},
		`{"state":"Error","additional_info":{"message":"no node answers: [502]"}}`: {State: coin.SyncFailed, Message: "no node answers: [502]"},
		`{"state":"Finished"}`: {State: coin.SyncFinished},
	} {
		b, s := newStoried(t)
		s.history = coin.History{Sync: status, StartsAt: 17}
		_, reply := b.Ask(t, mmrpctest.Request("my_tx_history", `{"coin":"IRIS"}`))
		require.Equal(t, want, mmrpctest.Member(t, reply, "result", "sync_status"))
		require.Equal(t, "17", mmrpctest.Member(t, reply, "result", "starts_at_height"))
	}
}

// TestHistoryConfirmations checks that transactions newer than the reported block have no
// confirmations.
func TestHistoryConfirmations(t *testing.T) {
	b, s := newStoried(t)
	s.history = coin.History{CurrentBlock: 10, Total: 3, Transactions: []coin.Transaction{{Height: 11}, {Height: 10}, {Height: 1}}}
	_, reply := b.Ask(t, mmrpctest.Request("my_tx_history", `{"coin":"IRIS"}`))
	var got []string
	for tx := range rpc.Items(json.RawMessage(mmrpctest.Member(t, reply, "result", "transactions"))) {
		got = append(got, mmrpctest.Member(t, string(tx), "confirmations"))
	}
	require.Equal(t, []string{"0", "1", "10"}, got)
}

func TestHistoryRefusesParameters(t *testing.T) {
	b, _ := newStoried(t)
	for _, c := range []struct{ name, params, want string }{
		{"no coin", `{}`, "coin"},
		{"invalid coin", `{"coin":5}`, "coin"},
		{"limit below 0", `{"coin":"IRIS","limit":-1}`, "limit"},
		{"part of a transaction", `{"coin":"IRIS","limit":1.5}`, "limit"},
		{"invalid paging", `{"coin":"IRIS","paging_options":3}`, "paging_options"},
		{"paging of nothing", `{"coin":"IRIS","paging_options":{}}`, "paging_options"},
		{"paging of another kind", `{"coin":"IRIS","paging_options":{"Page":1}}`, "PageNumber or FromId"},
		{"both", `{"coin":"IRIS","paging_options":{"PageNumber":1,"FromId":"00"}}`, "exclude"},
		{"one twice", `{"coin":"IRIS","paging_options":{"PageNumber":1,"PageNumber":2}}`, "PageNumber"},
		{"page 0", `{"coin":"IRIS","paging_options":{"PageNumber":0}}`, "paging_options.PageNumber"},
		{"page below 0", `{"coin":"IRIS","paging_options":{"PageNumber":-1}}`, "paging_options.PageNumber"},
		{"page as text", `{"coin":"IRIS","paging_options":{"PageNumber":"1"}}`, "paging_options.PageNumber"},
		{"page beyond 64 bits", `{"coin":"IRIS","paging_options":{"PageNumber":18446744073709551616}}`, "paging_options.PageNumber"},
		{"id that is a number", `{"coin":"IRIS","paging_options":{"FromId":1}}`, "paging_options.FromId"},
		{"id of nothing", `{"coin":"IRIS","paging_options":{"FromId":""}}`, "paging_options.FromId"},
		{"half a byte", `{"coin":"IRIS","paging_options":{"FromId":"0"}}`, "paging_options.FromId"},
		{"no hexadecimal", `{"coin":"IRIS","paging_options":{"FromId":"0g"}}`, "paging_options.FromId"},
		{"long id", `{"coin":"IRIS","paging_options":{"FromId":"` + strings.Repeat("00", 65) + `"}}`, "paging_options.FromId"},
		{"invalid target", `{"coin":"IRIS","target":"iguana"}`, "target"},
		{"target without a type", `{"coin":"IRIS","target":{}}`, "target.type"},
		{"invalid type of target", `{"coin":"IRIS","target":{"type":1}}`, "target.type"},
		{"unknown type", `{"coin":"IRIS","target":{"type":"iguanas"}}`, "iguana"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, reply := b.Ask(t, mmrpctest.Request("my_tx_history", c.params))
			require.Equal(t, 400, status)
			require.Equal(t, "InvalidRequest", mmrpctest.TextMember(t, reply, "error_type"))
			require.Contains(t, mmrpctest.TextMember(t, reply, "error"), c.want)
		})
	}
}

func TestOlderHistory(t *testing.T) {
	b, s := newStoried(t)
	s.history = coin.History{Total: 21, Skipped: 4, CurrentBlock: 50, Sync: coin.SyncStatus{State: coin.SyncFinished},
		Transactions: []coin.Transaction{{Hash: "AB", ID: "ab", Height: 41, Coin: "IRIS", Kind: coin.KindTransfer, Total: number.Int(1), Spent: number.Int(0), Received: number.Int(1),
			Fee: coin.Fee{Type: "Tendermint", Coin: "IRIS", Amount: number.Int(0)}}}}
	status, reply := b.Ask(t, mmrpctest.OldRequest("my_tx_history", `,"coin":"IRIS","limit":2,"from_id":"00FF"`))
	require.Equal(t, 200, status, reply)
	require.Equal(t, coin.HistoryQuery{Limit: 2, Page: 1, After: "00ff"}, s.query)
	require.Contains(t, reply, `"confirmations":10}],"limit":2,"skipped":4,"from_id":"00FF","total":21,"current_block":50,"sync_status":{"state":"Finished"},"page_number":null,"total_pages":11}}`)
	b.Ask(t, mmrpctest.OldRequest("my_tx_history", `,"coin":"IRIS","max":true,"page_number":3`))
	require.Equal(t, coin.HistoryQuery{Limit: wire.MaxHistory, Page: 3}, s.query)
	s.history = coin.History{Total: 21}
	status, reply = b.Ask(t, mmrpctest.OldRequest("my_tx_history", `,"coin":"IRIS","from_id":"00ff"`))
	require.Equal(t, 500, status)
	require.Contains(t, reply, "from_id 00ff is not found")
	for members, want := range map[string]string{``: "missing field `coin`", `,"coin":"IRIS","page_number":0`: "expected a nonzero usize", `,"coin":"IRIS","limit":-1`: "invalid value",
		`,"coin":"NONE"`: "No such coin NONE"} {
		status, reply = b.Ask(t, mmrpctest.OldRequest("my_tx_history", members))
		require.Equal(t, 500, status, reply)
		require.Contains(t, reply, want)
	}
	status, reply = b.Ask(t, mmrpctest.OldRequest("my_tx_history", `,"coin":"TTT-SLP"`))
	require.Equal(t, 200, status, reply)
	require.Contains(t, reply, `"sync_status":{"state":"NotEnabled"}`)
}

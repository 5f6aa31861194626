package daemon_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/daemon"
	"obverse/core/rpc"
)

// TestAddressKinds checks that the presence of a second parameter selects condition outputs,
// whatever its value.
func TestAddressKinds(t *testing.T) {
	s := mined(t, 3)
	created := result[map[string]string](s, "tokencreate", "T", "0.00001", "")
	require.Equal(t, "success", created["result"])
	result[string](s, "sendrawtransaction", created["hex"])
	result[[]string](s, "generate", 1)
	tokens := chaintest.Key(t, 1).TokenAddress().Text().String()
	for _, second := range []any{true, false, nil, 0, "1", []any{}} {
		require.JSONEq(t, `{"balance":1000,"received":1000}`, string(s.answer("getaddressbalance", tokens, second).Result), "%v", second)
		require.Len(t, result[[]any](s, "getaddressutxos", tokens, second), 1)
		require.Len(t, result[[]any](s, "getaddresstxids", tokens, second), 1)
	}
	require.JSONEq(t, `{"balance":0,"received":0}`, string(s.answer("getaddressbalance", tokens).Result))
	require.Empty(t, result[[]any](s, "getaddressutxos", map[string]any{"addresses": []string{tokens}, "ccflag": 1}))
	plain := chaintest.Key(t, 1).Address().Text().String()
	require.Empty(t, result[[]any](s, "getaddressutxos", plain, true))
}

func TestMultipleAddresses(t *testing.T) {
	s := mined(t, 2)
	k1, k2 := chaintest.Key(t, 1).Address().Text().String(), chaintest.Key(t, 2).Address().Text().String()
	id := result[string](s, "sendtoaddress", k2, 5)
	result[[]string](s, "generate", 1)
	both := map[string]any{"addresses": []string{k1, k2}, "chainInfo": true}

	sums := func(query any) (sum struct{ Balance, Received int64 }) {
		require.NoError(t, json.Unmarshal(s.answer("getaddressbalance", query).Result, &sum))
		return sum
	}
	require.Equal(t, sums(k1).Balance+sums(k2).Balance, sums(both).Balance)
	require.Equal(t, sums(k1).Received+sums(k2).Received, sums(both).Received)

	ids := result[[]string](s, "getaddresstxids", both)
	require.Len(t, ids, 4, "three coinbases, and the payment once")
	require.Contains(t, ids[2:], id)

	var utxos struct {
		UTXOs  []struct{ Height int }
		Hash   string
		Height int
	}
	require.NoError(t, json.Unmarshal(s.answer("getaddressutxos", both).Result, &utxos))
	require.Equal(t, result[string](s, "getbestblockhash"), utxos.Hash)
	require.Equal(t, 3, utxos.Height)
	require.True(t, slices.IsSortedFunc(utxos.UTXOs, func(a, b struct{ Height int }) int { return a.Height - b.Height }))
}

// TestTxIDOrder checks that the transactions of several addresses in one block are ordered by
// txid, and those of a single address by their position in the block.
func TestTxIDOrder(t *testing.T) {
	s := mined(t, 3)
	k1, k2 := chaintest.Key(t, 1).Address().Text().String(), chaintest.Key(t, 2).Address().Text().String()
	var paid []string
	for amount := range 6 {
		paid = append(paid, result[string](s, "sendtoaddress", k2, amount+1))
	}
	result[[]string](s, "generate", 1)
	require.Equal(t, paid, result[[]string](s, "getaddresstxids", k2))
	require.Equal(t, paid, result[[]string](s, "getaddresstxids", map[string]any{"addresses": []string{k2}}))

	both := result[[]string](s, "getaddresstxids", map[string]any{"addresses": []string{k2, k1}})
	coinbases := result[[]string](s, "getaddresstxids", k1)[:3]
	last := append([]string{result[struct{ Tx []string }](s, "getblock", 4).Tx[0]}, paid...)
	require.False(t, slices.IsSorted(last))
	slices.Sort(last)
	require.Equal(t, append(coinbases, last...), both)
	slices.Sort(paid)
	require.Equal(t, paid, result[[]string](s, "getaddresstxids", map[string]any{"addresses": []string{k2, k2}}), "as often as one is named")
}

func TestHistoryRange(t *testing.T) {
	s := mined(t, 5)
	k1 := chaintest.Key(t, 1).Address().Text().String()
	query := func(members string) json.RawMessage {
		return json.RawMessage(`{"addresses":["` + k1 + `"]` + members + `}`)
	}
	type delta struct{ Satoshis, Height int64 }
	require.Len(t, result[[]delta](s, "getaddressdeltas", query("")), 5)
	for _, other := range []any{k1, nil, 5, []string{k1}} {
		require.Equal(t, -1, s.answer("getaddressdeltas", other).Error.Code, "%v: the usage, as in komodod", other)
	}
	require.Len(t, result[[]delta](s, "getaddressdeltas", query(`,"start":2`)), 5, "one end alone counts for nothing")
	limited := result[[]delta](s, "getaddressdeltas", query(`,"start":2,"end":3`))
	require.Equal(t, []delta{{1e8, 2}, {1e8, 3}}, limited)
	require.Len(t, result[[]string](s, "getaddresstxids", query(`,"start":3,"end":3`)), 1)
	require.Len(t, result[[]string](s, "getaddresstxids", query(`,"start":5,"end":900`)), 1)

	var ranged struct {
		Deltas     []delta
		Start, End struct {
			Hash   string
			Height int
		}
	}
	require.NoError(t, json.Unmarshal(s.answer("getaddressdeltas", query(`,"start":2,"end":4,"chainInfo":true`)).Result, &ranged))
	require.Len(t, ranged.Deltas, 3)
	require.Equal(t, result[string](s, "getblockhash", 2), ranged.Start.Hash)
	require.Equal(t, 4, ranged.End.Height)

	for members, want := range map[string]int{`,"start":0,"end":3`: 5, `,"start":-1,"end":3`: 5, `,"start":2,"end":0`: 5, `,"start":4,"end":2`: 0,
		`,"start":2`: 5, `,"start":"2","end":2`: 5, `,"start":9,"end":9`: 0} {
		require.Len(t, result[[]string](s, "getaddresstxids", query(members)), want, members)
	}
	s.refused(-1, "JSON integer out of range", "getaddresstxids", query(`,"start":1.5,"end":6`))
	for _, method := range []string{"getaddressbalance", "getaddressutxos"} {
		plain := s.ask(method, query(""))
		for _, members := range []string{`,"start":0,"end":3`, `,"start":4,"end":2`, `,"start":1.5,"end":2`, `,"start":2,"end":3`} {
			require.Equal(t, plain, s.ask(method, query(members)), "%s ignores %s", method, members)
		}
	}
	s.refused(-5, "End value is expected to be greater than start", "getaddressdeltas", json.RawMessage(`{"addresses":["x"],"start":3,"end":2}`))
	s.refused(-5, "Start and end is expected to be greater than zero", "getaddressdeltas", query(`,"start":1,"end":-3`))
	s.refused(-5, "End value is expected to be greater than start", "getaddressdeltas", query(`,"start":3,"end":2`))
	s.refused(-5, "Start or end is outside chain range", "getaddressdeltas", query(`,"start":3,"end":6,"chainInfo":true`))
	s.refused(-1, "JSON integer out of range", "getaddressdeltas", query(`,"start":1e3,"end":6`))
}

func TestAddressRefusals(t *testing.T) {
	s := mined(t, 0)
	const form = "Invalid address: it must be a string, or an object with a list of addresses"
	for _, test := range []struct {
		name, message string
		query         any
		code          int
	}{
		{"no address", `Invalid address "x": address is not base58check`, "x", -5},
		{"a wrong checksum", `Invalid address "RRFHw4kaRyNBjbZTMPBXsCFBuEwx6f3opR": address has a wrong checksum`, "RRFHw4kaRyNBjbZTMPBXsCFBuEwx6f3opR", -5},
		{"another chain's", `Invalid address "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2": address is of another chain: version 0`, "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", -5},
		{"a number", form, 5, -5},
		{"null", form, nil, -5},
		{"an object without a list", "Addresses is expected to be an array", map[string]any{"addresses": "x"}, -5},
		{"an empty object", "Addresses is expected to be an array", map[string]any{}, -5},
		{"a list of numbers", "JSON value is not a string as expected", map[string]any{"addresses": []int{1}}, -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			s.t = t
			for _, method := range []string{"getaddressbalance", "getaddressutxos", "getaddresstxids", "getaddressdeltas"} {
				if _, isObject := test.query.(map[string]any); method == "getaddressdeltas" && !isObject {
					continue
				}
				s.refused(test.code, test.message, method, test.query)
			}
		})
	}
}

// FuzzAddressQuery checks that a reply has the expected form for any value in place of the
// addresses.
func FuzzAddressQuery(f *testing.F) {
	for _, seed := range []string{`"x"`, `{"addresses":["RRFHw4kaRyNBjbZTMPBXsCFBuEwx6f3opQ"],"start":1,"end":2,"chainInfo":true}`,
		`{"addresses":[1]}`, `{"start":1}`, `[]`, `{"addresses":["a"],"addresses":[]}`, `{"start":2,"end":1,"addresses":[]}`} {
		f.Add(seed)
	}
	s := newStation(f, chaintest.Params(f, regtest))
	f.Fuzz(func(t *testing.T, query string) {
		for _, method := range []string{"getaddressbalance", "getaddressutxos", "getaddresstxids", "getaddressdeltas"} {
			_, reply := s.server.Serve(t.Context(), rpc.Caller{Authorized: true}, []byte(`{"method":"`+method+`","params":[`+query+`]}`))
			var a answer
			require.NoError(t, json.Unmarshal(reply, &a))
			if a.Error != nil {
				require.NotEqual(t, daemon.CodeInternal, a.Error.Code, "%s: %s", query, a.Error.Message)
			}
		}
	})
}

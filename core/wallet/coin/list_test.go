package coin

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/rpc/recording"
)

// publicList is the public coins list of 2025-12.
func publicList(t testing.TB) [][]byte {
	t.Helper()
	return recording.Read(t, "testdata", "OBVERSE_VECTORS", "coins.json")
}

func TestVectorsPublicList(t *testing.T) {
	for _, raw := range publicList(t) {
		var want []map[string]any
		require.NoError(t, json.Unmarshal(raw, &want))
		entries, problems, err := ParseList(raw)
		require.NoError(t, err)
		require.Empty(t, problems)
		require.Len(t, entries, len(want))
		for n, entry := range entries {
			require.Equal(t, want[n]["coin"], entry.Ticker)
			again, err := json.Marshal(entry)
			require.NoError(t, err)
			whole, err := json.Marshal(want[n])
			require.NoError(t, err)
			require.JSONEq(t, string(whole), string(again), "keys that nothing reads are kept too")
			p, err := entry.Protocol()
			require.NoError(t, err)
			protocol, err := json.Marshal(p)
			require.NoError(t, err)
			compareProtocol(t, want[n]["protocol"].(map[string]any), protocol)
		}
	}
}

func compareProtocol(t *testing.T, file map[string]any, got []byte) {
	t.Helper()
	only := map[string]any{"type": file["type"]}
	if data, ok := file["protocol_data"]; ok {
		only["protocol_data"] = data
	}
	want, err := json.Marshal(only)
	require.NoError(t, err)
	require.JSONEq(t, string(want), string(got))
}

func TestPublicListFigures(t *testing.T) {
	entries, _, err := ParseList(publicList(t)[0])
	require.NoError(t, err)
	require.Len(t, entries, 782)
	types := make(map[ProtocolType]int)
	read := make(map[ProtocolType]int)
	for _, entry := range entries {
		p, err := entry.Protocol()
		require.NoError(t, err)
		types[p.Type]++
		if p.Parameters != nil {
			require.Equal(t, p.Type, p.Parameters.Type())
			read[p.Type]++
		}
	}
	require.Equal(t, map[ProtocolType]int{TypeERC20: 562, TypeUTXO: 164, TypeETH: 19, TypeQRC20: 17, TypeTendermint: 5,
		TypeTendermintToken: 4, TypeNFT: 4, TypeZHTLC: 3, TypeSIA: 2, TypeQTUM: 2}, types)
	require.Equal(t, map[ProtocolType]int{TypeERC20: 562, TypeETH: 19, TypeTendermint: 5, TypeTendermintToken: 4, TypeNFT: 4}, read)
}

func TestParseEntry(t *testing.T) {
	e, err := ParseEntry([]byte(`{"zzz":[1e999],"coin":"MATIC","fname":"Polygon","name":"matic","mm2":0,"decimals":18,
		"required_confirmations":20,"requires_notarization":true,"avg_blocktime":1.80,"derivation_path":"m/44'/60'",
		"chain_id":137,"wallet_only":true,"is_testnet":true,"protocol":{"type":"ETH"}}`))
	require.NoError(t, err)
	decimals, confirmations, chain := uint8(18), uint64(20), uint64(137)
	e.raw, e.protocol = nil, nil
	require.Equal(t, &Entry{Ticker: "MATIC", Name: "matic", FullName: "Polygon", MM2: Off, Decimals: &decimals,
		RequiredConfirmations: &confirmations, RequiresNotarization: true, AvgBlocktime: "1.80", DerivationPath: "m/44'/60'",
		ChainID: &chain, WalletOnly: true, IsTestnet: true}, e)

	bare, err := ParseEntry([]byte(`{"coin":"X","Coin":"Y","MM2":1,"mm2":null,"decimals":null,"avg_blocktime":null,"fname":null}`))
	require.NoError(t, err)
	bare.raw = nil
	require.Equal(t, &Entry{Ticker: "X"}, bare, "keys are case-sensitive, and null is absent")
}

func TestParseEntryRefusals(t *testing.T) {
	for _, c := range []struct{ name, entry, ticker, text string }{
		{"a number", `7`, "", "must be an object, got number"},
		{"null", `null`, "", "must be an object, got null"},
		{"a list", `[{"coin":"X"}]`, "", "must be an object, got array"},
		{"no ticker", `{"mm2":1}`, "", "coin, the ticker, is missing"},
		{"ticker in the wrong case", `{"COIN":"X"}`, "", "coin, the ticker, is missing"},
		{"ticker is null", `{"coin":null}`, "", "coin must be a string, got null"},
		{"ticker is a number", `{"coin":7}`, "", "coin must be a string, got number"},
		{"empty ticker", `{"coin":""}`, "", "coin must be 1 to 64 bytes"},
		{"long ticker", `{"coin":"` + strings.Repeat("X", 65) + `"}`, "", "coin must be 1 to 64 bytes"},
		{"ticker with a space", `{"coin":"A B"}`, "", "without spaces"},
		{"ticker with a line break", `{"coin":"A\nB"}`, "", "without spaces"},
		{"ticker that is not UTF-8", "{\"coin\":\"A\xff\"}", "", "coin must be"},
		{"ticker with a direction mark", `{"coin":"A\u202eB"}`, "", "coin must be"},
		{"mm2 is a text", `{"coin":"X","mm2":"1"}`, "X", "mm2 must be 0 or 1, got string \"1\""},
		{"mm2 is 2", `{"coin":"X","mm2":2}`, "X", "mm2 must be 0 or 1, got integer `2`"},
		{"mm2 is true", `{"coin":"X","mm2":true}`, "X", "mm2 must be 0 or 1, got boolean `true`"},
		{"decimals too high", `{"coin":"X","decimals":256}`, "X", "decimals must be a whole number from 0 to 255, got integer `256`"},
		{"decimals below zero", `{"coin":"X","decimals":-1}`, "X", "decimals must be"},
		{"decimals with a point", `{"coin":"X","decimals":6.5}`, "X", "got floating point `6.5`"},
		{"confirmations below zero", `{"coin":"X","required_confirmations":-1}`, "X", "required_confirmations must be"},
		{"notarization is a number", `{"coin":"X","requires_notarization":1}`, "X", "requires_notarization must be true or false"},
		{"block time is a text", `{"coin":"X","avg_blocktime":"7"}`, "X", "avg_blocktime must be a number of seconds"},
		{"block time below zero", `{"coin":"X","avg_blocktime":-7}`, "X", "avg_blocktime must be"},
		{"block time without end", `{"coin":"X","avg_blocktime":1e-999999999}`, "X", "avg_blocktime must be"},
		{"path is a list", `{"coin":"X","derivation_path":[44]}`, "X", "derivation_path must be a string, got sequence"},
		{"chain id is a text", `{"coin":"X","chain_id":"cosmoshub-4"}`, "X", "chain_id must be"},
		{"wallet only is a map", `{"coin":"X","wallet_only":{}}`, "X", "wallet_only must be true or false, got map"},
		{"testnet is a text", `{"coin":"X","is_testnet":"yes"}`, "X", "is_testnet must be"},
		{"name is a number", `{"coin":"X","name":1}`, "X", "name must be a string"},
		{"long value", `{"coin":"X","mm2":"` + strings.Repeat("é", 100) + `"}`, "X", `got string "` + strings.Repeat("é", 32) + `…"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := ParseEntry([]byte(c.entry))
			require.ErrorIs(t, err, ErrEntry)
			require.ErrorContains(t, err, c.text)
			require.Equal(t, &Entry{Ticker: c.ticker}, e)
		})
	}
}

func TestParseListLeavesOutBadEntries(t *testing.T) {
	entries, problems, err := ParseList([]byte(`[
		{"coin":"A","n":1}, 5, {"coin":"B","mm2":7}, {"coin":"OSMOSIS"}, {"coin":"A","n":2}, {"coin":"OSMO"}, {"coin":"B"}
	]`))
	require.NoError(t, err)
	var tickers []string
	for _, e := range entries {
		tickers = append(tickers, e.Ticker)
	}
	require.Equal(t, []string{"A", "OSMOSIS", "B"}, tickers)
	first, err := json.Marshal(entries[0])
	require.NoError(t, err)
	require.JSONEq(t, `{"coin":"A","n":1}`, string(first), "the first of two counts")
	require.Len(t, problems, 4)
	for n, want := range []struct {
		index  int
		ticker string
		reason error
		text   string
	}{
		{1, "", ErrEntry, "entry 1 of the coins file is left out: "},
		{2, "B", ErrEntry, "entry 2 of the coins file, B, is left out: not a coin: mm2 must be 0 or 1"},
		{4, "A", ErrDuplicate, "entry 4 of the coins file, A, is left out: "},
		{5, "OSMO", ErrDuplicate, "entry 5 of the coins file, OSMO, is left out: "},
	} {
		require.Equal(t, want.index, problems[n].Index)
		require.Equal(t, want.ticker, problems[n].Ticker)
		require.ErrorIs(t, problems[n], want.reason)
		require.ErrorContains(t, problems[n], want.text)
	}
}

func TestParseListRefusals(t *testing.T) {
	many := "[" + strings.Repeat("0,", MaxEntries) + "0]"
	for _, c := range []struct {
		name, list string
		reason     error
		text       string
	}{
		{"nothing", "", ErrNotList, "unexpected end of JSON input"},
		{"an object", `{"ATOM":{"coin":"ATOM"}}`, ErrNotList, "must be an array of coins, got object"},
		{"a string", ` "coins" `, ErrNotList, "must be an array of coins, got string"},
		{"cut", "[\n{\"coin\":\"A\"},\n{\"co", ErrNotList, "line 3"},
		{"a comma too many", "[{\"coin\":\"A\"},\n\n]", ErrNotList, "line 3: invalid character ']'"},
		{"two lists", `[] []`, ErrNotList, "after top-level value"},
		{"nested without end", strings.Repeat("[", 20_000), ErrNotList, "depth"},
		{"too many entries", many, ErrListSize, "more than 100000 entries"},
		{"too many bytes", "[" + strings.Repeat(" ", MaxListBytes) + "]", ErrListSize, fmt.Sprint(MaxListBytes + 2)},
	} {
		t.Run(c.name, func(t *testing.T) {
			entries, problems, err := ParseList([]byte(c.list))
			require.ErrorIs(t, err, c.reason)
			require.ErrorContains(t, err, c.text)
			require.Nil(t, entries)
			require.Nil(t, problems)
		})
	}
	entries, problems, err := ParseList([]byte(" [ ] "))
	require.NoError(t, err)
	require.Empty(t, entries)
	require.Empty(t, problems)
}

func FuzzParseList(f *testing.F) {
	f.Add([]byte(`[{"coin":"ETH","chain_id":1,"protocol":{"type":"ETH"}},{"coin":"ETH"},{"mm2":3},null]`))
	f.Add([]byte(`[{"coin":"A","protocol":{"type":"TENDERMINT","protocol_data":{"decimals":6,"ibc_channels":{"a":1e3}}}}]`))
	f.Add(builtin)
	f.Fuzz(func(t *testing.T, raw []byte) {
		entries, problems, err := ParseList(raw)
		if err != nil {
			require.Nil(t, entries)
			return
		}
		var all []json.RawMessage
		require.NoError(t, json.Unmarshal(raw, &all))
		require.Equal(t, len(all), len(entries)+len(problems), "every entry is accepted or reported")
		seen := make(map[string]bool)
		for _, e := range entries {
			require.False(t, seen[Canonical(e.Ticker)])
			seen[Canonical(e.Ticker)] = true
			again, err := ParseEntry(e.raw)
			require.NoError(t, err)
			require.Equal(t, e, again)
			if p, err := e.Protocol(); err != nil {
				parse := new(ParseError)
				require.ErrorAs(t, err, &parse)
				require.Equal(t, e.Ticker, parse.Ticker)
			} else {
				require.Contains(t, ProtocolTypes(), p.Type)
			}
		}
	})
}

// TestListWithBOM checks that a byte order mark is ignored, which some editors put before JSON.
func TestListWithBOM(t *testing.T) {
	entries, problems, err := ParseList([]byte("\xef\xbb\xbf" + `[{"coin":"X","mm2":1}]`))
	require.NoError(t, err)
	require.Empty(t, problems)
	require.Len(t, entries, 1)
}

func TestInTurns(t *testing.T) {
	groups := "aaabca"
	require.Equal(t, []int{0, 3, 4, 1, 2, 5}, InTurns(len(groups), func(i int) string { return groups[i : i+1] }))
	require.Empty(t, InTurns(0, nil))
}

func TestConfirmations(t *testing.T) {
	two, five := uint64(2), uint64(5)
	require.EqualValues(t, 1, (&Entry{}).Confirmations(1, nil))
	require.EqualValues(t, 2, (&Entry{RequiredConfirmations: &two}).Confirmations(1, nil))
	require.EqualValues(t, 5, (&Entry{RequiredConfirmations: &two}).Confirmations(1, &five))
}

func TestBlocktime(t *testing.T) {
	for text, want := range map[string]time.Duration{`15`: 15 * time.Second, `0.25`: 250 * time.Millisecond, `0`: 0, `60`: time.Minute} {
		entry, err := ParseEntry([]byte(`{"coin":"X","avg_blocktime":` + text + `}`))
		require.NoError(t, err)
		got, err := entry.Blocktime(60)
		require.NoError(t, err)
		require.Equal(t, want, got, text)
	}
	for text, want := range map[string]error{`null`: ErrNoBlocktime, `61`: ErrBlocktime} {
		entry, err := ParseEntry([]byte(`{"coin":"X","avg_blocktime":` + text + `}`))
		require.NoError(t, err)
		_, err = entry.Blocktime(60)
		require.ErrorIs(t, err, want, text)
	}
}

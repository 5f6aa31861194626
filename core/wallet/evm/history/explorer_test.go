package history

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/wallet/evm/address"
)

// page queries an explorer that answers with a text, and returns the URL of the request.
func page(t *testing.T, e Explorer, list, at string, status int, body string) (refs []Reference, next, requested string, err error) {
	t.Helper()
	server := fetch.Func(func(_ context.Context, r fetch.Request) (fetch.Response, error) {
		requested = r.URL
		return fetch.Response{Status: status, Body: []byte(body)}, nil
	})
	part, err := e.Lists(server, parse(t, addressText), nil).Page(t.Context(), list, at)
	return part.Refs, part.Next, requested, err
}

// TestListsThatAreCut checks that missing parts of an indexer's list are reported, and that the
// other parts are read.
func TestListsThatAreCut(t *testing.T) {
	items := func(n int, item string) string { return strings.Join(slices.Repeat([]string{item}, n), ",") }
	one := strings.Repeat("ab", 32)
	for name, c := range map[string]struct {
		kind ExplorerKind
		at   string
		body string
		cut  bool
	}{
		"10,000 of a proxy":       {EtherscanProxy, "", `{"result":{"transactions":[` + items(maxItems, `{"tx_hash":"`+one+`"}`) + `]}}`, false},
		"10,001 of a proxy":       {EtherscanProxy, "", `{"result":{"transactions":[` + items(maxItems+1, `{"tx_hash":"`+one+`"}`) + `]}}`, true},
		"a page of one block":     {Etherscan, "77/1000", `{"result":[` + items(etherscanPage, `{"hash":"0x`+one+`","blockNumber":"77"}`) + `]}`, true},
		"less than a page of one": {Etherscan, "77/1000", `{"result":[` + items(etherscanPage-1, `{"hash":"0x`+one+`","blockNumber":"77"}`) + `]}`, false},
	} {
		server := fetch.Func(func(context.Context, fetch.Request) (fetch.Response, error) {
			return fetch.Response{Status: 200, Body: []byte(c.body)}, nil
		})
		part, err := Explorer{Kind: c.kind, URL: "https://a.example"}.Lists(server, parse(t, addressText), nil).Page(t.Context(), "", c.at)
		require.NoError(t, err, name)
		require.Equal(t, []Reference{{Hash: one}}, part.Refs, name)
		require.Equal(t, c.cut, part.Cut, name)
	}
}

func TestBlockscout(t *testing.T) {
	e := Explorer{Kind: Blockscout, URL: "https://eth.blockscout.example/?apikey=k"}
	one, two := strings.Repeat("ab", 32), strings.Repeat("cd", 32)
	refs, next, asked, err := page(t, e, "transactions", "", 200, `{"items":[{"hash":"0x`+one+`","block_number":9},{"hash":"0x`+strings.ToUpper(two)+`","block_number":8}],
		"next_page_params":{"block_number":8,"index":0,"items_count":50,"hash":"0x a","filter":null}}`)
	require.NoError(t, err)
	require.Equal(t, "https://eth.blockscout.example/api/v2/addresses/"+addressText+"/transactions?apikey=k", asked)
	require.Equal(t, []Reference{{Hash: one}, {Hash: two}}, refs)
	require.Equal(t, "block_number=8&hash=0x+a&index=0&items_count=50", next)
	refs, next, asked, err = page(t, e, "token-transfers", next, 200, `{"items":[{"transaction_hash":"0x`+one+`"},{"tx_hash":"0x`+one+`"}],"next_page_params":null}`)
	require.NoError(t, err)
	require.Equal(t, "https://eth.blockscout.example/api/v2/addresses/"+addressText+"/token-transfers?apikey=k&block_number=8&hash=0x+a&index=0&items_count=50", asked)
	require.Equal(t, []Reference{{Hash: one}}, refs)
	require.Empty(t, next)
	refs, _, _, err = page(t, e, "transactions", "", 404, `{"message":"Not found"}`)
	require.NoError(t, err, "the address has done nothing")
	require.Empty(t, refs)
	for _, c := range []struct{ at, body string }{{"", `<html>Not found</html>`}, {"", `{"error":"no such route"}`}, {"a=1", `{"message":"Not found"}`}} {
		_, _, _, err = page(t, e, "transactions", c.at, 404, c.body)
		require.ErrorIs(t, err, errPage, "what is not the service's word on the address is no empty list")
	}
	for name, c := range map[string]struct {
		status int
		body   string
	}{
		"no list":       {200, `{"message":"maintenance"}`},
		"a failure":     {500, `{}`},
		"no JSON":       {200, `<html>`},
		"no hash":       {200, `{"items":[{"hash":"0x12"}]}`},
		"the same page": {200, `{"items":[],"next_page_params":{"a":1}}`},
		"a long page":   {200, `{"items":[],"next_page_params":{"a":"` + strings.Repeat("x", 3000) + `"}}`},
	} {
		_, _, _, err := page(t, e, "transactions", "a=1", c.status, c.body)
		require.ErrorIs(t, err, errPage, name)
		require.NotContains(t, err.Error(), "apikey")
	}
}

func TestEtherscan(t *testing.T) {
	e := Explorer{Kind: Etherscan, URL: "https://api.etherscan.example/v2/api?chainid=1&apikey=k"}
	items := func(n, height int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`{"hash":"0x%064x","blockNumber":"%d"}`, i, height-i/2))
		}
		return `{"status":"1","message":"OK","result":[` + strings.Join(list, ",") + `]}`
	}
	refs, next, asked, err := page(t, e, "txlist", "", 200, items(3, 50))
	require.NoError(t, err)
	require.Equal(t, "https://api.etherscan.example/v2/api?chainid=1&apikey=k&action=txlist&address="+addressText+"&module=account&offset=1000&page=1&sort=desc", asked)
	require.Len(t, refs, 3)
	require.Empty(t, next)
	_, next, _, err = page(t, e, "txlist", "", 200, items(etherscanPage, 5000))
	require.NoError(t, err)
	require.Equal(t, "4501/1000", next, "the lowest block may have more")
	_, next, asked, err = page(t, e, "txlist", "4501/1000", 200, strings.ReplaceAll(items(etherscanPage, 5000), `"blockNumber":"`, `"blockNumber":"4501","x":"`))
	require.NoError(t, err)
	require.Contains(t, asked, "&endblock=4501&")
	require.Equal(t, "4500/1000", next)
	refs, _, _, err = page(t, e, "tokentx", "", 200, `{"status":"0","message":"No transactions found","result":[]}`)
	require.NoError(t, err)
	require.Empty(t, refs)
	keyed := Explorer{Kind: Etherscan, URL: "https://api.etherscan.example/v2/api?chainid=137&apikey=ABCDEF1234"}
	_, _, _, err = page(t, keyed, "txlist", "", 200, `{"status":"0","message":"NOTOK","result":"Max calls per sec rate limit reached (3/sec) for ABCDEF1234"}`)
	require.EqualError(t, err, `unexpected answer: "Max calls per sec rate limit reached (3/sec) for …"`)
	_, _, _, err = page(t, keyed, "txlist", "", 200, `{"status":"0","message":"NOTOK","result":{}}`)
	require.EqualError(t, err, `unexpected answer: "NOTOK"`)
	for _, body := range []string{`{"status":"0","message":"NOTOK","result":"Max rate limit reached"}`, `{"status":"0","message":"NOTOK","result":[]}`, `{"status":"0","message":"Query Timeout","result":null}`, `{}`, `[]`, `{"result":[{"hash":"0x` + strings.Repeat("a", 64) + `","blockNumber":"x"}]}`} {
		_, _, _, err := page(t, e, "txlist", "", 200, body)
		require.ErrorIs(t, err, errPage)
	}
}

// TestInvalidItems checks that an invalid item of a list does not affect the others.
func TestInvalidItems(t *testing.T) {
	one, two := strings.Repeat("ab", 32), strings.Repeat("cd", 32)
	for name, c := range map[string]struct {
		kind    ExplorerKind
		body    string
		invalid string
	}{
		"a proxy":    {EtherscanProxy, `{"result":{"transactions":[{"tx_hash":"` + one + `"},{"tx_hash":"x"},{"tx_hash":"` + two + `"}]}}`, `transaction hash is "x"`},
		"Etherscan":  {Etherscan, `{"result":[{"hash":"0x` + one + `","blockNumber":"7"},{"hash":5},{"hash":"0x` + two + `","blockNumber":"6"}]}`, `transaction hash is ""`},
		"Blockscout": {Blockscout, `{"items":[{"hash":"0x` + one + `"},"x",{"hash":"0x` + two + `"}]}`, `transaction hash is ""`},
		"no height":  {Etherscan, `{"result":[{"hash":"0x` + one + `","blockNumber":"7"},{"hash":"0x` + two + `","blockNumber":"x"}]}`, ""},
	} {
		server := fetch.Func(func(context.Context, fetch.Request) (fetch.Response, error) {
			return fetch.Response{Status: 200, Body: []byte(c.body)}, nil
		})
		part, err := Explorer{Kind: c.kind, URL: "https://a.example"}.Lists(server, parse(t, addressText), nil).Page(t.Context(), "", "")
		require.NoError(t, err, name)
		require.Equal(t, []Reference{{Hash: one}, {Hash: two}}, part.Refs, name)
		require.Equal(t, c.invalid, part.Invalid, name)
	}
}

// TestEtherscanWithSmallPages checks that services that return fewer items than requested are
// read to the end.
func TestEtherscanWithSmallPages(t *testing.T) {
	for _, perPage := range []int{10, 50, 100, 1000, 10_000} {
		for _, has := range []int{0, 1, 9, 10, 11, 50, 51, 99, 100, 101, 120, 1000, 1001, 2345} {
			server := fetch.Func(func(_ context.Context, r fetch.Request) (fetch.Response, error) {
				u, err := url.Parse(r.URL)
				require.NoError(t, err)
				end, limit := has, min(perPage, etherscanPage)
				if text := u.Query().Get("endblock"); text != "" {
					end, err = strconv.Atoi(text)
					require.NoError(t, err)
				}
				items := []string{}
				for n := has - 1; n >= 0 && len(items) < limit; n-- { // three items in a block
					if n/3 <= end {
						items = append(items, fmt.Sprintf(`{"hash":"0x%064x","blockNumber":"%d"}`, n, n/3))
					}
				}
				return fetch.Response{Status: 200, Body: []byte(`{"result":[` + strings.Join(items, ",") + `]}`)}, nil
			})
			lists := Explorer{Kind: Etherscan, URL: "https://a.example"}.Lists(server, parse(t, addressText), nil)
			found, at := map[string]bool{}, ""
			for pages := 0; pages == 0 || at != ""; pages++ {
				part, err := lists.Page(t.Context(), "txlist", at)
				require.NoError(t, err)
				require.False(t, part.Cut)
				for _, r := range part.Refs {
					found[r.Hash] = true
				}
				at = part.Next
				require.LessOrEqual(t, pages, has/(min(perPage, etherscanPage)-3)+2)
			}
			require.Len(t, found, has, "%d at once", perPage)
		}
	}
}

func TestExplorerCheck(t *testing.T) {
	require.NoError(t, Explorer{Kind: Blockscout, URL: "https://a.example"}.Check())
	require.ErrorIs(t, Explorer{Kind: "Other", URL: "https://a.example"}.Check(), ErrExplorerKind)
	for _, url := range []string{"", "ftp://a", "https://", "https://u:p@a.example", "https://a.example/" + strings.Repeat("a", 3000)} {
		require.ErrorIs(t, Explorer{Kind: Etherscan, URL: url}.Check(), ErrExplorerURL)
	}
	require.ErrorIs(t, Explorer{Kind: EtherscanProxy, URL: "https://a.example", Tokens: "x"}.Check(), ErrExplorerURL)
}

func TestEtherscanProxy(t *testing.T) {
	e := Explorer{Kind: EtherscanProxy, URL: "https://proxy.example/api/v1/eth_tx_history/?k=1", Tokens: "https://proxy.example/api/v2/erc_tx_history"}
	active := func() []address.Address { return []address.Address{parse(t, tokenText)} }
	require.Equal(t, []string{"", strings.ToLower(tokenText)}, e.Lists(nil, parse(t, addressText), active).Names())
	one, addr := strings.Repeat("ab", 32), strings.ToLower(addressText)
	refs, next, asked, err := page(t, e, "", "", 200, `{"result":{"transactions":[{"tx_hash":"`+one+`","block_height":5},{"tx_hash":"0x`+one+`"}]}}`)
	require.NoError(t, err)
	require.Equal(t, "https://proxy.example/api/v1/eth_tx_history/"+addr+"?k=1", asked)
	require.Equal(t, []Reference{{Hash: one}}, refs)
	require.Empty(t, next)
	_, _, asked, err = page(t, e, strings.ToLower(tokenText), "", 200, `{"result":{"transactions":[]}}`)
	require.NoError(t, err)
	require.Equal(t, "https://proxy.example/api/v2/erc_tx_history/"+strings.ToLower(tokenText)+"/"+addr, asked)
	_, _, _, err = page(t, e, "", "", 200, `{"result":{"transactions":[{"tx_hash":"x"}]}}`)
	require.ErrorIs(t, err, errPage)
	_, _, _, err = page(t, e, "", "", 200, `{"error":"busy"}`)
	require.ErrorIs(t, err, errPage)
	e.Tokens = ""
	require.Equal(t, []string{""}, e.Lists(nil, parse(t, addressText), active).Names())
}

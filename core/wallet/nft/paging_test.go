package nft

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/nft/nfttest"
)

func nftIDs(list []NFT) (ids []string) {
	for _, n := range list {
		ids = append(ids, string(n.Chain[:1])+n.ID)
	}
	return ids
}

func transferIDs(list []Transfer) (ids []string) {
	for _, m := range list {
		ids = append(ids, string(m.Chain[:1])+m.ID)
	}
	return ids
}

// TestPagesMakeUpTheList checks that the pages of any size make up the whole list without
// duplicates, with the same total on each, with and without filters.
func TestPagesMakeUpTheList(t *testing.T) {
	b := filledBench(t)
	base := Query{Chains: []Chain{BSC, Polygon, ETH}}
	for name, filter := range map[string]func(*Query){
		"all":            func(*Query) {},
		"without spam":   func(q *Query) { q.ExcludeSpam = true },
		"neither":        func(q *Query) { q.ExcludeSpam, q.ExcludePhishing = true, true },
		"links redacted": func(q *Query) { q.Protect = true },
	} {
		t.Run(name, func(t *testing.T) {
			q := base
			filter(&q)
			q.Max = true
			whole, err := b.List(t.Context(), q)
			require.NoError(t, err)
			history, err := b.Transfers(t.Context(), TransferQuery{Query: q})
			require.NoError(t, err)
			q.Max = false
			for q.Limit = 1; q.Limit <= whole.Total+1; q.Limit++ {
				var nfts, transfers []string
				for q.Page = 1; q.Page <= whole.Total+1; q.Page++ {
					l, err := b.List(t.Context(), q)
					require.NoError(t, err)
					require.LessOrEqual(t, len(l.NFTs), q.Limit)
					require.Equal(t, []int{min((q.Page-1)*q.Limit, whole.Total), whole.Total}, []int{l.Skipped, l.Total})
					nfts = append(nfts, nftIDs(l.NFTs)...)
					m, err := b.Transfers(t.Context(), TransferQuery{Query: q})
					require.NoError(t, err)
					require.Equal(t, history.Total, m.Total)
					transfers = append(transfers, transferIDs(m.Transfers)...)
				}
				require.Equal(t, nftIDs(whole.NFTs), nfts, "limit %d", q.Limit)
				require.Equal(t, transferIDs(history.Transfers), transfers, "limit %d", q.Limit)
			}
		})
	}
}

// TestPagesAtTheBounds checks that the largest possible page numbers and limits select an empty
// page after the end, and not the first one.
func TestPagesAtTheBounds(t *testing.T) {
	b := filledBench(t)
	for _, c := range []struct {
		name        string
		limit, page int
		skipped, on int
	}{
		{"the last row alone", 1, 5, 4, 1},
		{"the first beyond", 1, 6, 5, 0},
		{"exactly all", 5, 1, 0, 5},
		{"one more than all", 6, 1, 0, 5},
		{"the largest limit", 10_000, 1, 0, 5},
		{"the largest page", 10_000, math.MaxInt32, 5, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, err := b.List(t.Context(), Query{Chains: []Chain{Polygon}, Limit: c.limit, Page: c.page})
			require.NoError(t, err)
			require.Equal(t, []int{c.skipped, c.on, 5}, []int{l.Skipped, len(l.NFTs), l.Total})
		})
	}
}

// TestMaxHasNoEnd checks that a page of all rows has all rows, regardless of their number.
func TestMaxHasNoEnd(t *testing.T) {
	for _, rows := range []int{0, 1, maxItems * len(Chains()), maxItems*len(Chains()) + 1, 3_000_000} {
		p := Query{Max: true, Limit: 1, Page: 7}.pager()
		from, to := p.cut(rows)
		require.Equal(t, []int{0, rows}, []int{from, to})
		from, to = p.cut(5)
		require.Equal(t, []int{0, 5}, []int{from, to}, "of the next chain, behind %d", rows)
		require.Equal(t, []int{0, rows + 5}, []int{p.skipped(), p.total})
	}
}

// numbered returns a hook that answers with numbered pages.
func numbered(page func(n int) (cursor any, items []any)) func(nfttest.Request) (nfttest.Answer, bool) {
	n := 0
	return func(nfttest.Request) (nfttest.Answer, bool) {
		n++
		cursor, items := page(n)
		return nfttest.JSON(map[string]any{"cursor": cursor, "result": append([]any{}, items...)}), true
	}
}

// TestListingsAtTheBounds checks that a listing of the maximum length is read to its end, and
// that exceeding a limit is an error that names the limit.
func TestListingsAtTheBounds(t *testing.T) {
	ends := func(n, last int, cursor any) any {
		if n == last {
			return nil
		}
		return cursor
	}
	many := func(from, n int) (items []any) {
		for i := range n {
			items = append(items, smurf(strconv.Itoa(from+i)))
		}
		return items
	}
	for _, c := range []struct {
		name string
		page func(n int) (any, []any)
		text string // text of the error; with cut there is no error, and the list reports missing items
	}{
		{"1000 pages", func(n int) (any, []any) { return ends(n, maxPages, fmt.Sprint(n)), nil }, ""},
		{"1001 pages", func(n int) (any, []any) { return ends(n, maxPages+1, fmt.Sprint(n)), []any{smurf(strconv.Itoa(n))} }, "cut"},
		{"1001 pages of nothing", func(n int) (any, []any) { return ends(n, maxPages+1, fmt.Sprint(n)), nil }, "more than 1000 pages"},
		{"500 items", func(n int) (any, []any) { return ends(n, 50, fmt.Sprint(n)), many(n*10, 10) }, ""},
		{"501 items", func(n int) (any, []any) {
			return ends(n, 51, fmt.Sprint(n)), many(n*10, min(10, 501-(n-1)*10))
		}, "cut"},
		{"a cursor of 8192 bytes", func(n int) (any, []any) { return ends(n, 2, strings.Repeat("x", maxCursor)), nil }, ""},
		{"a cursor of 8193 bytes", func(n int) (any, []any) { return ends(n, 2, strings.Repeat("x", maxCursor+1)), nil }, "longer than 8192 bytes"},
		{"a cursor that came long ago", func(n int) (any, []any) { return fmt.Sprint(n % 700), nil }, "a cursor came twice"},
		{"cursors that differ in case", func(n int) (any, []any) { return ends(n, 3, []string{"a", "A"}[n%2]), nil }, ""},
		{"a number as a cursor", func(n int) (any, []any) { return ends(n, 3, n), nil }, ""},
		{"an empty page in the middle", func(n int) (any, []any) {
			return ends(n, 3, fmt.Sprint(n)), [][]any{{smurf("1")}, {}, {smurf("2")}}[n-1]
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.maxItems = 500
			if strings.Contains(c.name, "pages") {
				b.maxItems = maxItems
			}
			b.world.Hook = numbered(c.page)
			l, err := b.list(t.Context(), indexer().Indexer, Polygon, wallet)
			if c.text == "" || c.text == "cut" {
				require.NoError(t, err)
				require.Equal(t, c.text == "cut", l.cut)
				require.LessOrEqual(t, len(l.nfts), 1_000)
				return
			}
			require.ErrorContains(t, err, c.text)
		})
	}
}

// TestCursorsComeBack checks that cursors are returned unchanged, regardless of their content.
func TestCursorsComeBack(t *testing.T) {
	for _, cursor := range []string{"a b", "a+b", "a&cursor=b", "a#b", "a%20b", "é\u202e", "\x01", `"`, "a/../b", "=", "null"} {
		b := newBench(t)
		b.world.Hook = numbered(func(n int) (any, []any) { return map[bool]any{true: cursor}[n == 1], []any{smurf(strconv.Itoa(n))} })
		l, err := b.list(t.Context(), Server{URL: indexerURL + "/?key=1"}, Polygon, wallet)
		require.NoError(t, err)
		require.Len(t, l.nfts, 2, cursor)
		second := b.world.Requests()[1].URL
		require.Equal(t, cursor, queryOf(t, second).Get("cursor"))
		require.Equal(t, []string{cursor}, queryOf(t, second)["cursor"], "one of them")
		require.Equal(t, []string{"1", "POLYGON", "decimal"}, []string{queryOf(t, second).Get("key"), queryOf(t, second).Get("chain"), queryOf(t, second).Get("format")})
	}
}

// TestPagesThatFailLater checks that stored data does not change when a later page fails.
func TestPagesThatFailLater(t *testing.T) {
	whole := []nfttest.Item{smurf("1"), smurf("2"), smurf("3"), smurf("4"), smurf("5")}
	for name, answer := range map[string]nfttest.Answer{
		"a status":         {Status: 500},
		"an unknown page":  {Status: 400, Body: []byte(`{"message":"Invalid cursor"}`)},
		"half a page":      {Body: []byte(`{"result":[{"token_id":`)},
		"a redirect":       {Status: 302},
		"a web page":       {Type: "text/html", Body: []byte("<html>")},
		"another message":  {Body: []byte(`{"message":"rate limit"}`)},
		"a list of a list": {Body: []byte(`[{"result":[]}]`)},
	} {
		for _, part := range []string{"/nft?", "/nft/transfers?"} {
			t.Run(name+" "+part, func(t *testing.T) {
				b := newBench(t)
				b.polygon(t, smurf("9"))
				b.world.Moved("POLYGON", wallet, receivedIn(1))
				require.NoError(t, b.Update(t.Context(), []Chain{Polygon}, services()))
				before, history := b.stored(t, smurfs, "9"), b.transfersOf(t)
				b.world.PageSize = 2
				b.world.Hold("POLYGON", wallet, whole...)
				b.world.Moved("POLYGON", wallet, receivedIn(2), receivedIn(3), receivedIn(4))
				b.world.Hook = func(r nfttest.Request) (nfttest.Answer, bool) {
					return answer, strings.Contains(r.URL, part) && strings.Contains(r.URL, "cursor=after%2F2")
				}
				require.Error(t, b.Update(t.Context(), []Chain{Polygon}, services()))
				require.Equal(t, before, b.stored(t, smurfs, "9"))
				require.Equal(t, history, b.transfersOf(t))
				b.world.Hook = nil
				require.NoError(t, b.Update(t.Context(), []Chain{Polygon}, services()))
				l, err := b.List(t.Context(), Query{Chains: []Chain{Polygon}, Max: true})
				require.NoError(t, err)
				require.ElementsMatch(t, []string{"P1", "P2", "P3", "P4", "P5"}, nftIDs(l.NFTs), "the next one finds all")
				require.Len(t, b.transfersOf(t), 3)
			})
		}
	}
}

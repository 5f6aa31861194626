package main

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// perPage is the number of transactions on a recorded page of the whole history.
const perPage = 10

// tapeHistory records searches, transactions by hash, and the blocks of the story.
func (r *recorder) tapeHistory(ctx context.Context) error {
	for _, side := range r.sides() {
		if err := r.tapePages(ctx, side.name, side.query); err != nil {
			return err
		}
	}
	if err := r.tapeSearches(ctx); err != nil {
		return err
	}
	if err := r.tapeTransactions(ctx); err != nil {
		return err
	}
	return r.tapeBlocks(ctx)
}

type side struct{ name, query string }

func (r *recorder) sides() []side {
	return []side{{"spent", "coin_spent.spender='" + r.User.Address + "'"}, {"received", "coin_received.receiver='" + r.User.Address + "'"}}
}

func search(query string, page, perPage any, order string) params {
	return params{{"query", query}, {"prove", false}, {"page", page}, {"per_page", perPage}, {"order_by", order}}
}

// tapePages records the user's history in one direction, oldest first.
func (r *recorder) tapePages(ctx context.Context, name, query string) error {
	for page, pages := 1, 1; page <= pages; page++ {
		e, err := r.history.call(ctx, r.Chain, fmt.Sprintf("%s, page %d", name, page), "tx_search",
			search(query, fmt.Sprint(page), fmt.Sprint(perPage), "asc"))
		if err != nil {
			return err
		}
		var found struct {
			Total int `json:"total_count,string"`
		}
		if err := e.found(&found); err != nil {
			return err
		}
		pages = (found.Total + perPage - 1) / perPage
	}
	return nil
}

func (r *recorder) tapeSearches(ctx context.Context) error {
	spent := r.sides()[0].query
	for _, s := range []struct {
		name string
		with params
	}{
		{"newest first", search(spent, "1", "1", "desc")},
		{"numbers instead of text", search(spent, 2, 1, "asc")},
		{"spaces around the sign", search(strings.Replace(spent, "=", " = ", 1), "1", "1", "asc")},
		{"page that is not there", search(spent, "99", "10", "asc")},
		{"page 0", search(spent, "0", "1", "asc")},
		{"page below 0", search(spent, "-1", "1", "asc")},
		{"page of 0", search("coin_spent.spender='"+r.Poor.Address+"'", "1", "0", "asc")},
		{"page of 1000", search("coin_received.receiver='"+r.Poor.Address+"'", "1", "1000", "desc")},
		{"of nobody", search("coin_spent.spender='"+r.Empty.Address+"'", "1", "50", "asc")},
		{"of nobody, page 2", search("coin_spent.spender='"+r.Empty.Address+"'", "2", "50", "asc")},
		{"of no address", search("coin_spent.spender='nobody'", "1", "50", "asc")},
		{"from a height on", search(fmt.Sprintf("%s AND tx.height>=%d", spent, r.transactions[len(r.transactions)-1].Height), "1", "1", "asc")},
		{"of a height without any", search(spent+" AND tx.height=1", "1", "2", "asc")},
		{"by sender", search("message.sender='"+r.User.Address+"'", "1", "1", "asc")},
		{"order that is none", search(spent, "1", "1", "up")},
		{"query that is none", search("coin_spent.spender", "1", "1", "asc")},
		{"query with an open quote", search("coin_spent.spender='x", "1", "1", "asc")},
		{"query of nothing", search("", "1", "1", "asc")},
		{"without paging", params{{"query", "tx.height=" + fmt.Sprint(r.transactions[0].Height)}}},
	} {
		if err := r.history.take(ctx, r.Chain, "search: "+s.name, "tx_search", s.with); err != nil {
			return err
		}
	}
	return nil
}

func (r *recorder) tapeTransactions(ctx context.Context) error {
	id, err := hex.DecodeString(r.transactions[0].Hash)
	if err != nil {
		return err
	}
	for _, q := range []struct {
		name string
		hash any
	}{
		{"transaction", id}, {"no transaction", make([]byte, 32)}, {"hash in hexadecimal", r.transactions[0].Hash},
		{"hash in hexadecimal with 0x", "0x" + r.transactions[0].Hash}, {"hash of nothing", ""}, {"short hash", base64.StdEncoding.EncodeToString(id[:5])},
	} {
		if err := r.history.take(ctx, r.Chain, "tx: "+q.name, "tx", params{{"hash", q.hash}, {"prove", false}}); err != nil {
			return err
		}
	}
	return nil
}

// tapeBlocks records the blocks of the user's history, since a wallet displays their times.
func (r *recorder) tapeBlocks(ctx context.Context) error {
	for _, height := range slices.Sorted(maps.Keys(r.heights)) {
		if err := r.history.take(ctx, r.Chain, fmt.Sprintf("block %d", height), "block", params{{"height", fmt.Sprint(height)}}); err != nil {
			return err
		}
	}
	for name, height := range pairs("newest", "", "first", "1", "zero", "0", "not yet", "5000000") {
		with := params{{"height", height}}
		if height == "" {
			with = params{}
		}
		if err := r.history.take(ctx, r.Chain, "block, "+name, "block", with); err != nil {
			return err
		}
	}
	return r.history.take(ctx, r.Chain, "headers", "blockchain", params{{"minHeight", "2"}, {"maxHeight", "4"}})
}

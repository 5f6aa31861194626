package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"

	"obverse/core/net/fetch"
	"obverse/core/text"
	"obverse/core/wallet/evm/address"
)

// ExplorerKind is the type of an indexer's API.
type ExplorerKind string

// Kinds of indexers.
const (
	Blockscout ExplorerKind = "Blockscout" // API v2; the URL is the site's
	Etherscan  ExplorerKind = "Etherscan"  // the URL is the API's, with its key and chain in the query if it needs them
	// EtherscanProxy is the service for clients of Komodo DeFi Framework. The address is
	// appended to the URL and, for tokens, the contract and the address.
	EtherscanProxy ExplorerKind = "EtherscanProxy"
)

// Explorer is an indexer that lists the transactions of addresses.
type Explorer struct {
	Kind ExplorerKind `json:"type"`
	URL  string       `json:"url"`
	// Tokens is the URL for tokens of an EtherscanProxy; "" means that it has no tokens.
	Tokens string `json:"token_url,omitempty"`
}

// Errors of Explorer.Check.
var (
	ErrExplorerKind = errors.New("unknown type of indexer")
	ErrExplorerURL  = errors.New("not a URL of http or https without a user")
)

const maxURL = 2048

// Check returns an error if the indexer is invalid.
func (e Explorer) Check() error {
	if !slices.Contains([]ExplorerKind{Blockscout, Etherscan, EtherscanProxy}, e.Kind) {
		return ErrExplorerKind
	}
	if !isServer(e.URL) || e.Tokens != "" && !isServer(e.Tokens) {
		return ErrExplorerURL
	}
	return nil
}

func isServer(text string) bool {
	u, err := url.Parse(text)
	return err == nil && len(text) <= maxURL && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil
}

// Lists returns the lists of an address. contracts must return the contracts of active tokens.
func (e Explorer) Lists(fetcher fetch.Fetcher, addr address.Address, contracts func() []address.Address) Lists {
	return lists{e, fetcher, addr, contracts}
}

type lists struct {
	Explorer
	fetcher   fetch.Fetcher
	of        address.Address
	contracts func() []address.Address
}

// Names implements Lists.
func (l lists) Names() []string {
	switch {
	case l.Kind == Blockscout:
		return []string{"transactions", "token-transfers"}
	case l.Kind == Etherscan:
		return []string{"txlist", "tokentx"}
	}
	names := []string{""} // the list of the coin
	for _, c := range l.contracts() {
		if l.Tokens != "" {
			names = append(names, c.Plain())
		}
	}
	return names
}

// Page implements Lists.
func (l lists) Page(ctx context.Context, list, page string) (Part, error) {
	switch l.Kind {
	case Blockscout:
		return l.blockscout(ctx, list, page)
	case Etherscan:
		return l.etherscan(ctx, list, page)
	}
	return l.proxy(ctx, list)
}

// proxy reads a list of an EtherscanProxy, which has one page.
func (l lists) proxy(ctx context.Context, contract string) (Part, error) {
	base, rest := l.URL, "/"+l.of.Plain()
	if contract != "" {
		base, rest = l.Tokens, "/"+contract+rest
	}
	base, query, asks := strings.Cut(base, "?")
	at := strings.TrimRight(base, "/") + rest
	if asks {
		at += "?" + query
	}
	var answer struct {
		Result struct{ Transactions json.RawMessage }
	}
	if _, err := l.ask(ctx, at, &answer); err != nil {
		return Part{}, err
	}
	part, _, err := readItems(answer.Result.Transactions)
	return part, err
}

const (
	pageLimit = 8 << 20 // in bytes
	maxNext   = 2048    // size of the name of the next page, in bytes
	maxItems  = 10_000  // number of items on a page
)

var errPage = errors.New("unexpected answer")

// ask requests a page. It also parses a page with a status other than 200, if possible.
func (l lists) ask(ctx context.Context, at string, into any) (status int, err error) {
	r, err := l.fetcher.Fetch(ctx, fetch.Request{Method: "GET", URL: at, Header: map[string]string{"Accept": "application/json"}, Limit: pageLimit})
	if err != nil {
		return 0, err
	}
	err = json.Unmarshal(r.Body, into)
	switch {
	case r.Status != 200:
		return r.Status, fmt.Errorf("%w: HTTP status %d", errPage, r.Status)
	case err != nil:
		return r.Status, fmt.Errorf("%w: invalid JSON", errPage)
	}
	return r.Status, nil
}

// blockscout reads a page of Blockscout's API v2.
func (l lists) blockscout(ctx context.Context, list, page string) (Part, error) {
	base, rest, _ := strings.Cut(l.URL, "?")
	at := strings.TrimRight(base, "/") + "/api/v2/addresses/" + l.of.String() + "/" + list
	if query := strings.Trim(rest+"&"+page, "&"); query != "" {
		at += "?" + query
	}
	var answer struct {
		Message string
		Items   json.RawMessage
		Next    map[string]json.RawMessage `json:"next_page_params"`
	}
	status, err := l.ask(ctx, at, &answer)
	if status == 404 && page == "" && strings.EqualFold(answer.Message, "not found") { // the address has no transactions
		return Part{}, nil
	}
	if err != nil {
		return Part{}, err
	}
	part, _, err := readItems(answer.Items)
	if err != nil {
		return Part{}, err
	}
	part.Next, err = query(answer.Next)
	if part.Next == page && page != "" {
		err = fmt.Errorf("%w: the next page is the same", errPage)
	}
	return part, err
}

// query formats the parameters of the next page.
func query(params map[string]json.RawMessage) (string, error) {
	var parts []string
	for name, raw := range params {
		text := string(raw)
		if text == "null" {
			continue
		}
		if strings.HasPrefix(text, `"`) && json.Unmarshal(raw, &text) != nil {
			return "", fmt.Errorf("%w: next_page_params", errPage)
		}
		parts = append(parts, url.QueryEscape(name)+"="+url.QueryEscape(text))
	}
	sort.Strings(parts)
	next := strings.Join(parts, "&")
	if len(next) > maxNext {
		return "", fmt.Errorf("%w: next_page_params has %d bytes", errPage, len(next))
	}
	return next, nil
}

// item is a transaction in a list. Services use different names for its hash.
type item struct {
	Hash        string
	Transfer    string `json:"transaction_hash"`
	Older       string `json:"tx_hash"`
	BlockNumber string // in Etherscan's API
}

// readItems parses the items of a page. It skips invalid items, but fails if all are invalid.
func readItems(list json.RawMessage) (part Part, items []item, err error) {
	var raw []json.RawMessage
	if json.Unmarshal(list, &raw) != nil {
		return part, nil, fmt.Errorf("%w: no list of transactions", errPage)
	}
	for n, one := range raw {
		if n == maxItems {
			part.Cut = true
			break
		}
		var i item
		failed := json.Unmarshal(one, &i)
		hash, ok := text.LowerHex("0x"+strings.TrimPrefix(strings.ToLower(max(i.Hash, i.Transfer, i.Older)), "0x"), 32)
		if failed != nil || !ok {
			part.Invalid = fmt.Sprintf("transaction hash is %.70q", max(i.Hash, i.Transfer, i.Older))
			continue
		}
		items = append(items, i)
		if r := (Reference{Hash: hash[2:]}); !slices.Contains(part.Refs, r) {
			part.Refs = append(part.Refs, r)
		}
	}
	if len(raw) > 0 && len(items) == 0 {
		return part, nil, fmt.Errorf("%w: %s", errPage, part.Invalid)
	}
	return part, items, nil
}

// said returns the text of an error, which is in the place of the result. It removes texts that
// may be a key in the URL.
func (l lists) said(message string, result json.RawMessage) string {
	var words string
	if json.Unmarshal(result, &words) != nil || words == "" {
		words = message
	}
	if u, err := url.Parse(l.URL); err == nil {
		for _, values := range u.Query() {
			for _, value := range values {
				const short = 6 // short values such as chain ids are not keys
				if len(value) >= short {
					words = strings.ReplaceAll(words, value, "…")
				}
			}
		}
	}
	return words
}

const (
	etherscanPage = 1000 // number of requested items
	minPage       = 10   // number of items that every service returns at once
)

// etherscan reads a page, which has the newest transactions up to the oldest block of the
// previous page. Services may return fewer items than requested, so the last page is one with
// fewer items than the previous page. The name of a page has the block and the number of items
// of the previous page.
func (l lists) etherscan(ctx context.Context, list, page string) (Part, error) {
	base, rest, _ := strings.Cut(l.URL, "?")
	params := url.Values{"module": {"account"}, "action": {list}, "address": {l.of.String()}, "page": {"1"}, "offset": {strconv.Itoa(etherscanPage)}, "sort": {"desc"}}
	end, before, _ := strings.Cut(page, "/")
	if end != "" {
		params.Set("endblock", end)
	}
	full, err := strconv.Atoi(before)
	if err != nil {
		full = minPage
	}
	at := base + "?" + strings.Trim(rest+"&"+params.Encode(), "&")
	var answer struct {
		Status, Message string
		Result          json.RawMessage
	}
	if _, err := l.ask(ctx, at, &answer); err != nil {
		return Part{}, err
	}
	var raw []json.RawMessage
	err = json.Unmarshal(answer.Result, &raw)
	none := strings.HasPrefix(strings.ToLower(answer.Message), "no ") // "No transactions found" has the status of a failure
	if err != nil || raw == nil && !none || len(raw) == 0 && answer.Status == "0" && !none {
		return Part{}, fmt.Errorf("%w: %.100q", errPage, l.said(answer.Message, answer.Result))
	}
	part, items, err := readItems(answer.Result)
	if err != nil || len(raw) == 0 {
		return part, err
	}
	lowest := uint64(math.MaxUint64)
	for _, i := range items {
		if height, err := strconv.ParseUint(i.BlockNumber, 10, 63); err == nil {
			lowest = min(lowest, height)
		}
	}
	if lowest == math.MaxUint64 {
		return Part{}, fmt.Errorf("%w: block number is %.30q", errPage, items[0].BlockNumber)
	}
	if len(raw) < full {
		return part, nil
	}
	next := strconv.FormatUint(lowest, 10)
	if next == end { // all items are of one block, which may have more
		if part.Cut = true; lowest == 0 {
			return part, nil
		}
		next = strconv.FormatUint(lowest-1, 10)
	}
	part.Next = next + "/" + strconv.Itoa(len(raw))
	return part, nil
}

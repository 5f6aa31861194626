package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"

	"obverse/core/net/fetch"
	"obverse/core/text"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/node"
)

// ExplorerKind is which API an indexer has.
type ExplorerKind string

// Kinds of indexers.
const (
	Blockscout ExplorerKind = "Blockscout" // API v2; the URL is that of the site
	Etherscan  ExplorerKind = "Etherscan"  // the URL is that of the API, with its key and chain in the query if it needs them
	// EtherscanProxy is the service that clients of Komodo DeFi Framework ask. The address
	// follows the URL, and the contract and the address follow that for tokens.
	EtherscanProxy ExplorerKind = "EtherscanProxy"
)

// Explorer is an indexer that lists the transactions of addresses.
type Explorer struct {
	Kind ExplorerKind `json:"type"`
	URL  string       `json:"url"`
	// Tokens is the URL for tokens of an EtherscanProxy; "": it has no tokens.
	Tokens string `json:"token_url,omitempty"`
}

// Errors of Explorer.Check.
var (
	ErrExplorerKind = errors.New("unknown type of indexer")
	ErrExplorerURL  = errors.New("not a URL of http or https without a user")
)

const maxURL = 2048

// Check refuses what cannot be an indexer.
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

// Lists are those of an address. contracts are those of the tokens that are active.
func (e Explorer) Lists(fetcher fetch.Fetcher, of address.Address, contracts func() []address.Address) Lists {
	return lists{e, fetcher, of, contracts}
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
	names := []string{""} // of the coin
	for _, c := range l.contracts() {
		if l.Tokens != "" {
			names = append(names, c.Plain())
		}
	}
	return names
}

// Page implements Lists.
func (l lists) Page(ctx context.Context, list, page string) (refs []node.Reference, next string, cut bool, err error) {
	switch l.Kind {
	case Blockscout:
		refs, next, err = l.blockscout(ctx, list, page)
	case Etherscan:
		return l.etherscan(ctx, list, page)
	default:
		refs, cut, err = l.proxy(ctx, list)
	}
	return refs, next, cut, err
}

// proxy reads a list, which has one page.
func (l lists) proxy(ctx context.Context, contract string) (refs []node.Reference, cut bool, err error) {
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
		Result struct {
			Transactions []struct {
				Hash string `json:"tx_hash"`
			}
		}
	}
	if _, err := l.ask(ctx, at, &answer); err != nil {
		return nil, false, err
	}
	for i, tx := range answer.Result.Transactions {
		if i == maxItems {
			return refs, true, nil
		}
		if refs, err = reference(refs, "0x"+strings.TrimPrefix(tx.Hash, "0x")); err != nil {
			return nil, false, err
		}
	}
	return refs, false, nil
}

const (
	pageLimit = 8 << 20 // bytes
	maxNext   = 2048    // bytes that name the next page
	maxItems  = 10_000  // of a page
)

var errPage = errors.New("unexpected answer")

// ask gets a page.
func (l lists) ask(ctx context.Context, at string, into any) (status int, err error) {
	r, err := l.fetcher.Fetch(ctx, fetch.Request{Method: "GET", URL: at, Header: map[string]string{"Accept": "application/json"}, Limit: pageLimit})
	if err != nil {
		return 0, err
	}
	if r.Status != 200 {
		return r.Status, fmt.Errorf("%w: HTTP status %d", errPage, r.Status)
	}
	if err := json.Unmarshal(r.Body, into); err != nil {
		return r.Status, fmt.Errorf("%w: invalid JSON", errPage)
	}
	return r.Status, nil
}

// blockscout reads a page of API v2.
func (l lists) blockscout(ctx context.Context, list, page string) ([]node.Reference, string, error) {
	base, rest, _ := strings.Cut(l.URL, "?")
	at := strings.TrimRight(base, "/") + "/api/v2/addresses/" + l.of.String() + "/" + list
	if query := strings.Trim(rest+"&"+page, "&"); query != "" {
		at += "?" + query
	}
	var answer struct {
		Items []struct {
			Hash     string `json:"hash"`
			Transfer string `json:"transaction_hash"`
			Older    string `json:"tx_hash"`
		}
		Next map[string]json.RawMessage `json:"next_page_params"`
	}
	status, err := l.ask(ctx, at, &answer)
	if status == 404 { // the address has done nothing
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	var refs []node.Reference
	for _, i := range answer.Items {
		if refs, err = reference(refs, max(i.Hash, i.Transfer, i.Older)); err != nil {
			return nil, "", err
		}
	}
	next, err := query(answer.Next)
	if next == page && next != "" {
		err = fmt.Errorf("%w: the next page is the same", errPage)
	}
	return refs, next, err
}

// query writes the parameters of the next page.
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

// reference reads a hash.
func reference(list []node.Reference, hash string) ([]node.Reference, error) {
	lower, ok := text.LowerHex(hash, 32)
	if !ok {
		return nil, fmt.Errorf("%w: transaction hash is %.70q", errPage, hash)
	}
	if len(list) >= maxItems {
		return nil, fmt.Errorf("%w: more than %d items", errPage, maxItems)
	}
	r := node.Reference{Hash: lower[2:]}
	if slices.Contains(list, r) {
		return list, nil
	}
	return append(list, r), nil
}

// said returns the words of an error, which are in the place of the result, without what may be a
// key in the URL.
func (l lists) said(message string, result json.RawMessage) string {
	var words string
	if json.Unmarshal(result, &words) != nil || words == "" {
		words = message
	}
	if u, err := url.Parse(l.URL); err == nil {
		for _, values := range u.Query() {
			for _, value := range values {
				const short = 6 // numbers of chains are no keys
				if len(value) >= short {
					words = strings.ReplaceAll(words, value, "…")
				}
			}
		}
	}
	return words
}

const etherscanPage = 1000 // items

// etherscan reads a page: the newest up to a block, which is the oldest of the page before.
func (l lists) etherscan(ctx context.Context, list, page string) (refs []node.Reference, next string, cut bool, err error) {
	base, rest, _ := strings.Cut(l.URL, "?")
	params := url.Values{"module": {"account"}, "action": {list}, "address": {l.of.String()}, "page": {"1"}, "offset": {strconv.Itoa(etherscanPage)}, "sort": {"desc"}}
	if page != "" {
		params.Set("endblock", page)
	}
	at := base + "?" + strings.Trim(rest+"&"+params.Encode(), "&")
	var answer struct {
		Message string
		Result  json.RawMessage
	}
	if _, err := l.ask(ctx, at, &answer); err != nil {
		return nil, "", false, err
	}
	var items []struct{ Hash, BlockNumber string }
	if json.Unmarshal(answer.Result, &items) != nil {
		return nil, "", false, fmt.Errorf("%w: %.100q", errPage, l.said(answer.Message, answer.Result))
	}
	var lowest uint64
	for _, i := range items {
		if refs, err = reference(refs, i.Hash); err != nil {
			return nil, "", false, err
		}
		if lowest, err = strconv.ParseUint(i.BlockNumber, 10, 63); err != nil {
			return nil, "", false, fmt.Errorf("%w: block number is %.30q", errPage, i.BlockNumber)
		}
	}
	if len(items) < etherscanPage {
		return refs, "", false, nil
	}
	next = strconv.FormatUint(lowest, 10)
	if next == page && lowest > 0 { // all of one block, which may have more
		return refs, strconv.FormatUint(lowest-1, 10), true, nil
	}
	return refs, next, false, nil
}

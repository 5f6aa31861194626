// Package nfttest implements the public NFT indexer and the anti-spam service for tests, in
// process as a fetch.Fetcher or behind an HTTP server. Tests set its data.
//
// Sources: Moralis, Web3 Data API (the members of items and of pages); Komodo DeFi Framework
// coins/nft for the calls.
//
// Invariant: The answers have the format of the services, regardless of the data that a test
// sets.
package nfttest

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"obverse/core/net/fetch"
)

// Item is an NFT or a transfer of the indexer. Members that are nil or "" become null, except
// those that identify the NFT.
type Item map[string]any

// NewItem returns an NFT with all members.
func NewItem(address, id, kind, amount string) Item {
	return Item{
		"amount": amount, "token_id": id, "token_address": address, "contract_type": kind, "owner_of": nil,
		"last_metadata_sync": "2023-05-15T07:30:04.882Z", "last_token_uri_sync": "2022-12-13T13:12:50.840Z", "metadata": nil,
		"block_number": "42491885", "block_number_minted": "36781490", "name": nil, "symbol": nil,
		"token_hash": "28f970585fd743b056859a6e41f50a8e", "token_uri": nil, "minter_address": "ERC1155 tokens don't have a single minter",
		"verified_collection": false, "possible_spam": false, "collection_logo": nil, "collection_banner_image": nil,
	}
}

// With returns a copy with other members.
func (i Item) With(pairs ...any) Item {
	other := Item{}
	for name, value := range i {
		other[name] = value
	}
	for n := 0; n < len(pairs); n += 2 {
		other[pairs[n].(string)] = pairs[n+1]
	}
	return other
}

// NewTransfer returns a transfer with all members.
func NewTransfer(address, id, kind, amount, from, to string, block, log int) Item {
	return Item{
		"block_number": strconv.Itoa(block), "block_timestamp": "2023-05-15T07:30:04.000Z", "block_hash": "0x" + strings.Repeat("ab", 32),
		"transaction_hash": fmt.Sprintf("0x%064x", block), "transaction_index": 3, "log_index": log, "value": "0", "contract_type": kind,
		"transaction_type": "Single", "token_address": address, "token_id": id, "from_address": from, "to_address": to,
		"amount": amount, "verified": 1, "operator": nil, "possible_spam": false, "verified_collection": false,
	}
}

// Answer is the answer to a request.
type Answer struct {
	Status int    // 0 means 200
	Type   string // content type; "" means application/json
	Body   []byte
	Err    error // returned instead of an answer, in process
}

// Server simulates both services and other servers of the web. Its methods are safe for
// concurrent use. Its fields must be set before the first request.
type Server struct {
	PageSize int             // number of items on a page; 0 means 100
	Spam     map[string]bool // contracts, in lower case
	Phishing map[string]bool // domains
	// Documents are the documents of the rest of the web, by URL. The anti-spam service fetches
	// them, and so can any client.
	Documents map[string]Answer
	// Hook answers a request instead of the server if it returns true.
	Hook func(r Request) (Answer, bool)

	mu        sync.Mutex
	items     map[string][]Item // by chain and owner
	owners    []string          // keys of items, earliest first
	transfers map[string][]Item
	requests  []Request
}

// Request is a received request.
type Request struct {
	Method, URL string
	Header      map[string]string
	Body        []byte
	Public      bool // restricted to the public internet
}

// Hold sets the NFTs that an address holds.
func (s *Server) Hold(chain, owner string, items ...Item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.items == nil {
		s.items = map[string][]Item{}
	}
	key := chain + strings.ToLower(owner)
	if !slices.Contains(s.owners, key) {
		s.owners = append(s.owners, key)
	}
	s.items[key] = items
}

// Moved sets the transfers of an address.
func (s *Server) Moved(chain, owner string, transfers ...Item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.transfers == nil {
		s.transfers = map[string][]Item{}
	}
	s.transfers[chain+strings.ToLower(owner)] = transfers
}

// Requests returns the received requests, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Paths returns the paths of the received requests, with their queries.
func (s *Server) Paths() (all []string) {
	for _, r := range s.Requests() {
		u, err := url.Parse(r.URL)
		if err != nil {
			panic(err)
		}
		all = append(all, r.Method+" "+u.RequestURI())
	}
	return all
}

// Fetch implements fetch.Fetcher.
func (s *Server) Fetch(ctx context.Context, r fetch.Request) (fetch.Response, error) {
	if err := ctx.Err(); err != nil {
		return fetch.Response{}, err
	}
	if r.Public {
		if err := fetch.CheckPublic(r.URL); err != nil {
			return fetch.Response{}, err
		}
	}
	a := s.Answer(Request{r.Method, r.URL, r.Header, r.Body, r.Public})
	if a.Err != nil {
		return fetch.Response{}, a.Err
	}
	if int64(len(a.Body)) > r.Limit {
		return fetch.Response{}, fmt.Errorf("%w: more than %d bytes", fetch.ErrTooLarge, r.Limit)
	}
	return fetch.Response{Status: a.Status, ContentType: a.Type, Body: append([]byte(nil), a.Body...)}, nil
}

// Answer answers a request. It uses the host of the URL only for Documents.
func (s *Server) Answer(r Request) Answer {
	s.mu.Lock()
	s.requests = append(s.requests, r)
	s.mu.Unlock()
	a, answered := Answer{}, false
	if s.Hook != nil {
		a, answered = s.Hook(r)
	}
	if !answered {
		a = s.answer(r)
	}
	if a.Status == 0 {
		a.Status = 200
	}
	if a.Type == "" {
		a.Type = "application/json; charset=utf-8"
	}
	return a
}

func (s *Server) answer(r Request) Answer {
	if a, known := s.Documents[r.URL]; known {
		return a
	}
	u, err := url.Parse(r.URL)
	if err != nil {
		return Answer{Status: 400}
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	s.mu.Lock()
	defer s.mu.Unlock()
	switch q := u.Query(); {
	case r.Method == "POST" && strings.HasSuffix(u.Path, "/api/blocklist/contract/scan"):
		return s.scan(r.Body, "addresses", s.Spam)
	case r.Method == "POST" && strings.HasSuffix(u.Path, "/api/blocklist/domain/scan"):
		return s.scan(r.Body, "domains", s.Phishing)
	case len(parts) >= 3 && parts[len(parts)-3] == "url" && parts[len(parts)-2] == "decode":
		return s.document(parts[len(parts)-1])
	case len(parts) == 4 && parts[3] == "nft":
		return s.page(s.items[q.Get("chain")+parts[2]], q)
	case len(parts) == 5 && parts[3] == "nft" && parts[4] == "transfers":
		return s.page(s.since(s.transfers[q.Get("chain")+parts[2]], q), q)
	case len(parts) == 5 && parts[2] == "nft":
		return s.token(q.Get("chain"), parts[3], parts[4])
	}
	return Answer{Status: 404, Body: []byte(`{"message":"Cannot find ` + u.Path + `"}`)}
}

// page returns a page of items. The cursor holds the number of items before it.
func (s *Server) page(items []Item, q url.Values) Answer {
	size := s.PageSize
	if size == 0 {
		size = 100
	}
	from := 0
	if cursor := q.Get("cursor"); cursor != "" {
		if _, err := fmt.Sscanf(cursor, "after/%d+more=", &from); err != nil {
			return Answer{Status: 400, Body: []byte(`{"message":"Invalid cursor"}`)}
		}
	}
	from = min(from, len(items))
	to := min(from+size, len(items))
	var cursor any
	if to < len(items) {
		cursor = fmt.Sprintf("after/%d+more=", to) // must be escaped in a query
	}
	result := items[from:to]
	if result == nil {
		result = []Item{}
	}
	return JSON(map[string]any{"status": "SYNCED", "page": from/size + 1, "page_size": size, "cursor": cursor, "result": result})
}

// since returns the transfers of the requested blocks.
func (s *Server) since(transfers []Item, q url.Values) (rest []Item) {
	from, _ := strconv.Atoi(q.Get("from_block")) // 0 if missing
	for _, t := range transfers {
		if block, err := strconv.Atoi(t["block_number"].(string)); err == nil && block >= from {
			rest = append(rest, t)
		}
	}
	return rest
}

// token returns the metadata of a token, from its earliest owner.
func (s *Server) token(chain, address, id string) Answer {
	for _, owned := range s.owners {
		if !strings.HasPrefix(owned, chain) {
			continue
		}
		for _, i := range s.items[owned] {
			if i["token_address"] == address && i["token_id"] == id {
				return JSON(i)
			}
		}
	}
	return Answer{Status: 404, Body: []byte(`{"message":"No metadata found for ` + address + `"}`)}
}

func (s *Server) scan(body []byte, member string, bad map[string]bool) Answer {
	var request map[string]string
	if err := json.Unmarshal(body, &request); err != nil {
		return Answer{Status: 400}
	}
	verdicts := map[string]bool{}
	for name := range strings.SplitSeq(request[member], ",") {
		verdicts[name] = bad[name]
	}
	return JSON(map[string]any{"result": verdicts})
}

// document returns the answer for a document of the rest of the web.
func (s *Server) document(name string) Answer {
	uri, err := hex.DecodeString(name)
	if err != nil {
		return Answer{Status: 400}
	}
	if a, known := s.Documents[string(uri)]; known {
		return a
	}
	return Answer{Status: 404}
}

// JSON returns an answer with value as JSON.
func JSON(value any) Answer {
	body, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return Answer{Body: body}
}

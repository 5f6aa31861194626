// Package indexer is an indexer of NFTs over an EVM network, together with the service against
// spam, for tests: it reads the logs of real ERC-721 and ERC-1155 contracts and answers over
// HTTP in the form of the public indexer. Only tests use it.
//
// Sources: ERC-721, ERC-1155 (their events); core/wallet/nft/nfttest for the answers.
//
// Invariant: it reports the owners in the network's logs at the time of the
// request.
package indexer

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"obverse/core/text"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/nft/nfttest"
	"obverse/native/test/anvil"
)

// Server is an indexer and a service against spam.
type Server struct {
	nfttest.Server
	URL   string
	chain string // name of the chain in the indexer's API
	node  string // URL of the node

	mu sync.Mutex
}

// New returns a server of the NFTs on the network of a node, under the name of its chain in the
// indexer's API. Fields of the nfttest.Server must be set before the first request. Its Hook is
// called first.
func New(node, chain string) *Server { return &Server{chain: chain, node: node} }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	exchange(w, r, func(r nfttest.Request) nfttest.Answer {
		if err := s.index(); err != nil {
			return nfttest.Answer{Status: http.StatusBadGateway, Type: "text/plain", Body: []byte(err.Error())}
		}
		return s.Answer(r)
	})
}

// Start runs a server until the test ends.
func Start(t testing.TB, network *anvil.Network, chain string) *Server {
	t.Helper()
	s := New(network.URL, chain)
	s.URL = serve(t, s)
	return s
}

// Serve runs simulated services on a port, for pages of any origin, until the test ends.
func Serve(t testing.TB, s *nfttest.Server) (url string) {
	t.Helper()
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { exchange(w, r, s.Answer) }))
}

func serve(t testing.TB, services http.Handler) (url string) {
	server := httptest.NewServer(services)
	t.Cleanup(server.Close)
	return server.URL
}

func exchange(w http.ResponseWriter, r *http.Request, answer func(nfttest.Request) nfttest.Answer) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Access-Control-Allow-Headers", "Content-Type, X-Auth-Payload")
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Method == http.MethodOptions {
		return // the client has disconnected, or this is a preflight request
	}
	request := nfttest.Request{Method: r.Method, URL: "http://" + r.Host + r.URL.RequestURI(), Body: body, Header: map[string]string{}}
	for name := range r.Header {
		request.Header[name] = r.Header.Get(name)
	}
	a := answer(request)
	if a.Err != nil {
		panic(http.ErrAbortHandler) // closes the connection
	}
	w.Header().Set("Content-Type", a.Type)
	if a.Status == http.StatusFound {
		w.Header().Set("Location", string(a.Body))
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body) // fails only if the client hung up
}

// Events, by the Keccak-256 of their signatures.
var (
	transfer       = topic("Transfer(address,address,uint256)")
	transferSingle = topic("TransferSingle(address,address,address,uint256,uint256)")
	transferBatch  = topic("TransferBatch(address,address,address,uint256[],uint256[])")
)

func topic(signature string) string {
	sum := address.Keccak([]byte(signature))
	return text.Hex(sum[:])
}

// log is an event of a contract.
type log struct {
	Address     string
	Topics      []string
	Data        string
	Block       string `json:"blockNumber"`
	BlockHash   string
	Transaction string `json:"transactionHash"`
	TxIndex     string `json:"transactionIndex"`
	Index       string `json:"logIndex"`
}

// held is the amount of a token that an owner holds, and the block of the last change.
type held struct {
	contract, kind string
	id             string
	amount         *big.Int
	block          string // decimal number
	minted         string
}

// books holds the owners of the tokens according to the logs.
type books struct {
	holdings  map[string]map[string]*held // by owner, contract and id
	transfers map[string][]nfttest.Item   // by wallet
}

// index reads all logs again.
func (s *Server) index() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var logs []log
	filter := map[string]any{"fromBlock": "0x0", "toBlock": "latest", "topics": []any{[]string{transfer, transferSingle, transferBatch}}}
	if err := s.ask(&logs, "eth_getLogs", filter); err != nil {
		return err
	}
	b := books{map[string]map[string]*held{}, map[string][]nfttest.Item{}}
	times := map[string]string{}
	for _, l := range logs {
		if times[l.Block] == "" {
			at, err := s.time(l.Block)
			if err != nil {
				return err
			}
			times[l.Block] = at
		}
		if err := b.enter(l, times[l.Block]); err != nil {
			return err
		}
	}
	for owner, tokens := range b.holdings {
		items, err := s.items(owner, tokens)
		if err != nil {
			return err
		}
		s.Hold(s.chain, owner, items...)
	}
	for wallet, transfers := range b.transfers {
		s.Moved(s.chain, wallet, transfers...)
	}
	return nil
}

var errLog = errors.New("log of another event")

// enter applies a transfer event.
func (b books) enter(l log, at string) error {
	words, err := wordsOf(l.Data)
	if err != nil {
		return err
	}
	switch {
	case l.Topics[0] == transfer && len(l.Topics) == 4:
		return b.move(l, at, "ERC721", l.Topics[1], l.Topics[2], l.Topics[3], big.NewInt(1))
	case l.Topics[0] == transfer: // a transfer of an ERC-20 token
		return nil
	case len(l.Topics) != 4:
		return errLog
	case l.Topics[0] == transferSingle && len(words) == 2:
		return b.move(l, at, "ERC1155", l.Topics[2], l.Topics[3], "0x"+words[0].Text(16), words[1])
	case l.Topics[0] == transferBatch && len(words) >= 4:
		count := int(words[2].Int64())
		if len(words) != 4+2*count {
			return errLog
		}
		for n := range count {
			if err := b.move(l, at, "ERC1155", l.Topics[2], l.Topics[3], "0x"+words[3+n].Text(16), words[4+count+n]); err != nil {
				return err
			}
		}
		return nil
	}
	return errLog
}

const zeroAddress = "0x0000000000000000000000000000000000000000"

func (b books) move(l log, at, kind, from, to, id string, amount *big.Int) error {
	from, to = "0x"+from[len(from)-40:], "0x"+to[len(to)-40:]
	number, ok := new(big.Int).SetString(id, 0)
	block, fine := new(big.Int).SetString(l.Block, 0)
	index, good := new(big.Int).SetString(l.Index, 0)
	if !ok || !fine || !good {
		return errLog
	}
	item := nfttest.NewTransfer(l.Address, number.String(), kind, amount.String(), from, to, int(block.Int64()), int(index.Int64())).
		With("block_timestamp", at, "block_hash", l.BlockHash, "transaction_hash", l.Transaction)
	key := l.Address + "," + number.String()
	for _, side := range []struct {
		who  string
		sign int64
	}{{from, -1}, {to, 1}} {
		if side.who == zeroAddress {
			continue
		}
		if b.holdings[side.who] == nil {
			b.holdings[side.who] = map[string]*held{}
		}
		h := b.holdings[side.who][key]
		if h == nil {
			h = &held{contract: l.Address, kind: kind, id: number.String(), amount: new(big.Int)}
			b.holdings[side.who][key] = h
		}
		if from == zeroAddress {
			h.minted = block.String()
		}
		h.amount.Add(h.amount, new(big.Int).Mul(amount, big.NewInt(side.sign)))
		h.block = block.String()
		if side.sign > 0 || from != to {
			b.transfers[side.who] = append(b.transfers[side.who], item)
		}
	}
	return nil
}

// items returns the tokens of an owner in the indexer's format.
func (s *Server) items(owner string, tokens map[string]*held) (items []nfttest.Item, err error) {
	var keys []string
	for key, h := range tokens {
		if h.amount.Sign() > 0 {
			keys = append(keys, key)
		}
	}
	sort.Strings(keys)
	for _, key := range keys {
		h := tokens[key]
		item := nfttest.NewItem(h.contract, h.id, h.kind, h.amount.String()).With("owner_of", owner, "block_number", h.block,
			"block_number_minted", orNull(h.minted), "name", s.text(h.contract, "name()"), "symbol", s.text(h.contract, "symbol()"))
		signature := "tokenURI(uint256)"
		if h.kind == "ERC1155" {
			signature = "uri(uint256)"
		}
		id, _ := new(big.Int).SetString(h.id, 10) // the id is always valid
		if uri, is := s.text(h.contract, signature, id).(string); is && uri != "" {
			item = item.With("token_uri", uri)
			if document, known := s.Documents[uri]; known {
				item = item.With("metadata", string(document.Body))
			}
		}
		items = append(items, item)
	}
	return items, nil
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// time returns the time of a block in the indexer's format.
func (s *Server) time(block string) (string, error) {
	var b struct{ Timestamp string }
	if err := s.ask(&b, "eth_getBlockByNumber", block, false); err != nil {
		return "", err
	}
	at, ok := new(big.Int).SetString(b.Timestamp, 0)
	if !ok {
		return "", errLog
	}
	return unix(at.Int64()), nil
}

// text calls a method of a contract that returns a text. It returns nil if the contract has no such
// method.
func (s *Server) text(contract, signature string, arguments ...*big.Int) any {
	sum := address.Keccak([]byte(signature))
	data := text.Hex(sum[:4])
	for _, n := range arguments {
		data += fmt.Sprintf("%064x", n)
	}
	var returned string
	if s.ask(&returned, "eth_call", map[string]string{"to": contract, "data": data}, "latest") != nil {
		return nil
	}
	raw, err := hex.DecodeString(strings.TrimPrefix(returned, "0x"))
	if err != nil || len(raw) < 64 {
		return nil
	}
	length := new(big.Int).SetBytes(raw[32:64])
	if !length.IsInt64() || length.Int64() > int64(len(raw)-64) {
		return nil
	}
	return string(raw[64 : 64+length.Int64()])
}

func wordsOf(data string) (words []*big.Int, err error) {
	raw, err := hex.DecodeString(strings.TrimPrefix(data, "0x"))
	if err != nil || len(raw)%32 != 0 {
		return nil, errLog
	}
	for ; len(raw) > 0; raw = raw[32:] {
		words = append(words, new(big.Int).SetBytes(raw[:32]))
	}
	return words, nil
}

// ask calls a method of the node.
func (s *Server) ask(result any, method string, params ...any) error {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return err
	}
	response, err := http.Post(s.node, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var answer struct{ Result, Error json.RawMessage }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return err
	}
	if answer.Error != nil {
		return fmt.Errorf("%s: %s", method, answer.Error)
	}
	return json.Unmarshal(answer.Result, result)
}

func unix(seconds int64) string {
	return time.Unix(seconds, 0).UTC().Format("2006-01-02T15:04:05.000Z")
}

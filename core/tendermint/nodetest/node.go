// Package nodetest is a node of a Cosmos chain for tests: it answers as the real ones did
// whose answers are recorded, with balances and a height that a test may change, and it
// can be ill in every way. A test reaches it in process, as a fetch.Fetcher and a
// fetch.Dialer, or puts it behind a server of its own. It checks no signature and makes
// no blocks.
//
// Sources: the recordings in core/tendermint/testdata, of gaiad 7 and iris 1.4.
//
// Invariant: what no test has changed is answered as it was recorded.
package nodetest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/tendermint/wire"
)

// Account is a key that everybody knows.
type Account struct {
	Address    string
	Passphrase string // of a node that has this key
}

// Node is a node. Its methods may be called by many goroutines.
type Node struct {
	Denom    string
	Prefix   string
	Accounts map[string]Account
	Vouchers []string // denoms

	mu       sync.Mutex
	chainID  string
	height   int64
	balances map[string]map[string]string // units by address and denom
	vesting  map[string]map[string]string // what is locked, likewise
	recorded map[string]json.RawMessage   // results by method and parameters
	accounts map[string]json.RawMessage   // answers about accounts, by address
	simulate json.RawMessage
	history  string         // the file with the rest, which is long; "": it was read
	lines    map[*line]bool // open websockets
	asked    map[string]int // by method, and by the path of a query
	sent     [][]byte
}

// Open reads a recorded chain, gaiad or iris, from the folder of the recordings.
func Open(t testing.TB, folder, kind string) *Node {
	t.Helper()
	var facts struct {
		ChainID  string `json:"chain_id"`
		Denom    string
		Prefix   string
		Height   int64
		Accounts map[string]Account
		Balances map[string][]wire.Coin
		Vouchers []struct{ Denom string }
	}
	read(t, filepath.Join(folder, kind, "chain.json"), &facts)
	n := &Node{Denom: facts.Denom, Prefix: facts.Prefix, Accounts: facts.Accounts, chainID: facts.ChainID, height: facts.Height,
		balances: map[string]map[string]string{}, vesting: map[string]map[string]string{}, recorded: map[string]json.RawMessage{},
		accounts: map[string]json.RawMessage{}, lines: map[*line]bool{}, asked: map[string]int{}}
	for name, coins := range facts.Balances {
		held := map[string]string{}
		for _, c := range coins {
			held[c.Denom] = c.Amount
		}
		n.balances[facts.Accounts[name].Address] = held
	}
	for _, v := range facts.Vouchers {
		n.Vouchers = append(n.Vouchers, v.Denom)
	}
	for _, name := range []string{"rpc.json", "query.json", "broadcast.json"} {
		require.NoError(t, n.learn(filepath.Join(folder, kind, name)))
	}
	require.NotNil(t, n.simulate, "the recordings have a simulation")
	n.history = filepath.Join(folder, kind, "history.json")
	return n
}

func read(t testing.TB, path string, into any) {
	t.Helper()
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(file, into))
}

// learn reads the calls of a file.
func (n *Node) learn(path string) error {
	var calls []struct {
		Name     string
		Path     string // set: not what a client sends
		Request  json.RawMessage
		Response json.RawMessage
	}
	file, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(file, &calls); err != nil {
		return err
	}
	for _, c := range calls {
		var r request
		var response struct{ Result json.RawMessage }
		if c.Path != "" || json.Unmarshal(c.Request, &r) != nil || json.Unmarshal(c.Response, &response) != nil || response.Result == nil {
			continue
		}
		n.recorded[r.key()] = response.Result
		switch address := r.about(); {
		case c.Name == "simulate: coin":
			n.simulate = response.Result
		case address != "" && r.path() == wire.PathAccount:
			n.accounts[address] = response.Result
		}
	}
	return nil
}

// request is one of JSON-RPC.
type request struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Path, Data  string
		Query, Page string
		PerPage     string `json:"per_page"`
		Order       string `json:"order_by"`
		Height      string
		Hash        []byte
		Tx          []byte
	}
}

// key is the same for requests that mean the same.
func (r request) key() string {
	p := r.Params
	return fmt.Sprint(r.Method, p.Path, strings.ToUpper(p.Data), p.Query, p.Page, p.PerPage, p.Order, p.Height, hex.EncodeToString(p.Hash), p.Tx)
}

func (r request) path() string { return r.Params.Path }

// about is the address that a query is about.
func (r request) about() string {
	data, err := hex.DecodeString(r.Params.Data)
	var q wire.AccountRequest // which all of them begin with
	if err != nil || wire.Decode(data, &q) != nil {
		return ""
	}
	return q.Address
}

// OnChain lets the node say that it is on another chain.
func (n *Node) OnChain(id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.chainID = id
}

// SetHeight changes the newest block.
func (n *Node) SetHeight(height int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.height = height
}

// Give changes what an address holds, in units.
func (n *Node) Give(address, denom, units string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	give(n.balances, address, denom, units)
}

// Lock makes an account a vesting one that cannot spend so much of a denom, on a chain
// that can say so.
func (n *Node) Lock(address, denom, units string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	give(n.vesting, address, denom, units)
}

func give(table map[string]map[string]string, address, denom, units string) {
	if table[address] == nil {
		table[address] = map[string]string{}
	}
	table[address][denom] = units
}

// Asked counts the requests of a method, or of a query's path, that arrived.
func (n *Node) Asked(what string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.asked[what]
}

// Sent are the transactions that were broadcast.
func (n *Node) Sent() [][]byte {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([][]byte(nil), n.sent...)
}

// Answer answers the body of a POST as JSON.
func (n *Node) Answer(body []byte) []byte {
	var r request
	if err := json.Unmarshal(body, &r); err != nil {
		return []byte(`{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error. Invalid JSON","data":"error unmarshaling request"}}`)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked[r.Method]++
	if r.path() != "" {
		n.asked[r.path()]++
	}
	result, refusal := n.result(r)
	if refusal != "" {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"Internal error","data":%q}}`, r.ID, refusal)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, result)
}

// result is called with the lock held.
func (n *Node) result(r request) (result []byte, refusal string) {
	switch r.Method {
	case "tx", "tx_search", "block":
		if n.history != "" {
			if err := n.learn(n.history); err != nil {
				return nil, err.Error()
			}
			n.history = ""
		}
	}
	recorded, known := n.recorded[r.key()]
	switch r.Method {
	case "status":
		return set(recorded, map[string]any{"node_info.network": n.chainID, "sync_info.latest_block_height": strconv.FormatInt(n.height, 10),
			"sync_info.latest_block_time": time.Unix(1_800_000_000+n.height, 0).UTC()}), ""
	case "abci_info":
		return set(recorded, map[string]any{"response.last_block_height": strconv.FormatInt(n.height, 10)}), ""
	case "abci_query":
		return n.query(r), ""
	case "broadcast_tx_sync":
		if known {
			return recorded, ""
		}
		var t wire.Tx
		if err := wire.Decode(r.Params.Tx, &t); err != nil || t.Body == nil || t.AuthInfo == nil {
			return fmt.Appendf(nil, `{"code":2,"data":"","log":"tx parse error","codespace":"sdk","hash":"%X"}`, sha256.Sum256(r.Params.Tx)), ""
		}
		n.sent = append(n.sent, r.Params.Tx)
		return fmt.Appendf(nil, `{"code":0,"data":"","log":"[]","codespace":"","hash":"%X"}`, sha256.Sum256(r.Params.Tx)), ""
	case "tx":
		if !known {
			return nil, fmt.Sprintf("tx (%X) not found", r.Params.Hash)
		}
	case "tx_search":
		if !known {
			return []byte(`{"txs":[],"total_count":"0"}`), ""
		}
	}
	if !known {
		return nil, "there is no recording of this"
	}
	return recorded, ""
}

// query answers a question for the chain's state.
func (n *Node) query(r request) []byte {
	data, _ := hex.DecodeString(r.Params.Data) // nonsense is about nobody
	switch r.path() {
	case wire.PathBalance:
		var q wire.BalanceRequest
		if wire.Decode(data, &q) == nil && strings.HasPrefix(q.Address, n.Prefix+"1") && q.Denom != "" {
			amount := n.balances[q.Address][q.Denom]
			if amount == "" {
				amount = "0"
			}
			return n.value(&wire.BalanceResponse{Balance: wire.Coin{Denom: q.Denom, Amount: amount}})
		}
	case wire.PathAccount:
		address := r.about()
		if n.vesting[address] != nil {
			return n.value(&wire.AccountResponse{Account: wire.Any{TypeURL: "/cosmos.vesting.v1beta1.DelayedVestingAccount"}})
		}
		if known := n.accounts[address]; known != nil {
			return n.now(known)
		}
		if n.balances[address] != nil {
			return n.value(&wire.AccountResponse{Account: wire.Pack(&wire.BaseAccount{Address: address, Number: 7})})
		}
		return fmt.Appendf(nil, `{"response":{"code":22,"log":"rpc error: code = NotFound desc = account %s not found: key not found",`+
			`"info":"","index":"0","key":null,"value":null,"proofOps":null,"height":"%d","codespace":"sdk"}}`, address, n.height)
	case wire.PathSpendableBalances:
		if locked := n.vesting[r.about()]; locked != nil {
			return n.value(n.spendable(r.about(), locked))
		}
	case wire.PathSimulate:
		return n.now(n.simulate)
	}
	if recorded, known := n.recorded[r.key()]; known {
		return n.now(recorded)
	}
	return []byte(`{"response":{"code":6,"log":"unknown query path: unknown request","info":"","index":"0","key":null,"value":null,"proofOps":null,"height":"0","codespace":"sdk"}}`)
}

// now makes a recorded answer one of the newest block.
func (n *Node) now(recorded []byte) []byte {
	return set(recorded, map[string]any{"response.height": strconv.FormatInt(n.height, 10)})
}

func (n *Node) spendable(address string, locked map[string]string) *wire.AllBalancesResponse {
	var r wire.AllBalancesResponse
	for denom, amount := range n.balances[address] {
		units, _ := new(big.Int).SetString(amount, 10)
		if less, is := new(big.Int).SetString(locked[denom], 10); is {
			units.Sub(units, less)
		}
		if units.Sign() > 0 {
			r.Balances = append(r.Balances, wire.Coin{Denom: denom, Amount: units.String()})
		}
	}
	return &r
}

// value is an answer of the chain's state.
func (n *Node) value(m wire.Message) []byte {
	return fmt.Appendf(nil, `{"response":{"code":0,"log":"","info":"","index":"0","key":null,"value":%q,"proofOps":null,"height":"%d","codespace":""}}`,
		base64.StdEncoding.EncodeToString(wire.Encode(m)), n.height)
}

// set replaces members of an object, by their paths. Numbers stay as they are written.
func set(object []byte, members map[string]any) []byte {
	decoder := json.NewDecoder(bytes.NewReader(object))
	decoder.UseNumber()
	var whole map[string]any
	if err := decoder.Decode(&whole); err != nil {
		panic(err) // it was recorded
	}
	for path, value := range members {
		at := whole
		names := strings.Split(path, ".")
		for _, name := range names[:len(names)-1] {
			at = at[name].(map[string]any)
		}
		at[names[len(names)-1]] = value
	}
	raw, err := json.Marshal(whole)
	if err != nil {
		panic(err)
	}
	return raw
}

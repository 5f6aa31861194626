// Package nodetest implements a node of a Cosmos chain for tests. It replays the recorded
// answers of real nodes, with balances and a height that a test may change, and can simulate
// many kinds of failures. A test uses it in process, as a fetch.Fetcher and a fetch.Dialer, or
// behind a server of its own. The node checks no signatures and makes no blocks.
//
// Sources: the recordings in core/wallet/cosmos/testdata, of gaiad 7 and iris 1.4.
//
// Invariant: Answers are as recorded, except for data that the test has changed.
package nodetest

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/cosmos/wire"
)

// Account is an account with a publicly known key.
type Account struct {
	Address    string
	Passphrase string // passphrase of a node with this key
}

// Node is a simulated node. Its methods are safe for concurrent use.
type Node struct {
	Denom    string
	Prefix   string
	Accounts map[string]Account
	Vouchers []string // denoms

	mu       sync.Mutex
	chainID  string
	height   int64
	balances map[string]map[string]string // units by address and denom
	vesting  map[string]map[string]string // locked units by address and denom
	recorded map[string]json.RawMessage   // results by method and parameters
	accounts map[string]json.RawMessage   // answers about accounts, by address
	simulate json.RawMessage
	found    map[string][]json.RawMessage // transactions by search
	history  string                       // file with the rest, which is long; "" if it was read
	lines    map[*line]bool               // open websockets
	counts   map[string]int               // number of calls by method and by path of a query
	sent     [][]byte
	silent   bool // whether it received Hush
}

// Hush is a transaction after which a node refuses all requests. It is for tests that can reach
// a node only through other code.
const Hush = "hush"

// Open returns a node of a recorded chain, gaiad or iris, from the folder of the recordings.
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
		accounts: map[string]json.RawMessage{}, found: map[string][]json.RawMessage{}, lines: map[*line]bool{}, counts: map[string]int{}}
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

// learn adds the answers of a file to the node.
func (n *Node) learn(path string) error {
	known, err := callsOf(path)
	if err != nil {
		return err
	}
	maps.Copy(n.recorded, known.recorded)
	maps.Copy(n.accounts, known.accounts)
	maps.Copy(n.found, known.found)
	if known.simulate != nil {
		n.simulate = known.simulate
	}
	return nil
}

// request is a JSON-RPC request.
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

// key returns a text that is equal for equivalent requests.
func (r request) key() string {
	p := r.Params
	return fmt.Sprint(r.Method, p.Path, strings.ToUpper(p.Data), p.Query, p.Page, p.PerPage, p.Order, p.Height, hex.EncodeToString(p.Hash), p.Tx)
}

func (r request) path() string { return r.Params.Path }

// about returns the address in a query.
func (r request) about() string {
	data, err := hex.DecodeString(r.Params.Data)
	var q wire.AccountRequest // all requests begin with the address
	if err != nil || wire.Decode(data, &q) != nil {
		return ""
	}
	return q.Address
}

// OnChain sets the id of the chain that the node reports.
func (n *Node) OnChain(id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.chainID = id
}

// SetHeight sets the height of the newest block.
func (n *Node) SetHeight(height int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.height = height
}

// Give sets the balance of an address, in units.
func (n *Node) Give(address, denom, units string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	give(n.balances, address, denom, units)
}

// Lock makes an account a vesting account that cannot spend an amount of a denom, on a chain
// that reports this.
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

// CallCount returns the number of requests of a method or of a query's path.
func (n *Node) CallCount(what string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.counts[what]
}

// Sent returns the transactions that were broadcast.
func (n *Node) Sent() [][]byte {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([][]byte(nil), n.sent...)
}

// Package nodetest makes up nodes of EVM networks in process, for tests of those who ask
// them. What it answers has the forms that a real node, Foundry's anvil, was recorded
// with; its accounts and contracts are what a test says. It is no EVM: contracts know
// a few functions that read, and a transaction changes nothing but the nonce of its sender.
//
// Invariant: a node answers as it was set up, whatever it was asked before.
package nodetest

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"

	"obverse/core/net/fetch"
	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/wire"
	"obverse/core/wallet/tendermint/nodetest"
)

// Node is a made-up node. It may be used by many goroutines.
type Node struct {
	mu       sync.Mutex
	chain    uint64
	height   uint64
	base     *big.Int // of the next block; nil: an older network
	tip      *big.Int
	gas      uint64
	syncing  bool
	single   bool // it takes no batches
	coins    map[address.Address]*big.Int
	tokens   map[address.Address]*Token
	nonces   map[address.Address]uint64
	receipts map[string]uint64 // heights of transactions, by hash
	waiting  map[string][]byte // those that wait for a block
	whole    map[string]signed // that it can show whole, by hash
	refusal  string            // of transactions; "": they are taken
	fails    map[string]string // errors of methods, as JSON
	asked    map[string]int
	requests int
}

// Token is a contract.
type Token struct {
	Decimals uint8
	Balances map[address.Address]*big.Int
	Symbol   []byte // as its function returns it
	Allowed  *big.Int
	Owner    address.Address // of NFTs of any id
}

// New is a node of a network that has made so many blocks.
func New(chain, height uint64) *Node {
	return &Node{chain: chain, height: height, base: big.NewInt(1_000_000_000), tip: big.NewInt(100_000_000), gas: 21_000,
		coins: map[address.Address]*big.Int{}, tokens: map[address.Address]*Token{}, nonces: map[address.Address]uint64{},
		receipts: map[string]uint64{}, waiting: map[string][]byte{}, whole: map[string]signed{}, fails: map[string]string{}, asked: map[string]int{}}
}

// Set changes what the node is.
func (n *Node) set(change func()) *Node {
	n.mu.Lock()
	defer n.mu.Unlock()
	change()
	return n
}

// At sets the newest block.
func (n *Node) At(height uint64) *Node { return n.set(func() { n.height = height }) }

// Syncing makes it say that it does not have all blocks.
func (n *Node) Syncing() *Node { return n.set(func() { n.syncing = true }) }

// Single makes it refuse batches.
func (n *Node) Single() *Node { return n.set(func() { n.single = true }) }

// Price sets the network's price of gas and what others give beyond it; nil: an older
// network, on which the tip is the price.
func (n *Node) Price(base, tip *big.Int) *Node { return n.set(func() { n.base, n.tip = base, tip }) }

// Gas is what every estimate says.
func (n *Node) Gas(gas uint64) *Node { return n.set(func() { n.gas = gas }) }

// Refuse makes it refuse transactions with a message; "": no more.
func (n *Node) Refuse(message string) *Node { return n.set(func() { n.refusal = message }) }

// Fail makes a method fail with an error of JSON-RPC, as JSON; "": no more.
func (n *Node) Fail(method, failure string) *Node { return n.set(func() { n.fails[method] = failure }) }

// Give sets what an account has of the coin.
func (n *Node) Give(of string, wei string) *Node {
	return n.set(func() { n.coins[parse(of)] = whole(wei) })
}

// Deploy puts a token at an address.
func (n *Node) Deploy(at string, decimals uint8) *Node {
	return n.set(func() { n.tokens[parse(at)] = &Token{Decimals: decimals, Balances: map[address.Address]*big.Int{}} })
}

// GiveToken sets what an account has of a token.
func (n *Node) GiveToken(at, of, units string) *Node {
	return n.set(func() { n.tokens[parse(at)].Balances[parse(of)] = whole(units) })
}

// Name sets what the contract of a token returns as its symbol.
func (n *Node) Name(at string, symbol []byte) *Node {
	return n.set(func() { n.tokens[parse(at)].Symbol = symbol })
}

// Allow sets what everybody may take of everybody's tokens.
func (n *Node) Allow(at, units string) *Node {
	return n.set(func() { n.tokens[parse(at)].Allowed = whole(units) })
}

// Own sets whose the NFTs of a contract are; of ERC-1155 everybody has as many as of the
// token.
func (n *Node) Own(at, owner string) *Node {
	return n.set(func() { n.tokens[parse(at)].Owner = parse(owner) })
}

// Nonce sets how many transactions an account has sent.
func (n *Node) Nonce(of string, nonce uint64) *Node {
	return n.set(func() { n.nonces[parse(of)] = nonce })
}

// Mine puts the transactions that wait into a new block.
func (n *Node) Mine() *Node {
	return n.set(func() {
		n.height++
		for hash, raw := range n.waiting {
			n.receipts[hash] = n.height
			if sent, err := wire.Decode(raw); err == nil {
				n.nonces[sent.From] = max(n.nonces[sent.From], sent.Nonce+1)
			}
		}
		clear(n.waiting)
	})
}

// Sent counts the transactions that the node has.
func (n *Node) Sent() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.waiting) + len(n.receipts)
}

// Nonces lists those of an account's transactions that wait, in order.
func (n *Node) Nonces(of string) (nonces []uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, raw := range n.waiting {
		if sent, err := wire.Decode(raw); err == nil && sent.From == parse(of) {
			nonces = append(nonces, sent.Nonce)
		}
	}
	slices.Sort(nonces)
	return nonces
}

// Raw is a transaction of an account that waits; nil: none does.
func (n *Node) Raw(of string) []byte {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, raw := range n.waiting {
		if sent, err := wire.Decode(raw); err == nil && sent.From == parse(of) {
			return raw
		}
	}
	return nil
}

// Asked counts the calls of a method.
func (n *Node) Asked(method string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.asked[method]
}

// Requests counts what was sent to the node: a batch is one.
func (n *Node) Requests() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.requests
}

func parse(text string) address.Address {
	a, err := address.Parse(text)
	if err != nil {
		panic(err) // a mistake of a test
	}
	return a
}

func whole(text string) *big.Int {
	n, ok := new(big.Int).SetString(text, 0)
	if !ok {
		panic("no number: " + text)
	}
	return n
}

// Well is a node that answers.
func (n *Node) Well(_ context.Context, r fetch.Request) (fetch.Response, error) {
	return fetch.Response{Status: 200, ContentType: "application/json", Body: n.Answer(r.Body)}, nil
}

var _ nodetest.Behaviour = (&Node{}).Well

type request struct {
	ID     json.RawMessage
	Method string
	Params []json.RawMessage
}

// Answer answers the body of a POST.
func (n *Node) Answer(body []byte) []byte {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.requests++
	var list []request
	if json.Unmarshal(body, &list) != nil {
		var one request
		if err := json.Unmarshal(body, &one); err != nil {
			return []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`)
		}
		return n.one(one)
	}
	if n.single {
		return []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batches are not allowed"}}`)
	}
	answers := make([]string, len(list))
	for i, r := range list {
		answers[len(list)-1-i] = string(n.one(r)) // any order is right
	}
	return []byte("[" + strings.Join(answers, ",") + "]")
}

func (n *Node) one(r request) []byte {
	n.asked[r.Method]++
	if failure := n.fails[r.Method]; failure != "" {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, r.ID, failure)
	}
	result, refusal := n.result(r)
	if refusal != "" {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, r.ID, refusal)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, result)
}

// result is called with the lock held.
func (n *Node) result(r request) (result, refusal string) {
	switch r.Method {
	case "eth_chainId":
		return number(n.chain), ""
	case "eth_blockNumber":
		return number(n.height), ""
	case "eth_syncing":
		if n.syncing {
			return `{"startingBlock":"0x1","currentBlock":"0x2","highestBlock":"0x3"}`, ""
		}
		return "false", ""
	case "eth_getBalance":
		return quantity(n.coins[r.address(0)]), ""
	case "eth_call":
		return n.call(r)
	case "eth_gasPrice":
		if n.base == nil {
			return quantity(n.tip), ""
		}
		return quantity(new(big.Int).Add(n.base, n.tip)), ""
	case "eth_feeHistory":
		return n.fees()
	case "eth_estimateGas":
		return number(n.gas), ""
	case "eth_getTransactionCount":
		return n.count(r), ""
	case "eth_sendRawTransaction":
		return n.send(r)
	case "eth_getTransactionReceipt", "eth_getTransactionByHash":
		return n.find(r), ""
	}
	return "", `{"code":-32601,"message":"Method not found"}`
}

func (n *Node) fees() (result, refusal string) {
	if n.base == nil {
		return "", `{"code":-32601,"message":"the method eth_feeHistory does not exist/is not available"}`
	}
	return fmt.Sprintf(`{"oldestBlock":%s,"baseFeePerGas":[%s,%s],"gasUsedRatio":[0.5],"reward":[[%s]]}`,
		number(n.height), quantity(n.base), quantity(n.base), quantity(n.tip)), ""
}

// call runs a contract's function.
func (n *Node) call(r request) (result, refusal string) {
	var to struct{ To, Data string }
	_ = json.Unmarshal(r.Params[0], &to) // nonsense is no contract
	data, _ := hex.DecodeString(strings.TrimPrefix(to.Data, "0x"))
	token := n.tokens[parse(to.To)]
	switch {
	case token == nil:
		return `"0x"`, ""
	case string(data) == string(abi.Call(abi.Decimals)):
		return word(big.NewInt(int64(token.Decimals))), ""
	case string(data) == string(abi.Call(abi.Symbol)):
		return `"0x` + hex.EncodeToString(token.Symbol) + `"`, ""
	case len(data) == 68 && token.Allowed != nil && string(data[:4]) == string(abi.Call(abi.Allowance)):
		return word(token.Allowed), ""
	case len(data) == 36 && string(data[:4]) == string(abi.Call(abi.OwnerOf)) && !token.Owner.IsZero():
		return word(new(big.Int).SetBytes(token.Owner[:])), ""
	case len(data) == 68 && string(data[:4]) == string(abi.Call(abi.BalanceOfID)):
		var of address.Address
		copy(of[:], data[16:])
		return word(token.Balances[of]), ""
	case len(data) == 36 && string(data[:4]) == string(abi.Call(abi.BalanceOf)):
		var of address.Address
		copy(of[:], data[16:])
		return word(token.Balances[of]), ""
	}
	return "", `{"code":3,"message":"execution reverted","data":"0x"}`
}

// count is a nonce, with what waits if that is asked for.
func (n *Node) count(r request) string {
	of := r.address(0)
	nonce := n.nonces[of]
	if string(r.Params[1]) == `"pending"` {
		for _, raw := range n.waiting {
			if sent, err := wire.Decode(raw); err == nil && sent.From == of {
				nonce = max(nonce, sent.Nonce+1)
			}
		}
	}
	return number(nonce)
}

func (n *Node) send(r request) (result, refusal string) {
	var text string
	_ = json.Unmarshal(r.Params[0], &text) // nonsense has no bytes
	raw, _ := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	hash := wire.Hash(raw)
	name := "0x" + hex.EncodeToString(hash[:])
	switch {
	case n.refusal != "":
		return "", fmt.Sprintf(`{"code":-32000,"message":%q}`, n.refusal)
	case n.waiting[name] != nil:
		return "", `{"code":-32000,"message":"already known"}`
	case n.receipts[name] != 0:
		return "", `{"code":-32000,"message":"nonce too low: next nonce 1, tx nonce 0"}`
	case n.taken(raw):
		return "", `{"code":-32000,"message":"replacement transaction underpriced"}`
	}
	n.waiting[name] = raw
	return `"` + name + `"`, ""
}

// taken reports whether a transaction waits that has the sender and the nonce of another.
func (n *Node) taken(raw []byte) bool {
	other, err := wire.Decode(raw)
	for _, waits := range n.waiting {
		if sent, failed := wire.Decode(waits); err == nil && failed == nil && sent.From == other.From && sent.Nonce == other.Nonce {
			return true
		}
	}
	return false
}

// find is a receipt, or a transaction.
func (n *Node) find(r request) string {
	var name string
	_ = json.Unmarshal(r.Params[0], &name) // nonsense is no transaction
	height, done := n.receipts[name]
	if !done && (r.Method == "eth_getTransactionReceipt" || n.waiting[name] == nil) {
		return "null"
	}
	if s, is := n.whole[name]; is && r.Method == "eth_getTransactionByHash" {
		return s.show(name)
	}
	if !done {
		return fmt.Sprintf(`{"hash":%q,"blockNumber":null}`, name)
	}
	return fmt.Sprintf(`{"transactionHash":%q,"blockNumber":%s,"status":"0x1","gasUsed":"0x5208"}`, name, number(height))
}

func (r request) address(i int) address.Address {
	var text string
	if i >= len(r.Params) || json.Unmarshal(r.Params[i], &text) != nil {
		return address.Address{}
	}
	return parse(text)
}

func number(n uint64) string { return quantity(new(big.Int).SetUint64(n)) }

func quantity(n *big.Int) string {
	if n == nil {
		n = new(big.Int)
	}
	return `"0x` + n.Text(16) + `"`
}

func word(n *big.Int) string {
	if n == nil {
		n = new(big.Int)
	}
	w := abi.Uint(n)
	return `"0x` + hex.EncodeToString(w[:]) + `"`
}

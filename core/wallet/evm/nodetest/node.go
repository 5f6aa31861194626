// Package nodetest simulates nodes of EVM networks in process, for tests of their clients. The
// answers have the formats of a recorded node, Foundry's anvil. The test sets the accounts and
// contracts. The package is not an EVM: contracts have a few read-only functions, and a
// transaction only changes the nonce of its sender.
//
// Invariant: The answers of a node depend only on its settings, not on earlier requests.
package nodetest

import (
	"math/big"
	"slices"
	"sync"
	"time"

	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/wire"
)

// Node is a simulated node. It is safe for concurrent use.
type Node struct {
	mu        sync.Mutex
	chain     uint64
	height    uint64
	base      *big.Int // base fee of the next block; nil means an older network
	tip       *big.Int
	gas       uint64
	suggested *big.Int // suggested tip; nil means that the node lacks the method

	transferGas  uint64   // gas of the simplest transaction
	dataFee      *big.Int // nil if the network is not a rollup
	dataFunction uint32   // function with which its oracle returns the fee
	operatorFee  func(gas uint64) *big.Int

	syncing   bool
	single    bool // whether it rejects batches
	coins     map[address.Address]*big.Int
	tokens    map[address.Address]*Token
	delegated map[address.Address]bool // addresses with code of EIP-7702
	nonces    map[address.Address]uint64
	receipts  map[string]uint64          // heights of transactions, by hash
	logs      map[string]string          // logs of transactions in blocks, as JSON, by hash
	waiting   map[string][]byte          // pending transactions
	whole     map[string]signed          // transactions that can be returned in full, by hash
	senders   map[string]address.Address // senders of transactions in blocks
	times     map[uint64]int64           // times of blocks, in seconds
	unindexed bool                       // whether it finds no transaction of a block by its hash
	refusal   string                     // error text for transactions; "" means that they are accepted
	fails     map[string]string          // errors of methods, as JSON
	counts    map[string]int
	requests  int
}

// Token is the state of a simulated token contract.
type Token struct {
	Decimals uint8
	Balances map[address.Address]*big.Int
	Symbol   []byte // result of its function
	Allowed  *big.Int
	Owner    address.Address // owner of NFTs with any id
	Broken   string          // result of all its functions: an error as JSON, or a result; "" means none
	Returned []byte          // result of functions that change something
}

// New returns a node of a network with the given number of blocks.
func New(chain, height uint64) *Node {
	return &Node{chain: chain, height: height, base: big.NewInt(1_000_000_000), tip: big.NewInt(100_000_000), gas: 21_000, transferGas: 21_000,
		coins: map[address.Address]*big.Int{}, tokens: map[address.Address]*Token{}, delegated: map[address.Address]bool{}, nonces: map[address.Address]uint64{},
		receipts: map[string]uint64{}, logs: map[string]string{}, waiting: map[string][]byte{}, whole: map[string]signed{}, senders: map[string]address.Address{}, times: map[uint64]int64{height: time.Now().Unix()}, fails: map[string]string{}, counts: map[string]int{}}
}

// set changes the settings of the node.
func (n *Node) set(change func()) *Node {
	n.mu.Lock()
	defer n.mu.Unlock()
	change()
	return n
}

// At sets the height of the newest block.
func (n *Node) At(height uint64) *Node {
	return n.set(func() { n.height, n.times[height] = height, time.Now().Unix() })
}

// Unindexed makes the node find no transaction of a block by its hash.
func (n *Node) Unindexed() *Node { return n.set(func() { n.unindexed = true }) }

// Syncing makes the node report that it is syncing.
func (n *Node) Syncing() *Node { return n.set(func() { n.syncing = true }) }

// Single makes the node reject batches.
func (n *Node) Single() *Node { return n.set(func() { n.single = true }) }

// Price sets the network's price of gas and the tip of other transactions. A nil base means an
// older network, on which the tip is the price.
func (n *Node) Price(base, tip *big.Int) *Node { return n.set(func() { n.base, n.tip = base, tip }) }

// Gas sets the result of every estimate.
func (n *Node) Gas(gas uint64) *Node { return n.set(func() { n.gas = gas }) }

// TransferGas sets the estimate of the simplest transaction.
func (n *Node) TransferGas(gas uint64) *Node { return n.set(func() { n.transferGas = gas }) }

// Suggest sets the tip that the node suggests.
func (n *Node) Suggest(tip *big.Int) *Node { return n.set(func() { n.suggested = tip }) }

// DataFee makes the network a rollup with an oracle that returns the fee with a function.
func (n *Node) DataFee(function uint32, fee *big.Int) *Node {
	return n.set(func() { n.dataFunction, n.dataFee = function, fee })
}

// OperatorFee makes the oracle of a rollup return the rollup's own fee.
func (n *Node) OperatorFee(fee func(gas uint64) *big.Int) *Node {
	return n.set(func() { n.operatorFee = fee })
}

// Return sets the result of the functions of a token that change something.
func (n *Node) Return(at string, returned []byte) *Node {
	return n.set(func() { n.tokens[parse(at)].Returned = returned })
}

// Refuse makes the node reject transactions with a message, or accept them again for "".
func (n *Node) Refuse(message string) *Node { return n.set(func() { n.refusal = message }) }

// Fail makes a method fail with a JSON-RPC error, as JSON, or succeed again for "".
func (n *Node) Fail(method, failure string) *Node { return n.set(func() { n.fails[method] = failure }) }

// Give sets the balance of an account.
func (n *Node) Give(of string, wei string) *Node {
	return n.set(func() { n.coins[parse(of)] = whole(wei) })
}

// Deploy adds a token at an address.
func (n *Node) Deploy(at string, decimals uint8) *Node {
	return n.set(func() {
		truth := abi.Uint(big.NewInt(1))
		n.tokens[parse(at)] = &Token{Decimals: decimals, Balances: map[address.Address]*big.Int{}, Returned: truth[:]}
	})
}

// Delegate gives an address the code of an account that delegates to a contract.
func (n *Node) Delegate(at string) *Node {
	return n.set(func() { n.delegated[parse(at)] = true })
}

// GiveToken sets the balance of an account in a token.
func (n *Node) GiveToken(at, of, units string) *Node {
	return n.set(func() { n.tokens[parse(at)].Balances[parse(of)] = whole(units) })
}

// Break makes all functions of a contract fail or return a result, or work again for "".
func (n *Node) Break(at, outcome string) *Node {
	return n.set(func() { n.tokens[parse(at)].Broken = outcome })
}

// Name sets the symbol of a token.
func (n *Node) Name(at string, symbol []byte) *Node {
	return n.set(func() { n.tokens[parse(at)].Symbol = symbol })
}

// Allow sets the amount of a token that every account may transfer from every other account.
func (n *Node) Allow(at, units string) *Node {
	return n.set(func() { n.tokens[parse(at)].Allowed = whole(units) })
}

// SetOwner sets the owner of the NFTs of a contract. For ERC-1155, the number of NFTs of every
// account is its balance in the token.
func (n *Node) SetOwner(at, owner string) *Node {
	return n.set(func() { n.tokens[parse(at)].Owner = parse(owner) })
}

// Nonce sets the number of transactions that an account has sent.
func (n *Node) Nonce(of string, nonce uint64) *Node {
	return n.set(func() { n.nonces[parse(of)] = nonce })
}

// Mine adds a block with the pending transactions.
func (n *Node) Mine() *Node {
	return n.set(func() {
		n.height++
		n.times[n.height] = time.Now().Unix()
		for hash, raw := range n.waiting {
			n.receipts[hash] = n.height
			if sent, err := wire.Decode(raw); err == nil {
				n.nonces[sent.From] = max(n.nonces[sent.From], sent.Nonce+1)
				n.logs[hash], n.senders[hash] = transferLog(sent), sent.From
			}
		}
		clear(n.waiting)
	})
}

// Sent returns the number of transactions that the node has.
func (n *Node) Sent() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.waiting) + len(n.receipts)
}

// Nonces returns the nonces of an account's pending transactions, in order.
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

// Raw returns a pending transaction of an account, or nil if the account has no pending one.
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

// CallCount returns the number of calls of a method.
func (n *Node) CallCount(method string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.counts[method]
}

// Requests returns the number of requests to the node. A batch is one request.
func (n *Node) Requests() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.requests
}

func parse(text string) address.Address {
	a, err := address.Parse(text)
	if err != nil {
		panic(err) // a mistake in a test
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

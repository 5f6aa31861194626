// Package nodetest makes up nodes of EVM networks in process, for tests of those who ask
// them. What it answers has the forms that a real node, Foundry's anvil, was recorded
// with; its accounts and contracts are what a test says. It is no EVM: contracts know
// a few functions that read, and a transaction changes nothing but the nonce of its sender.
//
// Invariant: a node answers as it was set up, whatever it was asked before.
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

// Node is a made-up node. It may be used by many goroutines.
type Node struct {
	mu        sync.Mutex
	chain     uint64
	height    uint64
	base      *big.Int // of the next block; nil means an older network
	tip       *big.Int
	gas       uint64
	suggested *big.Int // tip; nil means it does not know that method

	transferGas  uint64   // of the simplest transaction
	dataFee      *big.Int // nil means it is no rollup
	dataFunction uint32   // by which its oracle returns the fee
	operatorFee  func(gas uint64) *big.Int

	syncing   bool
	single    bool // it takes no batches
	coins     map[address.Address]*big.Int
	tokens    map[address.Address]*Token
	delegated map[address.Address]bool // their code is that of EIP-7702
	nonces    map[address.Address]uint64
	receipts  map[string]uint64          // heights of transactions, by hash
	logs      map[string]string          // of transactions in blocks, as JSON, by hash
	waiting   map[string][]byte          // those that wait for a block
	whole     map[string]signed          // that it can show whole, by hash
	senders   map[string]address.Address // of transactions in blocks
	times     map[uint64]int64           // of blocks, in seconds
	unindexed bool                       // it finds no transaction of a block by its hash
	refusal   string                     // of transactions; "" means they are taken
	fails     map[string]string          // errors of methods, as JSON
	counts    map[string]int
	requests  int
}

// Token is a contract.
type Token struct {
	Decimals uint8
	Balances map[address.Address]*big.Int
	Symbol   []byte // as its function returns it
	Allowed  *big.Int
	Owner    address.Address // of NFTs of any id
	Broken   string          // the outcome of all its functions: an error as JSON, or a result; "" means none
	Returned []byte          // by functions that change something
}

// New is a node of a network that has made so many blocks.
func New(chain, height uint64) *Node {
	return &Node{chain: chain, height: height, base: big.NewInt(1_000_000_000), tip: big.NewInt(100_000_000), gas: 21_000, transferGas: 21_000,
		coins: map[address.Address]*big.Int{}, tokens: map[address.Address]*Token{}, delegated: map[address.Address]bool{}, nonces: map[address.Address]uint64{},
		receipts: map[string]uint64{}, logs: map[string]string{}, waiting: map[string][]byte{}, whole: map[string]signed{}, senders: map[string]address.Address{}, times: map[uint64]int64{height: time.Now().Unix()}, fails: map[string]string{}, counts: map[string]int{}}
}

// Set changes what the node is.
func (n *Node) set(change func()) *Node {
	n.mu.Lock()
	defer n.mu.Unlock()
	change()
	return n
}

// At sets the newest block.
func (n *Node) At(height uint64) *Node {
	return n.set(func() { n.height, n.times[height] = height, time.Now().Unix() })
}

// Unindexed makes the node find no transaction of a block by its hash.
func (n *Node) Unindexed() *Node { return n.set(func() { n.unindexed = true }) }

// Syncing makes it say that it does not have all blocks.
func (n *Node) Syncing() *Node { return n.set(func() { n.syncing = true }) }

// Single makes it refuse batches.
func (n *Node) Single() *Node { return n.set(func() { n.single = true }) }

// Price sets the network's price of gas and what others give beyond it; nil means an older
// network, on which the tip is the price.
func (n *Node) Price(base, tip *big.Int) *Node { return n.set(func() { n.base, n.tip = base, tip }) }

// Gas sets the result of every estimate.
func (n *Node) Gas(gas uint64) *Node { return n.set(func() { n.gas = gas }) }

// TransferGas sets the estimate of the simplest transaction.
func (n *Node) TransferGas(gas uint64) *Node { return n.set(func() { n.transferGas = gas }) }

// Suggest sets the tip that the node suggests.
func (n *Node) Suggest(tip *big.Int) *Node { return n.set(func() { n.suggested = tip }) }

// DataFee makes the network a rollup with an oracle that returns the fee by a function.
func (n *Node) DataFee(function uint32, fee *big.Int) *Node {
	return n.set(func() { n.dataFunction, n.dataFee = function, fee })
}

// OperatorFee makes the oracle of a rollup tell what it takes for itself.
func (n *Node) OperatorFee(fee func(gas uint64) *big.Int) *Node {
	return n.set(func() { n.operatorFee = fee })
}

// Return sets what the functions of a token return that change something.
func (n *Node) Return(at string, returned []byte) *Node {
	return n.set(func() { n.tokens[parse(at)].Returned = returned })
}

// Refuse makes it refuse transactions with a message; "" means no more.
func (n *Node) Refuse(message string) *Node { return n.set(func() { n.refusal = message }) }

// Fail makes a method fail with an error of JSON-RPC, as JSON; "" means no more.
func (n *Node) Fail(method, failure string) *Node { return n.set(func() { n.fails[method] = failure }) }

// Give sets what an account has of the coin.
func (n *Node) Give(of string, wei string) *Node {
	return n.set(func() { n.coins[parse(of)] = whole(wei) })
}

// Deploy puts a token at an address.
func (n *Node) Deploy(at string, decimals uint8) *Node {
	return n.set(func() {
		truth := abi.Uint(big.NewInt(1))
		n.tokens[parse(at)] = &Token{Decimals: decimals, Balances: map[address.Address]*big.Int{}, Returned: truth[:]}
	})
}

// Delegate gives an address the code of an account that a contract acts for.
func (n *Node) Delegate(at string) *Node {
	return n.set(func() { n.delegated[parse(at)] = true })
}

// GiveToken sets what an account has of a token.
func (n *Node) GiveToken(at, of, units string) *Node {
	return n.set(func() { n.tokens[parse(at)].Balances[parse(of)] = whole(units) })
}

// Break makes all functions of a contract end in an error, or return a result; "" means as before.
func (n *Node) Break(at, outcome string) *Node {
	return n.set(func() { n.tokens[parse(at)].Broken = outcome })
}

// Name sets what the contract of a token returns as its symbol.
func (n *Node) Name(at string, symbol []byte) *Node {
	return n.set(func() { n.tokens[parse(at)].Symbol = symbol })
}

// Allow sets what everybody may take of everybody's tokens.
func (n *Node) Allow(at, units string) *Node {
	return n.set(func() { n.tokens[parse(at)].Allowed = whole(units) })
}

// SetOwner sets whose the NFTs of a contract are; of ERC-1155 everybody has as many as of the
// token.
func (n *Node) SetOwner(at, owner string) *Node {
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

// Raw is a transaction of an account that waits; nil means none does.
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

// CallCount counts the calls of a method.
func (n *Node) CallCount(method string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.counts[method]
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

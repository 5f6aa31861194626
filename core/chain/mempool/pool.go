package mempool

import (
	"bytes"
	"container/list"
	"context"
	"fmt"
	"sync"
	"time"

	"obverse/core/chain"
	"obverse/core/chain/consensus"
	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
	"obverse/core/store"
)

// Default limits of the pool.
const (
	DefaultMaxBytes = 64 << 20 // size of sixteen full blocks
	DefaultMaxCount = 100_000
)

// Config holds the dependencies and settings of a Pool. A number of 0 means the default.
type Config struct {
	Manager         *chain.Manager
	Store           store.KV // the store of the manager
	Now             func() time.Time
	DataCarrierSize int    // size limit of a relayed OP_RETURN script, in bytes
	MaxBytes        int    // total size of all transactions
	MaxCount        int    // number of transactions
	Relay           *Relay // nil means DefaultRelay
}

// Pool holds the unconfirmed transactions. Accept and Waiting are safe for concurrent use. The
// lookups must be called inside Manager.Read; their results refer to the same tip.
type Pool struct {
	manager         *chain.Manager
	kv              store.KV
	params          *params.Params
	now             func() time.Time
	dataCarrierSize int
	maxBytes        int
	maxCount        int
	relay           Relay

	// The manager's lock guards the following fields: Update and a change of the chain write
	// them, Read reads them.
	entries  map[wire.Hash]*Entry
	spenders map[wire.OutPoint]*Entry
	order    list.List // of *Entry, parents before children
	outputs  outputLists
	change   outputLists // outputs of transactions that spend a coin of the same address
	tokens   map[holding]int64
	bytes    int
	height   int    // height of the tip
	next     uint64 // sequence number of the next transaction
	epoch    uint64 // incremented when earlier examinations may have become invalid
	free     freeBytes

	// The following fields are used during a single change of the chain.
	first     uint64      // lowest sequence in use
	confirmed []wire.Hash // transactions of an extension, in order
	returned  []*Entry    // transactions of dropped blocks
	staleKeys []string    // keys of records to delete

	notifier notifier
	known    sync.Map // ids of entries, for readers that do not hold the lock
}

// holding identifies the balance of one token at one address.
type holding struct {
	id    wire.Hash
	owner chain.Address
}

// New loads the stored transactions, drops those that are in the chain or no longer valid, and
// follows the chain from then on.
func New(ctx context.Context, c Config) (*Pool, error) {
	p := &Pool{
		manager: c.Manager, kv: c.Store, params: c.Manager.Params(), now: c.Now,
		dataCarrierSize: orDefault(c.DataCarrierSize, DataCarrierSize),
		maxBytes:        orDefault(c.MaxBytes, DefaultMaxBytes),
		maxCount:        orDefault(c.MaxCount, DefaultMaxCount),
		notifier:        notifier{ready: make(chan struct{})},
	}
	p.relay = DefaultRelay()
	if c.Relay != nil {
		p.relay = *c.Relay
	}
	p.clear()
	if err := p.load(ctx); err != nil {
		return nil, fmt.Errorf("load mempool: %w", err)
	}
	c.Manager.Follow(p)
	return p, nil
}

func orDefault(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}

func (p *Pool) clear() {
	p.entries = map[wire.Hash]*Entry{}
	p.spenders = map[wire.OutPoint]*Entry{}
	p.outputs, p.change = outputLists{}, outputLists{}
	p.tokens = map[holding]int64{}
	p.known.Clear()
	p.order.Init()
	p.bytes = 0
}

// Entry returns a transaction of the pool.
func (p *Pool) Entry(id wire.Hash) (*Entry, bool) {
	e, ok := p.entries[id]
	return e, ok
}

// Has reports whether a transaction is in the pool. It is safe for concurrent use and does not
// wait for a change of the chain.
func (p *Pool) Has(id wire.Hash) bool {
	_, has := p.known.Load(id)
	return has
}

// Entries returns all transactions, parents before children.
func (p *Pool) Entries() []*Entry {
	list := make([]*Entry, 0, len(p.entries))
	for at := p.order.Front(); at != nil; at = at.Next() {
		list = append(list, at.Value.(*Entry))
	}
	return list
}

// SpentBy returns the transaction in the pool that spends an output, if any.
func (p *Pool) SpentBy(out wire.OutPoint) (id wire.Hash, spent bool) {
	e := p.spenders[out]
	if e == nil {
		return id, false
	}
	return e.ID, true
}

// Coin returns an output of a transaction in the pool, whether or not it is spent, as if the
// next block included it. Unspendable outputs are not coins.
func (p *Pool) Coin(out wire.OutPoint) (consensus.Coin, bool) {
	e := p.entries[out.Hash]
	if e == nil {
		return consensus.Coin{}, false
	}
	return e.coin(out.Index, p.height+1)
}

// SpentTokens returns the number of valid tokens of an address in the chain that transactions
// in the pool spend.
func (p *Pool) SpentTokens(id wire.Hash, owner chain.Address) int64 {
	return p.tokens[holding{id, owner}]
}

// Size returns the number of transactions.
func (p *Pool) Size() int { return len(p.entries) }

// Bytes returns the total size of all transactions.
func (p *Pool) Bytes() int { return p.bytes }

// Waiting returns a channel that is closed while the pool has transactions. Call Waiting again
// for each wait.
func (p *Pool) Waiting() <-chan struct{} { return p.notifier.channel() }

// pushBack appends an examined entry.
func (p *Pool) pushBack(e *Entry) {
	p.entries[e.ID] = e
	p.known.Store(e.ID, nil)
	e.place = p.order.PushBack(e)
	p.bytes += e.Size
	p.list(e)
	for i := range e.Tx.Inputs {
		p.spenders[e.Tx.Inputs[i].PrevOut] = e
		p.countSpent(e, i, 1)
	}
}

// remove removes one entry. No other entry may depend on it.
func (p *Pool) remove(e *Entry) {
	for i := range e.Tx.Inputs {
		p.countSpent(e, i, -1)
		delete(p.spenders, e.Tx.Inputs[i].PrevOut)
	}
	delete(p.entries, e.ID)
	p.known.Delete(e.ID)
	p.order.Remove(e.place)
	p.unlist(e)
	p.bytes -= e.Size
	if !e.unstored {
		p.staleKeys = append(p.staleKeys, e.key())
	}
}

// drop removes an entry and all entries that depend on it, children first.
func (p *Pool) drop(e *Entry) {
	for i := range e.Tx.Outputs {
		if child := p.spenders[wire.OutPoint{Hash: e.ID, Index: uint32(i)}]; child != nil {
			p.drop(child)
		}
	}
	p.remove(e)
}

// countSpent updates the sums of SpentTokens for one input, if it spends a coin in the chain.
func (p *Pool) countSpent(e *Entry, input, sign int) {
	coin := &e.Coins[input]
	if coin.Claim != token.Backed || p.entries[e.Tx.Inputs[input].PrevOut.Hash] != nil {
		return
	}
	for _, owner := range chain.AddressesOf(coin.Script) {
		key := holding{coin.TokenID, owner}
		if p.tokens[key] += int64(sign) * coin.Value; p.tokens[key] == 0 {
			delete(p.tokens, key)
		}
	}
}

// notifier lets goroutines wait until the pool has transactions.
type notifier struct {
	mu      sync.Mutex
	ready   chan struct{} // closed while isReady is true
	isReady bool
}

func (b *notifier) channel() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ready
}

func (b *notifier) set(ready bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case ready && !b.isReady:
		close(b.ready)
	case !ready && b.isReady:
		b.ready = make(chan struct{})
	}
	b.isReady = ready
}

// Entry is a transaction in the pool. It is immutable while it is in the pool, except for the
// field unstored.
type Entry struct {
	Tx        *wire.Tx
	ID        wire.Hash
	Raw       []byte
	Size      int              // length of Raw
	Fee       int64            // in satoshis
	Time      time.Time        // when it entered the pool
	Height    int              // height of the tip at which it was last validated
	Coins     []consensus.Coin // spent coins, in the order of the inputs
	Transfers *token.Transfers

	sequence uint64 // determines the order in the pool and the key in the store
	place    *list.Element
	outputs  []*output     // outputs in the lists of their addresses
	durable  store.Durable // nil if the transaction was durable on arrival
	free     bool          // whether it pays less than the relay fee
	unstored bool          // whether it is not in the store because another node has it on disk
}

// Decode decodes a transaction and returns its bytes without trailing ones: like
// sendrawtransaction and decoderawtransaction, it ignores bytes that follow. It returns
// ErrDecode if b is not a transaction. The result shares memory with b, which must not be
// modified.
func Decode(b []byte) (tx *wire.Tx, raw []byte, err error) {
	r := wire.NewReader(b)
	tx = wire.ReadTx(r)
	if r.Err() != nil {
		return nil, nil, ErrDecode
	}
	return tx, b[:r.Pos():r.Pos()], nil
}

// newEntry decodes a transaction and returns an entry for it.
func newEntry(b []byte) (*Entry, error) {
	tx, raw, err := Decode(b)
	if err != nil {
		return nil, err
	}
	if len(raw) < len(b) { // do not retain the trailing bytes
		return newEntry(bytes.Clone(raw))
	}
	return &Entry{Tx: tx, Raw: raw, Size: len(raw), ID: wire.HashOf(raw)}, nil
}

// afresh returns a copy of the entry without the results of its examination.
func (e *Entry) afresh() *Entry {
	fresh := *e
	fresh.Coins, fresh.Transfers, fresh.place, fresh.outputs = nil, nil, nil, nil
	return &fresh
}

// creation returns the token that the transaction creates.
func (e *Entry) creation() (token.Creation, bool) {
	if !e.Transfers.Creates() {
		return token.Creation{}, false
	}
	return e.Transfers.Payload.Creation(), true
}

// coin returns an output of the transaction, as it would be in a block at height.
func (e *Entry) coin(index uint32, height int) (c consensus.Coin, ok bool) {
	if uint64(index) >= uint64(len(e.Tx.Outputs)) || script.IsUnspendable(e.Tx.Outputs[index].Script) {
		return c, false
	}
	return consensus.NewCoin(e.Tx, e.Transfers, int(index), height), true
}

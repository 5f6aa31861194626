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

// Default limits of what the pool holds.
const (
	DefaultMaxBytes = 64 << 20 // sixteen full blocks
	DefaultMaxCount = 100_000
)

// Config holds the dependencies and settings of a Pool. Numbers that are 0 have their defaults.
type Config struct {
	Manager         *chain.Manager
	Store           store.KV // the manager's
	Now             func() time.Time
	DataCarrierSize int    // limit of an OP_RETURN script that is relayed, in bytes
	MaxBytes        int    // of all transactions together
	MaxCount        int    // of transactions
	Relay           *Relay // nil: DefaultRelay
}

// Pool is the transactions that wait. Accept and Waiting may be called at any time;
// the lookups belong inside a Manager.Read, whose tip they then share.
type Pool struct {
	manager         *chain.Manager
	kv              store.KV
	params          *params.Params
	now             func() time.Time
	dataCarrierSize int
	maxBytes        int
	maxCount        int
	relay           Relay

	// The manager's lock guards all of these: Update and a change of the chain
	// write them, Read looks at them.
	entries  map[wire.Hash]*Entry
	spenders map[wire.OutPoint]*Entry
	order    list.List // of *Entry, parents before children
	tokens   map[holding]int64
	bytes    int
	height   int    // of the tip
	next     uint64 // sequence of the next arrival
	epoch    uint64 // counts what may have made an examination void
	free     freeBytes

	// These belong to the one change of the chain that is being made.
	first     uint64      // lowest sequence in use
	confirmed []wire.Hash // transactions of an extension, in order
	returned  []*Entry    // transactions of dropped blocks
	staleKeys []string    // keys of records to delete

	notifier notifier
	known    sync.Map // ids of entries, for those who do not hold the lock
}

// holding is the balance that one address has of one token.
type holding struct {
	id    wire.Hash
	owner chain.Address
}

// New loads the transactions that an earlier pool kept, drops those that the chain
// has or cannot take any more, and follows the chain from then on.
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
	p.tokens = map[holding]int64{}
	p.known.Clear()
	p.order.Init()
	p.bytes = 0
}

// Entry finds a transaction.
func (p *Pool) Entry(id wire.Hash) (*Entry, bool) {
	e, ok := p.entries[id]
	return e, ok
}

// Has reports whether a transaction is in the pool. It may be called at any time, and waits
// for no change of the chain.
func (p *Pool) Has(id wire.Hash) bool {
	_, has := p.known.Load(id)
	return has
}

// Entries lists all transactions, parents before children.
func (p *Pool) Entries() []*Entry {
	list := make([]*Entry, 0, len(p.entries))
	for at := p.order.Front(); at != nil; at = at.Next() {
		list = append(list, at.Value.(*Entry))
	}
	return list
}

// SpentBy finds the transaction that spends an output, of the chain or of the pool.
func (p *Pool) SpentBy(out wire.OutPoint) (id wire.Hash, spent bool) {
	e := p.spenders[out]
	if e == nil {
		return id, false
	}
	return e.ID, true
}

// Coin returns an output of a transaction in the pool, spent there or not, as if the next block
// included it. Unspendable outputs are not coins.
func (p *Pool) Coin(out wire.OutPoint) (consensus.Coin, bool) {
	e := p.entries[out.Hash]
	if e == nil {
		return consensus.Coin{}, false
	}
	return e.coin(out.Index, p.height+1)
}

// SpentTokens returns how many of the good tokens that an address holds in the chain
// are spent by the pool.
func (p *Pool) SpentTokens(id wire.Hash, owner chain.Address) int64 {
	return p.tokens[holding{id, owner}]
}

// Size returns the number of transactions.
func (p *Pool) Size() int { return len(p.entries) }

// Bytes returns the size of all transactions together.
func (p *Pool) Bytes() int { return p.bytes }

// Waiting returns a channel that is closed while transactions wait. Ask for it
// each time.
func (p *Pool) Waiting() <-chan struct{} { return p.notifier.channel() }

// pushBack adds an examined entry behind the others.
func (p *Pool) pushBack(e *Entry) {
	p.entries[e.ID] = e
	p.known.Store(e.ID, nil)
	e.place = p.order.PushBack(e)
	p.bytes += e.Size
	for i := range e.Tx.Inputs {
		p.spenders[e.Tx.Inputs[i].PrevOut] = e
		p.countSpent(e, i, 1)
	}
}

// remove takes out one entry, which no other depends on.
func (p *Pool) remove(e *Entry) {
	for i := range e.Tx.Inputs {
		p.countSpent(e, i, -1)
		delete(p.spenders, e.Tx.Inputs[i].PrevOut)
	}
	delete(p.entries, e.ID)
	p.known.Delete(e.ID)
	p.order.Remove(e.place)
	p.bytes -= e.Size
	if !e.unstored {
		p.staleKeys = append(p.staleKeys, e.key())
	}
}

// drop takes out an entry and all that depend on it, children first.
func (p *Pool) drop(e *Entry) {
	for i := range e.Tx.Outputs {
		if child := p.spenders[wire.OutPoint{Hash: e.ID, Index: uint32(i)}]; child != nil {
			p.drop(child)
		}
	}
	p.remove(e)
}

// countSpent keeps SpentTokens, for one input whose coin the chain holds.
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

// notifier lets other goroutines wait until the pool has transactions.
type notifier struct {
	mu      sync.Mutex
	ready   chan struct{} // closed while isReady
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

// Entry is a transaction in the pool. Nothing changes it once it is there, but whether the
// store has it.
type Entry struct {
	Tx        *wire.Tx
	ID        wire.Hash
	Raw       []byte
	Size      int              // bytes of Raw
	Fee       int64            // satoshis
	Time      time.Time        // when it entered
	Height    int              // of the tip that it was last judged at
	Coins     []consensus.Coin // what it spends, in the order of its inputs
	Transfers *token.Transfers

	sequence uint64 // its place among all, and its key in the store
	place    *list.Element
	durable  store.Durable // nil when it was durable on arrival
	free     bool          // it pays less than the relay fee
	unstored bool          // another node has it on its disk, and the store here does not
}

// Decode reads a transaction and returns the bytes that are its own: whatever
// follows them is ignored, as sendrawtransaction and decoderawtransaction do. It
// fails with ErrDecode. The transaction shares the bytes, which must not change.
func Decode(b []byte) (tx *wire.Tx, raw []byte, err error) {
	r := wire.NewReader(b)
	tx = wire.ReadTx(r)
	if r.Err() != nil {
		return nil, nil, ErrDecode
	}
	return tx, b[:r.Pos():r.Pos()], nil
}

// newEntry decodes a transaction that is to be kept.
func newEntry(b []byte) (*Entry, error) {
	tx, raw, err := Decode(b)
	if err != nil {
		return nil, err
	}
	if len(raw) < len(b) { // do not hold on to what follows
		return newEntry(bytes.Clone(raw))
	}
	return &Entry{Tx: tx, Raw: raw, Size: len(raw), ID: wire.HashOf(raw)}, nil
}

// afresh returns the transaction without what was found out about it at some tip.
func (e *Entry) afresh() *Entry {
	fresh := *e
	fresh.Coins, fresh.Transfers, fresh.place = nil, nil, nil
	return &fresh
}

// creation returns the token that the transaction creates.
func (e *Entry) creation() (token.Creation, bool) {
	if !e.Transfers.Creates() {
		return token.Creation{}, false
	}
	return e.Transfers.Payload.Creation(), true
}

// coin returns an output of the transaction, as it would be in a block of that height.
func (e *Entry) coin(index uint32, height int) (c consensus.Coin, ok bool) {
	if uint64(index) >= uint64(len(e.Tx.Outputs)) || script.IsUnspendable(e.Tx.Outputs[index].Script) {
		return c, false
	}
	return consensus.NewCoin(e.Tx, e.Transfers, int(index), height), true
}

package mempool

import (
	"bytes"
	"container/list"
	"time"

	"obverse/core/chain/consensus"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
	"obverse/core/store"
)

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

// afresh is the transaction without what was found out about it at some tip.
func (e *Entry) afresh() *Entry {
	fresh := *e
	fresh.Coins, fresh.Transfers, fresh.place = nil, nil, nil
	return &fresh
}

// creation is the token that the transaction creates.
func (e *Entry) creation() (token.Creation, bool) {
	if !e.Transfers.Creates() {
		return token.Creation{}, false
	}
	return e.Transfers.Payload.Creation(), true
}

// coin is an output of the transaction, as it would be in a block of that height.
func (e *Entry) coin(index uint32, height int) (c consensus.Coin, ok bool) {
	if uint64(index) >= uint64(len(e.Tx.Outputs)) || script.IsUnspendable(e.Tx.Outputs[index].Script) {
		return c, false
	}
	return consensus.NewCoin(e.Tx, e.Transfers, int(index), height), true
}

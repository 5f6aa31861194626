package chain

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"iter"
	"math"

	"obverse/core/chain/consensus"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
	"obverse/core/store"
)

// indexer writes the effects of blocks to the tables, or reverts them.
type indexer struct {
	*overlay
	undo     bool
	revealed map[revealedKey]bool // keys of the block with finished rows
}

func newIndexer(o *overlay, undo bool) indexer {
	return indexer{o, undo, map[revealedKey]bool{}}
}

// set writes a record that the block creates. If x.undo is set, it deletes the record.
func (x indexer) set(key, data string) {
	if x.undo {
		x.del(key)
	} else {
		x.put(key, data)
	}
}

// clear deletes a record that the block removes. If x.undo is set, it writes the old data
// again.
func (x indexer) clear(key, data string) {
	if x.undo {
		x.put(key, data)
	} else {
		x.del(key)
	}
}

// add adds to the two sums under key. It deletes a record whose sums become zero, so that
// reverting the first change removes the record.
func (x indexer) add(key string, first, second int64) {
	if x.undo {
		first, second = -first, -second
	}
	sums := x.amounts(key)
	sums[0] += first
	sums[1] = addUnsigned(sums[1], second)
	if sums == [2]int64{} {
		x.del(key)
	} else {
		x.put(key, encodeAmounts(sums[:]...))
	}
}

// addUnsigned adds to a sum that is stored as an unsigned number. The result is capped at the
// largest number, because coins that are moved often add up to more than exist.
func addUnsigned(sum, change int64) int64 {
	const largest = -1
	if sum == largest || change > 0 && uint64(sum)+uint64(change) < uint64(sum) {
		return largest
	}
	return sum + change
}

// connect applies a transaction: first its inputs, then its outputs.
func (x indexer) connect(e *consensus.TxEffects, at txPlace) {
	for i := range e.Spent {
		x.input(e, i, at)
	}
	for i := range e.Created {
		x.output(e, i, at)
	}
	x.transaction(e, at)
}

// disconnect reverts a transaction, in the opposite order of connect.
func (x indexer) disconnect(e *consensus.TxEffects, at txPlace) {
	for i := range e.Created {
		x.output(e, i, at)
	}
	for i := range e.Spent {
		x.input(e, i, at)
	}
	x.transaction(e, at)
}

func (x indexer) transaction(e *consensus.TxEffects, at txPlace) {
	x.set(hashKey(tableTx, e.ID), at.encode())
	if e.Transfers.Creates() {
		record := tokenRecord{supply: e.Transfers.Supply(), creation: e.Transfers.Payload.Creation()}
		x.set(hashKey(tableToken, e.ID), record.encode())
	}
	x.tokenHistory(e, at)
}

func (x indexer) output(e *consensus.TxEffects, i int, at txPlace) {
	coin, out := &e.Created[i], wire.OutPoint{Hash: e.ID, Index: uint32(i)}
	owners := AddressesOf(coin.Script)
	for _, a := range owners {
		x.set(historyKey(a, at, e.ID, i, received), encodeAmounts(coin.Value))
		x.add(addressKey(tableBalance, a), coin.Value, coin.Value)
		if a == oldMarkerAddress && e.Transfers.Creates() {
			x.set(oldMarkerKey(at, out), "")
		}
	}
	if script.IsUnspendable(coin.Script) {
		return
	}
	x.set(outKey(tableCoin, out), encodeCoin(coin))
	x.held(coin, out, owners, x.set)
	x.tokens(coin, owners, coin.Value)
}

func (x indexer) input(e *consensus.TxEffects, i int, at txPlace) {
	coin, out := &e.Spent[i], e.Tx.Inputs[i].PrevOut
	owners := AddressesOf(coin.Script)
	for _, a := range owners {
		x.set(historyKey(a, at, e.ID, i, spent), encodeAmounts(-coin.Value))
		x.add(addressKey(tableBalance, a), -coin.Value, 0)
	}
	held := "" // the value of a deleted record is not needed
	if x.undo {
		held = encodeCoin(coin)
	}
	x.clear(outKey(tableCoin, out), held)
	x.held(coin, out, owners, x.clear)
	x.tokens(coin, owners, -coin.Value)
	x.set(outKey(tableSpent, out), Spender{e.ID, i, at.height}.encode())
}

// held writes the records that exist as long as a coin is unspent.
func (x indexer) held(coin *consensus.Coin, out wire.OutPoint, owners []Address, write func(key, data string)) {
	for _, a := range owners {
		write(unspentKey(a, out), encodeAmounts(coin.Value, int64(coin.Height)))
		if coin.Claim == token.Backed {
			write(tokenUnspentKey(coin.TokenID, a, out), encodeAmounts(coin.Value))
		}
	}
	if coin.Listed {
		write(outKey(tableMarker, out), "")
	}
}

func (x indexer) tokens(coin *consensus.Coin, owners []Address, change int64) {
	if coin.Claim != token.Backed {
		return
	}
	for _, a := range owners {
		key := tokenBalanceKey(coin.TokenID, a)
		held := x.get(key).Present
		x.add(key, change, 0)
		if holds := x.get(key).Present; holds && !held {
			x.holders(coin.TokenID, 1)
		} else if held && !holds {
			x.holders(coin.TokenID, -1)
		}
	}
}

// oldMarkerAddress is the plain address of the module's key. The daemons of 2018 marked a token
// with a payment to it.
var oldMarkerAddress = Address{KeyAddress, [20]byte{
	0x21, 0xf1, 0xe8, 0x00, 0xfe, 0x30, 0x15, 0x0e, 0x37, 0xdf, 0x7b, 0x7b, 0xe7, 0xc8, 0xf9, 0x78, 0xaa, 0xfb, 0x8f, 0xdc,
}}

// outPointSize is the length of an outpoint at the end of a key.
const outPointSize = 36

// scan iterates over all keys with a prefix in order, reading a page at a time. Every key must
// have tail bytes after the prefix.
func (v *View) scan(prefix, after string, tail int) iter.Seq[store.Entry] {
	return func(yield func(store.Entry) bool) {
		for {
			page, err := v.o.kv.Scan(v.o.ctx, prefix, after, pageSize)
			if err != nil {
				v.o.fail(fmt.Errorf("read chain data: %w", err))
				return
			}
			for _, entry := range page {
				if len(entry.Key) != len(prefix)+tail {
					v.o.fail(corrupt(fmt.Sprintf("key %x", entry.Key), fmt.Errorf("it has %d bytes, want %d", len(entry.Key), len(prefix)+tail)))
					return
				}
				if !yield(entry) {
					return
				}
				after = entry.Key
			}
			if len(page) < pageSize {
				return
			}
		}
	}
}

// Err returns the first error that occurred in an iteration.
func (v *View) Err() error { return v.o.err }

// sound reports whether a record was decoded completely. Otherwise it records an error.
func (v *View) sound(entry store.Entry, r *wire.Reader) bool {
	err := r.End()
	if err != nil {
		v.o.fail(corrupt(fmt.Sprintf("record %x", entry.Key), err))
	}
	return err == nil
}

// Unspent is an unspent output of an address.
type Unspent struct {
	Out    wire.OutPoint
	Value  int64 // satoshis
	Height int
}

// Unspent iterates over an address's unspent outputs, ordered by txid bytes and index, as in
// komodod's address index. Call Err after the iteration.
func (v *View) Unspent(a Address) iter.Seq[Unspent] {
	return func(yield func(Unspent) bool) {
		for entry := range v.scan(addressKey(tableUnspent, a), "", outPointSize) {
			r := wire.NewReader([]byte(entry.Data))
			u := Unspent{outPointAt(entry.Key), r.Int64(), int(r.Int64())}
			if !v.sound(entry, r) || !yield(u) {
				return
			}
		}
	}
}

// Event is one change of an address's balance.
type Event struct {
	Height, Position int // place of the transaction
	TxID             wire.Hash
	Index            int   // index of the output, or of the input if Value is negative
	Value            int64 // in satoshis
	Spending         bool
}

// historyTail is the total length of height, position, txid, index and side in a key.
const historyTail = 4 + 4 + 32 + 4 + 1

// History iterates over the balance changes of an address in chain order, starting at height
// from.
func (v *View) History(a Address, from int) iter.Seq[Event] {
	prefix := addressKey(tableHistory, a)
	after := ""
	if from > 0 {
		after = prefix + string(binary.BigEndian.AppendUint32(nil, uint32(from)))
	}
	return func(yield func(Event) bool) {
		for entry := range v.scan(prefix, after, historyTail) {
			key := []byte(entry.Key[len(prefix):])
			r := wire.NewReader(key[8:])
			e := Event{Height: int(binary.BigEndian.Uint32(key)), Position: int(binary.BigEndian.Uint32(key[4:])),
				TxID: r.Hash(), Index: int(r.Uint32()), Spending: side(r.Byte()) == spent}
			data := wire.NewReader([]byte(entry.Data))
			if e.Value = data.Int64(); !v.sound(entry, data) || !yield(e) {
				return
			}
		}
	}
}

// TokenBalance returns the number of valid tokens that an address holds.
func (v *View) TokenBalance(id wire.Hash, a Address) (int64, error) {
	sums := v.o.amounts(tokenBalanceKey(id, a))
	return sums[0], v.o.err
}

// TokenUnspent iterates over an address's valid, unspent outputs of a token, ordered by txid
// bytes and index. Call Err after the iteration.
func (v *View) TokenUnspent(id wire.Hash, a Address) iter.Seq[Unspent] {
	prefix := string(tableTokenUnspent) + tokenBalanceKey(id, a)[1:]
	return func(yield func(Unspent) bool) {
		for entry := range v.scan(prefix, "", outPointSize) {
			r := wire.NewReader([]byte(entry.Data))
			value := r.Int64()
			if !v.sound(entry, r) || !yield(Unspent{Out: outPointAt(entry.Key), Value: value}) {
				return
			}
		}
	}
}

// Tokens returns the tokens in komodod's order: first, in chain order, the tokens whose
// creation pays to the module's plain address, and then those with unspent markers, by txid
// bytes. A creation with several markers is listed as many times.
func (v *View) Tokens() (ids []wire.Hash, err error) {
	for _, list := range []struct {
		table byte
		tail  int
	}{{tableOldMarker, 8 + outPointSize}, {tableMarker, outPointSize}} {
		for entry := range v.scan(string(list.table), "", list.tail) {
			ids = append(ids, outPointAt(entry.Key).Hash)
		}
	}
	return ids, v.o.err
}

// TokensAfter returns at most limit tokens in the order of Tokens, without duplicates. It
// starts after the given token, or with the first one if after is nil. The token after need not
// have an unspent marker any more. If its creation is not in the chain, TokensAfter returns
// ErrNotFound.
func (v *View) TokensAfter(after *wire.Hash, limit int) (ids []wire.Hash, err error) {
	oldest, newer := "", ""
	isOld := false
	if after != nil {
		if _, known := v.Creation(*after); !known {
			return nil, cmp.Or(v.o.err, ErrNotFound)
		}
		var place string
		if place, isOld = v.oldMarker(*after); isOld {
			oldest = place
		} else {
			newer = outKey(tableMarker, lastOf(*after))
		}
	}
	add := func(id wire.Hash) (more bool) {
		if len(ids) == 0 || ids[len(ids)-1] != id {
			ids = append(ids, id)
		}
		return len(ids) < limit
	}
	hasOld := isOld
	for entry := range v.scan(string(tableOldMarker), oldest, 8+outPointSize) {
		if hasOld = true; after != nil && !isOld {
			break // the token after comes behind all of these
		}
		if !add(outPointAt(entry.Key).Hash) {
			return ids, v.o.err
		}
	}
	for entry := range v.scan(string(tableMarker), newer, outPointSize) {
		id := outPointAt(entry.Key).Hash
		if hasOld {
			if _, listed := v.oldMarker(id); listed {
				continue // listed above
			}
		}
		if !add(id) {
			break
		}
	}
	return ids, v.o.err
}

// oldMarker reports whether a creation has old markers, and returns a key that sorts after all
// of them.
func (v *View) oldMarker(id wire.Hash) (last string, has bool) {
	found := v.o.get(hashKey(tableTx, id))
	if !found.Present {
		return "", false
	}
	at, err := decodePlace(found.Data)
	if err != nil {
		v.o.fail(corrupt("transaction index", err))
		return "", false
	}
	last = oldMarkerKey(at, lastOf(id))
	for range v.scan(last[:1+8], "", outPointSize) {
		has = true
		break
	}
	return last, has
}

// lastOf returns an outpoint that sorts after all outputs of a transaction.
func lastOf(id wire.Hash) wire.OutPoint { return wire.OutPoint{Hash: id, Index: math.MaxUint32} }

// Token describes a token with a creation in the chain.
type Token struct {
	Payload  *token.Payload
	Creation token.Creation
	Supply   int64 // number of tokens
	Height   int
	Imported bool // whether the value came from another chain
}

// Token returns the token with an id, or ErrNotFound.
func (v *View) Token(id wire.Hash) (t Token, err error) {
	found := v.o.get(hashKey(tableToken, id))
	if !found.Present {
		return t, cmp.Or(v.o.err, ErrNotFound)
	}
	record, err := decodeToken(found.Data)
	if err != nil {
		return t, corrupt("token", err)
	}
	at, err := v.Tx(id)
	if err != nil {
		return t, err
	}
	tx, err := wire.DecodeTx(at.Raw)
	if err != nil {
		return t, corrupt("token", err)
	}
	payload, err := token.DecodePayload(tx.Outputs[len(tx.Outputs)-1].Script)
	if err != nil {
		return t, corrupt("token", err)
	}
	return Token{payload, record.creation, record.supply, at.Height, tx.IsCoinImport()}, nil
}

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

// indexer writes the effects of blocks to the tables, or takes them back.
type indexer struct {
	*overlay
	undo bool
}

// set makes a record that the block brings into being.
func (x indexer) set(key, data string) {
	if x.undo {
		x.del(key)
	} else {
		x.put(key, data)
	}
}

// clear removes a record that the block ends; data is its old value.
func (x indexer) clear(key, data string) {
	if x.undo {
		x.put(key, data)
	} else {
		x.del(key)
	}
}

// add changes the sums under key. It deletes a record whose sums become zero, so that reverting
// the first change removes the record.
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

// addUnsigned adds to a sum that is stored as an unsigned number, and stays at the largest one from
// where it would be above: coins that are moved often add up to more than exist.
func addUnsigned(sum, change int64) int64 {
	const largest = -1
	if sum == largest || change > 0 && uint64(sum)+uint64(change) < uint64(sum) {
		return largest
	}
	return sum + change
}

// connect applies a transaction: inputs, then outputs.
func (x indexer) connect(e *consensus.TxEffects, at txPlace) {
	for i := range e.Spent {
		x.input(e, i, at)
	}
	for i := range e.Created {
		x.output(e, i, at)
	}
	x.transaction(e, at)
}

// disconnect takes a transaction back, in the opposite order.
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
	held := "" // what a deleted record held is not asked for
	if x.undo {
		held = encodeCoin(coin)
	}
	x.clear(outKey(tableCoin, out), held)
	x.held(coin, out, owners, x.clear)
	x.tokens(coin, owners, -coin.Value)
	x.set(outKey(tableSpent, out), Spender{e.ID, i, at.height}.encode())
}

// held writes the records that exist while a coin is unspent.
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
		x.add(tokenBalanceKey(coin.TokenID, a), change, 0)
	}
}

// oldMarkerAddress is the plain address of the module's key, where daemons of 2018
// marked a token.
var oldMarkerAddress = Address{KeyAddress, [20]byte{
	0x21, 0xf1, 0xe8, 0x00, 0xfe, 0x30, 0x15, 0x0e, 0x37, 0xdf, 0x7b, 0x7b, 0xe7, 0xc8, 0xf9, 0x78, 0xaa, 0xfb, 0x8f, 0xdc,
}}

// outPointSize is the length of an outpoint in a key.
const outPointSize = 36

// scan goes through all keys of a prefix in order, a page at a time. tail is how many
// bytes each key has after the prefix.
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

// Err returns the first error of the listings that were gone through.
func (v *View) Err() error { return v.o.err }

// sound reports whether a record was read to its end.
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

// Unspent goes through an address's unspent outputs, by txid bytes and index as
// upstream's address index does. Ask Err afterwards.
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
	Height, Position int // of the transaction
	TxID             wire.Hash
	Index            int   // of the output, or of the input when Value is negative
	Value            int64 // satoshis
	Spending         bool
}

// historyTail is the length of height, position, txid, index and side in a key.
const historyTail = 4 + 4 + 32 + 4 + 1

// History goes through the changes of an address in chain order, from a height on.
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

// TokenBalance returns the number of good tokens that an address holds.
func (v *View) TokenBalance(id wire.Hash, a Address) (int64, error) {
	sums := v.o.amounts(tokenBalanceKey(id, a))
	return sums[0], v.o.err
}

// TokenUnspent goes through an address's good, unspent outputs of a token, by txid
// bytes and index. Ask Err afterwards.
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

// Tokens lists the tokens as upstream does: those with a payment to the module's
// plain address in chain order, then the unspent markers by txid bytes. A creation
// with several markers is listed as often.
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

// TokensAfter lists at most limit tokens in the order of Tokens, each once: from the first one on,
// or those behind a token. That one need not be listed any more: its place is known. A creation
// that is not in the chain is ErrNotFound.
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
			break // the token that was asked for is behind all of these
		}
		if !add(outPointAt(entry.Key).Hash) {
			return ids, v.o.err
		}
	}
	for entry := range v.scan(string(tableMarker), newer, outPointSize) {
		id := outPointAt(entry.Key).Hash
		if hasOld {
			if _, listed := v.oldMarker(id); listed {
				continue // above
			}
		}
		if !add(id) {
			break
		}
	}
	return ids, v.o.err
}

// oldMarker is behind which key of its table the old markers of a creation end, if it has any.
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

// lastOf is behind all outputs of a transaction.
func lastOf(id wire.Hash) wire.OutPoint { return wire.OutPoint{Hash: id, Index: math.MaxUint32} }

// Token is a creation in the chain.
type Token struct {
	Payload  *token.Payload
	Creation token.Creation
	Supply   int64 // tokens
	Height   int
	Imported bool // its value came from another chain
}

// Token finds a token by its id.
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

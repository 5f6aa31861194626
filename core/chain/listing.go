package chain

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"iter"
	"math"

	"obverse/core/chain/token"
	"obverse/core/chain/wire"
	"obverse/core/store"
)

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

// Err is the first error of the listings that were gone through.
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

// TokenBalance is the number of good tokens that an address holds.
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

package history

import (
	"crypto/sha256"
	"encoding/hex"
	"math/big"
	"slices"
	"strings"

	"obverse/core/wallet/account/txlog"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/node"
	"obverse/core/wallet/cosmos/wire"
)

// Record is a stored transaction with its effects on an address.
type Record struct {
	node.Tx // without Events, and without Raw if it is larger than MaxRaw bytes
	Memo    string
	Fee     Fee
	Entries []Entry
}

// Parts of a Record.
type (
	Fee   = txlog.Fee
	Entry = txlog.Entry
)

// stored returns the record in the format of the store.
func (r Record) stored(time int64) txlog.Record {
	return txlog.Record{Height: r.Height, Index: r.Index, Hash: r.Hash, Raw: r.Raw, Memo: r.Memo, Fee: r.Fee, Time: time, Entries: r.Entries}
}

// Limits of the stored data of one transaction, which anyone may send.
const (
	MaxRaw     = 16 << 10 // a transfer to an account is smaller than 1 KiB
	maxEntries = 256
)

// Read determines the effects of a transaction on an address. A transaction without effects has
// no entries. Read accepts any bytes and any events.
func Read(tx node.Tx, address string) Record {
	offer := parseTx(tx.Raw)
	r := Record{Tx: tx, Memo: offer.memo}
	r.Events = nil
	if len(tx.Raw) > MaxRaw {
		r.Raw = nil
	}
	r.Fee.GasLimit = offer.gasLimit
	if len(offer.fee) > 0 {
		r.Fee.Denom, r.Fee.Amount = offer.fee[0].denom, offer.fee[0].units
	}
	around, messages := split(readable(tx.Events), tx.Code != 0, offer.fee)
	for _, p := range messages {
		for _, s := range sums(p.events, address) {
			if len(r.Entries) >= maxEntries {
				break
			}
			r.add(s, p.meaning(address, s))
		}
	}
	for _, s := range sums(around, address) {
		r.settle(s, address, messages)
	}
	return r
}

// add appends an entry.
func (r *Record) add(s sum, m meaning) {
	if s.spent.Sign() == 0 && s.received.Sign() == 0 || len(r.Entries) >= maxEntries {
		return
	}
	total := s.spent
	if s.received.Cmp(total) > 0 {
		total = s.received
	}
	r.Entries = append(r.Entries, Entry{Denom: s.denom, ID: r.id(m.kind), Kind: m.kind, Message: m.message, From: m.from, To: m.to,
		Total: new(big.Int).Set(total), Spent: s.spent, Received: s.received})
}

// settle adds the amount that the address paid outside of the messages, which is the fee, to
// the first entry of the denom, or adds an entry for it.
func (r *Record) settle(s sum, address string, messages []part) {
	fee := sum{s.denom, new(big.Int).Sub(s.spent, s.received), new(big.Int)}
	if fee.spent.Sign() < 0 { // more was returned than paid
		fee.spent, fee.received = fee.received, fee.spent.Neg(fee.spent)
		r.add(fee, meaning{kind: coin.KindTransfer, to: []string{address}})
		return
	}
	if n := slices.IndexFunc(r.Entries, func(e Entry) bool { return e.Denom == s.denom }); n >= 0 {
		e := &r.Entries[n]
		e.Total.Add(e.Total, fee.spent)
		e.Spent.Add(e.Spent, fee.spent)
		return
	}
	m := meaning{kind: coin.KindFeeOnly, from: []string{address}}
	for _, p := range messages {
		special, is := p.feeMeaning(address)
		if is && len(sums(p.events, address)) == 0 {
			m = special
			break
		}
	}
	r.add(fee, m)
}

// id returns the id of the next entry, as in Komodo DeFi Framework. It consists of the number
// of the entry in eight bytes, the least significant first, and the first 24 letters of the
// hash. The result is reversed unless the entry is only a fee.
func (r *Record) id(kind coin.TransactionKind) string {
	const letters = 24
	n := 0
	for _, e := range r.Entries {
		if (e.Kind == coin.KindFeeOnly) == (kind == coin.KindFeeOnly) {
			n++
		}
	}
	id := make([]byte, 8, 8+letters)
	id[0], id[1] = byte(n), byte(n>>8)
	id = append(id, (r.Hash + emptyHash)[:letters]...)
	if kind != coin.KindFeeOnly {
		slices.Reverse(id)
	}
	return hex.EncodeToString(id)
}

const emptyHash = "000000000000000000000000" // for hashes that are too short

// TokenID returns the id of a denom other than the chain's own.
func TokenID(denom string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(denom)))
	return hex.EncodeToString(sum[:])
}

// offered holds the fields of a transaction's bytes that entries need.
type offered struct {
	memo     string
	fee      []quantity
	gasLimit uint64
}

const maxMemo = 4 << 10 // in bytes; Cosmos chains allow 256 by default

// parseTx parses the fields of a transaction that entries need. Parts of unknown types count as
// empty.
func parseTx(raw []byte) (o offered) {
	var tx wire.Tx
	var body wire.TxBody
	var auth wire.AuthInfo
	if wire.Decode(raw, &tx) != nil {
		return o
	}
	if wire.Decode(tx.Body, &body) == nil && len(body.Memo) <= maxMemo {
		o.memo = strings.ToValidUTF8(body.Memo, "\uFFFD")
	}
	if wire.Decode(tx.AuthInfo, &auth) == nil {
		o.gasLimit = auth.Fee.GasLimit
		for _, c := range auth.Fee.Amount {
			o.fee = append(o.fee, parseCoins(c.Amount+c.Denom, 1)...)
		}
	}
	return o
}

package txlog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"

	"obverse/core/store/table"
	"obverse/core/wallet/coin"
)

// Record is a stored transaction with its entries.
type Record struct {
	Height  uint64
	Index   uint32 // in its block
	Hash    string
	Raw     []byte // empty if it is not stored
	Memo    string
	Fee     Fee
	Time    int64  // time of the block, in seconds since 1970; 0 if no node has the block any more
	Block   string // hash of the block, on chains whose blocks may be replaced
	Entries []Entry
}

// Fee is the fee that a transaction offered or paid. The zero Fee means no fee.
type Fee struct {
	Denom    string   // "" means of the chain's own coin
	Amount   *big.Int // nil means nothing
	GasLimit uint64

	// On EVM networks only, see coin.Fee.
	GasPrice, MaxTip *big.Int
}

// Entry is an operation of a transaction with one denom, in its smallest unit. A transaction may
// have more than one with the same denom.
type Entry struct {
	Denom    string
	ID       string // in lower case
	Kind     coin.TransactionKind
	Message  string // text of a KindCustomMessage
	From, To []string
	Total    *big.Int // amount moved, including the fee if this entry has it
	Spent    *big.Int // amount spent by the address, including the fee if this entry has it
	Received *big.Int // amount received by the address
}

// Row is a Record without its entries.
type Row struct {
	Account   string   `json:"account"`
	Height    uint64   `json:"height"`
	Index     uint32   `json:"index"`
	Hash      string   `json:"hash"`
	Raw       []byte   `json:"raw,omitempty"`
	Timestamp int64    `json:"time"`
	Memo      string   `json:"memo,omitempty"`
	FeeDenom  string   `json:"fee_denom,omitempty"`
	FeeAmount *big.Int `json:"fee_amount,omitempty"`
	GasLimit  uint64   `json:"gas_limit"`
	Entries   int      `json:"entries"`
	GasPrice  *big.Int `json:"gas_price,omitempty"`
	MaxTip    *big.Int `json:"max_tip,omitempty"`
	Block     string   `json:"block,omitempty"`
}

// EntryRow is a stored Entry.
type EntryRow struct {
	Account  string               `json:"account"`
	Height   uint64               `json:"height"`
	Index    uint32               `json:"index"`
	Number   int                  `json:"number"` // position in its transaction
	Denom    string               `json:"denom"`
	ID       string               `json:"id"`
	Kind     coin.TransactionKind `json:"kind"`
	Message  string               `json:"message,omitempty"`
	From     []string             `json:"from"`
	To       []string             `json:"to"`
	Total    *big.Int             `json:"total"`
	Spent    *big.Int             `json:"spent"`
	Received *big.Int             `json:"received"`
}

// accountKey returns the part of keys that separates the histories of accounts. It is short because
// it is in every key.
func accountKey(chain, address string) string {
	sum := sha256.Sum256([]byte(table.Text(chain) + address))
	return hex.EncodeToString(sum[:10])
}

// place returns a key part that sorts the newest first.
func place(height uint64, index uint32) string {
	return table.Down(height) + table.Down(uint64(index))
}

func (r Row) key() string { return r.Account + place(r.Height, r.Index) }

func (r EntryRow) key() string {
	return r.Account + place(r.Height, r.Index) + table.Uint(uint64(r.Number))
}

// listed returns the index key by which a coin's entries are listed.
func (r EntryRow) listed() string {
	return r.Account + table.Text(r.Denom) + place(r.Height, r.Index) + table.Uint(uint64(r.Number))
}

// Indexes of the tables.
const (
	ByPlace = "place" // account, newest first
	ByDenom = "denom" // account, denom, newest first
	byID    = "id"
)

// Tables are the tables of all histories of a family.
type Tables struct {
	Txs     *table.Table[Row]
	Entries *table.Table[EntryRow]
}

// NewTables returns the tables below a prefix of keys.
func NewTables(prefix string) Tables {
	return Tables{
		Txs: table.New(table.Spec[Row]{Prefix: prefix + "tx/", Key: table.Index[Row]{Name: ByPlace, Value: Row.key}}),
		Entries: table.New(table.Spec[EntryRow]{
			Prefix: prefix + "entry/",
			Key:    table.Index[EntryRow]{Name: ByPlace, Value: EntryRow.key},
			Unique: []table.Index[EntryRow]{{Name: byID, Value: func(r EntryRow) string { return r.Account + r.ID }}},
			Sorted: []table.Index[EntryRow]{{Name: ByDenom, Value: EntryRow.listed}},
		}),
	}
}

// Has reports whether a transaction is stored at its place.
func (l *Log) Has(ctx context.Context, height uint64, index uint32, hash string) (bool, error) {
	row, found, err := l.Txs.Get(ctx, l.c.Store, l.Account+place(height, index))
	return found && row.Hash == hash, StoreError(err)
}

// Keep stores transactions together with the writes of mark, and notifies the watchers.
func (l *Log) Keep(ctx context.Context, records []Record, mark func(*table.Tx) error) error {
	err := table.Change(ctx, l.c.Store, func(tx *table.Tx) error {
		for _, r := range records {
			if err := l.put(ctx, tx, r); err != nil {
				return err
			}
		}
		return mark(tx)
	})
	if err == nil {
		l.Notify(ctx, records)
	}
	return StoreError(err)
}

// put stores a transaction. It replaces a transaction at the same place, as on a chain that was
// restarted under its old name.
func (l *Log) put(ctx context.Context, tx *table.Tx, r Record) error {
	row := Row{l.Account, r.Height, r.Index, r.Hash, r.Raw, r.Time, r.Memo, r.Fee.Denom, r.Fee.Amount, r.Fee.GasLimit, len(r.Entries), r.Fee.GasPrice, r.Fee.MaxTip, r.Block}
	if err := l.remove(ctx, tx, row.key()); err != nil {
		return err
	}
	for n, e := range r.Entries {
		row := EntryRow{l.Account, r.Height, r.Index, n, e.Denom, e.ID, e.Kind, e.Message, e.From, e.To, e.Total, e.Spent, e.Received}
		if moved, found, err := l.Entries.Find(ctx, tx, byID, l.Account+e.ID); err != nil {
			return err
		} else if found && moved.key() != row.key() {
			if _, err := l.Entries.Delete(ctx, tx, moved.key()); err != nil {
				return err
			}
		}
		if err := l.Entries.Put(ctx, tx, row); err != nil {
			return err
		}
	}
	return l.Txs.Put(ctx, tx, row)
}

// remove deletes a transaction's entries.
func (l *Log) remove(ctx context.Context, tx *table.Tx, key string) error {
	old, found, err := l.Txs.Get(ctx, tx, key)
	for n := 0; err == nil && found && n < old.Entries; n++ {
		_, err = l.Entries.Delete(ctx, tx, key+table.Uint(uint64(n)))
	}
	return err
}

// Drop deletes a transaction that is no longer on the chain.
func (l *Log) Drop(ctx context.Context, tx *table.Tx, height uint64, index uint32) error {
	key := l.Account + place(height, index)
	if err := l.remove(ctx, tx, key); err != nil {
		return err
	}
	_, err := l.Txs.Delete(ctx, tx, key)
	return err
}

// Newest returns up to limit transactions from a height down, the newest first.
func (l *Log) Newest(ctx context.Context, from uint64, limit int) ([]Row, error) {
	rows := table.Prefixed(ByPlace, l.Account)
	rows.From, rows.Limit = l.Account+place(from, ^uint32(0)), limit
	list, err := l.Txs.List(ctx, l.c.Store, rows)
	return list, StoreError(err)
}

// StoreError marks an error as one of the store.
func StoreError(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w: %w", coin.ErrHistoryStore, err)
}

// Known returns the height of the transaction that has an entry with the id.
func (l *Log) Known(ctx context.Context, id string) (height uint64, found bool, err error) {
	row, found, err := l.Entries.Find(ctx, l.c.Store, byID, l.Account+id)
	return row.Height, found, StoreError(err)
}

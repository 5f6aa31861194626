package history

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"

	"obverse/core/store/table"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/tendermint/node"
)

// txRow is a Record without its entries.
type txRow struct {
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
}

// entryRow is an Entry.
type entryRow struct {
	Account  string               `json:"account"`
	Height   uint64               `json:"height"`
	Index    uint32               `json:"index"`
	Number   int                  `json:"number"` // in its transaction
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

// account is the part of keys that tells the histories of accounts apart. It is in
// every key, so it is short.
func account(chain, address string) string {
	sum := sha256.Sum256([]byte(table.Text(chain) + address))
	return hex.EncodeToString(sum[:10])
}

// place sorts the newest first.
func place(height uint64, index uint32) string {
	return table.Down(height) + table.Down(uint64(index))
}

func (r txRow) key() string { return r.Account + place(r.Height, r.Index) }

func (r entryRow) key() string {
	return r.Account + place(r.Height, r.Index) + table.Uint(uint64(r.Number))
}

// listed is what a coin's entries are listed by.
func (r entryRow) listed() string {
	return r.Account + table.Text(r.Denom) + place(r.Height, r.Index) + table.Uint(uint64(r.Number))
}

const (
	byPlace = "place"
	byDenom = "denom" // account, denom, newest first
	byID    = "id"
)

// tables of all histories of a store.
type tables struct {
	txs     *table.Table[txRow]
	entries *table.Table[entryRow]
	marks   *table.Table[mark]
}

func newTables() tables {
	return tables{
		txs: table.New(table.Spec[txRow]{Prefix: "N/tm/history/tx/", Key: table.Index[txRow]{Name: byPlace, Of: txRow.key}}),
		entries: table.New(table.Spec[entryRow]{
			Prefix: "N/tm/history/entry/",
			Key:    table.Index[entryRow]{Name: byPlace, Of: entryRow.key},
			Unique: []table.Index[entryRow]{{Name: byID, Of: func(r entryRow) string { return r.Account + r.ID }}},
			Sorted: []table.Index[entryRow]{{Name: byDenom, Of: entryRow.listed}},
		}),
		marks: table.New(table.Spec[mark]{Prefix: "N/tm/history/mark/", Key: table.Index[mark]{Name: "account", Of: func(m mark) string { return m.Account }}}),
	}
}

// has reports whether a transaction is stored.
func (t tables) has(ctx context.Context, from table.Reader, account string, tx node.Tx) (bool, error) {
	row, found, err := t.txs.Get(ctx, from, account+place(tx.Height, tx.Index))
	return found && row.Hash == tx.Hash, err
}

// put stores a transaction, in the place of another one of a chain that began anew
// under its old name.
func (t tables) put(ctx context.Context, tx *table.Tx, account string, r Record, timestamp int64) error {
	row := txRow{account, r.Height, r.Index, r.Hash, r.Raw, timestamp, r.Memo, r.Fee.Denom, r.Fee.Amount, r.Fee.GasLimit, len(r.Entries)}
	old, found, err := t.txs.Get(ctx, tx, row.key())
	if err != nil {
		return err
	}
	for n := 0; found && n < old.Entries; n++ {
		if _, err := t.entries.Delete(ctx, tx, row.key()+table.Uint(uint64(n))); err != nil {
			return err
		}
	}
	for n, e := range r.Entries {
		row := entryRow{account, r.Height, r.Index, n, e.Denom, e.ID, e.Kind, e.Message, e.From, e.To, e.Total, e.Spent, e.Received}
		if moved, found, err := t.entries.Find(ctx, tx, byID, account+e.ID); err != nil {
			return err
		} else if found && moved.key() != row.key() {
			if _, err := t.entries.Delete(ctx, tx, moved.key()); err != nil {
				return err
			}
		}
		if err := t.entries.Put(ctx, tx, row); err != nil {
			return err
		}
	}
	return t.txs.Put(ctx, tx, row)
}

// storeError tells errors of the store from those of nodes.
func storeError(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w: %w", coin.ErrHistoryStore, err)
}

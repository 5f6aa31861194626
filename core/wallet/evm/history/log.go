package history

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"obverse/core/net/fetch"
	"obverse/core/store"
	"obverse/core/store/table"
	"obverse/core/wallet/account/txlog"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/node"
)

// Source provides the nodes of a network. It is implemented by Nodes.
type Source interface {
	Height(ctx context.Context) (uint64, error)
	Transfers(ctx context.Context, contracts []address.Address, addr address.Address, from, to uint64) ([]Reference, error)
	AllTransfers(ctx context.Context, contracts []address.Address, of address.Address, from, to uint64) ([]Reference, error)
	Mined(ctx context.Context, hashes []string) (Lookup, error)
	Blocks(ctx context.Context, heights []uint64) (blocks map[uint64]Block, alone bool, err error)
	Nonce(ctx context.Context, of address.Address) (uint64, error)
	Knows(ctx context.Context, hash [32]byte) (bool, error)
}

// Lists provides the lists of an indexer. Each has pages, and its newest transactions come
// first.
type Lists interface {
	// Names returns the names of the lists.
	Names() []string
	// Page returns a page of a list; "" is the first.
	Page(ctx context.Context, list, page string) (Part, error)
}

// Part is a page of an indexer's list.
type Part struct {
	Refs    []Reference
	Next    string // name of the next page; "" means that this is the last page
	Cut     bool   // whether the list is incomplete
	Invalid string // error of an item that was skipped; "" means none
}

// Config holds the parts of a Log.
type Config struct {
	Store     store.KV
	Source    Source
	Chain     uint64 // chain id
	Address   address.Address
	Contracts func() []address.Address // contracts of the active tokens
	Indexer   Lists                    // nil means that the nodes' logs are read
	Now       func() time.Time
}

// Log is the history of an address, with the coin and all tokens, see txlog.Log.
type Log struct {
	*txlog.Log
	c       Config
	marks   *table.Table[mark]
	sent    *table.Table[sending]
	pause   time.Duration // time between two requests
	span    uint64        // number of blocks in a query for logs
	maxSpan uint64        // maximum of span
}

// keys is the prefix of the keys of these histories.
const keys = "N/evm/history/"

// mark records how far the history of an account is loaded.
type mark struct {
	Account string          `json:"account"`
	Tokens  map[string]scan `json:"tokens"`            // by contract
	Indexed bool            `json:"indexed"`           // whether the indexer's lists were read to their ends
	Cut     bool            `json:"cut,omitempty"`     // whether there were too many transactions in a block or a list
	Invalid string          `json:"invalid,omitempty"` // error of an item of the indexer
	// Doubted holds the hashes of transactions that a node has, but that most nodes do not have
	// or have with other effects.
	Doubted []string `json:"doubted,omitempty"`
}

// sending is a transaction that this node sent and that is in no block yet.
type sending struct {
	Account string `json:"account"`
	Hash    string `json:"hash"`
	Nonce   uint64 `json:"nonce"`
	Dropped bool   `json:"dropped,omitempty"` // whether it was in a block that was replaced
}

// Aliases for the types of txlog.
type (
	View  = txlog.View
	Asset = txlog.Asset
)

// Times and sizes of loading.
const (
	pause     = 200 * time.Millisecond
	depth     = 128     // number of the newest blocks, which may still be replaced
	firstSpan = 2_000   // in blocks
	minSpan   = 1       // in blocks; some providers accept five or ten blocks at a time from accounts that do not pay
	spanLimit = 100_000 // in blocks
	maxSent   = 1_000   // maximum number of transactions that wait for a block
	// maxDoubted limits the transactions that nodes do not agree on and that are queried again.
	maxDoubted = 100
)

var errBehind = errors.New("most nodes do not have it yet")

// New returns a Log. It neither reads the store nor starts loading.
func New(c Config) *Log {
	l := &Log{c: c, pause: pause, span: firstSpan, maxSpan: spanLimit,
		marks: table.New(table.Spec[mark]{Prefix: keys + "mark/", Key: table.Index[mark]{Name: "account", Value: func(m mark) string { return m.Account }}}),
		sent:  table.New(table.Spec[sending]{Prefix: keys + "sent/", Key: table.Index[sending]{Name: "hash", Value: func(s sending) string { return s.Account + s.Hash }}})}
	l.Log = txlog.New(txlog.Config{Store: c.Store, Prefix: keys, Chain: strconv.FormatUint(c.Chain, 10), Address: c.Address.Plain(), Now: c.Now,
		FeeType: coin.FeeEth, Height: c.Source.Height, TokenID: func(denom string) string { return strings.TrimPrefix(denom, "0x") },
		Load: l.load, Passing: errBehind, Gaps: l.gaps})
	return l
}

// gaps returns the reasons for which a coin's list may lack transactions.
func (l *Log) gaps(ctx context.Context, v View) (all []coin.Gap, err error) {
	m, _, err := l.marks.Get(ctx, l.c.Store, l.Account)
	if m.Cut {
		all = append(all, coin.Gap{Reason: coin.GapTooMany})
	}
	if m.Invalid != "" {
		all = append(all, coin.Gap{Reason: coin.GapNoAnswer, Err: "indexer: an item is left out: " + m.Invalid})
	}
	if n := len(m.Doubted); n > 0 {
		all = append(all, coin.Gap{Reason: coin.GapNoAnswer, Err: fmt.Sprintf("most nodes do not confirm %d transactions, such as 0x%s", n, m.Doubted[n-1])})
	}
	if l.c.Indexer == nil && v.Denom == v.Platform.Denom {
		all = append(all, coin.Gap{Reason: coin.GapNoIndexer})
	}
	return all, err
}

// Sent records a transaction that was sent, so that it is listed once it is in a block.
func (l *Log) Sent(ctx context.Context, hash [32]byte, nonce uint64) error {
	defer l.Wake()
	err := table.Change(ctx, l.c.Store, func(tx *table.Tx) error {
		return l.sent.Put(ctx, tx, sending{Account: l.Account, Hash: hex.EncodeToString(hash[:]), Nonce: nonce})
	})
	return txlog.StoreError(err)
}

// load loads missing transactions, and reports whether it found new ones.
func (l *Log) load(ctx context.Context) (found bool, err error) {
	m, there, err := l.marks.Get(ctx, l.c.Store, l.Account)
	if err != nil {
		return false, txlog.StoreError(err)
	}
	if !there {
		m = mark{Account: l.Account}
	}
	if m.Tokens == nil {
		m.Tokens = map[string]scan{}
	}
	newest, err := l.c.Source.Height(ctx)
	if err != nil {
		return false, err
	}
	steps := []func(context.Context, *mark, uint64) (bool, error){l.reorganise, l.confirm, l.again, l.scan}
	if l.c.Indexer != nil {
		steps[3] = l.index
	}
	for _, step := range steps {
		fresh, err := step(ctx, &m, newest)
		if err != nil {
			return false, err
		}
		found = found || fresh
	}
	l.Set(coin.SyncStatus{State: coin.SyncFinished})
	return found, nil
}

// reorganise removes the transactions of blocks that were replaced.
func (l *Log) reorganise(ctx context.Context, _ *mark, newest uint64) (bool, error) {
	rows, err := l.Newest(ctx, newest, maxSent)
	if err != nil {
		return false, err
	}
	var heights []uint64
	for i, r := range rows {
		if r.Height+depth > newest && (i == 0 || r.Height != rows[i-1].Height) {
			heights = append(heights, r.Height)
		}
	}
	blocks, alone, err := l.c.Source.Blocks(ctx, heights)
	if err != nil || alone {
		return false, err
	}
	changed := false
	err = table.Change(ctx, l.c.Store, func(tx *table.Tx) error {
		changed = false
		for _, r := range rows {
			at, seen := blocks[r.Height]
			if !seen || at.Hash == r.Block {
				continue
			}
			changed = true
			if err := l.Drop(ctx, tx, r.Height, r.Index); err != nil {
				return err
			}
			if err := l.sent.Put(ctx, tx, sending{Account: l.Account, Hash: r.Hash, Dropped: true}); err != nil { // it may be in another block
				return err
			}
		}
		return nil
	})
	return changed, txlog.StoreError(err)
}

// confirm queries the blocks of transactions that were sent.
func (l *Log) confirm(ctx context.Context, m *mark, _ uint64) (found bool, err error) {
	rows := table.Prefixed("hash", l.Account)
	rows.Limit = maxSent
	waiting, err := l.sent.List(ctx, l.c.Store, rows)
	if err != nil || len(waiting) == 0 {
		return false, txlog.StoreError(err)
	}
	done, err := l.c.Source.Nonce(ctx, l.c.Address) // queried first, so that the receipts below are at least as new
	if err != nil {
		return false, err
	}
	var refs []Reference
	for _, s := range waiting {
		refs = append(refs, Reference{Hash: s.Hash})
	}
	stored, err := l.keep(ctx, m, refs)
	if err != nil {
		return false, err
	}
	missing, err := l.fresh(ctx, refs)
	if err != nil {
		return false, err
	}
	gone := slices.DeleteFunc(waiting, func(s sending) bool {
		return !stored[s.Hash] && slices.Contains(missing, s.Hash) && !l.lost(ctx, s, done)
	})
	err = table.Change(ctx, l.c.Store, func(tx *table.Tx) error {
		for _, s := range gone {
			if _, err := l.sent.Delete(ctx, tx, s.Account+s.Hash); err != nil {
				return err
			}
		}
		return nil
	})
	return len(stored) > 0, txlog.StoreError(err)
}

// lost reports whether a transaction can no longer get into a block, because another
// transaction of the account has its nonce and no node has it.
func (l *Log) lost(ctx context.Context, s sending, done uint64) bool {
	if s.Nonce >= done && !s.Dropped {
		return false
	}
	b, _ := hex.DecodeString(s.Hash) // cannot fail, since it is hexadecimal
	known, err := l.c.Source.Knows(ctx, [32]byte(b))
	return err == nil && !known
}

// keep queries transactions and stores the new ones together with the mark, so that loading
// continues there after a restart. kept holds the hashes of the transactions that are in a
// block and were read.
func (l *Log) keep(ctx context.Context, m *mark, refs []Reference) (kept map[string]bool, err error) {
	kept = map[string]bool{}
	fresh, err := l.fresh(ctx, refs)
	if err != nil {
		return nil, err
	}
	var records []txlog.Record
	for size := maxMined; len(fresh) > 0; {
		part := fresh[:min(len(fresh), size)]
		found, err := l.look(ctx, m, part)
		switch {
		case errors.Is(err, fetch.ErrTooLarge) && len(part) > 1:
			size = len(part) / 2
			continue
		case errors.Is(err, fetch.ErrTooLarge): // the others can be read
			m.Cut = true
		case err != nil:
			return nil, err
		}
		size, fresh = min(2*size, maxMined), fresh[len(part):]
		for _, r := range found {
			kept[r.Hash] = true
			if len(r.Entries) > 0 {
				records = append(records, r)
			}
		}
	}
	return kept, l.Keep(ctx, records, func(tx *table.Tx) error { return l.marks.Put(ctx, tx, *m) })
}

// again queries the transactions that the nodes did not agree on.
func (l *Log) again(ctx context.Context, m *mark, _ uint64) (found bool, err error) {
	var refs []Reference
	for _, hash := range m.Doubted {
		refs = append(refs, Reference{Hash: hash})
	}
	if m.Doubted, err = l.fresh(ctx, refs); err != nil || len(refs) == 0 {
		return false, err
	}
	kept, err := l.keep(ctx, m, refs)
	return len(kept) > 0, err
}

// doubt records a transaction that is not listed because only one server or a minority has it,
// or has it with these effects. A stored row is permanent, and users rely on it: they ship
// goods when a payment has arrived, and pay again when one has failed. It fails while other
// nodes may lag behind, but only for some time.
func (l *Log) doubt(m *mark, known []string, hash string) error {
	if slices.Contains(m.Doubted, hash) {
		return nil
	}
	if !slices.Contains(known, hash) && l.Failures() < txlog.MaxLagFailures {
		return fmt.Errorf("transaction 0x%s: %w", hash, errBehind)
	}
	if len(m.Doubted) >= maxDoubted {
		m.Doubted, m.Cut = m.Doubted[1:], true
	}
	m.Doubted = append(m.Doubted, hash)
	return nil
}

// isFailure reports whether a transaction failed, or moved nothing although the account paid.
func (l *Log) isFailure(tx node.Mined) bool {
	return tx.Failed || tx.From == l.c.Address && tx.MovedNothing() != nil
}

// receives reports whether the account received something.
func receives(r txlog.Record) bool {
	return slices.ContainsFunc(r.Entries, func(e txlog.Entry) bool { return e.Received.Sign() > 0 })
}

// fresh returns the hashes of transactions that are not stored, each once.
func (l *Log) fresh(ctx context.Context, refs []Reference) (hashes []string, err error) {
	seen := map[string]bool{}
	for _, r := range refs {
		if seen[r.Hash] {
			continue
		}
		seen[r.Hash] = true
		_, known, err := l.Known(ctx, r.Hash)
		if err != nil {
			return nil, err
		}
		if !known {
			hashes = append(hashes, r.Hash)
		}
	}
	return hashes, nil
}

// look queries the nodes for transactions and returns the records of those in blocks.
func (l *Log) look(ctx context.Context, m *mark, hashes []string) (records []txlog.Record, err error) {
	found, err := l.c.Source.Mined(ctx, hashes)
	if err != nil {
		return nil, err
	}
	var heights []uint64
	for _, tx := range found.Mined {
		if !slices.Contains(heights, tx.Height) {
			heights = append(heights, tx.Height)
		}
	}
	blocks, _, err := l.c.Source.Blocks(ctx, heights)
	if err != nil {
		return nil, err
	}
	known := m.Doubted
	m.Doubted = slices.DeleteFunc(slices.Clone(known), func(hash string) bool { return slices.Contains(hashes, hash) })
	doubted := found.Disputed
	for _, tx := range found.Mined {
		b, r := blocks[tx.Height], read(tx, l.c.Address)
		switch {
		case b.Hash != tx.Block, found.Alone && l.isFailure(tx):
			doubted = append(doubted, tx)
			continue
		case found.Alone && receives(r) && l.Failures() < txlog.MaxAloneFailures:
			return nil, fmt.Errorf("transaction 0x%s: %w: too few servers answer", tx.Hash, errBehind)
		}
		r.Time = b.Time
		records = append(records, r)
	}
	for _, tx := range doubted {
		if len(read(tx, l.c.Address).Entries) == 0 {
			continue
		}
		if err := l.doubt(m, known, tx.Hash); err != nil {
			return nil, err
		}
	}
	return records, nil
}

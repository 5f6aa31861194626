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

// Source are the nodes of a network, as *node.Pool.
type Source interface {
	Height(ctx context.Context) (uint64, error)
	Transfers(ctx context.Context, contracts []address.Address, addr address.Address, from, to uint64) ([]node.Reference, error)
	AllTransfers(ctx context.Context, contracts []address.Address, of address.Address, from, to uint64) ([]node.Reference, error)
	Mined(ctx context.Context, hashes []string) (node.Lookup, error)
	Blocks(ctx context.Context, heights []uint64) (blocks map[uint64]node.Block, alone bool, err error)
	Nonce(ctx context.Context, of address.Address) (uint64, error)
	Knows(ctx context.Context, hash [32]byte) (bool, error)
}

// Lists are the lists of an indexer, each page by page and the newest first.
type Lists interface {
	// Names returns the names of the lists.
	Names() []string
	// Page returns a page of a list; "" is the first.
	Page(ctx context.Context, list, page string) (Part, error)
}

// Part is a page of an indexer's list.
type Part struct {
	Refs    []node.Reference
	Next    string // the next page; "": this is the last
	Cut     bool   // the list has more than it gives
	Invalid string // what is wrong with an item that is left out; "": nothing
}

// Config holds the parts of a Log.
type Config struct {
	Store     store.KV
	Source    Source
	Chain     uint64 // id
	Address   address.Address
	Contracts func() []address.Address // of the active tokens
	Indexer   Lists                    // nil: the nodes' logs are read
	Now       func() time.Time
}

// Log is the history of an address, of the coin and all tokens, see txlog.Log.
type Log struct {
	*txlog.Log
	c       Config
	marks   *table.Table[mark]
	sent    *table.Table[sending]
	pause   time.Duration // between questions
	span    uint64        // blocks of a question for logs
	maxSpan uint64        // that span may be
}

// keys begins those of the histories of these networks.
const keys = "N/evm/history/"

// mark is how far the history of an account is loaded.
type mark struct {
	Account string          `json:"account"`
	Tokens  map[string]scan `json:"tokens"`            // by contract
	Indexed bool            `json:"indexed"`           // the indexer's lists were read to their ends
	Cut     bool            `json:"cut,omitempty"`     // there were too many transactions in a block, or in a list
	Invalid string          `json:"invalid,omitempty"` // what is wrong with an item of the indexer
	// Doubted are hashes of transactions that some node has, and most nodes do not, or not so.
	Doubted []string `json:"doubted,omitempty"`
}

// sending is a transaction that was sent from here and is in no block yet.
type sending struct {
	Account string `json:"account"`
	Hash    string `json:"hash"`
	Nonce   uint64 `json:"nonce"`
	Dropped bool   `json:"dropped,omitempty"` // it was in a block that another one has replaced
}

// What a page is for and of.
type (
	View  = txlog.View
	Asset = txlog.Asset
)

// Times and sizes of loading.
const (
	pause     = 200 * time.Millisecond
	depth     = 128     // blocks that others may still replace
	firstSpan = 2_000   // blocks
	minSpan   = 1       // blocks; some providers take five or ten at a time from accounts that do not pay
	spanLimit = 100_000 // blocks
	maxSent   = 1_000   // transactions that wait for a block
	// maxDoubted bounds the transactions that nodes do not agree on, and that are asked for again.
	maxDoubted = 100
)

var errBehind = errors.New("most nodes do not have it yet")

// New makes a Log. It reads and starts nothing.
func New(c Config) *Log {
	l := &Log{c: c, pause: pause, span: firstSpan, maxSpan: spanLimit,
		marks: table.New(table.Spec[mark]{Prefix: keys + "mark/", Key: table.Index[mark]{Name: "account", Value: func(m mark) string { return m.Account }}}),
		sent:  table.New(table.Spec[sending]{Prefix: keys + "sent/", Key: table.Index[sending]{Name: "hash", Value: func(s sending) string { return s.Account + s.Hash }}})}
	l.Log = txlog.New(txlog.Config{Store: c.Store, Prefix: keys, Chain: strconv.FormatUint(c.Chain, 10), Address: c.Address.Plain(), Now: c.Now,
		FeeType: coin.FeeEth, Height: c.Source.Height, TokenID: func(denom string) string { return strings.TrimPrefix(denom, "0x") },
		Load: l.load, Passing: errBehind, Gaps: l.gaps})
	return l
}

// gaps are the reasons for which a coin's list may lack transactions.
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

// Sent notes a transaction that was sent, so that it is listed once it is in a block.
func (l *Log) Sent(ctx context.Context, hash [32]byte, nonce uint64) error {
	defer l.Wake()
	err := table.Change(ctx, l.c.Store, func(tx *table.Tx) error {
		return l.sent.Put(ctx, tx, sending{Account: l.Account, Hash: hex.EncodeToString(hash[:]), Nonce: nonce})
	})
	return txlog.StoreError(err)
}

// load finds what is missing, and reports whether there was anything new.
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

// reorganise drops the transactions of blocks that others have replaced.
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

// confirm looks for the blocks of transactions that were sent.
func (l *Log) confirm(ctx context.Context, m *mark, _ uint64) (found bool, err error) {
	rows := table.Prefixed("hash", l.Account)
	rows.Limit = maxSent
	waiting, err := l.sent.List(ctx, l.c.Store, rows)
	if err != nil || len(waiting) == 0 {
		return false, txlog.StoreError(err)
	}
	done, err := l.c.Source.Nonce(ctx, l.c.Address) // first, so that receipts asked for next are at least as new
	if err != nil {
		return false, err
	}
	var refs []node.Reference
	for _, s := range waiting {
		refs = append(refs, node.Reference{Hash: s.Hash})
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

// lost reports whether a transaction cannot get into a block any more: another one of the
// account has its nonce, and no node has it.
func (l *Log) lost(ctx context.Context, s sending, done uint64) bool {
	if s.Nonce >= done && !s.Dropped {
		return false
	}
	b, _ := hex.DecodeString(s.Hash) // which it is
	known, err := l.c.Source.Knows(ctx, [32]byte(b))
	return err == nil && !known
}

// keep looks at transactions and stores those that are new, together with the mark: whatever
// ends the program, it continues there. kept holds those that are in a block and were read, by
// their hashes.
func (l *Log) keep(ctx context.Context, m *mark, refs []node.Reference) (kept map[string]bool, err error) {
	kept = map[string]bool{}
	fresh, err := l.fresh(ctx, refs)
	if err != nil {
		return nil, err
	}
	var records []txlog.Record
	for size := node.MaxMined; len(fresh) > 0; {
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
		size, fresh = min(2*size, node.MaxMined), fresh[len(part):]
		for _, r := range found {
			kept[r.Hash] = true
			if len(r.Entries) > 0 {
				records = append(records, r)
			}
		}
	}
	return kept, l.Keep(ctx, records, func(tx *table.Tx) error { return l.marks.Put(ctx, tx, *m) })
}

// again looks at the transactions that the nodes did not agree on.
func (l *Log) again(ctx context.Context, m *mark, _ uint64) (found bool, err error) {
	var refs []node.Reference
	for _, hash := range m.Doubted {
		refs = append(refs, node.Reference{Hash: hash})
	}
	if m.Doubted, err = l.fresh(ctx, refs); err != nil || len(refs) == 0 {
		return false, err
	}
	kept, err := l.keep(ctx, m, refs)
	return len(kept) > 0, err
}

// doubt notes a transaction that is not listed since one server alone, or a minority of them, has it,
// or has it so: a row is kept for good, and a user who reads that a payment arrived ships goods, and
// pays again after one that failed. Other nodes may lag behind, but not for ever.
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

// isFailure reports whether a transaction failed, or moved nothing of what the account paid.
func (l *Log) isFailure(tx node.Mined) bool {
	return tx.Failed || tx.From == l.c.Address && tx.MovedNothing() != nil
}

// receives reports whether something arrived.
func receives(r txlog.Record) bool {
	return slices.ContainsFunc(r.Entries, func(e txlog.Entry) bool { return e.Received.Sign() > 0 })
}

// fresh are the hashes of transactions that are not stored, each once.
func (l *Log) fresh(ctx context.Context, refs []node.Reference) (hashes []string, err error) {
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

// look reads transactions that are in blocks.
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
			return nil, fmt.Errorf("transaction 0x%s: %w: one server alone answers", tx.Hash, errBehind)
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

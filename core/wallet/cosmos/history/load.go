package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"obverse/core/guard"
	"obverse/core/net/nodepool"
	"obverse/core/store/table"
	"obverse/core/wallet/account/txlog"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/node"
)

// mark records how far the history of an account is loaded.
type mark struct {
	Account  string   `json:"account"`
	Spent    []cursor `json:"spent"`
	Received []cursor `json:"received"`
	Since    uint64   `json:"since"` // lowest block that the nodes had; 0 means unknown
	// Doubted holds the hashes of transactions that a node has, but that most nodes do not have
	// or have with other effects.
	Doubted []string `json:"doubted,omitempty"`
	Cut     bool     `json:"cut,omitempty"` // whether the list of them was truncated
}

// load continues both searches to their ends, page by page and alternately. It reports whether
// it found new transactions.
func (l *Log) load(ctx context.Context) (found bool, err error) {
	m, there, err := l.marks.Get(ctx, l.c.Store, l.Account)
	if err != nil {
		return false, txlog.StoreError(err)
	}
	if !there {
		m = mark{Account: l.Account}
	}
	l.StartsAt(m.Since)
	if found, err = l.again(ctx, &m); err != nil {
		return false, err
	}
	scans := []*scan{
		{size: l.size, query: "coin_spent.spender='" + l.c.Address + "'", cursors: &m.Spent},
		{size: l.size, query: "coin_received.receiver='" + l.c.Address + "'", cursors: &m.Received},
	}
	for first := true; !scans[0].done || !scans[1].done; first = false {
		if !first {
			txlog.Sleep(ctx, l.pause, nil)
		}
		for _, s := range scans {
			if s.done {
				continue
			}
			fresh, err := l.scanPage(ctx, s, &m)
			if err != nil {
				return false, err
			}
			found = found || fresh
		}
		l.progress(scans)
	}
	if err := l.horizon(ctx, &m); err != nil {
		return false, err
	}
	l.Set(coin.SyncStatus{State: coin.SyncFinished})
	return found, nil
}

// scanPage loads a page and stores its new transactions together with the progress of the
// search, so that the search continues there after a restart.
func (l *Log) scanPage(ctx context.Context, s *scan, m *mark) (found bool, err error) {
	before := slices.Clone(*s.cursors)
	txs, err := s.next(ctx, l.c.Source)
	if err != nil {
		return false, err
	}
	var fresh []node.Tx // without transactions that the other search has found
	for _, tx := range txs {
		has, err := l.Has(ctx, tx.Height, tx.Index, tx.Hash)
		if err != nil {
			return false, err
		}
		if !has {
			fresh = append(fresh, tx)
		}
	}
	if len(fresh) == 0 && slices.Equal(before, *s.cursors) {
		return false, nil
	}
	return l.keep(ctx, m, fresh)
}

// keep stores transactions together with the mark. It leaves out transactions that most nodes
// do not have.
func (l *Log) keep(ctx context.Context, m *mark, fresh []node.Tx) (found bool, err error) {
	if fresh, err = l.sure(ctx, m, fresh); err != nil {
		return false, err
	}
	times, err := l.times(ctx, fresh)
	if err != nil {
		return false, err
	}
	records := make([]txlog.Record, len(fresh))
	for i, tx := range fresh {
		records[i] = Read(tx, l.c.Address).stored(times[tx.Height])
	}
	err = l.Keep(ctx, records, func(change *table.Tx) error { return l.marks.Put(ctx, change, *m) })
	if err == nil {
		clear(l.agreed)
	}
	return len(fresh) > 0, err
}

// again checks the transactions that the nodes did not agree on.
func (l *Log) again(ctx context.Context, m *mark) (found bool, err error) {
	for _, hash := range m.Doubted {
		tx, err := l.ask(ctx, hash)
		switch {
		case errors.Is(err, node.ErrNotFound):
		case isDoubt(err):
			continue
		case err != nil:
			return false, err
		default:
			l.agreed[hash] = tx
		}
		m.Doubted = slices.DeleteFunc(slices.Clone(m.Doubted), func(h string) bool { return h == hash })
		var txs []node.Tx
		if err == nil {
			txs = append(txs, tx)
		}
		fresh, err := l.keep(ctx, m, txs)
		if err != nil {
			return false, err
		}
		found = found || fresh
	}
	return found, nil
}

// sure replaces transactions with the version that most nodes have, and leaves out transactions
// that most nodes do not have. A stored row is permanent, and users rely on it: they ship goods
// when a payment has arrived, and pay again when one has failed. If nodes lag behind the
// queried one for too long, the transaction is recorded as doubted.
func (l *Log) sure(ctx context.Context, m *mark, txs []node.Tx) (sure []node.Tx, err error) {
	if l.c.Source.Servers() < 2 {
		return txs, nil
	}
	var mu sync.Mutex
	group, asking := errgroup.WithContext(ctx)
	group.SetLimit(maxParallel)
	for _, tx := range txs {
		mu.Lock()
		_, done := l.agreed[tx.Hash]
		mu.Unlock()
		if done {
			continue
		}
		group.Go(guard.Func(asking, "asking for transactions", func() error {
			agreed, err := l.ask(asking, tx.Hash)
			switch {
			case err == nil:
				mu.Lock()
				defer mu.Unlock()
				l.agreed[tx.Hash] = agreed
			case !isDoubt(err) && !errors.Is(err, node.ErrNotFound):
				return err
			}
			return nil
		}))
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for _, tx := range txs {
		agreed, is := l.agreed[tx.Hash]
		switch {
		case is:
			sure = append(sure, agreed)
		case l.Failures() < txlog.MaxLagFailures:
			return nil, fmt.Errorf("transaction %s: %w", tx.Hash, errBehind)
		case !slices.Contains(m.Doubted, tx.Hash):
			m.Doubted = append(m.Doubted, tx.Hash)
			if n := len(m.Doubted) - maxDoubted; n > 0 {
				m.Doubted, m.Cut = m.Doubted[n:], true
			}
		}
	}
	return sure, nil
}

// ask queries most nodes for a transaction. A single node is sufficient if the account only
// sent something, and after some time also if it received something.
func (l *Log) ask(ctx context.Context, hash string) (node.Tx, error) {
	tx, err := l.c.Source.Agreed(ctx, hash, func(tx node.Tx) string {
		meaning, _ := json.Marshal(Read(tx, l.c.Address).Entries) // the encoding cannot fail
		return string(meaning)
	})
	if errors.Is(err, node.ErrAlone) && tx.Code == 0 {
		err = nil
		if l.receives(tx) && l.Failures() < txlog.MaxAloneFailures {
			err = fmt.Errorf("transaction %s: %w: too few servers answer", hash, errBehind)
		}
	}
	return tx, err
}

// isDoubt reports whether the nodes do not agree, or a single node answers.
func isDoubt(err error) bool {
	_, tie := errors.AsType[*nodepool.DisagreementError](err)
	return tie || errors.Is(err, node.ErrAlone)
}

// receives reports whether the account received something in a transaction.
func (l *Log) receives(tx node.Tx) bool {
	return slices.ContainsFunc(Read(tx, l.c.Address).Entries, func(e Entry) bool { return e.Received.Sign() > 0 })
}

// times returns the times of the blocks of transactions, except for blocks that nodes no longer
// have. It fails for a block that the nodes should have but do not, since a node may lag behind
// the one that found the transaction, and gives up on the block after some time.
func (l *Log) times(ctx context.Context, txs []node.Tx) (map[uint64]int64, error) {
	var mu sync.Mutex
	times := make(map[uint64]int64)
	earliest := sync.OnceValues(func() (uint64, error) { return l.c.Source.Earliest(ctx) })
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxParallel)
	for n, tx := range txs {
		if n > 0 && tx.Height == txs[n-1].Height {
			continue
		}
		group.Go(guard.Func(ctx, "looking at blocks", func() error {
			at, err := l.c.Source.BlockTime(ctx, tx.Height)
			if errors.Is(err, node.ErrNoBlock) {
				lowest, unknown := earliest()
				if l.Failures() >= txlog.MaxLagFailures || unknown == nil && tx.Height < lowest {
					return nil
				}
			}
			if err != nil {
				return fmt.Errorf("time of block %d: %w", tx.Height, err)
			}
			mu.Lock()
			defer mu.Unlock()
			times[tx.Height] = at.Unix()
			return nil
		}))
	}
	return times, group.Wait()
}

// progress reports the remaining number of transactions.
func (l *Log) progress(scans []*scan) {
	var left uint64
	for _, s := range scans {
		left += s.remaining()
	}
	l.Progress(left)
}

// horizon determines, once in a run, the lowest block that the nodes have. Blocks that were
// available from earlier nodes are stored, so the lowest answer is valid.
func (l *Log) horizon(ctx context.Context, m *mark) error {
	if l.queried {
		return nil
	}
	lowest, err := l.c.Source.Earliest(ctx)
	if err != nil {
		return ctx.Err() // the next load queries it again
	}
	if lowest = max(lowest, 1); m.Since == 0 || lowest < m.Since {
		m.Since = lowest
		if err := table.Change(ctx, l.c.Store, func(change *table.Tx) error { return l.marks.Put(ctx, change, *m) }); err != nil {
			return txlog.StoreError(err)
		}
	}
	l.StartsAt(m.Since)
	l.queried = true
	return nil
}

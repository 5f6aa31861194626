package txlog

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"

	"obverse/core/number"
	"obverse/core/store/table"
	"obverse/core/wallet/coin"
)

// Asset is a coin of the chain.
type Asset struct {
	Ticker   string
	Denom    string
	Decimals uint8
}

// View selects the part of an account's history that concerns one coin.
type View struct {
	Asset                                     // the coin
	Platform Asset                            // the chain's own coin, which may be the same
	Named    func(denom string) (Asset, bool) // other coins, for fees that were paid in them; may be nil
}

// History returns a page for a coin: entries of its denom, including those from before its
// activation. It returns the errors of coin.Historian.
func (l *Log) History(ctx context.Context, v View, ask coin.HistoryQuery) (coin.History, error) {
	height, err := l.c.Height(ctx)
	if err != nil && !errors.Is(err, coin.ErrTransport) {
		err = fmt.Errorf("%w: %w", coin.ErrTransport, err)
	}
	if err != nil {
		return coin.History{}, fmt.Errorf("current block: %w", err)
	}
	l.refresh()
	h := coin.History{CurrentBlock: height}
	h.Sync, h.StartsAt = l.Loaded()
	h.Gaps = gaps(h.Sync, h.StartsAt)
	if l.c.Gaps != nil {
		more, err := l.c.Gaps(ctx, v)
		if err != nil {
			return coin.History{}, StoreError(err)
		}
		h.Gaps = append(h.Gaps, more...)
	}
	err = l.read(ctx, v, ask, &h)
	return h, StoreError(err)
}

// gaps returns the reasons for which a history in this state may lack transactions.
func gaps(s coin.SyncStatus, startsAt uint64) (all []coin.Gap) {
	switch s.State {
	case coin.SyncFinished:
	case coin.SyncFailed:
		all = append(all, coin.Gap{Reason: coin.GapNoAnswer, Err: s.Message})
	default:
		all = append(all, coin.Gap{Reason: coin.GapInProgress})
	}
	if startsAt > 0 {
		all = append(all, coin.Gap{Reason: coin.GapNoLogs})
	}
	return all
}

// read sets the transactions of a page.
func (l *Log) read(ctx context.Context, v View, ask coin.HistoryQuery, h *coin.History) (err error) {
	rows := table.Prefixed(ByDenom, l.Account+table.Text(v.Denom))
	if h.Total, err = l.Entries.Count(ctx, l.c.Store, rows); err != nil {
		return err
	}
	if ask.After != "" {
		at, found, err := l.Entries.Find(ctx, l.c.Store, byID, l.Account+ask.After)
		if err != nil || !found || at.Denom != v.Denom {
			return err
		}
		before := rows
		before.To = at.listed()
		if rows.Offset, err = l.Entries.Count(ctx, l.c.Store, before); err != nil {
			return err
		}
		rows.Offset++
	} else if ask.Limit > 0 {
		rows.Offset = min(ask.Page-1, math.MaxInt32/ask.Limit) * ask.Limit // beyond all entries
	}
	h.Skipped = rows.Offset
	if rows.Limit = ask.Limit; rows.Limit == 0 {
		return nil
	}
	entries, err := l.Entries.List(ctx, l.c.Store, rows)
	if err != nil {
		return err
	}
	return table.Read(ctx, l.c.Store, func(from table.Reader) (err error) {
		h.Transactions, err = l.page(ctx, from, v, entries)
		return err
	})
}

// page returns the transactions of listed entries, without those that were dropped since.
func (l *Log) page(ctx context.Context, from table.Reader, v View, listed []EntryRow) (page []coin.Transaction, err error) {
	for _, e := range listed {
		e, found, err := l.Entries.Get(ctx, from, e.key())
		if err != nil {
			return nil, err
		}
		if !found || e.Denom != v.Denom {
			continue
		}
		tx, err := l.show(ctx, from, v, e)
		if err != nil {
			return nil, err
		}
		page = append(page, tx)
	}
	return page, nil
}

// show returns the transaction of an entry.
func (l *Log) show(ctx context.Context, from table.Reader, v View, e EntryRow) (coin.Transaction, error) {
	row, found, err := l.Txs.Get(ctx, from, l.Account+place(e.Height, e.Index))
	if err == nil && !found {
		err = fmt.Errorf("%w: entry %s has no transaction", table.ErrDamaged, e.ID)
	}
	if err != nil {
		return coin.Transaction{}, err
	}
	tx := coin.Transaction{
		Raw: row.Raw, Hash: row.Hash, From: e.From, To: e.To, Height: e.Height, Timestamp: row.Timestamp,
		Total: whole(e.Total, v.Decimals), Spent: whole(e.Spent, v.Decimals), Received: whole(e.Received, v.Decimals),
		Fee: v.Fee(row, l.c.FeeType), Coin: v.Ticker, ID: e.ID, Kind: e.Kind, Message: e.Message, Memo: row.Memo,
	}
	if v.Denom == v.Platform.Denom {
		return tx, nil
	}
	switch e.Kind {
	case coin.KindTransfer:
		tx.Kind, tx.Token = coin.KindTokenTransfer, l.c.TokenID(e.Denom)
	case coin.KindIBCTransfer, coin.KindCustomMessage:
		tx.Token = l.c.TokenID(e.Denom)
	}
	return tx, nil
}

// Fee returns the fee of a transaction, usually in the chain's own coin. A fee of an unknown denom
// is in its smallest unit.
func (v View) Fee(row Row, kind string) coin.Fee {
	asset := v.Platform
	switch row.FeeDenom {
	case "", v.Platform.Denom:
	case v.Denom:
		asset = v.Asset
	default:
		known := false
		if v.Named != nil {
			asset, known = v.Named(row.FeeDenom)
		}
		if !known {
			asset = Asset{Ticker: row.FeeDenom}
		}
	}
	f := coin.Fee{Type: kind, Coin: asset.Ticker, Amount: whole(row.FeeAmount, asset.Decimals), GasLimit: row.GasLimit, GasPrice: whole(row.GasPrice, asset.Decimals)}
	if row.MaxTip != nil {
		tip := whole(row.MaxTip, asset.Decimals)
		f.MaxTip = &tip
	}
	return f
}

// whole converts an amount from the smallest unit to whole coins; nil is 0.
func whole(units *big.Int, decimals uint8) number.Rational {
	if units == nil {
		return number.Int(0)
	}
	return number.Scaled(units, decimals)
}

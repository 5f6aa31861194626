package nft

import (
	"context"
	"math"

	"obverse/core/store/table"
)

// Query selects a page of the stored NFTs.
type Query struct {
	Chains []Chain // in the order of the list
	Limit  int     // items on a page
	Page   int     // starting at 1
	Max    bool    // all items on one page
	// Protect replaces names that have links.
	Protect         bool
	ExcludeSpam     bool
	ExcludePhishing bool
}

// List is a page of the stored NFTs, by chain and newest first.
type List struct {
	NFTs    []NFT
	Skipped int // number of items on previous pages
	Total   int // number of items on all pages
}

// TransferQuery selects a page of the stored transfers.
type TransferQuery struct {
	Query
	Receive, Send bool  // only these transfers; if both are false, all transfers
	From, To      int64 // Unix seconds, inclusive; 0 means no limit
}

// TransferList is a page of the stored transfers, by chain and newest first.
type TransferList struct {
	Transfers []Transfer
	Skipped   int // number of items on previous pages
	Total     int // number of items on all pages
}

// pager selects a page of consecutive lists.
type pager struct {
	from, to int // range of the page in all lists together
	total    int // number of rows in the previous lists
}

func (q Query) pager() *pager {
	if q.Max {
		return &pager{to: math.MaxInt}
	}
	from := (q.Page - 1) * q.Limit
	return &pager{from: from, to: from + q.Limit}
}

// cut returns the range of a list's n rows that is on the page.
func (p *pager) cut(n int) (from, to int) {
	clamp := func(at int) int { return min(max(at-p.total, 0), n) }
	from, to = clamp(p.from), clamp(p.to)
	p.total += n
	return from, to
}

// skipped returns the number of rows before the page, which may be beyond the last one.
func (p *pager) skipped() int { return min(p.from, p.total) }

// ranges returns the range of each chain's rows, without duplicates.
func (g *Gallery) ranges(ctx context.Context, chains []Chain) (all []table.Range, err error) {
	seen := map[Chain]bool{}
	for _, c := range chains {
		if seen[c] {
			continue
		}
		seen[c] = true
		wallet, err := g.walletOf(ctx, c)
		if err != nil {
			return nil, err
		}
		all = append(all, table.Prefixed(newest, part(c, wallet)))
	}
	return all, nil
}

// List returns a page of the stored NFTs. Its errors are *StoreError and the context's.
func (g *Gallery) List(ctx context.Context, q Query) (l List, err error) {
	ranges, err := g.ranges(ctx, q.Chains)
	if err != nil {
		return l, err
	}
	p, nfts := q.pager(), g.records.nfts
	for _, r := range ranges {
		if !q.ExcludeSpam && !q.ExcludePhishing { // rows before and after the page need not be read
			n, err := nfts.Count(ctx, g.Store, r)
			if err != nil {
				return l, failed(ctx, err)
			}
			from, to := p.cut(n)
			if from == to {
				continue
			}
			r.Offset, r.Limit = from, to-from
		}
		rows, err := nfts.List(ctx, g.Store, r)
		if err != nil {
			return l, failed(ctx, err)
		}
		if r.Limit == 0 {
			fit := rows[:0]
			for _, n := range rows {
				if !q.hides(n.Spam, n.Phishing) {
					fit = append(fit, n)
				}
			}
			from, to := p.cut(len(fit))
			rows = fit[from:to]
		}
		for _, n := range rows {
			l.NFTs = append(l.NFTs, g.display(n, q.Protect))
		}
	}
	l.Skipped, l.Total = p.skipped(), p.total
	return l, nil
}

// hides reports whether the filters exclude an NFT.
func (q Query) hides(spam, phishing bool) bool {
	return q.ExcludeSpam && spam || q.ExcludePhishing && phishing
}

// hidesTransfer reports whether the filters exclude a transfer.
func (q TransferQuery) hidesTransfer(t Transfer) bool {
	if q.Receive != q.Send && q.Receive != t.Received() {
		return true
	}
	return q.hides(t.Spam, t.Phishing) || q.From != 0 && t.Time < q.From || q.To != 0 && t.Time > q.To
}

// Transfers returns a page of the stored transfers. Its errors are *StoreError and the
// context's.
func (g *Gallery) Transfers(ctx context.Context, q TransferQuery) (l TransferList, err error) {
	ranges, err := g.ranges(ctx, q.Chains)
	if err != nil {
		return l, err
	}
	p := q.pager()
	for _, r := range ranges {
		rows, err := g.records.transfers.List(ctx, g.Store, r)
		if err != nil {
			return l, failed(ctx, err)
		}
		fit := rows[:0]
		for _, t := range rows {
			if !q.hidesTransfer(t) {
				fit = append(fit, t)
			}
		}
		from, to := p.cut(len(fit))
		for _, t := range fit[from:to] {
			t.ImageURL = g.Settings.web(t.ImageURL)
			if q.Protect {
				t.redact()
			}
			l.Transfers = append(l.Transfers, t)
		}
	}
	l.Skipped, l.Total = p.skipped(), p.total
	return l, nil
}

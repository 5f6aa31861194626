package nft

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/store/table"
	"obverse/core/wallet/coin"
)

// Scan is which blocks were searched for transfers of NFTs: those from Low up to the one before
// Next. All are, down to the first, once Low is 0.
type Scan struct {
	Low  uint64 `json:"low"`
	Next uint64 `json:"next"`           // 0: nothing was searched
	Span uint64 `json:"span,omitempty"` // blocks that nodes take in one question
	// Bottom: nodes have no logs of the blocks below Low.
	Bottom bool `json:"bottom,omitempty"`
	// Behind: there are newer blocks, which the last update had no time for.
	Behind bool `json:"behind,omitempty"`
	// Full: there are so many transfers that some are left out.
	Full bool `json:"full,omitempty"`
	// Cut: some NFTs of the address are not listed, since there are too many.
	Cut bool `json:"cut,omitempty"`
	// Contracts are those that the user named, whose NFTs are listed by themselves.
	Contracts []string `json:"contracts,omitempty"`
}

// Done reports whether there are no older blocks to search.
func (s Scan) Done() bool { return s.Next > 0 && s.Low == 0 || s.Bottom }

// Bounds of searching.
const (
	firstSpan = 2_000 // blocks of a question
	leastSpan = 1     // some providers take five or ten at a time from accounts that do not pay
	mostSpan  = 100_000
	walkTime  = 5 * time.Second        // for new blocks and for older ones of one call; the next one goes further
	walkPause = 100 * time.Millisecond // between questions
	maxMoves  = 20_000                 // transfers that are kept of an address, and some more of other contracts
)

const scanKey = "N/nft/scan/"

// scan is which blocks were searched.
func (s *records) scan(ctx context.Context, c Chain, wallet string) (scan Scan, err error) {
	values, err := s.kv.Get(ctx, scanKey+part(c, wallet))
	if err != nil {
		return scan, failed(ctx, err)
	}
	if json.Unmarshal([]byte(values[0].Data), &scan) != nil { // there is nothing yet, or it is damaged
		return Scan{}, nil
	}
	return scan, nil
}

// searched keeps transfers that were found in a range of blocks, and that it was searched.
func (s *records) searched(ctx context.Context, n *listUpdate, scan Scan) error {
	state, err := json.Marshal(scan)
	if err != nil {
		return err
	}
	return failed(ctx, s.change(ctx, n.chain, n.wallet, func(tx *table.Tx) error {
		tx.Put(walletKey+string(n.chain), n.wallet)
		tx.Put(scanKey+part(n.chain, n.wallet), string(state))
		return s.add(ctx, tx, n)
	}))
}

// unsearch forgets which blocks were searched, after an indexer said what is in all of them.
func (s *records) unsearch(ctx context.Context, n *listUpdate) error {
	scan, err := s.scan(ctx, n.chain, n.wallet)
	if err != nil {
		return err
	}
	full := n.full || n.from > 1 && scan.Full // of older blocks
	if scan.Next > 0 || scan.Cut != n.cut || scan.Full != full {
		if err := s.searched(ctx, &listUpdate{chain: n.chain, wallet: n.wallet}, Scan{Contracts: scan.Contracts, Cut: n.cut, Full: full}); err != nil {
			return err
		}
	}
	return s.note(ctx, n.chain, n.wallet, nil)
}

// limited keeps whether a limit cuts the list of a wallet's NFTs.
func (s *records) limited(ctx context.Context, n *listUpdate) error {
	scan, err := s.scan(ctx, n.chain, n.wallet)
	if err != nil || scan.Cut == n.cut {
		return err
	}
	scan.Cut = n.cut
	return s.searched(ctx, &listUpdate{chain: n.chain, wallet: n.wallet}, scan)
}

// Scanned is which blocks of a chain were searched for the NFTs of the wallet. onChain: the network
// is active without an indexer.
func (g *Gallery) Scanned(ctx context.Context, c Chain) (scan Scan, onChain bool, err error) {
	active, err := g.Active.Get(c.Ticker())
	n, is := active.(*Network)
	if err != nil || !is {
		return scan, false, &NetworkError{c.Ticker()}
	}
	scan, err = g.records.scan(ctx, c, n.wallet)
	return scan, n.onChain, err
}

// walker searches a chain for the transfers of an address.
type walker struct {
	*Gallery
	n     *Network
	from  Reader
	scan  Scan
	kept  int
	most  uint64 // that the span may grow to, after a refusal
	few   uint64 // blocks of a question, where there are too many transfers
	until time.Time
}

// walk searches the blocks that are new, and then ever older ones, for as long as one call may.
func (g *Gallery) walk(ctx context.Context, n *Network, from Reader, contracts []string) error {
	height, err := n.on.Height(ctx)
	if err != nil {
		return err
	}
	w := &walker{g, n, from, Scan{}, 0, mostSpan, mostSpan, g.Now().Add(walkTime)}
	if w.scan, err = g.records.scan(ctx, n.chain, n.wallet); err != nil {
		return err
	}
	if w.kept, err = g.records.transfers.Count(ctx, g.Store, table.Prefixed(newest, part(n.chain, n.wallet))); err != nil {
		return failed(ctx, err)
	}
	if w.scan.Next == 0 {
		begin := height + 1 - min(reorgDepth, height+1)
		w.scan.Low, w.scan.Next = begin, begin
	}
	for _, c := range contracts {
		if !slices.Contains(w.scan.Contracts, c) {
			w.scan.Contracts = append(w.scan.Contracts, c)
		}
	}
	if len(w.scan.Contracts) > MaxContracts {
		return ErrContracts
	}
	w.scan.Span = cmp.Or(w.scan.Span, firstSpan)
	if err := w.upwards(ctx, height); err != nil {
		return err
	}
	w.scan.Behind = w.scan.Next <= height
	if err := w.downwards(ctx); err != nil && ctx.Err() == nil {
		g.warn("older blocks were not searched for NFTs", 1, n.chain, err)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return w.note(ctx) // also how many blocks nodes take
}

// note keeps how far the search is.
func (w *walker) note(ctx context.Context) error {
	return w.records.searched(ctx, &listUpdate{chain: w.n.chain, wallet: w.n.wallet}, w.scan)
}

// upwards searches the newest blocks, also those that may have been replaced since.
func (w *walker) upwards(ctx context.Context, newest uint64) error {
	known := w.scan.Next
	from := max(w.scan.Low, known-min(reorgDepth, known))
	for from <= newest {
		to := min(newest, from+min(w.scan.Span, w.few)-1)
		next := w.scan
		next.Next = max(next.Next, to+1)
		err := w.search(ctx, from, to, next)
		if err == nil {
			from = to + 1
		} else if errors.Is(err, errTooMany) && from < known { // new blocks come first, as long as those are among the newest
			from = known
		} else if !w.narrow(ctx, err) {
			return err
		}
		if from <= newest && !w.again(ctx, err) {
			return cmp.Or(ctx.Err(), err)
		}
	}
	return nil
}

// downwards searches older blocks, as far as nodes have them.
func (w *walker) downwards(ctx context.Context) error {
	w.until, w.few = w.Now().Add(walkTime), mostSpan // new blocks may have taken all of it
	var err error
	for first := true; !w.scan.Done() && (first || w.again(ctx, err)); first = false {
		next := w.scan
		next.Low -= min(next.Low, next.Span, w.few)
		next.Span = min(2*next.Span, w.most)
		err = w.search(ctx, next.Low, w.scan.Low-1, next)
		if err == nil || w.narrow(ctx, err) {
			continue
		}
		var refused *nodepool.RPCError
		if !errors.As(err, &refused) {
			return err
		}
		w.scan.Bottom = true
	}
	return ctx.Err()
}

// again waits before the next question. It is not ok if the time of the call is over, unless the last
// one was for too many blocks: each call gets further.
func (w *walker) again(ctx context.Context, last error) bool {
	return (errors.Is(last, errTooMany) || w.Now().Before(w.until)) && pause(ctx, w.between) == nil
}

// errTooMany says that a limit cuts a list.
var errTooMany = errors.New("there are too many")

// search reads the transfers in a range and keeps them, with the state in which the search is then.
func (w *walker) search(ctx context.Context, from, to uint64, next Scan) error {
	list, more, err := w.from.NFTTransfers(ctx, from, to)
	if errors.Is(err, fetch.ErrTooLarge) {
		more, err = true, nil
	}
	if err != nil {
		return rangeError{err}
	}
	if more && from < to {
		w.few = to - from + 1
		return rangeError{errTooMany}
	}
	found := len(list)
	if list, err = w.admitted(ctx, list); err != nil {
		return err
	}
	if more || len(list) < found {
		w.warn("left out transfers of NFTs", 1, w.n.chain, errTooMany)
		next.Full = true
	}
	for i := range list {
		list[i].Chain = w.n.chain
	}
	// blocks count from 0, and 0 says that none were asked for
	if err := w.records.searched(ctx, &listUpdate{chain: w.n.chain, wallet: w.n.wallet, from: max(from, 1), last: to, transfers: list}, next); err != nil {
		return err
	}
	w.scan, w.few = next, min(2*w.few, mostSpan)
	w.kept += len(list)
	return nil
}

// admitted are the transfers that are kept, see coin.Admits.
func (w *walker) admitted(ctx context.Context, list []Transfer) (fit []Transfer, err error) {
	if w.kept+len(list) <= w.maxMoves {
		return list, nil
	}
	of := map[string]int{}
	for _, t := range list {
		count, known := of[t.Address]
		if !known {
			if count, err = w.records.transfers.Count(ctx, w.Store, table.Prefixed(byName, part(w.n.chain, w.n.wallet, t.Address))); err != nil {
				return nil, failed(ctx, err)
			}
		}
		if of[t.Address] = count; coin.Admits(w.maxMoves, w.kept+len(fit), count) {
			of[t.Address]++
			fit = append(fit, t)
		}
	}
	return fit, nil
}

// rangeError is an error of a question that may be for too many blocks.
type rangeError struct{ error }

// Unwrap gives the error.
func (e rangeError) Unwrap() error { return e.error }

// narrow asks for fewer blocks after an error. It is not ok if there are few already.
func (w *walker) narrow(ctx context.Context, err error) bool {
	if !errors.As(err, new(rangeError)) || ctx.Err() != nil {
		return false
	}
	if errors.Is(err, errTooMany) { // in these blocks alone
		w.few = max(w.few/2, 1)
		return true
	}
	var unreachable *nodepool.UnreachableError
	if w.scan.Span <= leastSpan || errors.As(err, &unreachable) && unreachable.Down() {
		return false
	}
	w.scan.Span = max(w.scan.Span/2, leastSpan)
	w.most = w.scan.Span
	return true
}

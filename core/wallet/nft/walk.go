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

// Scan is the range of blocks that were searched for transfers of NFTs, from Low up to but not
// including Next. If Low is 0, all older blocks were searched.
type Scan struct {
	Low  uint64 `json:"low"`
	Next uint64 `json:"next"`           // 0 means that no block was searched
	Span uint64 `json:"span,omitempty"` // number of blocks that nodes accept in one request
	// Bottom reports that nodes have no logs of the blocks below Low.
	Bottom bool `json:"bottom,omitempty"`
	// Behind reports that the last update had no time for some newer blocks.
	Behind bool `json:"behind,omitempty"`
	// Full reports that some transfers were omitted because there are too many.
	Full bool `json:"full,omitempty"`
	// Cut reports that some NFTs of the address are not listed because there are too many.
	Cut bool `json:"cut,omitempty"`
	// Contracts are the contracts that the user named. They list the NFTs of an address
	// themselves.
	Contracts []string `json:"contracts,omitempty"`
}

// Done reports whether all older blocks were searched.
func (s Scan) Done() bool { return s.Next > 0 && s.Low == 0 || s.Bottom }

// Limits of a search.
const (
	firstSpan = 2_000 // blocks of a request
	minSpan   = 1     // some providers accept only five or ten blocks of free accounts
	maxSpan   = 100_000
	walkTime  = 5 * time.Second        // time for new blocks and for older blocks in one call; the next call continues
	walkPause = 100 * time.Millisecond // between requests
	maxMoves  = 20_000                 // stored transfers of an address, exceeded only by transfers of other contracts
)

const scanKey = "N/nft/scan/"

// scan returns the range of blocks that were searched.
func (s *records) scan(ctx context.Context, c Chain, wallet string) (scan Scan, err error) {
	values, err := s.kv.Get(ctx, scanKey+part(c, wallet))
	if err != nil {
		return scan, failed(ctx, err)
	}
	if json.Unmarshal([]byte(values[0].Data), &scan) != nil { // missing or damaged
		return Scan{}, nil
	}
	return scan, nil
}

// searched stores the transfers of a range of blocks and the new state of the search.
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

// unsearch removes the state of the search after an indexer listed all blocks.
func (s *records) unsearch(ctx context.Context, n *listUpdate) error {
	scan, err := s.scan(ctx, n.chain, n.wallet)
	if err != nil {
		return err
	}
	full := n.full || n.from > 1 && scan.Full // because of older blocks
	if scan.Next > 0 || scan.Cut != n.cut || scan.Full != full {
		if err := s.searched(ctx, &listUpdate{chain: n.chain, wallet: n.wallet}, Scan{Contracts: scan.Contracts, Cut: n.cut, Full: full}); err != nil {
			return err
		}
	}
	return s.note(ctx, n.chain, n.wallet, nil)
}

// limited stores whether a limit cuts the list of a wallet's NFTs.
func (s *records) limited(ctx context.Context, n *listUpdate) error {
	scan, err := s.scan(ctx, n.chain, n.wallet)
	if err != nil || scan.Cut == n.cut {
		return err
	}
	scan.Cut = n.cut
	return s.searched(ctx, &listUpdate{chain: n.chain, wallet: n.wallet}, scan)
}

// Scanned returns the range of a chain's blocks that were searched for NFTs of the wallet.
// onChain reports whether the network is active without an indexer.
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
	n       *Network
	from    Reader
	scan    Scan
	stored  int
	maxSpan uint64 // limit of the span after a refusal
	few     uint64 // blocks of a request where there are too many transfers
	until   time.Time
}

// walk searches the new blocks and then older ones, until the time of one call is over.
func (g *Gallery) walk(ctx context.Context, n *Network, from Reader, contracts []string) error {
	height, err := n.on.Height(ctx)
	if err != nil {
		return err
	}
	w := &walker{g, n, from, Scan{}, 0, maxSpan, maxSpan, g.Now().Add(walkTime)}
	if w.scan, err = g.records.scan(ctx, n.chain, n.wallet); err != nil {
		return err
	}
	if w.stored, err = g.records.transfers.Count(ctx, g.Store, table.Prefixed(newest, part(n.chain, n.wallet))); err != nil {
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
	return w.note(ctx) // also stores the span
}

// note stores the state of the search.
func (w *walker) note(ctx context.Context) error {
	return w.records.searched(ctx, &listUpdate{chain: w.n.chain, wallet: w.n.wallet}, w.scan)
}

// upwards searches the newest blocks, and again those that a reorganization may have replaced.
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
		} else if errors.Is(err, errTooMany) && from < known { // new blocks come first, as long as they are among the newest
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
	w.until, w.few = w.Now().Add(walkTime), maxSpan // new blocks may have taken all the time
	var err error
	for first := true; !w.scan.Done() && (first || w.again(ctx, err)); first = false {
		next := w.scan
		next.Low -= min(next.Low, next.Span, w.few)
		next.Span = min(2*next.Span, w.maxSpan)
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

// again waits before the next request. It returns false if the time of the call is over, unless
// the last request was for too many blocks, so that each call makes progress.
func (w *walker) again(ctx context.Context, last error) bool {
	return (errors.Is(last, errTooMany) || w.Now().Before(w.until)) && pause(ctx, w.between) == nil
}

// errTooMany reports that a limit cuts a list.
var errTooMany = errors.New("there are too many")

// search reads the transfers in a range and stores them with the next state of the search.
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
	// blocks start at 0, but a from of 0 means that no transfers were requested
	if err := w.records.searched(ctx, &listUpdate{chain: w.n.chain, wallet: w.n.wallet, from: max(from, 1), last: to, transfers: list}, next); err != nil {
		return err
	}
	w.scan, w.few = next, min(2*w.few, maxSpan)
	w.stored += len(list)
	return nil
}

// admitted returns the transfers to store, see coin.Admits.
func (w *walker) admitted(ctx context.Context, list []Transfer) (fit []Transfer, err error) {
	if w.stored+len(list) <= w.maxMoves {
		return list, nil
	}
	counts := map[string]int{}
	for _, t := range list {
		count, known := counts[t.Address]
		if !known {
			if count, err = w.records.transfers.Count(ctx, w.Store, table.Prefixed(byName, part(w.n.chain, w.n.wallet, t.Address))); err != nil {
				return nil, failed(ctx, err)
			}
		}
		if counts[t.Address] = count; coin.Admits(w.maxMoves, w.stored+len(fit), count) {
			counts[t.Address]++
			fit = append(fit, t)
		}
	}
	return fit, nil
}

// rangeError is an error of a request that may be for too many blocks.
type rangeError struct{ error }

// Unwrap returns the cause.
func (e rangeError) Unwrap() error { return e.error }

// narrow reduces the number of blocks after an error. It returns false if the number is already
// small.
func (w *walker) narrow(ctx context.Context, err error) bool {
	if !errors.As(err, new(rangeError)) || ctx.Err() != nil {
		return false
	}
	if errors.Is(err, errTooMany) { // only in these blocks
		w.few = max(w.few/2, 1)
		return true
	}
	var unreachable *nodepool.UnreachableError
	if w.scan.Span <= minSpan || errors.As(err, &unreachable) && unreachable.Down() {
		return false
	}
	w.scan.Span = max(w.scan.Span/2, minSpan)
	w.maxSpan = w.scan.Span
	return true
}

// Readable is a platform with a Reader.
type Readable interface{ NFTReader() Reader }

// Reader reads the NFTs of a platform's address from the platform's nodes.
type Reader interface {
	// NFTTransfers returns the transfers to or from the address in a range of blocks, with all
	// members except Chain. more reports that it left some out. Nodes refuse requests that are too
	// large, so any error except those of ctx may be such a refusal.
	NFTTransfers(ctx context.Context, from, to uint64) (list []Transfer, more bool, err error)
	// NFTAmounts returns the address's current balance of each NFT.
	NFTAmounts(ctx context.Context, list []NFT) ([]Amount, error)
	// NFTTexts returns the texts of the contracts about each NFT, of at most limit bytes. Missing
	// texts are "". A contract that fails does not affect the others.
	NFTTexts(ctx context.Context, list []NFT, limit int) ([]Texts, error)
	// NFTsOf returns up to limit ids of an ERC-721 contract that the address has. more reports
	// that there are others. It fails with ErrNoEnumeration.
	NFTsOf(ctx context.Context, contract string, limit int) (ids []string, more bool, err error)
}

// Amount is a balance of an NFT. It is unknown if Err is set.
type Amount struct {
	Number string // decimal
	Err    error
}

// Texts holds the texts of a contract about an NFT. Some are unknown if Err is set.
type Texts struct {
	Name, Symbol, URI string
	Err               error
}

// Errors of reading NFTs from the chain.
var (
	// ErrNoEnumeration reports that a contract cannot list the NFTs of an address.
	ErrNoEnumeration = errors.New("the contract does not list the NFTs of an address (ERC-721's enumeration)")
	// ErrNoIndexer reports a call without an indexer for a network that was activated with one.
	ErrNoIndexer = errors.New("the network of NFTs was activated with an indexer, which has to be named")
	errNoReader  = errors.New("the platform does not read NFTs")
)

// ContractError reports a contract named by the user that cannot be listed.
type ContractError struct {
	Address string
	Err     error
}

func (e *ContractError) Error() string { return "contract " + e.Address + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *ContractError) Unwrap() error { return e.Err }

// MaxContracts is the maximum number of contracts that a user may name on a chain.
const MaxContracts = 20

// ErrContracts reports that a user named more contracts than MaxContracts.
var ErrContracts = errors.New("more than 20 contracts are named")

package history

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"obverse/core/wallet/cosmos/node"
)

// cursor is the position of a search. Pages are counted from the first transaction that a node
// has, so a cursor is valid for all nodes with the same first transaction.
type cursor struct {
	First  string `json:"first"` // hash of the first transaction
	Last   string `json:"last"`  // hash of the last transaction that was read
	Count  uint64 `json:"count"` // number of transactions that were read
	Height uint64 `json:"height"`
	Index  uint32 `json:"index"` // index of the last transaction
}

// maxCursors limits the number of cursors. There is one for each first transaction.
const maxCursors = 4

// perPage is the number of transactions on a page. Nodes return at most 100.
const perPage = 50

// Reasons why a search cannot continue.
var (
	errAnswer = errors.New("inconsistent search result")
	errBehind = errors.New("the node returned fewer transactions than before")
	errNodes  = errors.New("the nodes disagree about the history")
)

// scan is the state of one of the two searches.
type scan struct {
	query    string
	size     int       // number of transactions on a page
	cursors  *[]cursor // the current one first
	total    uint64    // number of transactions of the last node
	anchored bool      // whether the current node has the transactions that were read, so that its pages continue the cursor
	switches int       // number of switches to another cursor
	done     bool
}

func (s *scan) cursor() *cursor {
	if len(*s.cursors) == 0 {
		*s.cursors = []cursor{{}}
	}
	return &(*s.cursors)[0]
}

// remaining returns the number of known transactions that were not read.
func (s *scan) remaining() uint64 {
	if at := s.cursor().Count; s.total > at {
		return s.total - at
	}
	return 0
}

// page returns the number of the next page. If the node has changed, it is the page with the
// last transaction that was read.
func (s *scan) page() int {
	at := s.cursor().Count
	if !s.anchored && at > 0 {
		at--
	}
	return int(at)/s.size + 1
}

// next reads one page, advances the cursor and returns the new transactions on the page. It
// returns none if the search must continue with another cursor.
func (s *scan) next(ctx context.Context, source Source) ([]node.Tx, error) {
	page := s.page()
	found, err := s.fetchPage(ctx, source, page)
	if err != nil && !errors.Is(err, node.ErrNoPage) {
		return nil, err
	}
	if fresh, fits := s.match(found, page); fits && err == nil {
		s.advance(found, fresh)
		return fresh, nil
	}
	if page != 1 {
		if found, err = s.fetchPage(ctx, source, 1); err != nil {
			return nil, err
		}
	}
	return s.switchCursor(found)
}

// match reports whether a page continues the cursor, and returns the new transactions on it.
func (s *scan) match(found node.Found, page int) (fresh []node.Tx, fits bool) {
	at := s.cursor()
	read := int(at.Count) - (page-1)*s.size // number of transactions on the page that were read before
	switch {
	case found.Total < at.Count || found.Total < s.total && s.anchored || read > len(found.Txs):
		return nil, false
	case read > 0 && found.Txs[read-1].Hash != at.Last:
		return nil, false
	}
	fresh = found.Txs[read:]
	if len(fresh) > 0 && at.Count > 0 && !after(fresh[0], at.Height, at.Index) {
		return nil, false
	}
	return fresh, true
}

// maxMismatches is the number of mismatching pages that are assumed to be answers of another
// node.
const maxMismatches = 2

// switchCursor switches to the cursor for the current node's first transaction. It is called
// with the node's first page when a page does not continue the cursor.
func (s *scan) switchCursor(found node.Found) ([]node.Tx, error) {
	s.total, s.anchored = found.Total, false
	if s.switches++; s.switches > maxMismatches+maxCursors {
		return nil, errNodes
	}
	if len(found.Txs) == 0 {
		return nil, errBehind
	}
	at := slices.IndexFunc(*s.cursors, func(l cursor) bool { return l.First == found.Txs[0].Hash })
	next := cursor{}
	switch {
	case at == 0 && found.Total < s.cursor().Count:
		return nil, errBehind // the node is some blocks behind on the same chain
	case at == 0 && s.switches <= maxMismatches:
		return nil, nil
	case at > 0:
		next = (*s.cursors)[at]
	}
	if at >= 0 {
		*s.cursors = slices.Delete(*s.cursors, at, at+1)
	}
	*s.cursors = slices.Insert(*s.cursors, 0, next)
	*s.cursors = (*s.cursors)[:min(len(*s.cursors), maxCursors)]
	if next.Count > 0 {
		return nil, nil
	}
	s.advance(found, found.Txs)
	return found.Txs, nil
}

// advance moves the cursor behind the transactions on a page.
func (s *scan) advance(found node.Found, fresh []node.Tx) {
	at := s.cursor()
	if at.Count == 0 && len(fresh) > 0 {
		at.First = fresh[0].Hash
	}
	if len(fresh) > 0 {
		last := fresh[len(fresh)-1]
		at.Last, at.Height, at.Index = last.Hash, last.Height, last.Index
		at.Count += uint64(len(fresh))
	}
	s.total, s.anchored = found.Total, true
	s.done = at.Count >= found.Total
}

// after reports whether a transaction is later in the chain than a place.
func after(tx node.Tx, height uint64, index uint32) bool {
	return tx.Height > height || tx.Height == height && tx.Index > index
}

// fetchPage requests a page and checks it: hashes must match the transactions, the order must
// be the chain's order, and all pages but the last must be full.
func (s *scan) fetchPage(ctx context.Context, source Source, page int) (node.Found, error) {
	found, err := source.Search(ctx, node.Search{Query: s.query, Page: page, Size: s.size})
	if page == 1 && errors.Is(err, node.ErrNoPage) {
		return node.Found{}, nil // the answer of a node without transactions
	}
	if err != nil {
		return node.Found{}, err
	}
	for n, tx := range found.Txs {
		hash := sha256.Sum256(tx.Raw)
		switch {
		case strings.ToUpper(hex.EncodeToString(hash[:])) != tx.Hash:
			return node.Found{}, fmt.Errorf("%w: transaction hash does not match its content", errAnswer)
		case n > 0 && !after(tx, found.Txs[n-1].Height, found.Txs[n-1].Index):
			return node.Found{}, fmt.Errorf("%w: the transactions are not in the order of the chain", errAnswer)
		}
	}
	end := uint64((page-1)*s.size + len(found.Txs))
	if found.Total < end || len(found.Txs) > s.size || len(found.Txs) < s.size && found.Total > end {
		return node.Found{}, fmt.Errorf("%w: %d of %d transactions on page %d", errAnswer, len(found.Txs), found.Total, page)
	}
	return found, nil
}

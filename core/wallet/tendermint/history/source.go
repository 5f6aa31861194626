package history

import (
	"context"
	"errors"
	"time"
)

// Source are the nodes of a chain. Any node may answer any call, and nodes differ in
// how far back they know transactions. Errors that are not among those below count as
// passing: the call is made again later.
type Source interface {
	// Search finds the transactions whose events match the query, in the order of the
	// chain, and gives a page of size of them, from 1. Beyond the last page it fails
	// with ErrNoPage.
	Search(ctx context.Context, query string, page, size int) (Found, error)
	// BlockTime is the time in the header of a block. It fails with ErrNoBlock when no
	// node has the block, not yet or not any more.
	BlockTime(ctx context.Context, height uint64) (time.Time, error)
	// Height is the newest block's.
	Height(ctx context.Context) (uint64, error)
	// Earliest is the lowest block that some node still has.
	Earliest(ctx context.Context) (uint64, error)
}

// Answers that are no failure of a node.
var (
	ErrNoPage  = errors.New("the search has no such page")
	ErrNoBlock = errors.New("no node has the block")
)

// Found is a page of a search.
type Found struct {
	Txs   []Tx
	Total uint64 // transactions on all pages
}

// Tx is a transaction in a block.
type Tx struct {
	Hash   string // SHA-256 of Raw, 64 hexadecimal digits in capitals
	Height uint64
	Index  uint32 // in its block
	Raw    []byte
	Code   uint32 // not 0: it failed, and changed nothing but its fee
	Events []Event
}

// Event is something that a transaction made happen. Tendermint 0.34 writes keys and
// values in base64, later versions as they are; both may be left so.
type Event struct {
	Type       string
	Attributes []Attribute
}

// Attribute is a member of an event.
type Attribute struct{ Key, Value string }

package history

import (
	"context"
	"fmt"
	"time"

	"obverse/core/store"
	"obverse/core/store/table"
	"obverse/core/wallet/account/txlog"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/node"
)

// Config holds the parts of a Log.
type Config struct {
	Store   store.KV
	Source  Source
	Chain   string // chain id
	Address string // of the account, in bech32
	Now     func() time.Time
}

// Log is the history of an account, of all its denoms, see txlog.Log.
type Log struct {
	*txlog.Log
	c     Config
	marks *table.Table[mark]
	size  int           // transactions of a page of a search
	pause time.Duration // between pages

	queried bool               // for the lowest block, in this run
	agreed  map[string]node.Tx // what most nodes have of transactions that are not stored yet, by hash
}

// What a page is for and of.
type (
	View  = txlog.View
	Asset = txlog.Asset
)

// keys begins those of the histories of these chains.
const keys = "N/tm/history/"

// New makes a Log. It reads and starts nothing.
func New(c Config) *Log {
	l := &Log{c: c, size: perPage, pause: pause, agreed: map[string]node.Tx{},
		marks: table.New(table.Spec[mark]{Prefix: keys + "mark/", Key: table.Index[mark]{Name: "account", Value: func(m mark) string { return m.Account }}})}
	l.Log = txlog.New(txlog.Config{Store: c.Store, Prefix: keys, Chain: c.Chain, Address: c.Address, Now: c.Now, FeeType: "Tendermint",
		Height: c.Source.Height, TokenID: TokenID, Load: l.load, Passing: errBehind, Delay: indexDelay, Gaps: l.gaps})
	return l
}

// gaps are the reasons for which a coin's list may lack transactions.
func (l *Log) gaps(ctx context.Context, _ View) (all []coin.Gap, err error) {
	m, _, err := l.marks.Get(ctx, l.c.Store, l.Account)
	if n := len(m.Doubted); n > 0 {
		all = append(all, coin.Gap{Reason: coin.GapNoAnswer, Err: fmt.Sprintf("most nodes do not confirm %d transactions, such as %s", n, m.Doubted[n-1])})
	}
	if m.Cut {
		all = append(all, coin.Gap{Reason: coin.GapTooMany})
	}
	return all, err
}

// Times of loading.
const (
	pause      = 200 * time.Millisecond // between pages
	indexDelay = time.Second            // after a wake: nodes index a block a little later than they announce it
)

const (
	maxParallel = 3   // transactions, or times of blocks, that are asked for at once
	maxDoubted  = 100 // transactions that nodes do not agree on, and that are asked for again
)

// Source are the nodes of a chain. Any node may answer any call, and nodes differ in
// how far back they know transactions. Errors that are not among those below count as
// passing: the call is made again later.
type Source interface {
	// Search finds transactions in the order of the chain. Beyond the last page it fails
	// with node.ErrNoPage.
	Search(ctx context.Context, s node.Search) (node.Found, error)
	// BlockTime is the time in the header of a block. It fails with node.ErrNoBlock when no
	// node has the block, not yet or not any more.
	BlockTime(ctx context.Context, height uint64) (time.Time, error)
	// Agreed is a transaction in a block as most nodes have it, with events of the same meaning.
	// It fails with node.ErrNotFound, a *nodepool.DisagreementError, and node.ErrAlone, with which it
	// returns what one server has.
	Agreed(ctx context.Context, hash string, meaning func(node.Tx) string) (node.Tx, error)
	// Servers is how many servers the nodes are on.
	Servers() int
	// Height is the newest block's.
	Height(ctx context.Context) (uint64, error)
	// Earliest is the lowest block that some node still has.
	Earliest(ctx context.Context) (uint64, error)
}

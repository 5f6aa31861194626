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

// Log is the history of an account with all its denoms, see txlog.Log.
type Log struct {
	*txlog.Log
	c     Config
	marks *table.Table[mark]
	size  int           // number of transactions on a page of a search
	pause time.Duration // time between two pages

	queried bool               // whether the lowest block was queried in this run
	agreed  map[string]node.Tx // transactions that are not stored yet, as most nodes have them, by hash
}

// Aliases for the types of txlog.
type (
	View  = txlog.View
	Asset = txlog.Asset
)

// keys is the prefix of the keys of these histories.
const keys = "N/tm/history/"

// New returns a Log. It neither reads the store nor starts loading.
func New(c Config) *Log {
	l := &Log{c: c, size: perPage, pause: pause, agreed: map[string]node.Tx{},
		marks: table.New(table.Spec[mark]{Prefix: keys + "mark/", Key: table.Index[mark]{Name: "account", Value: func(m mark) string { return m.Account }}})}
	l.Log = txlog.New(txlog.Config{Store: c.Store, Prefix: keys, Chain: c.Chain, Address: c.Address, Now: c.Now, FeeType: "Tendermint",
		Height: c.Source.Height, TokenID: TokenID, Load: l.load, Passing: errBehind, Delay: indexDelay, Gaps: l.gaps})
	return l
}

// gaps returns the reasons for which a coin's list may lack transactions.
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
	pause      = 200 * time.Millisecond // between two pages
	indexDelay = time.Second            // after a wake, since nodes index a block a little later than they announce it
)

const (
	maxParallel = 3   // number of transactions, or times of blocks, that are queried at the same time
	maxDoubted  = 100 // maximum number of transactions that nodes do not agree on and that are queried again
)

// Source provides the nodes of a chain. Any node may answer any call, and nodes differ in how
// old the transactions are that they know. Errors other than the ones below are assumed to be
// temporary, and the call is repeated later.
type Source interface {
	// Search returns transactions in the order of the chain. Beyond the last page it fails with
	// node.ErrNoPage.
	Search(ctx context.Context, s node.Search) (node.Found, error)
	// BlockTime returns the time in the header of a block. It fails with node.ErrNoBlock when
	// no node has the block.
	BlockTime(ctx context.Context, height uint64) (time.Time, error)
	// Agreed returns a transaction in a block as most nodes have it, with events of the same
	// meaning. It fails with node.ErrNotFound, a *nodepool.DisagreementError, or node.ErrAlone.
	// With node.ErrAlone it returns the transaction of the single server.
	Agreed(ctx context.Context, hash string, meaning func(node.Tx) string) (node.Tx, error)
	// Servers returns the number of servers of the nodes.
	Servers() int
	// Height returns the height of the newest block.
	Height(ctx context.Context) (uint64, error)
	// Earliest returns the height of the lowest block that a node still has.
	Earliest(ctx context.Context) (uint64, error)
}

package history

import (
	"time"

	"obverse/core/store"
	"obverse/core/store/table"
	"obverse/core/wallet/account/txlog"
)

// Config is what a Log needs.
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

	asked bool // for the lowest block, in this run
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
	l := &Log{c: c, size: perPage, pause: pause,
		marks: table.New(table.Spec[mark]{Prefix: keys + "mark/", Key: table.Index[mark]{Name: "account", Of: func(m mark) string { return m.Account }}})}
	l.Log = txlog.New(txlog.Config{Store: c.Store, Prefix: keys, Chain: c.Chain, Address: c.Address, Now: c.Now, FeeType: "Tendermint",
		Height: c.Source.Height, TokenID: TokenID, Load: l.load, Passing: errBehind, Delay: indexDelay})
	return l
}

// Times of loading.
const (
	pause      = 200 * time.Millisecond // between pages
	indexDelay = time.Second            // after a wake: nodes index a block a little later than they announce it
)

const maxParallel = 3 // times of blocks that are asked for at once
